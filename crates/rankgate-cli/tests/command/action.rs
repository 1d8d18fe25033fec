//! The action for GitHub: its own script, run by bash with a `rankgate` that says how it was called.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::repository::root;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// How the step ended, what it said, how the command was called, and what it handed on.
fn step(inputs: [(&str, &str); 4]) -> (Option<i32>, String, Vec<String>, String) {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let action: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let script = steps.iter().find(|step| step["id"] == "run").unwrap()["run"].as_str().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("rankgate"), "#!/bin/sh\nprintf '%s\\0' \"$@\" > called\n").unwrap();
    fs::set_permissions(at("rankgate"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(at("step.sh"), script).unwrap();
    // A pattern must not be taken for the files that it matches.
    fs::write(at("a.yaml"), "").unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    // As the runner calls it.
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "step.sh"])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("GITHUB_OUTPUT", at("outputs"))
        .envs(inputs)
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let called = fs::read_to_string(at("called")).unwrap_or_default();
    let called = called.split_terminator('\0').map(str::to_owned).collect();
    (output.status.code(), said, called, fs::read_to_string(at("outputs")).unwrap_or_default())
}

fn inputs<'a>(specs: &'a str, filter: &'a str, junit: &'a str) -> [(&'static str, &'a str); 4] {
    [("SPECS", specs), ("FILTER", filter), ("JUNIT", junit), ("OUTPUT", "out")]
}

#[test]
fn every_spec_of_every_line_is_run_and_none_is_an_option() {
    for (specs, expected) in [
        ("benchmarks", &["benchmarks"][..]),
        ("a.yaml b.yaml", &["a.yaml", "b.yaml"]),
        ("a.yaml\nb.yaml\n", &["a.yaml", "b.yaml"]),
        ("\n  a.yaml\r\n\n\tb.yaml c\n\n", &["a.yaml", "b.yaml", "c"]),
        ("--output=/etc *.yaml $(touch x)", &["--output=/etc", "*.yaml", "$(touch", "x)"]),
    ] {
        let (status, said, called, outputs) = step(inputs(specs, "", "j.xml\n"));
        assert_eq!((status, said.as_str()), (Some(0), ""), "{specs:?}");
        let options = ["run", "--junit=j.xml", "--output=out", "--"];
        assert_eq!(called, [&options[..], expected].concat(), "{specs:?}");
        assert_eq!(outputs, "junit=j.xml\nreports=out\n");
    }
    let (_, _, called, _) = step(inputs("a.yaml", "--force nDCG@10", "-x"));
    assert_eq!(called[..3], ["run", "--filter=--force nDCG@10", "--junit=-x"]);
}

#[test]
fn line_breaks_make_no_outputs_and_nothing_to_run_is_an_error() {
    for (of, said) in [
        (inputs("a.yaml", "", "j.xml\nreports=/etc"), "the input junit has a line break in it"),
        (inputs("a.yaml", "x\ny", "j.xml"), "the input filter has a line break in it"),
        (inputs(" \n", "", "j.xml"), "the input specs names no spec and no folder"),
    ] {
        let (status, output, called, outputs) = step(of);
        assert_eq!((status, called.len(), outputs.as_str()), (Some(2), 0, ""), "{output}");
        assert!(output.contains(said), "{output}");
    }
}
