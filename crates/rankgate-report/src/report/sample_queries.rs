//! A model with queries and rankings, for the tests of the renderings that show them.

use std::collections::BTreeMap;

use crate::model::*;

use super::sample::{configuration, gate, helpdesk, measured, metric, outcome};
use super::sample_comparison::{compared, dropped, gained};

/// Queries of the sample.
const QUERIES: usize = 24;

/// Two configurations over 24 queries; the first was blessed with other rankings for some of them. A
/// third one has no queries, and a comparison with it no plot.
pub(super) fn queried() -> Report {
    queried_with(QUERIES)
}

pub(super) fn queried_with(queries: usize) -> Report {
    let curve = |name: &str, add: f64| CurveReport {
        metric: name.to_owned(),
        points: [1, 3, 10, 100]
            .iter()
            .zip([0.3, 0.45, 0.6, 0.8])
            .map(|(&cutoff, value)| CurvePoint { cutoff, value: value + add })
            .collect(),
    };
    let mut bm25 =
        measured(vec![metric("nDCG@10", 0.5312, [0.489, 0.5734]), metric("R@100", 0.9312, [0.879, 0.9834])]);
    bm25.curves = vec![curve("nDCG", 0.0), curve("R", 0.1)];
    bm25.queries = (0..queries).map(|index| query(index, 0)).collect();
    let mut stem =
        measured(vec![metric("nDCG@10", 0.7412, [0.711, 0.7711]), metric("R@100", 0.9512, [0.9011, 1.0])]);
    stem.curves = vec![curve("nDCG", 0.1), curve("R", 0.1)];
    stem.queries = (0..queries).map(|index| query(index, index % 3)).collect();
    for query in &mut stem.queries {
        query.golden = None;
    }
    let segment = |value: &str| SegmentReport {
        key: "category".to_owned(),
        value: value.to_owned(),
        queries: queries / 2,
        metrics: vec![metric("nDCG@10", 0.4, [0.3, 0.5]), metric("R@100", 0.95, [0.9, 1.0])],
    };
    bm25.segments = vec![segment("billing"), segment("delivery")];
    stem.segments = bm25.segments.clone();
    let against =
        ComparisonFinding { candidate: "bm25-stem".to_owned(), baseline: "bm25".to_owned(), ..gained() };
    let absent = ComparisonFinding { candidate: "legacy".to_owned(), ..dropped() };
    Report {
        configurations: vec![
            configuration("bm25", "builtin bm25", outcome(bm25)),
            configuration("bm25-stem", "builtin bm25", outcome(stem)),
            configuration("legacy", "run legacy.run", Outcome::NotAsked),
        ],
        gates: vec![
            gate("bm25-vs-golden::nDCG@10", Verdict::Failed, compared(dropped())),
            gate("bm25-stem-vs-bm25::nDCG@10", Verdict::Passed, compared(against)),
            gate("legacy-vs-golden::nDCG@10", Verdict::Inconclusive, compared(absent)),
        ],
        ..helpdesk()
    }
}

/// The document that is relevant stands `shift` ranks below the fifth part of the query's number.
fn query(index: usize, shift: usize) -> QueryReport {
    let rank = index % 5 + shift;
    let score = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let ranking = |relevant: usize| RankingReport {
        top: (0..10)
            .map(|place| RankedDocument {
                document: if place == relevant { format!("d{index}") } else { format!("x{place}") },
                grade: if place == relevant { Some(3) } else { (place % 2 == 0).then_some(0) },
            })
            .collect(),
        missed: vec![
            MissedDocument { document: format!("far{index}"), grade: 1, rank: Some(40) },
            MissedDocument { document: format!("gone{index}"), grade: 1, rank: None },
        ],
    };
    let scores =
        |rank: usize| BTreeMap::from([("nDCG@10".to_owned(), score(rank)), ("R@100".to_owned(), 2.0 / 3.0)]);
    let was_other = index.is_multiple_of(4);
    let category = if index.is_multiple_of(2) { "billing" } else { "delivery" };
    QueryReport {
        anchors: BTreeMap::new(),
        id: format!("q{index:05}"),
        text: format!("how to cancel order number {index}"),
        metadata: BTreeMap::from([("category".to_owned(), category.into())]),
        scores: scores(rank),
        ceilings: BTreeMap::new(),
        retrieved: 100,
        relevant: 3,
        found: 2,
        first_relevant: Some(rank + 1),
        dcg: 3.0 * score(rank),
        ideal_dcg: 3.0,
        ranking: Some(ranking(rank)),
        golden: Some(if was_other {
            GoldenQuery {
                scores: BTreeMap::from([("nDCG@10".to_owned(), score(rank + 2))]),
                ranking: Some(ranking(rank + 2)),
            }
        } else {
            GoldenQuery::default()
        }),
    }
}
