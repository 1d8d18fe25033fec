//! What a spec becomes.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use rankgate::CollectionSource;
use rankgate::gate::LatencyLimit;
use rankgate::gate::{Baseline, Bound, ComparisonGate, Expectation, GateKind, Level, Statistics};
use rankgate::spec::{ConfigurationSource, Registry, Spec};
use rankgate::stats::{self, Correction};
use rankgate::{Order, Result};
use serde_json::json;

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.retriever("mine").retriever("big");
    registry
}

fn parse(text: &str) -> Result<Spec> {
    Spec::parse(Path::new("tests/x.yaml"), text, &registry())
}

/// A small spec, with what is under test added at its end.
fn small(more: &str) -> Result<Spec> {
    parse(&format!(
        "version: 1\nbenchmark: x\ncollection: {{inline: {{queries: [{{id: q1, text: a, relevant: [d1]}}]}}}}\n\
         configurations: {{mine: {{retriever: mine}}, old: {{run: ../Cargo.toml}}}}\n{more}\n"
    ))
}

/// The first line of what is wrong.
fn fault(spec: Result<Spec>) -> String {
    spec.unwrap_err().to_string().lines().next().unwrap().to_owned()
}

#[test]
fn the_example_of_the_documentation_becomes_a_plan() {
    let spec = Spec::load("tests/specs/benchmarks/helpdesk.yaml", &registry()).unwrap();
    let mut text = String::new();
    let mut line = |line: &dyn std::fmt::Display| writeln!(text, "{line}").unwrap();
    line(&spec.benchmark);
    line(&format_args!("collection {}, relevant from {}", spec.collection, spec.collection.relevant_from));
    line(&format_args!("depth {}", spec.depth));
    for c in &spec.configurations {
        let (repeats, timeout, concurrency) = (c.repeats, c.timeout, c.concurrency);
        let live = if c.is_live() { "live" } else { "frozen" };
        line(&format_args!(
            "{}: line {}, {}, {live}, repeats {repeats}, timeout {timeout:?}, concurrency {concurrency:?}",
            c.name, c.line, c.source,
        ));
    }
    let metrics: Vec<_> = spec.metrics.iter().map(ToString::to_string).collect();
    line(&format_args!("metrics {}", metrics.join(" ")));
    line(&format_args!("segments {}", spec.segments.join(" ")));
    line(&format_args!("{:?}", spec.statistics));
    for gate in &spec.gates {
        line(&format_args!("{}:{} {} ({})", gate.line, gate.column, gate.name, gate.level));
    }
    insta::assert_snapshot!(text);

    assert_eq!(spec.golden_folder().unwrap(), Path::new("tests/specs/benchmarks/../golden"));
    assert!(spec.snapshot && spec.deterministic && !spec.skip_queries_without_relevant);
    let CollectionSource::Beir { dir, split } = spec.collection.resolve().unwrap() else { panic!() };
    assert_eq!((dir.as_path(), &*split), (Path::new("tests/specs/benchmarks/../data/helpdesk"), "test"));
    assert_eq!(spec.collection.resolve().unwrap().load().unwrap().queries().len(), 1);

    let source = |name: &str| &spec.configuration(name).unwrap().source;
    let ConfigurationSource::Bm25 { params } = source("bm25-stem") else { panic!() };
    assert_eq!(params.to_json(), json!({"stemmer": "english"}));
    let ConfigurationSource::Run { path, order, .. } = source("legacy") else { panic!() };
    assert_eq!(path.resolve().unwrap(), Path::new("tests/specs/benchmarks/runs/legacy.run"));
    assert_eq!(*order, Some(Order::Score));
    let ConfigurationSource::Command { command, cwd, env } = source("python") else { panic!() };
    assert_eq!(command.len(), 3);
    assert_eq!(cwd.resolve().unwrap(), Path::new("tests/specs/benchmarks"));
    assert_eq!((env[0].0.as_str(), env[0].1.resolve().unwrap().as_str()), ("MODE", "hybrid"));
    let ConfigurationSource::Http(http) = source("service") else { panic!() };
    assert_eq!(http.headers[0].1.variables().collect::<Vec<_>>(), ["TOKEN"]);
    let request = http.body.fill(&rankgate::Query::new("q1", "refund"), 100).unwrap();
    assert_eq!(request, json!({"q": "refund", "limit": 100}));
    assert_eq!(http.score.as_ref().unwrap().to_string(), "/_rankingScore");

    let threshold = &spec.thresholds[1];
    assert_eq!((threshold.min, threshold.max, threshold.bound), (Some(0.9), None, Bound::Lower));
    assert_eq!(threshold.configurations, ["bm25-stem"]);
    assert_eq!(spec.thresholds[2].segment.as_ref().unwrap().value, "billing");
    assert_eq!(spec.thresholds[4].level, Level::Advisory);
    assert_eq!(spec.comparisons[1].baseline, Baseline::Golden);
    assert_eq!(spec.comparisons[1].expect, stats::Expectation::NonInferiority { margin: 0.02 }.into());
    assert_eq!(spec.comparisons[2].expect, Expectation::Overlap { cutoff: 10, min: 0.9 });
}

#[test]
fn what_a_spec_leaves_out_has_its_default() {
    let spec = small("thresholds: [{metric: AP, min: 0.1}]").unwrap();
    assert_eq!(spec.statistics, Statistics::default());
    assert_eq!(spec.statistics.correction, Correction::Holm);
    assert_eq!(spec.collection.relevant_from, 1);
    assert!(!spec.snapshot && !spec.deterministic && !spec.skip_queries_without_relevant);
    let mine = spec.configuration("mine").unwrap();
    assert_eq!((mine.repeats, mine.timeout, mine.concurrency), (1, None, None));
    assert_eq!(spec.thresholds[0].configurations, ["mine", "old"]);
    assert_eq!((spec.thresholds[0].bound, spec.thresholds[0].level), (Bound::Mean, Level::Blocking));
    // The folder of the nearest Cargo.toml: this package's.
    assert_eq!(spec.golden_folder().unwrap(), Path::new("golden"));
}

#[test]
fn without_a_cargo_toml_golden_files_are_beside_the_spec() {
    let folder = tempfile::tempdir().unwrap();
    let text = "version: 1\nbenchmark: x\ncollection: {inline: {queries: [{id: q1, text: a}]}}\n\
        configurations: {mine: {retriever: mine}}\nthresholds: [{metric: AP, min: 0.1}]\n";
    let spec = Spec::parse(&folder.path().join("x.yaml"), text, &registry()).unwrap();
    assert_eq!(spec.golden_folder().unwrap(), folder.path().join("golden"));
}

#[test]
fn the_depth_is_that_of_the_deepest_cutoff() {
    for (more, depth) in [
        ("thresholds: [{metric: nDCG@5, min: 0.1}]", 10),
        ("thresholds: [{metric: nDCG@20, min: 0.1}]", 20),
        ("metrics: [R@50]\nthresholds: [{metric: nDCG@20, min: 0.1}]", 50),
        ("metric: AP\nthresholds: [{metric: nDCG@20, min: 0.1}]", 1000),
        ("metrics: [AP, R@2000]\nsnapshot: true", 2000),
        ("comparisons: [{candidate: mine, baseline: old, expect: overlap, cutoff: 30, min: 0.5}]", 30),
        ("comparisons: [{candidate: mine, baseline: old, metric: P@40}]", 40),
        ("depth: 7\nthresholds: [{metric: nDCG@5, min: 0.1}]", 7),
        ("depth: 7\nthresholds: [{metric: AP, min: 0.1}]", 7),
    ] {
        assert_eq!(small(more).unwrap().depth, depth, "{more}");
    }
}

#[test]
fn metric_and_metrics_take_one_or_many_everywhere() {
    for (metrics, expected) in
        [("metric: AP", 1), ("metrics: AP", 1), ("metric: [AP, P@5]", 2), ("metrics: [AP, P@5]", 2)]
    {
        let text = format!(
            "{metrics}\nthresholds: [{{{metrics}, min: 0.1}}]\ncomparisons: [{{{metrics}, candidate: mine, baseline: old}}]"
        );
        let spec = small(&text).unwrap();
        assert_eq!(spec.metrics.len(), expected);
        assert_eq!(spec.thresholds[0].metrics.len(), expected);
        assert_eq!(spec.comparisons[0].metrics.len(), expected);
    }
}

#[test]
fn there_is_one_gate_per_test() {
    let spec = small(
        "snapshot: true\ndeterministic: true\nthresholds:\n- {metrics: [AP, P@5], min: 0.1}\ncomparisons:\n\
         - {candidate: mine, baseline: old, metrics: [AP, P@5], segment: {lang: en}}\n\
         - {candidate: mine, baseline: golden, expect: identical, name: bit by bit}\n",
    )
    .unwrap();
    let names: Vec<_> = spec.gates.iter().map(|gate| &*gate.name).collect();
    assert_eq!(
        names,
        [
            "x::mine::AP",
            "x::mine::P@5",
            "x::old::AP",
            "x::old::P@5",
            "x::mine-vs-old::AP[lang=en]",
            "x::mine-vs-old::P@5[lang=en]",
            "x::mine-vs-golden::identical[bit%20by%20bit]",
            "x::mine::snapshot",
            "x::old::snapshot",
            "x::mine::deterministic", // a frozen run is not asked
        ]
    );
    let GateKind::Comparison(ComparisonGate { comparison, metric }) = &spec.gates[6].kind else { panic!() };
    assert_eq!((*comparison, metric), (1, &None));
    assert_eq!((spec.gates[0].line, spec.gates[0].column), (8, 3));
}

#[test]
fn several_candidates_are_gates_of_one_entry() {
    let spec = small(
        "comparisons:\n- {candidate: mine, baseline: old, metric: AP}\n\
         - {candidate: [mine, old], baseline: golden, metrics: [AP, P@5]}\n",
    )
    .unwrap();
    let told: Vec<_> = spec.comparisons.iter().map(|one| (one.entry, &*one.candidate)).collect();
    assert_eq!(told, [(0, "mine"), (1, "mine"), (1, "old")]);
    let names: Vec<_> = spec.gates.iter().map(|gate| &*gate.name).collect();
    assert_eq!(
        names,
        [
            "x::mine-vs-old::AP",
            "x::mine-vs-golden::AP",
            "x::mine-vs-golden::P@5",
            "x::old-vs-golden::AP",
            "x::old-vs-golden::P@5",
        ]
    );
}

#[test]
fn every_expectation_is_read() {
    for (expect, expected) in [
        ("", stats::Expectation::NoRegression { margin: 0.0 }.into()),
        ("expect: no-regression, margin: 0.01,", stats::Expectation::NoRegression { margin: 0.01 }.into()),
        (
            "expect: non-inferiority, margin: 0.02,",
            stats::Expectation::NonInferiority { margin: 0.02 }.into(),
        ),
        ("expect: improvement,", stats::Expectation::Improvement { margin: 0.0 }.into()),
        ("expect: improvement, margin: 0.01,", stats::Expectation::Improvement { margin: 0.01 }.into()),
        ("expect: equivalence, margin: 0.02,", stats::Expectation::Equivalence { margin: 0.02 }.into()),
    ] {
        let spec = small(&format!("comparisons: [{{{expect} candidate: mine, baseline: old, metric: AP}}]"));
        assert_eq!(spec.unwrap().comparisons[0].expect, expected);
    }
}

#[test]
fn durations_have_units() {
    for (text, expected) in [
        ("500ms", Duration::from_millis(500)),
        ("2s", Duration::from_secs(2)),
        ("1.5s", Duration::from_millis(1500)),
        ("1m", Duration::from_secs(60)),
        ("2min", Duration::from_secs(120)),
        ("1h", Duration::from_secs(3600)),
    ] {
        let more = format!(
            "thresholds: [{{metric: AP, min: 0.1}}]\nbenchmark: y\nconfigurations: {{mine: {{retriever: mine, timeout: {text}}}}}"
        );
        let text = format!("version: 1\ncollection: {{inline: {{queries: [{{id: q1, text: a}}]}}}}\n{more}");
        assert_eq!(parse(&text).unwrap().configurations[0].timeout, Some(expected));
    }
}

#[test]
fn what_looks_like_a_number_stays_the_text_it_is() {
    let spec = parse(
        "version: 1\nbenchmark: 2024\ncollection:\n  inline:\n    documents: {01: no, 1e3: 1.10, null: 0x1F}\n    queries:\n      \
         - {id: 01, text: 1.10, relevant: {01: 2, 1e3: -1, null: 0}, release: 1.10, year: 2024, on: no, flag: true, code: 007, none: ~}\n\
         configurations:\n  1.10: {retriever: mine, params: {version: 1.10}}\n  no: {retriever: mine}\n\
         thresholds: [{metric: AP, min: 0.1, for: [1.10, no], segment: {release: 1.10}, name: 1.10}]\n",
    )
    .unwrap();
    assert_eq!(spec.benchmark, "2024");
    let CollectionSource::Inline(collection) = spec.collection.resolve().unwrap() else { panic!() };
    let query = collection.query("01").unwrap();
    assert_eq!(query.text, "1.10");
    for (document, grade) in [("01", 2), ("1e3", -1), ("null", 0)] {
        assert_eq!(collection.qrels().grade("01", document), Some(grade), "{document}");
    }
    assert_eq!(
        json!(query.metadata),
        json!({"release": "1.10", "year": 2024, "on": "no", "flag": true, "code": "007", "none": null})
    );
    assert_eq!(query.segments("release"), ["1.10"]);
    assert_eq!(spec.thresholds[0].configurations, ["1.10", "no"]);
    assert_eq!(spec.gates[0].name, "2024::1.10::AP[release=1.10][1.10]");
    let ConfigurationSource::Retriever { params, .. } = &spec.configurations[0].source else { panic!() };
    #[derive(serde::Deserialize)]
    struct Own {
        version: String,
    }
    assert_eq!(params.deserialize::<Own>().unwrap().version, "1.10");
}

#[test]
fn a_wrong_parameter_shows_its_line() {
    let spec = parse(
        "version: 1\nbenchmark: x\ncollection: {inline: {queries: [{id: q1, text: a}]}}\nconfigurations:\n  \
         mine:\n    retriever: mine\n    params:\n      alpha: high\n  bare: {retriever: mine}\n\
         thresholds: [{metric: AP, min: 0.1}]\n",
    )
    .unwrap();
    #[derive(Debug, serde::Deserialize)]
    struct Own {
        #[expect(dead_code, reason = "only the error matters")]
        alpha: f64,
    }
    let error = |name: &str| {
        let ConfigurationSource::Retriever { params, .. } = &spec.configuration(name).unwrap().source else {
            panic!()
        };
        params.deserialize::<Own>().unwrap_err().to_string()
    };
    insta::assert_snapshot!(error("mine"), @r#"
    expected f64, found string "high"
     --> tests/x.yaml:8:14
      |
    8 |       alpha: high
      |              ^^^^
    "#);
    insta::assert_snapshot!(error("bare"), @"
    missing field `alpha`
     --> tests/x.yaml:9:21
      |
    9 |   bare: {retriever: mine}
      |                     ^^^^
      |
      = help: there are no `params` here
    ");
}

#[test]
fn a_variable_that_is_not_set_is_an_error_of_what_uses_it() {
    let spec = parse(
        "version: 1\nbenchmark: x\ncollection: {json: \"${RANKGATE_TEST_UNSET}/x.jsonl\"}\n\
         configurations: {mine: {retriever: mine}}\nthresholds: [{metric: AP, min: 0.1}]\n\
         golden: \"${CARGO_MANIFEST_DIR}/golden\"\n",
    )
    .unwrap();
    insta::assert_snapshot!(spec.collection.resolve().unwrap_err().to_string(), @r#"
    the environment variable `RANKGATE_TEST_UNSET` is not set
     --> tests/x.yaml:3:20
      |
    3 | collection: {json: "${RANKGATE_TEST_UNSET}/x.jsonl"}
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
    assert_eq!(spec.collection.to_string(), "json ${RANKGATE_TEST_UNSET}/x.jsonl");
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap(); // set by cargo for every test
    assert_eq!(spec.golden_folder().unwrap(), Path::new(&root).join("golden"));
    assert!(!format!("{spec:?}").contains(&root), "a variable's value is shown");
}

#[test]
fn anchors_aliases_and_merge_keys_are_followed() {
    let spec = parse(
        "version: 1\nbenchmark: x\ncollection: {inline: {queries: [{id: q1, text: a}]}}\nconfigurations:\n  \
         one: &one {retriever: mine, timeout: 2s, repeats: 3}\n  two: {<<: *one, repeats: 1}\n  three: *one\n\
         thresholds: [{metric: AP, min: 0.1}]\n",
    )
    .unwrap();
    let repeats: Vec<_> =
        spec.configurations.iter().map(|c| (c.repeats, c.timeout.unwrap().as_secs())).collect();
    assert_eq!(repeats, [(3, 2), (1, 2), (3, 2)]);
}

#[test]
fn commands_that_run_nothing_may_take_any_retriever() {
    let mut registry = Registry::new();
    assert!(small("snapshot: true\nmetric: AP").is_ok());
    let text = "version: 1\nbenchmark: x\ncollection: {inline: {queries: [{id: q1, text: a}]}}\n\
        configurations: {mine: {retriever: anybody}}\nthresholds: [{metric: AP, min: 0.1}]\n";
    let path = Path::new("x.yaml");
    assert!(fault(Spec::parse(path, text, &registry)).starts_with("no retriever is registered as `anybody`"));
    registry.any_retriever();
    assert!(Spec::parse(path, text, &registry).is_ok());
    registry.without_feature("http");
    let text =
        text.replace("retriever: anybody", "http: {url: 'http://x', body: '{text}', hits: '', id: ''}");
    assert_eq!(fault(Spec::parse(path, &text, &registry)), "`http` cannot be used here");
}

#[test]
fn judgments_under_a_misspelt_key_are_no_metadata() {
    let text = "version: 1\nbenchmark: x\ncollection:\n  inline:\n    queries:\n      - {id: q1, text: a, relevent: {d1: 2}}\n      \
        - {id: q2, text: b, relevant: [d1], relevance: high}\nconfigurations: {a: {retriever: mine}}\nthresholds: [{metric: AP, min: 0.1}]\n";
    let mut registry = Registry::new();
    registry.retriever("mine");
    let error = Spec::parse(Path::new("x.yaml"), text, &registry).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("`relevent` are no judgments") && said.contains("x.yaml:6:27"), "{said}");
    assert!(said.contains("a query's judgments are `relevant`"), "{said}");
    Spec::parse(Path::new("x.yaml"), &text.replace("relevent", "relevant"), &registry).unwrap();
}

#[test]
fn latency_gates_are_named_by_what_they_hold_and_advise_where_the_machine_decides() {
    let gates = "metric: AP\nconfigurations: {a: {retriever: mine}, b: {retriever: mine}, old: {run: data/legacy.run}}\n\
        latency:\n\
        - {quantile: p95, max: 200us}\n\
        - {quantile: p99.9, max: 1.5s, for: b, level: blocking}\n\
        - {max-ratio: 1.1, candidate: a, baseline: b}\n\
        - {max-ratio: 0.8, candidate: b, baseline: a, name: fast}\n";
    let text = format!(
        "version: 1\nbenchmark: x\ncollection: {{inline: {{queries: [{{id: q1, text: a}}]}}}}\n{gates}"
    );
    let path = Path::new("tests/spec_errors/x.yaml");
    let spec = Spec::parse(path, &text, &registry()).unwrap();
    let named: Vec<_> = spec.gates.iter().map(|gate| (gate.name.as_str(), gate.level, gate.line)).collect();
    // A frozen run is left out of what has no `for`.
    let expected = [
        ("x::a::latency-p95", Level::Advisory, 7),
        ("x::b::latency-p95", Level::Advisory, 7),
        ("x::b::latency-p99.9", Level::Blocking, 8),
        ("x::a-vs-b::latency", Level::Blocking, 9),
        ("x::b-vs-a::latency[fast]", Level::Blocking, 10),
    ];
    assert_eq!(named, expected);
    let max = |quantile: &str, max| LatencyLimit::Max { quantile: quantile.parse().unwrap(), max };
    let max_ratio = |ratio, baseline: &str| LatencyLimit::MaxRatio { ratio, baseline: baseline.to_owned() };
    // 72 answers have a p95 with two limits (.95^72 < .025), and 3,688 have a p99.9.
    let blocks = |gate: &rankgate::gate::LatencyGate| gate.limit.blocks(30, spec.statistics.confidence);
    let limits: Vec<_> = spec.latency.iter().map(|gate| (gate.limit.clone(), blocks(gate))).collect();
    let expected = [
        (max("p95", Duration::from_micros(200)), 3),
        (max("p99.9", Duration::from_millis(1500)), 12),
        (max_ratio(1.1, "b"), 12),
        (max_ratio(0.8, "a"), 12),
    ];
    assert_eq!(limits, expected);
}
