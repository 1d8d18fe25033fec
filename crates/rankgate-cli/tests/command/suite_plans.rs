//! `rankgate power --suite`: how many queries the collections of a suite take.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli;

/// Two collections, `few` of 12 and `many` of 60 queries. `old` finds the relevant document at ranks 1 to 3; `new` finds that of
/// every third query at rank 1, and of every seventh at rank 3.
fn suite(folder: &Path, statistics: &str) {
    let mut benchmarks = Vec::new();
    for (name, queries) in [("few", 12), ("many", 60)] {
        let (mut topics, mut judgments) = (String::new(), String::new());
        let mut runs = [String::new(), String::new()];
        for query in 0..queries {
            writeln!(topics, "q{query}\ttext {query}").unwrap();
            writeln!(judgments, "q{query} 0 d 1").unwrap();
            let old = 1 + query % 3;
            let new = match query {
                _ if query % 3 == 1 => 1,
                _ if query % 7 == 0 => 3,
                _ => old,
            };
            for (run, rank) in runs.iter_mut().zip([old, new]) {
                for place in 1..=3 {
                    let document = if place == rank { "d".to_owned() } else { format!("x{place}") };
                    writeln!(run, "q{query} Q0 {document} {place} {} t", 9 - place).unwrap();
                }
            }
        }
        fs::write(folder.join(format!("{name}.tsv")), topics).unwrap();
        fs::write(folder.join(format!("{name}.qrels")), judgments).unwrap();
        for (side, run) in ["old", "new"].into_iter().zip(runs) {
            fs::create_dir_all(folder.join(side)).unwrap();
            fs::write(folder.join(format!("{side}/{name}.run")), run).unwrap();
        }
        let spec = format!(
            "version: 1\nbenchmark: {name}\ncollection:\n  trec: {{queries: {name}.tsv, qrels: {name}.qrels}}\n\
             configurations:\n  a: {{run: old/{name}.run}}\nmetrics: RR\n"
        );
        fs::write(folder.join(format!("{name}.yaml")), spec).unwrap();
        benchmarks.push(format!("{name}.yaml"));
    }
    let text = format!(
        "version: 1\nsuite: all\nbenchmarks: [{}]\nmetrics: RR\nthresholds: [{{metric: RR, min: 0.1, for: a}}]\n{statistics}",
        benchmarks.join(", ")
    );
    fs::write(folder.join("all.yaml"), text).unwrap();
}

fn power(folder: &Path, more: &str) -> cli::Output {
    let line = format!("power --suite all.yaml old new -m RR {more}");
    let arguments: Vec<&str> = line.split_whitespace().collect();
    cli::run(folder, &arguments, "")
}

fn plan(folder: &Path, more: &str) -> Value {
    let ran = power(folder, &format!("{more} --format json"));
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn numbers(of: &Value) -> Vec<u64> {
    of.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

#[test]
fn each_collection_of_a_suite_is_told_its_number_of_queries() {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path(), "");
    let planned = plan(folder.path(), "--effect 0.2 --effect 0.1");
    let [large, small] = [0, 1].map(|at| &planned["needed"][at]);
    let power = |of: &Value| of["power"].as_f64().unwrap();
    assert!(power(large) > power(small), "{planned}");
    let alike = numbers(&small["proportional"]);
    // 12 to 60, within rounding.
    assert!(alike[1].abs_diff(5 * alike[0]) <= 3 && alike[0] > 12, "{planned}");
    let most = numbers(&small["optimal"]);
    // Both count alike, so the few are what lacks.
    assert!(most[0] > 12 && most[1] >= 60 && most.iter().sum::<u64>() < alike.iter().sum(), "{planned}");
    let harmless = plan(folder.path(), "--effect 0.1 --harm-at-most 0.05");
    let harmless = numbers(&harmless["needed"][0]["optimal"]);
    assert!(harmless.iter().sum::<u64>() > most.iter().sum(), "{harmless:?} {most:?}");

    let ran = self::power(folder.path(), "--effect 0.1");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "all: RR on old and new, improvement: 2 collections, 72 queries, 95% confidence (two-sided), power 0.8",
        "all collections grow alike",
        "queries where they add most to the power",
        " few 50% ",
    ] {
        assert!(text.contains(said), "{said}\n{}", ran.stdout);
    }
}

#[test]
fn what_a_suite_cannot_be_planned_for_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    suite(folder.path(), "");
    let refused = |more: &str, said: &str| {
        let ran = power(folder.path(), more);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{more}");
        assert!(ran.stderr.contains(said), "{more}\n{}", ran.stderr);
    };
    refused("--harm-at-most 0", "--harm-at-most is an amount above 0, not 0");
    refused("--effect 2", "no effect on RR is as large as 2");
    refused(
        "--confidence 0.9",
        "the argument '--suite <SUITE>' cannot be used with '--confidence <CONFIDENCE>'",
    );
    refused("--relevant-from 2", "cannot be used with");
    fs::remove_file(folder.path().join("new/few.run")).unwrap();
    refused("", "there is no run of few: looked for new/few.run");
    suite(folder.path(), "statistics: {test: bootstrap}\n");
    refused("", "the suite decides by the bootstrap");
}
