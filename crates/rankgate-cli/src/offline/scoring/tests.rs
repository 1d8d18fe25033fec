//! Runs scored while they are read, against the same runs held and evaluated.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::offline::collection::CollectionBuilder;
use crate::offline::run::{Hit, Run};

const METRICS: [&str; 7] = ["nDCG@3", "AP", "RR", "P@2", "ERR@5", "Judged@3", "NumRelRet"];

fn scoring() -> Scoring {
    Scoring::new(METRICS.map(|name| name.parse().unwrap())).per_query(true)
}

fn rankings() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0..9_u8, 0..8), 4)
}

proptest! {
    /// A run scored while it is read has the scores of the same run held and evaluated.
    #[test]
    fn scores_are_those_of_an_evaluation(
        rankings in rankings(),
        grades in prop::collection::vec(prop::collection::vec(-1..4_i32, 1..9), 3),
        relevant_from in 1..3_i32,
        skip_queries_without_relevant: bool,
        exclude_identical_ids: bool,
    ) {
        let mut qrels = Qrels::new();
        for (query, grades) in grades.iter().enumerate() {
            for (document, grade) in grades.iter().enumerate() {
                qrels.insert(&format!("d{query}"), &format!("d{document}"), *grade).unwrap();
            }
        }
        let hits = |ids: &Vec<u8>| {
            let mut ids = ids.clone();
            ids.sort_unstable();
            ids.dedup();
            ids.iter().map(|id| Hit::new(format!("d{id}"), f64::from(id / 2))).collect::<Vec<_>>()
        };
        let run = Run::from_rankings((0..).zip(&rankings).map(|(query, ids)| (format!("d{query}"), hits(ids)))).unwrap();
        let judging = Judging { relevant_from, skip_queries_without_relevant, exclude_identical_ids };
        let collection = Collection::from_qrels(qrels.clone()).unwrap();
        let evaluation = Evaluation::of_run(&collection, run.clone()).unwrap().judged_by(judging);
        let scores = evaluation.as_ref().map_err(Clone::clone).and_then(|one| scoring().judging(judging).evaluation("a.run", one));
        let (Ok(evaluation), Ok(scores)) = (&evaluation, &scores) else {
            // Of a metric that has nothing to find there is no value.
            let found = |one: &Evaluation| METRICS.iter().all(|name| one.value(*name).is_ok());
            prop_assert!(scores.is_err() && !evaluation.as_ref().is_ok_and(found));
            return Ok(());
        };
        // A file has no line for a query without a document; one without any line is another error.
        if rankings[..3].iter().any(|ids| !ids.is_empty()) {
            let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
            run.write_trec(&path, "t").unwrap();
            let of_file = scoring().judging(judging).order(Order::Rank).file(&qrels, &path).unwrap();
            prop_assert_eq!((&of_file.mean, &of_file.per_query), (&scores.mean, &scores.per_query));
            prop_assert_eq!(of_file.tied_scores, 0, "ranks say the order");
            // The same of rows that come from anywhere, in any order.
            let of_ranks = scoring().judging(judging).order(Order::Rank);
            let kernel = of_ranks.kernel(qrels.max_grade());
            let queries = run.queries().chain(qrels.queries()).collect::<BTreeSet<_>>().into_iter().rev();
            let lines = queries.map(|query| {
                let ranked = run.ranking(query).unwrap_or_default();
                let mut ranked: Vec<(&str, f64)> =
                    ranked.iter().zip(1_u8..).map(|(hit, rank)| (hit.id.as_str(), rank.into())).collect();
                ranked.reverse();
                let judged: Vec<(&str, i32)> = qrels.judgments(query).map(|judged| judged.iter().collect()).unwrap_or_default();
                (query.to_owned(), kernel.score(query, &ranked, &judged).unwrap())
            });
            prop_assert_eq!(&of_ranks.lines(&of_file.run, lines.collect()).unwrap(), &of_file);
            prop_assert_eq!(of_file.queries, evaluation.queries().len());
            prop_assert_eq!(of_file.identical_ids.is_some(), exclude_identical_ids);
            prop_assert_eq!(of_file.without_relevant, evaluation.unjudgeable());
        }
        for (index, name) in METRICS.into_iter().enumerate() {
            let estimate = evaluation.estimate(name, Confidence::default()).unwrap();
            prop_assert_eq!(scores.mean.get(name), Some(&estimate.value));
            let limits = estimate.interval.ok().map(|limits| [limits.low, limits.high]);
            prop_assert_eq!(scores.interval.get(name), Some(&limits));
            let column: Vec<f64> = scores.per_query.as_ref().unwrap().iter().map(|(_, row)| row[index]).collect();
            prop_assert_eq!(column, evaluation.scores(name).unwrap());
        }
    }
}

#[test]
fn queries_are_counted_as_answered_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    std::fs::write(&path, "q2 Q0 d1 1 1 t\nq1 Q0 d1 1 1 t\nq1 Q0 d2 1 9 t\nq9 Q0 d2 1 9 t\n").unwrap();
    let qrels = Qrels::parse("a.qrels", b"q1 0 d1 2\nq2 0 d1 1\nq3 0 d1 1\n").unwrap();
    let of_file = scoring().file(&qrels, &path).unwrap();
    assert_eq!((of_file.queries, of_file.unanswered, of_file.unjudged_queries), (3, 1, 1));
    let answered = scoring().answered_only(true).file(&qrels, &path).unwrap();
    assert_eq!((answered.queries, answered.left_out, answered.mean.get("RR")), (2, 1, Some(&0.75)));
}

#[test]
fn a_query_without_documents_is_answered() {
    let run = || Source::stream("a.json", &br#"{"q1": {"d1": 1.0}, "q2": {}}"#[..]);
    let qrels = Qrels::parse("a.qrels", b"q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n").unwrap();
    for (answered_only, queries, value) in [(false, 3, 1.0 / 3.0), (true, 2, 0.5)] {
        let scores = scoring().answered_only(answered_only).source(&qrels, "a.json", run()).unwrap();
        assert_eq!((scores.queries, scores.mean.get("RR")), (queries, Some(&value)));
    }
}

#[test]
fn lines_that_are_no_run_are_refused() {
    let line = |scores: &[f64], retrieved| QueryScores {
        scores: scores.to_vec(),
        retrieved,
        best_grade: (!scores.is_empty()).then_some(1),
        ..QueryScores::default()
    };
    let scoring = Scoring::new(["RR".parse().unwrap()]);
    let cases = [
        (vec![("q1", line(&[1.0], 1)), ("q1", line(&[1.0], 1))], "query `q1` again"),
        (vec![("q1", line(&[], 1))], "there are no judgments"),
        (vec![("q1", line(&[1.0, 1.0], 1))], "query `q1` has 2 scores of 1 metrics"),
        (vec![("q1", line(&[0.0], 0))], "a.run is empty: it answers no query"),
        (vec![("7", line(&[], 1)), ("q1", line(&[0.0], 0))], "answers none of the judged queries"),
    ];
    for (lines, message) in cases {
        let lines = lines.into_iter().map(|(query, line)| (query.to_owned(), line)).collect();
        let error = scoring.lines("a.run", lines).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_run_of_another_collection_is_an_error() {
    let qrels = Qrels::parse("a.qrels", b"q1 0 d1 2\n").unwrap();
    let run = |text: &'static [u8]| scoring().source(&qrels, "b.run", Source::stream("b.run", text));
    assert_eq!(
        run(b"17 Q0 d1 1 1 t\n").unwrap_err().to_string(),
        "b.run answers none of the judged queries: it has ids such as `17`, the judgments have ids such \
         as `q1`"
    );
}

/// q1 to q4 have an answer, u1 to u3 have none; these of all queries are answered with `good`.
fn answered(ids: &[&str]) -> Evaluation {
    let mut builder = CollectionBuilder::new();
    for id in ["q1", "q2", "q3", "q4"] {
        builder.add_query(Query::new(id, "alpha"), [("good", 1)]);
    }
    for id in ["u1", "u2", "u3"] {
        builder.add_query(Query::new(id, "beta").with("unanswerable", true), [("good", 0); 0]);
    }
    let all = ["q1", "q2", "q3", "q4", "u1", "u2", "u3"];
    let hits = |id: &str| if ids.contains(&id) { vec![Hit::new("good", 1.0)] } else { vec![] };
    let run = Run::from_rankings(all.map(|id| (id, hits(id)))).unwrap();
    Evaluation::of_run(&builder.build().unwrap(), run).unwrap()
}

#[test]
fn metrics_of_unanswerable_queries_stand_beside_the_others() {
    let metrics = ["RR", "FalseAnswer", "FalseSilence"].map(|name| name.parse().unwrap());
    let evaluation = answered(&["q1", "q2", "q3", "u2"]);
    let scores = Scoring::new(metrics.clone()).per_query(true).evaluation("a.run", &evaluation).unwrap();
    // By hand: one of u1 u2 u3 is answered, one of q1 to q4 is not.
    assert_eq!(scores.mean.get("FalseAnswer"), Some(&(1.0 / 3.0)));
    assert_eq!((scores.queries, scores.mean.get("FalseSilence")), (4, Some(&0.25)));
    let csv = crate::offline::report::scores_csv(std::slice::from_ref(&scores));
    assert!(csv.contains("a.run,q4,FalseSilence,1,") && csv.contains("a.run,,FalseAnswer,0.33"), "{csv}");
    let text = crate::offline::report::scores(std::slice::from_ref(&scores));
    assert!(text.starts_with("a.run: 4 judged queries\n") && text.contains("FalseAnswer   0.3333"), "{text}");
    // Asked for alone.
    let alone = Scoring::new([metrics[1].clone()]).per_query(true).evaluation("a.run", &evaluation).unwrap();
    assert!(!crate::offline::report::scores(&[alone]).contains("query by query"));
}

/// Five runs are a row each: the one that is silent least, and has the highest RR, is first.
#[test]
fn the_best_run_is_first_whichever_end_of_a_metric_is_best() {
    let runs = [&["q1"][..], &["q1", "q2", "q3", "q4"], &["q1", "q2"], &["q1", "q2", "q3"], &["q4"]];
    for names in [["FalseSilence", "RR"], ["RR", "FalseSilence"]] {
        let scoring = Scoring::new(names.map(|name| name.parse().unwrap()));
        let scored = |(number, ids): (usize, &&[&str])| {
            scoring.evaluation(&format!("run{number}"), &answered(ids)).unwrap()
        };
        let all: Vec<Scores> = runs.iter().enumerate().map(scored).collect();
        let text = crate::offline::report::scores(&all);
        let rows = text.lines().filter(|line| line.starts_with("run") && !line.starts_with("run "));
        let order: Vec<&str> = rows.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(order, ["run1", "run3", "run2", "run0", "run4"], "{text}");
    }
}
