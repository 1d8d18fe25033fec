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
    let whole = json("eval spans.jsonl whole.run --documents pages.jsonl -m R@2,P@1 --format json");
    assert_eq!(whole["mean"], serde_json::json!({"R@2": 1.0, "P@1": 1.0}));
    assert_eq!((&whole["queries"], &whole["results"]), (&Value::from(1), &Value::from(2)));
    let half = "half.run --documents pages.jsonl --chunks chunks.jsonl";
    let found = json(&format!("eval spans.jsonl {half} -m R@2,P@1 --format json"));
    assert_eq!(found["mean"], serde_json::json!({"R@2": 0.5, "P@1": 1.0}));

    let both = "whole.run half.run --documents pages.jsonl --chunks chunks.jsonl -m R@2";
    let compared = json(&format!("compare spans.jsonl {both} --format json"));
    let difference = compared["comparisons"][0]["difference"].as_f64().unwrap();
    assert_eq!(difference, -0.5, "{compared:#}");
    let explained = json(&format!("explain spans.jsonl {both},P@2 --query q1 --format json"));
    let [recall, precision] = &explained["metrics"].as_array().unwrap()[..] else { panic!("{explained:#}") };
    assert_eq!(
        (&recall["baseline"], &recall["ideal"], &precision["candidate"]),
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
        ("half.run --documents pages.jsonl --parents x", "cannot be used with"),
    ] {
        let (_, error, code) = run(folder.path(), &format!("eval spans.jsonl {line} -m R@2"));
        assert_eq!(code, Some(2), "{line}: {error}");
        assert!(error.contains(expected), "{line}: {error}");
    }
}
