//! Variants of queries, end to end: what is asked, by what it is judged, and what gates and reports make of it.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rankgate::benchmark::model::{Finding, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

use crate::reports::measured;

const COLLECTION: &str = "version: 1
benchmark: toy
collection:
  inline:
    queries:
      - {id: q1, text: one question, relevant: {r: 1}, kind: a}
      - {id: q2, text: another question, relevant: {r: 1}, kind: b}
      - {id: q3, text: the third, relevant: {r: 1}, kind: b}
";
/// Two of q1, one of q2, and of q3 what it is already.
const SPOKEN: &str = "{\"id\": \"q1\", \"text\": \"x one question\"}
{\"id\": \"q1\", \"text\": \"xxx one question\"}
{\"id\": \"q2\", \"text\": \"x another question\"}
{\"id\": \"q3\", \"text\": \"the third\"}
";

type AskedTexts = Arc<Mutex<BTreeSet<(String, String, Vec<String>)>>>;

/// Finds the answer after as many other documents as the text has `x`, and writes down what it was asked.
fn registry() -> (Registry, AskedTexts) {
    let (mut registry, asked) = (Registry::new(), AskedTexts::default());
    let seen = Arc::clone(&asked);
    let find = move |query: &Query, depth: usize| {
        seen.lock().unwrap().insert((query.id.clone(), query.text.clone(), query.segments("kind")));
        let others = query.text.matches('x').count();
        let ids = (0..others).map(|other| format!("n{other}")).chain(["r".to_owned()]);
        Ok(ids.take(depth).map(|id| Hit::new(id, 1.0)).collect())
    };
    let find = Arc::new(find);
    registry
        .retrievers
        .register("mine", move |setup| {
            // What is asked is what a retriever is told that will be asked.
            let known: BTreeSet<String> = setup.collection().queries().iter().map(|q| q.id.clone()).collect();
            let find = Arc::clone(&find);
            Ok(retriever_fn(move |query: &Query, depth| {
                assert!(known.contains(&query.id), "{}", query.id);
                find(query, depth)
            }))
        })
        .unwrap();
    (registry, asked)
}

fn decide(folder: &Path, rest: &str, registry: &Registry) -> Report {
    std::fs::write(folder.join("spoken.jsonl"), SPOKEN).unwrap();
    let path = folder.join("toy.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}")).run()
}

const SPEC: &str = "metrics: [RR@10]
segments: [kind]
variants:
  spoken: {kind: file, queries: spoken.jsonl}
thresholds:
  - {metric: RR@10, min: 1}
  - {metric: RR@10, min: 0.4375, max: 0.4375, for: [mine@spoken]}
  - {metric: RR@10, min: 0.375, max: 0.375, for: [mine@spoken], segment: {kind: a}}
comparisons:
  - {candidate: mine@spoken, baseline: mine, metrics: [RR@10], expect: non-inferiority, margin: 0.1, level: advisory}
";

/// By hand: mine finds all at rank 1. Of the variants of q1 one finds it at rank 2 and one at rank 4, which is
/// (1/2 + 1/4) / 2 = 3/8; that of q2 at rank 2. The mean is (3/8 + 1/2) / 2 = 7/16, and 9/16 less than that of the
/// same two queries.
#[test]
fn a_query_scores_the_mean_of_its_variants_and_is_paired_with_itself() {
    for again in ["", ", repeats: 2", ", rebuilds: 2"] {
        let folder = tempfile::tempdir().unwrap();
        let (registry, asked) = registry();
        let configurations = format!("configurations:\n  mine: {{retriever: mine{again}}}\n");
        let report = decide(folder.path(), &format!("{configurations}{SPEC}"), &registry);
        let names: Vec<&str> = report.gates.iter().map(|gate| gate.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "toy::mine::RR@10",
                "toy::mine@spoken::RR@10",
                "toy::mine@spoken::RR@10[kind=a]",
                "toy::mine@spoken-vs-mine::RR@10"
            ]
        );
        let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
        assert_eq!(verdicts[..3], [Verdict::Passed; 3], "{again}: {:#?}", report.gates);
        let Finding::Comparison(compared) = &report.gates[3].finding else { panic!("{:?}", report.gates[3]) };
        assert_eq!((compared.difference, compared.queries, compared.unpaired), (-0.5625, 2, 1));
        assert_eq!(compared.movers.losses[0].query, "q1");
        let variant = report.configurations[1].variant.as_ref().unwrap();
        assert_eq!((variant.of.as_str(), variant.name.as_str()), ("mine", "spoken"));
        assert_eq!((variant.asked, variant.queries, variant.left_out), (3, 2, 1));
        let change = &variant.changes[0];
        assert_eq!((change.value, change.original), (0.4375, Some(1.0)));
        let spread = measured(&report, "mine@spoken").metrics[0].spread;
        assert_eq!(spread, (!again.is_empty()).then_some([0.4375; 2]), "{again}");
        let asked = asked.lock().unwrap();
        let variants: Vec<_> = asked.iter().filter(|(id, ..)| id.contains('@')).collect();
        let expected = [
            ("q1@spoken", "x one question", "a"),
            ("q1@spoken.2", "xxx one question", "a"),
            ("q2@spoken", "x another question", "b"),
        ];
        let expected =
            expected.map(|(id, text, kind)| (id.to_owned(), text.to_owned(), vec![kind.to_owned()]));
        assert_eq!(variants, expected.iter().collect::<Vec<_>>());
        assert_eq!(asked.len(), 6);
        let text = report::text(&report);
        assert!(text.contains("RR@10   mine           1.0000    0.4375 -0.5625\n"), "{text}");
        assert!(
            text.contains("spoken: file spoken.jsonl, 3 texts of 2 queries; 1 query without one left out"),
            "{text}"
        );
        let page = report::markdown(&report);
        assert!(page.contains("0.4375") && page.contains("Variants"), "{page}");
    }
}

/// By hand: `mine` finds the document of the query's own tenant alone, and with an `x` in the text that of the other one first.
#[test]
fn documents_have_their_attributes_under_a_variant() {
    let folder = tempfile::tempdir().unwrap();
    let collection = r#"{"queries": [{"id": "q1", "text": "one question", "tenant": "a"}], "qrels": {"q1": {"r": 1}},
"corpus": [{"id": "r", "text": "its own", "tenant": "a"}, {"id": "n0", "text": "another", "tenant": "b"}]}"#;
    let spec = "version: 1
benchmark: toy
collection: {json: c.json}
variants: {spoken: {kind: file, queries: other.jsonl}}
attributes: {leak: {tenant: {not: $query.tenant}}}
configurations: {mine: {retriever: mine}}
thresholds:
  - {metric: Count(leak)@5, max: 0}
  - {metric: Count(leak)@5, min: 1, max: 1, for: [mine@spoken]}
";
    let other = "{\"id\": \"q1\", \"text\": \"x one question\"}\n";
    for (name, text) in [("c.json", collection), ("other.jsonl", other), ("toy.yaml", spec)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let report = Benchmark::open(folder.path().join("toy.yaml"), &registry().0).unwrap().run();
    let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Passed; 2], "{:#?}", report.gates);
}

#[test]
fn a_frozen_run_answers_variants_by_their_own_ids_or_is_errored() {
    let folder = tempfile::tempdir().unwrap();
    let rest =
        format!("configurations:\n  mine: {{run: mine.run}}\n{}", SPEC.replace("segments: [kind]\n", ""));
    let own = "q1 Q0 r 1 9 x\nq2 Q0 r 1 9 x\nq3 Q0 r 1 9 x\n";
    // The same answers as above.
    let lines = [("q1@spoken", 1), ("q1@spoken.2", 3), ("q2@spoken", 1)].map(|(query, others)| {
        let other = |rank: usize| format!("{query} Q0 n{rank} {rank} {} x\n", 9 - rank);
        format!("{}{query} Q0 r {} 1 x\n", (1..=others).map(other).collect::<String>(), others + 1)
    });
    for (run, verdict) in
        [(format!("{own}{}", lines.concat()), Verdict::Passed), (own.to_owned(), Verdict::Errored)]
    {
        std::fs::write(folder.path().join("mine.run"), run).unwrap();
        let report = decide(folder.path(), &rest, &Registry::new());
        assert_eq!(report.gates[0].verdict, Verdict::Passed);
        assert_eq!([1, 2].map(|gate| report.gates[gate].verdict), [verdict; 2], "{:#?}", report.gates);
        if let Some(reason) = report.gates[1].finding.undecided_reason() {
            assert_eq!(
                reason,
                "the run has no answer to the variant `spoken`, whose queries have ids such as `q1@spoken`, and it has \
                 ids such as `q1`; `rankgate variants` prints ids and texts to answer"
            );
        }
    }
}

#[test]
fn what_is_asked_is_the_same_however_many_are_asked_at_once() {
    let made = |concurrency: usize| {
        let folder = tempfile::tempdir().unwrap();
        let (registry, asked) = registry();
        let rest = format!(
            "configurations:\n  mine: {{retriever: mine, concurrency: {concurrency}}}\nvariants:\n  typos: {{kind: \
             typos, seed: 3, per-query: 5}}\n  order: {{kind: word-order, seed: 3}}\nthresholds: [{{metric: RR@10, min: \
             0}}]\n"
        );
        let report = decide(folder.path(), &rest, &registry);
        let queries = ["mine@typos", "mine@order"].map(|name| measured(&report, name).queries.clone());
        (queries, asked.lock().unwrap().clone())
    };
    assert_eq!(made(1), made(8));
    assert_eq!(made(2).1.len(), 3 + 3 * 5 + 3);
}

#[test]
fn configurations_are_asked_for_the_report_unless_the_variant_says_which() {
    let (registry, _) = registry();
    let names = |variant: &str, more: &str| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("old.run"), "q1 Q0 r 1 9 x\n").unwrap();
        let rest = format!(
            "configurations:\n  mine: {{retriever: mine}}\n  twin: {{retriever: mine}}\n  old: {{run: \
             old.run}}\nvariants:\n  typos: {{kind: typos{variant}}}\nthresholds:\n  - {{metric: RR@10, min: 0}}\n{more}"
        );
        let report = decide(folder.path(), &rest, &registry);
        let gates = report.gates.len();
        assert_eq!(
            gates,
            if more.is_empty() { 3 } else { 4 },
            "a threshold holds configurations as they are"
        );
        report.configurations.iter().skip(3).map(|one| one.name.clone()).collect()
    };
    assert_eq!(names("", ""), ["mine@typos", "twin@typos"]);
    assert_eq!(names(", for: [mine]", ""), ["mine@typos"]);
    let named = "  - {metric: RR@10, min: 0, for: [old@typos]}\n";
    assert_eq!(names(", for: [mine]", named), ["mine@typos", "old@typos"]);
}
