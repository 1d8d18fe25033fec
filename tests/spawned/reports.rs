//! What is left of a test run beside its text: reports, JUnit, the summary on GitHub.

use std::fs;

use crate::user::Crate;

#[test]
fn the_failure_reaches_nextests_junit_report() {
    let user = Crate::blessed();
    fs::create_dir_all(user.path(".config")).unwrap();
    fs::write(user.path(".config/nextest.toml"), "[profile.default.junit]\npath = \"junit.xml\"\n").unwrap();
    let ran = user.run(&["nextest", "run", "--no-fail-fast"], &[("FIXTURE_FAULT", "reversed")]);
    ran.ends_with(100);
    let junit = ran.junit.unwrap();
    assert!(junit.contains("message=\"Error: toy: words is below its threshold on nDCG@3"), "{junit}");
}

#[test]
fn nextest_shows_each_message_once() {
    let user = Crate::blessed();
    let ran = user.run(&["nextest", "run", "toy::words::nDCG@3"], &[("FIXTURE_FAULT", "reversed")]);
    ran.ends_with(100);
    assert_eq!(ran.all().matches("this gate:").count(), 1, "{}", ran.all());
}

#[test]
fn one_thread_and_many_give_the_same_report() {
    let user = Crate::blessed();
    let report = |threads: &str| {
        let ran = user.run(&["test", "--test", "retrieval", "--", threads], &[]);
        ran.ends_with(0);
        let mut report: serde_json::Value = serde_json::from_str(&ran.report.unwrap()).unwrap();
        // Times are the one thing that differs from run to run.
        *report.pointer_mut("/configurations/0/outcome/measured/latency").unwrap() = serde_json::Value::Null;
        report
    };
    assert_eq!(report("--test-threads=1"), report("--test-threads=8"));
}

#[test]
fn what_was_answered_is_kept_beside_the_report_under_each_runner() {
    let user = Crate::blessed();
    let kept = || fs::read_to_string(user.output("toy/words.run"));
    for runner in [&["test", "--test", "retrieval"][..], &["nextest", "run"]] {
        fs::remove_file(user.output("toy/words.run")).ok();
        user.run(runner, &[]).ends_with(0);
        // With scores and in the columns of TREC; what is blessed has a line for each query.
        let (text, blessed) = (kept().unwrap(), user.read("golden/toy/words.run"));
        let rankings = |lines: &str| lines.lines().filter(|line| !line.starts_with('#')).count();
        assert!(text.starts_with("# rankgate run, version 6\n"), "{text}");
        assert!(blessed.starts_with("# rankgate golden run, version 8\n"), "{blessed}");
        let documents: usize = blessed
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(' ').count() - 1)
            .sum();
        assert_eq!((rankings(&text), rankings(&blessed)), (documents, 4));
        // What could not be asked has answered nothing.
        fs::remove_file(user.output("toy/words.run")).unwrap();
        user.run(runner, &[("FIXTURE_FAULT", "errors")]);
        assert!(kept().is_err());
    }
}

#[test]
fn github_gets_one_summary_of_a_test_run() {
    let user = Crate::blessed();
    let summary = user.path("summary.md");
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("FIXTURE_FAULT", "reversed"),
    ];
    let ran = user.run(&["test", "--test", "retrieval"], &variables);
    ran.ends_with(101);
    let whole = user.read("summary.md");
    assert_eq!(whole.matches("## toy: ").count(), 1, "{whole}");

    // One process per test: none sums up.
    let ran = user.run(&["nextest", "run", "--no-fail-fast"], &variables);
    ran.ends_with(100);
    assert_eq!(user.read("summary.md"), whole);
}
