//! What is said of specs and suites that are examined.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rankgate::benchmark::{Benchmark, Registry};
use rankgate::standalone::Standalone;
use rankgate::{Hit, Query, retriever_fn};
use rankgate_cli::health::{Finding, examine_benchmark, examine_suite};

const SPEC: &str = "version: 1
benchmark: toy
golden: golden
collection:
  inline:
    documents: {r: relevant, n1: noise}
    queries: [{id: q01, text: question, relevant: {r: 1}}, {id: q02, text: question, relevant: {r: 1}}]
configurations:
  new: {run: mine.run, order: rank}
metrics: [RR@10]
comparisons:
  - {candidate: new, baseline: golden, metrics: [RR@10]}
";

fn findings(spec: &Path) -> Vec<Finding> {
    let benchmark = Benchmark::open(spec, &Registry::new()).unwrap();
    examine_benchmark(&benchmark).unwrap().findings
}

fn find<'a>(findings: &'a [Finding], code: &str) -> Option<&'a Finding> {
    findings.iter().find(|one| one.code == code)
}

#[test]
fn golden_files_that_belong_to_nobody_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("toy.yaml", SPEC);
    write("mine.run", "q01 Q0 r 1 9 run\nq02 Q0 r 1 9 run\n");
    fs::create_dir_all(folder.path().join("golden/toy")).unwrap();
    write("golden/toy/older.run", "");
    write("golden/toy/older.snap", "");
    let spec = folder.path().join("toy.yaml");
    let found = findings(&spec);
    let orphans = find(&found, "orphaned-golden-files").unwrap();
    assert_eq!((orphans.count, orphans.examples.len()), (2, 2));
    fs::remove_dir_all(folder.path().join("golden/toy")).unwrap();
    fs::create_dir(folder.path().join("golden/toy")).unwrap();
    write("golden/toy/new@v1.2.run", "");
    let found = findings(&spec);
    assert_eq!(find(&found, "unnamed-anchors").unwrap().count, 1);
    assert!(find(&found, "orphaned-golden-files").is_none(), "{found:?}");
}

#[test]
fn the_number_of_topics_is_asked_for_where_nothing_else_says_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let ids: Vec<String> = (0..20).map(|query| format!("q{query:02}")).collect();
    write("topics.tsv", &ids.iter().map(|id| format!("{id}\tx\n")).collect::<String>());
    write("qrels.txt", &ids[..4].iter().map(|id| format!("{id} 0 {id}-0 1\n")).collect::<String>());
    fs::create_dir_all(folder.path().join("data/qrels")).unwrap();
    write(
        "data/queries.jsonl",
        &ids.iter().map(|id| format!("{{\"_id\": \"{id}\", \"text\": \"x\"}}\n")).collect::<String>(),
    );
    let judged = ids.iter().map(|id| format!("{id}\t{id}-0\t1\n")).collect::<String>();
    write("data/qrels/test.tsv", &format!("query-id\tcorpus-id\tscore\n{judged}"));
    write("old.run", &ids.iter().map(|id| format!("{id} Q0 {id}-0 1 1 x\n")).collect::<String>());
    let advice = |collection: &str| {
        let text = format!(
            "version: 1\nbenchmark: toy\ncollection: {{{collection}}}\nconfigurations:\n  old: {{run: \
             old.run}}\nthresholds:\n  - {{metric: RR@10, min: 0.1}}\n"
        );
        write("lint.yaml", &text);
        let found = findings(&folder.path().join("lint.yaml"));
        find(&found, "judged-queries-not-counted").map(|one| one.advice.clone())
    };
    let trec = "trec: {queries: topics.tsv, qrels: qrels.txt}";
    assert!(advice(trec).unwrap().starts_with("pin the file"));
    assert_eq!(advice("beir: data"), None);
}

/// `new` finds the relevant document first and `old` second, of two of ten queries third and fourth; in `broken` `new`
/// cannot be built.
fn registry() -> Registry {
    let mut registry = Registry::new();
    for (name, rank) in [("new", 1), ("old", 2)] {
        let build = move |setup: &rankgate::Setup<'_>| -> Result<_, rankgate::BoxError> {
            if setup.benchmark() == "broken" && rank == 1 {
                return Err("the index is gone".into());
            }
            Ok(retriever_fn(move |query: &Query, _| {
                // Queries differ, so that differences have a spread.
                let others = if query.id.ends_with(['3', '8']) { 2 } else { 0 };
                let mut hits = vec![Hit::new("x", 9.0), Hit::new("y", 8.0), Hit::new("z", 7.0)];
                hits.truncate(rank - 1 + others);
                hits.push(Hit::new("d", 1.0));
                Ok(hits)
            }))
        };
        registry.retrievers.register(name, build).unwrap();
    }
    registry
}

/// What lint finds of a suite over benchmarks with so many queries.
fn lint(members: &[(&str, usize)], gates: &str) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    for (name, queries) in members {
        let mut text = format!("version: 1\nbenchmark: {name}\ncollection:\n  inline:\n    queries:\n");
        for query in 0..*queries {
            writeln!(text, "      - {{id: q{query}, text: x, relevant: [d]}}").unwrap();
        }
        text += "configurations:\n  old: {retriever: old}\n  new: {retriever: new}\nmetrics: [RR@10]\n";
        fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
    }
    let files: Vec<String> = members.iter().map(|(name, _)| format!("{name}.yaml")).collect();
    let text = format!("version: 1\nsuite: all\nbenchmarks: [{}]\n{gates}", files.join(", "));
    fs::write(folder.path().join("all.yaml"), text).unwrap();
    let suite = Standalone::new().registry(registry()).open_suite(folder.path().join("all.yaml")).unwrap();
    examine_suite(&suite)
}

#[test]
fn gates_of_a_suite_are_told_apart_by_what_they_can_decide() {
    let gain = "comparisons:\n  - {candidate: new, baseline: old, metric: RR@10, expect: improvement}\n";
    let limit = "thresholds:\n  - {metric: RR@10, min: 0.86, for: [new]}\n";
    let found = lint(&[("a", 40), ("b", 5), ("c", 40)], limit);
    assert_eq!((found.len(), found[0].code.as_str()), (1, "suite-limit-within-interval"));
    assert!(found[0].examples[0].note.starts_with("min 0.86 in [0."), "{found:?}");
    let found = lint(&[("a", 40), ("broken", 5)], gain);
    assert_eq!((found.len(), found[0].code.as_str()), (1, "suite-gate-errored"));
}

#[test]
fn a_gate_that_cannot_fail_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let queries: Vec<String> =
        (0..8).map(|query| format!("{{id: q{query}, text: question {query}, relevant: {{r: 1}}}}")).collect();
    write(
        "toy.yaml",
        &format!(
            "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    documents: {{r: relevant}}\n    queries: [{}]\n\
             configurations:\n  one: {{run: one.run}}\n  two: {{run: one.run}}\nmetrics: [Success@1]\nthresholds:\n  \
             - {{metric: Success@1, min: 0, for: [one]}}\ncomparisons:\n  \
             - {{candidate: one, baseline: two, metrics: [Success@1], expect: improvement}}\n",
            queries.join(", ")
        ),
    );
    let line = |query| format!("q{query} Q0 {} 1 1 run\n", if query < 4 { "r" } else { "n" });
    write("one.run", &(0..8).map(line).collect::<String>());
    let found = findings(&folder.path().join("toy.yaml"));
    assert!(find(&found, "limit-never-broken").is_some(), "{found:?}");
    // Both sides are the same: there is no p-value of a difference.
    let note = &find(&found, "too-few-differ").unwrap().examples[0].note;
    assert!(note.starts_with("the two sides differ on no query"), "{note}");
}
