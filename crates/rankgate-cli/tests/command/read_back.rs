//! What `rankgate run` writes is what `rankgate report` and its like read, whatever shape it has.

#![cfg(unix)]

use std::process::Command;

use crate::toy_spec::Folder;

/// Two documents for each query.
const PROGRAM: &str = r#"import json, sys
sys.stdin.readline()
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    query = json.loads(line)
    first = [{"id": "d1", "score": 2}, {"id": "d2", "score": 1}]
    answer = {"id": query["id"], "hits": first, "scores": {"other": 2}}
    print(json.dumps(answer), flush=True)
"#;

/// A benchmark, what its spec says of itself, and the exit status of its run.
const SPECS: [(&str, &str, i32); 2] = [
    (
        "unanswerable",
        "collection: {beir: data}
configurations: {words: {builtin: bm25}}
metrics: [nDCG@5]
thresholds: [{metric: FalseAnswer, max: 1}, {metric: nDCG@5, min: 0.1}]",
        0,
    ),
    (
        "hits",
        "collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations: {mine: {command: [python3, answer.py]}}
scores: {other: {direction: lower, range: [0, 2]}}
thresholds: [{score: other, max: 2}, {metric: R@100, min: 0}]",
        0,
    ),
];

/// Examples with suites, with answers that people and a model judged, with unanswerable queries.
const EXAMPLES: [&str; 4] = ["no-answer", "suites", "rag", "judge"];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("answer.py", PROGRAM);
    folder.write("data/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\nq3\td2\t1\n");
    folder.write(
        "data/queries.jsonl",
        r#"{"_id": "q1", "text": "opening hours on saturday"}
{"_id": "q2", "text": "library opening hours"}
{"_id": "q3", "text": "fees"}
{"_id": "q4", "text": "weather on mars", "metadata": {"unanswerable": true}}
"#,
    );
    folder.write(
        "data/corpus.jsonl",
        r#"{"_id": "d1", "text": "opening hours of the library on saturday"}
{"_id": "d2", "text": "fees on late books"}
"#,
    );
    folder.write("topics.tsv", "q1\topening hours on saturday\nq2\tlibrary opening hours\n");
    folder.write("qrels.txt", "q1 0 d1 1\nq2 0 d1 1\n");
    folder
}

/// The command in a folder says of its last reports what the run said, in each form.
fn read_back(folder: &Folder, inside: &str, specs: &str, code: Option<i32>) {
    let ran = folder.rankgate_in(inside, &["run", specs], &[]);
    assert!(matches!(ran.code, Some(0..=2)), "{}", ran.all());
    assert!(code.is_none_or(|code| ran.code == Some(code)), "{specs}: {}", ran.all());
    let again = folder.rankgate_in(inside, &["report"], &[]);
    assert_eq!((again.code, &again.stdout), (ran.code, &ran.stdout), "{inside} {specs}: {}", again.all());
    for arguments in [
        &["report", "--format", "openmetrics"][..],
        &["report", "--format", "badge"],
        &["comment", "--github", "--dry-run"],
    ] {
        let shown = folder.rankgate_in(inside, arguments, &[]).ends_with(0);
        assert!(!shown.stdout.is_empty(), "{specs} {arguments:?}");
    }
}

#[test]
fn whatever_a_run_writes_is_read() {
    let folder = folder();
    for (benchmark, spec, code) in SPECS {
        // A folder of its own: `report` reads all that is below `target/rankgate`.
        let link = |name: &str| {
            std::os::unix::fs::symlink(folder.path(name), folder.path(&format!("{benchmark}/{name}")))
                .unwrap();
        };
        let file = format!("{benchmark}.yaml");
        folder
            .write(&format!("{benchmark}/{file}"), &format!("version: 1\nbenchmark: {benchmark}\n{spec}\n"));
        ["answer.py", "data", "topics.tsv", "qrels.txt"].into_iter().for_each(link);
        read_back(&folder, benchmark, &file, Some(code));
    }
}

#[test]
fn what_runs_of_examples_write_is_read() {
    let folder = Folder::new();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in EXAMPLES.into_iter().chain(["data"]) {
        let copied =
            Command::new("cp").arg("-r").arg(examples.join(name)).arg(folder.path("")).status().unwrap();
        assert!(copied.success(), "{name}");
    }
    for name in EXAMPLES {
        // What somebody's own run left there is no part of it.
        drop(std::fs::remove_dir_all(folder.path(&format!("{name}/target"))));
        read_back(&folder, name, "benchmarks", None);
    }
}
