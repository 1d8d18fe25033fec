//! Queries that should find nothing, end to end: false answers and false silences.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

/// Twenty queries with an answer, and twenty without.
fn collection() -> String {
    let answerable =
        (0..20).map(|at| format!("      - {{id: a{at}, text: 'ask {at}', relevant: [d{at}]}}\n"));
    let others =
        (0..20).map(|at| format!("      - {{id: n{at}, text: 'beyond {at}', unanswerable: true}}\n"));
    let queries: String = answerable.chain(others).collect();
    format!("version: 1\nbenchmark: silence\ncollection:\n  inline:\n    queries:\n{queries}")
}

/// What stands for queries in these tests: the number at the end of a query's id.
fn number(query: &Query) -> f64 {
    query.id[1..].parse().unwrap()
}

fn registry() -> Registry {
    let mut registry = Registry::new();
    // It finds what is there, with a score of 0.5 and more, and something of less for what is not there.
    let scored = |query: &Query, _: usize| {
        let at = number(query);
        Ok(match query.id.starts_with('a') {
            true => vec![Hit::new(format!("d{at}"), 0.5 + at / 100.0), Hit::new("other", 0.2)],
            false => vec![Hit::new("other", at / 50.0), Hit::new("another", -1.0)],
        })
    };
    registry.retrievers.register("scored", move |_| Ok(retriever_fn(scored))).unwrap();
    let always = |query: &Query, _: usize| Ok(vec![Hit::new(format!("d{}", number(query)), 0.9)]);
    registry.retrievers.register("always", move |_| Ok(retriever_fn(always))).unwrap();
    registry.retrievers.register("never", |_| Ok(retriever_fn(|_: &Query, _| Ok(vec![])))).unwrap();
    registry
}

fn open(folder: &Path, text: &str) -> Result<Benchmark, String> {
    let path = folder.join("silence.yaml");
    std::fs::write(&path, text).unwrap();
    Benchmark::open(&path, &registry()).map_err(|error| error.to_string())
}

fn decide(rest: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), &(collection() + rest)).unwrap_or_else(|error| panic!("{error}")).run()
}

/// The text without its line breaks.
fn shown(report: &Report) -> String {
    report::text(report).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The message of a gate without the place of its spec, which is another folder every time.
fn message(report: &Report, gate: usize) -> String {
    let message = report::message(report, &report.gates[gate]);
    message.lines().filter(|line| !line.contains("this gate:")).collect::<Vec<_>>().join("\n")
}

/// The value that a threshold is held against.
fn value(gate: &GateReport) -> f64 {
    let Finding::Threshold(finding) = &gate.finding else { panic!("{gate:?}") };
    finding.measured.value
}

fn verdicts(report: &Report) -> Vec<(&str, &str, Verdict)> {
    let verdict = |gate: &'static str, one: &'_ str| one.contains(gate).then_some(gate);
    let rows = report.gates.iter().map(|gate| {
        let metric =
            verdict("FalseAnswer", &gate.name).or(verdict("FalseSilence", &gate.name)).unwrap_or("other");
        (gate.configuration.as_str(), metric, gate.verdict)
    });
    rows.collect()
}

#[test]
fn always_answer_and_never_answer_both_fail() {
    let report = decide(
        "configurations: {always: {retriever: always}, never: {retriever: never}}
thresholds:
  - {metric: FalseAnswer, max: 0.2, bound: upper}
  - {metric: FalseSilence, max: 0.2, bound: upper}
",
    );
    use Verdict::{Failed, Passed};
    assert_eq!(
        verdicts(&report),
        [
            ("always", "FalseAnswer", Failed),
            ("never", "FalseAnswer", Passed),
            ("always", "FalseSilence", Passed),
            ("never", "FalseSilence", Failed),
        ]
    );
    // Both rates are limited, so that nothing is to be said of one alone.
    assert!(!shown(&report).contains("passes this gate"), "{}", shown(&report));
    // One always answers, the other never does: so it is for each of the twenty queries without an answer.
    for (name, score) in [("always", 1.0), ("never", 0.0)] {
        let configuration = report.configurations.iter().find(|one| one.name == name).unwrap();
        let Outcome::Measured(measured) = &configuration.outcome else { panic!("{configuration:?}") };
        let scores =
            measured.unanswerable.iter().map(|query| (query.text.as_str(), query.scores["FalseAnswer"]));
        assert_eq!((scores.clone().count(), scores.clone().find(|(_, one)| *one != score)), (20, None));
        assert!(scores.into_iter().any(|(text, _)| text == "beyond 7"));
    }
}

#[test]
fn answers_that_change_where_there_is_none_are_not_repeatable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("silence.yaml");
    let rest = "configurations: {mine: {retriever: mine}}\ndeterministic: true\n";
    std::fs::write(&path, collection() + rest).unwrap();
    let mut registry = registry();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let search = std::sync::Arc::new(move |query: &Query, _: usize| {
        let time = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let found =
            if query.id.starts_with('a') { format!("d{}", number(query)) } else { format!("x{time}") };
        Ok(vec![Hit::new(found, 1.0)])
    });
    registry
        .retrievers
        .register("mine", move |_| {
            let search = std::sync::Arc::clone(&search);
            Ok(retriever_fn(move |query: &Query, depth| search(query, depth)))
        })
        .unwrap();
    let report = Benchmark::open(&path, &registry).unwrap().run();
    assert_eq!(report.gates[0].verdict, Verdict::Failed, "{}", shown(&report));
    assert!(message(&report, 0).contains("20 of 40 queries"), "{}", message(&report, 0));
}

#[test]
fn what_holds_of_all_results_says_that_it_leaves_out_queries_without_an_answer() {
    let report = decide(
        "configurations: {always: {retriever: always}}\nthresholds: [{metric: NumRet, max: 1}, {metric: RR, min: 0.1}]\n",
    );
    let text = shown(&report);
    assert!(
        text.contains("20 unanswerable queries are left out: NumRet says nothing of what they return"),
        "{text}"
    );
    assert!(!text.contains("RR says nothing"), "{text}");
}

#[test]
fn a_gate_on_one_rate_alone_says_what_passes_it() {
    for (metric, expected) in [
        (
            "FalseAnswer",
            "no gate limits FalseSilence of `never`: a system that never answers passes this gate",
        ),
        (
            "FalseSilence",
            "no gate limits FalseAnswer of `never`: a system that always answers passes this gate",
        ),
    ] {
        let report = decide(&format!(
            "configurations: {{never: {{retriever: never}}}}\nthresholds: [{{metric: {metric}, max: 1}}]\n"
        ));
        assert_eq!(report.gates[0].verdict, Verdict::Passed);
        let text =
            report::message(&report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn unanswerable_queries_are_no_part_of_other_metrics() {
    let report = decide(
        "configurations: {scored: {retriever: scored}}
metrics: [RR, FalseAnswer, FalseSilence]
thresholds: [{metric: FalseAnswer, max: 0.1}]
",
    );
    let Outcome::Measured(measured) = &report.configurations[0].outcome else { panic!("{report:?}") };
    let rows: Vec<(&str, f64, Option<[f64; 2]>)> =
        measured.metrics.iter().map(|one| (one.metric.as_str(), one.value, one.interval)).collect();
    assert_eq!((rows[0].0, rows[0].1), ("RR", 1.0), "a mean over the 20 that have an answer");
    assert_eq!((rows[1].0, rows[1].1), ("FalseAnswer", 1.0));
    // Clopper and Pearson of 20 of 20: .025^(1/20).
    let low = rows[1].2.unwrap()[0];
    assert!((low - 0.025f64.powf(1.0 / 20.0)).abs() < 1e-9, "{low}");
    assert_eq!((rows[2].0, rows[2].1), ("FalseSilence", 0.0));
    assert_eq!((measured.queries.len(), report.collection.as_ref().unwrap().unanswerable), (20, 20));
    let text = shown(&report);
    assert!(
        text.contains("20 unanswerable queries are measured by FalseAnswer and MissedRefusal alone"),
        "{text}"
    );
    insta::assert_snapshot!(message(&report, 0));
}

#[test]
fn what_cannot_be_is_an_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let problem = |collection: &str, rest: &str| {
        open(folder.path(), &format!("{collection}{rest}")).map(drop).unwrap_err()
    };
    let all = collection();
    let one = |query: &str| {
        format!("version: 1\nbenchmark: silence\ncollection:\n  inline:\n    queries:\n      - {query}\n")
    };
    let search = "configurations: {a: {retriever: always}}\n";
    let gate = "thresholds: [{metric: RR, min: 0.5}]\n";
    for (collection, rest, expected) in [
        (
            &all,
            format!("{search}thresholds: [{{metric: FalseAnswer, min: 0.5}}]\n"),
            "less of FalseAnswer is better, and this demands more",
        ),
        (
            &all,
            format!("{search}comparisons: [{{candidate: a, baseline: golden, metrics: [FalseSilence]}}]\n"),
            "less of FalseSilence is better, and a comparison takes more for better",
        ),
        (
            &one("{id: q1, text: a, relevant: [d1], unanswerable: true}"),
            format!("{search}{gate}"),
            "query `q1` is marked as unanswerable, and document `d1` has grade 1 for it",
        ),
        (
            &one("{id: q1, text: a, unanswerable: no}"),
            format!("{search}{gate}"),
            "`unanswerable` is `\"no\"`: true or false was expected",
        ),
        (
            &one("{id: q1, text: a, relevant: {}}"),
            format!("{search}{gate}"),
            "`unanswerable: true` says that no document answers it",
        ),
    ] {
        let error = problem(collection, &rest);
        assert!(error.contains(expected), "{rest}\n{error}");
    }
    // No query is unanswerable: that is known once the collection is read.
    let text =
        one("{id: a1, text: a, relevant: [d1]}") + search + "thresholds: [{metric: FalseAnswer, max: 0.5}]\n";
    let report = open(folder.path(), &text).unwrap().run();
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    assert!(
        shown(&report).contains("FalseAnswer needs unanswerable queries: mark them"),
        "{}",
        shown(&report)
    );
    // All are.
    let text = one("{id: a1, text: a, relevant: {}, unanswerable: true}") + search + gate;
    let report = open(folder.path(), &text).unwrap().run();
    assert!(
        shown(&report).contains("all queries are unanswerable: add some that have an answer"),
        "{}",
        shown(&report)
    );
}

#[test]
fn segments_and_golden_runs_have_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version: 1
benchmark: silence
collection:
  inline:
    queries:
      - {id: a1, text: a, relevant: [d1], kind: in}
      - {id: n1, text: b, unanswerable: true, kind: out}
      - {id: n2, text: c, unanswerable: true, kind: in}
configurations: {always: {retriever: always}}
segments: kind
snapshot: true
thresholds:
  - {metric: FalseAnswer, max: 1, segment: {kind: out}}
  - {metric: FalseSilence, max: 1}
";
    let benchmark = open(folder.path(), text).unwrap();
    let report = benchmark.run();
    let Outcome::Measured(measured) = &report.configurations[0].outcome else { panic!("{report:?}") };
    let segment: Vec<(&str, Vec<&str>)> = measured
        .segments
        .iter()
        .map(|one| (one.value.as_str(), one.metrics.iter().map(|one| one.metric.as_str()).collect()))
        .collect();
    assert_eq!(segment, [("in", vec!["FalseAnswer", "FalseSilence"])]);
    let gate = report.gates.iter().find(|gate| gate.name.contains("FalseAnswer")).unwrap();
    assert_eq!((gate.verdict, value(gate)), (Verdict::Passed, 1.0), "{report:?}");
}
