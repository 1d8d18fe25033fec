//! `rankgate lint --parse-only`: whether specs can be read, and whether `cargo test` runs the gates of a crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rankgate::BoxError;
use rankgate::standalone::{Opened, Refusal, Standalone, files_below, open_all};
use serde_json::Value;

use crate::exit::Exit;
use crate::results::{Format, Results};
use crate::specs;
use crate::terminal::Terminal;

/// What stands before the ending of a spec among other YAML files.
const NAMED: &str = "rankgate";

/// Parses specs, and those of folders, and asks cargo whether `cargo test` runs the gates of crates. Without a target, it is
/// about the specs `*.rankgate.yaml` in the current folder and below or, if there is none, about the crate there.
pub(super) fn check(targets: Vec<PathBuf>, terminal: &Terminal) -> Result<Exit, BoxError> {
    let (mut specs, folders): (Vec<_>, Vec<_>) =
        targets.into_iter().partition(|path| specs::is_spec(path) && !path.is_dir());
    let mut crates = Vec::new();
    if specs.is_empty() && folders.is_empty() {
        specs = named_specs();
        crates.extend(specs.is_empty().then(|| PathBuf::from(".")));
    }
    for folder in folders {
        match specs_below(&folder)? {
            below if below.is_empty() => crates.push(folder),
            below => specs.extend(below),
        }
    }
    let mut exits = vec![check_specs(specs, terminal)?];
    for folder in crates {
        exits.push(check_crate(&folder, terminal)?);
    }
    let worst = [Exit::Failed, Exit::Undecided].into_iter().find(|exit| exits.contains(exit));
    Ok(worst.unwrap_or(Exit::Passed))
}

/// The specs of a folder that is not that of a crate; none where only cargo knows what is in it.
fn specs_below(folder: &Path) -> Result<Vec<PathBuf>, BoxError> {
    if !folder.is_dir() || folder.join("Cargo.toml").is_file() {
        return Ok(Vec::new());
    }
    Ok(files_below(folder, specs::is_spec)?)
}

/// The specs of the current folder where nobody names any, by their ending: files of other programs may lie in it, and
/// libraries below it. None in a crate, of which cargo knows more.
fn named_specs() -> Vec<PathBuf> {
    let here = Path::new(".");
    if here.join("Cargo.toml").is_file() {
        return Vec::new();
    }
    let files =
        |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = files(here).filter(|path| path.is_dir());
    let mut named: Vec<PathBuf> =
        std::iter::once(here.to_owned()).chain(folders).flat_map(|one| files(&one)).collect();
    named.retain(|path| specs::is_spec(path) && path.with_extension("").extension() == Some(NAMED.as_ref()));
    named.iter_mut().for_each(|path| *path = path.strip_prefix(here).unwrap_or(path).to_owned());
    named.sort();
    named
}

/// Parses specs, and says of each how many gates it has or what is wrong with it.
fn check_specs(files: Vec<PathBuf>, terminal: &Terminal) -> Result<Exit, BoxError> {
    let mut results = Results::new(terminal, Format::Text);
    let standalone = |_: &Path| Standalone::new().registry(specs::registry());
    for Opened { file, subject } in open_all(files, standalone) {
        match subject {
            Ok(subject) => {
                let gates = match subject.gates().len() {
                    1 => "1 gate".to_owned(),
                    many => format!("{many} gates"),
                };
                terminal.result(&format!(
                    "{}: {} {}, {gates}\n",
                    file.display(),
                    subject.kind(),
                    subject.name()
                ))?;
                if subject.gates().is_empty() {
                    terminal.warn(&format!("{}: nothing is tested: it only measures", file.display()));
                }
            }
            Err(Refusal::Broken(error)) => results.add_broken(&file, &error),
            Err(Refusal::Twin(other)) => drop(results.add_twin(&file, &other)),
        }
    }
    Ok(results.end_without_verdicts())
}

/// Whether `cargo test` runs the gates of a crate.
fn check_crate(folder: &Path, terminal: &Terminal) -> Result<Exit, BoxError> {
    let metadata = metadata(folder)?;
    let mut checked = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for file in with_gates(package)? {
            let fault = fault(package, &file);
            checked.push((file, fault));
        }
    }
    let root = PathBuf::from(metadata["workspace_root"].as_str().unwrap_or_default());
    let mut lines = String::new();
    for (file, fault) in &checked {
        let file = file.strip_prefix(&root).unwrap_or(file).display();
        lines += &match fault {
            None => format!("{file}: `cargo test` runs its gates\n"),
            Some(fault) => format!("{file}: {fault}\n"),
        };
    }
    if checked.is_empty() {
        lines = format!(
            "no file under tests/ calls `rankgate::harness!`, so `cargo test` runs no gate: {}\n",
            root.display()
        );
    }
    terminal.result(&lines)?;
    let runs = !checked.is_empty() && checked.iter().all(|(_, fault)| fault.is_none());
    Ok(if runs { Exit::Passed } else { Exit::Failed })
}

/// What cargo knows of the packages in a folder.
fn metadata(folder: &Path) -> Result<Value, BoxError> {
    let mut cargo = Command::new("cargo");
    let cargo = cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(folder);
    let output =
        cargo.output().map_err(|error| format!("cannot start cargo in {}: {error}", folder.display()))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        let folder = folder.display();
        return Err(
            format!("there is no spec in {folder}, and cargo knows no crate there: {}", why.trim()).into()
        );
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The files that cargo takes for tests by itself, and those of its test targets, which call the macro.
fn with_gates(package: &Value) -> Result<Vec<PathBuf>, BoxError> {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
    let folder = manifest.parent().unwrap_or(Path::new("")).join("tests");
    let mut files: BTreeSet<PathBuf> =
        tests(package).filter_map(|target| Some(target["src_path"].as_str()?.into())).collect();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            files.insert(if path.is_dir() { path.join("main.rs") } else { path });
        }
    }
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs") && path.is_file();
    let mut found = Vec::new();
    for file in files.into_iter().filter(is_rust) {
        let text = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        if text.contains("rankgate") && code.into_iter().any(|line| line.contains("harness!")) {
            found.push(file);
        }
    }
    Ok(found)
}

fn tests(package: &Value) -> impl Iterator<Item = &Value> {
    let is_test = |target: &&Value| {
        target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "test"))
    };
    package["targets"].as_array().into_iter().flatten().filter(is_test)
}

/// Why a plain `cargo test` does not run the gates of a file, if it does not.
fn fault(package: &Value, file: &Path) -> Option<String> {
    let is_of = |target: &&Value| target["src_path"].as_str().is_some_and(|path| Path::new(path) == file);
    let Some(target) = tests(package).find(is_of) else {
        let stem = if file.ends_with("main.rs") { file.parent() } else { Some(file) };
        let name = stem.and_then(Path::file_stem).unwrap_or_default().to_string_lossy();
        return Some(format!(
            "no test target has this file, so its gates never run; add to Cargo.toml:\n\n[[test]]\nname = \"{name}\"\nharness = \
             false\n"
        ));
    };
    let uses = |dependency: &Value| dependency["name"] == "rankgate";
    if !package["dependencies"].as_array().into_iter().flatten().any(uses) {
        return Some(
            "it does not compile: `rankgate` is not among the dev-dependencies in Cargo.toml".to_owned(),
        );
    }
    if target["test"] == false {
        return Some("`test = false` in Cargo.toml keeps `cargo test` from running its gates".to_owned());
    }
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
    };
    let mut on = BTreeSet::new();
    let mut next = vec!["default".to_owned()];
    while let Some(feature) = next.pop() {
        if on.insert(feature.clone()) {
            next.extend(texts(&package["features"][feature.as_str()]));
        }
    }
    let off: Vec<String> =
        texts(&target["required-features"]).into_iter().filter(|one| !on.contains(one)).collect();
    let name = target["name"].as_str().unwrap_or_default();
    (!off.is_empty()).then(|| {
        let off = off.join(",");
        format!("a plain `cargo test` leaves its gates out; run `cargo test --features {off} --test {name}`")
    })
}
