//! Thirty runs side by side: a row each, on screens of any width.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::path::Path;

use crate::cli;

/// What the command prints where somebody says how wide the terminal is.
fn run_at(columns: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", columns)
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with judgments of 30 queries and 30 runs that answer 29, `v29.run` the best and `v00.run` the worst.
fn thirty_runs() -> (tempfile::TempDir, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let qrels: String = (0..30).map(|query| format!("q{query} 0 d{query} 1\n")).collect();
    std::fs::write(dir.path().join("qrels.txt"), qrels).unwrap();
    let names: Vec<String> = (0..30).map(|variant| format!("v{variant:02}.run")).collect();
    for (variant, name) in names.iter().enumerate() {
        let line = |(query, place): (usize, usize)| {
            // The better the variant, the more queries have their document first.
            let document = if place == usize::from(query >= variant) { query } else { 100 + place };
            format!("q{query} Q0 d{document} {} {} t\n", place + 1, 9 - place)
        };
        let run: String = (0..29).flat_map(|query| [(query, 0), (query, 1)]).map(line).collect();
        std::fs::write(dir.path().join(name), run).unwrap();
    }
    (dir, names)
}

/// The best of thirty runs is the first row, every run is one row, and no line is wider than it may be.
#[test]
fn many_runs_are_a_row_each_and_the_best_comes_first() {
    let (dir, names) = thirty_runs();
    let mut arguments = vec!["eval", "qrels.txt"];
    arguments.extend(names.iter().map(String::as_str));
    let output = cli::run(dir.path(), &arguments, "");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[3].starts_with("v29.run"), "{}", output.stdout);
    assert!(lines[32].starts_with("v00.run"), "{}", output.stdout);
    assert!(lines.len() < 40 && lines.iter().all(|line| line.chars().count() <= 80), "{}", output.stdout);
    assert!(
        output.stderr.contains("30 of 30 runs: judged queries without an answer: up to 1, of v00.run"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.lines().count() <= 5, "{}", output.stderr);
}

/// The decisive numbers of thirty candidates are on one screen each metric; what is behind one of them is
/// shown where it is asked for; a wide terminal is used.
#[test]
fn many_candidates_are_a_line_each_and_details_are_shown_when_asked_for() {
    let (dir, names) = thirty_runs();
    let mut arguments = vec!["compare", "qrels.txt", "v15.run", "-m", "RR@10"];
    arguments.extend(names.iter().map(String::as_str).filter(|name| *name != "v15.run"));
    let told = cli::run(dir.path(), &arguments, "").stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("RR@10, 29 candidates against v15.run: "), "{told}");
    assert!(lines[2].starts_with("v29.run") && lines[2].ends_with("not significant"), "{told}");
    assert!(lines.iter().any(|line| line.starts_with("v15.run") && line.ends_with("baseline")), "{told}");
    assert!(lines.len() < 60 && lines.iter().all(|line| line.chars().count() <= 80), "{told}");
    assert!(!told.contains("query by query"), "{told}");

    // Ten candidates are many as well.
    let ten = &arguments[..15];
    let wide = run_at("200", dir.path(), ten);
    let header = wide.lines().nth(1).unwrap();
    for column in ["candidate", "mean", "diff", "95% CI", "p adj.", "W/L", "verdict"] {
        assert!(header.contains(column), "{wide}");
    }
    let all = cli::run(dir.path(), &[ten, &["--all"]].concat(), "").stdout;
    assert_eq!(all.matches("query by query").count(), 10, "{all}");
    let csv = cli::run(dir.path(), &[ten, &["--format", "csv"]].concat(), "").stdout;
    assert_eq!(csv.lines().count(), 11, "{csv}");
}

/// Two documents on one subtopic, and one on two: values by hand.
#[test]
fn subtopics_are_scored_and_compared() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("qrels.txt", "q1 1 a 1\nq1 1 b 1\nq1 2 c 1\nq2 1 a 1\nq2 2 a 1\n");
    write("one.run", "q1 Q0 a 1 9 x\nq1 Q0 b 2 8 x\nq2 Q0 a 1 9 x\n");
    write("two.run", "q1 Q0 a 1 9 x\nq1 Q0 c 2 8 x\nq2 Q0 a 1 9 x\n");
    let output =
        cli::run(dir.path(), &["eval", "qrels.txt", "one.run", "StRecall@2", "--format", "json"], "");
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["mean"]["StRecall@2"], 0.75, "{}", output.stderr);
    let arguments = ["compare", "qrels.txt", "one.run", "two.run", "-m", "StRecall@2"];
    let output = cli::run(dir.path(), &[&arguments[..], &["--format", "json"]].concat(), "");
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["comparisons"][0]["difference"], 0.25, "{}", output.stderr);
}

/// The geometric mean of 1/4 and of a query without a hit, which counts as 0.00001.
#[test]
fn the_geometric_mean_is_that_of_trec_eval() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("qrels.txt"), "q1 0 a 1\nq2 0 a 1\n").unwrap();
    std::fs::write(
        dir.path().join("one.run"),
        "q1 Q0 x 1 9 x\nq1 Q0 y 2 8 x\nq1 Q0 z 3 7 x\nq1 Q0 a 4 6 x\nq2 Q0 x 1 9 x\n",
    )
    .unwrap();
    let eval = |more: &[&str]| {
        cli::run(dir.path(), &[&["eval", "qrels.txt", "one.run", "-m", "gm_map"], more].concat(), "")
    };
    // exp((ln .25 + ln .00001) / 2)
    let output = eval(&["--format", "trec_eval", "--per-query"]);
    assert_eq!(output.stdout, "gm_map                \tall\t0.0016\n", "{}", output.stderr);
    let json: serde_json::Value = serde_json::from_str(&eval(&["--format", "json"]).stdout).unwrap();
    let value = json["mean"]["GMAP"].as_f64().unwrap();
    assert!((value - 0.001_581_138_830_084_19).abs() < 1e-12, "{value}");
    let limits = &json["interval"]["GMAP"];
    assert!(limits[0].as_f64().unwrap() < value && value < limits[1].as_f64().unwrap(), "{limits}");
    // Gates are of arithmetic means.
    let spec = "version: 1\nbenchmark: toy\ncollection: {inline: {queries: [{id: q1, text: x, relevant: [a]}]}}\n\
                configurations: {mine: {run: one.run}}\nthresholds: [{metric: gm_map, min: 0.1}]\n";
    std::fs::write(dir.path().join("toy.yaml"), spec).unwrap();
    let output = cli::run(dir.path(), &["run", "toy.yaml"], "");
    assert!(
        output.status == Some(2) && output.stderr.contains("GMAP is a geometric mean"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("toy.yaml:5"), "{}", output.stderr);
    let output = eval(&["--write-scores", "scores.csv"]);
    assert!(
        output.status == Some(2) && output.stderr.contains("GMAP is a geometric mean"),
        "{}",
        output.stderr
    );
}
