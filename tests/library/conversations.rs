//! Queries that are turns of conversations, from the spec to retrievers and statistics.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use rankgate::benchmark::model::{Finding, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Error, Hit, Query, report, retriever_fn};

use crate::reports::joined;

/// Six conversations of three turns: each begins with its own question, and asks for the same of `d2` and `d3`.
fn turns() -> String {
    let line = |conversation: u32, turn: u32| {
        format!(
            "{{\"id\": \"c{conversation}-{turn}\", \"text\": \"turn {turn}\", \"conversation\": \"c{conversation}\", \"turn\": {turn}, \
             \"reference\": \"answer {turn} of {conversation}\", \"relevant\": [\"d{turn}\"]}}\n"
        )
    };
    // In another order than they were asked in.
    (1..=3).rev().flat_map(|turn| (1..=6).map(move |conversation| line(conversation, turn))).collect()
}

const SPEC: &str = "version: 1
benchmark: assistant
collection:
  jsonl: turns.jsonl
  turns: {conversation: conversation, answer: reference}
configurations:
  mine: {retriever: mine}
thresholds:
  - {metric: RR, min: 0.2}
";

/// What a retriever was asked, each time the query's id and all that it had to go by.
type Requests = Arc<Mutex<Vec<String>>>;

/// Returns the first `n` documents in turn `n`, and keeps what it was asked.
fn registry(asked: &Requests) -> Registry {
    let mut registry = Registry::new();
    let asked = Arc::clone(asked);
    let build = move |_: &rankgate::Setup<'_>| {
        let asked = Arc::clone(&asked);
        Ok(retriever_fn(move |query: &Query, _: usize| {
            asked.lock().unwrap().push(format!("{}\n{}", query.id, query.in_conversation()));
            Ok((0..=query.history.len())
                .map(|at| Hit::new(format!("d{}", at + 1), -(at as f64)))
                .collect::<Vec<_>>())
        }))
    };
    registry.retrievers.register("mine", build).unwrap();
    registry
}

fn open(folder: &Path, spec: &str, turns: &str) -> Result<(Benchmark, Requests), Error> {
    std::fs::write(folder.join("turns.jsonl"), turns).unwrap();
    let path = folder.join("assistant.yaml");
    std::fs::write(&path, spec).unwrap();
    let asked = Requests::default();
    Ok((Benchmark::open(&path, &registry(&asked))?, asked))
}

fn groups(report: &Report) -> Option<usize> {
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
    match &report.gates[0].finding {
        Finding::Threshold(threshold) => threshold.measured.groups,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_is_asked_with_those_before_it_and_conversations_are_the_units() {
    let folder = tempfile::tempdir().unwrap();
    let (benchmark, asked) = open(folder.path(), SPEC, &turns()).unwrap();
    let report = benchmark.run();
    // The mean over turns of 1, 1/2 and 1/3 needs the history of each: without one all turns find `d1` alone.
    let Finding::Threshold(threshold) = &report.gates[0].finding else { panic!() };
    assert!((threshold.measured.value - (1.0 + 0.5 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
    assert_eq!(groups(&report), Some(6));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 18);
    assert!(asked.contains(&"c4-1\nturn 1".to_owned()));
    let third = "c4-3\nEarlier turns of the conversation:\nuser: turn 1\nassistant: answer 1 of 4\nuser: turn 2\nassistant: answer 2 \
                 of 4\n\nThe query:\nturn 3";
    assert!(asked.contains(&third.to_owned()), "{asked:?}");
}

#[test]
fn a_message_shows_what_was_asked_before_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let (benchmark, _) = open(folder.path(), &SPEC.replace("0.2", "0.9"), &turns()).unwrap();
    let report = benchmark.run();
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    let message = joined(&report::message(&report, &report.gates[0]));
    assert!(message.contains("c1-3 … turn 2 … turn 3 0.333"), "{message}");
    let Outcome::Measured(measured) = &report.configurations[0].outcome else { panic!("{report:?}") };
    let shown = |id: &str| measured.queries.iter().find(|query| query.id == id).unwrap().text.clone();
    assert_eq!(["c1-1", "c1-2", "c1-3"].map(shown), ["turn 1", "turn 1 … turn 2", "… turn 2 … turn 3"]);
}

#[test]
fn a_cluster_that_the_spec_names_stands_before_the_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let spec = format!("{SPEC}statistics: {{cluster: turn}}\n");
    assert_eq!(groups(&open(folder.path(), &spec, &turns()).unwrap().0.run()), Some(3));
}

#[test]
fn another_answer_to_an_earlier_turn_is_another_collection() {
    let sha256 = |turns: &str| {
        let folder = tempfile::tempdir().unwrap();
        let (benchmark, _) = open(folder.path(), SPEC, turns).unwrap();
        benchmark.collection().unwrap().queries_sha256().to_owned()
    };
    assert_ne!(sha256(&turns()), sha256(&turns().replace("answer 1 of 4", "no answer")));
}

#[test]
fn a_turn_whose_earlier_ones_are_missing_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let without: String =
        turns().lines().filter(|line| !line.contains("c4-2")).map(|line| format!("{line}\n")).collect();
    let report = open(folder.path(), SPEC, &without).unwrap().0.run();
    assert_eq!(report.gates[0].verdict, Verdict::Errored);
    let message = joined(&report::message(&report, &report.gates[0]));
    assert!(message.contains("turn 3 of conversation `c4`, whose turn 2 no query is"), "{message}");
}
