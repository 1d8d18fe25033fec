//! Worked by hand; values of `ndeval` are in tests/reference/diversity.

use super::SubtopicJudgments;
use crate::metric::{JudgedRanking, Metric};

/// d1 on a and b, d2 on b, d3 on c, d4 on nothing.
const JUDGED: [(&str, &str, i32); 5] =
    [("d1", "a", 1), ("d1", "b", 2), ("d2", "b", 1), ("d3", "c", 1), ("d4", "a", 0)];

fn ranking(returned: &[&'static str]) -> JudgedRanking {
    let grade =
        |id: &&str| JUDGED.iter().filter(|(document, ..)| document == id).map(|(.., grade)| *grade).max();
    let returned = returned.to_vec();
    JudgedRanking::new(returned.iter().map(grade).collect(), vec![2, 1, 1, 0])
        .with_subtopics(SubtopicJudgments::new(JUDGED), move |rank| returned[rank - 1])
}

fn value(metric: &str, returned: &[&'static str]) -> f64 {
    metric.parse::<Metric>().unwrap().try_compute(&ranking(returned)).unwrap()
}

#[test]
fn new_subtopics_gain_more() {
    let log3 = 3f64.log2();
    for (metric, returned, expected) in [
        ("StRecall@1", &["d1", "d3"][..], 2.0 / 3.0),
        ("StRecall@2", &["d1", "d3"], 1.0),
        ("P-IA@2", &["d1", "d2"], 3.0 / 6.0),
        // a: d1 at rank 1 of 1; b: 1/1 and 2/2 of 2; c: nothing.
        ("AP-IA", &["d1", "d2"], 2.0 / 3.0),
        // Gains 2, then half for b again; ideal 2, then 1 for c.
        ("alpha-nDCG@2", &["d1", "d2"], (2.0 + 0.5 / log3) / (2.0 + 1.0 / log3)),
        ("alpha-nDCG@2", &["d1", "d3"], 1.0),
        // All three subtopics at rank 1, each half again at rank 2.
        ("alpha-DCG@2", &["d1", "d2"], (2.0 + 0.5 / log3) / (3.0 + 1.5 / log3)),
        ("alpha-DCG@1", &["d1"], 2.0 / 3.0),
        ("ERR-IA@2", &["d1", "d2"], (2.0 + 0.5 / 2.0) / (3.0 + 1.5 / 2.0)),
        ("nERR-IA@2", &["d1", "d2"], (2.0 + 0.5 / 2.0) / (2.0 + 1.0 / 2.0)),
        ("NRBP", &["d1", "d2"], 0.75 / 3.0 * (2.0 + 0.5 * 0.5)),
        // The ideal is d1, d3, d2.
        ("nNRBP", &["d1", "d2"], (2.0 + 0.5 * 0.5) / (2.0 + 0.5 + 0.5 * 0.25)),
        // What nobody judged takes a rank.
        ("alpha-nDCG@2", &["x", "d1"], (2.0 / log3) / (2.0 + 1.0 / log3)),
        ("alpha-nDCG@2", &[], 0.0),
        // Of grade 2 there is only b.
        ("StRecall(rel=2)@1", &["d1"], 1.0),
        ("StRecall(rel=3)@1", &["d1"], 0.0),
    ] {
        assert!((value(metric, returned) - expected).abs() < 1e-15, "{metric} of {returned:?}");
    }
}

#[test]
fn a_greedy_ideal_may_be_worse_than_a_run() {
    // Greedy takes e, which is on four of six, and then one of the two that are on three each: 4, 1 + 1/2... d and f share
    // nothing and cover six at once.
    let judged = ["a", "b", "e", "f"].map(|s| ("greedy", s, 1)).into_iter();
    let judged =
        judged.chain(["a", "b", "c"].map(|s| ("d", s, 1))).chain(["e", "f", "g"].map(|s| ("f", s, 1)));
    let ranking = JudgedRanking::new(vec![Some(1), Some(1)], vec![1, 1, 1])
        .with_subtopics(SubtopicJudgments::new(judged), |rank| ["d", "f"][rank - 1]);
    let metric: Metric = "alpha-nDCG(alpha=1)@2".parse().unwrap();
    // 3 + 3 / log2(3) over 4 + 1 / log2(3)
    let log3 = 3f64.log2();
    let expected = (3.0 + 3.0 / log3) / (4.0 + 1.0 / log3);
    assert!(expected > 1.0 && (metric.try_compute(&ranking).unwrap() - expected).abs() < 1e-15);
}

#[test]
fn without_judgments_by_subtopic_there_is_no_number() {
    let metric: Metric = "alpha_ndcg@10".parse().unwrap();
    assert_eq!(metric.to_string(), "alpha-nDCG@10");
    let plain = JudgedRanking::new(vec![Some(1)], vec![1]);
    let expected = "alpha-nDCG@10 needs judgments by subtopic: the second column of TREC's judgments";
    assert_eq!(metric.try_compute(&plain).unwrap_err().to_string(), expected);
}

#[test]
fn other_rankings_keep_their_subtopics() {
    let ranking = ranking(&["x", "d2", "d1"]);
    let metric: Metric = "alpha-DCG@2".parse().unwrap();
    // Without x the first two are d2 and d1: 1, then 1 + 1/2.
    let expected = (1.0 + 1.5 / 3f64.log2()) / (3.0 + 1.5 / 3f64.log2());
    assert!((metric.try_compute(&ranking.without_unjudged()).unwrap() - expected).abs() < 1e-15);
    assert!(metric.try_compute(&ranking.completed(10)).unwrap() > 0.0);
}

#[test]
fn a_name_says_what_is_not_usual() {
    for (text, canonical) in [
        ("alpha-nDCG(alpha=0.5)@10", "alpha-nDCG@10"),
        ("alpha_nDCG(alpha=0.30)", "alpha-nDCG(alpha=0.3)"),
        ("NRBP(beta=.8, alpha=.5)", "NRBP(beta=0.8)"),
        ("map-ia", "AP-IA"),
        ("strec@20", "StRecall@20"),
        ("P_IA(rel=2)@5", "P-IA(rel=2)@5"),
        ("ERR_IA@20", "ERR-IA@20"),
    ] {
        assert_eq!(text.parse::<Metric>().unwrap().to_string(), canonical, "{text}");
    }
    for (text, expected) in [
        ("alpha-nDCG(alpha=2)@5", "alpha must be a number from 0 to 1"),
        ("NRBP(beta=1)", "beta must be a number from 0 to below 1"),
        ("NRBP@5", "NRBP takes no cutoff"),
        ("alpha-DCG", "alpha-DCG needs a cutoff"),
    ] {
        let error = text.parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
