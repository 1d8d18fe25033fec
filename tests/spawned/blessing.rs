//! Golden files under each runner: missing, blessed, differing.

use std::fs;

use crate::user::Crate;

#[test]
fn a_golden_file_that_is_missing_fails_with_the_command_that_makes_it() {
    let user = Crate::new();
    let ran = user.run(&["test", "--test", "retrieval"], &[("CI", "true")]);
    ran.ends_with(101)
        .says("(run locally, then commit):")
        .says("ERROR: golden/toy/words.snap does not exist")
        .says("RANKGATE_BLESS=1 cargo test --test retrieval");
    assert!(!user.path("golden").exists(), "CI writes nothing");
}

#[test]
fn blessing_writes_the_snapshot_and_the_run_and_never_under_ci() {
    let user = Crate::new();
    user.run(&["test"], &[("CI", "true"), ("RANKGATE_BLESS", "1")])
        .ends_with(101)
        .says("Refusing to bless in CI (the variable")
        .says("spec::bless");
    assert!(!user.path("golden").exists());
    user.run(&["test"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    let snapshot = user.read("golden/toy/words.snap");
    assert!(snapshot.contains("input_file: benchmarks/toy.yaml"), "{snapshot}");
    assert!(snapshot.contains("nDCG@3"), "{snapshot}");
    assert!(user.read("golden/toy/words.run").starts_with("# rankgate golden run"));
    // A configuration with an error is never blessed.
    user.run(&["test"], &[("RANKGATE_BLESS", "1"), ("FIXTURE_FAULT", "errors")]).ends_with(101);
    assert_eq!(user.read("golden/toy/words.snap"), snapshot);
}

#[test]
fn blessing_under_a_filter_writes_both_files_too() {
    let user = Crate::new();
    user.run(&["test", "--", "toy::words::nDCG@3[goal]"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    assert!(user.path("golden/toy/words.run").is_file());
    assert!(user.path("golden/toy/words.snap").is_file());
    user.run(&["test", "--test", "retrieval"], &[]).ends_with(0).says("5 passed");
}

#[test]
fn no_setting_of_instas_writes_a_snapshot_or_passes_one() {
    let user = Crate::blessed();
    let blessed = user.read("golden/toy/words.snap");
    let pending = user.path("golden/toy/words.snap.new");
    let differs = |variables: &[(&str, &str)]| {
        let variables = [&[("FIXTURE_FAULT", "reversed")], variables].concat();
        let ran = user.run(&["test", "--test", "retrieval", "--", "snapshot"], &variables);
        ran.ends_with(101).says("toy: the metric report of words differs from what was blessed");
        assert!(ran.report.as_ref().unwrap().contains("\"state\": \"differs\""), "{:?}", ran.report);
        assert_eq!(user.read("golden/toy/words.snap"), blessed);
    };
    differs(&[("CI", "true"), ("INSTA_UPDATE", "always")]);
    assert!(!pending.exists(), "CI writes nothing");
    differs(&[("INSTA_UPDATE", "no")]);
    assert!(!pending.exists(), "nothing is wanted");
    differs(&[("INSTA_FORCE_PASS", "1")]);
    assert!(pending.exists());
    let file = "behavior:\n  force_pass: true\n  update: always\n";
    fs::create_dir_all(user.path(".config")).unwrap();
    fs::write(user.path(".config/insta.yaml"), file).unwrap();
    differs(&[]);
    // What passes takes away what waited, and a missing one is not written by itself.
    user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[]).ends_with(0);
    assert!(!pending.exists());
    fs::remove_file(user.path("golden/toy/words.snap")).unwrap();
    let missing = user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[("INSTA_UPDATE", "always")]);
    missing.ends_with(101).says("golden/toy/words.snap does not exist");
    assert!(!user.path("golden/toy/words.snap").exists() && pending.exists());
}

#[test]
fn a_snapshot_that_differs_shows_the_difference_once_and_leaves_a_pending_file() {
    let user = Crate::blessed();
    let ran = user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[("FIXTURE_FAULT", "reversed")]);
    ran.ends_with(101).says("- nDCG@3").says("+ nDCG@3").does_not_say("Snapshot Summary");
    assert!(user.path("golden/toy/words.snap.new").is_file());
}

#[test]
fn blessing_says_what_it_wrote_and_what_it_left() {
    let user = Crate::new();
    let bless = || user.run(&["test", "--test", "retrieval"], &[("RANKGATE_BLESS", "1")]);
    bless().ends_with(0).says("words: new golden/toy/words.run, new golden/toy/words.snap\n");
    let left = "words: unchanged golden/toy/words.run, unchanged golden/toy/words.snap\n";
    bless().ends_with(0).says(left);
    user.run(&["test", "--test", "retrieval"], &[]).ends_with(0).does_not_say("golden/toy");
}

#[test]
fn a_disaster_is_blessed_by_force_alone_and_told_once_under_each_runner() {
    let user = Crate::blessed();
    let blessed = [user.read("golden/toy/words.run"), user.read("golden/toy/words.snap")];
    let now = || [user.read("golden/toy/words.run"), user.read("golden/toy/words.snap")];
    let run = |arguments: &[&str], bless: &str| {
        user.run(arguments, &[("FIXTURE_FAULT", "reversed"), ("RANKGATE_BLESS", bless)])
    };
    let cargo_test = &["test", "--test", "retrieval"][..];
    let nextest = &["nextest", "run", "--no-fail-fast"][..];
    for (arguments, code) in [
        (cargo_test, 101),
        (&["test", "--test", "retrieval", "--", "deterministic"], 101),
        (nextest, 100),
        (&["nextest", "run", "--no-fail-fast", "deterministic"], 100),
    ] {
        let refused = run(arguments, "1");
        refused.ends_with(code).says("toy: words is not blessed while its thresholds fail: nDCG@3 0.");
        refused.says("`RANKGATE_BLESS=force cargo test --test retrieval` blesses it all the same");
        assert_eq!(now(), blessed);
    }
    for (arguments, code) in [(cargo_test, 101), (nextest, 100)] {
        run(arguments, "force").ends_with(code);
        assert_ne!(now(), blessed);
        let told = fs::read_to_string(user.output("toy/report.json")).unwrap();
        assert!(told.contains("\"blessings\"") && told.contains("golden/toy/words.run"), "{told}");
        user.run(cargo_test, &[("RANKGATE_BLESS", "1")]).ends_with(0).says("- nDCG@3 0.8224 -> 0.9525: ");
        assert_eq!(now(), blessed);
    }
}
