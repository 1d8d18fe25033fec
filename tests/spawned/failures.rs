//! Gates that fail and specs or retrievers that are broken: what the test run says.

use std::fs;

use crate::user::Crate;

#[test]
fn a_broken_retriever_fails_and_the_message_names_queries_and_documents() {
    let user = Crate::blessed();
    let ran = user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", "reversed")]);
    ran.ends_with(101)
        .says("toy: words is below its threshold on nDCG@3")
        .says("q1")
        .says("refund order")
        .says("refunds-1 (grade 2) rank 1 -> ")
        .says("RANKGATE_BLESS=1 cargo test --test retrieval")
        .says("rankgate/toy/report.html")
        .says("benchmarks/toy.yaml:");
    assert!(ran.report.unwrap().contains("\"failed\""), "the report is written, failing or not");
    assert!(ran.page.unwrap().contains("words is below its threshold on nDCG@3"));
}

#[test]
fn of_several_gates_that_fail_by_the_same_queries_the_first_shows_them() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace(
            "snapshot: true",
            "comparisons:\n  - {candidate: words, baseline: golden, metrics: [nDCG@3], \
                                        expect: non-inferiority, margin: 0.01}\nsnapshot: true",
        )
        .replace("min: 1.0, level: advisory", "min: 1.0")
    });
    let run = |threads: &str| {
        user.run(&["test", "--test", "retrieval", "--", threads], &[("FIXTURE_FAULT", "reversed")])
    };
    for ran in [run("--test-threads=1"), run("--test-threads=8")] {
        ran.ends_with(101);
        let told = ran.stdout.split("failures:").nth(1).unwrap();
        assert_eq!(
            told.matches("3 queries worse than golden, 0 better, 1 unchanged").count(),
            1,
            "{}",
            ran.all()
        );
        assert_eq!(
            told.matches("see toy::words::nDCG@3 for the queries and documents that moved\n").count(),
            2,
            "{}",
            ran.all()
        );
    }
}

/// An advisory threshold that needs more judged queries than there are since one lost its judgments.
#[test]
fn an_advisory_gate_that_is_an_error_fails_only_where_no_blocking_gate_runs() {
    let user = Crate::blessed();
    let judged = ", relevant: {refunds-2: 2, refunds-1: 1}, category";
    let strict =
        "thresholds:\n  - {metric: nDCG@3, min: 0.5, coverage: 1.0, level: advisory, name: strict}\n";
    user.edit("benchmarks/toy.yaml", |text| {
        let text = text.replace(judged, ", category").replace("thresholds:\n", strict);
        text.replace("snapshot: true", "coverage: 0.5")
    });
    let run = |more: &[&str]| user.run(&[&["test", "--test", "retrieval", "--"], more].concat(), &[]);
    run(&[])
        .ends_with(0)
        .says("toy: 3 passed, 1 error, 1 advisory")
        .says("; advisory and not decided: words::nDCG@3[strict]");
    run(&["strict"]).ends_with(101).says("toy::words::nDCG@3[strict]");
    user.run(&["nextest", "run"], &[]).ends_with(0).says("5 tests run: 5 passed");
}

#[test]
fn a_limit_raised_above_the_value_fails() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| text.replace("min: 0.90}", "min: 1.0}"));
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace("refunds-2: 1, address-1: 0", "refunds-2: 1, login-1: 2")
    });
    let ran = user.run(&["test", "--test", "retrieval", "--", "--exact", "toy::words::nDCG@3"], &[]);
    ran.ends_with(101).says("toy: words is below its threshold on nDCG@3").says("minimum  1.0000");
}

#[test]
fn a_retriever_that_fails_makes_its_gates_errors_and_never_a_score_of_0() {
    let user = Crate::blessed();
    for (fault, message) in [
        ("panics", "panicked: no such field: title"),
        ("errors", "connection refused"),
        ("hangs", "no answer within 2 s"),
        ("duplicates", "twice"),
        ("nan", "not a number"),
    ] {
        let ran = user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", fault)]);
        // The advisory gate is an error as well, and fails nothing beside the others.
        ran.ends_with(101).says("1 passed; 4 failed").says("ERROR").says("`q1`").says(message);
    }
}

#[test]
fn an_unknown_parameter_is_shown_with_its_line() {
    let user = Crate::new();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace("{retriever: words,", "{retriever: words, params: {falt: x},")
    });
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(101).says("falt").says("toy.yaml:17:");
    // Every test that fails says what it is, one of them at length; the advisory gate fails nothing beside them.
    assert_eq!(
        ran.stdout.matches("ERROR: could not be set up: unknown key `falt`").count(),
        4,
        "{}",
        ran.all()
    );
    assert_eq!(ran.stdout.matches("did you mean `fault`?").count(), 1, "{}", ran.all());
    assert_eq!(ran.stdout.matches("the same cause as that of toy::words::nDCG@3\n").count(), 3);
}

#[test]
fn a_bad_spec_is_one_failing_test_and_the_others_run() {
    let user = Crate::blessed();
    fs::write(user.path("benchmarks/bad.yaml"), "version: 1\nbenchmark: bad\nmetrics: [nDGC@10]\n").unwrap();
    let listed = user.run(&["test", "--quiet", "--test", "retrieval", "--", "--list"], &[]);
    listed.ends_with(0).says("spec::bad.yaml: test");
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(101)
        .says("5 passed; 1 failed")
        .says("unknown metric")
        .says("did you mean `nDCG@10`?")
        .says("benchmarks/bad.yaml:3:");
    let report = fs::read_to_string(user.output("bad/report.json")).unwrap();
    assert!(report.contains("did you mean `nDCG@10`?"), "it stands where its last report did: {report}");
    user.run(&["nextest", "run", "--no-fail-fast"], &[])
        .ends_with(100)
        .says("6 tests run: 5 passed, 1 failed");
}

#[test]
fn a_filter_hides_no_broken_spec() {
    let user = Crate::blessed();
    fs::write(user.path("benchmarks/bad.yaml"), "version: 1\nbenchmark: bad\nmetrics: [nDGC@10]\n").unwrap();
    let run = |arguments: &[&str]| user.run(&[&["test", "--"], arguments].concat(), &[]);
    for arguments in [&["nDCG@3"][..], &["--quiet", "nDCG@3"], &["--ignored"]] {
        let ran = run(arguments);
        ran.ends_with(101).says("error: spec::bad.yaml is not selected, and fails all the same:\n");
        assert_eq!(ran.stderr.matches("did you mean `nDCG@10`?").count(), 1, "{}", ran.all());
    }
    run(&["bad"]).ends_with(101).says("0 passed; 1 failed").does_not_say("is not selected");
    // Gates of it may have had such names.
    for part in ["bad", "spec"] {
        run(&["--skip", part])
            .ends_with(101)
            .says("error: spec::bad.yaml is not selected, and fails all the same:\n");
    }
    // That it is broken is no news to whoever leaves it out by its own name.
    run(&["--skip", "spec::bad"])
        .ends_with(0)
        .says("5 passed")
        .says("note: spec::bad.yaml is skipped, so none of its gates is decided")
        .does_not_say("is not selected");
    // Of nextest's filter no process knows: whoever breaks a spec after the tests were listed is told by each of its gates.
    let (binary, nextest) = (user.binary(), [("NEXTEST", "1")]);
    let one = |name: &str| user.finish(user.command(&binary, &["--exact", name, "--nocapture"], &nextest));
    one("toy::words::nDCG@3").ends_with(0);
    one("bad::words::nDCG@3")
        .ends_with(101)
        .says(
            "error: bad::words::nDCG@3 is not there any more: a spec has changed since the tests were listed",
        )
        .says("did you mean `nDCG@10`?");
}

#[test]
fn without_their_features_a_service_and_bm25_are_failing_tests_that_name_them() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        let service = "service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}";
        text.replace(
            "configurations:\n",
            &format!("configurations:\n  {service}\n  built: {{builtin: bm25}}\n"),
        )
    });
    for (arguments, code) in
        [(&["test", "--test", "retrieval"][..], 101), (&["nextest", "run", "--no-fail-fast"], 100)]
    {
        user.run(arguments, &[])
            .ends_with(code)
            .says("spec::toy.yaml")
            .says("`http` cannot be used here")
            .says("benchmarks/toy.yaml:17:")
            .says("it needs rankgate's feature `http`: run `cargo add --dev rankgate --features http`")
            .says("`bm25` cannot be used here")
            .says("benchmarks/toy.yaml:18:")
            .says("it needs rankgate's feature `bm25`: run `cargo add --dev rankgate --features bm25`");
    }
}

#[test]
fn without_harness_false_nothing_compiles_and_the_missing_lines_are_shown() {
    let user = Crate::blessed_for_cargo();
    user.edit("Cargo.toml", |text| text.replace("[[test]]\nname = \"retrieval\"\nharness = false\n", ""));
    for runner in [&["test"][..], &["test", "--test", "retrieval"], &["nextest", "run"]] {
        let ran = user.run(runner, &[]);
        // cargo's own status of what does not compile; nextest has one of its own.
        assert!(ran.code == Some(101) || (runner[0] == "nextest" && ran.code == Some(100)), "{}", ran.all());
        ran.says("`harness = false` is missing in Cargo.toml, so `cargo test` would run none of these gates")
            .says("Cargo.toml of `fixture`")
            .says("name = \"retrieval\"\n")
            .says("  harness = false\n")
            .does_not_say("cannot test inner items")
            .does_not_say("test result: ok");
        assert_eq!(ran.noted("asked"), 0, "{}", ran.all());
    }
    // The lines are those that are missing.
    user.edit("Cargo.toml", |text| text + "\n[[test]]\nname = \"retrieval\"\nharness = false\n");
    user.run(&["test"], &[]).ends_with(0).says("5 passed").does_not_say("tests/retrieval.rs:");
}

#[test]
fn a_folder_without_specs_fails_and_a_filter_that_selects_nothing_does_not() {
    let user = Crate::blessed();
    user.run(&["test", "--test", "retrieval", "--", "nothing-is-called-this"], &[]).ends_with(0);
    fs::remove_file(user.path("benchmarks/toy.yaml")).unwrap();
    user.run(&["test", "--test", "retrieval"], &[]).ends_with(101).says("no spec here");
}

#[test]
fn a_retriever_that_panics_when_it_is_dropped_makes_its_gates_errors() {
    let user = Crate::blessed();
    for threads in ["--test-threads=1", "--test-threads=2"] {
        let ran = user.run(
            &["test", "--test", "retrieval", "--", threads],
            &[("FIXTURE_FAULT", "panics-when-dropped")],
        );
        ran.ends_with(101)
            .says("panicked: the index is still in use (src/lib.rs:")
            .says(", when it was dropped")
            .says("toy: 5 errors");
        assert_eq!(ran.noted("built"), 1, "{}", ran.all());
    }
}

#[test]
fn a_slow_retriever_is_reported_while_it_is_asked() {
    let user = Crate::blessed();
    let ran = user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", "sleeps")]);
    ran.ends_with(0);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let place = lines.iter().position(|line| line.starts_with("toy: asking words: ")).unwrap();
    assert!(lines[place].contains(" of 8 queries in 2 s, about "), "{}", ran.all());
}
