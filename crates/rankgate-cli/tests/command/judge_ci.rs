//! `rankgate judge --ci` against a server on loopback, and what gates make of its answers and of a missing key.

#![cfg(all(unix, feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::judge_folder::{Folder, flat, good};
use crate::judge_server::serve;
use serde_json::Value;

const BESIDE: &str = "target/rankgate/toy/judged.jsonl";
const UNASKED: &str = "target/rankgate/toy/unasked.jsonl";

/// Gates on two documents of each query, of which people judged the first.
fn folder(judge: &str, gates: &str) -> Folder {
    let folder = Folder::new(judge);
    let spec = folder.read("toy.yaml").replace("[{metric: nDCG@10, min: 0.1}]", gates);
    folder.write("toy.yaml", &spec);
    folder
}

const RAW: &str = "[{metric: RR@10, min: 0.1}, {metric: nDCG@2, min: 0.1, judged: raw, level: advisory}]";
const CORRECTED: &str = "[{metric: RR@10, min: 0.1}, {metric: nDCG@2, min: 0.1, judged: corrected}]";

/// Runs the command on a machine without the key.
#[track_caller]
fn without_key(folder: &Folder, arguments: &[&str]) -> (i32, String) {
    let output = folder.command("http://127.0.0.1:9/v1", arguments).env("JUDGE_KEY", "").output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), said)
}

#[test]
fn ci_asks_for_what_gates_lack_and_changes_nothing_committed() {
    let folder = folder("", RAW);
    let (url, seen) = serve(good);
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(code == 0 && flat(&said).contains("4 of 4 pairs have no judgment"), "{said}");
    // No probes, and no document that the metric does not see.
    let (code, said) = folder.judge(&url, &["--ci"]);
    assert!(code == 0 && said.contains(&format!("added to {BESIDE}: 4 graded\n")), "{said}");
    assert_eq!((seen.lock().unwrap().len(), folder.read("judged/toy.jsonl").len()), (4, 0));
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(code == 0 && flat(&said).contains("2 passed"), "{said}");
    let warned = format!("gates also read {BESIDE} (4 judgments), which is not committed");
    assert!(flat(&said).contains(&warned), "{said}");
    // What CI kept is not asked again, and neither is what was committed since.
    assert_eq!((folder.judge(&url, &["--ci"]).0, seen.lock().unwrap().len()), (0, 4));
    std::fs::rename(folder.path().join(BESIDE), folder.path().join("toy.jsonl")).unwrap();
    std::fs::create_dir_all(folder.path().join("judged")).unwrap();
    std::fs::rename(folder.path().join("toy.jsonl"), folder.path().join("judged/toy.jsonl")).unwrap();
    assert_eq!((folder.judge(&url, &["--ci"]).0, seen.lock().unwrap().len()), (0, 4));
    // Another model is another judge.
    folder.write("toy.yaml", &folder.read("toy.yaml").replace("qwen2.5-7b-q4", "qwen2.5-7b-q8"));
    assert_eq!((folder.judge(&url, &["--ci"]).0, seen.lock().unwrap().len()), (0, 8));
    assert!(folder.read("judged/toy.jsonl").contains("7b-q4") && folder.read(BESIDE).contains("7b-q8"));
}

#[test]
fn without_the_key_gates_are_skipped_by_name_and_never_pass() {
    let folder = folder("", CORRECTED);
    let (url, seen) = serve(good);
    let (code, said) = without_key(&folder, &["judge", "toy.yaml", "--ci"]);
    assert!(
        code == 3
            && said.contains("warning: `JUDGE_KEY` is not set: 4 questions are not asked here")
            && said.contains("SKIPPED  toy::mine::nDCG@2\n1 gate was skipped: not judged here\n"),
        "{code} {said}"
    );
    let (code, said) = without_key(&folder, &["run", "toy.yaml", "--junit", "junit.xml"]);
    let said = flat(&said);
    assert!(
        code == 3
            && said.contains(
                "SKIPPED: not judged here, since `JUDGE_KEY` is not set: 4 of 4 pairs have no judgment"
            )
            && said.contains("`rankgate judge toy.yaml --ci` asks for them where the judge can be asked")
            && said.contains("toy: 1 passed, 1 skipped; blocking and skipped: mine::nDCG@2"),
        "{code} {said}"
    );
    let junit = folder.read("junit.xml");
    assert!(junit.contains("skipped=\"1\"") && junit.contains("<skipped type=\"SKIPPED\""), "{junit}");
    let report: Value = serde_json::from_str(&folder.read("target/rankgate/toy/report.json")).unwrap();
    assert_eq!(report["gates"][1]["verdict"], "skipped");
    assert!(folder.read("target/rankgate/toy/report.html").contains("badge skipped"));
    // A ranking that nobody asked about is no reason to skip.
    let run = folder.read("mine.run");
    folder.write("mine.run", &run.replace("q1 Q0 d11", "q1 Q0 d31"));
    let (code, said) = without_key(&folder, &["run", "toy.yaml"]);
    assert!(code == 2 && flat(&said).contains("ERRORED: 4 of 4 pairs have no judgment"), "{code} {said}");
    folder.write("mine.run", &run);
    // With the key it is asked and decided: people judged none of it yet.
    let (code, said) = folder.judge(&url, &["--ci"]);
    assert!(code == 0 && folder.read(UNASKED).is_empty(), "{said}");
    assert_eq!(seen.lock().unwrap().len(), 4);
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(code == 1 && flat(&said).contains("1 passed, 1 inconclusive"), "{code} {said}");
    // What is on file needs no key.
    let (code, said) = without_key(&folder, &["judge", "toy.yaml", "--ci"]);
    assert!(code == 0 && said.contains("all of them on file: nothing is asked"), "{said}");
}

#[test]
fn what_the_budget_of_ci_leaves_out_is_errored() {
    let folder = folder("  budget: {requests: 3}\n", CORRECTED);
    let (url, _) = serve(good);
    let (code, said) = folder.judge(&url, &["--ci"]);
    assert!(code == 2 && said.contains("stopped: the budget of 3 requests is used up"), "{code} {said}");
    let (code, said) = folder.run(&url, &["run", "toy.yaml"]);
    assert!(code == 2 && flat(&said).contains("ERRORED: 1 of 4 pairs has no judgment"), "{code} {said}");
}

/// A retriever that counts how often it was started.
const RETRIEVER: &str = r#"
import json, sys
open("started", "a").write(".")
json.loads(sys.stdin.readline())
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    id = json.loads(line)["id"]
    print(json.dumps({"id": id, "hits": [f"d{id[1:]}{rank}" for rank in range(3)]}), flush=True)
"#;

#[test]
fn without_the_key_a_retriever_runs_once() {
    let folder = folder("", CORRECTED);
    folder.write("retriever.py", RETRIEVER);
    folder.write(
        "toy.yaml",
        &folder.read("toy.yaml").replace("{run: mine.run}", "{command: [python3, retriever.py]}"),
    );
    let (code, said) = without_key(&folder, &["judge", "toy.yaml", "--ci"]);
    assert!(code == 3 && said.contains("SKIPPED  toy::mine::nDCG@2\n"), "{code} {said}");
    assert_eq!(folder.read("started"), ".");
}
