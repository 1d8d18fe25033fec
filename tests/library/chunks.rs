//! Judged spans of documents, end to end: one file of judgments, and any chunks of the documents.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{ConfigurationReport, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, retriever_fn};

const PAGES: &str = r#"{"_id": "refunds", "text": "Refunds take five days. In Ulm they take seven days. Call us to ask."}
{"_id": "fees", "text": "A transfer costs five euros. Cards are free."}
"#;
const QUERIES: &str = "q1\thow long do refunds take in Ulm\nq2\twhat does a transfer cost\n";
const SPANS: &str = r#"{"query": "q1", "document": "refunds", "quote": "In Ulm they take seven days."}
{"query": "q2", "document": "fees", "quote": "A transfer costs five euros.", "grade": 2}
"#;
const COLLECTION: &str = "version: 1
benchmark: toy
collection:
  passages: {queries: queries.tsv, documents: pages.jsonl, file: spans.jsonl}
";

fn decide(folder: &Path, rest: &str, registry: &Registry) -> Report {
    for (name, text) in [("pages.jsonl", PAGES), ("queries.tsv", QUERIES), ("spans.jsonl", SPANS)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let path = folder.join("toy.yaml");
    std::fs::write(&path, format!("{COLLECTION}{rest}")).unwrap();
    Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}")).run()
}

fn outcome(one: &ConfigurationReport) -> Result<Vec<(String, f64)>, String> {
    match &one.outcome {
        Outcome::Measured(measured) => {
            Ok(measured.metrics.iter().map(|one| (one.metric.clone(), one.value)).collect())
        }
        Outcome::Error(failure) => Err(failure.to_string()),
        other => panic!("{other:?}"),
    }
}

/// A retriever of these ids for q1 and for q2.
fn registry(answers: [(&'static str, [&'static [&'static str]; 2]); 3]) -> Registry {
    let mut registry = Registry::new();
    for (name, [first, second]) in answers {
        let retrieve = move |query: &Query, depth: usize| {
            let ids = if query.id == "q1" { first } else { second };
            let hits = ids.iter().zip(1_i32..).map(|(id, rank)| Hit::new(*id, 1.0 / f64::from(rank)));
            Ok(hits.take(depth).collect())
        };
        registry.retrievers.register(name, move |_| Ok(retriever_fn(retrieve))).unwrap();
    }
    registry
}

/// By hand. Characters: page refunds 68, fees 44; spans 24 to 52 (28 characters) of refunds, 0 to 28 of fees.
///
/// | chunker | q1 | q2 |
/// |---|---|---|
/// | whole pages | refunds at rank 1 | refunds, then fees at rank 2 |
/// | sentences | the right sentence at rank 2 | at rank 1 |
/// | windows | 20..40 at rank 1, 30..60 overlaps a span that is found | 20..44 at rank 1 |
#[test]
fn three_chunkings_one_judgment_file() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = r#"{"_id": "s1", "document": "refunds", "start": 0, "end": 23, "text": ""}
{"_id": "s2", "document": "refunds", "start": 24, "end": 52, "text": "In Ulm they take seven days."}
{"_id": "s3", "document": "fees", "start": 0, "end": 28}
{"_id": "s4", "document": "fees", "start": 29, "end": 44, "text": "Cards  are\nfree."}
"#;
    std::fs::write(folder.path().join("sentences.jsonl"), sentences).unwrap();
    let registry = registry([
        ("pages", [&["refunds"], &["refunds", "fees"]]),
        ("sentences", [&["s1", "s2"], &["s3", "s4"]]),
        ("windows", [&["refunds#char=20,40", "refunds#char=30,60"], &["fees#char=20,44"]]),
    ]);
    let rest = "configurations:
  pages: {retriever: pages}
  sentences: {retriever: sentences, parents: {file: sentences.jsonl}}
  windows: {retriever: windows}
metrics: [RR@10, R@10, nDCG@10, P@2]
comparisons:
  - {candidate: sentences, baseline: pages, metrics: [P@2], expect: no-regression, level: advisory}
";
    let report = decide(folder.path(), rest, &registry);
    let by_hand = [
        // pages: 1 and 1/2; both found; 1 and 1/log2(3)
        [0.75, 1.0, (1.0 + 1.0 / 3_f64.log2()) / 2.0, 0.5],
        // sentences: 1/2 and 1
        [0.75, 1.0, (1.0 / 3_f64.log2() + 1.0) / 2.0, 0.5],
        // windows: both at rank 1, q1 once
        [1.0, 1.0, 1.0, 0.5],
    ];
    for (one, expected) in report.configurations.iter().zip(by_hand) {
        let scores = outcome(one).unwrap();
        for ((metric, score), expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-12, "{} {metric}: {score}, not {expected}", one.name);
        }
    }
    // Their scores are comparable with nothing that has other definitions.
    let history = report.history.as_ref().unwrap();
    assert!(history.definitions.ends_with(", judged passages"), "{}", history.definitions);
    let gate = &report.gates[0];
    assert_ne!(gate.verdict, Verdict::Error, "{gate:?}");
}

#[test]
fn a_hit_that_lies_nowhere_fails_its_query() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = "{\"_id\": \"s1\", \"document\": \"refunds\", \"start\": 0, \"end\": 23}\n";
    std::fs::write(folder.path().join("chunks.jsonl"), chunks).unwrap();
    let registry = registry([
        ("a", [&["s1", "s9"], &["s1"]]),
        ("b", [&["refunds#char=60,69"], &["fees"]]),
        ("c", [&["w7#:~:place=refunds#char=0,9"], &["w7#:~:place=news#char=0,9"]]),
    ]);
    let rest = "configurations:
  a: {retriever: a, parents: {file: chunks.jsonl}}
  b: {retriever: b}
  c: {retriever: c}
thresholds: [{metric: R@10, min: 0.1}]
";
    let report = decide(folder.path(), rest, &registry);
    let errors: Vec<String> = report.configurations.iter().map(|one| outcome(one).unwrap_err()).collect();
    for (error, expected) in errors.iter().zip([
        "`s9` is no document, and says no passage of one, as in `refunds#char=120,320`, nor is it a chunk of",
        "`refunds#char=60,69` ends behind its document, which has 68 characters; `parents: {file: FILE}`, without a spec `--chunks FILE`, says where",
        "there is no document `news`",
    ]) {
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn chunks_without_a_place_are_errors_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry([("a", [&["s1"], &["s1"]]), ("b", [&[], &[]]), ("c", [&[], &[]])]);
    for (chunk, expected) in [
        (r#""text": "", "document": "x", "start": 0, "end": 3"#, "chunk `s1`: there is no document `x`"),
        (
            r#""text": "", "document": "fees", "start": 3, "end": 3"#,
            "chunk `s1`: it ends at 3 and starts at 3",
        ),
        (
            r#""text": "", "document": "fees", "start": 3"#,
            "chunk `s1`: it has no `end`: a chunk has a `document`, a `start` and an `end`",
        ),
        (
            r#""text": "", "document": "fees", "start": "a", "end": 3"#,
            "chunk `s1`: its `start` is no whole number",
        ),
        (
            r#""text": "Cards are free.", "document": "fees", "start": 9, "end": 24"#,
            "chunks.jsonl:1: chunk `s1`: its text is not the text at characters 9 to 24 of document `fees`: it has \
             `Cards are free.` and the document has `r costs five eu`",
        ),
        (r#""document": "fees""#, "chunk `s1`: it has no `start`"),
        (r#""text": "Cards are free.""#, "chunk `s1`: it has no `document`"),
    ] {
        std::fs::write(folder.path().join("chunks.jsonl"), format!("{{\"_id\": \"s1\", {chunk}}}\n"))
            .unwrap();
        let rest = "configurations:\n  a: {retriever: a, parents: {file: chunks.jsonl}}\nthresholds: [{metric: RR@10, min: 0.1}]\n";
        let report = decide(folder.path(), rest, &registry);
        let error = outcome(&report.configurations[0]).unwrap_err();
        assert!(error.contains(expected), "{chunk}: {error}");
    }
}

/// A file of places alone has no texts that could be indexed.
#[cfg(feature = "bm25")]
#[test]
fn what_is_built_in_is_built_of_the_texts_of_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = r#"{"_id": "s1", "document": "refunds", "start": 0, "end": 23, "text": "Refunds take five days."}
{"_id": "s2", "document": "refunds", "start": 24, "end": 52, "text": "In Ulm they take seven days."}
{"_id": "s3", "document": "fees", "start": 0, "end": 28, "text": "A transfer costs five euros."}
{"_id": "s4", "document": "fees", "start": 29, "end": 44, "text": "Cards  are free.\n"}
"#;
    let rest = "configurations:\n  a: {builtin: bm25, parents: {file: chunks.jsonl}}\n\
                thresholds: [{metric: R@1, min: 0.9}]\n";
    let decided = |chunks: &str| {
        std::fs::write(folder.path().join("chunks.jsonl"), chunks).unwrap();
        outcome(&decide(folder.path(), rest, &Registry::new()).configurations[0])
    };
    // "Ulm" and "transfer" are in one chunk each, the right one.
    assert_eq!(decided(chunks).unwrap()[0], ("R@1".to_owned(), 1.0));
    let error = decided(&chunks.replace(r#", "text": "In Ulm they take seven days.""#, "")).unwrap_err();
    assert!(error.contains("chunks.jsonl:2: document `s2`: there is no `text`"), "{error}");
}

/// The recall of a program that answers both queries with this hit.
#[cfg(unix)]
fn answering(folder: &Path, hit: &str) -> Result<f64, String> {
    let program = format!(
        "read -r hello\necho '{{\"rankgate\": 1}}'\nwhile read -r line; do\n  case \"$line\" in *'\"q1\"'*) id=q1 ;; *) id=q2 ;; \
         esac\n  printf '%s\\n' '{{\"id\": \"'$id'\", \"hits\": [{hit}]}}'\ndone\n"
    );
    std::fs::write(folder.join("program.sh"), program).unwrap();
    let rest = "configurations:\n  a: {command: [sh, program.sh]}\n\
                thresholds: [{metric: R@1, min: 0.1}]\n";
    let report = decide(folder, rest, &Registry::new());
    outcome(&report.configurations[0]).map(|metrics| metrics[0].1)
}

#[cfg(unix)]
#[test]
fn a_hit_has_a_place_beside_its_id() {
    let folder = tempfile::tempdir().unwrap();
    // Right for q1, nothing for q2.
    let half = Ok(0.5);
    let place = r#""document": "refunds", "start": 24, "end": 52"#;
    for hit in [format!("{{{place}}}"), format!(r#"{{"id": "w7", {place}, "text": "any"}}"#)] {
        assert_eq!(answering(folder.path(), &hit), half, "{hit}");
    }
    // A part is not the whole document that the id says: the first 23 characters hold nothing.
    let part = r#"{"id": "refunds", "document": "refunds", "start": 0, "end": 23}"#;
    assert_eq!(answering(folder.path(), part), Ok(0.0));
    for (hit, expected) in [
        (r#"{"id": "w7"}"#, "hit 1: `w7` is no document, and says no passage of one"),
        (
            r#"{"document": "fees", "text": "Cards are free."}"#,
            "hit 1 has a `document` without a `start` before an `end`",
        ),
    ] {
        let error = answering(folder.path(), hit).unwrap_err();
        assert!(error.contains(expected), "{hit}: {error}");
    }
}

#[test]
fn the_places_of_chunks_are_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("pages.jsonl", PAGES), ("queries.tsv", QUERIES), ("spans.jsonl", SPANS)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let path = folder.path().join("toy.yaml");
    for parents in ["pattern: '^(.+)#'", "file: spans.jsonl, depth: 50"] {
        let configurations = format!("configurations: {{a: {{retriever: a, parents: {{{parents}}}}}}}");
        std::fs::write(&path, format!("{COLLECTION}{configurations}\nmetrics: [RR]\nsnapshot: true\n"))
            .unwrap();
        let registry = registry([("a", [&[], &[]]), ("b", [&[], &[]]), ("c", [&[], &[]])]);
        let error = Benchmark::open(&path, &registry).err().unwrap().to_string();
        assert!(error.contains("beside `passages`, `parents` has a `file` alone"), "{error}");
    }
}
