//! The command on specs, as a shell sees it: standard output, standard error, exit status.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::surroundings;

use std::fs;
use std::process::Command;

use crate::repository::root;
use insta::assert_snapshot;
use tempfile::TempDir;

/// A folder with what a test needs, in which the command runs.
struct Folder(TempDir);

/// How a command ended.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn all(&self) -> String {
        format!("exit {}\n--- stdout\n{}--- stderr\n{}", self.code.unwrap_or(-1), self.stdout, self.stderr)
    }

    #[track_caller]
    fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self
    }
}

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Twelve queries on which `new` is as good as `old`, or worse.
    fn with_spec(worse: bool) -> Self {
        let folder = Self::new();
        folder.write("toy.yaml", SPEC);
        folder.write("old.run", &run(|_| true));
        folder.write("new.run", &run(|query| !worse || query % 4 == 0));
        folder
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    fn rankgate(&self, arguments: &[&str]) -> Ran {
        self.rankgate_with(arguments, &[])
    }

    fn rankgate_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.rankgate_in(".", arguments, variables)
    }

    fn rankgate_in(&self, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let output = surroundings::leave(&mut command)
            .args(arguments)
            .envs(variables.iter().copied())
            .current_dir(self.path(folder))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains('\u{1b}'), "no colour outside of a terminal: {text}");
            text
        };
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

const SPEC: &str = "\
version: 1
benchmark: toy
collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations:
  old: {run: old.run}
  new: {run: new.run}
metrics: [RR@2]
thresholds:
  - {metric: RR@2, min: 0.60}
comparisons:
  - {candidate: new, baseline: old, metrics: [RR@2]}
";

/// A run in which the queries that `good` names find the relevant document first.
fn run(good: impl Fn(usize) -> bool) -> String {
    let line = |query: usize| {
        let (first, second) = if good(query) { ("r", "n") } else { ("n", "r") };
        format!("q{query:02} Q0 {first} 1 2 x\nq{query:02} Q0 {second} 2 1 x\n")
    };
    (1..=12).map(line).collect()
}

impl Folder {
    fn judged(self) -> Self {
        let topics: String = (1..=12).map(|query| format!("q{query:02}\tquestion {query}\n")).collect();
        let qrels: String = (1..=12).map(|query| format!("q{query:02} 0 r 1\nq{query:02} 0 n 0\n")).collect();
        self.write("topics.tsv", &topics);
        self.write("qrels.txt", &qrels);
        self
    }
}

#[test]
fn a_claim_that_counts_no_unseen_query_says_so_wherever_its_gate_is_listed() {
    let folder = Folder::with_spec(false).judged();
    folder.write("old.run", &run(|_| false));
    let spec = |keys: &str| {
        SPEC.replace("metrics: [RR@2]}", &format!("metrics: [RR@2], expect: improvement{keys}}}"))
    };
    let words = "no unseen query counted";
    folder.write(
        "toy.yaml",
        spec(", guarantee: none")
            .replace("- {metric: RR@2, min: 0.60}", "- {metric: RR@2, min: 0.40}")
            .as_str(),
    );
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let listed = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(listed.contains(words), "{}", ran.stdout);
    let report = folder.read("target/rankgate/toy/report.md");
    assert!(report.contains(words), "{report}");
    folder.write("toy.yaml", &spec(""));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(!ran.all().contains("unseen query counted"), "{}", ran.all());
}

#[test]
fn a_spec_that_holds_passes() {
    let folder = Folder::with_spec(false).judged();
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert_snapshot!(ran.all());
    assert!(folder.read("target/rankgate/toy/report.md").starts_with("## toy: 3 passed\n"));
}

#[test]
fn a_gate_that_fails_is_exit_1_and_says_what_broke() {
    let folder = Folder::with_spec(true).judged();
    assert_snapshot!(folder.rankgate(&["run", "toy.yaml", "-q"]).ends_with(1).all());
}

#[test]
fn asking_to_bless_as_cargo_test_is_asked_says_that_nothing_is_blessed_here() {
    let folder = Folder::with_spec(false).judged();
    let ran = folder.rankgate_with(&["run", "toy.yaml"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    assert!(ran.stderr.contains("nothing is blessed here; `rankgate bless` does"), "{}", ran.stderr);
}

#[test]
fn formats_are_those_of_the_report_files() {
    let folder = Folder::with_spec(true).judged();
    let arguments = ["run", "toy.yaml", "--output", "out", "--format"];
    let json = folder.rankgate(&[&arguments[..], &["json"]].concat()).ends_with(1);
    assert_eq!(json.stdout, folder.read("out/toy/report.json"));
    let markdown = folder.rankgate(&[&arguments[..], &["markdown"]].concat()).ends_with(1);
    assert_eq!(markdown.stdout, folder.read("out/toy/report.md"));
    assert!(!folder.path("target").exists());
}

#[test]
fn several_reports_are_lines_of_json_and_each_gate_has_its_message() {
    let folder = Folder::with_spec(true).judged();
    let one = folder.rankgate(&["run", "toy.yaml", "--format", "json"]).ends_with(1).stdout;
    let report: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert!(one.starts_with("{\n  \"schema\": 2,\n"), "{one}");
    let text = folder.rankgate(&["run", "toy.yaml"]).stdout;
    let failed = report["gates"].as_array().unwrap().iter().find(|gate| gate["verdict"] == "failed").unwrap();
    let message = failed["message"].as_str().unwrap();
    let headline = message.lines().next().unwrap();
    assert!(
        headline.starts_with("toy: ") && text.contains(headline.trim_start_matches("toy: ")),
        "{message}"
    );
    assert!(
        report["gates"]
            .as_array()
            .unwrap()
            .iter()
            .all(|gate| gate["message"].as_str().is_some_and(|said| !said.is_empty()))
    );
    folder.write("other.yaml", &SPEC.replace("benchmark: toy", "benchmark: other"));
    let lines = folder.rankgate(&["run", "toy.yaml", "other.yaml", "--format", "json"]).ends_with(1).stdout;
    let names = |text: &str| -> Vec<String> {
        let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|line| read(line)["benchmark"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&lines), ["toy", "other"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(lines.lines().next().unwrap()).unwrap()["gates"],
        report["gates"]
    );
    // The reports that were written are printed alike; and a spec that is broken changes no shape.
    assert_eq!(names(&folder.rankgate(&["report", "--format", "json"]).stdout), ["other", "toy"]);
    folder.write("other.yaml", "version: 1\n");
    assert_eq!(
        names(&folder.rankgate(&["run", "toy.yaml", "other.yaml", "--format", "json"]).stdout),
        ["toy"]
    );
}

#[test]
fn a_broken_spec_shows_all_its_errors_and_the_others_run() {
    let folder = Folder::with_spec(false).judged();
    folder.write("specs/bad.yaml", "version: 1\nbenchmark: bad\nmetrics: [nDGC@10]\nthresholds: []\n");
    let ran = folder.rankgate(&["run", "specs", "toy.yaml", "missing.yaml", "-q"]).ends_with(2);
    assert!(ran.stdout.starts_with("toy: 3 passed\n"), "{}", ran.all());
    assert_snapshot!(ran.stderr);
    folder.write("empty/readme", "");
    let ran = folder.rankgate(&["run", "empty"]).ends_with(2);
    assert_eq!(ran.stderr, "error: empty: no spec here: no .yaml file, so nothing would be tested\n");
    // A failed gate is the graver thing to say.
    folder.write("new.run", &run(|_| false));
    folder.rankgate(&["run", "specs", "toy.yaml"]).ends_with(1);
}

#[test]
fn what_keeps_a_gate_from_being_decided_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("new.run", "q01 Q0 r 1 nan x\n");
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "new::"]).ends_with(2);
    assert!(
        ran.stdout.contains("new.run:1: the score of document `r` for query `q01` is NaN"),
        "{}",
        ran.all()
    );
    // The gate on the other configuration is decided all the same.
    folder.rankgate(&["run", "toy.yaml", "--filter", "toy::old::"]).ends_with(0);
}

#[test]
fn a_command_starts_beside_a_spec_that_is_named_without_a_folder() {
    let folder = Folder::with_spec(false).judged();
    // It is found in PATH, and gone before it answers: what matters is that it was started.
    folder.write("toy.yaml", &SPEC.replacen("{run: new.run}", "{command: [cargo, --version]}", 1));
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "toy::new::"]).ends_with(2);
    assert!(ran.stdout.contains("cargo "), "{}", ran.all());
    assert!(!ran.stdout.contains("cannot start"), "{}", ran.all());
}

#[test]
fn retrievers_from_rust_are_refused_by_name_and_line() {
    let folder = Folder::with_spec(false).judged();
    let rust = "  mine: {retriever: mine}\n  other: {retriever: other, params: {alpha: 1}}\nmetrics";
    folder.write("toy.yaml", &SPEC.replacen("metrics", rust, 1));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert_snapshot!(ran.all());
    folder.rankgate(&["run", "toy.yaml", "--filter", "old::", "--filter", "new-vs-old"]).ends_with(0);
}

#[test]
fn a_selection_of_nothing_is_no_success() {
    let folder = Folder::with_spec(false).judged();
    folder.write("toy.yaml", &SPEC.replace("run: new.run", "run: new.run, ignore: takes long"));
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "nothing"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "error: no gate was decided: none has `nothing` in its name; --include-ignored takes ignored ones\n"
    );
    let passed = |arguments: &[&str]| folder.rankgate(arguments).ends_with(0).stdout;
    assert!(passed(&["run", "toy.yaml"]).starts_with("toy: 1 passed\n"));
    assert!(passed(&["run", "toy.yaml", "--include-ignored"]).starts_with("toy: 3 passed\n"));
}

#[test]
fn a_name_that_is_taken_and_a_file_named_twice() {
    let folder = Folder::with_spec(false).judged();
    folder.write("twin.yaml", SPEC);
    let ran = folder.rankgate(&["run", "-q", "toy.yaml", "./toy.yaml", "twin.yaml"]).ends_with(2);
    assert_eq!(ran.stderr, "error: twin.yaml: toy.yaml already has a benchmark of this name\n");
    assert_eq!(ran.stdout.matches("\ntoy: 3 passed").count(), 1, "{}", ran.all());
}

#[test]
fn arguments_that_make_no_sense_are_exit_2() {
    let folder = Folder::new();
    for arguments in [&["run"][..], &["run", "x.yaml", "--format", "xml"], &["bless"], &["init", "nowhere"]] {
        let ran = folder.rankgate(arguments).ends_with(2);
        assert!(ran.stderr.starts_with("error: ") && ran.stdout.is_empty(), "{}", ran.all());
    }
}

#[test]
fn a_family_is_not_tested_without_the_members_that_need_rust() {
    let folder = Folder::with_spec(false).judged();
    let rust = "  mine: {retriever: mine}\nmetrics";
    let compared = "  - {candidate: mine, baseline: old, metrics: [RR@2]}\n";
    let spec = SPEC.replacen("metrics", rust, 1) + compared;
    folder.write("toy.yaml", &spec);
    let filter = ["run", "toy.yaml", "--filter", "new-vs-old"];
    folder.rankgate(&filter).ends_with(0);
    folder.write("toy.yaml", &(spec + "statistics: {family: spec}\n"));
    let ran = folder.rankgate(&filter).ends_with(2);
    assert!(ran.stderr.starts_with("error: toy.yaml: cannot run `mine` (line 7), "), "{}", ran.all());
}

#[test]
fn reports_go_to_the_target_folder_of_the_crate_that_the_command_is_typed_in() {
    let folder = Folder::with_spec(false).judged();
    folder.write("target/CACHEDIR.TAG", "");
    folder.write("Cargo.toml", "[package]\n");
    folder.write("deep/er/readme", "");
    folder.rankgate_in("deep/er", &["run", "../../toy.yaml"], &[]).ends_with(0);
    assert!(folder.path("target/rankgate/toy/report.json").is_file());
    let ran = folder.rankgate_in("deep/er", &["report"], &[]).ends_with(0);
    assert!(ran.stdout.starts_with("toy: 3 passed\n"), "{}", ran.all());
    let elsewhere = folder.path("elsewhere");
    let variables = [("CARGO_TARGET_DIR", elsewhere.to_str().unwrap())];
    folder.rankgate_with(&["run", "toy.yaml"], &variables).ends_with(0);
    assert!(elsewhere.join("rankgate/toy/report.json").is_file());
}

#[test]
fn the_target_folder_of_somebody_else_is_left_alone_and_the_folder_is_said() {
    let folder = Folder::new();
    folder.write("target/CACHEDIR.TAG", "");
    folder.write("Cargo.toml", "[package]\n");
    for (place, mark, written) in [
        // A repository of its own below somebody's crate, and without any crate.
        ("repo/benchmarks", "repo/.git/HEAD", "target/rankgate"),
        // A crate in a workspace, which has the target folder.
        ("all/one/benchmarks", "all/one/Cargo.toml", "../../target/rankgate"),
        // A workspace of its own.
        ("own/benchmarks", "own/Cargo.toml", "../target/rankgate"),
    ] {
        folder.write(mark, if mark.starts_with("own") { "[workspace]\n" } else { "[package]\n" });
        folder.write("all/Cargo.toml", "[workspace]\nmembers = [\"one\"]\n");
        let toy = Folder::with_spec(false).judged();
        for file in ["toy.yaml", "old.run", "new.run", "topics.tsv", "qrels.txt"] {
            folder.write(&format!("{place}/{file}"), &toy.read(file));
        }
        let ran = folder.rankgate_in(place, &["run", "toy.yaml"], &[]).ends_with(0);
        let page = folder.path(&format!("{place}/{written}/toy/report.html"));
        assert!(page.is_file(), "{}", ran.all());
        let said = format!("toy: full report: {written}/toy/report.html\n");
        assert!(ran.stderr.ends_with(&said), "{}", ran.all());
    }
    assert!(!folder.path("target/rankgate").exists());
}

// Blessing

#[test]
fn blessing_says_what_it_wrote_changed_and_left() {
    let folder = Folder::with_spec(false).judged();
    let golden = "  - {candidate: new, baseline: golden, metrics: [RR@2]}\nsnapshot: true\n";
    folder.write("toy.yaml", &(SPEC.to_owned() + golden));
    let before = folder.rankgate(&["run", "toy.yaml", "--filter", "new-vs-golden"]).ends_with(2);
    assert!(before.stdout.contains("rankgate bless toy.yaml"), "{}", before.all());

    let first = folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    let new = |name: &str| {
        format!("**{name}**: new `golden/toy/{name}.run`, new `golden/toy/{name}.snap`\n\n- RR@2 1.0000\n")
    };
    let expected = format!("### Blessed: toy\n\n{}\n{}", new("old"), new("new"));
    assert_eq!(first.all(), format!("exit 0\n--- stdout\n{expected}--- stderr\n"));
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);

    folder.write("new.run", &run(|query| query % 4 == 0));
    folder.write("old.run", "q01 Q0 r 1 nan x\n");
    let old = folder.read("golden/toy/old.run");
    let ran = folder.rankgate(&["bless", "toy.yaml"]).ends_with(2);
    assert_snapshot!(ran.all());
    assert_eq!(folder.read("golden/toy/old.run"), old);
    // A file that cannot be written is said, whichever gates there are.
    fs::write(folder.path("toy.yaml"), SPEC.to_owned() + "golden: toy.yaml\n").unwrap();
    folder.write("old.run", &run(|_| true));
    let ran = folder.rankgate(&["bless", "toy.yaml"]).ends_with(2);
    assert!(ran.stderr.starts_with("error: cannot make folder toy.yaml/toy: "), "{}", ran.all());
}

#[test]
fn what_is_accepted_is_said_and_refused_while_thresholds_fail() {
    let folder = Folder::with_spec(false).judged();
    folder.write("toy.yaml", &(SPEC.to_owned() + "snapshot: true\n"));
    // What was never blessed is written whatever its thresholds say.
    let right = folder.read("new.run");
    folder.write("new.run", &run(|query| query == 1));
    // A threshold fails, so that it is 1 and not 2.
    let first = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    let advice = "accept the new report and ranking:  rankgate bless toy.yaml\n";
    assert!(first.stdout.contains(advice), "{}", first.all());
    folder.write("new.run", &right);
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    let blessed = [folder.read("golden/toy/new.run"), folder.read("golden/toy/new.snap")];
    let now = || [folder.read("golden/toy/new.run"), folder.read("golden/toy/new.snap")];

    folder.write("new.run", &run(|query| query == 1));
    let changes = "| metric | blessed before |    now |  change | queries worse | better |\n\
                   |--------|---------------:|-------:|--------:|--------------:|-------:|\n\
                   | RR@2   |         1.0000 | 0.5417 | -0.4583 |            11 |      0 |\n\n\
                   - the rankings of 11 of 12 queries changed\n";
    // Whichever gates are selected.
    for selected in [&["bless", "toy.yaml"][..], &["bless", "toy.yaml", "--filter", "new::snapshot"]] {
        let refused = folder.rankgate(selected).ends_with(2);
        let why = "- refused because it fails: RR@2 0.5417 < 0.6000 (`toy::new::RR@2`)\n";
        let expected = format!("**new**: not blessed\n\n{changes}{why}");
        assert!(refused.stdout.contains(&expected), "{}", refused.all());
        let force = "error: toy: new is not blessed while its thresholds fail: RR@2 0.5417 < 0.6000 \
                     (toy::new::RR@2); `rankgate bless --force toy.yaml` blesses it all the same\n";
        assert!(refused.stderr.contains(force), "{}", refused.all());
        assert_eq!(now(), blessed);
    }
    let failing = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    let advice = "accept the new report and ranking, once its thresholds hold:  rankgate bless toy.yaml\n";
    assert!(failing.stdout.contains(advice), "{}", failing.all());

    let forced = folder.rankgate(&["bless", "--force", "toy.yaml"]).ends_with(0);
    let files = "**new**: changed `golden/toy/new.run`, changed `golden/toy/new.snap`\n\n";
    assert!(
        forced.stdout.contains(&format!("{files}{changes}- forced although it fails")),
        "{}",
        forced.all()
    );
    assert!(forced.stdout.contains("**old**: unchanged `golden/toy/old.run`"), "{}", forced.all());
    assert_ne!(now(), blessed);
    // What was never blessed has nothing to lose.
    fs::remove_dir_all(folder.path("golden")).unwrap();
    let first = folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    assert!(first.stdout.contains("- blessed for the first time although it fails: RR@2"), "{}", first.all());
}

#[test]
fn an_anchor_is_made_by_the_command_that_its_missing_names_and_moves_when_forced_alone() {
    let folder = Folder::with_spec(false).judged();
    let gate = "  - {candidate: new, baseline: golden@v1.2, metrics: [RR@2]}\nsnapshot: true\n";
    folder.write("toy.yaml", &(SPEC.to_owned() + gate));
    let gate = ["run", "toy.yaml", "--filter", "new-vs-golden@v1.2"];
    let missing = folder.rankgate(&gate).ends_with(2);
    assert!(missing.stdout.contains("ERRORED: no run of new was tagged v1.2"), "{}", missing.all());
    assert!(
        missing.stdout.contains("tag today's ranking:  rankgate bless toy.yaml --tag v1.2\n"),
        "{}",
        missing.all()
    );
    let tagged = folder.rankgate(&["bless", "toy.yaml", "--tag", "v1.2"]).ends_with(0);
    let said = "exit 0\n--- stdout\n### Tagged v1.2: toy\n\n**new**: new `golden/toy/new@v1.2.run`\n\n- RR@2 1.0000\n";
    assert!(tagged.all().starts_with(said), "{}", tagged.all());
    let files: Vec<_> = fs::read_dir(folder.path("golden/toy")).unwrap().collect();
    assert_eq!(files.len(), 1, "no golden file moves: {files:?}");
    folder.rankgate(&gate).ends_with(0);

    folder.write("new.run", &run(|query| query % 4 == 0));
    let failed = folder.rankgate(&gate).ends_with(1);
    assert!(failed.stdout.contains("new has regressed against golden@v1.2 on RR@2"), "{}", failed.all());
    let advice =
        "compare with today's ranking from now on, as golden@NAME:  rankgate bless toy.yaml --tag NAME\n";
    assert!(failed.stdout.contains(advice), "{}", failed.all());
    let anchor = folder.read("golden/toy/new@v1.2.run");
    let refused = folder.rankgate(&["bless", "toy.yaml", "--tag", "v1.2"]).ends_with(2);
    let why = "error: toy: new is not tagged v1.2: golden@v1.2 is another ranking of it, and 9 of 12 queries \
               differ; `rankgate bless --force --tag v1.2 toy.yaml` blesses it all the same\n";
    assert!(refused.stderr.contains(why), "{}", refused.all());
    assert_eq!(folder.read("golden/toy/new@v1.2.run"), anchor);
    folder.rankgate(&["bless", "--force", "--tag", "v1.2", "toy.yaml"]).ends_with(0);
    assert_ne!(folder.read("golden/toy/new@v1.2.run"), anchor);
    let bad = folder.rankgate(&["bless", "toy.yaml", "--tag", "a/b"]).ends_with(2);
    assert!(
        bad.stderr.starts_with("error: --tag: the name `a/b` has characters that names do not have"),
        "{}",
        bad.all()
    );
}

#[test]
fn nothing_is_blessed_on_a_ci_machine() {
    let folder = Folder::with_spec(false).judged();
    for ci in [("CI", "true"), ("TF_BUILD", "True")] {
        let ran = folder.rankgate_with(&["bless", "toy.yaml"], &[ci]).ends_with(2);
        assert_eq!(
            ran.stderr,
            "error: this is a CI machine: golden files are blessed where somebody reviews them\n"
        );
        assert!(!folder.path("golden").exists());
    }
    folder.write("toy.yaml", &(SPEC.to_owned() + "snapshot: true\n"));
    let run = ["run", "toy.yaml", "--filter", "new::snapshot"];
    let said = "accept the new report and ranking (run locally, then commit):  rankgate bless toy.yaml\n";
    assert!(folder.rankgate_with(&run, &[("TF_BUILD", "True")]).ends_with(2).stdout.contains(said));
    assert!(!folder.rankgate(&run).ends_with(2).stdout.contains("locally"));
}

#[test]
fn what_was_never_blessed_is_errored_in_every_form_of_the_results() {
    let folder = Folder::with_spec(false).judged();
    let golden = "  - {candidate: new, baseline: golden, metrics: [RR@2]}\n  - {candidate: old, baseline: golden, \
                  metrics: [RR@2], level: advisory}\n  - {candidate: new, baseline: golden@v1, metrics: \
                  [RR@2]}\nsnapshot: true\n";
    folder.write("toy.yaml", &(SPEC.to_owned() + golden));
    let ran = folder.rankgate(&["run", "toy.yaml", "--junit", "out.xml"]).ends_with(2);
    assert!(ran.stdout.starts_with("toy: 3 passed, 5 errored\n"), "{}", ran.all());
    assert!(!ran.stdout.contains("FAILED"), "{}", ran.all());
    let missing = "\n  ERRORED: golden/toy/new.snap does not exist, so there is nothing to compare\n";
    assert!(ran.stdout.contains(missing), "{}", ran.all());
    let report: serde_json::Value =
        serde_json::from_str(&folder.read("target/rankgate/toy/report.json")).unwrap();
    let gates = report["gates"].as_array().unwrap();
    let errored: Vec<&str> = gates
        .iter()
        .filter(|gate| gate["verdict"] == "errored")
        .map(|gate| gate["name"].as_str().unwrap().trim_start_matches("toy::"))
        .collect();
    let expected = [
        "new-vs-golden::RR@2",
        "old-vs-golden::RR@2",
        "new-vs-golden@v1::RR@2",
        "old::snapshot",
        "new::snapshot",
    ];
    assert_eq!(errored, expected);
    let junit = folder.read("out.xml");
    assert!(
        junit.contains("<testsuites name=\"rankgate\" tests=\"8\" failures=\"0\" errors=\"5\">"),
        "{junit}"
    );
    assert_eq!(junit.matches("<error type=\"ERRORED\"").count(), 5, "{junit}");
    assert!(!junit.contains("FAILED"), "{junit}");
    let page = folder.read("target/rankgate/toy/report.md");
    assert!(page.contains("ERRORED") && !page.contains("FAILED"), "{page}");
    folder.rankgate(&["report"]).ends_with(2);
}

#[test]
fn gates_that_fail_of_one_cause_tell_it_once() {
    let folder = Folder::with_spec(false).judged();
    let spec = SPEC.replace("min: 0.60}\n", "min: 0.60}\n  - {metric: RR@2, min: 0.90, name: goal}\n");
    folder.write(
        "toy.yaml",
        &(spec + "  - {candidate: new, baseline: golden, metrics: [RR@2]}\nsnapshot: true\n"),
    );
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    folder.write("new.run", &run(|query| query == 1));
    folder.write("qrels.txt", &folder.read("qrels.txt").replace("q12 0 n 0\n", ""));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    // Two limits and a comparison fail by the same queries, and a fourth gate compares with another baseline.
    let told = ran.stdout.split("\ngates\n").nth(1).unwrap();
    let count = |text: &str| told.matches(text).count();
    assert_eq!(count("11 queries worse than golden, 0 better, 1 unchanged"), 1, "{}", ran.all());
    assert_eq!(count("the queries and documents that moved stand at toy::new::RR@2\n"), 2, "{}", ran.all());
    assert_eq!(count("11 queries worse than old, 0 better, 1 unchanged"), 1, "{}", ran.all());
    assert_eq!(count("warning: inputs changed since new was blessed"), 1, "{}", ran.all());
    // What is read by itself is whole.
    let alone = folder.rankgate(&["run", "toy.yaml", "--filter", "new-vs-golden"]).ends_with(1);
    assert!(alone.stdout.contains("11 queries worse than golden"), "{}", alone.all());
}

#[test]
#[cfg(unix)]
fn a_golden_run_that_is_the_last_run_is_refused() {
    let folder = Folder::with_spec(false).judged();
    folder
        .write("toy.yaml", &(SPEC.to_owned() + "  - {candidate: new, baseline: golden, metrics: [RR@2]}\n"));
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let golden = folder.path("golden/toy/new.run");
    fs::remove_file(&golden).unwrap();
    std::os::unix::fs::symlink("../../target/rankgate/toy/new.run", &golden).unwrap();
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "golden"]).ends_with(2);
    assert!(ran.stdout.contains("golden/toy/new.run: leads to\n"), "{}", ran.all());
    assert!(ran.stdout.contains("blessed; remove the link and bless"), "{}", ran.all());
    // And no report is written over golden files.
    fs::remove_file(&golden).unwrap();
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    let blessed = folder.read("golden/toy/new.run");
    folder.write("new.run", &run(|query| query % 4 == 0));
    let ran = folder.rankgate(&["run", "toy.yaml", "--output", "golden"]);
    assert!(ran.stderr.contains("golden/toy: is the folder of golden files"), "{}", ran.all());
    assert_eq!(folder.read("golden/toy/new.run"), blessed);
}

#[test]
fn golden_files_of_all_specs_are_read_before_anything_is_asked() {
    let folder = Folder::with_spec(false).judged();
    let golden = "  - {candidate: new, baseline: golden, expect: identical}\nsnapshot: true\n";
    let second = SPEC.to_owned() + golden;
    folder.write("second.yaml", &second.replace("benchmark: toy", "benchmark: second"));
    folder.write("new.run", &run(|query| query % 4 == 0));
    folder.rankgate(&["bless", "second.yaml"]).ends_with(0);
    // What the first spec asks rewrites the golden files of the second.
    let worse = ["run", "snap"].map(|ending| folder.read(&format!("golden/second/new.{ending}")));
    folder.write("run.worse", &worse[0]);
    folder.write("snap.worse", &worse[1]);
    folder.write("new.run", &run(|_| true));
    folder.rankgate(&["bless", "second.yaml"]).ends_with(0);
    folder.write("new.run", &run(|query| query % 4 == 0));
    let copies = "cp run.worse golden/second/new.run; cp snap.worse golden/second/new.snap; exit 1";
    folder.write("copies.sh", copies);
    folder.write("first.yaml", &SPEC.replace("{run: new.run}", "{command: [sh, copies.sh]}"));
    let ran = folder.rankgate(&["run", "first.yaml", "second.yaml"]);
    assert_eq!(folder.read("golden/second/new.run"), worse[0], "it was rewritten: {}", ran.all());
    for gate in ["new-vs-golden::identical", "new::snapshot"] {
        let line = ran.stdout.lines().find(|line| line.contains(&format!("FAILED  {gate}")));
        assert!(line.is_some(), "{gate}: {}", ran.all());
    }
}

#[test]
fn a_spec_deep_in_a_crate_is_blessed_beside_its_manifest_wherever_the_command_is_typed() {
    let folder = Folder::with_spec(false).judged();
    folder.write("Cargo.toml", "[package]\nname = \"search\"\n");
    folder.write("tests/gates.rs", "fn main() { rankgate::harness!(\"benchmarks\").run() }\n");
    let deep = SPEC
        .replace("{run: ", "{run: ../")
        .replace("queries: ", "queries: ../")
        .replace("qrels: ", "qrels: ../");
    folder.write("benchmarks/toy.yaml", &(deep + "snapshot: true\n"));
    folder.rankgate(&["bless", "benchmarks/toy.yaml"]).ends_with(0);
    let snapshot = folder.read("golden/toy/new.snap");
    let head = "---\nsource: tests/gates.rs\ndescription: \"toy: run ../new.run\"\ninput_file: benchmarks/toy.yaml\n---\n";
    assert!(snapshot.starts_with(head), "{snapshot}");

    fs::remove_dir_all(folder.path("golden")).unwrap();
    let inside = folder.rankgate_in("benchmarks", &["bless", "toy.yaml"], &[]).ends_with(0);
    assert!(inside.stdout.contains("**new**: new `../golden/toy/new.run`"), "{}", inside.all());
    assert_eq!(folder.read("golden/toy/new.snap"), snapshot);
}

#[test]
fn a_golden_run_is_read_back_by_rank_by_specs_and_commands() {
    let folder = Folder::with_spec(false).judged();
    // By rank the relevant document is first, by score it is not.
    let rows: String = (1..=12).map(|q| format!("q{q:02} Q0 r 1 1 x\nq{q:02} Q0 n 2 2 x\n")).collect();
    folder.write("new.run", &format!("# rankgate golden run, version 2\n{rows}"));
    let mean = |arguments: &[&str]| {
        let ran = folder.rankgate(arguments).ends_with(0);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap()["mean"]["RR@2"].as_f64().unwrap()
    };
    let eval = ["eval", "qrels.txt", "new.run", "-m", "RR@2", "--format", "json"];
    assert_eq!(mean(&eval), 1.0);
    assert_eq!(mean(&[&eval[..], &["--order", "rank"]].concat()), 1.0);
    for command in [&["compare", "qrels.txt", "old.run", "new.run"][..], &["run", "toy.yaml"]] {
        folder.rankgate(command).ends_with(0);
    }
    let contradicts = "new.run: a golden run has the order of its ranks";
    let ran = folder.rankgate(&[&eval[..], &["--order", "score"]].concat()).ends_with(2);
    assert!(ran.stderr.contains(contradicts), "{}", ran.all());
    folder.write("toy.yaml", &SPEC.replace("{run: new.run}", "{run: new.run, order: score}"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert!(ran.stdout.contains(contradicts), "{}", ran.all());
    // Without that head nothing changes.
    folder.write("new.run", &rows);
    assert_eq!(mean(&eval), 0.5);
}

#[test]
fn each_run_leaves_what_was_answered_beside_its_report() {
    let folder = Folder::with_spec(false).judged();
    let broken =
        SPEC.replace("  new: {run: new.run}\n", "  new: {run: new.run}\n  broken: {run: none.run}\n");
    folder.write(
        "toy.yaml",
        &broken.replace("  - {metric: RR@2, min: 0.60}", "  - {metric: RR@2, min: 0.60, for: [old, new]}"),
    );
    folder.write("none.run", "q01 Q0 r 1 nan x\n");
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let kept = folder.read("target/rankgate/toy/new.run");
    assert!(kept.starts_with("# rankgate golden run, version 2\n"), "{kept}");
    assert!(folder.path("target/rankgate/toy/old.run").is_file());
    assert!(!folder.path("target/rankgate/toy/broken.run").exists(), "nothing was answered");
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(2);
    // What is kept has scores, what is blessed a line for each query; both rank alike.
    let blessed = folder.read("golden/toy/new.run");
    assert!(blessed.starts_with("# rankgate golden run, version 4\n"), "{blessed}");
    let ranks = |run: &str| {
        let columns = folder.rankgate(&["export", run]).ends_with(0).stdout;
        let column = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
        columns.lines().map(column).collect::<Vec<_>>()
    };
    assert_eq!(ranks("golden/toy/new.run"), ranks("target/rankgate/toy/new.run"));
}

#[test]
fn a_metric_that_sees_no_more_than_depth_allows_says_so() {
    let folder = Folder::with_spec(false).judged();
    let spec = SPEC.replace("metrics: [RR@2]\nthresholds", "metrics: [RR@2, AP]\ndepth: 5\nthresholds");
    folder.write("toy.yaml", &spec);
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert_eq!(ran.stdout.matches("AP (depth 5)").count(), 1, "{}", ran.all());
    assert_eq!(ran.stdout.matches("5 results asked for per query, which is all that AP without").count(), 1);
    let read = |ending: &str| folder.read(&format!("target/rankgate/toy/report.{ending}"));
    assert!(read("md").contains("| AP (depth 5) |") && read("html").contains("AP (depth 5)"));
    assert!(read("json").contains("\"metric\": \"AP\"") && !read("json").contains("AP (depth"));
    // A metric with a cutoff needs no depth, and by default all that matters is seen.
    folder.write("toy.yaml", &spec.replace("depth: 5\n", ""));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(!ran.stdout.contains("(depth"), "{}", ran.all());
}

// Reports of earlier runs

#[test]
fn a_report_is_printed_again_with_the_exit_status_of_its_run() {
    let folder = Folder::with_spec(true).judged();
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    fs::remove_file(folder.path("new.run")).unwrap();
    for of in [&[][..], &["toy.yaml"], &["target/rankgate"], &["target/rankgate/toy/report.json"]] {
        let again = folder.rankgate(&[&["report"], of].concat()).ends_with(1);
        assert_eq!(again.stdout, ran.stdout, "{of:?}");
    }
}

#[test]
fn a_report_that_is_not_there_or_no_report_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("other.json", "{\"schema\": 2}");
    folder.write("empty/readme", "");
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let newer = folder.read("target/rankgate/toy/report.json").replacen("\"schema\": 2", "\"schema\": 3", 1);
    folder.write("newer.json", &newer);
    folder.write("elsewhere.yaml", SPEC);
    let ran = folder
        .rankgate(&["report", "other.json", "newer.json", "missing.json", "empty", "elsewhere.yaml"])
        .ends_with(2);
    assert_snapshot!(ran.all());
}

#[test]
fn an_error_in_a_spec_stands_where_its_last_report_did_until_it_is_mended() {
    let folder = Folder::with_spec(false).judged();
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    for broken in
        [SPEC.replace("RR@2", "RRR@2"), format!("{SPEC}  - [not closed"), SPEC.replace("toy", "t o y")]
    {
        folder.write("toy.yaml", &broken);
        let ran = folder.rankgate(&["run", "toy.yaml", "-q"]).ends_with(2);
        for of in [&[][..], &["toy.yaml"], &["target/rankgate/toy/report.json"]] {
            let again = folder.rankgate(&[&["report", "-q"], of].concat()).ends_with(2);
            assert_eq!((again.stdout, &again.stderr), (String::new(), &ran.stderr), "{of:?}");
        }
        assert!(folder.read("target/rankgate/toy/report.html").contains("not run"));
        assert!(folder.read("target/rankgate/toy/report.md").starts_with("## toy: not run\n"));
        assert!(!folder.path("target/rankgate/toy/plots/forest.svg").exists());
    }
    // What has never been run has a report of its error too, and none any more once it was run.
    folder.write("new.yaml", "version: 1\nbenchmark: [");
    folder.write("toy.yaml", SPEC);
    folder.rankgate(&["run", "toy.yaml", "new.yaml"]).ends_with(2);
    folder.rankgate(&["report"]).ends_with(2);
    folder.write("new.yaml", &SPEC.replace("toy", "other"));
    folder.rankgate(&["run", "toy.yaml", "new.yaml"]).ends_with(0);
    assert!(!folder.path("target/rankgate/new").exists());
    folder.rankgate(&["report"]).ends_with(0);
    // A path that leads nowhere is no spec.
    folder.rankgate(&["run", "typo.yaml"]).ends_with(2);
    assert!(!folder.path("target/rankgate/typo").exists());
}

#[test]
fn a_report_says_its_age_and_one_of_another_spec_than_todays_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let ran = folder.rankgate(&["report"]).ends_with(0);
    let lead = "target/rankgate/toy/report.json: written ";
    assert!(
        ran.stderr.starts_with(lead) && ran.stderr.ends_with("toy.yaml has not changed since\n"),
        "{}",
        ran.all()
    );
    let file = fs::File::options().write(true).open(folder.path("target/rankgate/toy/report.json")).unwrap();
    let hours = std::time::Duration::from_secs(3 * 60 * 60);
    file.set_modified(std::time::SystemTime::now() - hours).unwrap();
    folder.write("toy.yaml", &SPEC.replace("0.60", "0.61"));
    for of in [&[][..], &["toy.yaml"], &["target/rankgate/toy/report.json"]] {
        let stale = folder.rankgate(&[&["report"], of].concat()).ends_with(2);
        let said = "report.json: written 3 hours ago, and toy.yaml has changed since: run it again\n";
        assert!(
            stale.stderr.starts_with("error: ") && stale.stderr.ends_with(said),
            "{of:?} {}",
            stale.all()
        );
        assert!(stale.stdout.starts_with("toy: 3 passed\n"), "{}", stale.all());
    }
    // A run that finds what the last one found is of today all the same.
    folder.write("toy.yaml", SPEC);
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let ran = folder.rankgate(&["report"]).ends_with(0);
    assert!(ran.stderr.contains(" seconds ago; ") || ran.stderr.contains("1 second ago; "), "{}", ran.all());
    // A report that was carried elsewhere says that nobody knows.
    folder.write("elsewhere/report.json", &folder.read("target/rankgate/toy/report.json"));
    fs::rename(folder.path("toy.yaml"), folder.path("gone.yaml")).unwrap();
    let ran = folder.rankgate(&["report", "elsewhere"]).ends_with(0);
    assert!(ran.stderr.ends_with("; its spec is not here to compare with\n"), "{}", ran.all());
}

#[test]
fn a_spec_without_a_gate_is_measured_and_says_that_it_cannot_fail() {
    let folder = Folder::with_spec(false).judged();
    let spec = SPEC.split("thresholds").next().unwrap();
    folder.write("toy.yaml", spec);
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    for part in [
        "warning: there is no gate, so nothing can fail; add `thresholds`, `comparisons`,\n",
        "`thresholds: [{metric: RR@2, min: 0.5}]`\n",
        "RR@2      1.0000",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.all());
    }
    // What it suggests is a gate.
    folder.write("toy.yaml", &format!("{spec}thresholds: [{{metric: RR@2, min: 0.5}}]\n"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(ran.stdout.starts_with("toy: 2 passed\n"), "{}", ran.all());
    // What could not be measured is no success, nor is what cannot be.
    folder.write("toy.yaml", &spec.replace("new.run", "gone.run"));
    folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    folder.write("toy.yaml", &spec.replace("{run: new.run}", "{retriever: mine}"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.starts_with("error: toy.yaml: cannot run `mine`")
            || ran.stderr.contains("cannot run `new` (line 6)"),
        "{}",
        ran.all()
    );
    // Where something is selected, there is nothing to select.
    folder.write("toy.yaml", spec);
    folder.rankgate(&["run", "toy.yaml", "--filter", "new::"]).ends_with(2);
}

// CI systems

#[test]
fn junit_is_xml_that_others_read() {
    let folder = Folder::with_spec(true).judged();
    folder.write(
        "topics.tsv",
        &folder.read("topics.tsv").replace("question 3", "a < b & \"c\" \u{1b}[2J ]]> \u{fffe}"),
    );
    folder.write("bad.yaml", "version: 1\nbenchmark: \"<\\u0001&\"\n");
    folder.write("toy.yaml", &SPEC.replace("run: old.run", "run: old.run, ignore: \"takes <long>\""));
    folder.rankgate(&["run", "toy.yaml", "bad.yaml", "--include-ignored", "--junit", "out.xml"]).ends_with(1);
    let xml = folder.read("out.xml");
    assert!(xml.contains("<testsuites name=\"rankgate\" tests=\"4\" failures=\"1\" errors=\"1\">"), "{xml}");
    let program = "import sys, xml.etree.ElementTree as E\n\
        for case in E.parse(sys.argv[1]).iter('testcase'):\n\
        \x20   print(case.get('classname'), case.get('name'), case.get('line'), [part.tag for part in case])";
    let python =
        Command::new("python3").args(["-c", program, "out.xml"]).current_dir(folder.0.path()).output();
    let Ok(python) = python else {
        eprintln!("SKIPPED: there is no python3 here to read the XML with");
        return;
    };
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    assert_eq!(
        String::from_utf8(python.stdout).unwrap().replace('\r', ""),
        "toy old::RR@2 9 []\ntoy new::RR@2 9 []\ntoy new-vs-old::RR@2 11 ['failure']\nbad.yaml spec 1 ['error']\n"
    );
    folder.rankgate(&["run", "toy.yaml", "--filter", "new::", "--junit", "out.xml"]).ends_with(0);
    assert!(
        folder.read("out.xml").contains("<skipped message=\"ignored by the spec: takes &lt;long&gt;\"/>")
    );
}

#[test]
fn a_file_that_cannot_be_written_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("file", "");
    let ran = folder.rankgate(&["run", "-q", "toy.yaml", "--junit", "file/out.xml"]).ends_with(2);
    assert!(ran.stderr.starts_with("error: cannot make folder file: "), "{}", ran.all());
    folder.rankgate(&["run", "toy.yaml", "--junit", "made/here/out.xml"]).ends_with(0);
    assert!(folder.read("made/here/out.xml").contains("<testsuites"));
    let ran = folder.rankgate(&["run", "toy.yaml", "--output", "file"]).ends_with(2);
    assert!(ran.stderr.starts_with("error: cannot make folder file/toy: "), "{}", ran.all());
}

#[test]
fn github_gets_annotations_and_a_summary_and_data_commands_nothing() {
    let folder = Folder::with_spec(true).judged();
    folder.write("repo/search/marker", "");
    folder.write("bad.yaml", "version: 1\n::error::x: 1\n");
    let summary = folder.path("summary.md");
    let root = folder.0.path().canonicalize().unwrap();
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_WORKSPACE", root.parent().unwrap().to_str().unwrap()),
    ];
    let ran = folder.rankgate_with(&["run", "-q", "toy.yaml", "bad.yaml"], &variables).ends_with(1);
    let name = root.file_name().unwrap().to_str().unwrap();
    let commands: Vec<&str> = ran.stderr.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert_eq!(commands.len(), 2, "{}", ran.all());
    let spec = format!("::error file={name}/bad.yaml,line=1,title=this spec was not run::");
    assert!(commands[0].starts_with(&spec), "{}", commands[0]);
    let gate = format!(
        "::error file={name}/toy.yaml,line=11,title=toy%3A%3Anew-vs-old%3A%3ARR@2 FAILED::toy: new has"
    );
    assert!(commands[1].starts_with(&gate), "{}", commands[1]);
    assert!(!ran.stdout.contains("::error"), "{}", ran.stdout);
    let summary = folder.read("summary.md");
    assert!(summary.starts_with("## toy: 2 passed, 1 failed\n"), "{summary}");
}

// Starting

#[test]
fn init_writes_a_spec_that_runs_and_overwrites_nothing() {
    let folder = Folder::new();
    let ran = folder.rankgate(&["init"]).ends_with(0);
    assert_snapshot!(ran.all());
    let ran = folder.rankgate(&["run", "benchmarks/first.yaml", "--filter", "first::before::"]).ends_with(0);
    assert!(ran.stdout.starts_with("first: 1 passed\n"), "{}", ran.all());

    let attributes = folder.read("golden/.gitattributes");
    assert!(attributes.contains("\n*.run linguist-generated\n"), "{attributes}");
    assert!(folder.read("golden/.gitignore").contains("\n*.snap.new\n"));

    // Its hints are spec, once they are no comments.
    let hints = folder.read("benchmarks/first.yaml");
    let hints = hints.lines().map(|line| {
        let bare = line.trim_start().strip_prefix("# ");
        let is_hint = bare.is_some_and(|bare| {
            [
                "assistant:",
                "judge:",
                "  endpoint:",
                "  model:",
                "  judgments:",
                "  humans:",
                "- {metric: Faith",
            ]
            .iter()
            .any(|key| bare.starts_with(key))
        });
        if is_hint { line.replacen("# ", "", 1) } else { line.to_owned() }
    });
    folder.write("benchmarks/hints.yaml", &hints.collect::<Vec<_>>().join("\n"));
    let answers = |query| format!("{{\"query\": \"q{query}\", \"answer\": \"yes\"}}\n");
    folder.write("benchmarks/answers.jsonl", &(1..=8).map(answers).collect::<String>());
    let ran = folder.rankgate(&["run", "benchmarks/hints.yaml", "--filter", "Faithfulness"]).ends_with(2);
    assert!(ran.stdout.contains("8 of 8 claims have no judgment by support-"), "{}", ran.all());

    folder.write("other/golden/.gitattributes", "mine");
    let ran = folder.rankgate(&["init", "other"]).ends_with(0);
    assert!(
        ran.stderr.contains("\nkept   other/golden/.gitattributes\nwrote  other/golden/.gitignore\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("other/golden/.gitattributes"), "mine");

    folder.write("crate/Cargo.toml", "");
    folder.write("crate/tests/retrieval.rs", "mine");
    let ran = folder.rankgate(&["init", "crate"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "error: nothing was written: these files are there already\n  crate/tests/retrieval.rs\n"
    );
    assert_eq!(folder.read("crate/tests/retrieval.rs"), "mine");
    assert!(!folder.path("crate/benchmarks").exists());
}

// Progress

#[cfg(feature = "bm25")]
#[test]
fn where_nobody_watches_a_terminal_progress_is_two_lines_a_configuration() {
    let folder = Folder::new();
    let spec = root().join("examples/helpdesk.yaml");
    let spec = spec.to_str().unwrap();
    let filter = ["--filter", "helpdesk::words::nDCG@10", "--format", "json"];
    let ran = folder.rankgate(&[&["run", spec], &filter[..]].concat()).ends_with(0);
    assert_eq!(
        ran.stderr,
        "helpdesk: asking words: 324 queries\nhelpdesk: asked words: 324 of 324 queries\n\
         helpdesk: full report: target/rankgate/helpdesk/report.html\n"
    );
    let quiet = folder.rankgate(&[&["--quiet", "run", spec], &filter[..]].concat()).ends_with(0);
    assert_eq!(quiet.stderr, "");
}

/// A parameter that is misspelt keeps a configuration from being measured: what has changed since it was
/// blessed has nothing to do with that.
#[cfg(feature = "bm25")]
#[test]
fn a_wrong_parameter_is_told_without_what_else_has_changed() {
    let folder = Folder::new().judged();
    let corpus: String = (1..=12).map(|query| format!("d{query}\tquestion {query}\n")).collect();
    folder.write("corpus.tsv", &format!("r\tquestion\nn\tanswer\n{corpus}"));
    let spec = |configuration: &str| {
        let collection = "{trec: {queries: topics.tsv, qrels: qrels.txt, corpus: corpus.tsv}}";
        format!(
            "version: 1\nbenchmark: toy\ncollection: {collection}\nconfigurations:\n  words: {configuration}\n\
             metrics: [RR@2]\nsnapshot: true\nthresholds:\n  - {{metric: RR@2, min: 0}}\n"
        )
    };
    folder.write("toy.yaml", &spec("{builtin: bm25}"));
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    folder.write("toy.yaml", &spec("{builtin: bm25, params: {stemer: english}}"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert!(ran.all().contains("did you mean `stemmer`?"), "{}", ran.all());
    assert!(!ran.all().contains("inputs changed"), "{}", ran.all());
}

/// Three queries: of the first one word is found for all a slip, the second is one word that is missed, and the third
/// is a number.
const VARIANTS: &str = "version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: cancel my subscription, d2: where are my parcels, d3: HTTP 404}
    queries:
      - {id: q1, text: cancel subscription, relevant: [d1]}
      - {id: q2, text: parcels, relevant: [d2]}
      - {id: q3, text: \"404\", relevant: [d3]}
configurations:
  words: {builtin: bm25}
variants:
  typos: {kind: typos, seed: 7}
  spoken: {kind: file, queries: spoken.tsv, for: words}
metrics: [RR@10]
snapshot: true
evidence: {at-least: 0.5}
thresholds: [{metric: RR@10, min: 0.5, max: 0.5, for: [words@typos]}]
comparisons:
  - {candidate: words@typos, baseline: words, metrics: [RR@10], level: advisory}
  - {candidate: words@typos, baseline: golden, metrics: [RR@10]}
";

#[test]
fn variants_are_printed_measured_and_blessed() {
    let folder = Folder::new();
    folder.write("toy.yaml", VARIANTS);
    folder.write("spoken.tsv", "q1\tplease cancel it\n");
    let printed = folder.rankgate(&["variants", "toy.yaml"]).ends_with(0);
    assert_snapshot!(printed.all());
    let lines = folder.rankgate(&["variants", "toy.yaml", "spoken", "--format", "jsonl"]).ends_with(0);
    assert_eq!(lines.stdout, "{\"asked-as\":\"q1@spoken\",\"id\":\"q1\",\"text\":\"please cancel it\"}\n");
    // What is printed is a file of variants.
    folder.write("spoken.tsv", &lines.stdout);
    assert_eq!(
        folder.rankgate(&["variants", "toy.yaml", "spoken", "--format", "jsonl"]).stdout,
        lines.stdout
    );
    let unknown = folder.rankgate(&["variants", "toy.yaml", "typo"]).ends_with(2);
    assert!(
        unknown.stderr.contains("no variant is called `typo`: there is typos, spoken"),
        "{}",
        unknown.stderr
    );

    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    for file in ["words.run", "words.snap", "words+typos.run", "words+typos.snap", "words+spoken.snap"] {
        assert!(folder.path(&format!("golden/toy/{file}")).is_file(), "{file}");
    }
    let snapshot = folder.read("golden/toy/words+typos.snap");
    assert!(snapshot.contains("queries without a variant, left out     1\n"), "{snapshot}");
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(!ran.stdout.contains("belong"), "no file is an orphan: {}", ran.stdout);
    assert!(folder.path("target/rankgate/toy/words+typos.run").is_file());
    let lint = folder.rankgate(&["lint", "toy.yaml"]).ends_with(0);
    assert!(
        lint.stdout.contains("(scarce-variants)\n  spoken  file spoken.tsv\n    1 of 3 queries, line 14\n"),
        "{}",
        lint.stdout
    );
    // Another seed asks something else, which is no fault of the retriever.
    folder.write("toy.yaml", &VARIANTS.replace("seed: 7", "seed: 8"));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(ran.stdout.contains("inputs changed since words@typos was blessed: queries"), "{}", ran.stdout);
    // A file of a variant that is no more belongs to nobody.
    folder.write("toy.yaml", &VARIANTS.replace("spoken:", "heard:"));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(ran.stdout.contains("golden/toy/words+spoken.run"), "{}", ran.stdout);
}
