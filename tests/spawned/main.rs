//! What a user sees: a crate of its own, run by real `cargo test` and `cargo nextest run`.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

mod blessing;
mod failures;
#[cfg(unix)]
mod misbehaving;
mod reports;
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
    let user = Crate::blessed();
    for _ in 0..2 {
        let ran = user.run(&["nextest", "run"], &[]);
        ran.ends_with(0).says("5 tests run: 5 passed");
        assert_eq!((ran.noted("built"), ran.noted("asked")), (2, ASKED_TWO_BUILDS), "{}", ran.all());
    }
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

/// The search of a crate that knows nothing of rankgate, as one would write it.
const SEARCH: &str = "
//! Pages by the words that they share with a query.

use std::io;

pub struct Index(Vec<(String, String)>);

impl Index {
    pub fn build(pages: impl IntoIterator<Item = (String, String)>) -> io::Result<Self> {
        Ok(Self(pages.into_iter().collect()))
    }

    pub fn search(&self, text: &str, depth: usize) -> io::Result<Vec<(String, f64)>> {
        let shared = |page: &str| text.split(' ').filter(|word| page.contains(word)).count() as f64;
        let mut found: Vec<_> = self.0.iter().map(|(id, page)| (id.clone(), shared(page))).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(depth);
        Ok(found)
    }
}
";

#[test]
fn the_readmes_first_test_compiles_with_rankgate_as_a_dev_dependency_and_measures() {
    let user = Crate::for_cargo();
    user.edit("Cargo.toml", |text| {
        let dependency = text.lines().find(|line| line.starts_with("rankgate = ")).unwrap().to_owned();
        text.replace(&(dependency.clone() + "\n"), "")
            .replace("[[test]]", &format!("[dev-dependencies]\n{dependency}\n\n[[test]]"))
    });
    let fence = "```rust,ignore\n// tests/quality.rs\n";
    let (_, code) = include_str!("../../README.md").split_once(fence).unwrap();
    let code = code.split("```").next().unwrap().replace("my_search::", "fixture::");
    fs::write(user.path("src/lib.rs"), SEARCH).unwrap();
    fs::write(user.path("tests/quality.rs"), code).unwrap();
    fs::remove_file(user.path("tests/retrieval.rs")).unwrap();
    user.edit("Cargo.toml", |text| text.replace("[[test]]\nname = \"retrieval\"\nharness = false\n", ""));
    copy(&root().join("examples/data/helpdesk"), &user.path("data/helpdesk"));
    // Counting words is no good search.
    user.run(&["test", "--test", "quality"], &[])
        .ends_with(101)
        .says("the retriever is below its threshold on nDCG@10")
        .says("tests/quality.rs:");
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
    let shown: Vec<&str> =
        readme.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let [first, blessed] = shown[..] else { panic!("the page shows {} outputs", shown.len()) };
    let lines = |text: &'static str| text.lines().filter(|line| !matches!(*line, "" | "..."));
    let run = user.run(&["test", "--test", "retrieval"], &[]);
    run.ends_with(101);
    for line in lines(first) {
        run.says(line);
    }
    let blessing = user.run(&["test", "--test", "retrieval"], &[("RANKGATE_BLESS", "1")]);
    blessing.ends_with(0).says("new golden/helpdesk/mine.run").does_not_say("warning");
    let run = user.run(&["test", "--test", "retrieval"], &[]);
    run.ends_with(0);
    for line in lines(blessed) {
        // Times differ, and so does the target folder.
        run.says(line.split("; slowest").next().unwrap().trim().trim_start_matches("target/"));
    }
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
        .says("  ERROR: beside/golden/other/words.snap does not exist")
        .says("  beside/benchmarks/toy.yaml:");
    let ran = user.run(&["test", "-p", "beside", "--test", "its-retrieval"], &[("RANKGATE_BLESS", "1")]);
    ran.ends_with(0).says("words: new beside/golden/other/words.run,");
    let other = ["run", "snap"].map(|ending| user.path(&format!("golden/toy/words.{ending}")));
    assert!(!other.iter().any(|path| path.exists()), "nothing else is blessed");
}
