//! Stages of pipelines, end to end: what answers carry, what gates make of it, and what is wrong with it.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rankgate::benchmark::model::{Finding, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::retriever::{Response, response_fn};
use rankgate::{Hit, Query, report};

use crate::reports::{joined, measured};

const COLLECTION: &str = "version: 1
benchmark: toy
collection:
  inline:
    queries:
      - {id: q1, text: one, relevant: {r: 1}}
      - {id: q2, text: two, relevant: {r: 1}}
";

fn hits(ids: &[&str]) -> Vec<Hit> {
    ids.iter().zip(0..).map(|(id, rank)| Hit::new(*id, 1.0 / f64::from(rank + 1))).collect()
}

/// Counts how often it is asked. Words find `a r b`, vectors `b c`, fused they are `a b c r`, and what is returned is `r a`.
fn registry(stages: &'static [(&'static str, &'static [&'static str])]) -> (Registry, Arc<AtomicUsize>) {
    registry_of(&["r", "a"], stages)
}

/// The same with what is returned.
fn registry_of(
    returned: &'static [&'static str],
    stages: &'static [(&'static str, &'static [&'static str])],
) -> (Registry, Arc<AtomicUsize>) {
    let (mut registry, asked) = (Registry::new(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let build = move |_: &rankgate::Setup<'_>| {
        let count = Arc::clone(&count);
        Ok(response_fn(move |_: &Query, depth| {
            count.fetch_add(1, Ordering::Relaxed);
            let all = stages.iter().map(|(name, ids)| (*name, hits(ids)));
            let hits = hits(returned).into_iter().take(depth).collect::<Vec<_>>();
            Ok(all.fold(Response::new(hits), |response, (name, hits)| response.with_stage(name, hits)))
        }))
    };
    registry.retrievers.register("mine", build).unwrap();
    (registry, asked)
}

const STAGES: &[(&str, &[&str])] =
    &[("words", &["a", "r", "b"]), ("vectors", &["b", "c"]), ("fused", &["a", "b", "c", "r"])];

fn decide(folder: &Path, rest: &str, registry: &Registry) -> Report {
    let path = folder.join("toy.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}")).run()
}

const SPEC: &str = "metrics: [RR@10, R@2]
configurations:
  mine: {retriever: mine, stages: [[words, vectors], fused]}
thresholds:
  - {metric: RR@10, min: 1}
  - {metric: RR@10, min: 0.5, max: 0.5, for: mine@words}
  - {metric: RR@10, min: 0.25, max: 0.25, for: mine@fused}
comparisons:
  - {candidate: mine, baseline: mine@fused, metrics: [RR@10], expect: improvement, level: advisory}
";

/// By hand: `r` stands first in what is returned, second among `a r b`, fourth among `a b c r` and not among `b c`.
#[test]
fn a_stage_is_a_configuration_of_a_retriever_that_is_asked_once() {
    for (again, passes) in [("", 1), (", repeats: 2", 2), (", rebuilds: 2", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let (registry, asked) = registry(STAGES);
        let spec = SPEC.replace("fused]}", &format!("fused]{again}}}"));
        let report = decide(folder.path(), &spec, &registry);
        let names: Vec<&str> = report.gates.iter().map(|gate| gate.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "toy::mine::RR@10",
                "toy::mine@words::RR@10",
                "toy::mine@fused::RR@10",
                "toy::mine-vs-mine@fused::RR@10"
            ]
        );
        let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
        assert_eq!(verdicts[..3], [Verdict::Passed; 3], "{again}: {:#?}", report.gates);
        let Finding::Comparison(compared) = &report.gates[3].finding else { panic!("{:?}", report.gates[3]) };
        assert_eq!((compared.difference, compared.queries), (0.75, 2));
        // The stages that no gate names are in the report: they cost nothing.
        assert_eq!(measured(&report, "mine@vectors").metrics[0].value, 0.0);
        assert_eq!(asked.load(Ordering::Relaxed), 2 * passes, "{again}");
    }
}

/// By hand: the documents of words and vectors, and those that are fused, hold `r`, which stands first in the order of grades.
/// `r` is the fourth of `fused`, below all that a metric looks at.
#[test]
fn a_query_of_a_stage_has_its_first_relevant_document_among_the_results_that_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, _) = registry(STAGES);
    let gates = SPEC.split("thresholds").next().unwrap().replace("RR@10, R@2", "RR@2");
    let gates = format!("{gates}depth: 2\nthresholds: [{{metric: RR@2, min: 1}}]\n");
    let report = decide(folder.path(), &gates, &registry);
    let fused = report.configurations.iter().find(|one| one.name == "mine@fused").unwrap();
    let Outcome::Measured(measured) = &fused.outcome else { panic!("{:?}", fused.outcome) };
    for query in &measured.queries {
        assert_eq!((query.retrieved, query.found, query.first_relevant), (2, 0, None));
    }
}

#[test]
fn csv_has_the_ceiling_of_each_stage() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, _) = registry(STAGES);
    let csv = report::csv(&decide(folder.path(), SPEC, &registry));
    assert!(csv.starts_with("configuration,query,metric,score,ceiling\n"), "{csv}");
    for line in [
        "mine,q1,RR@10,1,\n",
        "mine@words,q1,RR@10,0.5,1\n",
        "mine@vectors,q1,RR@10,0,1\n",
        "mine@vectors,q2,R@2,0,1\n",
        "mine@fused,q2,RR@10,0.25,1\n",
    ] {
        assert!(csv.contains(line), "{line}{csv}");
    }
    // What the words found alone is no ceiling of the vectors beside them: without `r` in any there is nothing to reach.
    let (registry, _) =
        self::registry(&[("words", &["a", "b"]), ("vectors", &["b", "c"]), ("fused", &["a"])]);
    let csv = report::csv(&decide(folder.path(), SPEC, &registry));
    assert!(csv.contains("mine@words,q1,RR@10,0,0\n"), "{csv}");
}

fn failure(stages: &'static [(&'static str, &'static [&'static str])], declared: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (registry, _) = registry(stages);
    let spec = format!(
        "configurations:\n  mine: {{retriever: mine, stages: {declared}}}\nthresholds:\n  - {{metric: RR@10, min: 1}}\n"
    );
    let report = decide(folder.path(), &spec, &registry);
    match &report.configurations[0].outcome {
        Outcome::Errored(failure) => failure.to_string(),
        Outcome::Measured(measured) => measured.cautions.join("\n"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_with_stages_fails_their_queries_or_is_said() {
    let text = failure(STAGES, "[words, reranked, fused]");
    assert!(
        text.starts_with(
            "query `q1`: the answer lacks stages that the spec names: `reranked`; it has `fused`, `vectors` and `words`"
        ),
        "{text}"
    );
    assert!(failure(&[], "[fused]").contains("lacks stages that the spec names: `fused`; it has none"));
    let text = failure(&[("fused", &["a", "b", "a"])], "[fused]");
    assert!(text.contains("stage `fused`: returned document `a` twice"), "{text}");
    // No gate looks at what the spec does not name, and what was not handed on is bound by no ceiling.
    assert_eq!(
        failure(STAGES, "[fused]"),
        "2 answers have stages that the spec does not name (`vectors` and `words`): nothing looks at them until `stages` does"
    );
    assert_eq!(
        failure(STAGES, "[words, vectors]"),
        "2 answers have stages that the spec does not name (`fused`): nothing looks at them until `stages` does; 2 queries return \
         documents that the stage `vectors` did not hand on (`r` for `q1`, `r` for `q2`): its ceiling does not bound them"
    );
}

#[test]
fn stages_of_other_queries_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, _) = registry(&[("candidates", &["x", "y"])]);
    let queries: String =
        (1..=6).map(|n| format!("      - {{id: q{n}, text: t, relevant: {{r: 1}}}}\n")).collect();
    let text = format!(
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n{queries}configurations:\n  mine: {{retriever: mine, stages: \
         [candidates]}}\nthresholds:\n  - {{metric: RR@10, min: 1}}\n"
    );
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, text).unwrap();
    let report = Benchmark::open(&path, &registry).unwrap().run();
    let Outcome::Errored(failure) = &report.configurations[0].outcome else { panic!("{report:?}") };
    assert_eq!(
        failure.to_string(),
        "for 6 of 6 queries no document that is returned stands in the stage `candidates`: the stages are of other queries, or have \
         other ids"
    );
}

/// By hand, of the spans `abc` and `ghi`: the stage holds two passages of the first and one of the second. In the best order they stand
/// first and second, and the one that finds nothing more is third.
#[test]
fn the_ceiling_of_passages_is_that_of_the_spans_that_they_cover() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("queries.tsv", "q1\tone\n"),
        ("pages.jsonl", "{\"_id\": \"p\", \"text\": \"abc def ghi\"}\n"),
        (
            "spans.jsonl",
            "{\"query\": \"q1\", \"document\": \"p\", \"quote\": \"abc\"}\n{\"query\": \"q1\", \"document\": \"p\", \
             \"quote\": \"ghi\"}\n",
        ),
        (
            "toy.yaml",
            "version: 1
benchmark: toy
collection:
  evidence: {queries: queries.tsv, documents: pages.jsonl, spans: spans.jsonl}
configurations:
  mine: {retriever: mine, stages: [passages]}
thresholds:
  - {metric: R@2, min: 0.5, max: 0.5}
",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let (registry, _) = registry_of(
        &["p#char=4,7", "p#char=0,3"],
        &[("passages", &["p#char=4,7", "p#char=0,3", "p#char=0,4", "p#char=8,11"])],
    );
    let report = Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run();
    assert_eq!(report.gates[0].verdict, Verdict::Passed, "{:?}", report.gates[0]);
    let mine = report.configurations.iter().find(|one| one.name == "mine").unwrap();
    assert_eq!((mine.steps[0].ceilings[0].metric.as_str(), mine.steps[0].ceilings[0].value), ("R@2", 1.0));
}

/// By hand: `r` stands first, whatever the words of a query are. What a comparison falls to is said of none: under a variant there are
/// no stages.
#[test]
fn under_a_variant_a_pipeline_is_compared_without_its_stages() {
    let folder = tempfile::tempdir().unwrap();
    let (registry, _) = registry(STAGES);
    let rest = "metrics: [RR@10]
configurations:
  mine: {retriever: mine, stages: [[words, vectors], fused]}
variants:
  turned: {kind: file, queries: turned.tsv}
comparisons:
  - {candidate: mine@turned, baseline: mine, metrics: [RR@10], expect: non-inferiority, margin: 0.5, level: advisory}
  - {candidate: mine, baseline: mine@turned, metrics: [RR@10], expect: non-inferiority, margin: 0.5, level: advisory}
";
    std::fs::write(folder.path().join("turned.tsv"), "q1\tthe first\nq2\tthe second\n").unwrap();
    let report = decide(folder.path(), rest, &registry);
    for gate in &report.gates {
        let Finding::Comparison(compared) = &gate.finding else { panic!("{gate:?}") };
        assert_eq!((compared.difference, &compared.stages), (0.0, &None));
    }
    let cautions = &measured(&report, "mine@turned").cautions;
    assert!(cautions.iter().all(|one| !one.contains("stages")), "{cautions:?}");
    assert!(report.configurations.iter().all(|one| !one.name.starts_with("mine@turned@")));
}

#[test]
fn a_fusion_of_stages_has_no_variants() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.yaml");
    let (registry, _) = registry(STAGES);
    let open = |variant: &str, named: &str| {
        let text = format!(
            "{COLLECTION}configurations:
  mine: {{retriever: mine, stages: [words]}}
  other: {{retriever: mine}}
  both: {{fuse: [mine@words, other]}}
  again: {{fuse: [both, other]}}
variants:
  typos: {{kind: typos{variant}}}
thresholds:
  - {{metric: RR@10, min: 0.1, for: [{named}]}}
"
        );
        std::fs::write(&path, text).unwrap();
        Benchmark::open(&path, &registry).map(|_| ()).map_err(|error| joined(&error.to_string()))
    };
    for (variant, named, shown) in [
        ("", "both@typos", "both@typos"),
        ("", "again@typos", "again@typos"),
        (", for: [both]", "both", "both"),
        (", for: [again]", "again", "again"),
    ] {
        let error = open(variant, named).unwrap_err();
        let expected = format!("`{shown}` is fused from a stage, and stages are measured without variants");
        assert!(error.contains(&expected) && error.contains("rankgate variants SPEC"), "{error}");
    }
    assert_eq!(open("", "both, again, other@typos, mine@typos"), Ok(()));
}

/// A pipeline that answers queries by what a function says: the candidates of two sources, what is fused of them, what is returned.
fn pipeline(
    registry: &mut Registry,
    name: &str,
    answers: impl Fn(&str) -> [Vec<Hit>; 4] + Clone + Send + Sync + 'static,
) {
    let build = move |_: &rankgate::Setup<'_>| {
        let answers = answers.clone();
        Ok(response_fn(move |query: &Query, _| {
            let [words, vectors, fused, last] = answers(&query.id);
            let response = Response::new(last).with_stage("words", words).with_stage("vectors", vectors);
            Ok(response.with_stage("fused", fused))
        }))
    };
    registry.retrievers.register(name, build).unwrap();
}

const COMPARED: &str = "metrics: [RR@10, nDCG@3, AP, SetP]
configurations:
  old: {retriever: old, stages: [[words, vectors], fused]}
  new: {retriever: new, stages: [[words, vectors], fused]}
comparisons:
  - {candidate: new, baseline: old, metrics: [RR@10, nDCG@3, AP, SetP], level: advisory}
  - {candidate: new@fused, baseline: old@fused, metrics: [RR@10], level: advisory}
";

/// By hand, of RR@10: the old pipeline finds `r` at the end of its words, fused first, and returns it first. The new one finds no `r`
/// for q1, so that no ranking of its candidates reaches 1; for q2 it finds `r`, fuses it, and returns it second. The ceilings of the
/// candidates fall from 1 to 1/2, those of what is fused by no more, and for q2 the ranking loses 1/2: -3/4 = -1/2 + 0 - 1/4.
#[test]
fn a_drop_is_split_among_the_stages() {
    let folder = tempfile::tempdir().unwrap();
    let mut registry = Registry::new();
    let old = [&["a", "r"][..], &["b"], &["r", "a", "b"], &["r", "a"]].map(hits);
    pipeline(&mut registry, "old", move |_| old.clone());
    pipeline(&mut registry, "new", |query| match query {
        "q1" => [&["a"][..], &["b"], &["a", "b"], &["a", "b"]].map(hits),
        _ => [&["a"][..], &["b", "r"], &["a", "r", "b"], &["a", "r"]].map(hits),
    });
    let report = decide(folder.path(), COMPARED, &registry);
    let Finding::Comparison(compared) = &report.gates[0].finding else { panic!("{:?}", report.gates[0]) };
    assert_eq!(compared.difference, -0.75);
    let split = compared.stages.as_ref().unwrap();
    let parts: Vec<_> = split.parts.iter().map(|part| (part.stages.join("+"), part.difference)).collect();
    let expected = [("words+vectors", -0.5), ("fused", 0.0), ("", -0.25)];
    assert_eq!(parts, expected.map(|(name, part)| (name.to_owned(), part)));
    assert_eq!((split.parts[0].baseline, split.parts[0].candidate), (1.0, 0.5));
    // Student's t with one degree of freedom: 12.7062 standard errors of 1/2 around -1/2.
    let [low, high] = split.parts[0].interval.unwrap();
    assert!((low + 6.8531).abs() < 1e-4 && (high - 5.8531).abs() < 1e-4, "{low} {high}");
    let text = joined(&report::message(&report, &report.gates[0]));
    assert!(
        text.contains(
            "by stage: words+vectors lost 0.5000, fused lost nothing, the ranking after them lost 0.2500"
        ),
        "{text}"
    );
    // Fewer documents may be more precise: no ceiling, and nothing is split.
    let Finding::Comparison(set) = &report.gates[3].finding else { panic!("{:?}", report.gates[3]) };
    assert_eq!(set.stages, None);
    // A stage is split among those before it.
    let Finding::Comparison(fused) = &report.gates[4].finding else { panic!("{:?}", report.gates[4]) };
    let parts = &fused.stages.as_ref().unwrap().parts;
    assert_eq!(parts.iter().map(|part| part.difference).collect::<Vec<_>>(), [-0.5, -0.25]);
    let new = report.configurations.iter().find(|one| one.name == "new").unwrap();
    let ceilings: Vec<f64> = new.steps.iter().map(|step| step.ceilings[0].value).collect();
    assert_eq!((ceilings, measured(&report, "new").metrics[0].value), (vec![0.5, 0.5], 0.25));
    let text = joined(&report::text(&report));
    assert!(text.contains("RR@10 new 0.5000 (0.0000, 0.2500) 0.5000 (0.2500) 0.2500"), "{text}");
    assert!(report::markdown(&report).contains("no reranker gets more out of them"));
    let json = report::json(&report);
    assert!(json.contains("\"ceilings\"") && json.contains("\"parts\""), "{json}");
}

/// Rankings of any kind, stages that lose documents and find others: the parts are the difference but for the rounding of a few
/// subtractions of numbers up to 1.
#[test]
fn stage_parts_add_up_to_the_drop() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..20_u64 {
        let mut registry = Registry::new();
        for (salt, name) in [(1, "old"), (2, "new")] {
            let ids = move |query: &str, step: u64| -> Vec<Hit> {
                let drawn = |place: u64| {
                    let number = query.bytes().last().map_or(0, u64::from)
                        + 7 * place
                        + 31 * step
                        + 101 * salt
                        + 1009 * seed;
                    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60
                };
                let mut ids: Vec<String> = Vec::new();
                for id in
                    (0..6).map(|place| ["r", "s", "a", "b", "c", "d", "e", "f"][(drawn(place) % 8) as usize])
                {
                    if !ids.iter().any(|known| known == id) {
                        ids.push(id.to_owned());
                    }
                }
                ids.into_iter().map(|id| Hit::new(id, 1.0)).collect()
            };
            pipeline(&mut registry, name, move |query| [0, 1, 2, 3].map(|step| ids(query, step)));
        }
        let path = folder.path().join("toy.yaml");
        let graded = COLLECTION.replace("relevant: {r: 1}", "relevant: {r: 3, s: 1, t: 2}");
        std::fs::write(
            &path,
            format!("{graded}      - {{id: q3, text: three, relevant: {{s: 2}}}}\n{COMPARED}"),
        )
        .unwrap();
        let report = Benchmark::open(&path, &registry).unwrap().run();
        for gate in &report.gates {
            let Finding::Comparison(compared) = &gate.finding else { panic!("{gate:?}") };
            let Some(split) = &compared.stages else {
                assert_eq!(compared.metric, "SetP");
                continue;
            };
            let sum: f64 = split.parts.iter().map(|part| part.difference).sum();
            assert!(
                (sum - compared.difference).abs() <= 1e-15,
                "{seed} {}: {sum} {}",
                gate.name,
                compared.difference
            );
        }
    }
}

/// The stage says 2 ms of an answer that takes at least 5: its gate rests on that, and not on the clock.
#[test]
fn a_latency_gate_on_a_stage_rests_on_the_time_that_the_stage_says() {
    let gates = |time: Option<Duration>, max: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut registry = Registry::new();
        let build = move |_: &rankgate::Setup<'_>| {
            Ok(response_fn(move |_: &Query, _| {
                std::thread::sleep(Duration::from_millis(5));
                let response = Response::new(hits(&["r"])).with_stage("found", hits(&["r"]));
                Ok(time.map_or_else(|| response.clone(), |time| response.clone().with_time("found", time)))
            }))
        };
        registry.retrievers.register("mine", build).unwrap();
        let gate = format!("{{quantile: p50, max: {max}, for: mine@found, level: blocking}}");
        let spec =
            format!("configurations:\n  mine: {{retriever: mine, stages: [found]}}\nlatency:\n  - {gate}\n");
        let report = decide(folder.path(), &spec, &registry);
        let gate = &report.gates[0];
        (gate.verdict, joined(&report::message(&report, gate)))
    };
    let two = Some(Duration::from_millis(2));
    let (verdict, text) = gates(two, "3ms");
    assert!(text.contains("2.0 ms"), "{verdict:?} {text}");
    let (_, text) = gates(two, "1ms");
    assert!(text.contains("2.0 ms"), "{text}");
    let (verdict, text) = gates(None, "3ms");
    assert!(
        verdict == Verdict::Errored && text.contains("the answer has no time of the stage `found`"),
        "{text}"
    );
    let (verdict, text) = gates(Some(Duration::from_secs(1)), "3ms");
    assert!(verdict == Verdict::Errored && text.contains("took 1.0s by its own account"), "{text}");
}
