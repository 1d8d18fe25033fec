//! Scores of one configuration: its runs, judged once per query, and any metric of them.

mod cluster;
mod columns;
mod comparable;
mod definitions;
mod estimate;
mod held;
mod hold;
mod judging;
mod pass_rankings;
mod passages;
mod passes;
mod scores;
mod segment;
#[cfg(test)]
mod tests;
mod unanswerable;

use std::collections::BTreeSet;
use std::sync::Arc;

use self::cluster::Clusters;
pub use self::columns::{Columns, People};
pub use self::estimate::Estimate;
use self::estimate::extremes;
pub use self::hold::hold;
pub use self::judging::{Judging, findable, foreign_run, judgeable};
use self::judging::{check_overlap, evaluated, grades, has_identical, judge};
use self::pass_rankings::PassRankings;
pub use self::passages::{passages, run_of_passages};
use self::passes::{Pass, Passes};
pub use self::segment::nowhere;
use self::unanswerable::Unanswerable;
use crate::collection::{Collection, Query};
use crate::metric::{JudgedRanking, RankedQuery};
use crate::model::Latency;
use crate::run::{Hit, Rising, Run, is_of_nearly_all};
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
    clusters: Option<Arc<Clusters>>,
    passes: Passes,
    asked: Asked,
    read: Reading,
    inputs: Inputs,
    unanswerable: Unanswerable,
    /// Whether unjudged documents are left out of what metrics are computed from.
    judged_only: bool,
    /// The coverage that assertions need.
    min_coverage: Option<f64>,
}

/// How a retriever was asked; a file does not say.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    depth: Option<usize>,
    /// Whether a list that is shorter than the depth is all that the retriever has.
    whole_lists: bool,
    /// Whether each pass is of a retriever that was built anew.
    latency: Option<Latency>,
}

/// What was noticed while rankings were read and judged.
#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    unjudged_queries: usize,
    /// Documents that were taken out for having their query's id; `None` where nobody asked for that.
    identical_ids: Option<usize>,
    /// Whether scores rise with the ranks of the files that were read.
    rising: Rising,
}

/// What metrics are computed from beside rankings and judgments.
#[derive(Clone, Debug, Default)]
struct Inputs {
    columns: Arc<Columns>,
    /// Whether columns are all that there is: nobody has the rankings.
    columns_alone: bool,
}

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
    is_of_nearly_all(there, lists, lists).then_some(depth)
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
                Ok(Pass { judged, held: PassRankings::Whole(run) })
            })
            .collect::<Result<_>>()?;
        let read = Reading {
            identical_ids: judging.exclude_identical_ids.then_some(identical),
            rising: rising.into_iter().sum(),
            ..Reading::default()
        };
        Ok(Self::of_judged(collection, queries, passes, read))
    }

    fn of_judged(collection: &Collection, queries: Arc<[Query]>, passes: Passes, read: Reading) -> Self {
        Self {
            collection: collection.clone(),
            queries,
            clusters: None,
            passes,
            asked: Asked::default(),
            read,
            inputs: Inputs::default(),
            unanswerable: Unanswerable::Beside(collection.unanswerable().into()),
            judged_only: false,
            min_coverage: None,
        }
    }

    /// Documents that were taken out because their id is that of their query, over all passes; `None` where
    /// nobody asked for that.
    #[must_use]
    pub fn identical_ids(&self) -> Option<usize> {
        self.read.identical_ids
    }

    /// The coverage that assertions need.
    pub(crate) fn min_coverage(&self) -> Option<f64> {
        self.min_coverage
    }

    /// With the coverage that assertions and [`compare`](Self::compare) need, from 0 to 1: the share of judged queries
    /// that were answered, of queries with a relevant document, and of results that the corpus has; 0.9 at first, as in
    /// specs. Below it nothing is decided.
    ///
    /// With two sides the one that is asserted counts. A query that was asked and answered with nothing scores 0, and one
    /// that a run lacks is missing.
    ///
    /// ```
    /// use rankgate::{CollectionBuilder, Evaluation, Hit, Query, Run};
    ///
    /// let mut builder = CollectionBuilder::new();
    /// for id in ["q1", "q2"] {
    ///     builder.add_query(Query::new(id, "alpha"), [("d1", 1)]);
    /// }
    /// let run = Run::from_rankings([("q1", vec![Hit::new("d1", 1.0)])])?;
    /// let half = Evaluation::of_run(&builder.build()?, run)?;
    /// half.with_min_coverage(0.5).assert_at_least("RR@10", 0.5);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    #[must_use]
    pub fn with_min_coverage(self, share: f64) -> Self {
        Self { min_coverage: Some(share), ..self }
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
        evaluation.clusters = Clusters::again(self.clusters.as_ref(), &evaluation.queries)?;
        evaluation.read.unjudged_queries = self.read.unjudged_queries;
        let evaluation = Self {
            asked: self.asked,
            inputs: self.inputs.clone(),
            min_coverage: self.min_coverage,
            ..evaluation.with_identical_ids(self.read.identical_ids.unwrap_or(0))
        };
        evaluation.check_answers(judging)?;
        Ok(evaluation)
    }

    /// Whether any query is answered, where some are left out.
    fn check_answers(&self, judging: Judging) -> Result<()> {
        let answered_some = self.passes.iter().any(|pass| !pass.held.is_empty());
        if judging.skip_queries_without_relevant
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
        self.asked.latency
    }

    /// How many queries of a run from a file nobody judged.
    #[must_use]
    pub fn unjudged_queries(&self) -> usize {
        self.read.unjudged_queries
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

    /// Ids of the evaluated queries for which no pass returned anything.
    #[must_use]
    pub fn unanswered(&self) -> Vec<&str> {
        if self.inputs.columns_alone {
            return Vec::new();
        }
        let of_pass = |query: usize, pass: &Pass| !pass.judged[query].is_empty();
        let answered = |query: usize| self.passes.iter().any(|pass| of_pass(query, pass));
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

    /// A query with its documents in one pass; `None` where the run was judged while it was read.
    fn ranked_query<'a>(&'a self, pass: &'a Pass, index: usize) -> Result<Option<RankedQuery<'a>>> {
        let query = &self.queries[index];
        let Some(run) = pass.held.as_run() else { return Ok(None) };
        let hits = run.ranking(&query.id).unwrap_or_default();
        let ids = hits.iter().map(|hit| hit.id.as_str());
        let ids: Vec<&str> = match self.judged_only {
            false => ids.collect(),
            true => {
                let (grades, _) = grades(&self.collection, hits, &query.id)?;
                let judged = ids.zip(grades).filter(|(_, grade)| grade.is_some_and(|grade| grade >= 0));
                judged.map(|(id, _)| id).collect()
            }
        };
        let asked = RankedQuery::new(ids);
        Ok(Some(if self.is_of_unanswerable() { asked.as_unanswerable() } else { asked }))
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
        let mut evaluation = Self::of_passes(collection, Judging::default(), runs)?;
        evaluation.read.unjudged_queries = unjudged_queries;
        Ok(evaluation)
    }

    /// Judges one run per pass.
    pub fn of_passes(collection: &Collection, judging: Judging, runs: Vec<Run>) -> Result<Self> {
        Self::of_shared(collection, judging, runs.into_iter().map(Arc::new))
    }

    /// The same where so many documents were taken out before for having their query's id.
    pub fn with_identical_ids(mut self, identical: usize) -> Self {
        self.read.identical_ids = self.read.identical_ids.map(|known| known + identical);
        self
    }

    /// Whether scores rise with the ranks of the files that were read.
    pub fn rising(&self) -> Rising {
        self.read.rising
    }

    /// How many results nearly every query has, and none has more, where that shows that lists were cut there.
    pub fn cut(&self) -> Option<usize> {
        cut(self.queries.iter().map(|query| self.length(0, &query.id)))
    }

    pub fn with_depth(mut self, depth: usize) -> Self {
        self.asked.depth = Some(depth);
        self
    }

    /// The same where a retriever was asked for so many results: a list that is shorter is all that it has.
    pub fn asked_for(mut self, depth: usize) -> Self {
        self.asked.whole_lists = true;
        self.with_depth(depth)
    }

    /// Whether a list that is shorter than the depth is all that its retriever has.
    pub fn has_whole_lists(&self) -> bool {
        self.asked.whole_lists
    }

    pub fn with_latency(mut self, latency: Option<Latency>) -> Self {
        self.asked.latency = latency;
        self
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
        Some(Self {
            unanswerable: self.unanswerable.keeping(&belongs),
            queries: select(&self.queries, &kept).into(),
            passes: self.passes.iter().map(pass).collect(),
            clusters: self.clusters.as_ref().map(|clusters| Arc::new(clusters.keeping(&kept))),
            ..self.clone()
        })
    }

    /// How many documents were asked for, or where nobody said, how many the longest ranking has.
    pub fn depth(&self) -> usize {
        self.asked.depth.unwrap_or_else(|| self.longest().max(1))
    }

    /// The same, to be held by others too.
    pub fn shared_run(&self, pass: usize) -> Option<&Arc<Run>> {
        self.passes.get(pass)?.held.as_run()
    }

    /// Ids of the evaluated queries for which a pass has no ranking, not even an empty one: nobody knows whether they
    /// were asked.
    pub fn absent(&self) -> Vec<&str> {
        let has = |id: &str| self.passes.iter().all(|pass| pass.held.list(id).is_some());
        self.queries.iter().map(|query| query.id.as_str()).filter(|id| !has(id)).collect()
    }
}

/// One run per pass of answers that stand in the order of the queries.
pub fn runs(queries: &[Query], passes: Vec<Vec<Vec<Hit>>>) -> Result<Vec<Run>> {
    let ids = || queries.iter().map(|query| query.id.as_str());
    passes.into_iter().map(|pass| Run::from_rankings(ids().zip(pass))).collect()
}
