//! `command:` retrievers, end to end: programs that answer and programs that misbehave.
//!
//! They are written in Python, of whose standard library they need the little there is everywhere.
//! Without `python3` these tests fail.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rankgate::benchmark::model::{Outcome, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};

/// A benchmark of four queries, each with one relevant document, `d1` for `q1`.
struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let python = std::process::Command::new("python3").arg("--version").output();
        assert!(python.is_ok_and(|python| python.status.success()), "these tests need `python3`");
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Measures a child; `rest` is the rest of its configuration, and `more` of the spec.
    fn run_with(&self, arguments: &str, rest: &str, more: &str) -> Report {
        let child = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_protocol/child.py");
        self.run_command(&format!("[python3, '{}', {arguments}]", child.display()), rest, more)
    }

    fn run_command(&self, command: &str, rest: &str, more: &str) -> Report {
        let queries: String = (1..=4)
            .map(|n| format!("    - {{id: q{n}, text: question {n}, relevant: [d{n}], kind: [a, {n}]}}\n"))
            .collect();
        let depth = if more.contains("depth: ") { "" } else { "depth: 10\n" };
        let spec = format!(
            "version: 1\nbenchmark: bench\n{depth}collection:\n  inline:\n    queries:\n{queries}\
             configurations:\n  child: {{command: {command}{rest}}}\n\
             thresholds: [{{metric: R@10, min: 0.9}}]\n{more}"
        );
        let path = self.path("bench.yaml");
        std::fs::write(&path, spec).unwrap();
        let benchmark = Benchmark::open(&path, &Registry::new()).unwrap_or_else(|error| panic!("{error}"));
        benchmark.run()
    }

    fn run(&self, arguments: &str) -> Report {
        self.run_with(arguments, "", "")
    }
}

fn failure(report: &Report) -> String {
    match &report.configurations[0].outcome {
        Outcome::Error(failure) => failure.brief(),
        other => panic!("it did not fail: {other:?}"),
    }
}

/// The failure of a child, with its command, which depends on where this is, made short.
fn fails(arguments: &str) -> String {
    fails_with(&Bench::new(), arguments, "")
}

fn fails_with(bench: &Bench, arguments: &str, rest: &str) -> String {
    let report = bench.run_with(arguments, rest, "");
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Error), "{:?}", report.gates);
    shortened(&failure(&report))
}

fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("`python3 ") {
        let end = after.find('`').map_or(after.len(), |at| at + 1);
        let end = end + after[end..].chars().take_while(|&c| c == '.').count();
        short += before;
        short += "CHILD";
        rest = &after[end..];
    }
    short + rest
}

fn passes(report: &Report) {
    let text = rankgate::report::text(report);
    assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Passed), "{text}");
}

/// Whether a process is there; one that ended and was not waited for is not.
fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    rustix::process::Pid::from_raw(pid).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
        && !stat.contains(") Z")
}

/// Fails unless the processes whose ids are in these files are gone, or go within seconds.
fn are_gone(files: &[PathBuf]) {
    for file in files {
        let pid: i32 = std::fs::read_to_string(file).unwrap().parse().unwrap();
        let start = Instant::now();
        while is_alive(pid) {
            assert!(start.elapsed() < Duration::from_secs(20), "{} left {pid} behind", file.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_program_answers() {
    passes(&Bench::new().run("good"));
    passes(&Bench::new().run("pieces"));
}

#[test]
fn the_example_passes() {
    drop(Bench::new()); // says so where there is no Python
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/command/helpdesk.yaml");
    let report = Benchmark::open(&spec, &Registry::new()).unwrap().run();
    passes(&report);
    assert_eq!(report.gates.len(), 3);
    assert_eq!(report.configurations[0].source, "command python3 search.py ../data/helpdesk/corpus.jsonl");
}

#[test]
fn all_passes_are_asked_of_one_process() {
    let more = "deterministic: true\n";
    let report = Bench::new().run_with("good", ", repeats: 3, concurrency: 3", more);
    passes(&report);
    assert_eq!(report.gates.len(), 2);
}

/// Texts have another hash in every process of Python's.
#[test]
fn a_program_that_orders_ties_by_its_hash_seed_is_not_deterministic() {
    let decide = |rest: &str, more: &str| {
        let report = Bench::new().run_with("sets", rest, more);
        let gate = report.gates.last().unwrap();
        assert!(gate.name.ends_with("::deterministic"), "{}", gate.name);
        (gate.verdict, rankgate::report::message(&report, gate))
    };
    let (verdict, message) = decide("", "deterministic: true\n");
    assert_eq!(verdict, Verdict::Failed, "{message}");
    assert!(message.starts_with("bench: child ranks differently when started twice\n"), "{message}");
    for said in ["4 of 4 queries ranked differently, started twice", "PYTHONHASHSEED", "equal scores"] {
        assert!(message.contains(said), "{message}");
    }
    // Whoever gives it a seed has chosen one order.
    let (verdict, message) = decide(", env: {PYTHONHASHSEED: '0'}", "deterministic: builds\n");
    assert_eq!(verdict, Verdict::Passed, "{message}");
    let (verdict, message) = decide("", "deterministic: answers\n");
    assert_eq!(verdict, Verdict::Passed, "{message}");
    assert!(message.contains("4 queries rank the same twice, of one build"), "{message}");
}

#[test]
fn hits_may_have_scores_or_not() {
    let report = Bench::new().run_with("shapes", "", "metrics: [R@10]\n");
    let text = rankgate::report::text(&report);
    // The fourth query is answered with nothing.
    assert!(text.contains("0.7500"), "{text}");
}

#[test]
fn answers_may_come_in_any_order() {
    passes(&Bench::new().run_with("backwards", ", concurrency: 2", ""));
}

#[test]
fn a_program_is_told_what_it_needs() {
    let bench = Bench::new();
    let rest = ", concurrency: 1, env: {MODE: '${CARGO_PKG_NAME}!'}";
    passes(&bench.run_with("told", rest, ""));
    let told = std::fs::read_to_string(bench.path("told.json")).unwrap();
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let folder = bench.0.path().canonicalize().unwrap();
    let query = serde_json::json!(
        {"id": "q4", "text": "question 4", "metadata": {"kind": ["a", 4]}, "depth": 10});
    let expected = serde_json::json!({"rankgate": 1, "benchmark": "bench", "configuration": "child",
        "depth": 10, "query": query, "cwd": folder, "mode": "rankgate!"});
    assert_eq!(told, expected);
}

#[test]
fn a_program_that_does_not_start_is_an_error() {
    let bench = Bench::new();
    let folder = bench.0.path().canonicalize().unwrap();
    let run = |command: &str, rest: &str| {
        let text = failure(&bench.run_command(command, rest, ""));
        text.replace(&*folder.display().to_string(), "FOLDER")
            .replace(&*bench.0.path().display().to_string(), "FOLDER")
    };
    std::fs::write(bench.path("plain.txt"), "no program").unwrap();
    assert_eq!(
        run("[no-such-program, --hybrid]", ""),
        "could not be set up: cannot start `no-such-program` in `FOLDER`: \
         No such file or directory (os error 2)\na name without `/` is looked up in PATH"
    );
    assert_eq!(
        run("[./search.py]", ""),
        "could not be set up: cannot start `./search.py` in `FOLDER`: No such file or directory \
         (os error 2)\nthe path of a program is relative to the folder that it runs in"
    );
    assert_eq!(
        run("[./plain.txt]", ""),
        "could not be set up: cannot start `./plain.txt` in `FOLDER`: Permission denied (os error 13)"
    );
    let unset = run("[python3, '${NO_SUCH_VARIABLE_AT_ALL}']", "");
    assert!(unset.contains("the environment variable `NO_SUCH_VARIABLE_AT_ALL` is not set"), "{unset}");
}

#[test]
fn a_program_beside_the_spec_is_found_from_anywhere() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let child = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command_protocol/child.py");
    let script = format!("#!/bin/sh\nexec python3 '{}' good\n", child.display());
    std::fs::write(bench.path("search"), script).unwrap();
    std::fs::set_permissions(bench.path("search"), PermissionsExt::from_mode(0o755)).unwrap();
    passes(&bench.run_command("[./search]", "", ""));
}

#[test]
fn a_program_that_dies_says_why() {
    let dead = fails("dead-at-start");
    assert!(
        dead.starts_with("could not be set up: the program exited (exit status: 1) without saying hello\ncommand: CHILD\nstandard error, its end:\n  Traceback"),
        "{dead}"
    );
    assert!(dead.ends_with("\n  ImportError: No module named 'torch'"), "{dead}");
    assert_eq!(
        fails("dead-in-answer"),
        "query `q1`: the program exited (exit status: 0) in the middle of a line: `{\"id\": \"q1\", \"hits\": \
         [[\"d1\", 1` (asking stopped with 3 to go)\ncommand: CHILD\nstandard error, its end:\n  out of memory"
    );
    assert_eq!(
        fails("dead-later"),
        "query `q2`: the program exited (exit status: 3) before all queries were answered (asking stopped with 2 \
         to go)\ncommand: CHILD\nstandard error: nothing"
    );
}

#[test]
fn a_program_that_ends_well_too_early_is_an_error() {
    assert_eq!(
        fails("exits-early"),
        "query `q3`: the program exited (exit status: 0) before all queries were answered (asking stopped with 1 \
         to go)\ncommand: CHILD\nstandard error: nothing"
    );
}

#[test]
fn ids_of_a_megabyte_are_read_and_shown_in_short() {
    let report = Bench::new().run_with("long-ids", "", "metrics: [RR@10]\n");
    passes(&report);
    let (text, markdown) = (rankgate::report::text(&report), rankgate::report::markdown(&report));
    assert!(text.contains("0.5000"), "the long id comes first, the right one second: {text}");
    assert!(text.len() < 100_000 && markdown.len() < 1 << 20, "{} and {} bytes", text.len(), markdown.len());
}

#[test]
fn a_hundred_thousand_results_of_a_query_are_read() {
    let report = Bench::new().run_with("many", "", "depth: 100000\nmetrics: [R@99999, R@100000]\n");
    // The last of them is the right one.
    let text = rankgate::report::text(&report);
    let value = |metric: &str| text.lines().find(|line| line.trim_start().starts_with(metric)).unwrap();
    assert!(value("R@99999 ").contains("0.0000"), "{text}");
    assert!(value("R@100000 ").contains("1.0000"), "{text}");
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
}

#[test]
fn a_program_whose_child_outlives_it_is_dead() {
    let bench = Bench::new();
    let file = bench.path("pid");
    let text = fails_with(&bench, &format!("orphan, '{}'", file.display()), "");
    assert!(text.contains("the program exited (exit status: 4) before all queries were answered"), "{text}");
    are_gone(&[file]);
}

#[test]
fn a_program_that_is_late_is_killed_with_its_children() {
    let bench = Bench::new();
    let file = bench.path("pid");
    let text = fails_with(&bench, &format!("slow, '{}'", file.display()), ", timeout: 500ms");
    assert!(
        text.starts_with(
            "query `q1`: the program did not answer `question 1` within 0.5 s, the `timeout` in line 12 of the spec, and was stopped; write a newline after each answer, and flush (asking stopped with 3 to go)\ncommand: CHILD\nstandard error, its end:\n  thinking"
        ),
        "{text}"
    );
    are_gone(&[file, bench.path("pid.child")]);
}

#[test]
fn what_a_program_does_after_its_last_answer_counts() {
    let ended = "after all queries were answered, which says that something went wrong\ncommand: CHILD\nstandard \
                 error, its end:\n  cannot save the cache";
    for (how, expected) in [
        ("bad-exit", format!("the program exited (exit status: 3) {ended}")),
        ("crashes-at-the-end", format!("the program exited (signal: 9 (SIGKILL)) {ended}")),
        (
            "last-words",
            "the program wrote a line that is not JSON (expected value at line 1 column 1): `all done`\nstandard output is for the \
             protocol alone; print everything else to standard error\ncommand: CHILD\nstandard error, its end:\n  cannot save the cache"
                .into(),
        ),
        (
            "once-more",
            "the program answered query `q4` a second time: `{\"id\": \"q4\", \"hits\": [[\"d4\", 1.0]]}`\ncommand: CHILD\nstandard \
             error, its end:\n  cannot save the cache"
                .into(),
        ),
    ] {
        assert_eq!(fails(how), expected);
    }
}

#[test]
fn an_answer_with_two_lists_of_hits_is_an_error() {
    let text = fails("two-lists");
    let expected =
        "query `q1`: the program wrote a line that is ambiguous (`hits` occurs twice at line 1 column ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_program_that_stays_is_killed_in_the_end() {
    let bench = Bench::new();
    let file = bench.path("pid");
    passes(&bench.run(&format!("stays, '{}'", file.display())));
    // Not within seconds, but before the benchmark has returned.
    let pid: i32 = std::fs::read_to_string(&file).unwrap().parse().unwrap();
    assert!(!is_alive(pid));
    are_gone(&[bench.path("pid.child")]);
}

#[test]
fn a_hello_is_demanded() {
    assert_eq!(
        fails("version"),
        "could not be set up: the program speaks version `2` of the protocol; this rankgate speaks version 1\n\
         command: CHILD"
    );
    assert_eq!(
        fails("chatty"),
        "could not be set up: the program should have said hello with {\"rankgate\": 1} on its first line, but wrote \
         `Loading the model ...`\nstandard output is for the protocol alone; print everything else to standard \
         error\ncommand: CHILD"
    );
}

#[test]
fn lines_that_are_no_answers_end_the_conversation() {
    const STDOUT: &str =
        "\nstandard output is for the protocol alone; print everything else to standard error";
    const NOTHING: &str = "\nstandard error: nothing";
    for (how, what, help, stderr) in [
        ("wrong-id", "answered query `q99`, which was not asked: `{\"id\": \"q99\", \"hits\": []}`", "", ""),
        (
            "junk",
            "wrote a line that is not JSON (expected value at line 1 column 1): `debug: asking for question 1`",
            STDOUT,
            "",
        ),
        (
            "nan",
            "wrote a line that is not JSON (expected value at line 1 column 30): \
             `{\"id\": \"q1\", \"hits\": [[\"d1\", NaN]]}`",
            "\nJSON has no NaN",
            "",
        ),
        (
            "not-utf-8",
            "wrote a line that is not UTF-8: `{\"id\": \"q1\", \"hits\": [\"caf\u{fffd}\"]}`",
            "",
            "",
        ),
        ("deaf", "does not read its standard input (Broken pipe (os error 32))", "", ""),
        ("dumb", "closed its standard output before all queries were answered", "", NOTHING),
    ] {
        assert_eq!(
            fails(how),
            format!(
                "query `q1`: the program {what} (asking stopped with 3 to go){help}\n\
                 command: CHILD{stderr}"
            )
        );
    }
    let text = fails("huge");
    assert!(
        text.starts_with(
            "query `q1`: the program wrote a line of more than 64 MiB: `{\"id\": \"q1\", \"hits\": [\"xxx"
        ),
        "{text}"
    );
    assert!(text.len() < 600, "{text}");
}

#[test]
fn an_answer_given_twice_ends_the_conversation() {
    let text = fails("twice");
    assert!(
        text.contains("the program answered query `q1` a second time: `{\"id\": \"q1\", \"hits\": []}`"),
        "{text}"
    );
}

#[test]
fn what_is_wrong_with_one_answer_is_that_query_s() {
    assert_eq!(
        fails("says-error"),
        r"query `q1`: the program says: `index of\nyesterday` (the first of 4 failures among 4 queries)"
    );
    assert_eq!(
        fails("wrong-hits"),
        "query `q1`: hit 1 is not a pair of an id and a score: `[\"d1\"]` (the first of 4 failures among 4 queries)"
    );
}

#[test]
fn a_flood_of_standard_error_blocks_nothing() {
    passes(&Bench::new().run("flood"));
    let text = fails("flood, fail");
    assert!(
        text.starts_with(
            "query `q4`: the program exited (exit status: 1) before all queries were answered\n"
        ),
        "{text}"
    );
    assert!(text.ends_with("\n  \\u{1b}[31mthe last words\\u{1b}[0m"), "{text}");
    assert!(text.lines().count() < 20 && text.len() < 8000, "{text}");
}

#[test]
fn values_of_variables_are_never_shown() {
    let bench = Bench::new();
    // Set by cargo for every test; nothing that would be there by chance.
    let secret = env!("CARGO_MANIFEST_DIR");
    let rest = ", env: {MODE: '${CARGO_MANIFEST_DIR}'}";
    let report = bench.run_command(
        "[python3, '${CARGO_MANIFEST_DIR}/tests/command_protocol/child.py', secret]",
        rest,
        "",
    );
    let text = rankgate::report::text(&report);
    assert!(text.contains("the program says: `no access with ${CARGO_MANIFEST_DIR}`"), "{text}");
    assert!(!text.contains(secret), "{text}");
    assert!(!rankgate::report::json(&report).contains(secret));
}
