//! What a gate rests on, counted on both sides, and what that which is missing could change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::json::as_json;
use crate::metric::Metric;
use crate::{Error, Result};

use crate::model::{EvidenceBounds, EvidenceCount, EvidenceKind, EvidenceReport, ExpectedBy};

use super::missing_relevant::MissingRelevant;
use super::pair::Pair;
use super::whole_lists::{ShortLists, WholeLists};

/// Results of a side that belong to no document of the corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignDocuments {
    /// Results that were looked at.
    pub results: usize,
    /// Of them, those of no document of the corpus.
    pub unknown: usize,
    /// The ids of the first few of these, each once.
    pub ids: Vec<String>,
    /// The queries that have any, by id.
    pub queries: Vec<String>,
    /// The id of a document, where there are any.
    pub example: String,
}

as_json!(struct ForeignDocuments { results, unknown, ids, queries, example });

impl ForeignDocuments {
    /// How many results of a side are in the corpus, where any is not.
    #[must_use]
    pub fn count(&self, side: &str) -> Option<EvidenceCount> {
        (self.unknown > 0).then(|| EvidenceCount {
            side: Some(side.to_owned()),
            missing: self.ids.clone(),
            ..EvidenceCount::new(EvidenceKind::InCorpus, self.results - self.unknown, self.results)
        })
    }
}

/// What one side answered.
pub struct Answered<'a> {
    pub name: &'a str,
    pub evaluation: &'a Evaluation,
    pub foreign_documents: Option<&'a ForeignDocuments>,
}

/// Which end of what is possible is the worst for a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worst {
    Lowest,
    Highest,
    /// The end that is further from 0.
    Furthest,
}

/// What a gate rests on.
#[derive(Default)]
pub struct Basis<'a> {
    /// What it is decided by; `None` where that is the rankings alone.
    pub metric: Option<&'a Metric>,
    /// The candidate, then the baseline where there is one, over the same queries.
    pub sides: Vec<Answered<'a>>,
    /// Whether a query without a relevant document counts as one that lost it.
    pub needs_relevant: bool,
    /// The relevant documents that the corpus lacks, where the metric needs any.
    pub missing_relevant: Option<&'a MissingRelevant>,
    /// What is known of the collection and of golden runs.
    pub counts: Vec<EvidenceCount>,
    /// Queries that should be scored and are not.
    pub unscored: usize,
    /// Down to where the lists of two sides have to go.
    pub lists: Option<WholeLists<'a>>,
    pub worst: Option<Worst>,
}

impl Basis<'_> {
    /// What is not complete; `None` where everything is.
    ///
    /// # Errors
    /// A share that is none; a metric that cannot be computed.
    pub fn count(self, at_least: f64) -> Result<Option<EvidenceReport>> {
        if !(0.0..=1.0).contains(&at_least) {
            return Err(Error::invalid(format!(
                "the evidence that is needed is a share from 0 to 1, not {at_least}"
            )));
        }
        let mut counts = self.counts.clone();
        let mut unfindable = self.without_relevant();
        if let Some(first) = self.sides.first()
            && !unfindable.is_empty()
        {
            let of = first.evaluation.queries().len();
            counts.push(missing_of(EvidenceKind::Relevant, None, of, unfindable.iter().copied()));
        }
        if let (Some(first), Some(missing)) = (self.sides.first(), self.missing_relevant) {
            counts.extend(missing.count(first.evaluation));
            unfindable.extend(missing.queries(first.evaluation));
        }
        let mut open: Vec<Open<'_>> = Vec::new();
        for (place, side) in self.sides.iter().enumerate() {
            let mut of_side: HashSet<&str> = unfindable.iter().copied().collect();
            let short = self.short_lists(place)?;
            let best = short.map_or_else(BTreeMap::new, |short| {
                counts.push(short.count);
                short.best
            });
            // What was answered with nothing was asked: its 0 is a score.
            let absent = side.evaluation.absent();
            if !absent.is_empty() {
                let of = side.evaluation.queries().len();
                let ids = absent.iter().copied();
                counts.push(missing_of(EvidenceKind::Answered, Some(side.name), of, ids));
                of_side.extend(absent);
            }
            if let Some((foreign_documents, count)) =
                side.foreign_documents.and_then(|one| Some((one, one.count(side.name)?)))
            {
                counts.push(count);
                of_side.extend(foreign_documents.queries.iter().map(String::as_str));
            }
            open.push(Open { whatever: of_side, best });
        }
        if counts.is_empty() {
            return Ok(None);
        }
        let bounds = self.bounds(&open)?;
        Ok(Some(EvidenceReport { at_least, counts, bounds }))
    }

    /// What is known of the judged queries of a collection without a spec, of which so many are expected; else of those
    /// that its own files should judge, unless these are pinned.
    pub fn of_collection(collection: &Collection, expected: Option<usize>, pinned: bool) -> Self {
        let there = collection.queries().len();
        let judged = match expected {
            Some(of) => judged_of(there, of, (ExpectedBy::Spec, None), Vec::new()),
            None if pinned => None,
            None => {
                let lacking: Vec<&Query> = collection.lacking_judgments().collect();
                let named = lacking.iter().take(EvidenceCount::NAMED).map(|query| query.id.clone()).collect();
                judged_of(there, there + lacking.len(), (ExpectedBy::Collection, None), named)
            }
        };
        let unscored = judged.as_ref().map_or(0, |count| count.of - count.there);
        Self { counts: judged.into_iter().collect(), unscored, ..Self::default() }
    }

    /// Counts the queries that only one side of a pair has.
    pub fn count_unpaired(&mut self, pair: &Pair) {
        if pair.unpaired > 0 {
            let there = pair.queries().len();
            self.unscored += pair.unpaired;
            self.counts.push(EvidenceCount {
                side: Some(pair.baseline_name.clone()),
                ..EvidenceCount::new(EvidenceKind::Paired, there, there + pair.unpaired)
            });
        }
    }

    /// The lists of a side that end early.
    fn short_lists(&self, place: usize) -> Result<Option<ShortLists>> {
        let (Some(lists), Some(own)) = (self.lists, self.sides.get(place)) else { return Ok(None) };
        let mut others = self.sides.iter().enumerate().filter(|(other, _)| *other != place);
        lists.short_lists((own.name, own.evaluation), others.next().map(|(_, other)| other.evaluation))
    }

    /// The queries that have no relevant document, where the metric needs one.
    fn without_relevant(&self) -> Vec<&str> {
        match self.sides.first() {
            Some(first) if self.needs_relevant => first.evaluation.without_relevant(),
            _ => Vec::new(),
        }
    }

    /// What the mean, or the mean difference, could be.
    fn bounds(&self, open: &[Open<'_>]) -> Result<Option<EvidenceBounds>> {
        let (Some(metric), Some(worst)) = (self.metric, self.worst) else { return Ok(None) };
        let (least, most) = metric.range().into_inner();
        if metric.is_count() || !(least.is_finite() && most.is_finite()) || self.sides.is_empty() {
            return Ok(None);
        }
        let mut sums = [0.0, 0.0];
        for (place, (side, open)) in self.sides.iter().zip(open).enumerate() {
            let scores = side.evaluation.scores(metric)?;
            for (query, score) in side.evaluation.queries().iter().zip(scores) {
                let [low, high] = match open.best.get(&query.id) {
                    _ if open.whatever.contains(query.id.as_str()) => [least, most],
                    Some(best) => [score, score.max(*best)],
                    None => [score, score],
                };
                match place {
                    0 => sums = [sums[0] + low, sums[1] + high],
                    _ => sums = [sums[0] - high, sums[1] - low],
                }
            }
        }
        let queries = self.sides[0].evaluation.queries().len() + self.unscored;
        let unscored = self.unscored as f64;
        let [low, high] = if self.sides.len() > 1 { [least - most, most - least] } else { [least, most] };
        let limits = [sums[0] + unscored * low, sums[1] + unscored * high].map(|sum| sum / queries as f64);
        let [low, high] = limits;
        let is_high = match worst {
            Worst::Lowest => false,
            Worst::Highest => true,
            Worst::Furthest => high.abs() > low.abs(),
        };
        let (worst, best) = if is_high { (high, low) } else { (low, high) };
        Ok(Some(EvidenceBounds { worst, best }))
    }
}

/// The queries of a side whose scores nobody knows.
struct Open<'a> {
    /// Those that may have any.
    whatever: HashSet<&'a str>,
    /// Those that may have more than they do, and how much at most.
    best: BTreeMap<String, f64>,
}

/// What is there of something of which these are missing.
pub fn missing_of<'a>(
    kind: EvidenceKind,
    side: Option<&str>,
    of: usize,
    missing: impl ExactSizeIterator<Item = &'a str>,
) -> EvidenceCount {
    let there = of - missing.len();
    EvidenceCount {
        side: side.map(str::to_owned),
        missing: missing.take(EvidenceCount::NAMED).map(str::to_owned).collect(),
        ..EvidenceCount::new(kind, there, of)
    }
}

/// The judged queries that there are, of those that somebody expects; `None` where there are as many.
pub fn judged_of(
    there: usize,
    of: usize,
    (by, side): (ExpectedBy, Option<&str>),
    missing: Vec<String>,
) -> Option<EvidenceCount> {
    let side = side.map(str::to_owned);
    let count =
        EvidenceCount { side, by: Some(by), missing, ..EvidenceCount::new(EvidenceKind::Judged, there, of) };
    (there < of).then_some(count)
}

/// The queries that today's and a golden run's have in common, of all of both; `None` where they are the same.
///
/// `gone` has those that the collection no longer has.
pub fn shared_with(
    golden: &str,
    today: &[Query],
    asked: &BTreeSet<String>,
    gone: &[&str],
) -> Option<EvidenceCount> {
    let new = today.iter().map(|query| query.id.as_str()).filter(|id| !asked.contains(*id));
    let missing: Vec<&str> = new.chain(gone.iter().copied()).collect();
    let of = today.len() + gone.len();
    (!missing.is_empty()).then(|| missing_of(EvidenceKind::Paired, Some(golden), of, missing.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::CollectionBuilder;
    use crate::run::{Hit, Run};

    /// Four queries, of which the last has no relevant document; the run answers the first so many, right, and may answer
    /// the others with nothing.
    fn run_of(answered: usize, nothing: bool) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        for query in 0..4 {
            builder.add_query(Query::new(format!("q{query}"), "text"), [("d", i32::from(query < 3))]);
        }
        let hits = |query| if query < answered { vec![Hit::new("d", 1.0)] } else { Vec::new() };
        let last = if nothing { 4 } else { answered };
        let run = (0..last).map(|query| (format!("q{query}"), hits(query)));
        Evaluation::of_run(&builder.build().unwrap(), Run::from_rankings(run).unwrap()).unwrap()
    }

    fn evaluation(answered: usize) -> Evaluation {
        run_of(answered, false)
    }

    fn side<'a>(name: &'a str, evaluation: &'a Evaluation) -> Answered<'a> {
        Answered { name, evaluation, foreign_documents: None }
    }

    #[test]
    fn what_is_missing_may_score_anything() {
        let metric: Metric = "RR@10".parse().unwrap();
        let (whole, half, given) = (evaluation(4), evaluation(2), run_of(2, true));
        let report = |sides, needs_relevant, unscored| {
            let (metric, worst) = (Some(&metric), Some(Worst::Lowest));
            let basis = Basis { metric, sides, needs_relevant, unscored, worst, ..Basis::default() };
            basis.count(0.9).unwrap()
        };
        let facts = |report: &EvidenceReport| {
            let counts = report.counts.iter().map(|one| (one.kind, one.there, one.of, one.missing.clone()));
            counts.collect::<Vec<_>>()
        };
        let bounds = |worst, best| Some(EvidenceBounds { worst, best });
        // The scores are 1 1 1 0 and 1 1 0 0.
        let both = |old| vec![side("new", &whole), side("old", old)];
        assert_eq!(report(both(&given), false, 0), None);
        assert_eq!(given.answered_with_nothing(), ["q2", "q3"]);
        let missing = report(both(&half), false, 0).unwrap();
        assert!(half.answered_with_nothing().is_empty());
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(facts(&missing), [(EvidenceKind::Answered, 2, 4, ids(&["q2", "q3"]))]);
        assert_eq!(missing.bounds, bounds(-0.25, 0.25));
        let unfindable = report(both(&given), true, 0).unwrap();
        assert_eq!(facts(&unfindable), [(EvidenceKind::Relevant, 3, 4, ids(&["q3"]))]);
        assert_eq!(unfindable.bounds, bounds(0.0, 0.5));
        let alone = report(vec![side("old", &half)], false, 4).unwrap();
        assert_eq!(alone.bounds, bounds(0.25, 1.0));
    }

    /// However many results a longer list had, one that says something is no silence.
    #[test]
    fn rates_of_silence_rest_on_lists_of_any_length() {
        let whole = evaluation(4);
        let count = |name: &str| {
            let metric: Metric = name.parse().unwrap();
            let lists = Some(WholeLists::scored(&metric, crate::gate::Evidence::default()));
            let sides = vec![side("left", &whole)];
            let basis = Basis { metric: Some(&metric), sides, lists, ..Basis::default() };
            basis.count(0.9).unwrap().map(|report| report.counts[0].kind)
        };
        assert_eq!(count("FalseSilence"), None);
    }

    #[test]
    fn results_of_no_document_leave_their_queries_open() {
        let metric: Metric = "RR@10".parse().unwrap();
        let whole = evaluation(4);
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let foreign_documents = ForeignDocuments {
            results: 4,
            unknown: 1,
            ids: ids(&["x"]),
            queries: ids(&["q0"]),
            ..ForeignDocuments::default()
        };
        let answered = Answered { foreign_documents: Some(&foreign_documents), ..side("new", &whole) };
        let basis = Basis {
            metric: Some(&metric),
            sides: vec![answered],
            worst: Some(Worst::Highest),
            ..Basis::default()
        };
        let report = basis.count(0.9).unwrap().unwrap();
        assert_eq!((report.counts[0].there, report.counts[0].of), (3, 4));
        assert_eq!(report.bounds, Some(EvidenceBounds { worst: 0.75, best: 0.5 }));
        assert!(!report.is_enough());
    }

    #[test]
    fn queries_of_today_and_of_a_golden_run_are_counted_together() {
        let today = [Query::new("q1", ""), Query::new("q2", "")];
        let asked: BTreeSet<String> = ["q2", "q3"].map(str::to_owned).into();
        let count = shared_with("golden", &today, &asked, &["q3"]).unwrap();
        assert_eq!((count.there, count.of, count.missing), (1, 3, vec!["q1".to_owned(), "q3".to_owned()]));
        assert_eq!(shared_with("golden", &today[1..], &asked, &[]), None);
    }
}
