//! Scores of one configuration: its runs, judged once per query, and any metric of them.

mod by_metadata;
mod cluster;
mod definitions;
mod estimate;
mod floor;
mod held;
mod hold;
mod pass_rankings;
mod passages;
mod passes;
mod segment;
mod several;
#[cfg(test)]
mod tests;
mod truth;
mod unanswerable;
mod usage;
mod variants;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::Arc;

use self::cluster::Clusters;
pub use self::estimate::Estimate;
use self::estimate::{aggregate, extremes};
pub use self::floor::Floor;
pub use self::hold::hold;
use self::pass_rankings::PassRankings;
pub use self::passages::{passages, run_of_passages};
pub use self::passes::UsageByQuery;
use self::passes::{Pass, Passes};
pub use self::segment::nowhere;
use self::several::Several;
pub use self::truth::Truth;
pub use self::variants::{by_variant, variant_runs, variant_runs_in};
use crate::collection::{Collection, DocumentFields, Judgments, Query};
use crate::error::Quoted;
use crate::metric::{IntoMetric, JudgedRanking, Metric, RankedQuery, TrueNeighbours};
use crate::model::Latency;
use crate::neighbours::Neighbours;
use crate::run::{Hit, Rising, Run};
use crate::stats::{self, Confidence};
use crate::words::agree;
use crate::{Error, Result, threads};

/// A configuration's rankings, judged: everything that metrics are computed from.
///
/// The evaluated queries are those with judgments, ordered by id. A query that was not answered
/// scores 0 and is counted in [`unanswered`](Self::unanswered). With several passes over the
/// queries a query's score is its mean over the passes.
///
/// ```
/// use rankgate::{CollectionBuilder, Hit, Query, evaluate};
///
/// let mut builder = CollectionBuilder::new();
/// builder.add_query(Query::new("q1", "alpha"), [("d1", 2), ("d2", 1)]);
/// builder.add_query(Query::new("q2", "beta"), [("d3", 1)]);
/// let collection = builder.build()?;
///
/// let evaluation = evaluate(&collection, 10, |query, _depth| {
///     Ok(if query.text == "alpha" { vec![Hit::new("d1", 2.0)] } else { vec![] })
/// })?;
/// assert_eq!(evaluation.value("R@10")?, 0.25);
/// assert_eq!(evaluation.scores("R@10")?, [0.5, 0.0]);
/// assert_eq!(evaluation.unanswered(), ["q2"]);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluation {
    collection: Collection,
    queries: Arc<[Query]>,
    passes: Passes,
    depth: Option<usize>,
    latency: Option<Latency>,
    unjudged_queries: usize,
    /// Of these, those whose ranking has a document or a rank twice.
    unjudged_repeats: usize,
    /// Documents that were taken out for having their query's id; `None` where nobody asked for that.
    identical_ids: Option<usize>,
    /// Whether scores rise with the ranks of the files that were read.
    rising: Rising,
    clusters: Option<Arc<Clusters>>,
    /// Whether each pass is of a retriever that was built anew.
    rebuilt: bool,
    /// Whether unjudged documents are left out of what metrics are computed from.
    judged_only: bool,
    /// Where the passes are of several variants of each query.
    variants: Option<Arc<Several>>,
    /// Whether what is ranked are claims, of which metrics of answers are.
    of_claims: bool,
    /// Whether somebody judges whatever is returned, so that nothing need be known to be relevant before that.
    judges_results: bool,
    /// Whether a retriever was asked for the depth, so that a shorter list is all that it has; a file does not say.
    asked_for_depth: bool,
    /// How much of what assertions rest on has to be there.
    needed: Needed,
    /// The true neighbours of its queries, once somebody knows them.
    truth: Option<Truth>,
    /// The unanswerable queries that belong to these; nothing where these are the unanswerable ones.
    unanswerable: Arc<[Query]>,
    /// Whether its queries are the unanswerable ones.
    is_of_unanswerable: bool,
    /// What hits said of documents, with what the corpus says of the same ones.
    hit_metadata: Option<Arc<DocumentFields>>,
}

/// How much of what assertions rest on has to be there: a share, and how many judged queries, where anybody says so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needed {
    pub(crate) share: Option<f64>,
    pub(crate) queries: Option<usize>,
    pub(crate) depth: Option<usize>,
}

/// Queries that a thread scores at a time.
const PART: usize = 512;

/// Queries that show where lists were cut, at least, and how many of a hundred end there.
const FEWEST_CUT: usize = 5;
const NEARLY_ALL: usize = 90;

/// Where nearly all of these lists end, the empty ones left out; nothing where that is no one place.
pub fn cut(lengths: impl Iterator<Item = usize>) -> Option<usize> {
    let (mut depth, mut there, mut lists) = (0, 0, 0);
    for length in lengths.filter(|length| *length > 0) {
        lists += 1;
        if length > depth {
            (depth, there) = (length, 0);
        }
        there += usize::from(length == depth);
    }
    (lists >= FEWEST_CUT && there * 100 >= lists * NEARLY_ALL).then_some(depth)
}

/// How rankings are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judging {
    /// Lowest grade that binary metrics count as relevant; 1 by default.
    pub relevant_from: i32,
    /// Leave out queries that have no relevant document instead of scoring them 0.
    pub skip_unjudgeable: bool,
    /// Take a retrieved document out whose id is that of its query, as BEIR does where queries are documents
    /// (ArguAna, Quora).
    pub exclude_identical_ids: bool,
}

impl Default for Judging {
    fn default() -> Self {
        Self { relevant_from: 1, skip_unjudgeable: false, exclude_identical_ids: false }
    }
}

impl Evaluation {
    /// Judges a run, such as one read from a file.
    ///
    /// Queries of the run that nobody judged are ignored and counted.
    ///
    /// # Errors
    /// When the run answers none of the judged queries: it belongs to another collection.
    pub fn of_run(collection: &Collection, run: Run) -> Result<Self> {
        Self::of_runs(collection, vec![run])
    }

    fn of_shared(
        collection: &Collection,
        judging: Judging,
        runs: impl Iterator<Item = Arc<Run>>,
    ) -> Result<Self> {
        let queries = evaluated(collection, judging)?;
        let (mut identical, mut rising) = (0, Vec::new());
        let passes = runs
            .map(|mut run| {
                rising.push(run.rising());
                if judging.exclude_identical_ids && run.iter().any(has_identical) {
                    identical += Arc::make_mut(&mut run).exclude_identical_ids();
                }
                let judge = |query: &Query| judge(collection, &run, &query.id, judging);
                let judged = queries.iter().map(judge).collect::<Result<_>>()?;
                Ok(Pass { judged, held: PassRankings::Whole(run), floor: Floor::None, usage: None })
            })
            .collect::<Result<_>>()?;
        let collection = collection.clone();
        Ok(Self {
            unanswerable: collection.unanswerable().into(),
            collection,
            queries,
            passes,
            depth: None,
            latency: None,
            unjudged_queries: 0,
            unjudged_repeats: 0,
            identical_ids: judging.exclude_identical_ids.then_some(identical),
            rising: rising.into_iter().sum(),
            clusters: None,
            rebuilt: false,
            judged_only: false,
            variants: None,
            of_claims: false,
            judges_results: false,
            asked_for_depth: false,
            needed: Needed::default(),
            truth: None,
            is_of_unanswerable: false,
            hit_metadata: None,
        })
    }

    /// Queries that nobody judged and whose ranking has a document or a rank twice: ignored.
    pub(crate) fn unjudged_repeats(&self) -> usize {
        self.unjudged_repeats
    }

    /// Documents that were taken out because their id is that of their query, over all passes; `None` where
    /// nobody asked for that.
    #[must_use]
    pub fn identical_ids(&self) -> Option<usize> {
        self.identical_ids
    }

    pub(crate) fn with_needed(self, needed: Needed) -> Self {
        Self { needed, ..self }
    }

    /// How much of what assertions rest on has to be there.
    pub(crate) fn needed(&self) -> Needed {
        self.needed
    }

    /// The same judged again under other rules.
    ///
    /// # Errors
    /// When no query is left, or none that the run answers.
    pub fn judged_by(&self, judging: Judging) -> Result<Self> {
        let runs: Option<Vec<&Arc<Run>>> = self.passes.iter().map(|pass| pass.held.as_run()).collect();
        let gone = || Error::invalid("a run that was judged while it was read cannot be judged again");
        let runs = runs.ok_or_else(gone)?.into_iter().map(Arc::clone);
        let mut evaluation = Self::of_shared(&self.collection, judging, runs)?;
        (evaluation.depth, evaluation.latency) = (self.depth, self.latency);
        evaluation.unjudged_queries = self.unjudged_queries;
        evaluation.clusters = Clusters::again(self.clusters.as_ref(), &evaluation.queries)?;
        (evaluation.rebuilt, evaluation.needed) = (self.rebuilt, self.needed);
        evaluation.asked_for_depth = self.asked_for_depth;
        evaluation.truth.clone_from(&self.truth);
        let floors: Vec<Floor> = self.passes.iter().map(|pass| pass.floor.clone()).collect();
        evaluation = evaluation.with_floors(&floors).with_usage_of(self);
        evaluation.hit_metadata.clone_from(&self.hit_metadata);
        evaluation = evaluation.with_identical_ids(self.identical_ids.unwrap_or(0));
        evaluation.check_answers(judging)?;
        Ok(evaluation)
    }

    /// Whether any query is answered, where some are left out.
    fn check_answers(&self, judging: Judging) -> Result<()> {
        let answered_some = self.passes.iter().any(|pass| !pass.held.is_empty());
        if judging.skip_unjudgeable
            && answered_some
            && !self.queries.iter().any(|query| self.answers(&query.id))
        {
            let message =
                "the run answers no query that has a relevant document, and the others are left out";
            return Err(Error::invalid(message));
        }
        Ok(())
    }

    /// The same with unjudged documents removed from every ranking that metrics are computed from; the
    /// runs stay as they are.
    pub(crate) fn without_unjudged(&self) -> Self {
        let pass = |pass: &Pass| Pass {
            judged: threads::map(pass.judged.len(), |query| Arc::new(pass.judged[query].without_unjudged())),
            ..pass.clone()
        };
        Self { passes: self.passes.iter().map(pass).collect(), judged_only: true, ..self.clone() }
    }

    /// The evaluated queries, ordered by id. [Unanswerable](Self::for_metric) ones are not among them.
    #[must_use]
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// The collection that was asked.
    #[must_use]
    pub fn collection(&self) -> &Collection {
        &self.collection
    }

    /// Answer times; `None` for a run from a file.
    #[must_use]
    pub fn latency(&self) -> Option<Latency> {
        self.latency
    }

    /// How many queries of a run from a file nobody judged.
    #[must_use]
    pub fn unjudged_queries(&self) -> usize {
        self.unjudged_queries
    }

    /// How often every query was asked.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// The run of one pass, from 0.
    #[must_use]
    pub fn run(&self, pass: usize) -> Option<&Run> {
        self.passes.get(pass)?.held.as_run().map(Arc::as_ref)
    }

    /// The judged ranking of a query, by its position among [`queries`](Self::queries), in the
    /// first pass.
    #[must_use]
    pub fn judged(&self, query: usize) -> Option<&JudgedRanking> {
        self.passes.first()?.judged.get(query).map(Arc::as_ref)
    }

    /// The same in any pass.
    pub(crate) fn judged_in(&self, pass: usize, query: usize) -> Option<&JudgedRanking> {
        self.passes.get(pass)?.judged.get(query).map(Arc::as_ref)
    }

    /// Ids of the evaluated queries for which no pass returned anything; under a variant, of those of which a text was
    /// not answered.
    #[must_use]
    pub fn unanswered(&self) -> Vec<&str> {
        let of_pass = |query: usize, pass: &Pass| !pass.judged[query].is_empty();
        // Each text that stands for a query has to be answered: one that is not scores 0 in its mean.
        let answered = |query: usize| match self.variants {
            None => self.passes.iter().any(|pass| of_pass(query, pass)),
            Some(_) => self.own(query, &self.passes).all(|pass| of_pass(query, pass)),
        };
        let queries = self.queries.iter().enumerate().filter(|(index, _)| !answered(*index));
        queries.map(|(_, query)| query.id.as_str()).collect()
    }

    /// Ids of the evaluated queries that were answered with nothing; they score 0.
    pub(crate) fn answered_with_nothing(&self) -> Vec<&str> {
        let absent: BTreeSet<&str> = self.absent().into_iter().collect();
        self.unanswered().into_iter().filter(|id| !absent.contains(id)).collect()
    }

    /// Evaluated queries without a relevant document; they score 0 in every relevance metric.
    #[must_use]
    pub fn unjudgeable(&self) -> usize {
        let judged = self.passes.first().map_or(&[][..], |pass| &pass.judged);
        judged.iter().filter(|ranking| ranking.relevant(ranking.relevant_from()) == 0).count()
    }

    /// The ids of evaluated queries without a document of grade 1 or more, whatever counts as relevant: no ranking finds
    /// anything for them.
    pub(crate) fn without_relevant(&self) -> Vec<&str> {
        let judged = self.passes.first().map_or(&[][..], |pass| &pass.judged);
        let queries = self.queries.iter().zip(judged).filter(|(_, ranking)| ranking.relevant(1) == 0);
        queries.map(|(query, _)| query.id.as_str()).collect()
    }

    /// The score of each evaluated query, in the order of [`queries`](Self::queries): the mean over
    /// passes.
    ///
    /// # Errors
    /// An unknown metric, a cutoff deeper than what was asked for, a registered metric that returns
    /// something that is not a finite number (the message names the query). A metric of unanswerable queries: its
    /// scores are those of the evaluation [for it](Self::for_metric).
    pub fn scores(&self, metric: impl IntoMetric) -> Result<Vec<f64>> {
        let metric = self.checked(metric)?;
        self.check_queries(&metric)?;
        // Metrics of one's own are equal where their names are, whatever they compute.
        match metric.definition() {
            Some(_) if !metric.needs_documents() => self.passes.scores(&metric, || self.scored(&metric)),
            _ => self.scored(&metric),
        }
    }

    fn scored(&self, metric: &Metric) -> Result<Vec<f64>> {
        let of_query = |index: usize| {
            let passes: Result<Vec<f64>> =
                self.own(index, &self.passes).map(|pass| self.score(metric, pass, index)).collect();
            let score = passes.and_then(|passes| stats::mean(&passes));
            score.map_err(|error| Error::invalid(format!("query `{}`: {error}", self.queries[index].id)))
        };
        let all = self.queries.len();
        let part = |part: usize| {
            (part * PART..all.min((part + 1) * PART)).map(of_query).collect::<Result<Vec<f64>>>()
        };
        Ok(threads::map(all.div_ceil(PART), part).into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    /// The metric over all evaluated queries: the mean, or the sum for counts such as `NumRel`.
    ///
    /// # Errors
    /// As for [`scores`](Self::scores); a metric of relevance where no query has a relevant document.
    pub fn value(&self, metric: impl IntoMetric) -> Result<f64> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        of.findable(&metric)?;
        let scores = of.scores(metric.clone())?;
        aggregate(&metric, &scores)
    }

    /// The value of each pass by itself: how much it varies from run to run. Of variants, of each time that all of
    /// them were asked.
    ///
    /// # Errors
    /// As for [`scores`](Self::scores).
    pub fn values_by_pass(&self, metric: impl IntoMetric) -> Result<Vec<f64>> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        let of_query = |passes: &[Pass], index: usize| {
            let scores: Result<Vec<f64>> =
                of.own(index, passes).map(|pass| of.score(&metric, pass, index)).collect();
            stats::mean(&scores?)
        };
        let value = |passes: &[Pass]| {
            let scores = (0..of.queries.len()).map(|index| of_query(passes, index));
            aggregate(&metric, &scores.collect::<Result<Vec<_>>>()?)
        };
        of.passes.chunks(of.passes_each()).map(value).collect()
    }

    /// The lowest and the highest value of several passes; `None` of one.
    pub(crate) fn range_over_passes(&self, metric: &Metric) -> Result<Option<[f64; 2]>> {
        if self.passes() <= self.passes_each() {
            return Ok(None);
        }
        let values = self.values_by_pass(metric)?;
        let start = [f64::INFINITY, f64::NEG_INFINITY];
        Ok(Some(values.iter().fold(start, |[low, high], &value| [low.min(value), high.max(value)])))
    }

    fn score(&self, metric: &Metric, pass: &Pass, index: usize) -> Result<f64> {
        let (query, ranking) = (&self.queries[index], &pass.judged[index]);
        let whole = metric.needs_documents() && (self.of_claims || !metric.is_of_answers());
        let Some(run) = pass.held.as_run().filter(|_| whole) else {
            return metric.try_compute(ranking);
        };
        if metric.requirements().floor {
            return self.silence(metric, (pass, run), index);
        }
        let Some(asked) = self.ranked_query(pass, index) else { return metric.try_compute(ranking) };
        if metric.requirements().neighbours {
            let neighbours = self.neighbours()?;
            let truth = neighbours.for_query(&query.id)?;
            return metric.compute_of_query(&asked.with_neighbours(truth, neighbours.distances())?);
        }
        if metric.requirements().usage.is_some() {
            return self.usage(metric, asked, pass);
        }
        if metric.requirements().evidence
            && let (Some(limit), Some(evidence)) = (metric.limit(), self.collection.evidence())
        {
            let ids = run.ranking(&query.id).unwrap_or_default().iter().map(|hit| hit.id.as_str());
            let found = evidence.coverage(&query.id, ids, limit, ranking.relevant_from())?;
            return metric.compute_of_query(&asked.with_coverage(found));
        }
        self.with_metadata(metric, asked, |asked| metric.compute_of_query(asked))
    }

    /// A query with its documents and judgments in one pass; `None` where the run was judged while it was read.
    fn ranked_query<'a>(&'a self, pass: &'a Pass, index: usize) -> Option<RankedQuery<'a>> {
        let (query, ranking) = (&self.queries[index], &pass.judged[index]);
        let run = pass.held.as_run()?;
        let judgments = self.collection.judgments(&query.id);
        let grade = |hit: &Hit| judgments.and_then(|judgments| judgments.grade(&hit.id));
        let kept = |hit: &&Hit| !self.judged_only || grade(hit).is_some_and(|grade| grade >= 0);
        let hits = run.ranking(&query.id).unwrap_or_default().iter().filter(kept);
        let judged = judgments.into_iter().flat_map(Judgments::unordered);
        let asked = RankedQuery::new(&query.id, &query.text, hits.map(|hit| hit.id.as_str()), judged);
        let asked = if self.is_of_unanswerable { asked.as_unanswerable() } else { asked };
        Some(asked.with_metadata(&query.metadata).on_the_scale_of(ranking))
    }

    /// The score of a query by a metric of what a floor cut. Where judgments are of spans, passages have their grades.
    fn silence(&self, metric: &Metric, (pass, run): (&Pass, &Run), index: usize) -> Result<f64> {
        let query = &self.queries[index];
        let grade = |hit: &Hit| self.collection.grade(&query.id, &hit.id);
        let relevant_from = pass.judged[index].relevant_from();
        let hits = run.ranking(&query.id).unwrap_or_default();
        let graded = hits.iter().filter_map(|hit| Some((hit.id.as_str(), grade(hit)?)));
        let asked = RankedQuery::new(&query.id, &query.text, hits.iter().map(|hit| hit.id.as_str()), graded)
            .on_the_scale_of(&pass.judged[index]);
        let is_relevant = |hit: &Hit| grade(hit).is_some_and(|grade| grade >= relevant_from);
        let below = pass.floor.cut_relevant(&query.id, is_relevant)?;
        metric.compute_of_query(&asked.with_relevant_below_floor(below))
    }

    fn neighbours(&self) -> Result<&Neighbours> {
        let unknown = || Error::invalid("the true nearest neighbours are not known here");
        self.truth.as_ref().and_then(Truth::get).ok_or_else(unknown)?
    }

    /// The value with its interval at the given confidence.
    ///
    /// # Errors
    /// As for [`value`](Self::value).
    pub fn estimate(&self, metric: impl IntoMetric, confidence: Confidence) -> Result<Estimate> {
        let metric = self.checked(metric)?;
        let of = self.for_metric(&metric)?;
        of.findable(&metric)?;
        let estimate = Estimate::new(&metric, &of.scores(metric.clone())?, of.groups(), confidence)?;
        // A mean over passes hides a single one that is worse.
        let extremes = match of.passes() {
            0 | 1 => estimate.extremes,
            _ => extremes(&of.values_of_passes(&metric)?.concat()),
        };
        Ok(Estimate { extremes, ..estimate })
    }

    /// The positions of the passes that are a query's own.
    pub(crate) fn passes_of(&self, query: usize) -> Vec<usize> {
        let all: Vec<usize> = (0..self.passes.len()).collect();
        self.own(query, &all).copied().collect()
    }

    /// What each query has in each of its own passes.
    pub(crate) fn values_of_passes(&self, metric: &Metric) -> Result<Vec<Vec<f64>>> {
        let of_query = |index: usize| {
            let values: Result<Vec<f64>> =
                self.own(index, &self.passes).map(|pass| self.score(metric, pass, index)).collect();
            values.map_err(|error| Error::invalid(format!("query `{}`: {error}", self.queries[index].id)))
        };
        (0..self.queries.len()).map(of_query).collect()
    }

    /// The metric, if it can be computed from what was asked for.
    fn checked(&self, metric: impl IntoMetric) -> Result<Metric> {
        let metric = metric.into_metric()?;
        match (metric.cutoff(), self.depth) {
            (Some(cutoff), Some(depth)) if cutoff > depth => Err(Error::invalid(format!(
                "{metric} looks at {cutoff} documents and only {depth} were asked for"
            ))),
            _ => Ok(metric),
        }
    }
}

#[doc(hidden)]
impl Evaluation {
    /// Judges runs that are passes of one configuration.
    ///
    /// # Errors
    /// As for [`of_run`](Self::of_run), of all of them together.
    pub fn of_runs(collection: &Collection, runs: Vec<Run>) -> Result<Self> {
        let queries: BTreeSet<&str> = runs.iter().flat_map(Run::queries).collect();
        let unjudged_queries = check_overlap(collection, &Vec::from_iter(queries))?;
        Ok(Self { unjudged_queries, ..Self::of_passes(collection, Judging::default(), runs)? })
    }

    /// Judges one run per pass.
    pub fn of_passes(collection: &Collection, judging: Judging, runs: Vec<Run>) -> Result<Self> {
        Self::of_shared(collection, judging, runs.into_iter().map(Arc::new))
    }

    /// The same where so many documents were taken out before for having their query's id.
    pub fn with_identical_ids(mut self, identical: usize) -> Self {
        self.identical_ids = self.identical_ids.map(|known| known + identical);
        self
    }

    /// The same where so many queries that nobody judged had a document or a rank twice.
    pub fn with_unjudged_repeats(mut self, repeats: usize) -> Self {
        self.unjudged_repeats = repeats;
        self
    }

    /// Whether scores rise with the ranks of the files that were read.
    pub fn rising(&self) -> Rising {
        self.rising
    }

    /// How many results nearly every query has, and none has more, where that shows that lists were cut there.
    pub fn cut(&self) -> Option<usize> {
        cut(self.queries.iter().map(|query| self.length(0, &query.id)))
    }

    pub fn with_depth(mut self, depth: usize) -> Self {
        self.depth = Some(depth);
        self
    }

    /// The same where a retriever was asked for so many results: a list that is shorter is all that it has.
    pub fn asked_for(self, depth: usize) -> Self {
        Self { asked_for_depth: true, ..self.with_depth(depth) }
    }

    /// Whether a list that is shorter than the depth is all that its retriever has.
    pub fn has_whole_lists(&self) -> bool {
        self.asked_for_depth
    }

    /// The same where what is ranked are the claims of answers.
    pub fn of_claims(self) -> Self {
        Self { of_claims: true, depth: Some(usize::MAX), ..self }
    }

    /// The same with the true neighbours of its queries, which may become known later.
    pub fn with_truth(self, truth: Option<Truth>) -> Self {
        Self { truth, ..self }
    }

    /// The same where a floor cut the rankings of each pass, in their order.
    pub fn with_floors(self, floors: &[Floor]) -> Self {
        if floors.iter().all(|floor| matches!(floor, Floor::None)) {
            return self;
        }
        let floors = floors.iter().cloned().chain(std::iter::repeat(Floor::None));
        let pass = |(pass, floor): (&Pass, Floor)| Pass { floor, ..pass.clone() };
        Self { passes: self.passes.iter().zip(floors).map(pass).collect(), ..self }
    }

    /// The rankings of each pass before a floor cut them, which are those that there are where none did; `None` where
    /// nobody knows them any more.
    pub fn runs_before_floor(&self) -> Option<Vec<Arc<Run>>> {
        let before = |pass: &Pass| match &pass.floor {
            Floor::None => pass.held.as_run().cloned(),
            Floor::Cut(before) => Some(Arc::clone(before)),
            Floor::Unknown => None,
        };
        self.passes.iter().map(before).collect()
    }

    /// The same with what hits said of their documents, and the corpus of these.
    pub fn with_hit_metadata(self, hit_metadata: Option<Arc<DocumentFields>>) -> Self {
        Self { hit_metadata, ..self }
    }

    /// What hits said of their documents, with what the corpus says of the same ones; `None` where they said nothing.
    pub fn hit_metadata(&self) -> Option<&DocumentFields> {
        self.hit_metadata.as_deref()
    }

    pub fn with_rebuilt(mut self, rebuilt: bool) -> Self {
        self.rebuilt = rebuilt;
        self
    }

    /// Whether each pass is of a retriever that was built anew.
    pub fn is_rebuilt(&self) -> bool {
        self.rebuilt
    }

    pub fn with_latency(mut self, latency: Option<Latency>) -> Self {
        self.latency = latency;
        self
    }

    /// The same queries and rankings under the judgments of a model, which judges whatever is returned, and of people.
    ///
    /// # Errors
    /// A run that was judged while it was read.
    pub fn rejudged(&self, collection: &Collection) -> Result<Self> {
        let relevant_from = self.judged(0).map_or(1, JudgedRanking::relevant_from);
        let judging = Judging { relevant_from, ..Judging::default() };
        let pass = |pass: &Pass| {
            let gone = || Error::invalid("a run that was judged while it was read cannot be judged again");
            let run = pass.held.as_run().ok_or_else(gone)?;
            let judge = |query: &Query| judge(collection, run, &query.id, judging);
            Ok(Pass { judged: self.queries.iter().map(judge).collect::<Result<_>>()?, ..pass.clone() })
        };
        let passes = self.passes.iter().map(pass).collect::<Result<_>>()?;
        Ok(Self { collection: collection.clone(), passes, judges_results: true, ..self.clone() })
    }

    /// The queries of which `belongs` is true; `None` where there is none.
    pub fn keeping(&self, belongs: impl Fn(&Query) -> bool) -> Option<Self> {
        let kept: Vec<bool> = self.queries.iter().map(&belongs).collect();
        if !kept.contains(&true) {
            return None;
        }
        fn select<T: Clone>(items: &[T], kept: &[bool]) -> Vec<T> {
            items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item.clone()).collect()
        }
        let pass = |pass: &Pass| Pass { judged: select(&pass.judged, &kept), ..pass.clone() };
        let unanswerable = self.unanswerable.iter().filter(|query| belongs(query)).cloned().collect();
        Some(Self {
            unanswerable,
            queries: select(&self.queries, &kept).into(),
            passes: self.passes.iter().map(pass).collect(),
            clusters: self.clusters.as_ref().map(|clusters| Arc::new(clusters.keeping(&kept))),
            variants: self.variants.as_ref().map(|variants| Arc::new(variants.keeping(&kept))),
            ..self.clone()
        })
    }

    /// How many documents were asked for, or where nobody said, how many the longest ranking has.
    pub fn depth(&self) -> usize {
        self.depth.unwrap_or_else(|| self.longest().max(1))
    }

    /// The same, to be held by others too.
    pub fn shared_run(&self, pass: usize) -> Option<&Arc<Run>> {
        self.passes.get(pass)?.held.as_run()
    }

    /// Ids of the evaluated queries for which a pass has no ranking, not even an empty one: nobody knows whether they
    /// were asked.
    pub fn absent(&self) -> Vec<&str> {
        let has = |index: usize, id: &str| self.own(index, &self.passes).all(|pass| pass.held.has(id));
        let queries = self.queries.iter().enumerate().filter(|(index, query)| !has(*index, &query.id));
        queries.map(|(_, query)| query.id.as_str()).collect()
    }

    /// The score of a query by its position among the queries in one pass.
    pub fn score_in(&self, metric: &Metric, pass: usize, query: usize) -> Option<Result<f64>> {
        let pass = self.passes.get(pass).filter(|_| query < self.queries.len())?;
        Some(self.score(metric, pass, query))
    }

    /// The true neighbours of a query, where they are known.
    pub fn true_neighbours(&self, query: &str) -> Option<&TrueNeighbours> {
        self.neighbours().ok()?.for_query(query).ok()
    }

    /// Refuses a metric of relevance where no query has a relevant document: it would be the same whatever
    /// was returned. Where a model judges what is returned, other results would have other grades, and 0 is a score.
    pub fn findable(&self, metric: &Metric) -> Result<()> {
        if self.judges_results {
            return Ok(());
        }
        let judged = self.passes.first().map_or(&[][..], |pass| &pass.judged);
        findable(metric, judged.iter().map(Arc::as_ref))
    }
}

/// Whether in one of these rankings' judgments there is anything that a metric of relevance could find.
pub fn findable<R: Borrow<JudgedRanking>>(metric: &Metric, rankings: impl Iterator<Item = R>) -> Result<()> {
    let (mut queries, mut lowest) = (0, 1);
    for ranking in rankings {
        let ranking = ranking.borrow();
        match metric.finds_from(ranking) {
            Some(grade) if ranking.relevant(grade) == 0 => (queries, lowest) = (queries + 1, grade),
            _ => return Ok(()),
        }
    }
    let whose = agree(queries, "the one query", "any of the");
    let count = if queries == 1 { String::new() } else { format!(" {queries} queries") };
    Err(Error::invalid(format!(
        "{metric} has nothing to find, and would be the same whatever is returned: no document of grade \
         {lowest} or more was judged for {whose}{count}"
    )))
}

/// A run that has nothing to do with the judgments: an id of each tells how they differ.
pub fn foreign_run(name: &str, query: Option<&str>, judged: Option<&str>) -> Error {
    match query {
        None => Error::invalid(format!("{name} is empty: it answers no query")),
        Some(query) => Error::invalid(format!(
            "{name} answers none of the judged queries: it has ids such as {}, the judgments have ids such \
             as {}",
            Quoted(query),
            Quoted(judged.unwrap_or("none")),
        )),
    }
}

/// How many judged queries of a collection have a document of grade 1 or more, whatever counts as relevant today.
pub fn judgeable(collection: &Collection) -> usize {
    collection.queries().iter().filter(|query| is_judgeable(collection, &query.id, 1)).count()
}

/// The queries that are evaluated, of which there is at least one.
fn evaluated(collection: &Collection, judging: Judging) -> Result<Arc<[Query]>> {
    let queries: Arc<[Query]> = match judging.skip_unjudgeable {
        false => collection.queries().into(),
        true => collection
            .queries()
            .iter()
            .filter(|query| is_judgeable(collection, &query.id, judging.relevant_from))
            .cloned()
            .collect(),
    };
    if queries.is_empty() {
        let message = match collection.queries().len() {
            0 if !collection.unanswerable().is_empty() => {
                "all queries are unanswerable: add some that have an answer, as a system that never answers is perfect on \
                 the others"
                    .to_owned()
            }
            0 => "no query is judged: there is nothing to evaluate".to_owned(),
            all => format!(
                "not one of the {all} judged queries has a document of grade {} or more, and those without \
                 are left out: there is nothing to evaluate",
                judging.relevant_from
            ),
        };
        return Err(Error::invalid(message));
    }
    Ok(queries)
}

/// How many queries of a run nobody judged.
///
/// # Errors
/// When nobody judged any: the run belongs to another collection.
fn check_overlap(collection: &Collection, queries: &[&str]) -> Result<usize> {
    let unjudged = queries.iter().filter(|id| collection.query(id).is_none()).count();
    if unjudged == queries.len() {
        let judged = collection.queries_to_ask().first().map(|query| query.id.as_str());
        return Err(foreign_run("the run", queries.first().copied(), judged));
    }
    Ok(unjudged)
}

fn has_identical((query, hits): (&str, &[Hit])) -> bool {
    hits.iter().any(|hit| hit.id == query)
}

fn judge(collection: &Collection, run: &Run, query: &str, judging: Judging) -> Result<Arc<JudgedRanking>> {
    let hits = run.ranking(query).unwrap_or_default();
    let (ranked, judged) = if let Some(evidence) = collection.evidence() {
        let named = |error| Error::invalid(format!("query {}: {error}", Quoted(query)));
        evidence.judge(query, hits.iter().map(|hit| hit.id.as_str())).map_err(named)?
    } else {
        let judgments = collection.judgments(query);
        let grade = |hit: &Hit| judgments.and_then(|judgments| judgments.grade(&hit.id));
        let judged = judgments.map(|judgments| judgments.grades().collect()).unwrap_or_default();
        (hits.iter().map(grade).collect(), judged)
    };
    let ranking = JudgedRanking::new(ranked, judged)
        .with_max_grade(collection.qrels().max_grade())
        .with_relevant_from(judging.relevant_from);
    Ok(Arc::new(match collection.qrels().subtopics(query) {
        Some(subtopics) => {
            ranking.with_subtopics(subtopics, |rank| hits.get(rank - 1).map_or("", |hit| &hit.id))
        }
        None => ranking,
    }))
}

fn is_judgeable(collection: &Collection, query: &str, relevant_from: i32) -> bool {
    collection
        .judgments(query)
        .is_some_and(|judgments| judgments.grades().any(|grade| grade >= relevant_from))
}

/// One run per pass of answers that stand in the order of the queries.
pub fn runs(queries: &[Query], passes: Vec<Vec<Vec<Hit>>>) -> Result<Vec<Run>> {
    let ids = || queries.iter().map(|query| query.id.as_str());
    passes.into_iter().map(|pass| Run::from_rankings(ids().zip(pass))).collect()
}
