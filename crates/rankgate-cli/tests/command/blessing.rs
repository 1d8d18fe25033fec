//! Blessing by the command: what is written, refused and left.

use std::fs;
use std::process::Command;

use crate::history::Repository;
use crate::toy_spec::{Folder, SPEC, run};
use insta::assert_snapshot;

#[test]
fn blessing_says_what_it_wrote_changed_and_left() {
    let folder = Folder::with_spec(false).judged();
    let golden = "  - {candidate: new, baseline: golden, metrics: [RR@2]}\nsnapshot: true\n";
    folder.write("toy.yaml", &(SPEC.to_owned() + golden));
    let before = folder.rankgate(&["run", "toy.yaml", "--filter", "new-vs-golden"]).ends_with(2);
    assert!(before.stdout.contains("rankgate bless toy.yaml"), "{}", before.all());

    let first = folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    let new = |name: &str| {
        format!("{name}: new golden/toy/{name}.run, new golden/toy/{name}.snap\n\n- RR@2 1.0000\n")
    };
    let expected = format!("### Blessed: toy\n\n{}\n{}", new("old"), new("new"));
    assert_eq!(first.all(), format!("exit 0\n--- stdout\n{expected}--- stderr\n"));
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert_eq!(folder.read("target/rankgate/.gitignore"), "*\n", "git leaves reports alone");

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
    let advice = "create the golden files:  rankgate bless toy.yaml\n";
    assert!(first.stdout.contains(advice), "{}", first.all());
    folder.write("new.run", &right);
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    let blessed = [folder.read("golden/toy/new.run"), folder.read("golden/toy/new.snap")];
    let now = || [folder.read("golden/toy/new.run"), folder.read("golden/toy/new.snap")];

    folder.write("new.run", &run(|query| query == 1));
    let changes = "- RR@2 1.0000 -> 0.5417: 11 queries worse, 0 better\n\
                   - the rankings of 11 of 12 queries changed\n";
    // Whichever gates are selected.
    for selected in [&["bless", "toy.yaml"][..], &["bless", "toy.yaml", "--filter", "new::snapshot"]] {
        let refused = folder.rankgate(selected).ends_with(2);
        let why = "- refused because it fails: RR@2 0.5417 < 0.6000 (toy::new::RR@2)\n";
        let expected = format!("new: not blessed\n\n{changes}{why}");
        assert!(refused.stdout.contains(&expected), "{}", refused.all());
        let force = "error: toy: new is not blessed while its thresholds fail: RR@2 0.5417 < 0.6000 \
                     (toy::new::RR@2); `rankgate bless toy.yaml --force` blesses it all the same\n";
        assert!(refused.stderr.contains(force), "{}", refused.all());
        assert_eq!(now(), blessed);
    }
    let failing = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    let advice = "accept the new report and ranking, once its thresholds hold:  rankgate bless toy.yaml\n";
    assert!(failing.stdout.contains(advice), "{}", failing.all());

    let forced = folder.rankgate(&["bless", "--force", "toy.yaml"]).ends_with(0);
    let files = "new: changed golden/toy/new.run, changed golden/toy/new.snap\n\n";
    assert!(
        forced.stdout.contains(&format!("{files}{changes}- forced although it fails")),
        "{}",
        forced.all()
    );
    assert!(forced.stdout.contains("old: unchanged golden/toy/old.run"), "{}", forced.all());
    assert_ne!(now(), blessed);
    // What was never blessed has nothing to lose.
    fs::remove_dir_all(folder.path("golden")).unwrap();
    let first = folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    assert!(first.stdout.contains("- blessed for the first time although it fails: RR@2"), "{}", first.all());
}

/// The gain of such a grade is infinite, so that the run has no score, although it was read as it should.
#[test]
fn what_has_no_scores_is_not_blessed() {
    let folder = Folder::new();
    folder.write(
        "c.json",
        r#"{"queries": [{"id": "q01", "text": "one"}], "qrels": {"q01": {"r": 1100}},
            "corpus": [{"id": "r", "text": "a"}, {"id": "n", "text": "b"}]}"#,
    );
    folder.write("new.run", &run(|_| true));
    let spec = |metric: &str| {
        format!(
            "version: 1\nbenchmark: toy\ncollection: {{json: c.json}}\n\
             metrics: [{metric}]\nconfigurations: {{new: {{run: new.run}}}}\n\
             comparisons: [{{candidate: new, baseline: golden, metrics: [RR@2]}}]\n"
        )
    };
    folder.write("toy.yaml", &spec("DCG(gain=exp2)@1"));
    let refused = folder.rankgate(&["bless", "toy.yaml"]).ends_with(2);
    assert_eq!(refused.stderr.matches("error: ").count(), 1, "{}", refused.all());
    assert!(refused.stderr.contains("error: toy: new is not blessed: "), "{}", refused.all());
    assert!(!refused.stdout.contains("new golden"), "{}", refused.all());
    assert!(!folder.path("golden").exists());
    folder.write("toy.yaml", &spec("RR@1"));
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    assert!(folder.path("golden/toy/new.run").exists());
}

#[test]
fn nothing_is_blessed_on_a_ci_machine() {
    let folder = Folder::with_spec(false).judged();
    for ci in [("CI", "true"), ("TF_BUILD", "True")] {
        let ran = folder.rankgate_with(&["bless", "toy.yaml"], &[ci]).ends_with(2);
        let said = format!("error: Refusing to bless in CI (the variable {} is set). Run this command", ci.0);
        assert!(ran.stderr.starts_with(&said), "{}", ran.stderr);
        assert!(!folder.path("golden").exists());
    }
    folder.write("toy.yaml", &(SPEC.to_owned() + "snapshot: true\n"));
    let run = ["run", "toy.yaml", "--filter", "new::snapshot"];
    let said = "create the golden files (run locally, then commit):  rankgate bless toy.yaml\n";
    assert!(folder.rankgate_with(&run, &[("TF_BUILD", "True")]).ends_with(2).stdout.contains(said));
    assert!(!folder.rankgate(&run).ends_with(2).stdout.contains("locally"));
}

#[test]
fn what_was_never_blessed_is_an_error_in_every_form_of_the_results() {
    let folder = Folder::with_spec(false).judged();
    let golden = "  - {candidate: new, baseline: golden, metrics: [RR@2]}\n  - {candidate: old, baseline: golden, \
                  metrics: [RR@2], level: advisory}\nsnapshot: true\n";
    folder.write("toy.yaml", &(SPEC.to_owned() + golden));
    let ran = folder.rankgate(&["run", "toy.yaml", "--junit", "out.xml"]).ends_with(2);
    assert!(ran.stdout.starts_with("toy: 3 passed, 4 errors\n"), "{}", ran.all());
    assert!(!ran.stdout.contains("FAILED"), "{}", ran.all());
    let missing = "\n  ERROR: golden/toy/new.snap does not exist, so there is nothing to compare with\n";
    assert!(ran.stdout.contains(missing), "{}", ran.all());
    let report: serde_json::Value =
        serde_json::from_str(&folder.read("target/rankgate/toy/report.json")).unwrap();
    let gates = report["gates"].as_array().unwrap();
    let undecided: Vec<&str> = gates
        .iter()
        .filter(|gate| gate["verdict"] == "error")
        .map(|gate| gate["name"].as_str().unwrap().trim_start_matches("toy::"))
        .collect();
    let expected = ["new-vs-golden::RR@2", "old-vs-golden::RR@2", "old::snapshot", "new::snapshot"];
    assert_eq!(undecided, expected);
    let junit = folder.read("out.xml");
    assert!(
        junit.contains("<testsuites name=\"rankgate\" tests=\"7\" failures=\"0\" errors=\"3\">"),
        "{junit}"
    );
    assert_eq!(junit.matches("<error type=\"ERROR\"").count(), 3, "{junit}");
    // The advisory gate is no error beside those that block.
    assert_eq!(junit.matches("<skipped type=\"ERROR\"").count(), 1, "{junit}");
    assert!(!junit.contains("FAILED"), "{junit}");
    let page = folder.rankgate(&["report", "--format", "markdown"]).ends_with(2).stdout;
    assert!(page.contains("ERROR") && !page.contains("FAILED"), "{page}");
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
    // Two limits, a comparison and a snapshot fail by the same queries, and a fourth gate compares with another baseline.
    let told = ran.stdout.split("\ngates\n").nth(1).unwrap();
    let count = |text: &str| told.matches(text).count();
    assert_eq!(count("11 queries worse than golden, 0 better, 1 unchanged"), 1, "{}", ran.all());
    assert_eq!(count("see toy::new::RR@2 for the queries and documents that moved\n"), 3, "{}", ran.all());
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
    let deep = SPEC
        .replace("{run: ", "{run: ../")
        .replace("queries: ", "queries: ../")
        .replace("qrels: ", "qrels: ../");
    folder.write("benchmarks/toy.yaml", &(deep + "snapshot: true\n"));
    folder.rankgate(&["bless", "benchmarks/toy.yaml"]).ends_with(0);
    let snapshot = folder.read("golden/toy/new.snap");
    let head =
        "---\nsource: rankgate\ndescription: \"toy: run ../new.run\"\ninput_file: benchmarks/toy.yaml\n---\n";
    assert!(snapshot.starts_with(head), "{snapshot}");

    fs::remove_dir_all(folder.path("golden")).unwrap();
    let inside = folder.rankgate_in("benchmarks", &["bless", "toy.yaml"], &[]).ends_with(0);
    assert!(inside.stdout.contains("new: new ../golden/toy/new.run"), "{}", inside.all());
    assert_eq!(folder.read("golden/toy/new.snap"), snapshot);
}

#[test]
fn a_golden_run_is_read_back_by_rank_by_specs_and_commands() {
    let folder = Folder::with_spec(false).judged();
    // By rank the relevant document is first, by score it is not.
    let rows: String = (1..=12).map(|q| format!("q{q:02} Q0 r 1 1 x\nq{q:02} Q0 n 2 2 x\n")).collect();
    let write = |digest: &str| {
        folder.write("new.run", &format!("# rankgate run, version 6\n# digest: {digest}\n{rows}"));
    };
    // The digest is what the error says that it should be.
    write("");
    let error = folder.rankgate(&["eval", "qrels.txt", "new.run"]).ends_with(2).stderr;
    write(error.split('`').nth(3).unwrap());
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
    assert!(kept.starts_with("# rankgate run, version 6\n"), "{kept}");
    assert!(folder.path("target/rankgate/toy/old.run").is_file());
    assert!(!folder.path("target/rankgate/toy/broken.run").exists(), "nothing was answered");
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(2);
    // What is kept has scores, what is blessed a line for each query; both rank alike.
    let blessed = folder.read("golden/toy/new.run");
    assert!(blessed.starts_with("# rankgate golden run, version 8\n"), "{blessed}");
    let ranks = |run: &str| {
        let columns = folder.rankgate(&["fuse", run, run]).ends_with(0).stdout;
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
    let markdown = folder.rankgate(&["report", "--format", "markdown"]).ends_with(0).stdout;
    assert!(markdown.contains("| AP (depth 5) |"), "{markdown}");
    let json = folder.read("target/rankgate/toy/report.json");
    assert!(json.contains("\"metric\": \"AP\"") && !json.contains("AP (depth"));
    // A metric with a cutoff needs no depth, and by default all that matters is seen.
    folder.write("toy.yaml", &spec.replace("depth: 5\n", ""));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(!ran.stdout.contains("(depth"), "{}", ran.all());
}

/// The commands that a message advises are typed, in a merge that git could not decide.
#[test]
fn advice_on_a_golden_run_in_a_merge_takes_either_side_and_says_so_once_it_is_committed() {
    let mut repository = Repository::new();
    repository.bless("first");
    let golden = |repository: &Repository| {
        fs::read_to_string(repository.path().join("benchmarks/golden/toy/words.run")).unwrap()
    };
    // Both branches change the same ranking.
    let bless = |repository: &mut Repository, branch: &str, rank: usize| {
        repository.git(&["checkout", "--quiet", "-B", branch, "main"]);
        repository.ranks[0] = rank;
        repository.bless(branch);
        golden(repository)
    };
    let theirs = bless(&mut repository, "topic", 3);
    let ours = bless(&mut repository, "mine", 4);
    let merge = |repository: &Repository| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=a@b.c", "merge", "--quiet", "topic"]);
        let merged = git.current_dir(repository.path()).output().unwrap();
        assert_eq!(merged.status.code(), Some(1), "{merged:?}");
        // What is answered is nothing to choose: it is what the merged code answers.
        repository.git(&["checkout", "--quiet", "--ours", "--", "benchmarks/runs/words.run"]);
    };
    merge(&repository);
    let advice = |repository: &Repository| {
        let ran = repository.run(&["run", "benchmarks/toy.yaml", "--filter", "words-vs-golden"]);
        assert_eq!(ran.status, Some(2), "{}", ran.stdout);
        assert!(ran.stdout.contains("a merge left its conflict here"), "{}", ran.stdout);
        let action = |line: &str| line.split_once("  git ").map(|(_, action)| action.trim().to_owned());
        ran.stdout.lines().filter_map(action).collect::<Vec<_>>()
    };
    let sides = advice(&repository);
    assert_eq!(sides.len(), 2, "{sides:?}");
    for (command, side) in sides.iter().zip([&ours, &theirs]) {
        repository.git(&command.split_whitespace().collect::<Vec<_>>());
        assert_eq!(&golden(&repository), side);
    }
    // Blessing is the third way out.
    repository.git(&["checkout", "--quiet", "--merge", "--", "benchmarks/golden/toy/words.run"]);
    advice(&repository);
    repository.answer();
    let blessed = repository.run(&["bless", "--force", "benchmarks/toy.yaml"]);
    assert_eq!(blessed.status, Some(0), "{}", blessed.stderr);
    assert_eq!(repository.run(&["run", "benchmarks/toy.yaml"]).status, Some(0));

    // Whoever adds the file with its marks has no side to take any more.
    repository.git(&["merge", "--abort"]);
    merge(&repository);
    repository.commit("marks and all");
    let [log, checkout] = &advice(&repository)[..] else { panic!("two commands") };
    let found = repository.git(&log.split_whitespace().collect::<Vec<_>>());
    let commit = found.lines().find(|line| line.ends_with(" mine")).unwrap().split(' ').next().unwrap();
    let checkout = checkout.replace("COMMIT", commit);
    repository.git(&checkout.split_whitespace().collect::<Vec<_>>());
    assert_eq!(golden(&repository), ours);
}
