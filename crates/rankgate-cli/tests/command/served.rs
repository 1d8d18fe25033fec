//! Retrievers that a spec names and a program serves: `--retriever`, and what such a program needs beside it.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::surroundings;

const SPEC: &str = "version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: alpha, d2: beta}
    queries: [{id: q1, text: one, relevant: [d1]}, {id: q2, text: two, relevant: [d2]}]
configurations:
  good: {retriever: mine, params: {first: d1, alpha: 1.50}}
thresholds:
  - {metric: RR@2, min: 0.5}
  - {metric: R@2, min: 0.9, level: advisory, for: [good]}
";

/// Writes down what it is told first, and asks for both queries at once.
const PROGRAM: &str = r#"
import json, sys
hello = sys.stdin.readline()
open('hello', 'a').write(hello)
hello = json.loads(hello)
print('{"rankgate": 1, "batch": 2}', flush=True)
queries = [json.loads(sys.stdin.readline()) for _ in range(2)]
for query in reversed(queries):
    hits = [hello['params']['first'], 'd2']
    print(json.dumps({'id': query['id'], 'hits': hits}), flush=True)
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("toy.yaml"), SPEC).unwrap();
    fs::write(folder.path().join("a program.py"), PROGRAM).unwrap();
    folder
}

fn rankgate(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    surroundings::leave(&mut command).args(arguments).current_dir(folder.path()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_program_serves_the_retriever_that_a_spec_names() {
    let folder = folder();
    let served = r#"mine=["python3", "a program.py"]"#;
    let ran = rankgate(&folder, &["run", "toy.yaml", "--retriever", served, "--format", "json"]);
    let text = stdout(&ran);
    assert_eq!(ran.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&ran.stderr));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["gates"][0]["verdict"], "passed");
    let hello = fs::read_to_string(folder.path().join("hello")).unwrap();
    let hello: serde_json::Value = serde_json::from_str(&hello).unwrap();
    assert_eq!(hello["retriever"], "mine");
    assert_eq!(hello["params"], serde_json::json!({"first": "d1", "alpha": 1.5}));
    assert!(hello["spec"].as_str().unwrap().ends_with("/toy.yaml"));

    let blessed = rankgate(&folder, &["bless", "toy.yaml", "--retriever", served]);
    assert_eq!(blessed.status.code(), Some(0));
    assert!(folder.path().join("golden/toy/good.run").is_file());
}

#[test]
fn a_retriever_that_nobody_serves_is_refused_as_before() {
    let ran = rankgate(&folder(), &["run", "toy.yaml", "--retriever", "other=python3 x.py"]);
    assert_eq!(ran.status.code(), Some(2));
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(
        told.contains(
            "--retriever serves `other`, which no spec here names: it names `mine`; nothing was decided"
        ),
        "{told}"
    );
    let ran = rankgate(&folder(), &["run", "toy.yaml"]);
    assert_eq!(ran.status.code(), Some(2));
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(
        told.contains(
            "cannot run `good` (line 8), registered from Rust or Python; use `cargo test` or `pytest`"
        ),
        "{told}"
    );
    for wrong in ["mine", "mine=", "=python3", "mine=[3]"] {
        let ran = rankgate(&folder(), &["run", "toy.yaml", "--retriever", wrong]);
        assert_eq!(ran.status.code(), Some(2), "{wrong}");
    }
}

/// Messages do not repeat what is typed: a value may be a secret.
#[test]
fn values_that_are_typed_are_not_shown() {
    let folder = folder();
    let program = "import sys\nprint('no access', file=sys.stderr)\nsys.exit(3)\n";
    fs::write(folder.path().join("refusing.py"), program).unwrap();
    let secret = "sk-51x9Qhunter2";
    for typed in [
        format!("python3 refusing.py --key {secret}"),
        format!("[\"python3\", \"refusing.py\", \"Bearer {secret}\"]"),
    ] {
        for format in ["text", "json", "markdown"] {
            let served = format!("mine={typed}");
            let ran = rankgate(&folder, &["run", "toy.yaml", "--retriever", &served, "--format", format]);
            assert_eq!(ran.status.code(), Some(2), "{typed}");
            let all = stdout(&ran) + &String::from_utf8(ran.stderr).unwrap();
            assert!(!all.contains("hunter2"), "{all}");
            assert!(
                format != "text" || all.contains("command: `python3 ...`") && all.contains("no access"),
                "{all}"
            );
        }
    }
    for wrong in
        [format!("mine{secret}"), format!("=python3 {secret}"), format!("mine=[{{\"key\": \"{secret}\"}}]")]
    {
        let ran = rankgate(&folder, &["run", "toy.yaml", "--retriever", &wrong]);
        let told = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && !told.contains("hunter2"), "{told}");
    }
}

#[test]
fn gates_are_listed_and_nobody_is_asked() {
    let folder = folder();
    fs::write(folder.path().join("wrong.yaml"), "version: 1\n").unwrap();
    let listed = rankgate(&folder, &["run", "toy.yaml", "--list"]);
    assert_eq!(listed.status.code(), Some(0));
    assert_eq!(stdout(&listed), "toy::good::RR@2\ntoy::good::R@2\n");
    let listed = rankgate(&folder, &["run", ".", "--list", "--format", "json"]);
    assert_eq!(listed.status.code(), Some(2));
    let lines: Vec<serde_json::Value> =
        stdout(&listed).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["name"], &lines[0]["kind"]), (&"toy".into(), &"benchmark".into()));
    assert_eq!(lines[0]["retrievers"], serde_json::json!(["mine"]));
    assert_eq!(
        lines[0]["gates"][1],
        serde_json::json!({"name": "toy::good::R@2", "line": 11, "advisory": true})
    );
    assert!(lines[1]["error"].as_str().unwrap().contains("wrong.yaml"), "{}", lines[1]);
}

#[test]
fn documents_and_queries_are_printed_as_beir_has_them() {
    let folder = folder();
    let beir = "version: 1
benchmark: toy
collection: {beir: .}
configurations: {mine: {retriever: mine}}
thresholds: [{metric: RR@2, min: 0.5}]
";
    fs::create_dir(folder.path().join("qrels")).unwrap();
    for (file, text) in [
        ("toy.yaml", beir),
        (
            "corpus.jsonl",
            "{\"_id\": \"d1\", \"text\": \"alpha\"}\n{\"_id\": \"d2\", \"title\": \"Two\", \"text\": \"beta\", \"lang\": \"en\"}\n",
        ),
        ("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"one\"}\n"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
    }
    let printed = rankgate(&folder, &["documents", "toy.yaml"]);
    assert_eq!(printed.status.code(), Some(0));
    let lines: Vec<serde_json::Value> =
        stdout(&printed).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({"_id": "d1", "text": "alpha"}));
    assert_eq!(
        lines[1],
        serde_json::json!({"_id": "d2", "title": "Two", "text": "beta", "metadata": {"lang": "en"}})
    );
    for path in ["toy.yaml", "."] {
        let printed = rankgate(&folder, &["documents", "--queries", path]);
        let line: serde_json::Value = serde_json::from_str(&stdout(&printed)).unwrap();
        let judged = serde_json::json!({"d1": 1});
        assert_eq!(
            line,
            serde_json::json!({"_id": "q1", "text": "one", "metadata": {}, "judgments": judged})
        );
    }
}
