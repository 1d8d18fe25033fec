//! What is said of answer times.

use insta::assert_snapshot;

use super::sample::gate;
use crate::model::*;
use crate::report::*;
use crate::stats::{LatencyReason, Quantile};

fn side(name: &str, slower: f64, p99: Option<f64>, results: f64) -> LatencySide {
    let points = 1..=40;
    LatencySide {
        configuration: name.to_owned(),
        p50: Some(2.0 * slower),
        p95: Some(6.5 * slower),
        p99: p99.map(|time| time * slower),
        max: 52.5 * slower,
        results,
        distribution: points.map(|i| [f64::from(i * i) / 71.2 * slower + 0.2, f64::from(i) / 40.0]).collect(),
    }
}

/// A ratio of p95, `mine` against `bm25`.
fn ratio(reason: LatencyReason) -> LatencyFinding {
    LatencyFinding {
        quantile: Quantile::P95,
        baseline: Some("bm25".to_owned()),
        max_ms: None,
        max_ratio: Some(1.25),
        reason,
        value: Some(1.42),
        interval: Some([1.361, 1.49]),
        p_above: Some(0.0002),
        p_below: Some(1.0),
        noise: Some(NoiseReport { ratio: 1.01, interval: Some([0.97, 1.031]), least: Some(0.031) }),
        blocks: 12,
        warm_up: 2,
        blocks_needed: 6,
        queries: 162,
        batch: None,
        answers: 1944,
        answers_needed: 72,
        sides: vec![side("mine", 1.42, Some(12.0), 10.0), side("bm25", 1.0, Some(8.9), 10.0)],
        machine: Some(MachineReport { clock_ns: 41, processors: 2, load: Some([1.2, 2.1]) }),
        cautions: Vec::new(),
    }
}

/// p99 of `mine` against 50 ms.
fn time(reason: LatencyReason) -> LatencyFinding {
    LatencyFinding {
        quantile: Quantile::P99,
        baseline: None,
        max_ms: Some(50.0),
        max_ratio: None,
        value: Some(61.2),
        interval: Some([55.0, 80.25]),
        p_above: None,
        p_below: None,
        noise: None,
        blocks: 3,
        warm_up: 1,
        answers: 486,
        answers_needed: 368,
        sides: vec![side("mine", 1.42, Some(43.1), 9.75)],
        ..ratio(reason)
    }
}

fn report(gates: Vec<GateReport>) -> Report {
    Report { gates, ..Report::blank("helpdesk") }
}

fn all() -> Vec<(&'static str, Verdict, LatencyFinding)> {
    use LatencyReason::{Beyond, FewAnswers, FewBlocks, Noise, NotShown, Unoptimized, Within};
    use Verdict::{Advisory, Failed, Inconclusive, Passed};
    let less = LatencyCaution::ReturnsLess { configuration: "mine".to_owned(), results: 3.2, against: 10.0 };
    let [fast, noisy] = [(0.42, [0.40, 0.45]), (1.07, [0.98, 1.16])];
    let of = |finding: LatencyFinding, (value, interval)| LatencyFinding {
        value: Some(value),
        interval: Some(interval),
        ..finding
    };
    let noise = NoiseReport { ratio: 1.06, interval: Some([0.86, 1.175]), least: Some(0.175) };
    let none = |finding: LatencyFinding| LatencyFinding {
        value: None,
        interval: None,
        noise: None,
        sides: vec![],
        machine: None,
        ..finding
    };
    let few = LatencyFinding { interval: None, answers: 162, blocks: 1, ..time(FewAnswers) };
    vec![
        ("ratio_beyond", Failed, ratio(Beyond)),
        ("ratio_within_by_less", Passed, LatencyFinding { cautions: vec![less], ..of(ratio(Within), fast) }),
        ("ratio_not_shown", Inconclusive, of(ratio(NotShown), (1.22, [1.1, 1.31]))),
        (
            "ratio_noise",
            Inconclusive,
            LatencyFinding { max_ratio: Some(1.1), noise: Some(noise), ..of(ratio(Noise), noisy) },
        ),
        (
            "ratio_few_blocks",
            Inconclusive,
            LatencyFinding { blocks: 6, blocks_needed: 8, ..ratio(FewBlocks) },
        ),
        (
            "ratio_few_queries",
            Inconclusive,
            LatencyFinding {
                quantile: Quantile::MEDIAN,
                queries: 4,
                answers: 4,
                answers_needed: 6,
                ..ratio(FewAnswers)
            },
        ),
        ("ratio_unoptimized", Inconclusive, none(ratio(Unoptimized))),
        ("gain_not_reached", Failed, LatencyFinding { max_ratio: Some(0.8), ..ratio(Beyond) }),
        (
            "warned",
            Advisory,
            LatencyFinding {
                cautions: vec![LatencyCaution::FailsNothing],
                ..of(ratio(NotShown), (1.22, [1.1, 1.31]))
            },
        ),
        ("time_beyond_in_batches", Advisory, LatencyFinding { batch: Some(64), ..time(Beyond) }),
        ("time_within", Passed, LatencyFinding { max_ms: Some(100.0), ..time(Within) }),
        ("time_few_answers", Advisory, few),
    ]
}

#[test]
fn messages_say_what_was_measured_and_what_to_do() {
    let said = all().into_iter().map(|(name, verdict, finding)| {
        let name = if finding.max_ratio.is_some() {
            format!("mine-vs-bm25::{name}")
        } else {
            format!("mine::{name}")
        };
        let gate = GateReport { advice: vec![], ..gate(&name, verdict, Finding::Latency(Box::new(finding))) };
        let report = report(vec![gate.clone()]);
        format!("--- {name}, in a list: {}\n\n{}\n", message::short(&gate, 4), message(&report, &gate))
    });
    assert_snapshot!(said.collect::<String>());
}

#[test]
fn every_rendering_tells_of_times() {
    let (name, verdict, finding) = all().remove(0);
    let same = LatencyFinding { quantile: Quantile::MEDIAN, ..ratio(LatencyReason::Within) };
    let gates = vec![
        gate(&format!("mine-vs-bm25::{name}"), verdict, Finding::Latency(Box::new(finding))),
        gate("mine-vs-bm25::latency-p50", Verdict::Passed, Finding::Latency(Box::new(same))),
    ];
    let report = report(gates);
    assert!(text(&report).contains("p95 1.42 > 1.25") && markdown(&report).contains("p95 1.42 > 1.25"));
    assert!(html(&report).contains("p95 1.42 \\u003e 1.25"));
    assert_eq!(serde_json::from_str::<Report>(&json(&report)).unwrap(), report);
}
