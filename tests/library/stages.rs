//! Stages of pipelines, end to end: what answers carry, what gates make of it, and what is wrong with it.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rankgate::benchmark::model::{Finding, Measured, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::retriever::{Response, response_fn};
use rankgate::{Hit, Query};

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
    let (mut registry, asked) = (Registry::new(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let build = move |_: &rankgate::Setup<'_>| {
        let count = Arc::clone(&count);
        Ok(response_fn(move |_: &Query, depth| {
            count.fetch_add(1, Ordering::Relaxed);
            let all = stages.iter().map(|(name, ids)| (*name, hits(ids)));
            let hits = hits(&["r", "a"]).into_iter().take(depth).collect::<Vec<_>>();
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

fn measured<'a>(report: &'a Report, name: &str) -> &'a Measured {
    let one = report.configurations.iter().find(|one| one.name == name).unwrap();
    let Outcome::Measured(measured) = &one.outcome else { panic!("{one:?}") };
    measured
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
