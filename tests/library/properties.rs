//! What holds for every set of judgments and every run: what must not matter does not.
//!
//! All of it goes the way of a user: texts of files are read and judged, scores are compared.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use rankgate::metric::{JudgedRanking, Metric};
use rankgate::run::RunReader;
use rankgate::stats::{
    Comparison, ComparisonSettings, Confidence, Differences, Expectation, PermutationOptions, Question,
    Stream, compare,
};
use rankgate::{Collection, Evaluation, Qrels};

/// Every family; ERR with a highest grade of its own, since by default that is the collection's.
const METRICS: [&str; 24] = [
    "P@3",
    "R@3",
    "F1@3",
    "SetP",
    "SetR",
    "SetF",
    "Success@3",
    "RR",
    "RR(rel=2)@3",
    "AP",
    "AP@3",
    "nDCG",
    "nDCG(gain=exp2)@3",
    "DCG@3",
    "Rprec",
    "Bpref",
    "RBP(p=0.8)",
    "ERR(max=4)@3",
    "infAP",
    "IPrec@0.4",
    "Judged@3",
    "R_cap@3",
    "NumRel",
    "NumRelRet",
];

/// These look at the first three documents only.
const SHALLOW: [&str; 11] = [
    "P@3",
    "R@3",
    "F1@3",
    "Success@3",
    "RR(rel=2)@3",
    "AP@3",
    "nDCG@3",
    "DCG@3",
    "RBP@3",
    "ERR@3",
    "Judged@3",
];

/// By query, the documents that are judged or answered: a grade, a score, or both.
type Queries = BTreeMap<String, BTreeMap<String, (Option<i32>, Option<f64>)>>;

/// Few scores, so that ties are many; one judged query at least is answered.
fn queries() -> impl Strategy<Value = Queries> {
    let grade = prop_oneof![Just(None), (-1..=4).prop_map(Some)];
    let score = prop_oneof![Just(None), (0..5).prop_map(|score| Some(f64::from(score) / 2.0 - 0.5))];
    let documents = btree_map("[a-dA-D~é]{1,2}", (grade, score), 1..12);
    btree_map("[a-cQé]{1,2}", documents, 1..7).prop_map(|mut queries| {
        if let Some(documents) = queries.values_mut().next() {
            documents.insert("both".into(), (Some(1), Some(1.0)));
        }
        queries
    })
}

/// The lines of both files.
fn lines(queries: &Queries) -> (Vec<String>, Vec<String>) {
    let (mut judged, mut run) = (Vec::new(), Vec::new());
    for (query, documents) in queries {
        for (document, (grade, score)) in documents {
            judged.extend(grade.map(|grade| format!("{query} 0 {document} {grade}")));
            run.extend(score.map(|score| format!("{query} Q0 {document} 0 {score} t")));
        }
    }
    (judged, run)
}

fn judged_from(judged: &[String], run: &[String]) -> Evaluation {
    let qrels = Qrels::parse("a.qrels", judged.join("\n").as_bytes()).unwrap();
    let run = RunReader::new().parse("a.run", run.join("\n").as_bytes()).unwrap();
    Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
}

fn judged(queries: &Queries) -> Evaluation {
    let (judged, run) = lines(queries);
    judged_from(&judged, &run)
}

/// Each metric's value and scores, to the last bit; no value where it has nothing to find.
fn numbers(evaluation: &Evaluation, metrics: &[&str]) -> Vec<(Option<u64>, Vec<u64>)> {
    let bits = |scores: Vec<f64>| scores.into_iter().map(f64::to_bits).collect();
    let both = |name: &&str| {
        (evaluation.value(*name).ok().map(f64::to_bits), bits(evaluation.scores(*name).unwrap()))
    };
    metrics.iter().map(both).collect()
}

/// Each query's scores, to the last bit.
fn by_query(evaluation: &Evaluation) -> BTreeMap<String, Vec<u64>> {
    let columns: Vec<Vec<f64>> = METRICS.iter().map(|name| evaluation.scores(*name).unwrap()).collect();
    let row = |at: usize| columns.iter().map(|scores| scores[at].to_bits()).collect();
    evaluation.queries().iter().enumerate().map(|(at, query)| (query.id.clone(), row(at))).collect()
}

/// Other ids in the same order.
fn renamed(ids: BTreeSet<&String>) -> BTreeMap<&String, String> {
    let name = |(at, id): (usize, _)| (id, format!("#{at:03}:{}", ["é", "z", "A"][at % 3]));
    ids.into_iter().enumerate().map(name).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_lines_changes_no_number(
        (queries, judgments, run) in queries().prop_flat_map(|queries| {
            let (judged, run) = lines(&queries);
            (Just(queries), Just(judged).prop_shuffle(), Just(run).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(numbers(&judged_from(&judgments, &run), &METRICS), numbers(&judged(&queries), &METRICS));
    }

    #[test]
    fn other_names_in_the_same_order_change_no_number(queries in queries()) {
        let names = renamed(queries.keys().collect());
        let documents = renamed(queries.values().flat_map(BTreeMap::keys).collect());
        let rename = |(query, found): (&String, &BTreeMap<String, _>)| {
            let found = found.iter().map(|(document, both)| (documents[document].clone(), *both)).collect();
            (names[query].clone(), found)
        };
        let other: Queries = queries.iter().map(rename).collect();
        prop_assert_eq!(numbers(&judged(&other), &METRICS), numbers(&judged(&queries), &METRICS));
    }

    #[test]
    fn a_query_scores_the_same_whatever_is_asked_beside_it(queries in queries()) {
        let all = by_query(&judged(&queries));
        // Each alone, with one that is answered so that there is something to evaluate.
        let judged_ones = queries.iter().filter(|(query, _)| all.contains_key(*query));
        for (query, documents) in judged_ones {
            let beside = BTreeMap::from([("both".to_owned(), (Some(1), Some(1.0)))]);
            let two = Queries::from([(query.clone(), documents.clone()), ("other".to_owned(), beside)]);
            prop_assert_eq!(&by_query(&judged(&two))[query], &all[query], "{}", query);
        }
    }

    #[test]
    fn an_answer_to_a_query_that_nobody_judged_changes_no_number(queries in queries()) {
        let (judgments, mut run) = lines(&queries);
        let before = judged_from(&judgments, &run);
        run.push("nobody Q0 a 0 9 t".into());
        let after = judged_from(&judgments, &run);
        prop_assert_eq!(numbers(&after, &METRICS), numbers(&before, &METRICS));
        prop_assert_eq!(after.unjudged_queries(), before.unjudged_queries() + 1);
    }

    #[test]
    fn an_unjudged_document_at_the_end_changes_nothing_at_smaller_cutoffs(queries in queries()) {
        let mut longer = queries.clone();
        for documents in longer.values_mut() {
            if documents.values().filter(|(_, score)| score.is_some()).count() >= 3 {
                documents.insert("last".into(), (None, Some(-9.0)));
            }
        }
        prop_assert_eq!(numbers(&judged(&longer), &SHALLOW), numbers(&judged(&queries), &SHALLOW));
    }
}

/// Scores in pairs: of few values, of which many are the same, or of many.
fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let tenths = || (0..=10).prop_map(|tenths| f64::from(tenths) / 10.0);
    let zeros = || prop_oneof![Just(0.0), (1..4).prop_map(|rank| 1.0 / f64::from(rank))];
    prop_oneof![
        vec((tenths(), tenths()), 2..60),
        vec((zeros(), zeros()), 2..60),
        vec((0.0..1.0, 0.0..1.0), 2..60),
        vec((0.0..1.0, 0.0..1.0), 2..20),
    ]
}

/// With fewer draws than by default, since the claims hold for any number of them, and without a plan.
fn compared(pairs: &[(f64, f64)], expectation: Expectation) -> Comparison {
    let (baseline, candidate): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let differences = Differences::new(&baseline, &candidate).unwrap();
    let stream = Stream::new(1);
    let question = Question { expectation, ..Question::new(&differences, &stream) };
    let permutation =
        PermutationOptions { resamples: 999, most_resamples: 9_999, ..PermutationOptions::default() };
    let settings =
        ComparisonSettings { bootstrap_resamples: 999, permutation, ..ComparisonSettings::default() };
    compare(&[question], &settings).unwrap().remove(0)
}

fn swapped(pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    pairs.iter().map(|&(baseline, candidate)| (candidate, baseline)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seen_from_the_other_side_every_number_is_mirrored(pairs in pairs()) {
        // Equivalence asks the same of both directions, so that the verdict has to be the same too.
        let equivalent = Expectation::Equivalence { margin: 0.15 };
        let (one, other) = (compared(&pairs, equivalent), compared(&swapped(&pairs), equivalent));
        prop_assert_eq!(one.decision.outcome, other.decision.outcome);
        prop_assert_eq!(one.difference, -other.difference);
        prop_assert_eq!((one.wins, one.ties, one.losses), (other.losses, other.ties, other.wins));
        prop_assert_eq!(one.tests.len(), other.tests.len());
        let (here, there) = (one.permutation(), other.permutation());
        prop_assert_eq!((here.p_greater, here.p_less), (there.p_less, there.p_greater));
        prop_assert_eq!(here.p_two_sided(), there.p_two_sided());
        prop_assert_eq!(one.p_adjusted, (other.p_adjusted.1, other.p_adjusted.0));
        let bounds = |comparison: &Comparison| {
            let t = comparison.t.and_then(|t| t.interval(Confidence::default()).ok());
            [comparison.interval.ok(), t].map(|it| it.map(|it| (it.low, it.high)))
        };
        for (here, there) in bounds(&one).into_iter().zip(bounds(&other)) {
            prop_assert_eq!(here, there.map(|(low, high)| (-high, -low)));
        }
        prop_assert_eq!(one.bootstrap.p_two_sided, other.bootstrap.p_two_sided);
        prop_assert!(one.bootstrap.win_share + other.bootstrap.win_share <= 1.0);
    }

    #[test]
    fn the_order_of_queries_changes_no_exact_number(
        (pairs, shuffled) in vec(((0..=10).prop_map(f64::from), (0..=10).prop_map(f64::from)), 2..60)
            .prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle())),
    ) {
        let (one, other) = (compared(&pairs, Expectation::default()), compared(&shuffled, Expectation::default()));
        prop_assert_eq!(one.difference, other.difference);
        let (here, there) = (one.permutation(), other.permutation());
        prop_assert_eq!((here.p_greater, here.p_less), (there.p_greater, there.p_less));
        let t = |one: &Comparison| one.t.map(|t| t.interval(Confidence::default()));
        prop_assert_eq!(t(&one), t(&other));
    }
}

/// Each order of some of these, of which there are 5! e = 326 at most.
fn arrangements(grades: &[Option<i32>]) -> Vec<Vec<Option<i32>>> {
    let mut all = vec![Vec::new()];
    for place in 0..grades.len() {
        let mut rest = grades.to_vec();
        let first = rest.remove(place);
        all.extend(arrangements(&rest).into_iter().map(|rest| [vec![first], rest].concat()));
    }
    all
}

/// More of the parameters that say which grades count.
const OF_GRADES: [&str; 8] = [
    "AP(rel=0)",
    "P(rel=2)@3",
    "nDCG(rel=2)",
    "Bpref(rel=2)",
    "infAP(rel=2)",
    "nERR@3",
    "Compat(p=0.9)",
    "RBP(p=0.9)@2",
];

proptest! {
    /// The ceiling of a reranker, which may leave documents out, by exact enumeration. What is judged and not relevant stands before
    /// what is not judged: with `rel=0` it counts.
    #[test]
    fn no_arrangement_scores_above_the_one_by_grade(
        found in vec(proptest::option::of(-2..=4_i32), 0..=5),
        missed in vec(-2..=4_i32, 0..6),
    ) {
        let mut ideal = found.clone();
        ideal.sort_by_key(|grade| std::cmp::Reverse(grade.unwrap_or(-1).max(-1)));
        let judged: Vec<i32> = found.iter().flatten().chain(&missed).copied().collect();
        let rank = |ranked: Vec<Option<i32>>| JudgedRanking::new(ranked, judged.clone());
        let all = arrangements(&found);
        let mut tried = 0;
        for name in METRICS.iter().chain(&OF_GRADES) {
            let metric: Metric = name.parse().unwrap();
            if !metric.is_highest_by_grade() {
                continue;
            }
            tried += 1;
            let ceiling = metric.compute(&rank(ideal.clone()));
            for ranked in &all {
                let score = metric.compute(&rank(ranked.clone()));
                prop_assert!(score <= ceiling + 1e-12, "{name}: {ranked:?} scores {score}, {ideal:?} scores {ceiling}");
            }
        }
        // All but `SetP`, `SetF`, `Judged` and `Compat`, whose overlap is extrapolated from the end of the list.
        prop_assert_eq!(tried, METRICS.len() + OF_GRADES.len() - 4);
    }
}
