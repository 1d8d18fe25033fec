//! Chunks and judged spans, as a user types them, and what `lint` says of them.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::surroundings;

/// Standard output, standard error and the exit status.
fn run(folder: &Path, line: &str) -> (String, String, Option<i32>) {
    let output = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .args(line.split(' '))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const PAGES: &str = "{\"_id\": \"refunds\", \"text\": \"Refunds take five days. In Ulm they take seven days. Call us to ask.\"}\n";
const SPANS: &str =
    "{\"query\": \"q1\", \"document\": \"refunds\", \"quote\": \"In Ulm they take seven days.\"}
{\"query\": \"q1\", \"document\": \"refunds\", \"quote\": \"five days\"}
";
#[test]
fn lint_names_chunks_and_documents_that_do_not_belong_together() {
    let files = [
        ("queries.tsv", "q1\tmoney back\n"),
        ("docs.qrels", "q1 0 faq 1\nq1 0 news 1\n"),
        ("corpus.tsv", "faq#1\ta refund\nfaq#2\tfees\nintro\twelcome\n"),
        ("chunks.tsv", "faq#1\tfaq\nfaq#2\tfaq\nintro\tnews.md\n"),
        ("chunks.run", "q1 Q0 faq#1 1 9 t\n"),
    ];
    let lint = |units: &str| {
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  trec: {{queries: queries.tsv, qrels: docs.qrels, corpus: \
             corpus.tsv}}\n  units: {units}\nconfigurations: {{mine: {{run: chunks.run}}}}\nmetrics: [nDCG@3]\nsnapshot: \
             true\n"
        );
        let folder = folder(&files);
        fs::write(folder.path().join("toy.yaml"), spec).unwrap();
        run(folder.path(), "lint toy.yaml").0.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = lint("{pattern: '^(.+)#\\d+$'}");
    let expected = "1 of 3 chunks of the corpus belongs to no document: a retriever that returns one of them is an error \
                    (chunks-of-no-document) intro -> mend `units` or the ids: `intro` belongs to no document: it does not match";
    assert!(text.contains(expected), "{text}");
    // faq has a chunk.
    let expected = "1 judged document is not in the corpus; 1 relevant judgment cannot be met by any retriever \
                    (missing-documents) news";
    assert!(text.contains(expected), "{text}");
    let text = lint("{file: chunks.tsv}");
    let expected = "1 of 2 relevant documents has no chunk in the units of mine: no ranking can find it \
                    (relevant-without-chunk) news relevant to query q1 ->";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("belongs to no document"), "{text}");
}

/// By hand: page refunds has 68 characters, spans of 28 (24 to 52) and of 9 (13 to 22), 37 in all.
///
/// | run | first chunk | second | covered |
/// |---|---|---|---|
/// | `whole.run` | 0 to 23 | 24 to 52 | 9 + 28 of 37 |
/// | `half.run` | 24 to 38 | 53 to 68 | 14 of 37 |
#[test]
fn runs_are_scored_by_judged_spans_without_a_spec() {
    let chunk = |id: &str, start: usize, end: usize| {
        format!(
            "{{\"_id\": \"{id}\", \"text\": \"\", \"metadata\": {{\"document\": \"refunds\", \"start\": {start}, \"end\": {end}}}}}\n"
        )
    };
    let chunks = [chunk("a", 0, 23), chunk("b", 24, 52), chunk("c", 24, 38), chunk("d", 53, 68)].concat();
    let folder = folder(&[
        ("pages.jsonl", PAGES),
        ("spans.jsonl", SPANS),
        ("queries.tsv", "q1\thow long do refunds take in Ulm\n"),
        ("chunks.jsonl", &chunks),
        ("whole.run", "q1 Q0 refunds#char=0,23 1 9 t\nq1 Q0 refunds#char=24,52 2 8 t\n"),
        ("half.run", "q1 Q0 c 1 9 t\nq1 Q0 d 2 8 t\n"),
        ("stray.run", "q1 Q0 z 1 9 t\n"),
    ]);
    let json = |line: &str| {
        let (json, error, code) = run(folder.path(), line);
        assert_eq!((error.as_str(), code), ("", Some(0)), "{line}");
        serde_json::from_str::<Value>(&json).unwrap()
    };
    let whole =
        json("eval spans.jsonl whole.run --documents pages.jsonl -m PassageRecall@2,R@2,P@1 --format json");
    assert_eq!(whole["mean"], serde_json::json!({"PassageRecall@2": 1.0, "R@2": 1.0, "P@1": 1.0}));
    assert_eq!((&whole["queries"], &whole["results"]), (&Value::from(1), &Value::from(2)));
    let half = "half.run --documents pages.jsonl --chunks chunks.jsonl";
    let found = json(&format!("eval spans.jsonl {half} -m PassageRecall@2,R@2 --format json"));
    assert_eq!(found["mean"], serde_json::json!({"PassageRecall@2": 14.0 / 37.0, "R@2": 0.5}));

    let both = "whole.run half.run --documents pages.jsonl --chunks chunks.jsonl -m PassageRecall@2";
    let compared = json(&format!("compare spans.jsonl {both} --format json"));
    let difference = compared["comparisons"][0]["difference"].as_f64().unwrap();
    assert!((difference - (14.0 / 37.0 - 1.0)).abs() < 1e-12, "{compared:#}");
    let explained = json(&format!("explain spans.jsonl {both},R@2 --query q1 --format json"));
    let [recall, hits] = &explained["metrics"].as_array().unwrap()[..] else { panic!("{explained:#}") };
    assert_eq!(
        (&recall["baseline"], &recall["ideal"], &hits["candidate"]),
        (&1.0.into(), &1.0.into(), &0.5.into())
    );
    let grade = |at: usize, side: &str| explained["rows"][at][side]["grade"].clone();
    assert_eq!(
        [grade(0, "baseline"), grade(1, "baseline"), grade(0, "candidate"), grade(1, "candidate")],
        [1, 1, 1, 0]
    );
    assert_eq!(explained["missing"], serde_json::json!([]));
    let (text, error, code) = run(folder.path(), &format!("explain spans.jsonl {both} --query q1"));
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("refunds#char=24,52"), "{text}");
    assert!(text.contains("In Ulm they take seven days."), "{text}");

    for (line, expected) in [
        (
            "stray.run --documents pages.jsonl",
            "error: stray.run: query `q1`: hit 1: `z` is no document, and says no passage of one",
        ),
        ("half.run --documents none.jsonl", "error: cannot open none.jsonl"),
        ("half.run --chunks chunks.jsonl", "--documents <FILE>"),
        ("half.run --documents pages.jsonl --units x", "cannot be used with"),
    ] {
        let (_, error, code) = run(folder.path(), &format!("eval spans.jsonl {line} -m R@2"));
        assert_eq!(code, Some(2), "{line}: {error}");
        assert!(error.contains(expected), "{line}: {error}");
    }
}
