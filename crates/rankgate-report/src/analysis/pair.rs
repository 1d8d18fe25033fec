//! Two sides of a comparison, over the queries that both have.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::collection::Query;
use crate::error::Quoted;
use crate::evaluation::{Evaluation, People};
use crate::gate::Segment;
use crate::metric::Metric;
use crate::run::{Agreement, Hit};
use crate::stats::{CorrectedMean, Differences};
use crate::words::{agree, counted};
use crate::{Error, Result, threads};

use super::deterministic::disagreement;
use crate::model::{CoverageCount, Disagreement, Warning};

/// A candidate and a baseline over the same queries, paired by id.
#[derive(Debug)]
pub struct Pair {
    pub candidate: Evaluation,
    pub baseline: Evaluation,
    /// What the candidate is called in messages.
    pub candidate_name: String,
    /// What the baseline is called: a configuration or `golden`.
    pub baseline_name: String,
    pub segment: Option<Segment>,
    /// Queries that only one side has.
    pub unpaired: usize,
    /// By query: where the two sides part, if they do.
    pub differing: Vec<Option<Disagreement>>,
    /// By query: how far each pass of the candidate agrees with each of the baseline.
    agreements: OnceLock<Vec<Vec<Agreement>>>,
    /// The baseline and the candidate without unjudged documents.
    judged: OnceLock<[Evaluation; 2]>,
    /// The names of the pairs: queries, or groups of queries.
    units: Vec<String>,
}

/// How alike two sides are on a query, for who has seen their rankings and holds them no more.
#[derive(Clone, Debug)]
pub struct Alike {
    pub differing: Option<Disagreement>,
    pub agreement: Agreement,
}

/// One side of a comparison.
pub struct Side<'a> {
    pub name: &'a str,
    pub evaluation: &'a Evaluation,
    /// The queries of the run, where those are not the evaluation's: a blessed run is judged over
    /// today's queries, and may be older than some of them.
    pub asked: Option<&'a BTreeSet<String>>,
}

impl Pair {
    /// Pairs the queries that both sides have; of those, a segment.
    ///
    /// # Errors
    /// No shared query, none in the segment, or not a single document on either side: then nothing would be
    /// compared.
    pub fn new(candidate: &Side<'_>, baseline: &Side<'_>, segment: Option<&Segment>) -> Result<Self> {
        let here = ids(candidate.evaluation);
        let there = ids(baseline.evaluation);
        let asked = |side: &Side<'_>, id: &str| side.asked.is_none_or(|asked| asked.contains(id));
        let shared = |query: &Query| {
            let id = query.id.as_str();
            here.contains(id) && there.contains(id) && asked(candidate, id) && asked(baseline, id)
        };
        let (Some(mut ours), Some(mut theirs)) =
            (candidate.evaluation.keeping(shared), baseline.evaluation.keeping(shared))
        else {
            let (candidate, baseline) = (candidate.name, baseline.name);
            return Err(Error::invalid(format!("{candidate} and {baseline} have no query in common")));
        };
        let belongs = |query: &&Query| {
            segment.is_none_or(|segment| query.segments(&segment.key).contains(&segment.value))
        };
        let only = |side: &Evaluation| side.queries().iter().filter(|q| belongs(q) && !shared(q)).count();
        let gone = |side: &Side<'_>| {
            // Of a query that is no longer there nobody knows which segment it was in.
            let asked = side.asked.filter(|_| segment.is_none()).into_iter().flatten();
            asked.filter(|id| side.evaluation.collection().query(id).is_none()).count()
        };
        let (left, right) = (only(candidate.evaluation), only(baseline.evaluation));
        // Of two evaluations of one collection both lack the same query: it is one query.
        let one_sided = if here == there { left } else { left + right };
        let unpaired = one_sided + gone(candidate) + gone(baseline);
        let mut units = self::units(&ours);
        if let Some(Segment { key, value }) = segment {
            (ours, theirs) = (ours.segment(key, value)?, theirs.segment(key, value)?);
            units = self::units(&ours);
        }
        let differing = ours.queries().iter().map(|query| parting(query, &ours, &theirs)).collect();
        Self {
            candidate: ours,
            baseline: theirs,
            candidate_name: candidate.name.to_owned(),
            baseline_name: baseline.name.to_owned(),
            segment: segment.cloned(),
            unpaired,
            differing,
            agreements: OnceLock::new(),
            judged: OnceLock::new(),
            units,
        }
        .checked()
    }

    /// Pairs two runs of one collection that were judged while they were read.
    ///
    /// `alike` has how alike they are on each query, in the order of their queries.
    ///
    /// # Errors
    /// Not a single document on either side.
    pub fn of_alike(candidate: &Side<'_>, baseline: &Side<'_>, alike: Vec<Alike>) -> Result<Self> {
        let (differing, agreements): (_, Vec<_>) =
            alike.into_iter().map(|alike| (alike.differing, vec![alike.agreement])).unzip();
        Self {
            candidate: candidate.evaluation.clone(),
            baseline: baseline.evaluation.clone(),
            candidate_name: candidate.name.to_owned(),
            baseline_name: baseline.name.to_owned(),
            segment: None,
            unpaired: 0,
            differing,
            agreements: OnceLock::from(agreements),
            judged: OnceLock::new(),
            units: units(candidate.evaluation),
        }
        .checked()
    }

    /// The same over the queries that have a score in a column on both sides; of a metric of rankings the same.
    ///
    /// # Errors
    /// A column that a side does not have, named with the side; no query with a score on both sides.
    pub fn for_metric(self: &Arc<Self>, metric: &Metric) -> Result<Arc<Self>> {
        if !metric.is_column() {
            return Ok(Arc::clone(self));
        }
        let side = |name: &str, evaluation: &Evaluation| {
            let named = |error: Error| Error::with_kind(error.kind(), format!("{name}: {error}"));
            evaluation.for_metric(metric).map_err(named)
        };
        let candidate = side(&self.candidate_name, &self.candidate)?;
        let baseline = side(&self.baseline_name, &self.baseline)?;
        let candidate = Side { name: &self.candidate_name, evaluation: &candidate, asked: None };
        let baseline = Side { name: &self.baseline_name, evaluation: &baseline, asked: None };
        let pair = Self::new(&candidate, &baseline, None)?;
        let unpaired = self.unpaired + pair.unpaired;
        Ok(Arc::new(Self { segment: self.segment.clone(), unpaired, ..pair }))
    }

    /// Of a column that a model gave, how far people stand behind both sides.
    ///
    /// # Errors
    /// A column that is not there.
    pub fn people(&self, metric: &Metric) -> Result<People> {
        let [ours, theirs] = [self.candidate.people(metric)?, self.baseline.people(metric)?];
        if [ours, theirs] == [People::NotNeeded; 2] {
            return Ok(People::NotNeeded);
        }
        let both = self.people_differences(metric)?.map_or(0, |all| all.iter().flatten().count());
        Ok(People::new(true, both))
    }

    /// What people say of each query: the candidate's score less the baseline's, where they graded both.
    fn people_differences(&self, metric: &Metric) -> Result<Option<Vec<Option<[f64; 2]>>>> {
        let [ours, theirs] = [self.candidate.people_scores(metric)?, self.baseline.people_scores(metric)?];
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return Ok(None) };
        let both = |(ours, theirs): (Option<f64>, Option<f64>)| Some([theirs?, ours?]);
        Ok(Some(ours.into_iter().zip(theirs).map(both).collect()))
    }

    /// The differences in a column that a model gave, corrected by people, and people's own; nothing where they graded too few.
    pub(super) fn corrected(&self, metric: &Metric) -> Result<Option<(CorrectedMean, Differences)>> {
        let People::Sample(_) = self.people(metric)? else { return Ok(None) };
        let people = self.people_differences(metric)?.unwrap_or_default();
        let (ours, theirs) = (self.candidate.scores(metric)?, self.baseline.scores(metric)?);
        let model: Vec<f64> = ours.iter().zip(&theirs).map(|(ours, theirs)| ours - theirs).collect();
        let own: Vec<String> = self.queries().iter().map(|query| query.id.clone()).collect();
        let groups = self.candidate.groups().unwrap_or(&own);
        let moved: Vec<Option<f64>> =
            people.iter().map(|both| both.map(|[before, after]| after - before)).collect();
        let corrected = CorrectedMean::within(&model, &moved, groups, &metric.difference_range())?;
        let drawn = || people.iter().zip(groups).filter_map(|(both, group)| Some(((*both)?, group)));
        let (before, after): (Vec<f64>, Vec<f64>) =
            drawn().map(|([before, after], _)| (before, after)).unzip();
        let groups: Vec<&String> = drawn().map(|(_, group)| group).collect();
        let differences = Differences::grouped(&before, &after, &groups)?.within(&metric.range());
        Ok(Some((corrected, differences)))
    }

    /// This, if there is anything to compare.
    fn checked(self) -> Result<Self> {
        if self.unanswered() == self.queries().len() {
            let (candidate, baseline) = (&self.candidate_name, &self.baseline_name);
            return Err(Error::invalid(format!(
                "neither {candidate} nor {baseline} returned a single document: there is nothing to compare"
            )));
        }
        Ok(self)
    }

    /// By query: how far each pass of the candidate agrees with each of the baseline.
    pub(crate) fn agreements(&self) -> &[Vec<Agreement>] {
        self.agreements.get_or_init(|| {
            let of_query = |query: &Query| {
                let (ours, theirs) = (passes(&self.candidate, query), passes(&self.baseline, query));
                let with_each = |ours: &Vec<&str>| {
                    theirs.iter().map(|theirs| Agreement::between(theirs, ours)).collect::<Vec<_>>()
                };
                ours.iter().flat_map(with_each).collect()
            };
            threads::map(self.queries().len(), |index| of_query(&self.queries()[index]))
        })
    }

    /// The queries that are compared, by id.
    pub fn queries(&self) -> &[Query] {
        self.candidate.queries()
    }

    /// Queries that neither side answered.
    pub(crate) fn unanswered(&self) -> usize {
        let theirs: BTreeSet<&str> = self.baseline.unanswered().into_iter().collect();
        self.candidate.unanswered().into_iter().filter(|id| theirs.contains(id)).count()
    }

    /// What to know where the candidate answers queries with nothing that the baseline answered: a few of them are no drop
    /// that a test could show.
    pub(crate) fn lost_answers(&self) -> Option<Warning> {
        let (unanswered, ids) = empty_beside(&self.candidate, &self.baseline)?;
        let (queries, baseline) = (counted(self.queries().len(), "query", "queries"), &self.baseline_name);
        let have = agree(unanswered, "has", "have");
        let text =
            format!("{unanswered} of the {queries} {have} no result now, and had one of {baseline} ({ids})");
        Some(Warning::new("lost-answers", text))
    }

    /// What to know where a baseline answered queries with nothing that the candidate answered: any candidate looks better
    /// by that.
    pub(crate) fn empty_baseline(&self) -> Option<Warning> {
        let (unanswered, ids) = empty_beside(&self.baseline, &self.candidate)?;
        let (queries, baseline) = (counted(self.queries().len(), "query", "queries"), &self.baseline_name);
        let text = format!(
            "{baseline} has no result for {unanswered} of the {queries} ({ids}): they score 0, and any candidate looks better by \
             that"
        );
        Some(Warning::new("empty-baseline", text))
    }

    /// Whether both rank the same documents in the same order on every query, however often they
    /// ran.
    pub(crate) fn is_identical(&self) -> bool {
        self.differing.iter().all(Option::is_none)
    }

    /// The differences in a metric, by unit.
    pub fn differences(&self, metric: &Metric) -> Result<Differences> {
        self.candidate.differences_from(&self.baseline, metric)
    }

    /// The same with unjudged documents removed from both sides.
    pub(crate) fn judged_differences(&self, metric: &Metric) -> Result<Differences> {
        let judged = || [&self.baseline, &self.candidate].map(Evaluation::without_unjudged);
        let [baseline, candidate] = self.judged.get_or_init(judged);
        candidate.differences_from(baseline, metric)
    }

    /// The metadata key that groups the queries, if there is one.
    pub(crate) fn cluster(&self) -> Option<&str> {
        self.candidate.cluster()
    }

    /// How many units there are.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// The query or group that a unit is.
    pub(crate) fn unit(&self, unit: usize) -> &str {
        self.units.get(unit).map_or("", String::as_str)
    }
}

/// How many queries a side answered with nothing that the other one answered, and the first few by id; none where there are
/// none.
fn empty_beside(side: &Evaluation, other: &Evaluation) -> Option<(usize, String)> {
    let unanswered: BTreeSet<&str> = other.unanswered().into_iter().collect();
    let empty = side.answered_with_nothing().into_iter().filter(|id| !unanswered.contains(id));
    let empty: Vec<&str> = empty.collect();
    let first: Vec<String> =
        empty.iter().take(CoverageCount::NAMED).map(|id| Quoted(id).to_string()).collect();
    let more = if empty.len() > first.len() { ", ..." } else { "" };
    (!empty.is_empty()).then(|| (empty.len(), first.join(", ") + more))
}

fn ids(evaluation: &Evaluation) -> BTreeSet<&str> {
    evaluation.queries().iter().map(|query| query.id.as_str()).collect()
}

/// The documents of one query, by pass.
fn passes<'a>(side: &'a Evaluation, query: &Query) -> Vec<Vec<&'a str>> {
    (0..side.passes())
        .map(|pass| ranking(side, pass, &query.id).iter().map(|hit| hit.id.as_str()).collect())
        .collect()
}

/// The documents of one query in one pass.
pub fn ranking<'a>(side: &'a Evaluation, pass: usize, query: &str) -> &'a [Hit] {
    side.run(pass).and_then(|run| run.ranking(query)).unwrap_or_default()
}

/// Where the two sides part on a query: the first of their passes that is not as the first of the other.
fn parting(query: &Query, candidate: &Evaluation, baseline: &Evaluation) -> Option<Disagreement> {
    let ours = |pass| ranking(candidate, pass, &query.id);
    let theirs = |pass| ranking(baseline, pass, &query.id);
    let of_candidate = (0..candidate.passes()).find_map(|pass| disagreement(query, theirs(0), ours(pass)));
    of_candidate
        .or_else(|| (1..baseline.passes()).find_map(|pass| disagreement(query, theirs(pass), ours(0))))
}

/// The units of permutation and resampling: ids of queries or the values that group them, sorted, as
/// [`Differences`] orders its units.
fn units(side: &Evaluation) -> Vec<String> {
    match side.groups() {
        // Queries stand in the order of their ids.
        None => side.queries().iter().map(|query| query.id.clone()).collect(),
        Some(groups) => groups.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect(),
    }
}
