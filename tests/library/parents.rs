//! Chunks as the documents that are judged, end to end: what is asked, what is scored, and what is said.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{ConfigurationReport, Outcome, Report};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

/// Documents are judged; the corpus and the retriever know their chunks alone.
const COLLECTION: &str = "version: 1
benchmark: toy
collection:
  json: toy.json
";
const TOY: &str = r#"{
    "queries": [
        {"id": "q1", "text": "money back", "relevant": ["help"]},
        {"id": "q2", "text": "call", "relevant": ["faq"]}
    ],
    "documents": [
        {"id": "faq#1", "text": "how refunds work", "page": "faq"},
        {"id": "faq#2", "text": "how to pay", "page": "faq"},
        {"id": "news#1", "text": "a new office", "page": "news"},
        {"id": "help#1", "text": "call us", "page": "help"}
    ]
}"#;

/// Chunks in the order of the corpus, for each query; never more than `limit`.
fn registry(limit: usize) -> Registry {
    let mut registry = Registry::new();
    let build = move |_: &rankgate::Setup<'_>| {
        Ok(retriever_fn(move |_: &Query, depth| {
            let ids = ["faq#1", "faq#2", "news#1", "help#1"].into_iter().zip(1_i32..);
            Ok(ids.take(depth.min(limit)).map(|(id, rank)| Hit::new(id, 1.0 / f64::from(rank))).collect())
        }))
    };
    registry.retrievers.register("mine", build).unwrap();
    registry
}

fn decide(folder: &Path, collection: &str, rest: &str, registry: &Registry) -> Report {
    std::fs::write(folder.join("toy.json"), TOY).unwrap();
    let path = folder.join("toy.yaml");
    std::fs::write(&path, format!("{COLLECTION}{collection}{rest}")).unwrap();
    Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}")).run()
}

/// The score of each configuration with its warnings, or what went wrong.
fn scores(report: &Report) -> Vec<Result<(f64, Vec<String>), String>> {
    let of_one = |one: &ConfigurationReport| match &one.outcome {
        Outcome::Measured(measured) => {
            let warnings = measured.warnings.iter().map(ToString::to_string).collect();
            Ok((measured.metrics[0].value, warnings))
        }
        Outcome::Error(failure) => Err(failure.to_string()),
        other => panic!("{other:?}"),
    };
    report.configurations.iter().map(of_one).collect()
}

const GATES: &str = "depth: 3\nthresholds: [{metric: RR@3, min: 0.1}]\n";

/// By hand: the documents of the four chunks are faq, news and help in this order, so that q1 finds at rank 3 and q2 at
/// rank 1: (1/3 + 1) / 2. At first three chunks are asked for, which are of two documents.
#[test]
fn a_ranking_of_chunks_is_scored_as_one_of_documents() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("chunks.tsv"), "faq#1\tfaq\nfaq#2\tfaq\nnews#1\tnews\nhelp#1\thelp\n")
        .unwrap();
    let run = ["q1", "q2"].map(|query| {
        format!("{query} Q0 faq#1 1 9 t\n{query} Q0 faq#2 2 8 t\n{query} Q0 news#1 3 7 t\n{query} Q0 help#1 4 6 t\n")
    });
    std::fs::write(folder.path().join("chunks.run"), run.concat()).unwrap();
    for parents in
        ["pattern: '^(.+)#\\d+$'", "field: page", "file: chunks.tsv", "{pattern: '^(.+)#', depth: 1}"]
    {
        let parents = if parents.starts_with('{') { parents.to_owned() } else { format!("{{{parents}}}") };
        let expected = Ok(((1.0 / 3.0 + 1.0) / 2.0, Vec::new()));
        let sources = "configurations:\n  mine: {retriever: mine}\n  frozen: {run: chunks.run}\n";
        let report = decide(
            folder.path(),
            &format!("  parents: {parents}\n"),
            &format!("{sources}{GATES}"),
            &registry(9),
        );
        assert_eq!(scores(&report), [expected.clone(), expected.clone()], "{parents}");
        // Of a configuration alone, and none of one that returns documents.
        let sources = format!("configurations:\n  mine: {{retriever: mine, parents: {parents}}}\n");
        assert_eq!(
            scores(&decide(folder.path(), "", &format!("{sources}{GATES}"), &registry(9))),
            [expected],
            "{parents}"
        );
    }
    let none = "configurations:\n  mine: {retriever: mine, parents: none}\n";
    let report = decide(folder.path(), "  parents: {field: page}\n", &format!("{none}{GATES}"), &registry(9));
    assert!(matches!(&scores(&report)[..], [Ok((0.0, _))]), "{:?}", scores(&report));
}

#[test]
fn too_few_documents_of_a_retriever_with_a_limit_are_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let parents = "  parents: {pattern: '^(.+)#'}\n";
    let sources = "configurations:\n  mine: {retriever: mine}\n";
    let report = decide(folder.path(), parents, &format!("{sources}{GATES}"), &registry(3));
    let [Ok((value, warnings))] = &scores(&report)[..] else { panic!("{report:?}") };
    let warning = "fewer than 3 documents for 2 queries (`q1`, `q2`), and perhaps not all of them: asked for 6 chunks, it \
                   returned 3";
    assert_eq!((*value, &warnings[..]), (0.5, &[warning.to_owned()][..]));
    let text = report::text(&report);
    assert!(text.contains("fewer than 3 documents for 2 queries"), "{text}");
}

#[test]
fn an_id_that_leads_to_no_document_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let sources = "configurations:\n  mine: {retriever: mine}\n";
    for (parents, expected) in [
        ("{pattern: '^(faq)#'}", "`news#1` belongs to no document: it does not match `^(faq)#`"),
        ("{field: pages}", "`parents` by the field `pages`: no document has `pages` in its metadata"),
    ] {
        let parents = format!("  parents: {parents}\n");
        let report = decide(folder.path(), &parents, &format!("{sources}{GATES}"), &registry(9));
        let [Err(error)] = &scores(&report)[..] else { panic!("{report:?}") };
        assert!(error.contains(expected), "{error}");
    }
}
