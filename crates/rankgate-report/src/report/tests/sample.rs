//! Models built by hand, for the tests of the renderings. Their numbers are made up, and agree with each
//! other where a reader would notice.

use std::collections::BTreeMap;

use crate::gate::deciding_value;
use crate::model::*;
use crate::model::{Failure, FailureCause, Latency};
use crate::stats::{IntervalKind, NoInterval};

use super::sample_comparison::hostile_findings;

pub(in crate::report) fn metric(name: &str, value: f64, interval: [f64; 2]) -> MetricReport {
    MetricReport {
        metric: name.to_owned(),
        value,
        interval: Some(interval),
        interval_kind: IntervalKind::T.to_string(),
        groups: None,
        spread: None,
        golden: None,
        by_collection: Vec::new(),
    }
}

pub(in crate::report) fn without_interval(name: &str, value: f64, why: NoInterval) -> MetricReport {
    MetricReport { interval: None, interval_kind: why.to_string(), ..metric(name, value, [0.0, 0.0]) }
}

pub(in crate::report) fn configuration(name: &str, source: &str, outcome: Outcome) -> ConfigurationReport {
    ConfigurationReport { name: name.to_owned(), source: source.to_owned(), depth: 100, repeats: 1, outcome }
}

pub(in crate::report) fn measured(metrics: Vec<MetricReport>) -> Measured {
    Measured {
        latency: Some(Latency { p50: 1.24, p95: 3.1, max: 18.02 }),
        unanswered: Vec::new(),
        unjudged_queries: 0,
        identical_ids: None,
        tied_scores: 0,
        metrics,
        segments: Vec::new(),
        queries: Vec::new(),
        unanswerable: Vec::new(),
        warnings: Vec::new(),
    }
}

pub(in crate::report) fn outcome(measured: Measured) -> Outcome {
    Outcome::Measured(Box::new(measured))
}

fn segment(key: &str, value: &str, queries: usize, ndcg: f64, recall: f64) -> SegmentReport {
    SegmentReport {
        key: key.to_owned(),
        value: value.to_owned(),
        queries,
        metrics: vec![
            metric("nDCG@10", ndcg, [ndcg - 0.1, ndcg + 0.1]),
            metric("R@100", recall, [recall - 0.1, recall + 0.1]),
        ],
    }
}

pub(in crate::report) fn failure(query: Option<&str>, cause: FailureCause, failed: usize) -> Failure {
    Failure { query: query.map(str::to_owned), failed, ..Failure::of_all(cause, 120) }
}

pub(in crate::report) fn gate(name: &str, verdict: Verdict, finding: Finding) -> GateReport {
    let configuration = name.split("::").next().unwrap();
    let looks_back =
        verdict == Verdict::Failed && name.starts_with("bm25") && !name.ends_with("deterministic");
    GateReport {
        name: format!("helpdesk::{name}"),
        configuration: configuration.split("-vs-").next().unwrap().to_owned(),
        advisory: verdict == Verdict::Advisory,
        verdict,
        texts: None,
        place: Some("benchmarks/helpdesk.yaml:23".to_owned()),
        finding,
        coverage: None,
        inputs_changed: if looks_back { vec!["judgments".to_owned()] } else { Vec::new() },
        advice: if verdict == Verdict::Passed { Vec::new() } else { advice() },
    }
}

fn advice() -> Vec<Row> {
    [
        ("accept the new ranking", "RANKGATE_BLESS=1 cargo test --test retrieval"),
        ("full report", "target/rankgate/helpdesk/report.html"),
    ]
    .map(|(purpose, action)| Row::new(purpose, action))
    .to_vec()
}

pub(in crate::report) fn threshold(measured: MetricReport, min: f64) -> ThresholdFinding {
    ThresholdFinding {
        metric: measured.metric.clone(),
        segment: None,
        min: Some(min),
        max: None,
        bound: Bound::Mean,
        held: None,
        queries: 120,
        unanswered: 0,
        warnings: Vec::new(),
        measured,
        note: String::new(),
        collections: Vec::new(),
        movers: Movers::default(),
    }
}

pub(in crate::report) fn finding(mut finding: ThresholdFinding) -> Finding {
    let MetricReport { value, interval, .. } = finding.measured;
    finding.held = deciding_value(finding.bound, value, interval, None);
    Finding::Threshold(Box::new(finding))
}

pub(in crate::report) fn document(
    id: &str,
    grade: i32,
    from: Option<usize>,
    to: Option<usize>,
) -> DocumentMove {
    DocumentMove { document: id.to_owned(), grade: Some(grade), from, to, ..DocumentMove::default() }
}

pub(in crate::report) fn mover(
    query: &str,
    text: &str,
    before: Option<f64>,
    after: f64,
    documents: Vec<DocumentMove>,
) -> Mover {
    Mover { query: query.to_owned(), text: text.to_owned(), before, after, documents }
}

/// What moved since golden was blessed.
pub(in crate::report) fn against_golden() -> Movers {
    Movers {
        against: Some("golden".to_owned()),
        against_value: Some(0.7312),
        worse: 17,
        better: 9,
        unchanged: 94,
        losses: vec![
            mover(
                "q042",
                "refund for a cancelled order",
                Some(1.0),
                0.387,
                vec![document("refunds-3", 3, Some(1), Some(6))],
            ),
            mover(
                "q007",
                "change delivery address",
                Some(0.861),
                0.431,
                vec![
                    document("address-1", 2, Some(2), Some(14)),
                    document("address-4", 1, Some(5), None),
                    document("address-9", 0, None, Some(1)),
                ],
            ),
            mover(
                "q101",
                "where is my parcel and when will it be delivered to my house",
                Some(0.5),
                0.0,
                vec![document("parcel-2", 1, Some(4), None)],
            ),
        ],
        gains: vec![mover(
            "q033",
            "cancel",
            Some(0.2),
            0.9,
            vec![document("cancel-1", 3, Some(12), Some(1))],
        )],
        unjudged: 4,
        against_unjudged: Some(1),
        judged: Some(0.9667),
        repeated: false,
        cutoff: 10,
    }
}

/// The weakest queries, where nothing was blessed.
pub(in crate::report) fn weakest() -> Movers {
    Movers {
        judged: Some(0.9667),
        losses: vec![
            mover(
                "q042",
                "refund for a cancelled order",
                None,
                0.0,
                vec![document("refunds-3", 3, None, None), document("refunds-7", 1, None, Some(37))],
            ),
            mover(
                "q007",
                "change delivery address",
                None,
                0.131,
                vec![document("address-1", 2, None, Some(9))],
            ),
        ],
        unjudged: 1,
        cutoff: 10,
        ..Movers::default()
    }
}

/// A benchmark with every verdict and every finding.
pub(in crate::report) fn helpdesk() -> Report {
    let golden = |mut metric: MetricReport, golden: f64| {
        metric.golden = Some(golden);
        metric
    };
    let mut bm25 = measured(vec![
        golden(metric("nDCG@10", 0.5312, [0.489, 0.5734]), 0.7312),
        golden(metric("R@100", 0.9312, [0.879, 0.9834]), 0.93),
        without_interval("NumRelRet", 1204.0, NoInterval::Count),
        without_interval("Judged@10", 0.9667, NoInterval::TooFewUnits),
    ]);
    bm25.unanswered = vec!["q003".to_owned(), "q090".to_owned()];
    bm25.tied_scores = 1312;
    bm25.segments = vec![
        segment("category", "billing", 30, 0.35, 0.88),
        segment("category", "delivery", 90, 0.5916, 0.9483),
        segment("difficulty", "hard", 12, 0.2, 0.5),
    ];
    let mut stem = measured(vec![
        golden(metric("nDCG@10", 0.7412, [0.711, 0.7711]), 0.74),
        metric("R@100", 0.9512, [0.9011, 1.0]),
        without_interval("NumRelRet", 1301.0, NoInterval::Count),
        without_interval("Judged@10", 0.94, NoInterval::TooFewUnits),
    ]);
    stem.metrics[0].spread = Some([0.739, 0.7433]);
    stem.latency = Some(Latency { p50: 2.0, p95: 1204.0, max: 12_345.0 });
    stem.segments = vec![
        segment("category", "billing", 30, 0.7, 0.9),
        segment("category", "delivery", 90, 0.755, 0.9683),
    ];
    let mut legacy = measured(vec![
        metric("nDCG@10", 0.4, [0.36, 0.44]),
        metric("R@100", 0.8, [0.75, 0.85]),
        without_interval("NumRelRet", 999.0, NoInterval::Count),
        without_interval("Judged@10", 1.0, NoInterval::TooFewUnits),
    ]);
    legacy.latency = None;
    legacy.unjudged_queries = 7;

    let below = ThresholdFinding {
        movers: against_golden(),
        ..threshold(golden(metric("nDCG@10", 0.5312, [0.489, 0.5734]), 0.7312), 0.6)
    };
    let billing = ThresholdFinding {
        segment: Some(["category".to_owned(), "billing".to_owned()]),
        queries: 30,
        movers: weakest(),
        ..threshold(metric("nDCG@10", 0.35, [0.25, 0.45]), 0.4)
    };
    let lower = ThresholdFinding {
        bound: Bound::Lower,
        movers: weakest(),
        ..threshold(metric("R@100", 0.9312, [0.879, 0.9834]), 0.9)
    };
    let unknown = ThresholdFinding {
        bound: Bound::Lower,
        ..threshold(without_interval("P@10", 1.0, NoInterval::NoVariance), 0.9)
    };
    Report {
        suite: None,
        schema: SCHEMA,
        history: None,
        benchmark: "helpdesk".to_owned(),
        spec: "benchmarks/helpdesk.yaml".to_owned(),
        titles: std::collections::BTreeMap::new(),
        spec_sha256: None,
        rerun: Some("cargo test --test quality --".to_owned()),
        error: None,
        confidence: 0.95,
        collection: Some(CollectionReport {
            queries: 120,
            without_judgments: 4,
            unanswerable: 0,
            unjudgeable: 2,
            left_out: 0,
            judgments: 1432,
            documents: Some(8112),
            relevant_from: 1,
        }),
        metrics: ["nDCG@10", "R@100", "NumRelRet"].map(str::to_owned).to_vec(),
        configurations: vec![
            configuration("bm25", "builtin bm25", outcome(bm25)),
            configuration("bm25-stem", "builtin bm25", outcome(stem)),
            configuration("legacy", "run runs/legacy.run", outcome(legacy)),
            configuration(
                "mine",
                "retriever mine",
                Outcome::Error(failure(Some("q042"), FailureCause::TimedOut(2000), 3)),
            ),
            configuration("service", "http", Outcome::NotAsked),
        ],
        depth_because: None,
        blessings: Vec::new(),
        cut_short: Vec::new(),
        gates_in_spec: 0,
        gates: vec![
            gate(
                "bm25-stem::nDCG@10",
                Verdict::Passed,
                finding(threshold(metric("nDCG@10", 0.7412, [0.711, 0.7711]), 0.6)),
            ),
            gate("bm25::nDCG@10", Verdict::Failed, finding(below)),
            gate("bm25::nDCG@10[category=billing]", Verdict::Advisory, finding(billing)),
            gate("bm25::R@100", Verdict::Failed, finding(lower)),
            gate("bm25::P@10", Verdict::Inconclusive, finding(unknown)),
            gate("bm25::snapshot", Verdict::Failed, blessed(SnapshotState::Differs).into()),
            gate(
                "bm25::deterministic",
                Verdict::Failed,
                deterministic(120, vec![disagreement("q042", Some("refunds-3"), true)]).into(),
            ),
            gate("mine::nDCG@10", Verdict::Error, undecided()),
        ],
        warnings: vec![Warning::new(
            "benchmark",
            "2 of 1432 judged documents are not in the corpus: `refunds-8`, `refunds-9`",
        )],
    }
}

pub(in crate::report) fn deterministic(queries: usize, differing: Vec<Disagreement>) -> DeterministicFinding {
    let said = "The documents that changed places have equal scores.".to_owned();
    let diagnosis = if differing.is_empty() { Vec::new() } else { vec![said] };
    let (built, one_build, warnings) = (None, None, Vec::new());
    DeterministicFinding { queries, differing, built, one_build, diagnosis, warnings }
}

pub(in crate::report) fn undecided() -> Finding {
    let reason = failure(Some("q042"), FailureCause::TimedOut(2000), 3).to_string();
    Finding::undecided(reason)
}

pub(in crate::report) fn blessed(state: SnapshotState) -> SnapshotFinding {
    let diff = match state {
        SnapshotState::Differs => {
            "  judgments                               1432\n  relevant from grade                     1\n  \n- \
             nDCG@10                                 0.7312\n+ nDCG@10                                 0.5312\n  \
             R@100                                   0.9300\n  ...\n"
        }
        _ => "",
    };
    SnapshotFinding { diff: diff.to_owned(), ..SnapshotFinding::new("golden/helpdesk/bm25.snap", state) }
}

pub(in crate::report) fn disagreement(query: &str, second: Option<&str>, tied: bool) -> Disagreement {
    Disagreement {
        query: query.to_owned(),
        text: "refund for a cancelled order".to_owned(),
        rank: 4,
        documents: [Some("refunds-9".to_owned()), second.map(str::to_owned)],
        overlap: None,
        tied,
    }
}

/// A ranking of these documents, with another one that is relevant below it.
fn top(documents: &[(&str, Option<i32>)]) -> Vec<RankedDocument> {
    let ranked = |(document, grade): &(&str, Option<i32>)| RankedDocument {
        document: (*document).to_owned(),
        grade: *grade,
        rank: None,
        missed: false,
    };
    let document = format!("{}-missed", documents[0].0);
    let missed = RankedDocument { document, grade: Some(1), rank: Some(30), missed: true };
    documents.iter().map(ranked).chain([missed]).collect()
}

/// A benchmark with this text wherever text comes from data.
pub(in crate::report) fn hostile(text: &str) -> Report {
    let own = || text.to_owned();
    let mut report = helpdesk();
    let mut movers = against_golden();
    movers.against = Some(own());
    for mover in movers.losses.iter_mut().chain(&mut movers.gains) {
        mover.query = own();
        mover.text = own();
        for document in &mut mover.documents {
            document.document = own();
        }
    }
    let odd = metric(text, 0.1, [0.0, 0.2]);
    let mut numbers = measured(vec![odd.clone(), without_interval(text, f64::MAX, NoInterval::OneValue)]);
    numbers.unanswered = vec![own(), own()];
    numbers.segments =
        vec![SegmentReport { key: own(), value: own(), queries: 1, metrics: vec![odd.clone()] }];
    numbers.queries = vec![QueryReport {
        id: own(),
        text: own(),
        metadata: BTreeMap::from([(own(), own().into())]),
        scores: BTreeMap::from([(own(), 0.1)]),
        retrieved: 1,
        relevant: 1,
        found: 1,
        first_relevant: None,
        ranking: Some(top(&[(text, None), (text, Some(2))])),
        golden: Some(GoldenQuery {
            scores: BTreeMap::from([(own(), 0.7)]),
            ranking: Some(top(&[(text, Some(2)), ("d", None)])),
        }),
    }];
    report.benchmark = own();
    report.warnings = vec![Warning::new("benchmark", own())];
    report.configurations = vec![
        configuration("bm25", text, outcome(numbers)),
        configuration("mine", text, Outcome::Error(failure(Some(text), FailureCause::Error(own()), 1))),
    ];
    let below = ThresholdFinding { segment: Some([own(), own()]), movers, ..threshold(odd, 0.6) };
    let one = Disagreement { text: own(), ..disagreement(text, Some(text), false) };
    report.gates = vec![
        gate("bm25::nDCG@10", Verdict::Failed, finding(below)),
        gate(
            "bm25::snapshot",
            Verdict::Failed,
            SnapshotFinding {
                diff: format!("- {text}\n+ {text}\n"),
                tied: Some(3),
                ..SnapshotFinding::new(own(), SnapshotState::Differs)
            }
            .into(),
        ),
        gate("bm25::deterministic", Verdict::Failed, deterministic(2, vec![one]).into()),
        gate("mine::nDCG@10", Verdict::Error, Finding::undecided(own())),
    ];
    for finding in hostile_findings(text) {
        report.gates.push(gate("bm25-vs-golden::nDCG@10", Verdict::Inconclusive, finding));
    }
    for gate in &mut report.gates {
        gate.place = Some(format!("{}:23", own()));
    }
    report
}

/// A benchmark whose collection could not be loaded.
pub(in crate::report) fn empty() -> Report {
    Report {
        collection: None,
        configurations: vec![configuration("bm25", "builtin bm25", Outcome::NotAsked)],
        depth_because: None,
        blessings: Vec::new(),
        cut_short: Vec::new(),
        gates_in_spec: 0,
        gates: Vec::new(),
        warnings: Vec::new(),
        ..helpdesk()
    }
}

/// A benchmark with more configurations than fit beside each other.
pub(in crate::report) fn nine() -> Report {
    let of = |index: u32| {
        let value = 0.5 + f64::from(index) / 40.0;
        let mut numbers = measured(vec![
            metric("nDCG@10", value, [value - 0.03, value + 0.03]),
            metric("R@100", 0.9, [0.87, 0.93]),
        ]);
        numbers.segments = vec![segment("category", "billing", 30, value, 0.9)];
        configuration(&format!("embedding-model-number-{index}"), "retriever dense", outcome(numbers))
    };
    Report {
        configurations: (1..=9).map(of).collect(),
        depth_because: None,
        blessings: Vec::new(),
        cut_short: Vec::new(),
        gates_in_spec: 20,
        gates: (1..=9)
            .map(|index| {
                let value = 0.5 + f64::from(index) / 40.0;
                let measured = metric("nDCG@10", value, [value - 0.03, value + 0.03]);
                gate(
                    &format!("embedding-model-number-{index}::nDCG@10"),
                    Verdict::Passed,
                    finding(threshold(measured, 0.5)),
                )
            })
            .collect(),
        warnings: Vec::new(),
        ..helpdesk()
    }
}
