//! What is said of answer times.

use insta::assert_snapshot;

use super::sample::gate;
use crate::model::*;
use crate::report::*;
use crate::stats::LatencyReason;

fn side(name: &str, slower: f64) -> (String, Latency) {
    let [p50, p95, max] = [2.0, 6.5, 52.5].map(|time| time * slower);
    (name.to_owned(), Latency { p50, p95, max })
}

/// The ratio of `mine` to `bm25`.
fn ratio(reason: LatencyReason) -> LatencyFinding {
    LatencyFinding {
        quantile: None,
        baseline: Some("bm25".to_owned()),
        limit: 1.25,
        reason,
        value: 1.42,
        interval: Some([1.361, 1.49]),
        p: Some([0.0002, 1.0]),
        blocks: 12,
        queries: 162,
        batch: None,
        sides: vec![side("mine", 1.42), side("bm25", 1.0)],
        results: vec![10.0, 10.0],
        warnings: Vec::new(),
    }
}

/// p99 of `mine` with a limit of 50 ms.
fn time(reason: LatencyReason) -> LatencyFinding {
    LatencyFinding {
        quantile: Some("p99".to_owned()),
        baseline: None,
        limit: 50.0,
        value: 61.2,
        interval: Some([55.0, 80.25]),
        p: None,
        blocks: 3,
        sides: vec![side("mine", 1.42)],
        results: vec![9.75],
        ..ratio(reason)
    }
}

fn report(gates: Vec<GateReport>) -> Report {
    Report { gates, ..Report::blank("helpdesk") }
}

fn all() -> Vec<(&'static str, Verdict, LatencyFinding)> {
    use LatencyReason::{Beyond, FewAnswers, NotShown, Within};
    use Verdict::{Advisory, Failed, Inconclusive, Passed};
    let of = |finding: LatencyFinding, value, interval, warnings| LatencyFinding {
        value,
        interval: Some(interval),
        warnings,
        ..finding
    };
    let close = |warnings| of(ratio(NotShown), 1.22, [1.1, 1.31], warnings);
    vec![
        ("ratio_beyond", Failed, ratio(Beyond)),
        (
            "ratio_within_by_less",
            Passed,
            of(ratio(Within), 0.42, [0.40, 0.45], vec![Warning::new("side", "mine returns less")]),
        ),
        ("ratio_not_shown", Inconclusive, close(vec![])),
        (
            "ratio_few_queries",
            Inconclusive,
            LatencyFinding { queries: 4, interval: None, ..ratio(FewAnswers) },
        ),
        ("warned", Advisory, close(vec![Warning::new("side", "inconclusive, and only advises")])),
        ("time_beyond_in_batches", Advisory, LatencyFinding { batch: Some(64), ..time(Beyond) }),
        ("time_within", Passed, LatencyFinding { limit: 100.0, ..time(Within) }),
        ("time_few_answers", Advisory, LatencyFinding { interval: None, blocks: 1, ..time(FewAnswers) }),
    ]
}

#[test]
fn messages_say_what_was_measured_and_what_to_do() {
    let said = all().into_iter().map(|(name, verdict, finding)| {
        let sides = if finding.baseline.is_some() { "mine-vs-bm25" } else { "mine" };
        let name = format!("{sides}::{name}");
        let gate = GateReport { advice: vec![], ..gate(&name, verdict, Finding::Latency(Box::new(finding))) };
        let report = report(vec![gate.clone()]);
        format!("--- {name}, in a list: {}\n\n{}\n", message::short(&gate, 4), message(&report, &gate))
    });
    assert_snapshot!(said.collect::<String>());
}

#[test]
fn every_rendering_tells_of_times() {
    let (name, verdict, finding) = all().remove(0);
    let gates = vec![
        gate(&format!("mine-vs-bm25::{name}"), verdict, Finding::Latency(Box::new(finding))),
        gate("mine::latency-p99", Verdict::Failed, Finding::Latency(Box::new(time(LatencyReason::Beyond)))),
    ];
    let report = report(gates);
    assert!(
        text(&report).contains("time ratio 1.42 > 1.25")
            && markdown(&report).contains("time ratio 1.42 > 1.25")
    );
    assert!(html(&report).contains("time ratio 1.42 \\u003e 1.25"));
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
}
