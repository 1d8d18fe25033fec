//! `rankgate lint` of specs: gates that cannot decide with their queries, and saturated metrics.

use serde_json::Value;

use crate::folder::{Folder, benchmark};

#[test]
fn a_spec_is_told_what_its_queries_cannot_show() {
    let folder = benchmark(
        24,
        "thresholds:\n  - {metric: RR@10, min: 0.65}\n  - {metric: RR@10, min: 0.3, segment: {size: small}, for: [new]}\n\
         comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10], expect: non-inferiority, margin: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [nDCG@10], margin: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], expect: improvement, margin: 0.01, name: gain}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], segment: {size: small}}\n",
    );
    insta::assert_snapshot!(folder.session(&["lint spec.yaml"]));
}

#[test]
fn limits_that_nothing_breaks_are_problems() {
    let folder = Folder::new().with("mine.run", "q1 Q0 d1 1 2 x\n").with(
        "toy.yaml",
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n    - {id: q1, text: a, relevant: {d1: 1}}\n\
         configurations:\n  mine: {run: mine.run}\nthresholds:\n  - {metric: RR@10, min: 0}\n  \
         - {metric: P@10, max: 1}\n  - {metric: R@10, min: 0, max: 0.9}\n",
    );
    let said = folder.run("lint toy.yaml").stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 gates can never fail: their limits are the ends"), "{said}");
    assert!(said.contains("toy::mine::RR@10 RR@10 is from 0 to 1, line 10"), "{said}");
}

#[test]
fn gates_that_no_data_could_decide_are_problems() {
    let folder = benchmark(
        4,
        "comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10, nDCG@10], expect: improvement}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], name: drop}\n",
    );
    let ran = folder.run("lint spec.yaml --deny problem --format json");
    assert_eq!(ran.code, Some(1));
    let health: Value = serde_json::from_str(&ran.stdout).unwrap();
    let note = |code: &str| {
        let finding = health["findings"].as_array().unwrap().iter().find(|one| one["code"] == code).unwrap();
        finding["examples"][0]["note"].as_str().unwrap().to_owned()
    };
    // 2 * 2^-4 = 0.125.
    assert_eq!(
        note("gate-cannot-pass"),
        "the smallest p on 4 queries is 0.1250 times 2 comparisons, the level 0.05, line 10"
    );
    assert_eq!(note("gate-cannot-fail"), "the smallest p on 4 queries is 0.1250, the level 0.05, line 11");
}

/// An index compared with exact search: judgments would decide nothing.
#[test]
fn rankings_that_are_compared_need_no_judgments() {
    let spec = |gate: &str| {
        format!(
            "version: 1\nbenchmark: nearest\ncollection: {{inline: {{queries: [{{id: q1, text: a}}]}}}}\n\
             configurations: {{exact: {{run: exact.run}}, hnsw: {{run: hnsw.run}}}}\n{gate}\n"
        )
    };
    let overlap = "comparisons: [{candidate: hnsw, baseline: exact, expect: overlap, cutoff: 2, min: 0.9}]";
    let folder = Folder::new()
        .with("exact.run", "q1 Q0 d1 1 2 x\nq1 Q0 d2 2 1 x\n")
        .with("hnsw.run", "q1 Q0 d1 1 2 x\nq1 Q0 d3 2 1 x\n")
        .with("overlap.yaml", &spec(overlap))
        .with("ndcg.yaml", &spec("thresholds: [{metric: nDCG@2, min: 0.9}]"));
    assert!(!folder.run("lint overlap.yaml --format json").stdout.contains("no-judgments"));
    assert!(folder.run("lint ndcg.yaml --format json").stdout.contains("no-judgments"));
    let failed = folder.run("run overlap.yaml").stdout;
    assert!(failed.contains("overlap@2  0.5000"), "{failed}");
    assert!(failed.contains("0.500, rank 2"), "{failed}");
}
