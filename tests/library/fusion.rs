//! Fusion: the same numbers as ranx, and configurations that are fused of others.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rankgate::benchmark::model::{Outcome, Report};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::fusion::{Fusion, FusionMethod, Norm};
use rankgate::gate::Verdict;
use rankgate::spec::Spec;
use rankgate::{Hit, Query, Setup, retriever_fn};
use serde::Deserialize;

type Rankings = BTreeMap<String, BTreeMap<String, f64>>;

#[derive(Deserialize)]
struct Runs {
    ranx: String,
    runs: Vec<Rankings>,
}

#[derive(Deserialize)]
struct Setting {
    method: FusionMethod,
    norm: Option<Norm>,
    runs: Vec<usize>,
    #[serde(default)]
    weights: Vec<f64>,
    #[serde(alias = "sigma", alias = "phi", alias = "gamma")]
    k: Option<f64>,
    scores: Rankings,
}

/// `tests/reference/make_fusion.py` writes what is expected here.
#[test]
fn fusion_equals_ranx() {
    let text = std::fs::read_to_string("tests/reference/fusion/ranx.jsonl").unwrap();
    let mut lines = text.lines();
    let Runs { ranx, runs } = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(ranx, "0.3.21");
    let (mut settings, mut values) = (0, 0);
    for line in lines {
        let setting: Setting = serde_json::from_str(line).unwrap();
        let mut fusion = Fusion::new(setting.method).with_weights(setting.weights);
        if let Some(norm) = setting.norm {
            fusion = fusion.with_norm(norm);
        }
        if let Some(parameter) = setting.k {
            fusion = fusion.with_parameter(parameter);
        }
        // Distances come nearest first.
        let rising = setting.norm == Some(Norm::MinMaxInverted);
        let ranking = |run: &usize, query: &str| {
            let mut hits: Vec<Hit> =
                runs[*run][query].iter().map(|(id, score)| Hit::new(id, *score)).collect();
            hits.sort_by(
                |a, b| if rising { a.score.total_cmp(&b.score) } else { b.score.total_cmp(&a.score) },
            );
            hits
        };
        for (query, expected) in &setting.scores {
            let rankings: Vec<Vec<Hit>> = setting.runs.iter().map(|run| ranking(run, query)).collect();
            let rankings: Vec<&[Hit]> = rankings.iter().map(Vec::as_slice).collect();
            let fused = fusion.fuse_rankings(&rankings).unwrap();
            assert_eq!(fused.len(), expected.len(), "{fusion}, {query}");
            for hit in fused {
                let theirs = expected[&hit.id];
                let near = (hit.score - theirs).abs() <= 1e-12 * theirs.abs().max(1.0);
                assert!(near, "{fusion}, {query}, {}: {}, and {theirs} by ranx", hit.id, hit.score);
                values += 1;
            }
        }
        settings += 1;
    }
    // Nine by ranks, ten by scores under eight normalisations.
    assert_eq!(settings, 9 + 10 * 8);
    assert!(values > 4000, "{values}");
}

const TOY: &str = "version: 1
benchmark: toy
collection:
  inline:
    queries:
      - {id: q1, text: refund money, relevant: [d3]}
      - {id: q2, text: call office, relevant: [d1]}
";

/// The first so many documents that each query gets, in the order of `ids`, by a retriever that counts who asks.
fn registry(asked: &Arc<AtomicUsize>) -> Registry {
    let mut registry = Registry::new();
    let rankings = [
        ("words", [("d1", 9.0), ("d2", 8.0), ("d3", 5.0)]),
        ("dense", [("d3", 0.9), ("d2", 0.8), ("d4", 0.1)]),
        ("bare", [("d3", 1.0), ("d2", 0.5), ("d4", 1.0 / 3.0)]),
        ("distances", [("d3", 0.1), ("d2", 0.2), ("d4", 0.9)]),
    ];
    for (name, hits) in rankings {
        let asked = Arc::clone(asked);
        let build = move |_: &Setup<'_>| {
            let asked = Arc::clone(&asked);
            Ok(retriever_fn(move |_: &Query, depth| {
                asked.fetch_add(1, Ordering::Relaxed);
                Ok(hits.into_iter().take(depth).map(|(id, score)| Hit::new(id, score)).collect())
            }))
        };
        registry.retrievers.register(name, build).unwrap();
    }
    let fails = |_: &Setup<'_>| Ok(retriever_fn(|_: &Query, _| Err("connection refused".into())));
    registry.retrievers.register("broken", fails).unwrap();
    registry
}

fn report(configurations: &str, rest: &str) -> (Report, usize) {
    let asked = Arc::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, format!("{TOY}configurations:\n{configurations}{rest}")).unwrap();
    let report = Benchmark::open(&path, &registry(&asked)).unwrap_or_else(|error| panic!("{error}")).run();
    (report, asked.load(Ordering::Relaxed))
}

fn value(report: &Report, name: &str) -> Result<f64, String> {
    let one = report.configurations.iter().find(|one| one.name == name).unwrap();
    match &one.outcome {
        Outcome::Measured(measured) => Ok(measured.metrics[0].value),
        Outcome::Errored(failure) => Err(failure.to_string()),
        other => panic!("{other:?}"),
    }
}

const SOURCES: &str = "  words: {retriever: words}\n  dense: {retriever: dense}\n";

/// By hand: the words rank d3 third and d1 first, so RR is (1/3 + 1) / 2; the vectors d3 first and d1 nowhere, (1 + 0) / 2.
/// Fused by ranks, d3 has 1/63 + 1/61, d2 1/62 + 1/62 and d1 1/61: RR is (1 + 1/3) / 2. By weights .75 and .25 of min-max, d1 has .75,
/// d2 .75 × .75 + .25 × .875 = .78125 and d3 .25: (1/3 + 1/2) / 2.
#[test]
fn rankings_are_asked_once_and_fused_in_every_way() {
    let fusions = "  rrf: {fuse: [words, dense]}
  weighted: {fuse: [words, dense], method: weighted, weights: [.75, .25]}
  again: {fuse: [rrf, words], method: isr}
  short: {fuse: [words, dense], depth: 1}
  mixed: {fuse: [words, distances], method: combsum, norm: [min-max, min-max-inverted]}
  distances: {retriever: distances}
";
    let (report, asked) = report(
        &format!("{SOURCES}{fusions}"),
        "depth: 3\nthresholds: [{metric: RR@3, min: 0.1}]\ndeterministic: {of: answers}\n",
    );
    assert_eq!(asked, 3 * 2 * 2, "three retrievers, two queries, twice to see whether answers repeat");
    assert_eq!(value(&report, "words"), Ok((1.0 / 3.0 + 1.0) / 2.0));
    assert_eq!(value(&report, "rrf"), Ok((1.0 + 1.0 / 3.0) / 2.0));
    assert_eq!(value(&report, "weighted"), Ok((1.0 / 3.0 + 1.0 / 2.0) / 2.0));
    // d3: (1/1 + 1/9) × 2 = 20/9; d1: (1/9 + 1/1) × 2 = 20/9, of the equal ones d3 first; d2: (1/4 + 1/4) × 2.
    assert_eq!(value(&report, "again"), Ok((1.0 + 1.0 / 2.0) / 2.0));
    // The first of each: d1 and d3 tie.
    assert_eq!(value(&report, "short"), Ok((1.0 + 1.0 / 2.0) / 2.0));
    // d3: 0 + 1; d1: 1; d2: 0.75 + 0.875.
    assert_eq!(value(&report, "mixed"), Ok((1.0 / 2.0 + 1.0 / 3.0) / 2.0));
    let names: Vec<&str> = report.gates.iter().map(|gate| gate.name.as_str()).collect();
    assert!(
        names.contains(&"toy::words::deterministic") && !names.contains(&"toy::rrf::deterministic"),
        "{names:?}"
    );
}

#[test]
fn what_cannot_be_fused_keeps_gates_from_being_decided() {
    let sources =
        "  bare: {retriever: bare}\n  distances: {retriever: distances}\n  broken: {retriever: broken}\n";
    let fusions = "  scores: {fuse: [words, bare], method: combsum}
  rising: {fuse: [words, distances], method: combsum}
  ranks: {fuse: [words, bare, distances]}
  failed: {fuse: [words, broken]}
  odd: {fuse: [three, two]}
  three: {retriever: words, repeats: 3}
  two: {retriever: dense, repeats: 2}
  even: {fuse: [three, dense]}
";
    let (report, _) =
        report(&format!("{SOURCES}{sources}{fusions}"), "depth: 3\nthresholds: [{metric: RR@3, min: 0.1}]\n");
    for (name, expected) in [
        ("scores", "`bare` has no scores, only an order: fuse by ranks, as method `rrf` or norm `rank` do"),
        (
            "rising",
            "`distances`, query `q1`: its scores rise from rank 1 (0.1) to rank 2 (0.2), so they contradict its order: fuse by \
             ranks, as method `rrf` does, or use norm `min-max-inverted` for distances",
        ),
        (
            "odd",
            "`two` answered 2 times and `three` 3 times: give them the same `repeats`, or one of them none",
        ),
    ] {
        assert_eq!(value(&report, name), Err(expected.to_owned()), "{name}");
    }
    let failed = value(&report, "failed").unwrap_err();
    assert!(
        failed.starts_with("`broken`, which is fused here: ") && failed.contains("connection refused"),
        "{failed}"
    );
    assert!(value(&report, "ranks").is_ok() && value(&report, "even").is_ok());
    let errored = report.gates.iter().filter(|gate| gate.verdict == Verdict::Errored).count();
    assert_eq!(errored, 5, "four fusions, and what was broken before");
}

#[test]
fn under_a_variant_what_was_answered_under_it_is_fused() {
    let rest = "  rrf: {fuse: [words, dense]}
variants:
  typos: {kind: typos, seed: 7}
depth: 3
thresholds: [{metric: RR@3, min: 0.1, for: [rrf@typos]}]
";
    let (report, asked) = report(SOURCES, rest);
    assert_eq!(asked, 2 * 2 * 2, "two retrievers, as they are and under the variant, two queries");
    assert_eq!(value(&report, "rrf@typos"), Ok((1.0 + 1.0 / 3.0) / 2.0));
}

/// By hand: with an `x` for each of the two texts of a query, the retriever finds d3 after so many others, at ranks 2 and 3, which is
/// (1/2 + 1/3) / 2 = 5/12; the other one finds it first. By ranks with k 60 d3 has 1/61 + 1/62 and 1/61 + 1/63, more than anything else.
#[test]
fn under_a_variant_of_several_texts_a_source_may_have_no_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let texts = "q1\tx refund\nq1\txx refund\nq2\tx call\nq2\txx call\n";
    std::fs::write(folder.path().join("spoken.tsv"), texts).unwrap();
    let of = |words: &str, bare: &str| {
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n      - {{id: q1, text: refund, relevant: [d3]}}\n      \
             - {{id: q2, text: call, relevant: [d3]}}\nconfigurations:\n  late: {{retriever: late{words}}}\n  \
             bare: {{retriever: bare{bare}}}\n  rrf: {{fuse: [late, bare]}}\nvariants: {{spoken: {{kind: file, queries: \
             spoken.tsv}}}}\nthresholds: [{{metric: RR@3, min: 0.1, for: [rrf@spoken, late@spoken]}}]\n"
        );
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, spec).unwrap();
        let mut registry = registry(&Arc::default());
        let late = |query: &Query, _: usize| {
            let others = query.text.matches('x').count();
            let ids = (0..others).map(|other| format!("n{other}")).chain(["d3".to_owned()]);
            Ok(ids.zip(1_i32..).map(|(id, rank)| Hit::new(id, 1.0 / f64::from(rank))).collect())
        };
        registry.retrievers.register("late", move |_| Ok(retriever_fn(late))).unwrap();
        let report = Benchmark::open(&path, &registry).unwrap_or_else(|error| panic!("{error}")).run();
        (value(&report, "late@spoken"), value(&report, "rrf@spoken"))
    };
    for (words, bare) in
        [("", ""), (", repeats: 2", ""), ("", ", repeats: 2"), (", repeats: 2", ", repeats: 2")]
    {
        let (late, fused) = of(words, bare);
        assert!((late.unwrap() - 5.0 / 12.0).abs() < 1e-12, "{words} {bare}");
        assert_eq!(fused, Ok(1.0), "{words} {bare}");
    }
    let error = "`bare@spoken` answered 2 times and `late@spoken` 3 times: give them the same `repeats`, or one of them none";
    assert_eq!(of(", repeats: 3", ", repeats: 2").1, Err(error.to_owned()));
}

#[test]
fn a_fusion_of_what_is_ignored_is_ignored() {
    let text = format!(
        "{TOY}configurations:\n  words: {{retriever: words}}\n  dense: {{retriever: dense, ignore: \"needs 8 GB\"}}\n  one: {{fuse: \
         [words, two]}}\n  two: {{fuse: [words, dense]}}\nthresholds: [{{metric: RR@3, min: 0.1}}]\n"
    );
    let path = Path::new("toy.yaml");
    let mut registry = rankgate::spec::Registry::new();
    registry.retriever("words").retriever("dense");
    let spec = Spec::parse(path, &text, &registry).unwrap();
    let ignored: Vec<&str> =
        spec.configurations.iter().filter(|one| one.ignore.is_some()).map(|one| one.name.as_str()).collect();
    assert_eq!(ignored, ["dense", "one", "two"]);
}

/// Without documents, hits alone say what these are.
#[test]
fn a_fusion_knows_what_the_hits_of_its_sources_say() {
    let decide = |dense: &'static str| {
        let mut registry = Registry::new();
        for (name, tenant) in [("words", "acme"), ("dense", dense)] {
            let find = move |_: &Query, _| {
                let own = Hit::new(format!("of-{name}"), 2.0).with("tenant", tenant);
                Ok(vec![own, Hit::new("d1", 1.0).with("tenant", tenant)])
            };
            registry.retrievers.register(name, move |_| Ok(retriever_fn(find))).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let rest = "  hybrid: {fuse: [words, dense]}
attributes: {foreign: {tenant: {not: acme}}}
thresholds: [{metric: Count(foreign)@3, max: 0, for: [hybrid]}]
depth: 3
";
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, format!("{TOY}configurations:\n{SOURCES}{rest}")).unwrap();
        let report = Benchmark::open(&path, &registry).unwrap_or_else(|error| panic!("{error}")).run();
        (report.gates[0].verdict, value(&report, "hybrid"))
    };
    assert_eq!(decide("acme"), (Verdict::Passed, Ok(0.0)));
    let (verdict, said) = decide("globex");
    assert_eq!(verdict, Verdict::Errored);
    assert_eq!(
        said.unwrap_err(),
        "document `d1`: `tenant` is \"globex\" by its hit of `dense` and \"acme\" by that of another configuration"
    );
}
