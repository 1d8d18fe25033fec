//! Limits on answer times as a user of the command meets them, with programs whose times are far apart. No time is asserted.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::surroundings;

/// Answers after so many seconds. If it has no results, it gives up on query q3, but only when it is asked for the first time.
const PROGRAM: &str = r#"
import json, os, sys, time
wait, results = float(sys.argv[1]), int(sys.argv[2])
sys.stdin.readline()
print('{"rankgate": 1}', flush=True)
for line in sys.stdin:
    query = json.loads(line)["id"]
    time.sleep(wait)
    if results == 0 and query == "q3" and not os.path.exists("asked"):
        open("asked", "w")
        print(json.dumps({"id": query, "error": "no such index"}), flush=True)
    else:
        print(json.dumps({"id": query, "hits": [f"d{rank}" for rank in range(results)]}), flush=True)
"#;

const SPEC: &str = r#"
version: 1
benchmark: toy
collection:
  inline:
    queries:
      - {id: q1, text: one, relevant: [d0]}
      - {id: q2, text: two, relevant: [d0]}
      - {id: q3, text: three, relevant: [d0]}
      - {id: q4, text: four, relevant: [d0]}
      - {id: q5, text: five, relevant: [d0]}
      - {id: q6, text: six, relevant: [d0]}
configurations:
  quick: {command: [python3, program.py, "0.004", "1"]}
  twin: {command: [python3, program.py, "0.004", "1"]}
  slow: {command: [python3, program.py, "0.04", "2"]}
  broken: {command: [python3, program.py, "0", "0"]}
latency:
  - {max-ratio: 3, candidate: slow, baseline: quick}
  - {max-ratio: 3, candidate: twin, baseline: quick}
  - {max-ratio: 3, candidate: broken, baseline: quick}
  - {quantile: p50, max: 1ms, for: slow}
  - {quantile: p50, max: 1ms, for: slow, level: blocking, name: strict}
  - {quantile: p50, max: 1h, for: slow, name: lenient}
  - {quantile: p99, max: 1h, for: slow}
  - {quantile: p99, max: 1h, for: slow, level: blocking, inconclusive: warn, name: warned}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("program.py"), PROGRAM).unwrap();
    fs::write(folder.path().join("toy.yaml"), SPEC).unwrap();
    folder
}

fn run(folder: &tempfile::TempDir, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let command = surroundings::leave(&mut command).args(line.split(' ')).current_dir(folder.path());
    let output = command.env("NO_COLOR", "1").output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn programs_far_apart_are_told_apart_and_what_cannot_be_decided_is_not() {
    let folder = folder();
    let (code, said) = run(&folder, "run toy.yaml --junit out.xml");
    assert_eq!(code, Some(1), "{said}");
    let report: Value =
        serde_json::from_slice(&fs::read(folder.path().join("target/rankgate/toy/report.json")).unwrap())
            .unwrap();
    let verdicts: Vec<(&str, &str, &str)> = report["gates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| {
            let text = |value: &'static str| gate[value].as_str().unwrap();
            (text("name"), text("verdict"), gate["finding"]["reason"].as_str().unwrap())
        })
        .collect();
    let undecided = "broken: query `q3`: the program says: `no such index`";
    let expected = [
        ("toy::slow-vs-quick::latency", "failed", "beyond"),
        ("toy::twin-vs-quick::latency", "passed", "within"),
        ("toy::broken-vs-quick::latency", "error", undecided),
        ("toy::slow::latency-p50", "advisory", "beyond"),
        ("toy::slow::latency-p50[strict]", "failed", "beyond"),
        ("toy::slow::latency-p50[lenient]", "passed", "within"),
        ("toy::slow::latency-p99", "advisory", "few-answers"),
        ("toy::slow::latency-p99[warned]", "advisory", "few-answers"),
    ];
    assert_eq!(verdicts.len(), expected.len());
    for ((name, verdict, reason), (expected_name, expected_verdict, expected_reason)) in
        verdicts.into_iter().zip(expected)
    {
        assert_eq!((name, verdict), (expected_name, expected_verdict), "{said}");
        assert!(reason.starts_with(expected_reason), "{name}: {reason}");
    }
    let finding = &report["gates"][0]["finding"];
    assert_eq!(finding["results"], serde_json::json!([2.0, 1.0]));
    assert!(
        finding["sides"][0][1]["p50_ms"].as_f64().unwrap() >= 40.0,
        "a sleep lasts at least as long as it was asked to"
    );
    for words in [
        "toy: FAILED: slow takes more than 3 times as long as quick",
        "quick is faster and returns less: 1.0 results per query, and the other side returns 2.0",
        "INCONCLUSIVE: too few answers to decide if slow takes at most 3600.0 s at p99 (advisory)",
        "add queries, or limit a lower quantile",
        "toy: FAILED: slow takes more than 1.0 ms at p50",
    ] {
        assert!(
            said.split_whitespace().collect::<Vec<_>>().join(" ").contains(words),
            "no `{words}` in {said}"
        );
    }
    let xml = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    assert!(xml.contains("<failure type=\"FAILED\" message=\"p50 "), "{xml}");
}

#[test]
fn lint_says_which_latency_gates_can_decide_nothing() {
    let folder = folder();
    let spec = SPEC.replace("  broken: {command: [python3, program.py, \"0\", \"0\"]}\n", "");
    let spec: String = spec.split_inclusive('\n').filter(|line| !line.contains("broken")).collect();
    fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let (_, said) = run(&folder, "lint toy.yaml");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["2 latency gates can decide nothing", "p99 needs 368 answers, there are 72"] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}

/// Lines of standard error while `run` goes on.
fn noted(folder: &tempfile::TempDir, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let command = surroundings::leave(&mut command).args(line.split(' ')).current_dir(folder.path());
    String::from_utf8(command.output().unwrap().stderr).unwrap()
}

#[test]
fn what_is_timed_is_told_with_the_number_of_answers_before_it_begins() {
    let noted = noted(&folder(), "run toy.yaml --filter twin-vs-quick::latency");
    assert!(noted.contains("toy: timing twin in turns with quick: 156 answers\n"), "{noted}");
    assert!(noted.contains("toy: timing twin in turns with quick: 156 of 156 answers\n"), "{noted}");
}

#[test]
fn a_program_that_does_not_say_hello_is_told_with_its_limit_unless_quiet_is_asked_for() {
    let folder = folder();
    fs::write(folder.path().join("silent.py"), "import time\ntime.sleep(2.3)\n").unwrap();
    let spec =
        SPEC.split("latency:").next().unwrap().to_owned() + "thresholds: [{metric: RR@10, min: 0.5}]\n";
    let spec = spec.replace("program.py, \"0.04\", \"2\"", "silent.py") + "metrics: [RR@10]\n";
    fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let [said, quiet, read] = std::thread::scope(|scope| {
        let lines = [
            "run toy.yaml --filter slow::",
            "run toy.yaml --filter slow:: --quiet --output other",
            "run toy.yaml --filter slow:: --message-format json --output third",
        ];
        lines.map(|line| scope.spawn(|| noted(&folder, line))).map(|one| one.join().unwrap())
    });
    let line = "waiting for `python3 silent.py` to say hello: 2 s so far, 5 min at most";
    assert!(said.contains(&format!("{line}\n")), "{said}");
    let object = format!("{{\"kind\":\"progress\",\"text\":\"{line}\"}}\n");
    assert!(read.starts_with(&object), "{read}");
    assert_eq!(quiet, "");
}
