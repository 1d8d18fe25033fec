//! Judged spans of documents, end to end: one file of judgments, and any chunks of the documents.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::benchmark::model::{ConfigurationReport, Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

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
  evidence: {queries: queries.tsv, documents: pages.jsonl, spans: spans.jsonl}
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
        Outcome::Errored(failure) => Err(failure.to_string()),
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
/// | windows | 20..40 covers 16 of 28, 30..60 covers 22 of 28, but of a span that is found | none covers half |
#[test]
fn three_chunkings_one_judgment_file() {
    let folder = tempfile::tempdir().unwrap();
    let sentences = r#"{"_id": "s1", "document": "refunds", "start": 0, "end": 23, "text": ""}
{"_id": "s2", "document": "refunds", "text": "In Ulm they take seven days."}
{"_id": "s3", "text": "A transfer costs five euros."}
{"_id": "s4", "text": "Cards  are\nfree."}
"#;
    std::fs::write(folder.path().join("sentences.jsonl"), sentences).unwrap();
    let registry = registry([
        ("pages", [&["refunds"], &["refunds", "fees"]]),
        ("sentences", [&["s1", "s2"], &["s3", "s4"]]),
        ("windows", [&["refunds#char=20,40", "refunds#char=30,60"], &["fees#char=20,44"]]),
    ]);
    let rest = "configurations:
  pages: {retriever: pages}
  sentences: {retriever: sentences, chunks: sentences.jsonl}
  windows: {retriever: windows}
metrics: [RR@10, R@10, nDCG@10, P@2, EvidenceRecall@2, EvidencePrecision@2, EvidenceIoU@2, EvidenceRecall@30chars,
          EvidenceRecall@4tokens]
comparisons:
  - {candidate: sentences, baseline: pages, metrics: [EvidencePrecision@2], expect: no-regression, level: advisory}
";
    let report = decide(folder.path(), rest, &registry);
    let by_hand = [
        // pages: 1 and 1/2; both found; 1 and 1/log2(3); all characters; q1 28/68, q2 28/112; of 30 characters q1 has 24..30
        // of the span, q2 none; of 4 words the first four of refunds, which end at 23: none
        [
            0.75,
            1.0,
            (1.0 + 1.0 / 3_f64.log2()) / 2.0,
            0.5,
            1.0,
            (28.0 / 68.0 + 28.0 / 112.0) / 2.0,
            (28.0 / 68.0 + 28.0 / 112.0) / 2.0,
            6.0 / 28.0 / 2.0,
            0.0,
        ],
        // sentences: 1/2 and 1; q1 0..23 and 24..52, 28 of 51; q2 0..28 and 29..44, 28 of 43; 30 characters are 23 and 7, then
        // 28 and 2; four words are those of s1, and "A transfer costs five", 21 characters
        [
            0.75,
            1.0,
            (1.0 / 3_f64.log2() + 1.0) / 2.0,
            0.5,
            1.0,
            (28.0 / 51.0 + 28.0 / 43.0) / 2.0,
            (28.0 / 51.0 + 28.0 / 43.0) / 2.0,
            (7.0 / 28.0 + 1.0) / 2.0,
            21.0 / 28.0 / 2.0,
        ],
        // windows: q1 at rank 1, once; q2 never; together 20..60 have all 28 of 40; q2 8 of 28, of 24, union 44; of 30
        // characters q1 20..40 and 30..40, 16 of 28, q2 all its 24; of four words "ys. In Ulm they" ends at 35, 11 of 28, and
        // "euros. Cards are free": "ive euros. Cards are " begins in the middle of a word
        [
            0.5,
            0.5,
            0.5,
            0.25,
            (1.0 + 8.0 / 28.0) / 2.0,
            (28.0 / 40.0 + 8.0 / 24.0) / 2.0,
            (28.0 / 40.0 + 8.0 / 44.0) / 2.0,
            (16.0 / 28.0 + 8.0 / 28.0) / 2.0,
            (11.0 / 28.0 + 8.0 / 28.0) / 2.0,
        ],
    ];
    for (one, expected) in report.configurations.iter().zip(by_hand) {
        let scores = outcome(one).unwrap();
        for ((metric, score), expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-12, "{} {metric}: {score}, not {expected}", one.name);
        }
    }
    // windows: 8 of 28 characters of q2 are a quarter; of q1 16 of 28 are no three quarters, and 22 of 28 at rank 2 are
    let Outcome::Measured(windows) = &report.configurations[2].outcome else { panic!("{report:?}") };
    let at_overlaps = windows.overlaps.iter().filter(|one| one.metric == "RR@10");
    let at_overlaps: Vec<(f64, f64)> = at_overlaps.map(|one| (one.overlap, one.value)).collect();
    assert_eq!(at_overlaps, [(0.25, 1.0), (0.5, 0.5), (0.75, 0.25)]);
    // Who has no documents cannot score the runs again, and is told so by other definitions.
    let history = report.history.as_ref().unwrap();
    assert!(history.definitions.ends_with(", chunks that cover 0.5 of a span"), "{}", history.definitions);
    assert_eq!(rankgate::Judging::from_definitions(&history.definitions), None);
    let gate = &report.gates[0];
    assert_ne!(gate.verdict, Verdict::Errored, "{gate:?}");
    let text = report::text(&report);
    for expected in ["EvidenceRecall@30chars", "RR@10    windows        1.0000   0.5000  0.2500"] {
        assert!(text.contains(expected), "{text}");
    }
}

/// By hand, of the table above: in 51 characters fit both sentences of q1 (23 and 28) and of q2 (28 and 15), both windows
/// of q1 (20 and 30) and that of q2 (24), and no page (68). The second sentence of q1 is the right one; of the windows of q1 the
/// first covers the span, which the second then finds no more, and that of q2 covers too little. The largest grade is 2.
#[test]
fn budgets_look_at_the_passages_that_fit() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry([
        ("pages", [&["refunds"], &["refunds", "fees"]]),
        ("sentences", [&["refunds#char=0,23", "refunds#char=24,52"], &["fees#char=0,28", "fees#char=29,44"]]),
        ("windows", [&["refunds#char=20,40", "refunds#char=30,60"], &["fees#char=20,44"]]),
    ]);
    let rest = "configurations:
  pages: {retriever: pages}
  sentences: {retriever: sentences}
  windows: {retriever: windows}
metrics: [R@51chars, P@51chars, F1@51chars, Success@51chars, RR@51chars, AP@51chars, nDCG@51chars, DCG@51chars, RBP@51chars,
          ERR@51chars, R@50chars, R@9tokens, R@10tokens]
thresholds:
  - {metric: Success@51chars, max: 0.5, for: [sentences]}
";
    let report = decide(folder.path(), rest, &registry);
    let second = 1.0 / 3_f64.log2();
    let by_hand = [
        [0.0; 13],
        // F1 of P 1/2 and R 1; the exponential gain of grade 2 is 3, or 2 where it is linear as in DCG; RBP with p 0.8: 0.2 at
        // rank 1, 0.2 x 0.8 at rank 2; ERR: grade 2 is found with 3/4, grade 1 with 1/4, which rank 2 halves. In 50 characters
        // and in 9 words (4 and 6, 5 and 3) fits the first sentence of q1 alone.
        [
            1.0,
            0.5,
            2.0 / 3.0,
            1.0,
            0.75,
            0.75,
            (second + 1.0) / 2.0,
            (second + 2.0) / 2.0,
            (0.16 + 0.2) / 2.0,
            (0.125 + 0.75) / 2.0,
            0.5,
            0.5,
            1.0,
        ],
        // q1 at rank 1, once, q2 never. The windows of q1 have 50 characters, of 5 and 6 words.
        [0.5, 0.25, 1.0 / 3.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1, 0.125, 0.5, 0.5, 0.5],
    ];
    for (one, expected) in report.configurations.iter().zip(by_hand) {
        let scores = outcome(one).unwrap();
        for ((metric, score), expected) in scores.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-12, "{} {metric}: {score}, not {expected}", one.name);
        }
    }
    assert_eq!(report.gates[0].verdict, Verdict::Failed, "{:?}", report.gates[0]);
}

#[test]
fn a_hit_that_lies_nowhere_fails_its_query() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = "{\"_id\": \"s1\", \"document\": \"refunds\", \"text\": \"Refunds take five days.\"}\n";
    std::fs::write(folder.path().join("chunks.jsonl"), chunks).unwrap();
    let registry = registry([
        ("a", [&["s1", "s9"], &["s1"]]),
        ("b", [&["refunds#char=60,69"], &["fees"]]),
        ("c", [&["refunds#:~:text=seven days"], &["fees#:~:text=six euros."]]),
    ]);
    let rest = "configurations:
  a: {retriever: a, chunks: chunks.jsonl}
  b: {retriever: b}
  c: {retriever: c}
thresholds: [{metric: EvidenceRecall@10, min: 0.1}]
";
    let report = decide(folder.path(), rest, &registry);
    let errors: Vec<String> = report.configurations.iter().map(|one| outcome(one).unwrap_err()).collect();
    for (error, expected) in errors.iter().zip([
        "`s9` is no document, and says no passage of one, as in `refunds#char=120,320`, nor is it a chunk of",
        "`refunds#char=60,69` ends behind its document, which has 68 characters; `chunks: FILE`, without a spec `--chunks FILE`, says where",
        "the text is not in document `fees`; nearest are characters 17 to 28: `five euros.`",
    ]) {
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn chunks_that_lie_in_no_place_or_several_are_errors_that_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry([("a", [&["s1"], &["s1"]]), ("b", [&[], &[]]), ("c", [&[], &[]])]);
    for (chunk, expected) in [
        (
            r#""text": "take""#,
            "chunk `s1`: the text is in document `refunds` 2 times, at characters 8, 36: give",
        ),
        (
            r#""text": "five""#,
            "chunk `s1`: its text is in documents `fees` and `refunds`: add the key `document`",
        ),
        (r#""text": "six", "document": "fees""#, "chunk `s1`: the text is not in document `fees`"),
        (r#""text": "six""#, "chunk `s1`: its text is in no document"),
        (r#""text": "", "document": "x", "start": 0, "end": 3"#, "chunk `s1`: there is no document `x`"),
        (
            r#""text": "", "document": "fees", "start": 3, "end": 3"#,
            "chunk `s1`: it ends at 3 and starts at 3",
        ),
        (
            r#""text": "", "document": "fees", "start": 3"#,
            "chunk `s1`: it has some of `document`, `start` and `end`",
        ),
        (
            r#""text": "", "document": "fees", "start": "a", "end": 3"#,
            "chunk `s1`: its `start` is no whole number",
        ),
        (
            r#""text": "Cards are free.", "document": "fees", "start": 9, "end": 24"#,
            "chunks.jsonl:1: chunk `s1`: its text is not what stands at characters 9 to 24 of document `fees`: it has \
             `Cards are free.` where the document has `r costs five eu`; it stands at characters 29 to 44 of that document",
        ),
        (
            r#""text": "Cards are free.", "document": "refunds", "start": 0, "end": 15"#,
            "it stands at characters 29 to 44 of document `fees`",
        ),
        (
            r#""document": "fees""#,
            "chunk `s1`: it has a `document`, and neither `start` and `end` nor a `text`",
        ),
        (r#""page": "fees""#, "chunk `s1`: there is no `text`, and no `document`, `start` and `end`"),
    ] {
        std::fs::write(folder.path().join("chunks.jsonl"), format!("{{\"_id\": \"s1\", {chunk}}}\n"))
            .unwrap();
        let rest = "configurations:\n  a: {retriever: a, chunks: chunks.jsonl}\nthresholds: [{metric: RR@10, min: 0.1}]\n";
        let report = decide(folder.path(), rest, &registry);
        let error = outcome(&report.configurations[0]).unwrap_err();
        assert!(error.contains(expected), "{chunk}: {error}");
    }
}

/// The place alone is a chunk: its text is the page's, and what is built in is built of that.
#[test]
fn a_chunk_without_a_text_has_that_of_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let chunks = r#"{"_id": "s1", "document": "refunds", "start": 0, "end": 23}
{"_id": "s2", "document": "refunds", "start": 24, "end": 52}
{"_id": "s3", "document": "fees", "start": 0, "end": 28, "text": null}
{"_id": "s4", "document": "fees", "start": 29, "end": 44, "text": "Cards  are free.\n"}
"#;
    std::fs::write(folder.path().join("chunks.jsonl"), chunks).unwrap();
    let rest = "configurations:\n  a: {builtin: bm25, chunks: chunks.jsonl}\n\
                thresholds: [{metric: EvidenceRecall@1, min: 0.9}]\n";
    let report = decide(folder.path(), rest, &Registry::new());
    // "Ulm" and "transfer" are in one chunk each, the right one.
    let metrics = outcome(&report.configurations[0]).unwrap();
    assert_eq!(metrics[0], ("EvidenceRecall@1".to_owned(), 1.0));
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
                thresholds: [{metric: EvidenceRecall@1, min: 0.1}]\n";
    let report = decide(folder, rest, &Registry::new());
    outcome(&report.configurations[0]).map(|metrics| metrics[0].1)
}

#[cfg(unix)]
#[test]
fn a_hit_says_its_place_and_its_text_alike() {
    let folder = tempfile::tempdir().unwrap();
    // Right for q1, nothing for q2.
    let half = Ok(0.5);
    let (place, text) =
        (r#""document": "refunds", "start": 24, "end": 52"#, r#""text": "In Ulm  they take seven days.""#);
    for hit in [
        format!("{{{place}}}"),
        format!("{{{place}, {text}}}"),
        format!(r#"{{"id": "w7", {place}, {text}}}"#),
        format!(r#"{{"id": "w7", "document": "refunds", {text}}}"#),
    ] {
        assert_eq!(answering(folder.path(), &hit), half, "{hit}");
    }
    // A part is not the whole document that the id says: the first 23 characters hold nothing.
    let part = r#"{"id": "refunds", "document": "refunds", "start": 0, "end": 23}"#;
    assert_eq!(answering(folder.path(), part), Ok(0.0));
    for (hit, expected) in [
        (
            format!(r#"{{"document": "refunds", "start": 4, "end": 32, {text}}}"#),
            "hit 1: its text is not what stands at characters 4 to 32 of document `refunds`: it has `In Ulm they take seven \
             days.` where the document has `nds take five days. In Ulm t`; it stands at characters 24 to 52 of that document",
        ),
        (format!(r#"{{"document": "fees", "start": 0, "end": 28, {text}}}"#), "that document has it nowhere"),
        (
            format!(r#"{{"id": "refunds#char=0,23", {place}}}"#),
            "hit 1: `refunds#char=0,23` is characters 0 to 23 of document `refunds`, and the hit says that it lies at characters \
             24 to 52",
        ),
        (r#"{"id": "w7"}"#.to_owned(), "hit 1: `w7` is no document, and says no passage of one"),
    ] {
        let error = answering(folder.path(), &hit).unwrap_err();
        assert!(error.contains(expected), "{hit}: {error}");
    }
}

#[test]
fn what_needs_spans_is_refused_where_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("toy.yaml");
    let registry = registry([("a", [&[], &[]]), ("b", [&[], &[]]), ("c", [&[], &[]])]);
    let inline = "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n      - {id: q1, text: a, relevant: [d]}\n";
    std::fs::write(folder.path().join("chunks.jsonl"), "{\"_id\": \"s1\", \"text\": \"a\"}\n").unwrap();
    let rest = "configurations:\n  a: {retriever: a, chunks: chunks.jsonl}\nthresholds: [{metric: EvidenceRecall@10, min: 0.1}]\n";
    std::fs::write(&path, format!("{inline}{rest}")).unwrap();
    let error = Benchmark::open(&path, &registry).err().unwrap().to_string();
    for expected in
        ["EvidenceRecall@10 needs judged spans of documents", "`chunks` goes with `evidence` only"]
    {
        assert!(error.contains(expected), "{error}");
    }
}

#[cfg(feature = "http")]
#[test]
fn hits_of_a_service_say_their_places_by_pointers() {
    use crate::http_server::{JSON, Server};

    let server = Server::answering(|request| {
        let hit = match request.body["q"].as_str().unwrap().contains("refunds") {
            true => {
                serde_json::json!({"payload": {"page": "refunds", "text": "In Ulm they take seven days."}, "from": 24, "to": 52})
            }
            false => {
                serde_json::json!({"payload": {"page": "fees", "text": "A transfer costs five euros."}, "from": 0, "to": 28})
            }
        };
        (200, JSON, serde_json::json!({ "hits": [hit] }).to_string())
    });
    let run = |place: &str| {
        let folder = tempfile::tempdir().unwrap();
        let rest = format!(
            "configurations:\n  service: {{http: {{url: '{}', body: {{q: '{{text}}'}}, hits: /hits, place: {{{place}}}}}}}\n\
             thresholds: [{{metric: EvidenceRecall@1, min: 0.9}}]\n",
            server.url()
        );
        let report = decide(folder.path(), &rest, &Registry::new());
        outcome(&report.configurations[0]).map(|metrics| metrics[0].clone())
    };
    let found = Ok(("EvidenceRecall@1".to_owned(), 1.0));
    assert_eq!(run("document: /payload/page, start: /from, end: /to"), found);
    assert_eq!(run("document: /payload/page, text: /payload/text"), found);
    let error = run("document: /payload/page, start: /from, end: /until").unwrap_err();
    assert!(error.contains("hit 1 has nothing at `/until`"), "{error}");
}

#[cfg(feature = "http")]
#[test]
fn half_a_place_is_an_error_of_the_spec() {
    for (hit, expected) in [
        ("place: {document: /d, start: /s}", "`start` goes with `end` only"),
        ("place: {document: /d}", "needs `start` or `text`"),
        ("place: {document: /d, start: /s, end: /e, text: /t}", "`text` beside `start`"),
        ("place: {start: /s, end: /e}", "needs `document`"),
        ("id: /id, place: {document: /d, text: /t}", "`place` beside `id`"),
        ("score: /score", "needs `id` or `place`"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("pages.jsonl", PAGES), ("queries.tsv", QUERIES), ("spans.jsonl", SPANS)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let path = folder.path().join("toy.yaml");
        let configurations = format!(
            "configurations: {{service: {{http: {{url: 'http://h', body: {{q: '{{text}}'}}, hits: /hits, {hit}}}}}}}"
        );
        std::fs::write(
            &path,
            format!("{COLLECTION}{configurations}\nmetrics: [EvidenceRecall@1]\nsnapshot: true\n"),
        )
        .unwrap();
        let error = Benchmark::open(&path, &Registry::new()).map(drop).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Splits at white space and before punctuation, as the pre-tokenizer `Whitespace` does, and would cut after two tokens.
#[cfg(feature = "tokenizers")]
const TOKENIZER: &str = r#"{
  "version": "1.0", "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
  "padding": null, "added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
  "post_processor": null, "decoder": null,
  "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
}"#;

/// The span of q1 is `In Ulm they take seven days.`, 28 characters. By hand: six words; seven tokens, the last one being the
/// dot. The first six of these end before the dot, at 27 characters; three of either are `In Ulm they`, 11 characters.
#[cfg(feature = "tokenizers")]
#[test]
fn a_budget_is_in_tokens_of_a_model_where_one_is_named() {
    let run = |tokenizer: Option<&str>, most: usize| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mine.run"), "q1 Q0 refunds#char=24,52 1 9 t\nq2 Q0 fees 1 9 t\n")
            .unwrap();
        for (name, text) in [("pages.jsonl", PAGES), ("queries.tsv", QUERIES), ("spans.jsonl", SPANS)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let key = tokenizer.map(|text| {
            std::fs::write(folder.path().join("tokenizer.json"), text).unwrap();
            ", tokenizer: tokenizer.json"
        });
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  evidence: {{queries: queries.tsv, documents: pages.jsonl, spans: \
             spans.jsonl{}}}\nconfigurations: {{mine: {{run: mine.run}}}}\nmetrics: [EvidenceRecall@{most}tokens]\n\
             thresholds: [{{metric: EvidenceRecall@{most}tokens, min: 0.1}}]\n",
            key.unwrap_or_default()
        );
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, spec).unwrap();
        let report = Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run();
        match &report.configurations[0].outcome {
            Outcome::Measured(measured) => Ok(measured.metrics[0].value),
            Outcome::Errored(failure) => Err(failure.to_string()),
            other => panic!("{other:?}"),
        }
    };
    // q2 is the page fees, whose span `A transfer costs five euros.` begins it: five words of 28 characters, six tokens.
    let mean = |q1: f64, q2: f64| Ok(f64::midpoint(q1 / 28.0, q2 / 28.0));
    assert_eq!(run(None, 6), mean(28.0, 28.0));
    assert_eq!(run(Some(TOKENIZER), 6), mean(27.0, 28.0));
    assert_eq!(run(Some(TOKENIZER), 7), mean(28.0, 28.0));
    assert_eq!(run(Some(TOKENIZER), 3), mean(11.0, 16.0));
    for (text, expected) in [
        ("{}", "tokenizer.json: it is no tokenizer: "),
        (
            "{\"version\": \"1.0\"",
            "tokenizer.json: it is no tokenizer: EOF while parsing an object at line 1",
        ),
        ("hello", "tokenizer.json: it is no tokenizer: expected value at line 1 column 1"),
    ] {
        let error = run(Some(text), 6).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
