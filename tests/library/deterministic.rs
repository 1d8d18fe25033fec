//! Whether rankings repeat: from answer to answer, and from build to build.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rankgate::benchmark::model::{DeterministicFinding, Finding, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{BoxError, Hit, Query, Setup, report, retriever_fn};

/// Twelve queries, each of which finds fifty documents that tie, in an order that `order` gives each build.
fn decide(
    rest: &str,
    order: impl Fn(usize, Vec<String>) -> Result<Vec<String>, BoxError> + Send + Sync + 'static,
) -> (Report, usize) {
    let folder = tempfile::tempdir().unwrap();
    let queries: String =
        (10..22).map(|n| format!("      - {{id: q{n}, text: question {n}, relevant: [d00]}}\n")).collect();
    let spec = format!(
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n{queries}configurations:\n  mine: {{retriever: \
         mine}}\nmetrics: [R@50]\ndepth: 50\n{rest}"
    );
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, spec).unwrap();
    let builds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&builds);
    let mut registry = Registry::new();
    let build = move |_: &Setup<'_>| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        let documents = order(number, (0..50).map(|n| format!("d{n:02}")).collect())?;
        Ok(retriever_fn(move |_: &Query, depth: usize| {
            Ok(documents.iter().take(depth).map(|id| Hit::new(id.as_str(), 1.0)).collect())
        }))
    };
    registry.retrievers.register("mine", build).unwrap();
    let report = Benchmark::open(&path, &registry).unwrap().run();
    (report, builds.load(Ordering::Relaxed))
}

fn finding(report: &Report) -> &DeterministicFinding {
    match &report.gates[0].finding {
        Finding::Deterministic(finding) => finding,
        other => panic!("{other:?}"),
    }
}

/// As an index does that keeps its documents in a map.
fn by_hash(_: usize, documents: Vec<String>) -> Result<Vec<String>, BoxError> {
    Ok(documents.into_iter().collect::<HashSet<_>>().into_iter().collect())
}

fn as_given(_: usize, documents: Vec<String>) -> Result<Vec<String>, BoxError> {
    Ok(documents)
}

#[test]
fn ties_in_the_order_of_a_map_differ_from_build_to_build() {
    for rest in ["deterministic: true\n", "deterministic: builds\n"] {
        let (report, builds) = decide(rest, by_hash);
        assert_eq!((report.gates[0].verdict, builds), (Verdict::Failed, 2));
        assert_eq!(finding(&report).built.as_deref(), Some("built twice"));
        assert_eq!(finding(&report).differing.len(), 12);
        let message = report::message(&report, &report.gates[0]);
        assert!(message.starts_with("toy: mine ranks differently when built twice\n"), "{message}");
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("A `HashMap` has another order in every build"), "{message}");
    }
}

#[test]
fn answers_of_one_build_are_said_to_be_of_one() {
    let (report, builds) = decide("deterministic: answers\n", by_hash);
    assert_eq!((report.gates[0].verdict, builds), (Verdict::Passed, 1));
    assert_eq!(finding(&report).one_build.as_deref(), Some("of one build, as the spec asks"));
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("12 queries rank the same twice, of one build"), "{text}");
}

#[test]
fn two_builds_that_rank_the_same_pass() {
    let (report, builds) = decide("deterministic: true\n", as_given);
    assert_eq!((report.gates[0].verdict, builds), (Verdict::Passed, 2));
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("12 queries rank the same, built twice"), "{text}");
}

#[test]
fn a_second_build_that_fails_errs_this_gate_and_no_other() {
    let once = |number: usize, documents: Vec<String>| match number {
        0 => Ok(documents),
        _ => Err("the index is locked by another process".into()),
    };
    let rest = "thresholds: [{metric: R@50, min: 0.5}]\ndeterministic: true\n";
    let (report, _) = decide(rest, once);
    let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Passed, Verdict::Error]);
    assert_eq!(
        report.gates[1].finding.undecided_reason().unwrap(),
        "when it was built a second time: could not be set up: the index is locked by another process"
    );
}
