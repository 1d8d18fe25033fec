//! Whether `cargo test` runs the gates of a crate.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::repository::root;
use crate::surroundings;
use crate::toy_spec::{Folder, SPEC};

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                        [dev-dependencies]\nrankgate = \"1\"\n\n[[test]]\nname = \"retrieval\"\nharness = false\n";
const TEST: &str = "fn main() -> std::process::ExitCode {\n    rankgate::harness!(\"benchmarks\").run()\n}\n";

fn check(folder: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let output = surroundings::leave(&mut command)
        .args(["lint", "--parse-only"])
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}

#[test]
fn gates_that_a_plain_cargo_test_leaves_out_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let says = |manifest: &str, code: i32, expected: &[&str]| {
        write("Cargo.toml", manifest);
        let (found, said) = check(folder.path());
        assert_eq!(found, Some(code), "{said}");
        expected.iter().for_each(|text| assert!(said.contains(text), "no `{text}` in {said}"));
    };
    write("src/lib.rs", "");
    write("tests/unit.rs", "// rankgate::harness! is called elsewhere\n#[test]\nfn two() {}\n");
    let alone = MANIFEST.split("[[test]]").next().unwrap();
    says(alone, 1, &["no file under tests/ calls `rankgate::harness!`, so `cargo test` runs no gate: "]);
    write("tests/retrieval.rs", TEST);
    says(MANIFEST, 0, &["tests/retrieval.rs: `cargo test` runs its gates\n"]);
    let without = MANIFEST.replace("rankgate = \"1\"\n", "");
    says(
        &without,
        1,
        &[
            "tests/retrieval.rs: it does not compile: `rankgate` is not among the dev-dependencies in Cargo.toml\n",
        ],
    );
    let off = MANIFEST.replace(
        "[workspace]",
        "[features]\ndefault = [\"a\"]\na = [\"b\"]\nb = []\nslow = []\n\n[workspace]",
    );
    says(
        &(off.clone() + "required-features = [\"b\"]\n"),
        0,
        &["tests/retrieval.rs: `cargo test` runs its gates\n"],
    );
    let line = "tests/retrieval.rs: a plain `cargo test` leaves its gates out; run `cargo test --features slow --test retrieval`\n";
    says(&(off + "required-features = [\"b\", \"slow\"]\n"), 1, &[line]);
    says(
        &(MANIFEST.to_owned() + "test = false\n"),
        1,
        &["tests/retrieval.rs: `test = false` in Cargo.toml keeps"],
    );
    write("tests/other/main.rs", TEST);
    says(
        &MANIFEST.replace("edition", "autotests = false\nedition"),
        1,
        &[
            "tests/retrieval.rs: `cargo test` runs its gates\n",
            "tests/other/main.rs: no test target has this file",
            "name = \"other\"\nharness = false\n",
        ],
    );
    let (code, said) = check(Path::new("/"));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("error: there is no spec in ., and cargo knows no crate there: "), "{said}");
}

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
fn folders_of_specs_are_checked_where_there_is_no_crate() {
    let folder = Folder::with_spec(false).judged();
    let below = |name: &str| {
        let spec = SPEC.replace("toy", name).replace("{run: ", "{run: ../");
        spec.replace("topics.tsv", "../topics.tsv").replace("qrels.txt", "../qrels.txt")
    };
    folder.write("a.rankgate.yaml", &SPEC.replace("toy", "a"));
    folder.write("gates/b.rankgate.yaml", &below("b"));
    folder.write("gates/c.yaml", below("c").split("thresholds").next().unwrap());
    folder.write("docker-compose.yaml", "services: {}");
    let checked = folder.rankgate(&["lint", "--parse-only"]).ends_with(0);
    let both = "a.rankgate.yaml: benchmark a, 3 gates\ngates/b.rankgate.yaml: benchmark b, 3 gates\n";
    assert_eq!(checked.stdout, both);
    let checked = folder.rankgate(&["lint", "--parse-only", "gates"]).ends_with(0);
    assert_eq!(
        checked.stdout,
        "gates/b.rankgate.yaml: benchmark b, 3 gates\ngates/c.yaml: benchmark c, 0 gates\n"
    );
    // Who names the folder means all that is in it, as with `run`.
    let here = folder.rankgate_in("gates", &["lint", "--parse-only", "."], &[]).ends_with(0);
    assert_eq!(here.stdout.lines().count(), 2, "{}", here.all());
    assert_eq!(checked.stderr, "warning: gates/c.yaml: nothing is tested: it only measures\n");
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
    assert!(
        said.contains("examining a.rankgate.yaml") && said.contains("examining b.rankgate.yaml"),
        "{said}"
    );
    folder.write("a.rankgate.yaml", "benchmark: a\n");
    for id in ["rankgate-check", "rankgate-lint"] {
        let (status, said) = run(id);
        assert!(status != Some(0) && said.contains("a.rankgate.yaml"), "{id}: {said}");
    }
}
