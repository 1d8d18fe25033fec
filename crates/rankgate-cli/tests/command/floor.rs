//! `rankgate floor` as a user types it: what it prints, and how it ends.

use crate::toy_spec::Folder;
use insta::assert_snapshot;

/// Queries of each kind, and a run that scores those without an answer `beyond(0)`, `beyond(1)` and so on.
fn folder(unanswerable: usize, beyond: fn(usize) -> f64) -> Folder {
    let folder = Folder::new();
    let (mut queries, mut run) = (String::new(), String::new());
    for at in 0..40 {
        queries += &format!("{{\"id\": \"a{at}\", \"text\": \"ask {at}\", \"relevant\": [\"d{at}\"]}}\n");
        run += &format!("a{at} Q0 d{at} 1 {} x\na{at} Q0 other 2 0.01 x\n", 0.3 + at as f64 / 50.0);
    }
    for at in 0..unanswerable {
        queries += &format!("{{\"id\": \"n{at}\", \"text\": \"beyond {at}\", \"answerable\": false}}\n");
        run += &format!("n{at} Q0 other 1 {} x\n", beyond(at));
    }
    folder.write("queries.jsonl", &queries);
    folder.write("search.run", &run);
    folder.write(
        "toy.yaml",
        "version: 1\nbenchmark: toy\ncollection: {jsonl: queries.jsonl}\nconfigurations:\n  search: {run: search.run, floor: 0.9}\n\
         thresholds:\n  - {metric: FalseAnswer, max: 0.05, bound: upper}\n",
    );
    folder
}

#[test]
fn a_floor_is_chosen_tested_and_shown_with_its_costs() {
    let folder = folder(200, |at| at as f64 / 400.0);
    let ran = folder.rankgate(&["--quiet", "floor", "toy.yaml"]).ends_with(0);
    assert_snapshot!(ran.stdout);
    let json = folder.rankgate(&["--quiet", "floor", "toy.yaml", "--format", "json"]).ends_with(0).stdout;
    // Another key halves otherwise.
    let other =
        folder.rankgate(&["--quiet", "floor", "toy.yaml", "--format", "json", "--key", "k"]).ends_with(0);
    assert_ne!(other.stdout, json);
}

#[test]
fn too_few_unanswerable_queries_choose_nothing() {
    let folder = folder(60, |_| 0.1);
    let ran = folder.rankgate(&["--quiet", "floor", "toy.yaml"]).ends_with(1);
    assert_snapshot!(ran.stdout);
    // At 10% and 90% 22 have to choose.
    let ran =
        folder.rankgate(&["--quiet", "floor", "toy.yaml", "--false-answer", "0.1", "--confidence", "0.9"]);
    let ran = ran.ends_with(0);
    assert!(ran.stdout.starts_with("toy: floor of search: "), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_asked_ends_with_2() {
    let folder = folder(60, |_| 0.1);
    for (arguments, expected) in [
        (&["--false-answer", "5"][..], "a share of false answers is above 0 and below 1, not 5"),
        (&["--confidence", "95"], "a confidence is above 0 and below 1, not 95"),
        (&["--for", "serach"], "the spec has no configuration `serach`: there is search"),
    ] {
        let ran = folder.rankgate(&[&["floor", "toy.yaml"], arguments].concat()).ends_with(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    // A query that the run does not have may not have been asked.
    let text = folder.read("search.run");
    let without: String =
        text.lines().filter(|line| !line.starts_with("n7 ")).map(|line| format!("{line}\n")).collect();
    folder.write("search.run", &without);
    let ran = folder.rankgate(&["floor", "toy.yaml"]).ends_with(2);
    assert!(ran.stderr.contains("`search` has no ranking for `n7`, not even an empty one"), "{}", ran.stderr);
}

#[test]
fn lint_finds_limits_that_so_few_queries_cannot_show() {
    let folder = folder(20, |_| 0.1);
    let ran = folder.rankgate(&["--quiet", "lint", "toy.yaml"]).ends_with(0);
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // 1 - 0.025^(1/20) = 0.1684.
    for expected in [
        "with 0 of 20 queries the upper bound is 0.1684",
        "FalseAnswer alone: a system that never answers passes",
        "20 unanswerable",
    ] {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn eval_knows_the_marks_of_queries() {
    let folder = Folder::new();
    folder.write("qrels.txt", "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 0\n");
    let query = |id: &str, rest: &str| format!("{{\"_id\": \"{id}\", \"text\": \"x\"{rest}}}\n");
    let mark = ", \"answerable\": false";
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
