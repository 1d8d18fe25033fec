//! What documents are, end to end: documents of another tenant, old ones, and those of which nobody knows.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, GateReport, Outcome, Report, ThresholdFinding, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};
use serde_json::{Map, Value, json};

const QUERIES: &str = r#"{"_id": "q1", "text": "refunds", "metadata": {"tenant": "acme", "asked": "2026-06-01"}}
{"_id": "q2", "text": "delivery", "metadata": {"tenant": "globex", "asked": "2026-06-01"}}
{"_id": "q3", "text": "passwords", "metadata": {"tenant": "acme", "asked": "2026-06-01"}}
"#;
const DOCUMENTS: &str = r#"{"_id": "a1", "text": "refunds", "metadata": {"tenant": "acme", "updated": "2026-05-01"}}
{"_id": "a2", "text": "delivery", "metadata": {"tenant": "acme", "updated": "2025-01-01"}}
{"_id": "g1", "text": "refunds", "metadata": {"tenant": "globex", "updated": "2026-05-01"}}
{"_id": "n1", "text": "anything", "metadata": {"updated": "2026-05-01"}}
"#;
const LEAK: &str = "attributes: {leak: {tenant: {not: $query.tenant}}}\n";
const NONE_LEAKS: &str = "thresholds: [{metric: Count(leak)@2, max: 0, bound: every-query}]\n";

/// What a retriever returns for each query.
type Answers = [(&'static str, &'static [&'static str])];

fn write(folder: &Path, rest: &str) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    std::fs::create_dir_all(folder.join("qrels")).unwrap();
    write("queries.jsonl", QUERIES);
    write("corpus.jsonl", DOCUMENTS);
    write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\ta1\t1\nq2\tg1\t1\nq3\ta2\t1\n");
    write(
        "toy.yaml",
        &format!(
            "version: 1\nbenchmark: toy\ncollection: {{beir: .}}\nconfigurations: {{mine: {{retriever: mine}}}}\n{rest}"
        ),
    );
}

fn decide(rest: &str, answers: &'static Answers) -> Report {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), rest);
    let mut registry = Registry::new();
    let find = move |query: &Query, _| {
        let own = answers.iter().find(|(id, _)| *id == query.id).map_or(&[][..], |(_, ids)| ids);
        Ok(own.iter().map(|id| Hit::new(*id, 1.0)).collect())
    };
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap_or_else(|error| panic!("{error}")).run()
}

fn finding(gate: &GateReport) -> &ThresholdFinding {
    match &gate.finding {
        Finding::Threshold(finding) => finding,
        other => panic!("{other:?}"),
    }
}

/// The message without its line breaks.
fn message(report: &Report) -> String {
    report::message(report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn problem(rest: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), rest);
    let mut registry = Registry::new();
    registry.retrievers.register("mine", |_| Ok(retriever_fn(|_: &Query, _| Ok(vec![])))).unwrap();
    Benchmark::open(folder.path().join("toy.yaml"), &registry).map(drop).unwrap_err().to_string()
}

#[test]
fn a_leak_is_named_with_query_and_document() {
    let report = decide(
        &format!("{LEAK}{NONE_LEAKS}"),
        &[("q1", &["a1", "g1"]), ("q2", &["g1"]), ("q3", &["a2", "a1", "g1"])],
    );
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    let text = message(&report);
    for expected in [
        "mine breaks its limit for 1 of 3 queries on Count(leak)@2",
        "the highest query is 1.0000 above it",
        "1 query breaks it (leak: tenant not $query.tenant):",
        "q1 refunds 1.000 the query has tenant acme g1 (tenant globex) rank 2",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    // Beyond the cutoff nothing counts.
    assert!(!text.contains("q3"), "{text}");
    let every = finding(&report.gates[0]);
    assert_eq!((every.held, every.movers.better, every.movers.gains.len()), (Some(1.0), 1, 1));
}

#[test]
fn every_query_that_leaks_is_listed_with_every_document() {
    // More than the five queries and three documents that other messages show.
    let mut queries = String::new();
    let mut judged = "query-id\tcorpus-id\tscore\n".to_owned();
    let mut documents = String::new();
    for number in 0..12 {
        queries += &format!("{{\"_id\": \"q{number:02}\", \"text\": \"x\", \"tenant\": \"acme\"}}\n");
        judged += &format!("q{number:02}\td0\t1\n");
        documents += &format!("{{\"_id\": \"d{number}\", \"text\": \"x\", \"tenant\": \"globex\"}}\n");
    }
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &format!("{LEAK}thresholds: [{{metric: Count(leak)@6, max: 0, bound: every-query}}]\n"),
    );
    std::fs::write(folder.path().join("queries.jsonl"), queries).unwrap();
    std::fs::write(folder.path().join("corpus.jsonl"), documents).unwrap();
    std::fs::write(folder.path().join("qrels/test.tsv"), judged).unwrap();
    let mut registry = Registry::new();
    let find = |_: &Query, _| Ok((0..6).map(|number| Hit::new(format!("d{number}"), 1.0)).collect());
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let report = Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run();
    let text = message(&report);
    for number in 0..12 {
        assert!(text.contains(&format!("q{number:02}")), "{text}");
    }
    assert_eq!(text.matches("(tenant globex)").count(), 12 * 6, "{text}");
}

#[test]
fn a_clean_run_says_what_it_leaves_open() {
    let clean: &Answers = &[("q1", &["a1"]), ("q2", &["g1"]), ("q3", &["a2", "a1"])];
    let report = decide(&format!("{LEAK}{NONE_LEAKS}"), clean);
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
    // 1 - .05^(1/3) is .631 597, with Python's decimal
    let text = message(&report);
    assert!(
        text.contains(
            "None of the 3 queries with results breaks it. Up to 64% of queries like these could all the same"
        ),
        "{text}"
    );
    assert!(report::text(&report).contains("0 of 3 queries break it"), "{}", report::text(&report));
    // What returned nothing could not leak, and counts for nothing.
    let silent = decide(&format!("{LEAK}{NONE_LEAKS}"), &[("q1", &["a1"])]);
    let note = &finding(&silent.gates[0]).note;
    assert!(note.starts_with("None of the 1 query with results breaks it. Up to 95% of queries"), "{note}");
}

#[test]
fn more_of_what_may_not_be_wanted_is_no_gain() {
    for metric in ["Count(leak)@2", "Share(leak)@2", "NumRet"] {
        let compare = |expect: &str| {
            problem(&format!(
                "{LEAK}comparisons: [{{candidate: mine, baseline: golden, metrics: [{metric}], {expect}}}]\n"
            ))
        };
        for expect in ["expect: no-regression", "expect: improvement", "expect: non-inferiority, margin: 0.5"]
        {
            let error = compare(expect);
            assert!(error.contains(&format!("nothing says whether more of {metric} is better")), "{error}");
            assert!(error.contains("`expect: equivalence` asks whether it is the same"), "{error}");
        }
    }
}

#[test]
fn leak_without_metadata_is_an_error() {
    // A document without the key, and one that no corpus has: neither is clean.
    const KEYLESS: &Answers = &[("q1", &["a1", "n1"])];
    const UNKNOWN: &Answers = &[("q3", &["a2", "zz"]), ("q2", &["g1", "a1", "a2"]), ("q1", &["a1", "a2"])];
    for (answers, expected) in [
        (KEYLESS, "document `n1` has no `tenant` in its metadata"),
        (UNKNOWN, "document `zz` is not in the corpus, so that its `tenant` is unknown"),
    ] {
        let report = decide(&format!("{LEAK}{NONE_LEAKS}"), answers);
        assert_eq!(report.gates[0].verdict, Verdict::Error, "{expected}");
        let text = message(&report);
        let query = answers[0].0;
        assert!(text.contains(expected) && text.contains(&format!("query `{query}`")), "{text}");
        assert!(
            text.contains("toy.yaml:5") && text.contains("`missing: match` or `missing: other`"),
            "{text}"
        );
    }
    for (missing, verdict) in [("match", Verdict::Failed), ("other", Verdict::Passed)] {
        let leak = format!("attributes: {{leak: {{tenant: {{not: $query.tenant, missing: {missing}}}}}}}\n");
        let answers: &Answers = &[("q1", &["a1", "n1"]), ("q2", &["g1"]), ("q3", &["a2"])];
        assert_eq!(decide(&format!("{leak}{NONE_LEAKS}"), answers).gates[0].verdict, verdict, "{missing}");
    }
}

#[test]
fn what_the_collection_lacks_is_an_error_before_anything_is_asked() {
    for (attributes, expected) in [
        ("{leak: {owner: acme}}", "no document has `owner` in its metadata"),
        (
            "{leak: {tenant: {not: $query.customer}}}",
            "query `q1`: the query has no `customer` in its metadata to compare with",
        ),
    ] {
        let report = decide(&format!("attributes: {attributes}\n{NONE_LEAKS}"), &[("q1", &["a1"])]);
        assert_eq!(report.gates[0].verdict, Verdict::Error);
        let text = message(&report);
        assert!(
            text.contains(expected) && text.contains("Count(leak)@2 needs the documents' metadata"),
            "{text}"
        );
    }
}

#[test]
fn hits_may_say_what_their_documents_are() {
    // n1 says nothing in the corpus, and zz is in none.
    let decide = |corpus: bool, tenants: &'static [(&'static str, &'static str)]| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &format!("{LEAK}{NONE_LEAKS}"));
        if !corpus {
            std::fs::remove_file(folder.path().join("corpus.jsonl")).unwrap();
        }
        let mut registry = Registry::new();
        let find = move |query: &Query, _| match &*query.id {
            "q1" => {
                Ok(tenants.iter().map(|(id, tenant)| Hit::new(*id, 1.0).with("tenant", *tenant)).collect())
            }
            _ => Ok(vec![]),
        };
        registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
        Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run()
    };
    for (corpus, tenants, verdict) in [
        (true, &[("a1", "acme"), ("n1", "acme")][..], Verdict::Passed),
        (true, &[("a1", "acme"), ("n1", "globex")], Verdict::Failed),
        (false, &[("a1", "acme"), ("zz", "acme")], Verdict::Passed),
        (false, &[("a1", "acme"), ("zz", "globex")], Verdict::Failed),
    ] {
        let report = decide(corpus, tenants);
        assert_eq!(report.gates[0].verdict, verdict, "{tenants:?}: {}", message(&report));
    }
    // A contradiction is an error and no choice.
    let report = decide(true, &[("a1", "globex")]);
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    let text = message(&report);
    assert!(
        text.contains("document `a1`: `tenant` is \"globex\" by its hit and \"acme\" by the corpus"),
        "{text}"
    );
}

/// A corpus that knows no tenant at all hides no leak that hits tell of.
#[test]
fn a_key_of_the_index_alone_counts_beside_a_corpus() {
    for (tenant, verdict) in
        [(Some("acme"), Verdict::Passed), (Some("globex"), Verdict::Failed), (None, Verdict::Error)]
    {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &format!("{LEAK}{NONE_LEAKS}"));
        let corpus = folder.path().join("corpus.jsonl");
        let text = std::fs::read_to_string(&corpus).unwrap();
        std::fs::write(&corpus, text.replace("tenant", "owner")).unwrap();
        let mut registry = Registry::new();
        let find = move |query: &Query, _| {
            let hit = Hit::new("a1", 1.0);
            Ok(match &*query.id {
                "q1" => vec![tenant.map_or(hit.clone(), |tenant| hit.with("tenant", tenant))],
                _ => vec![],
            })
        };
        registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
        let report = Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run();
        assert_eq!(report.gates[0].verdict, verdict, "{}", message(&report));
        if tenant.is_none() {
            assert!(
                message(&report).contains("no document has `tenant` in its metadata"),
                "{}",
                message(&report)
            );
        }
    }
}

#[test]
fn without_corpus_and_hits_that_say_it_nothing_is_clean() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &format!("{LEAK}{NONE_LEAKS}"));
    std::fs::remove_file(folder.path().join("corpus.jsonl")).unwrap();
    let mut registry = Registry::new();
    let find = |_: &Query, _| Ok(vec![Hit::new("a1", 1.0)]);
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let report = Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run();
    assert_eq!(report.gates[0].verdict, Verdict::Error, "{}", message(&report));
}

#[test]
fn a_metric_that_cannot_be_computed_leaves_the_others_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds:\n  - {metric: Count(leak)@2, max: 0}\n  - {metric: RR@2, min: 0.1}\n";
    write(folder.path(), &format!("{LEAK}{gates}"));
    std::fs::remove_file(folder.path().join("corpus.jsonl")).unwrap();
    let mut registry = Registry::new();
    let find = |_: &Query, _| Ok(vec![Hit::new("a1", 1.0)]);
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let report = Benchmark::open(folder.path().join("toy.yaml"), &registry).unwrap().run();
    assert_eq!([report.gates[0].verdict, report.gates[1].verdict], [Verdict::Error, Verdict::Passed]);
    let Outcome::Measured(measured) = &report.configurations[0].outcome else {
        panic!("{}", report::text(&report))
    };
    let metrics: Vec<&str> = measured.metrics.iter().map(|one| one.metric.as_str()).collect();
    assert_eq!(metrics, ["RR@2", "Judged@2"]);
    assert!(measured.warnings[0].text.starts_with("Count(leak)@2 has no value: "), "{:?}", measured.warnings);
}

#[test]
fn shares_are_measured() {
    let report = decide(
        "attributes: {old: {updated: 2025-01-01}}\nthresholds:\n  - {metric: Share(old)@2, max: 0.2}\n",
        &[("q1", &["a1", "a2"]), ("q2", &["g1", "a1"]), ("q3", &["g1", "a1"])],
    );
    // By hand: a2 alone is of 2025-01-01, half of q1.
    assert!((finding(&report.gates[0]).measured.value - 1.0 / 6.0).abs() < 1e-15);
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
}

#[test]
fn a_metric_of_an_attribute_that_nobody_defines_is_an_error_with_its_line() {
    let text = problem(&format!("{LEAK}thresholds: [{{metric: Count(leek)@2, max: 0}}]\n"));
    assert!(
        text.contains("Count(leek)@2 needs the attribute `leek`, which nothing defines")
            && text.contains("toy.yaml:6:14")
            && text.contains("did you mean `leak`?"),
        "{text}"
    );
    let text = problem("metrics: [Share(leak)@5]\nthresholds: [{metric: R@5, min: 0.1}]\n");
    assert!(text.contains("add `attributes: {leak: {tenant: {not: $query.tenant}}}`"), "{text}");
}

#[test]
fn documents_of_chunks_have_their_metadata() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "attributes: {leak: {tenant: {not: $query.tenant}}}\nthresholds:\n  - {metric: Count(leak)@2, max: 0, bound: every-query}\n";
    write(folder.path(), rest);
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let parents = "collection: {beir: ., parents: {pattern: '^(.+)#\\d+$'}}";
    std::fs::write(folder.path().join("toy.yaml"), spec.replace("collection: {beir: .}", parents)).unwrap();
    let chunk = |id: &str, text: &str, metadata: Value| {
        let metadata: Map<String, Value> = metadata.as_object().unwrap().clone();
        format!("{}\n", json!({"_id": id, "text": text, "metadata": metadata}))
    };
    let chunks = |tenant: &str| {
        chunk("a1#1", "how to send", json!({"tenant": "acme"}))
            + &chunk("a1#2", "a parcel back", json!({"tenant": "acme"}))
            + &chunk("a2#1", "deliveries", json!({"tenant": "acme"}))
            + &chunk("g1#1", "How to send a parcel", json!({"tenant": "globex"}))
            + &chunk("g1#2", "back", json!({"tenant": tenant}))
    };
    let mut registry = Registry::new();
    let find = |query: &Query, _| {
        let chunks: &[&str] = if &*query.id == "q1" { &["a1#2", "a1#1", "g1#2"] } else { &["a2#1"] };
        let score = |at: usize| 9.0 - at as f64;
        Ok(chunks.iter().enumerate().map(|(at, id)| Hit::new(*id, score(at))).collect())
    };
    registry.retrievers.register("mine", move |_| Ok(retriever_fn(find))).unwrap();
    let run = || {
        Benchmark::open(folder.path().join("toy.yaml"), &registry)
            .unwrap_or_else(|error| panic!("{error}"))
            .run()
    };
    std::fs::write(folder.path().join("corpus.jsonl"), chunks("globex")).unwrap();
    let report = run();
    let text = |gate: usize| {
        report::message(&report, &report.gates[gate]).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(text(0).contains("g1 (tenant globex) rank 2"), "{}", text(0));
    // One of them is wrong, and which one nobody knows.
    std::fs::write(folder.path().join("corpus.jsonl"), chunks("acme")).unwrap();
    let expected =
        "document `g1`: `tenant` is \"globex\" by its chunk `g1#1` and \"acme\" by its chunk `g1#2`";
    assert!(message(&run()).contains(expected), "{}", message(&run()));
}
