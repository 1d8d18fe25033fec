//! The top of each ranking as the report carries it, and what was blessed beside it.

use std::collections::BTreeMap;

use crate::Result;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::order;

use super::golden::Golden;
use crate::model::{GoldenQuery, RankedDocument};

/// Fewest and most documents of a ranking that the report carries: readers look at the first page, and
/// a report of thousands of queries must stay of a size that opens.
const SHOWN: std::ops::RangeInclusive<usize> = 10..=20;
/// Relevant documents that are named where they are not among those.
const MISSED: usize = 10;

/// How many documents of a ranking are carried: the deepest cutoff in use, up to the number that is
/// shown at most.
pub fn shown(metrics: &[Metric]) -> usize {
    let cutoffs = metrics.iter().filter_map(Metric::cutoff).filter(|cutoff| cutoff <= SHOWN.end());
    cutoffs.max().unwrap_or(0).max(*SHOWN.start())
}

/// The rankings of an evaluation's first pass, cut to the number that is shown.
pub(super) struct Rankings<'a> {
    evaluation: &'a Evaluation,
    relevant_from: i32,
    top: usize,
}

impl<'a> Rankings<'a> {
    pub(crate) fn new(evaluation: &'a Evaluation, top: usize) -> Self {
        let relevant_from = evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from());
        Self { evaluation, relevant_from, top }
    }

    pub(crate) fn of_query(&self, query: &str) -> Vec<RankedDocument> {
        let judgments = self.evaluation.collection().judgments(query);
        let grade = |document: &str| self.evaluation.collection().grade(query, document);
        let top = self.evaluation.top(0, query, self.top).into_iter();
        let ranked = |id: &str| RankedDocument {
            document: id.to_owned(),
            grade: grade(id),
            rank: None,
            missed: false,
        };
        let ranks = judgments.map(|judgments| self.evaluation.ranks(0, query, judgments)).unwrap_or_default();
        let mut missed: Vec<(&str, i32, Option<usize>)> = judgments
            .into_iter()
            .flat_map(|judgments| judgments.iter())
            .filter(|(_, grade)| *grade >= self.relevant_from)
            .map(|(document, grade)| (document, grade, ranks.get(document).copied()))
            .filter(|(_, _, rank)| rank.is_none_or(|rank| rank > self.top))
            .collect();
        // Judgments stand in the order of ids, and the sort is stable.
        order::sort_by_key(&mut missed, |(_, grade, _)| std::cmp::Reverse(*grade));
        let named = missed.into_iter().take(MISSED);
        let missed = named.map(|(document, grade, rank)| RankedDocument {
            document: document.to_owned(),
            grade: Some(grade),
            rank,
            missed: true,
        });
        top.map(ranked).chain(missed).collect()
    }
}

/// The blessed run, to be shown beside today's.
pub(super) struct Blessed<'a> {
    golden: &'a Golden,
    rankings: Rankings<'a>,
    /// Scores by metric, in the order of the blessed evaluation's queries.
    scores: Vec<(String, Vec<Option<f64>>)>,
}

pub(super) fn blessed<'a>(golden: &'a Golden, metrics: &[Metric], top: usize) -> Result<Blessed<'a>> {
    let scores = |metric: &Metric| Ok((metric.to_string(), golden.evaluation.scores_where_known(metric)?));
    Ok(Blessed {
        golden,
        rankings: Rankings::new(&golden.evaluation, top),
        scores: metrics.iter().filter(|metric| !metric.is_best_low()).map(scores).collect::<Result<_>>()?,
    })
}

impl Blessed<'_> {
    /// What was blessed of a query, as far as it differs from these scores and this ranking; `None` if
    /// that day's run did not have it.
    pub(crate) fn beside(
        &self,
        query: &str,
        now: &BTreeMap<String, f64>,
        ranking: &[RankedDocument],
    ) -> Option<GoldenQuery> {
        if !self.golden.asked.contains(query) {
            return None;
        }
        let queries = self.golden.evaluation.queries();
        let index = queries.binary_search_by(|other| other.id.as_str().cmp(query)).ok()?;
        let scores = self.scores.iter().filter_map(|(metric, scores)| {
            let score = scores.get(index).copied()??;
            (now.get(metric) != Some(&score)).then(|| (metric.clone(), score))
        });
        let blessed = self.rankings.of_query(query);
        Some(GoldenQuery { scores: order::map(scores), ranking: (blessed != ranking).then_some(blessed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
    use crate::run::{Hit, Run};

    fn metrics(names: &[&str]) -> Vec<Metric> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn the_first_page_is_shown_or_as_deep_as_metrics_look() {
        assert_eq!(shown(&metrics(&["nDCG@5", "R@100"])), 10);
        assert_eq!(shown(&metrics(&["nDCG@10", "P@20", "AP"])), 20);
    }

    fn evaluation(documents: &[&str]) -> Evaluation {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one"), [("d1", 1), ("d2", 3), ("d3", 0), ("d4", 2), ("d5", 1)]);
        let collection = builder.build().unwrap();
        let hits = documents.iter().map(|&id| Hit::new(id, 1.0)).collect();
        Evaluation::of_run(&collection, Run::from_rankings([("q1", hits)]).unwrap()).unwrap()
    }

    #[test]
    fn what_is_below_the_top_or_not_retrieved_is_named_if_it_is_relevant() {
        let evaluation = evaluation(&["d3", "x", "d4", "d1"]);
        let ranking = Rankings::new(&evaluation, 3).of_query("q1");
        let top: Vec<(&str, Option<i32>)> =
            ranking.iter().filter(|one| !one.missed).map(|one| (one.document.as_str(), one.grade)).collect();
        assert_eq!(top, [("d3", Some(0)), ("x", None), ("d4", Some(2))]);
        let missed: Vec<(&str, i32, Option<usize>)> = ranking
            .iter()
            .filter(|one| one.missed)
            .map(|one| (one.document.as_str(), one.grade.unwrap(), one.rank))
            .collect();
        assert_eq!(missed, [("d2", 3, None), ("d1", 1, Some(4)), ("d5", 1, None)]);
    }

    #[test]
    fn of_the_blessed_run_only_what_differs_is_carried() {
        let metrics = metrics(&["RR@10", "R@10"]);
        let golden = |asked: &[&str]| Golden {
            evaluation: evaluation(&["d1", "d2"]),
            changed: Vec::new(),
            loss_accepted: false,
            depth: None,
            asked: asked.iter().map(|&id| id.to_owned()).collect(),
        };
        let beside = |golden: &Golden, now: &[&str]| {
            let now = evaluation(now);
            let score = |metric: &Metric| (metric.to_string(), now.scores(metric).unwrap()[0]);
            let scores = metrics.iter().map(score).collect();
            let ranking = Rankings::new(&now, 10).of_query("q1");
            blessed(golden, &metrics, 10).unwrap().beside("q1", &scores, &ranking)
        };
        assert_eq!(beside(&golden(&["q1"]), &["d1", "d2"]), Some(GoldenQuery::default()));
        assert_eq!(beside(&golden(&[]), &["d1"]), None);
        let moved = beside(&golden(&["q1"]), &["x", "d1", "d2"]).unwrap();
        assert_eq!(moved.scores, BTreeMap::from([("RR@10".to_owned(), 1.0)]));
        assert_eq!(moved.ranking.unwrap()[0].document, "d1");
    }
}
