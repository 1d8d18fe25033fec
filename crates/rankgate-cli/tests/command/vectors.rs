//! Specs that compare an index with exact search, as a user types them.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::surroundings;

/// What a command said, without line breaks.
fn run(folder: &Path, line: &str) -> String {
    let output = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
        .args(line.split(' '))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let both = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(both).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Six points on a line and two queries, at 1.4 and at 4.1, with their true neighbours.
fn line() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("truth.run", b"0 Q0 1 1 -0.4 t\n0 Q0 2 2 -0.6 t\n0 Q0 0 3 -1.4 t\n1 Q0 4 1 -0.1 t\n1 Q0 5 2 -0.9 t\n1 Q0 3 3 -1.1 t\n");
    write("queries.jsonl", b"{\"_id\": \"0\", \"text\": \"\"}\n{\"_id\": \"1\", \"text\": \"\"}\n");
    // The index misses point 0.
    write(
        "index.run",
        b"0 Q0 1 1 9 t\n0 Q0 2 2 8 t\n0 Q0 3 3 7 t\n1 Q0 4 1 9 t\n1 Q0 5 2 8 t\n1 Q0 3 3 7 t\n",
    );
    folder
}

fn spec(folder: &Path, rest: &str) {
    let text = format!("version: 1\nbenchmark: line\ncollection: {{jsonl: queries.jsonl}}\n{rest}");
    fs::write(folder.join("line.yaml"), text).unwrap();
}

#[test]
fn lint_says_what_a_spec_of_an_index_leaves_open() {
    let folder = line();
    let configurations =
        "neighbours: {file: truth.run}\nconfigurations: {index: {run: index.run}, other: {run: index.run}}\n";
    spec(folder.path(), &format!("{configurations}thresholds: [{{metric: NN@3, min: 0.5, for: index}}]\n"));
    let text = run(folder.path(), "lint line.yaml");
    for expected in [
        "no gate is on the true neighbours that 1 of the configurations finds (index-without-gate) other ->",
        "an index is held to a mean over queries alone: it hides a few queries that find next to nothing (index-mean-alone) \
         index by NN@3 ->",
        "gates compare the index with exact search alone: a worse embedding model passes all of them",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    // Nobody has to judge anything for that.
    assert!(!text.contains("nothing is judged"), "{text}");
    spec(
        folder.path(),
        &format!(
            "{configurations}thresholds: [{{metric: NN@3, min: 0.5}}, {{metric: NN@3, at-least: 0.6, of-queries: 0.5}}]\n"
        ),
    );
    let text = run(folder.path(), "lint line.yaml");
    assert!(!text.contains("no gate is on the true"), "{text}");
    assert!(!text.contains("a mean over queries alone"), "{text}");
}
