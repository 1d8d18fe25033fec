//! What answers consume, and how long what they return is: from retrievers to gates.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::metric::Usage;
use rankgate::retriever::{Response, response_fn};
use rankgate::standalone::Standalone;
use rankgate::{Hit, Query, report};

use crate::reports::joined;

const COLLECTION: &str = "version: 1
benchmark: toy
collection:
  inline:
    queries:
      - {id: q1, text: one, relevant: {b: 1}}
      - {id: q2, text: two, relevant: {c: 2, a: 1}}
    documents:
      a: A title and more words
      b: four five six seven
      c: 'eight  nine'
";

/// Returns `a b c`. `q1` takes 100 tokens and a cost of 0.5, `q2` 300 and 0.25; the second time twice as much.
fn registry() -> Registry {
    let mut registry = Registry::new();
    let build = |_: &rankgate::Setup<'_>| {
        let asked = std::sync::Mutex::new(std::collections::BTreeMap::<String, u64>::new());
        Ok(response_fn(move |query: &Query, depth| {
            let mut asked = asked.lock().unwrap();
            let times = asked.entry(query.id.clone()).or_default();
            *times += 1;
            let first = query.text.starts_with("one");
            let (tokens, cost) = if first { (100, 0.5) } else { (300, 0.25) };
            let usage = Usage::default().with_tokens(tokens * *times).with_cost(cost);
            let hits =
                ["a", "b", "c"].into_iter().take(depth).map(|id| Hit::new(id, 1.0)).collect::<Vec<_>>();
            Ok(Response::new(hits).with_usage(usage))
        }))
    };
    registry.retrievers.register("mine", build).unwrap();
    let silent = |_: &rankgate::Setup<'_>| {
        Ok(response_fn(|query: &Query, _| {
            let response = Response::new([Hit::new("a", 1.0)]);
            let says = query.id == "q1";
            Ok(if says { response.with_usage(Usage::default().with_cost(1.0)) } else { response })
        }))
    };
    registry.retrievers.register("silent", silent).unwrap();
    registry
}

fn open(folder: &Path, rest: &str) -> Result<Benchmark, rankgate::Error> {
    let path = folder.join("toy.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    Benchmark::open(&path, &registry())
}

fn decide(rest: &str) -> Report {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), rest).unwrap_or_else(|error| panic!("{error}")).run()
}

fn values(report: &Report) -> Vec<(f64, Verdict)> {
    let value = |gate: &GateReport| match &gate.finding {
        Finding::Threshold(threshold) => threshold.measured.value,
        other => panic!("{other:?}"),
    };
    report.gates.iter().map(|gate| (value(gate), gate.verdict)).collect()
}

fn message(report: &Report, gate: usize) -> String {
    joined(&report::message(report, &report.gates[gate]))
}

#[test]
fn limits_hold_usage_as_any_metric() {
    for (again, tokens) in [("", 200.0), (", repeats: 2", 300.0), (", rebuilds: 2", 200.0)] {
        let report = decide(&format!(
            "metrics: [RR@3]
configurations:
  mine: {{retriever: mine{again}}}
thresholds:
  - {{metric: Usage(tokens), max: 250}}
  - {{metric: Usage(cost), max: 0.375}}
  - {{metric: Usage(cost), max: 0.4, every-query: true, level: advisory, name: each}}
"
        ));
        let verdict = if tokens > 250.0 { Verdict::Failed } else { Verdict::Passed };
        let values = values(&report);
        assert_eq!(values[0], (tokens, verdict), "{again}");
        assert_eq!(values[1], (0.375, Verdict::Passed), "{again}");
        assert_eq!(values[2].1, Verdict::Advisory);
        // Who costs most stands first.
        assert!(message(&report, 2).contains("q1"), "{}", message(&report, 2));
    }
}

#[test]
fn an_answer_that_does_not_say_it_is_no_0() {
    let report = decide(
        "configurations:
  silent: {retriever: silent}
  mine: {retriever: mine}
  both: {fuse: [mine, silent]}
thresholds:
  - {metric: Usage(cost), max: 1}
  - {metric: RR@3, min: 0}
",
    );
    let verdicts: Vec<_> = report.gates.iter().map(|gate| (gate.name.as_str(), gate.verdict)).collect();
    let [passed, errored] = [Verdict::Passed, Verdict::Errored];
    assert_eq!(
        verdicts,
        [
            ("toy::silent::Usage%28cost%29", errored),
            ("toy::mine::Usage%28cost%29", passed),
            ("toy::both::Usage%28cost%29", errored),
            ("toy::silent::RR@3", passed),
            ("toy::mine::RR@3", passed),
            ("toy::both::RR@3", passed),
        ]
    );
    let said = message(&report, 0);
    assert!(said.contains("query `q2`: Usage(cost): the usage of the answer has no `cost`"), "{said}");
    let fused = message(&report, 2);
    assert!(fused.contains("Usage(cost) is of what answers say beside their ranking"), "{fused}");
    // The report shows it of who says it.
    let shown = |name: &str| {
        let one = report.configurations.iter().find(|one| one.name == name).unwrap();
        let Outcome::Measured(measured) = &one.outcome else { panic!("{one:?}") };
        measured.metrics.iter().map(|one| one.metric.clone()).collect::<Vec<_>>()
    };
    assert_eq!(shown("mine"), ["Usage(cost)", "RR@3", "Judged@3"]);
    assert_eq!(shown("silent"), ["RR@3", "Judged@3"]);
}

#[test]
fn golden_runs_know_rankings_and_no_usage() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "configurations:
  mine: {retriever: mine}
thresholds:
  - {metric: Usage(cost), max: 0.4}
  - {metric: nDCG@3, min: 0.1}
comparisons:
  - {candidate: mine, baseline: golden, metrics: [nDCG@3]}
depth: 3
";
    let unblessed = open(folder.path(), spec).unwrap().run();
    assert_eq!(unblessed.gates[2].verdict, Verdict::Errored);
    // On a CI machine nothing is blessed.
    let Ok(standalone) = Standalone::new().registry(registry()).bless() else { return };
    let blessing = standalone.open(folder.path().join("toy.yaml")).unwrap();
    assert!(blessing.run().blessings.iter().all(|one| !one.refused));
    blessing.bless_measured().unwrap();
    let report = open(folder.path(), spec).unwrap().run();
    let verdicts: Vec<_> = report.gates.iter().map(|gate| (gate.name.as_str(), gate.verdict)).collect();
    assert!(verdicts.iter().all(|(_, verdict)| *verdict == Verdict::Passed), "{verdicts:?}");
    let refused = spec.replace("metrics: [nDCG@3]", "metrics: [Usage(cost)]");
    let error = open(folder.path(), &refused).err().unwrap().to_string();
    assert!(
        error.contains("less of Usage(cost) is better, and a comparison takes more for better"),
        "{error}"
    );
}

/// By hand: the union is `a b c`, where `b` is returned twice.
#[test]
fn several_searches_are_one_ranking_and_are_counted() {
    let decide = |third: &'static [&'static str]| {
        let mut registry = Registry::new();
        let build = move |_: &rankgate::Setup<'_>| {
            Ok(response_fn(move |_: &Query, _| {
                let call = |ids: &[&str]| ids.iter().map(|id| Hit::new(*id, 1.0)).collect::<Vec<_>>();
                Ok(Response::from_calls([call(&["a", "b"]), call(third), vec![]]))
            }))
        };
        registry.retrievers.register("mine", build).unwrap();
        let rest = "configurations:
  mine: {retriever: mine}
thresholds:
  - {metric: RR@3, min: 0.75}
  - {metric: Usage(calls), max: 3}
  - {metric: Usage(repeats), max: 1}
  - {metric: P@2, min: 0.5}
";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
        Benchmark::open(&path, &registry).unwrap().run()
    };
    let report = decide(&["b", "c"]);
    let values: Vec<f64> = values(&report).into_iter().map(|(value, _)| value).collect();
    // `b` of q1 is second, `a` of q2 first.
    assert_eq!(values, [0.75, 3.0, 1.0, 0.5]);
    let twice = decide(&["c", "c"]);
    assert!(message(&twice, 0).contains("returned document `c` twice"), "{}", message(&twice, 0));
}
