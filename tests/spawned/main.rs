//! What a user sees: a crate of its own, run by real `cargo test` and `cargo nextest run`.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

#[cfg(unix)]
mod misbehaving;
#[path = "../repository/mod.rs"]
mod repository;
mod runners;
#[cfg(unix)]
mod side_by_side;
mod suites;
mod user;

use std::fs;

use repository::root;
use user::{Crate, copy};

const GATES: [&str; 5] = [
    "toy::words::RR@3[category=money]",
    "toy::words::deterministic",
    "toy::words::nDCG@3",
    "toy::words::nDCG@3[goal]",
    "toy::words::snapshot",
];

/// Four queries, each asked twice because of `deterministic`.
const ASKED: usize = 8;
/// The same with those of a second build, which the gate on it asks once.
const ASKED_TWO_BUILDS: usize = ASKED + 4;

#[test]
fn under_cargo_test_there_is_one_test_per_gate_and_each_query_is_asked_once() {
    let user = Crate::blessed_for_cargo();
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(0).says("test result: ok. 5 passed");
    for gate in GATES {
        ran.says(&format!("test {gate}"));
    }
    assert_eq!((ran.noted("built"), ran.noted("asked")), (2, ASKED_TWO_BUILDS), "{}", ran.all());
    // What passed has values all the same, and where there are more of them.
    ran.says("toy: 4 passed, 1 advisory").says("\n  words  nDCG@3 ").says("as golden\n");
    ran.says("rankgate/toy/report.html\n");
}

#[test]
fn under_nextest_the_processes_of_one_run_share_its_answers_and_no_other_run_does() {
    let user = Crate::blessed_for_cargo();
    for _ in 0..2 {
        let ran = user.run(&["nextest", "run"], &[]);
        ran.ends_with(0).says("5 tests run: 5 passed");
        assert_eq!((ran.noted("built"), ran.noted("asked")), (2, ASKED_TWO_BUILDS), "{}", ran.all());
    }
}

#[test]
fn settings_of_a_sweep_are_asked_in_place_of_gates() {
    let user = Crate::new();
    let tune = |value: &str| user.run(&["test", "--test", "retrieval"], &[("RANKGATE_TUNE", value)]);
    tune("1").ends_with(101).says("no configuration with a `retriever` has a `sweep` to ask");
    let sweep = |values: &str| {
        user.edit("benchmarks/toy.yaml", |spec| {
            let line = format!("  words: {{retriever: words, timeout: 2s, sweep: {{fault: {values}}}}}");
            let lines: Vec<&str> = spec
                .lines()
                .map(|one| if one.starts_with("  words:") { line.as_str() } else { one })
                .collect();
            lines.join("\n") + "\n"
        });
    };
    sweep("[~, reversed]");
    let ran = tune("1");
    ran.ends_with(0)
        .says("toy: asked 2 settings of words; `rankgate tune benchmarks/toy.yaml` chooses among them")
        .does_not_say("test toy::words");
    // As it is, twice because of `deterministic`, and once in each setting.
    assert_eq!((ran.noted("built"), ran.noted("asked")), (3, ASKED + 2 * 4), "{}", ran.all());
    sweep("[errors]");
    tune("1").ends_with(101).says("toy, words: ").says("connection refused");
    // Gates see nothing of it.
    user.run(&["test", "--test", "retrieval", "--", "nDCG@3"], &[]).ends_with(0);
}

#[test]
fn listing_prints_tests_and_builds_nothing() {
    let user = Crate::new();
    let ran = user.run(&["test", "--quiet", "--test", "retrieval", "--", "--list", "--format", "terse"], &[]);
    ran.ends_with(0);
    let mut listed: Vec<_> = ran.stdout.lines().collect();
    listed.sort_unstable();
    assert_eq!(listed, GATES.map(|gate| format!("{gate}: test")));
    assert_eq!(ran.notes.len(), 0);
}

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
    assert!(ran.plot.unwrap().starts_with("<svg "));
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
        assert_eq!(told.matches("moved stand at toy::words::nDCG@3\n").count(), 2, "{}", ran.all());
    }
}

/// An advisory comparison with a golden run that is not there.
#[test]
fn an_advisory_gate_that_is_errored_fails_only_where_no_blocking_gate_runs() {
    let user = Crate::blessed();
    let gate = "comparisons:\n  - {candidate: words, baseline: golden@v1, metrics: [nDCG@3], expect: non-inferiority, \
                margin: 0.01, level: advisory}\nsnapshot: true";
    user.edit("benchmarks/toy.yaml", |text| text.replace("snapshot: true", gate));
    let run = |more: &[&str]| user.run(&[&["test", "--test", "retrieval", "--"], more].concat(), &[]);
    run(&[])
        .ends_with(0)
        .says("toy: 4 passed, 1 errored, 1 advisory")
        .says("; advisory and not decided: words-vs-golden@v1::nDCG@3");
    run(&["golden@v1"]).ends_with(101).says("toy::words-vs-golden@v1::nDCG@3");
    user.run(&["nextest", "run"], &[]).ends_with(0).says("6 tests run: 6 passed");
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
fn a_retriever_that_fails_makes_its_gates_errored_and_never_a_score_of_0() {
    let user = Crate::blessed();
    for (fault, message) in [
        ("panics", "panicked: no such field: title"),
        ("errors", "connection refused"),
        ("hangs", "no answer within 2 s"),
        ("duplicates", "twice"),
        ("nan", "not a number"),
    ] {
        let ran = user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", fault)]);
        // The advisory gate is errored as well, and fails nothing beside the others.
        ran.ends_with(101).says("1 passed; 4 failed").says("ERRORED").says("`q1`").says(message);
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
        ran.stdout.matches("ERRORED: could not be set up: unknown key `falt`").count(),
        4,
        "{}",
        ran.all()
    );
    assert_eq!(ran.stdout.matches("did you mean `fault`?").count(), 1, "{}", ran.all());
    assert_eq!(ran.stdout.matches("the same cause as that of toy::words::nDCG@3\n").count(), 3);
}

#[test]
fn a_spec_whose_gates_are_all_ignored_is_told_and_the_others_count() {
    let user = Crate::blessed();
    let text = user.read("benchmarks/toy.yaml").replace("benchmark: toy", "benchmark: big");
    let ignored = text.replace("timeout: 2s}", "timeout: 2s, ignore: needs a big index}");
    fs::write(user.path("benchmarks/big.yaml"), ignored).unwrap();
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(0)
        .says("5 passed; 0 failed; 5 ignored")
        .says("big: 5 gates ignored by the spec, none decided");
}

#[test]
fn what_no_gate_needs_is_asked_in_a_whole_run_only() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace("configurations:\n", "configurations:\n  other: {retriever: words}\n")
            .replace("{metric: nDCG@3, min: 0.90}", "{metric: nDCG@3, min: 0.90, for: [words]}")
            .replace("segment: {category: money}}", "segment: {category: money}, for: [words]}")
            .replace("name: goal}", "name: goal, for: [words]}")
            .replace("snapshot: true\ndeterministic: true\n", "")
    });
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(0).says("1 warning");
    assert_eq!((ran.noted("built"), ran.noted("asked")), (2, ASKED), "{}", ran.all());
    let ran = user.run(&["test", "--test", "retrieval", "--", "RR@3"], &[]);
    ran.ends_with(0).says("1 of 3 gates decided");
    assert_eq!((ran.noted("built"), ran.noted("asked")), (1, ASKED / 2), "{}", ran.all());
}

#[test]
fn the_readmes_closure_runs_with_rankgate_as_a_dev_dependency() {
    let user = Crate::for_cargo();
    user.edit("Cargo.toml", |text| {
        let dependency = text.lines().find(|line| line.starts_with("rankgate = ")).unwrap().to_owned();
        text.replace(&(dependency.clone() + "\n"), "")
            .replace("[[test]]", &format!("[dev-dependencies]\n{dependency}\n\n[[test]]"))
    });
    fs::write(user.path("src/lib.rs"), "//! A crate that knows nothing of rankgate.\n").unwrap();
    let readme = include_str!("../../docs/getting-started.md").split("```rust,no_run\n").skip(1);
    let closure =
        readme.filter_map(|rest| rest.split("```").next()).find(|code| code.contains("retriever_fn"));
    fs::write(user.path("tests/retrieval.rs"), closure.unwrap()).unwrap();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace("{retriever: words, timeout: 2s}", "{retriever: mine}")
            .replace("text: forgotten password", "text: a forgotten password")
            .replace("min: 0.90", "min: 0.25")
            .replace("min: 0.80", "min: 0.0")
            .replace("snapshot: true\n", "")
    });
    user.run(&["test"], &[]).ends_with(0).says("toy: 3 passed, 1 advisory");
}

#[test]
fn the_readmes_crate_passes_once_it_is_blessed() {
    let readme = include_str!("../../docs/getting-started.md");
    let user = Crate::for_cargo();
    for (path, fence) in [
        ("src/lib.rs", "```rust\n// src/lib.rs\n"),
        ("tests/retrieval.rs", "```rust,ignore\n// tests/retrieval.rs\n"),
        ("benchmarks/helpdesk.yaml", "```yaml\n# benchmarks/helpdesk.yaml\n"),
    ] {
        let (_, rest) = readme.split_once(fence).unwrap_or_else(|| panic!("the README shows no {path}"));
        let text = rest.split("```").next().unwrap().replace("my_search::", "fixture::");
        fs::write(user.path(path), text).unwrap();
    }
    fs::remove_file(user.path("benchmarks/toy.yaml")).unwrap();
    let data = root().join("examples/data/helpdesk");
    copy(&data, &user.path("benchmarks/data/helpdesk"));
    let blessing = user.run(&["test", "--test", "retrieval"], &[("RANKGATE_BLESS", "1")]);
    blessing.ends_with(0).says("new `golden/helpdesk/mine.run`").does_not_say("warning");
    user.run(&["test", "--test", "retrieval"], &[]).ends_with(0).says("helpdesk: 4 passed");
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
    for arguments in [&["nDCG@3"][..], &["--quiet", "nDCG@3"], &["--ignored"], &["nDCG@3", "RR"]] {
        let ran = run(arguments);
        ran.ends_with(101).says("error: spec::bad.yaml is not selected, and fails all the same:\n");
        assert_eq!(ran.stderr.matches("did you mean `nDCG@10`?").count(), 1, "{}", ran.all());
    }
    run(&["bad"]).ends_with(101).says("0 passed; 1 failed").does_not_say("is not selected");
    // That it is broken is no news to whoever leaves it out.
    run(&["--skip", "spec::bad"]).ends_with(0).says("5 passed").does_not_say("is not selected");
}

#[test]
fn without_its_feature_a_service_is_a_failing_test_that_names_it() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        let service = "service: {http: {url: 'http://localhost', body: '{text}', hits: '', id: ''}}";
        text.replace("configurations:\n", &format!("configurations:\n  {service}\n"))
    });
    for (arguments, code) in
        [(&["test", "--test", "retrieval"][..], 101), (&["nextest", "run", "--no-fail-fast"], 100)]
    {
        user.run(arguments, &[])
            .ends_with(code)
            .says("spec::toy.yaml")
            .says("`http` cannot be used here")
            .says("benchmarks/toy.yaml:17:")
            .says("it needs rankgate's feature `http`: write `features = [\"http\"]` beside rankgate in Cargo.toml");
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
fn a_filter_asks_only_what_the_chosen_gates_need() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace(
            "configurations:\n",
            "configurations:\n  other: {retriever: words, params: {fault: errors}}\n",
        )
    });
    let ran = user.run(&["test", "--test", "retrieval", "--", "toy::words::"], &[]);
    ran.ends_with(0);
    assert_eq!((ran.noted("built"), ran.noted("asked")), (2, ASKED_TWO_BUILDS));
    // Only whether answers repeat needs them twice.
    for (filter, built, asked) in [
        ("words::nDCG@3", 1, ASKED / 2),
        ("words::snapshot", 1, ASKED / 2),
        ("words::deterministic", 2, ASKED_TWO_BUILDS),
    ] {
        let ran = user.run(&["test", "--test", "retrieval", "--", filter], &[]);
        ran.ends_with(0);
        assert_eq!((ran.noted("built"), ran.noted("asked")), (built, asked), "{filter}: {}", ran.all());
    }
}

#[test]
fn gates_run_outside_of_the_thread_of_main_which_may_be_in_an_async_runtime() {
    let user = Crate::blessed_for_cargo();
    let test = "
        use std::cell::Cell;
        use std::process::ExitCode;

        use rankgate::{BoxError, Hit, Query, Retriever};

        thread_local! {
            static IS_ASYNC: Cell<bool> = const { Cell::new(false) };
        }

        /// As runtimes for async code do where they would block one.
        struct Runtime;

        impl Runtime {
            fn block(&self) {
                assert!(!IS_ASYNC.get(), \"cannot start a runtime from within a runtime\");
            }
        }

        impl Drop for Runtime {
            fn drop(&mut self) {
                assert!(!IS_ASYNC.get(), \"cannot drop a runtime where blocking is not allowed\");
            }
        }

        struct Blocking(fixture::Words, Runtime);

        impl Retriever for Blocking {
            fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
                self.1.block();
                self.0.retrieve(query, depth)
            }
        }

        fn main() -> ExitCode {
            IS_ASYNC.set(true);
            rankgate::harness!(\"benchmarks\")
                .retriever(\"words\", |setup| {
                    let runtime = Runtime;
                    runtime.block();
                    Ok(Blocking(fixture::Words::build(setup.corpus()?, setup.params()?)?, runtime))
                })
                .run()
        }
    ";
    fs::write(user.path("tests/retrieval.rs"), test).unwrap();
    for threads in ["--test-threads=1", "--test-threads=2"] {
        user.run(&["test", "--test", "retrieval", "--", threads], &[]).ends_with(0).says("5 passed");
    }
}

#[test]
fn a_retriever_that_panics_when_it_is_dropped_makes_its_gates_errored() {
    let user = Crate::blessed();
    for threads in ["--test-threads=1", "--test-threads=2"] {
        let ran = user.run(
            &["test", "--test", "retrieval", "--", threads],
            &[("FIXTURE_FAULT", "panics-when-dropped")],
        );
        ran.ends_with(101)
            .says("panicked: the index is still in use (src/lib.rs:")
            .says(", when it was dropped")
            .says("toy: 5 errored")
            .does_not_say("ignored by the spec");
        assert_eq!(ran.noted("built"), 1, "{}", ran.all());
    }
}

#[test]
fn a_slow_retriever_is_reported_while_it_is_asked_and_what_would_help() {
    let user = Crate::blessed();
    let slow = || user.run(&["test", "--test", "retrieval"], &[("FIXTURE_FAULT", "sleeps")]);
    let ran = slow();
    ran.ends_with(0);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let place = lines.iter().position(|line| line.starts_with("toy: asked words: ")).unwrap();
    assert!(lines[place].contains(" of 8 queries in 2 s, about "), "{}", ran.all());
    assert!(lines[place + 1].starts_with("note: this build is not optimized"), "{}", ran.all());
    assert_eq!(lines[place + 2..place + 5], ["", "[profile.dev.package.fixture]", "opt-level = 3"]);
    let manifest = user.read("Cargo.toml");
    user.edit("Cargo.toml", |text| text + "\n[profile.dev.package.fixture]\nopt-level = 3\n");
    // The program is the same: what counts is that the lines are there.
    let ran = user.finish(user.command(&user.binary(), &[], &[("FIXTURE_FAULT", "sleeps")]));
    ran.ends_with(0).says("toy: asked words: ").does_not_say("opt-level");
    fs::write(user.path("Cargo.toml"), manifest).unwrap();
}

#[test]
fn an_ignored_configuration_is_skipped_and_can_be_included() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| {
        text.replace("timeout: 2s}", "timeout: 2s, ignore: needs a big index}")
    });
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(101).says("5 ignored").says("no gate was decided");
    assert_eq!(ran.notes.len(), 0);
    user.run(&["test", "--test", "retrieval", "--", "--include-ignored"], &[]).ends_with(0).says("5 passed");
}

#[test]
fn gates_whose_data_are_not_here_are_skipped_aloud_and_fail_in_ci() {
    let user = Crate::blessed();
    let big = "version: 1\nbenchmark: big\ncollection: {beir: '${BIG_DATA}', missing: skip-outside-ci}\n\
               configurations: {words: {retriever: words}}\nmetrics: [nDCG@3]\n\
               thresholds: [{metric: nDCG@3, min: 0.5}]\n";
    fs::write(user.path("benchmarks/big.yaml"), big).unwrap();
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        user.run(&[&["test", "--test", "retrieval", "--"], arguments].concat(), variables)
    };
    let unset = "SKIPPED: big: 1 gate was not run, since the environment variable `BIG_DATA` is not set; on a CI machine \
                 this is an error\n";
    let ran = run(&[], &[]);
    ran.ends_with(0).says("5 passed; 0 failed; 1 ignored").does_not_say("ignored by the spec");
    assert_eq!(ran.stderr, unset);
    assert_eq!(run(&["--quiet"], &[("BIG_DATA", "")]).ends_with(0).stderr, unset);
    let gone = run(&["big"], &[("BIG_DATA", "/nowhere/at/all")]);
    gone.ends_with(0).says("since `${BIG_DATA}` is not there; on a CI machine").does_not_say("/nowhere");
    run(&["toy"], &[]).ends_with(0).does_not_say("SKIPPED");
    // Where it counts, where it is asked for, and where data are there and broken.
    run(&[], &[("CI", "1")]).ends_with(101).says("5 passed; 1 failed").says("`BIG_DATA` is not set");
    run(&["--include-ignored"], &[]).ends_with(101).says("5 passed; 1 failed").does_not_say("SKIPPED");
    let here = user.folder.display().to_string();
    run(&[], &[("BIG_DATA", &here)]).ends_with(101).says("5 passed; 1 failed").says("queries.jsonl");
    user.run(&["nextest", "run"], &[]).ends_with(0).says("5 tests run: 5 passed, 1 skipped");
    user.run(&["nextest", "run", "--no-fail-fast"], &[("CI", "1")]).ends_with(100).says("5 passed, 1 failed");
    // Nothing else is there to decide, and that was foreseen.
    fs::remove_file(user.path("benchmarks/toy.yaml")).unwrap();
    assert_eq!(run(&[], &[]).ends_with(0).stderr, unset);
}

#[test]
fn gates_that_nobody_could_judge_here_are_skipped_by_name_under_each_runner() {
    let user = Crate::blessed();
    let spec = "version: 1
benchmark: judged
collection:
  inline:
    documents: {refunds: refund of an order, address: change an address}
    queries: [{id: q1, text: refund order, relevant: {refunds: 2}}, {id: q2, text: change address, relevant: {address: 2}}]
configurations: {words: {run: words.run}}
metrics: [RR@2]
thresholds: [{metric: RR@2, min: 0.1}, {metric: nDCG@2, min: 0.1, judged: corrected}]
judge: {model: tiny, endpoint: '${JUDGE_URL}', judgments: judged.jsonl, humans: humans.jsonl}
";
    fs::write(user.path("benchmarks/judged.yaml"), spec).unwrap();
    let run = "q1 Q0 refunds 1 2 w\nq1 Q0 address 2 1 w\nq2 Q0 address 1 2 w\n";
    fs::write(user.path("benchmarks/words.run"), run).unwrap();
    let skipped = "`JUDGE_URL` is not set: 1 of 1 pair has no judgment";

    // What nobody left unasked has no reason to be missing.
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(101)
        .says("6 passed; 1 failed; 0 ignored")
        .says("1 of 1 pair has no judgment by relevance-");
    let judge = ran.all().split("by relevance-").nth(1).unwrap()[..8].to_owned();

    // The file that `rankgate judge --ci` writes without the key; hashes by coreutils' sha256sum of the two texts.
    let unasked = |gates: &str| {
        let file = format!(
            "{{\"gates\":[{gates}],\"reason\":\"`JUDGE_URL` is not set\"}}\n\
             {{\"document\":\"address\",\"document_sha256\":\"e1dfc91823bf17427c8ba7193802b234d5ea37baf1c7c9e2be6612cb09397925\",\
             \"judge\":\"relevance-{judge}\",\"query\":\"q1\",\
             \"query_sha256\":\"3062a7c35a717d8d7a7e045f63b600823bc74d51caada44f1412041f0610511f\"}}\n"
        );
        fs::write(user.path("target/rankgate/judged/unasked.jsonl"), file).unwrap();
    };
    unasked("\"judged::words::nDCG@2\"");
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(0).says("6 passed; 0 failed; 1 ignored").says("blocking and skipped: words::nDCG@2");
    ran.says(&format!("... ignored (not judged here, since {skipped} by relevance-{judge})"));
    user.run(&["nextest", "run"], &[]).ends_with(0).says("6 tests run: 6 passed, 1 skipped");
    // nextest takes a test that runs and ends well for one that passed: what turns up later fails.
    unasked("");
    let ran = user.run(&["nextest", "run", "--no-fail-fast"], &[]);
    ran.ends_with(100).says("6 passed, 1 failed").says(&format!("SKIPPED: not judged here, since {skipped}"));
}

#[test]
fn a_golden_file_that_is_missing_fails_with_the_command_that_makes_it() {
    let user = Crate::new();
    let ran = user.run(&["test", "--test", "retrieval"], &[("CI", "true")]);
    ran.ends_with(101)
        .says("(run locally, then commit):")
        .says("ERRORED: golden/toy/words.snap does not exist")
        .says("RANKGATE_BLESS=1 cargo test --test retrieval");
    assert!(!user.path("golden").exists(), "CI writes nothing");
}

#[test]
fn blessing_writes_the_snapshot_and_the_run_and_never_under_ci() {
    let user = Crate::new();
    user.run(&["test"], &[("CI", "true"), ("RANKGATE_BLESS", "1")])
        .ends_with(101)
        .says("CI machine")
        .says("spec::bless");
    assert!(!user.path("golden").exists());
    user.run(&["test"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    let snapshot = user.read("golden/toy/words.snap");
    assert!(snapshot.contains("input_file: benchmarks/toy.yaml"), "{snapshot}");
    assert!(snapshot.contains("nDCG@3"), "{snapshot}");
    assert!(user.read("golden/toy/words.run").starts_with("# rankgate golden run"));
    // An errored configuration is never blessed.
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
        ran
    };
    differs(&[("CI", "true"), ("INSTA_UPDATE", "always")]).says("note: ignored: INSTA_UPDATE=always. ");
    assert!(!pending.exists(), "CI writes nothing");
    differs(&[("INSTA_UPDATE", "no")]).does_not_say("note: ignored");
    assert!(!pending.exists(), "nothing is wanted");
    differs(&[("INSTA_FORCE_PASS", "1")]).says("note: ignored: INSTA_FORCE_PASS=1. ");
    assert!(pending.exists());
    let file = "behavior:\n  force_pass: true\n  update: always\n";
    fs::create_dir_all(user.path(".config")).unwrap();
    fs::write(user.path(".config/insta.yaml"), file).unwrap();
    differs(&[]).says("`update: always` in .config/insta.yaml, `force_pass: true` in .config/insta.yaml. ");
    // What passes takes away what waited, and a missing one is not written by itself.
    user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[]).ends_with(0);
    assert!(!pending.exists());
    fs::remove_file(user.path("golden/toy/words.snap")).unwrap();
    let missing = user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[("INSTA_UPDATE", "always")]);
    missing.ends_with(101).says("golden/toy/words.snap does not exist");
    assert!(!user.path("golden/toy/words.snap").exists() && pending.exists());
}

#[test]
fn variables_of_nextest_that_are_left_over_serve_no_old_answers() {
    let user = Crate::blessed();
    let left_over =
        [("NEXTEST", "1"), ("NEXTEST_EXECUTION_MODE", "process-per-test"), ("NEXTEST_RUN_ID", "left-over")];
    for (fault, code) in [(&[][..], 0), (&[("FIXTURE_FAULT", "reversed")], 101)] {
        let ran = user.run(&["test", "--test", "retrieval"], &[&left_over[..], fault].concat());
        ran.ends_with(code).says("toy: ").says("rankgate/toy/report.html");
        assert_eq!(ran.noted("asked"), ASKED_TWO_BUILDS, "{}", ran.all());
    }
}

#[test]
fn the_folder_of_another_package_is_refused() {
    let user = Crate::blessed_for_cargo();
    let binary = user.binary();
    let other = tempfile::tempdir().unwrap();
    copy(&user.path("benchmarks"), &other.path().join("benchmarks"));
    fs::write(other.path().join("Cargo.toml"), "[package]\nname = \"other\"\n").unwrap();
    let ran =
        user.finish(user.command(&binary, &[], &[("CARGO_MANIFEST_DIR", other.path().to_str().unwrap())]));
    ran.ends_with(101).says("spec::crate").says("which is not the package fixture");
    assert_eq!(ran.notes.len(), 0, "nothing is asked");
    // Another checkout of the same package is run, and noted.
    let manifest = user.read("Cargo.toml");
    fs::write(other.path().join("Cargo.toml"), manifest).unwrap();
    let ran = user.finish(user.command(
        &binary,
        &["nDCG@3"],
        &[("CARGO_MANIFEST_DIR", other.path().to_str().unwrap())],
    ));
    ran.ends_with(0).says("note: specs and golden files are those of ");
}

#[test]
fn a_snapshot_that_differs_shows_the_difference_once_and_leaves_a_pending_file() {
    let user = Crate::blessed();
    let ran = user.run(&["test", "--test", "retrieval", "--", "snapshot"], &[("FIXTURE_FAULT", "reversed")]);
    ran.ends_with(101).says("- nDCG@3").says("+ nDCG@3").does_not_say("Snapshot Summary");
    assert!(user.path("golden/toy/words.snap.new").is_file());
}

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
fn zero_test_threads_are_refused_instead_of_hanging() {
    let user = Crate::new();
    user.run(&["test", "--test", "retrieval", "--", "--test-threads=0"], &[])
        .ends_with(101)
        .says("--test-threads takes 1 or more");
    user.run(&["test", "--test", "retrieval"], &[("RANKGATE_THREADS", "none")])
        .ends_with(101)
        .says("RANKGATE_THREADS is `none`; it takes a number of threads, 1 or more");
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
fn blessing_says_what_it_wrote_and_what_it_left() {
    let user = Crate::new();
    let bless = || user.run(&["test", "--test", "retrieval"], &[("RANKGATE_BLESS", "1")]);
    bless().ends_with(0).says("**words**: new `golden/toy/words.run`, new `golden/toy/words.snap`\n");
    let left = "**words**: unchanged `golden/toy/words.run`, unchanged `golden/toy/words.snap`\n";
    bless().ends_with(0).says(left);
    user.run(&["test", "--test", "retrieval"], &[]).ends_with(0).does_not_say("golden/toy");
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
        assert!(text.starts_with("# rankgate golden run, version 6\n"), "{text}");
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
fn in_a_workspace_commands_name_the_package_and_paths_begin_at_its_root() {
    let user = Crate::for_cargo();
    user::copy(&user.folder.join("src"), &user.path("beside/src"));
    user::copy(&user.folder.join("benchmarks"), &user.path("beside/benchmarks"));
    let manifest = user.read("Cargo.toml").replace("\"fixture\"", "\"beside\"").replace("[workspace]", "");
    fs::write(user.path("beside/Cargo.toml"), manifest.replace("\"retrieval\"", "\"its-retrieval\""))
        .unwrap();
    fs::create_dir(user.path("beside/tests")).unwrap();
    let test = user.read("tests/retrieval.rs").replace("fixture::", "beside::");
    fs::write(user.path("beside/tests/its-retrieval.rs"), test).unwrap();
    user.edit("beside/benchmarks/toy.yaml", |text| text.replace("benchmark: toy", "benchmark: other"));
    user.edit("Cargo.toml", |text| text.replace("[workspace]", "[workspace]\nmembers = [\"beside\"]"));
    let ran = user.run(&["test", "--workspace", "--no-fail-fast"], &[]);
    ran.ends_with(101)
        .says("RANKGATE_BLESS=1 cargo test -p fixture --test retrieval\n")
        .says("RANKGATE_BLESS=1 cargo test -p beside --test its-retrieval\n")
        .says("  ERRORED: beside/golden/other/words.snap does not exist")
        .says("  beside/benchmarks/toy.yaml:");
    let ran = user.run(&["test", "-p", "beside", "--test", "its-retrieval"], &[("RANKGATE_BLESS", "1")]);
    ran.ends_with(0).says("**words**: new `beside/golden/other/words.run`");
    let other = ["run", "snap"].map(|ending| user.path(&format!("golden/toy/words.{ending}")));
    assert!(!other.iter().any(|path| path.exists()), "nothing else is blessed");
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
        let told = fs::read_to_string(user.output("toy/report.md")).unwrap();
        assert_eq!(told.matches("**words**: changed `golden/toy/words.run`, changed").count(), 1, "{told}");
        assert!(told.contains("| nDCG@3    |"), "{told}");
        user.run(cargo_test, &[("RANKGATE_BLESS", "1")]).ends_with(0).says("| nDCG@3    |");
        assert_eq!(now(), blessed);
    }
}

#[test]
fn github_is_told_of_failed_gates_once_under_each_runner() {
    let user = Crate::blessed();
    let summary = user.path("summary.md");
    let root = user.folder.parent().unwrap().to_str().unwrap();
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", root),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("FIXTURE_FAULT", "reversed"),
    ];
    let place = "file=user/benchmarks/toy.yaml,line=";
    let ran = user.run(&["test", "--test", "retrieval"], &variables);
    ran.ends_with(101).says("title=toy%3A%3Awords%3A%3AnDCG@3 FAILED::toy: words is below");
    assert_eq!(ran.stderr.matches(&format!("::error {place}")).count(), 3, "{}", ran.all());
    assert_eq!(ran.stderr.matches(&format!("::warning {place}")).count(), 1, "{}", ran.all());
    let whole = user.read("summary.md");
    assert_eq!(whole.matches("## toy: ").count(), 1, "{whole}");

    // One process per test: each speaks for its own gate, and none sums up.
    let ran = user.run(&["nextest", "run", "--no-fail-fast"], &variables);
    ran.ends_with(100);
    assert_eq!(ran.stderr.matches(&format!("::error {place}")).count(), 3, "{}", ran.all());
    assert_eq!(user.read("summary.md"), whole);
}

#[test]
fn a_test_finds_the_crate_as_new_whatever_was_done_to_it_before() {
    let user = Crate::for_cargo();
    fs::write(user.path("src/lib.rs"), "no Rust").unwrap();
    fs::write(user.path("src/more.rs"), "").unwrap();
    fs::remove_file(user.path("benchmarks/toy.yaml")).unwrap();
    for folder in ["benches", "tests/more"] {
        fs::create_dir_all(user.path(folder)).unwrap();
        fs::write(user.path(folder).join("main.rs"), "").unwrap();
    }
    user.run(&["test"], &[]).ends_with(101).says("expected one of");
    drop(user);

    let user = Crate::for_cargo();
    for name in ["src/lib.rs", "benchmarks/toy.yaml"] {
        assert_eq!(user.read(name), fs::read_to_string(root().join("tests/fixture").join(name)).unwrap());
    }
    for name in ["src/more.rs", "benches", "tests/more"] {
        assert!(!user.path(name).exists(), "{name} is left");
    }
    // Neither is anything left of what could not be built.
    user.run(&["test", "--no-run"], &[]).ends_with(0);
}
