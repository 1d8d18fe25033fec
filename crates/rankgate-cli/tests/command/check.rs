//! `rankgate lint --parse-only`, and the hooks of pre-commit that run it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::repository::root;
use crate::surroundings;
use crate::toy_spec::{Folder, SPEC};

#[test]
fn specs_are_parsed_and_nobody_is_asked() {
    let folder = Folder::with_spec(false).judged();
    // A run that cannot be read says that it was not.
    folder.write("new.run", "no run");
    folder.write("toy.rankgate.yaml", SPEC);
    let checked = folder.rankgate(&["lint", "--parse-only", "toy.rankgate.yaml"]).ends_with(0);
    assert_eq!(checked.stdout, "toy.rankgate.yaml: benchmark toy, 3 gates\n");

    folder.write(
        "broken.yaml",
        &SPEC.replace("toy", "other").replace("RR@2", "RRR@2").replace("run:", "runn:"),
    );
    folder.write("twin.yaml", SPEC);
    let checked = folder
        .rankgate(&["lint", "--parse-only", "toy.rankgate.yaml", "broken.yaml", "twin.yaml"])
        .ends_with(2);
    assert!(checked.stdout.starts_with("toy.rankgate.yaml: "), "{}", checked.all());
    for expected in [
        "unknown metric `RRR@2`",
        "runn",
        "twin.yaml: toy.rankgate.yaml already has a benchmark of this name",
    ] {
        assert!(checked.stderr.contains(expected), "no `{expected}` in {}", checked.all());
    }
    folder.rankgate(&["lint", "--parse-only", "missing.yaml"]).ends_with(2);
    // What a retriever that is built in does not take is wrong before anything is built.
    let builtin = "{builtin: bm25, params: {stemer: english}}";
    folder.write("toy.rankgate.yaml", &SPEC.replace("{run: old.run}", builtin));
    let all = folder.rankgate(&["lint", "--parse-only", "toy.rankgate.yaml"]).ends_with(2).all();
    assert!(all.contains("stemer") && all.contains("--> toy.rankgate.yaml:5:"), "{all}");
}

#[test]
fn folders_of_specs_are_parsed() {
    let folder = Folder::with_spec(false).judged();
    let below = |name: &str| {
        let spec = SPEC.replace("toy", name).replace("{run: ", "{run: ../");
        spec.replace("topics.tsv", "../topics.tsv").replace("qrels.txt", "../qrels.txt")
    };
    folder.write("gates/b.rankgate.yaml", &below("b"));
    folder.write("gates/c.yaml", below("c").split("thresholds").next().unwrap());
    let checked = folder.rankgate(&["lint", "--parse-only", "gates"]).ends_with(0);
    assert_eq!(
        checked.stdout,
        "gates/b.rankgate.yaml: benchmark b, 3 gates\ngates/c.yaml: benchmark c, 0 gates\n"
    );
    let ran = folder.rankgate(&["pool", "gates"]).ends_with(2);
    assert!(
        ran.stderr.contains("this is a folder: name one spec of it, such as gates/b.rankgate.yaml"),
        "{}",
        ran.all()
    );
}

/// As pre-commit runs them: the words of `entry`, and behind them the files that `files` matches.
#[cfg(unix)]
#[test]
fn the_hooks_check_and_lint_each_spec() {
    let text = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let hooks: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let folder = Folder::with_spec(false).judged();
    folder.write("a.rankgate.yaml", &SPEC.replace("toy", "a"));
    folder.write("b.rankgate.yaml", &SPEC.replace("toy", "b"));
    let run = |id: &str| {
        let hook = hooks.as_array().unwrap().iter().find(|hook| hook["id"] == id).unwrap();
        assert_eq!((&hook["language"], &hook["files"]), (&"system".into(), &r"\.rankgate\.ya?ml$".into()));
        let line = format!("{} a.rankgate.yaml b.rankgate.yaml", hook["entry"].as_str().unwrap());
        let binary = Path::new(env!("CARGO_BIN_EXE_rankgate")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("bash");
        let shell = surroundings::leave(&mut shell).args(["-c", &line]).env("PATH", path);
        let output = shell.current_dir(folder.path("")).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout) + &text(output.stderr))
    };
    assert_eq!(
        run("rankgate-check"),
        (Some(0), "a.rankgate.yaml: benchmark a, 3 gates\nb.rankgate.yaml: benchmark b, 3 gates\n".into())
    );
    let (status, said) = run("rankgate-lint");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("checking a.rankgate.yaml") && said.contains("checking b.rankgate.yaml"), "{said}");
    folder.write("a.rankgate.yaml", "benchmark: a\n");
    for id in ["rankgate-check", "rankgate-lint"] {
        let (status, said) = run(id);
        assert!(status != Some(0) && said.contains("a.rankgate.yaml"), "{id}: {said}");
    }
}
