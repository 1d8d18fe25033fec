//! What the runners can do beside running: archives, partitions, retries, arguments, `cargo insta`.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::user::{Crate, Ran, copy};
use crate::{ASKED_TWO_BUILDS, GATES};

/// The gates whose lines begin with this, as nextest prints them.
fn gates(ran: &Ran, result: &str) -> BTreeSet<String> {
    let lines = ran.stderr.lines().map(str::trim).filter(|line| line.starts_with(result));
    lines.filter_map(|line| Some(line.rsplit_once(' ')?.1.to_owned())).collect()
}

#[test]
fn partitions_run_each_gate_once_and_judge_it_as_a_whole_run_does() {
    let user = Crate::blessed();
    for (variables, verdict, expected) in [
        (&[][..], "PASS", BTreeSet::from(GATES.map(str::to_owned))),
        (
            &[("FIXTURE_FAULT", "reversed")][..],
            "FAIL",
            gates(&user.run(&["nextest", "run", "--no-fail-fast"], &[("FIXTURE_FAULT", "reversed")]), "FAIL"),
        ),
    ] {
        assert!(!expected.is_empty());
        for by in ["count", "hash"] {
            let part = |number: u32| {
                let partition = format!("{by}:{number}/2");
                let ran =
                    user.run(&["nextest", "run", "--no-fail-fast", "--partition", &partition], variables);
                gates(&ran, verdict)
            };
            let (one, two) = (part(1), part(2));
            assert!(one.is_disjoint(&two), "{one:?} {two:?}");
            assert_eq!(one.union(&two).cloned().collect::<BTreeSet<_>>(), expected);
        }
    }
}

#[test]
fn each_round_of_a_stress_run_asks_anew() {
    let ran = Crate::blessed().run(&["nextest", "run", "--stress-count", "2"], &[]);
    ran.ends_with(0);
    assert_eq!((ran.noted("built"), ran.noted("asked")), (4, 2 * ASKED_TWO_BUILDS), "{}", ran.all());
}

#[test]
fn a_retry_asks_again_what_could_not_answer_and_nothing_else() {
    let user = Crate::blessed();
    let retry = |fault| {
        user.run(&["nextest", "run", "--no-fail-fast", "--retries", "2"], &[("FIXTURE_FAULT", fault)])
    };
    let recovered = retry("recovers");
    recovered.ends_with(0).says("5 tests run: 5 passed");
    // A build that fails, one that answers, and a second one to see whether it ranks the same.
    assert_eq!(recovered.noted("built"), 3, "{}", recovered.all());
    // A verdict is the same however often it is asked for.
    let failed = retry("reversed");
    failed.ends_with(100).says("TRY 3 FAIL");
    assert_eq!((failed.noted("built"), failed.noted("asked")), (2, ASKED_TWO_BUILDS), "{}", failed.all());
}

#[test]
fn an_archive_is_run_where_it_is_unpacked_with_the_specs_and_golden_files_there() {
    let user = Crate::blessed_for_cargo();
    let place = tempfile::tempdir().unwrap();
    let archive = place.path().join("tests.tar.zst");
    let archive = archive.to_str().unwrap();
    user.run(&["nextest", "archive", "--archive-file", archive], &[]).ends_with(0);
    let elsewhere = place.path().join("elsewhere");
    copy(&user.folder, &elsewhere);
    // Nothing is left where it was built.
    fs::remove_dir_all(user.path("benchmarks")).unwrap();
    fs::remove_dir_all(user.path("golden")).unwrap();
    let remap = elsewhere.to_str().unwrap();
    let run = |variables: &[(&str, &str)]| {
        let arguments =
            ["nextest", "run", "--no-fail-fast", "--archive-file", archive, "--workspace-remap", remap];
        let mut command = user.command(env!("CARGO"), &arguments, variables);
        command.current_dir(place.path()).env_remove("CARGO_TARGET_DIR");
        user.finish(command)
    };
    run(&[]).ends_with(0).says("5 tests run: 5 passed");
    assert!(elsewhere.join("target/rankgate/toy/report.html").is_file(), "the report is beside the specs");
    run(&[("FIXTURE_FAULT", "reversed")])
        .ends_with(100)
        .says("words is below its threshold on nDCG@3")
        .says("benchmarks/toy.yaml:");
}

#[test]
fn arguments_of_libtest_are_taken_or_refused_by_name() {
    let user = Crate::blessed();
    let binary = user.binary();
    let run =
        |arguments: &str| user.finish(user.command(&binary, &arguments.split(' ').collect::<Vec<_>>(), &[]));
    for taken in [
        "--format json -Zunstable-options",
        "--format terse",
        "--format pretty",
        "--logfile log.txt",
        "--nocapture",
        "--show-output",
        "--quiet",
        "--color always",
        "--color never",
        "--skip nothing-is-called-this",
        "--test",
        "--test-threads 2",
        "--include-ignored",
    ] {
        let ran = run(taken);
        ran.ends_with(0);
        assert!(ran.noted("asked") == ASKED_TWO_BUILDS, "{taken}: {}", ran.all());
    }
    for (refused, named) in [
        ("--format junit", "junit"),
        ("--shuffle", "--shuffle"),
        ("nDCG RR", "RR"),
        ("--no-such-argument", "--no-such-argument"),
    ] {
        let ran = run(refused);
        ran.ends_with(2).says("error: ").says(named).does_not_say("panicked");
        assert_eq!(ran.notes.len(), 0, "{refused} asks nothing");
    }
}

#[test]
fn a_filter_that_selects_no_gate_is_explained() {
    let user = Crate::blessed();
    let run = |filter: &str| {
        let ran = user.run(&[&["test", "--"], &*filter.split(' ').collect::<Vec<_>>()].concat(), &[]);
        ran.ends_with(0).says("0 passed");
        assert_eq!(ran.noted("asked"), 0, "{}", ran.all());
        ran
    };
    let note = "note: no gate was run: `parser` selects none of 5 gates; `cargo test --test retrieval -- --list` shows them\n";
    assert_eq!(run("parser").stderr, note);
    assert_eq!(run("--quiet parser").stderr, "");
    let note = "note: no gate was run: no gate has `ndcg@3` in its name; did you mean `nDCG@3`?\n";
    assert_eq!(run("ndcg@3").stderr, note);
}

#[test]
fn what_is_asked_for_beside_results_is_printed_and_nothing_else() {
    let user = Crate::blessed();
    let quiet = user.run(&["test", "--", "--quiet"], &[]);
    quiet.ends_with(0);
    assert_eq!(
        (quiet.stderr.as_str(), quiet.stdout.lines().filter(|line| !line.is_empty()).count()),
        ("", 3)
    );
    let json = user.run(&["test", "--", "--format", "json"], &[]);
    json.ends_with(0);
    assert!(
        json.stdout.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
        "{}",
        json.all()
    );
    assert!(json.stderr.contains("toy: 4 passed, 1 advisory"));
}

/// Whether `cargo insta` is there; it says so where it is not.
fn insta_is_there() -> bool {
    let there = Command::new("cargo-insta").arg("--version").output().is_ok();
    #[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
    if !there {
        eprintln!("SKIPPED: cargo-insta is not installed");
    }
    there
}

#[test]
fn cargo_insta_tests_reviews_and_accepts_golden_files() {
    if !insta_is_there() {
        return;
    }
    let user = Crate::blessed_for_cargo();
    let snapshot = "golden/toy/words.snap";
    let blessed = user.read(snapshot);
    let insta = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = user.command(env!("CARGO"), &["insta"], variables);
        // It asks for what other systems compile too, which nobody may have fetched.
        command.args(arguments).env("CARGO_NET_OFFLINE", "false");
        user.finish(command)
    };
    // What is right is no snapshot without a test, and nothing is pending.
    insta(&["test", "--unreferenced=reject"], &[]).ends_with(0);
    assert_eq!(user.read(snapshot), blessed);
    // What has changed is pending, shown and accepted.
    let reversed = [("FIXTURE_FAULT", "reversed")];
    let ran = insta(&["test"], &reversed);
    assert_ne!(ran.code, Some(0), "{}", ran.all());
    let pending = insta(&["pending-snapshots"], &[]);
    pending.ends_with(0).says("words.snap");
    insta(&["reject"], &[]).ends_with(0);
    assert_eq!(user.read(snapshot), blessed);
    assert!(!user.path("golden/toy/words.snap.new").exists());
    insta(&["test"], &reversed);
    insta(&["accept"], &[]).ends_with(0);
    let accepted = user.read(snapshot);
    assert_ne!(accepted, blessed);
    // It is what blessing writes, but for the run, which is blessed by rankgate alone.
    user.run(&["test", "--", "snapshot"], &reversed).ends_with(0);
    user.run(&["test"], &[("RANKGATE_BLESS", "force"), reversed[0]]);
    assert_eq!(user.read(snapshot), accepted);
}
