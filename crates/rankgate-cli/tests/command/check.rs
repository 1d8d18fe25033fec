//! Whether `cargo test` runs the gates of a crate.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::surroundings;

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[[test]]\nname = \
                        \"retrieval\"\nharness = false\n";
const TEST: &str = "fn main() -> std::process::ExitCode {\n    rankgate::harness!(\"benchmarks\").run()\n}\n";

fn check(folder: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let output = surroundings::leave(&mut command).arg("check").current_dir(folder).output().unwrap();
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
    assert!(said.contains("error: cargo knows no crate in .: "), "{said}");
}
