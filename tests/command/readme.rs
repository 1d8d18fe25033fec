//! What the README says is so.

#![expect(clippy::unwrap_used, reason = "a test fails where the README is not as it should be")]

use std::fs;
use std::path::{Path, PathBuf};

use rankgate::metric::{Definition, catalogue};
use rankgate::spec::{Registry, Spec, json_schema};

const README: &str = include_str!("../../README.md");

/// The fenced blocks of a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    README.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn every_spec_in_it_parses() {
    let mut registry = Registry::new();
    registry.any_retriever().builtin("bm25");
    let mut specs = 0;
    for yaml in blocks("yaml").into_iter().filter(|block| block.contains("version: 1")) {
        // Paths in it are meant against a folder beside the shipped collection.
        let spec = Spec::parse(Path::new("examples/readme.yaml"), yaml, &registry);
        assert!(spec.is_ok(), "{}", spec.unwrap_err());
        specs += 1;
    }
    assert!(specs >= 2, "the README shows {specs} specs");
}

/// Whether the README's shortened output is that of a command: `...` stands for any lines.
#[cfg(feature = "cli")]
#[track_caller]
fn is_shortened(shown: &str, output: &str) {
    let lines = |text: &'_ str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let output = lines(output);
    let mut rest = output.as_slice();
    let mut skips = false;
    for (number, piece) in lines(shown.trim()).split(|line| line == "...").enumerate() {
        skips |= number > 0;
        if piece.is_empty() {
            continue;
        }
        let mut places = rest.windows(piece.len());
        let place = if skips { places.position(|lines| lines == piece) } else { Some(0) };
        let place = place.filter(|&at| rest.get(at..at + piece.len()) == Some(piece));
        let Some(place) = place else {
            panic!("the README shows\n\n{}\n\nand the output is\n\n{}", piece.join("\n"), output.join("\n"));
        };
        rest = &rest[place + piece.len()..];
    }
}

#[cfg(feature = "cli")]
mod shown {
    use std::process::Command;

    use super::*;
    use crate::surroundings;

    fn here(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
    }

    /// What a command prints as its result.
    fn printed(folder: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let output = surroundings::leave(&mut command).args(arguments).current_dir(folder).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn its_report_is_that_of_the_quickstart() {
        let shown = blocks("text").into_iter().find(|block| block.starts_with("helpdesk: ")).unwrap();
        let report = crate::quickstart::report(&here("examples/quickstart")).unwrap();
        is_shortened(shown, &rankgate::report::text(&report));
    }

    #[test]
    #[cfg(feature = "bm25")]
    fn its_failure_is_that_of_the_stemmer_it_names() {
        // All but what to do next, which names files.
        let told = |text: &str| text.split("  accept the new report").next().unwrap().trim_end().to_owned();
        let shown =
            blocks("text").into_iter().find(|block| block.starts_with("helpdesk: stemmed has")).unwrap();
        let spec = fs::read_to_string(here("examples/helpdesk.yaml")).unwrap();
        let mut changed = spec.clone();
        for (old, new) in [
            ("stemmer: english", "stemmer: german".to_owned()),
            ("beir: data/helpdesk", format!("beir: '{}'", here("examples/data/helpdesk").display())),
            ("golden: ../golden", format!("golden: '{}'", here("golden").display())),
        ] {
            assert_eq!(changed.matches(old).count(), 1, "{old}");
            changed = changed.replace(old, &new);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("helpdesk.yaml");
        fs::write(&path, changed).unwrap();
        let registry = rankgate::benchmark::Registry::new();
        let report = rankgate::benchmark::Benchmark::open(path, &registry).unwrap().run();
        let gate = "helpdesk::stemmed-vs-golden::nDCG@10";
        let gate = report.gates.iter().find(|one| one.name == gate).unwrap();
        assert_eq!(told(&rankgate::report::message(&report, gate)), told(shown));
    }

    #[test]
    fn its_commands_print_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let copied = blocks("sh").into_iter().find(|block| block.contains("cp ../golden")).unwrap();
        for line in copied.lines().filter_map(|line| line.strip_prefix("cp ")) {
            let mut names: Vec<&str> = line.split(' ').collect();
            let to = names.pop().unwrap();
            for from in names {
                let name = if to == "." { from.rsplit('/').next().unwrap() } else { to };
                fs::copy(here(from.strip_prefix("../").unwrap()), folder.path().join(name)).unwrap();
            }
        }
        let shown = blocks("text").into_iter().find(|block| block.starts_with("$ rankgate")).unwrap();
        let mut commands = 0;
        for part in shown.split("$ rankgate ").skip(1) {
            let (line, shown) = part.split_once('\n').unwrap();
            let output = printed(folder.path(), &line.split(' ').collect::<Vec<_>>());
            is_shortened(shown, &output);
            commands += 1;
        }
        assert_eq!(commands, 3);
        assert!(folder.path().join("report.html").is_file());
    }
}

#[test]
fn its_ten_lines_are_those_of_the_crate_that_the_spawned_tests_run() {
    let lines = blocks("rust,ignore").into_iter().find(|block| block.contains("harness!")).unwrap();
    let theirs = lines.replace("my_search::Mine", "fixture::Words").replace("\"mine\"", "\"words\"");
    let ours = include_str!("../fixture/tests/retrieval.rs");
    assert_eq!(theirs.trim_start_matches("// tests/retrieval.rs\n"), ours);
    assert!(ours.lines().count() <= 10);
}

/// The files of the folders that end so.
fn files(folders: &[&str], end: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.to_string_lossy().ends_with(end) && path.is_file());
    paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn what_is_to_be_installed_is_there_to_be_installed() {
    // Until a registry has it, whoever copies a line that says so is left with an error.
    let examples =
        ["plain", "tantivy", "hybrid", "sqlite", "postgres", "python", "http", "refactoring", "suites"];
    let examples = examples.map(|name| format!("examples/{name}"));
    let mut folders: Vec<&str> = examples.iter().map(String::as_str).collect();
    folders.extend([".", "docs", "src/bin/rankgate/command/init"]);
    let texts = [".md", "Cargo.toml", "mod.rs"].map(|end| files(&folders, end)).concat();
    assert!(texts.len() > 15, "{} files", texts.len());
    for (path, text) in texts {
        for line in
            ["rankgate = \"", "rankgate = { version", "cargo install rankgate", "from crates.io instead"]
        {
            assert!(!text.contains(line), "{} says `{line}`", path.display());
        }
    }
}

#[test]
fn the_documentation_of_modules_holds_no_notes_for_maintainers() {
    let sources = files(&["src/metric", "src/spec", "src/retriever", "src/stats", "src/benchmark"], "mod.rs");
    assert_eq!(sources.len(), 5);
    for (path, text) in sources {
        let note = text.lines().find(|line| line.starts_with("//! To add a"));
        assert_eq!(note, None, "{}", path.display());
    }
}

#[test]
fn its_table_of_metrics_is_the_catalogue() {
    for definition in catalogue() {
        let row = row(definition);
        assert!(README.contains(&row), "the README lacks this row:\n{row}");
    }
}

fn row(definition: &Definition) -> String {
    let code =
        |names: Vec<String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let patterns = code(definition.patterns().iter().map(|&pattern| pattern.to_owned()).collect());
    format!("| {patterns} | {} | {} |", code(definition.aliases()), definition.summary())
}

#[test]
fn it_names_every_key_of_a_spec() {
    let schema = json_schema();
    let mut keys = Vec::new();
    collect(&schema, &mut keys);
    keys.sort();
    keys.dedup();
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        assert!(README.contains(&key), "the README does not mention the key `{key}`");
    }
}

fn collect(schema: &serde_json::Value, keys: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(object) => {
            if let Some(serde_json::Value::Object(properties)) = object.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| collect(value, keys));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}
