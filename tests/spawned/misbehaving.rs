//! Retrievers that do what no retriever should: the run fails, ends, and says what it was.

use crate::user::Crate;

/// Runs the crate with a fault under `cargo test`.
fn run_with(user: &Crate, fault: &str) -> crate::user::Ran {
    user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", fault)])
}

#[test]
fn a_panic_that_poisons_a_lock_is_what_is_told_of() {
    let user = Crate::blessed();
    run_with(&user, "poisons")
        .ends_with(101)
        // The advisory gate is an error as well, and fails nothing beside the others.
        .says("1 passed; 4 failed")
        .says("query `q3`: panicked: no such field: title")
        .does_not_say("query `q1`: panicked")
        .does_not_say("test result: ok");
}

#[test]
fn a_panic_in_batch_size_is_no_passed_run() {
    let user = Crate::blessed();
    run_with(&user, "panics-in-batch-size").ends_with(101).says("no model").says(", in `batch_size`");
}

#[test]
fn a_process_that_dies_is_no_passed_run() {
    let user = Crate::blessed_for_cargo();
    for (fault, what) in [("aborts", "SIGABRT"), ("overflows", "has overflowed its stack")] {
        run_with(&user, fault).ends_with(101).says(what).does_not_say("test result: ok");
        user.run(&["nextest", "run", "--no-fail-fast"], &[("FIXTURE_FAULT", fault)])
            .ends_with(100)
            .says("5 tests run: 0 passed, 5 failed");
    }
}

#[test]
fn an_answer_that_changes_is_found_and_the_query_named() {
    let user = Crate::blessed();
    run_with(&user, "changes")
        .ends_with(101)
        .says("4 passed; 1 failed")
        .says("toy::words::deterministic")
        .says("q2")
        .says("change delivery address")
        .does_not_say("q1");
}

#[test]
fn what_a_retriever_leaves_running_keeps_no_process() {
    let user = Crate::blessed();
    run_with(&user, "leaks").ends_with(0).says("5 passed; 0 failed");
}

#[test]
fn what_a_retriever_prints_stands_between_the_results_on_lines_of_its_own() {
    let user = Crate::blessed();
    let (binary, prints) = (user.binary(), [("FIXTURE_FAULT", "prints")]);
    let run = |arguments: &[&str]| user.finish(user.command(&binary, arguments, &prints));
    let listed = run(&["--list", "--format", "terse"]);
    assert_eq!((listed.ends_with(0).stdout.lines().count(), listed.stderr.as_str()), (5, ""));

    let text = run(&["--test-threads=1"]);
    text.ends_with(0).says("test result: ok. 5 passed");
    assert_eq!(text.stdout.lines().filter(|line| line.contains("asked q")).count(), 12, "{}", text.all());

    let json = run(&["--format", "json", "-Zunstable-options"]);
    let (events, printed): (Vec<_>, Vec<_>) =
        json.ends_with(0).stdout.lines().partition(|line| line.starts_with('{'));
    let passed = events.iter().filter(|line| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["type"] == "test" && event["event"] == "ok"
    });
    assert_eq!(passed.count(), 5, "{}", json.all());
    assert_eq!(printed.iter().filter(|line| line.starts_with("asked q")).count(), 12, "{}", json.all());

    user.run(&["nextest", "run"], &prints).ends_with(0).says("5 tests run: 5 passed");
}
