//! `rankgate tune` as a user types it, and what other commands know of unanswerable queries.

use crate::toy_spec::Folder;
use insta::assert_snapshot;

/// A run by name, with the rank of each query's answer.
type Ranks = (&'static str, fn(usize) -> usize);

/// Queries, judgments and runs of them.
fn runs(queries: usize, ranks: &[Ranks]) -> Folder {
    let folder = Folder::new();
    let lines = |of: &dyn Fn(usize) -> String| (0..queries).map(of).collect::<String>();
    folder.write("qrels.txt", &lines(&|at| format!("q{at} 0 d{at} 1\n")));
    for (name, rank) in ranks {
        let hit = |at: usize| {
            let document =
                |place: usize| if place == rank(at) { format!("d{at}") } else { format!("x{place}") };
            (1..=10).map(|place| format!("q{at} Q0 {} {place} {} x\n", document(place), 20 - place)).collect()
        };
        folder.write(name, &lines(&hit));
    }
    folder
}

#[test]
fn the_best_run_of_one_half_is_confirmed_on_the_other() {
    let folder =
        runs(60, &[("old.run", |at| 2 + at % 3), ("mid.run", |at| 2 + at % 2), ("new.run", |at| 1 + at % 2)]);
    let tune = |more: &[&str]| folder.rankgate(&[&["--quiet", "tune", "qrels.txt"], more].concat());
    let files = ["old.run", "mid.run", "new.run", "-m", "RR"];
    assert_snapshot!(tune(&files).ends_with(0).stdout);
    let json = tune(&[&files[..], &["--format", "json"]].concat()).ends_with(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let confirmed = &json["confirmed"]["comparisons"][0];
    assert_eq!((&json["verdict"], &json["chosen"]), (&"passed".into(), &"new.run".into()));
    assert_eq!((&json["queries"][0], &confirmed["queries"]), (&30.into(), &30.into()));

    let other = tune(&["new.run", "old.run", "mid.run", "-m", "RR"]).ends_with(1).stdout;
    assert!(
        other.starts_with("FAILED: keep new.run: no other run has a higher RR on the 30 queries"),
        "{other}"
    );
    let elsewhere = tune(&["mid.run", "new.run", "--baseline", "old.run", "-m", "RR", "--format", "json"]);
    let elsewhere: serde_json::Value = serde_json::from_str(&elsewhere.ends_with(0).stdout).unwrap();
    assert_eq!(elsewhere["confirmed"], json["confirmed"]);
    let others = tune(&[&files[..], &["--format", "json", "--key", "k"]].concat()).ends_with(0).stdout;
    assert_ne!(serde_json::from_str::<serde_json::Value>(&others).unwrap()["means"], json["means"]);
}

#[test]
fn luck_on_one_half_is_not_confirmed() {
    let folder = runs(40, &[("old.run", |at| 1 + at * 7 % 5), ("new.run", |at| 1 + at * 3 % 5)]);
    let ran = folder.rankgate(&["--quiet", "tune", "qrels.txt", "old.run", "new.run"]).ends_with(1);
    assert!(!ran.stdout.starts_with("PASSED"), "{}", ran.stdout);
}

/// Queries of each kind, and a run that scores those without an answer `beyond(0)`, `beyond(1)` and so on.
fn folder(unanswerable: usize, beyond: fn(usize) -> f64) -> Folder {
    let folder = Folder::new();
    let (mut queries, mut qrels, mut run) = (String::new(), String::new(), String::new());
    for at in 0..40 {
        queries += &format!("{{\"id\": \"a{at}\", \"text\": \"ask {at}\", \"relevant\": [\"d{at}\"]}}\n");
        qrels += &format!("a{at} 0 d{at} 1\n");
        run += &format!("a{at} Q0 d{at} 1 {} x\na{at} Q0 other 2 0.01 x\n", 0.205 + at as f64 / 50.0);
    }
    for at in 0..unanswerable {
        queries += &format!("{{\"id\": \"n{at}\", \"text\": \"beyond {at}\", \"unanswerable\": true}}\n");
        qrels += &format!("n{at} 0 other 0\n");
        run += &format!("n{at} Q0 other 1 {} x\n", beyond(at));
    }
    folder.write("queries.jsonl", &queries);
    folder.write("marks.jsonl", &queries.replace("\"id\"", "\"_id\""));
    folder.write("qrels.txt", &qrels);
    folder.write("search.run", &run);
    folder.write(
        "toy.yaml",
        "version: 1\nbenchmark: toy\ncollection: {json: queries.jsonl}\nconfigurations:\n  search: {run: search.run}\n\
         thresholds:\n  - {metric: FalseAnswer, max: 0.05, bound: upper}\n",
    );
    folder
}

const THRESHOLD: [&str; 5] = ["--quiet", "tune", "qrels.txt", "search.run", "--score-threshold"];

#[test]
fn a_score_threshold_is_chosen_confirmed_and_applied() {
    let folder = folder(200, |at| (at % 25) as f64 / 100.0);
    let ran = folder.rankgate(&[&THRESHOLD[..], &["--write", "cut.json"]].concat()).ends_with(0);
    assert_snapshot!(ran.stdout);
    // The marks of queries say the same as judgments without a relevant document.
    let marked = folder.rankgate(&[&THRESHOLD[..], &["--queries", "marks.jsonl"]].concat()).ends_with(0);
    assert_eq!(marked.stdout, ran.stdout);
    let eval =
        ["eval", "qrels.txt", "cut.json", "--queries", "marks.jsonl", "-m", "FalseAnswer,FalseSilence"];
    let means = folder.rankgate(&[&eval[..], &["--format", "json"]].concat()).ends_with(0).stdout;
    let means = serde_json::from_str::<serde_json::Value>(&means).unwrap()["mean"].clone();
    // Of 40 queries with an answer, that score 0.205, 0.225 and so on, two are below what the others reach.
    assert_eq!((means["FalseAnswer"].as_f64(), means["FalseSilence"].as_f64()), (Some(0.0), Some(0.05)));
}

#[test]
fn too_few_unanswerable_queries_choose_nothing() {
    let folder = folder(60, |_| 0.1);
    let ran = folder.rankgate(&THRESHOLD).ends_with(1);
    assert_snapshot!(ran.stdout);
    // At 10% and 90% 22 have to choose.
    let less = ["--false-answer", "0.1", "--confidence", "0.9"];
    let ran = folder.rankgate(&[&THRESHOLD[..], &less].concat()).ends_with(0);
    assert!(ran.stdout.starts_with("PASSED: score threshold 0.2 for search.run"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_chosen_ends_with_2() {
    let folder = folder(60, |_| 0.1);
    for (arguments, expected) in [
        (&["--false-answer", "5"][..], "--false-answer is above 0 and below 1, not 5"),
        (&["--confidence", "95"], "--confidence is above 0.5 and below 1, not 95"),
        (&["toy.run"], "toy.run"),
        (&["--write", "cut.run"], "there is no score threshold to cut the run by"),
    ] {
        let ran = folder.rankgate(&[&THRESHOLD[..], arguments].concat()).ends_with(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    let alone = folder.rankgate(&["tune", "qrels.txt", "search.run"]).ends_with(2).stderr;
    assert!(alone.contains("name at least two runs to choose from"), "{alone}");
    let text = folder.read("search.run");
    let without = text.lines().filter(|line| !line.starts_with("a1")).collect::<Vec<_>>().join("\n");
    folder.write("search.run", &without);
    let ran = folder.rankgate(&THRESHOLD).ends_with(2);
    assert!(
        ran.stderr.contains("search.run has no ranking for 11 of the 40 queries that have"),
        "{}",
        ran.stderr
    );
}

#[test]
fn lint_finds_limits_that_so_few_queries_cannot_show() {
    let folder = folder(20, |_| 0.1);
    let ran = folder.rankgate(&["--quiet", "lint", "toy.yaml"]).ends_with(0);
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // 1 - 0.025^(1/20) = 0.1684.
    for expected in ["with 0 on all of 20 queries the bound is 0.1684", "20 unanswerable"] {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn eval_knows_the_marks_of_queries() {
    let folder = Folder::new();
    folder.write("qrels.txt", "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 0\n");
    let query = |id: &str, rest: &str| format!("{{\"_id\": \"{id}\", \"text\": \"x\"{rest}}}\n");
    let mark = ", \"unanswerable\": true";
    folder.write(
        "queries.jsonl",
        &(query("q1", "") + &query("q2", "") + &query("q3", mark) + &query("q4", mark)),
    );
    folder.write("mine.run", "q1 Q0 d1 1 9 x\nq3 Q0 d9 1 9 x\n");
    let eval = |more: &[&str]| folder.rankgate(&[&["eval", "qrels.txt", "mine.run"], more].concat());
    // Of the judged queries q1 has its document, and q2 and q3 have none; q3 and q4 are unanswerable, and q3 is answered.
    let without = eval(&["-m", "R@5", "--format", "json"]).ends_with(0).stdout;
    let value = |text: &str| {
        serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|error| panic!("{error}"))
    };
    assert_eq!(value(&without)["mean"]["R@5"], 1.0 / 3.0);
    let with =
        eval(&["-m", "FalseAnswer,R@5", "--queries", "queries.jsonl", "--format", "json"]).ends_with(0);
    let json = value(&with.stdout);
    assert_eq!((json["mean"]["R@5"].as_f64(), json["mean"]["FalseAnswer"].as_f64()), (Some(0.5), Some(0.5)));
    assert_eq!((json["queries"].as_u64(), json["unanswered"].as_u64()), (Some(2), Some(1)));
    assert!(json["interval"]["FalseAnswer"][0].as_f64().is_some_and(|low| low < 0.05), "{json}");
    assert!(
        with.stderr.contains("2 unanswerable queries are left out of all metrics but FalseAnswer"),
        "{}",
        with.stderr
    );
    let error = eval(&["-m", "FalseAnswer"]).ends_with(2).stderr;
    assert!(error.contains("FalseAnswer needs to know which queries are unanswerable"), "{error}");
    let arguments = ["-m", "FalseAnswer", "--queries", "queries.jsonl", "--write-scores", "scores.csv"];
    let error = eval(&arguments).ends_with(2).stderr;
    assert!(error.contains("--write-scores is of answerable queries"), "{error}");
}
