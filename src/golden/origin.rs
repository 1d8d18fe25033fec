//! Which test would have written a snapshot: insta keeps it in the file's head.

use std::fs;
use std::path::{Path, PathBuf};

use crate::order;
use crate::workspace::Workspace;

/// What a snapshot names where no test asserts it.
const NOBODY: &str = "rankgate";

/// The file of the test that runs a spec, relative to the workspace: so that golden files from outside
/// of `cargo test` is what insta would have written there. `spec` and `home`, the spec's crate, are
/// absolute.
pub(crate) fn source_of(spec: &Path, home: &Path) -> String {
    let Some(test) = test_of(spec, home) else { return NOBODY.to_owned() };
    test.strip_prefix(Workspace::find(home).root).unwrap_or(&test).display().to_string().replace('\\', "/")
}

/// The test of the crate whose harness runs the spec; of several the one that names it most closely.
fn test_of(spec: &Path, home: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(home.join("tests")).ok()?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .map(|path| if path.is_dir() { path.join("main.rs") } else { path })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs") && path.is_file())
        .collect();
    order::sort(&mut files);
    let mut found: Option<(usize, PathBuf)> = None;
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let named = harnesses(&text).map(|folder| home.join(folder)).filter(|path| spec.starts_with(path));
        let closest = named.map(|path| path.components().count()).max();
        if let Some(length) = closest
            && found.as_ref().is_none_or(|(longest, _)| length > *longest)
        {
            found = Some((length, file));
        }
    }
    found.map(|(_, file)| file)
}

/// The folders that `harness!("...")` names in the text of a test.
fn harnesses(text: &str) -> impl Iterator<Item = &str> {
    text.split("harness!").skip(1).filter_map(|rest| {
        let rest = rest.trim_start().strip_prefix(['(', '[', '{'])?.trim_start().strip_prefix('"')?;
        Some(rest.split_once('"')?.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_that_names_the_spec_most_closely_is_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("crates/search");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let source = |spec: &str| source_of(&home.join(spec), &home);
        write("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
        write("crates/search/Cargo.toml", "[package]\nname = \"search\"\n");
        assert_eq!(source("benchmarks/a.yaml"), "rankgate");
        write("crates/search/tests/all.rs", "fn main() { rankgate::harness!(\"benchmarks\").run() }");
        write("crates/search/tests/one.rs", "rankgate::harness! (\n \"benchmarks/one.yaml\")");
        write("crates/search/tests/unit.rs", "// text about harness!");
        assert_eq!(source("benchmarks/a.yaml"), "crates/search/tests/all.rs");
        assert_eq!(source("benchmarks/one.yaml"), "crates/search/tests/one.rs");
        assert_eq!(source("elsewhere/a.yaml"), "rankgate");
    }
}
