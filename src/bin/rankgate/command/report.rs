//! `rankgate report`: reports that are there already, rendered again.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::{Report as Model, SCHEMA};

use crate::env;
use crate::exit::Exit;
use crate::results::{Format, Results};
use crate::terminal::Terminal;

/// Print the reports that the last test run wrote
#[derive(Args)]
#[command(after_help = "\
Nothing is asked or computed. Under cargo-nextest each test has a process of its own, which \
knows its own gate only: this prints what all of them found.

Exit status: as `rankgate run` would have ended with these verdicts.

Examples:
  cargo nextest run; rankgate report
  rankgate report benchmarks/helpdesk.yaml --format markdown
  rankgate report downloaded/report.json")]
pub(crate) struct Report {
    /// Specs, report.json files, and folders with reports in them [default: target/rankgate]
    #[arg(value_name = "SPEC|DIR")]
    of: Vec<PathBuf>,

    /// Also write results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// What is printed: tables and messages, or one document for each spec
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Report {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let mut results = Results::new(terminal, self.format);
        let of = if self.of.is_empty() { vec![env::output()] } else { self.of };
        for path in &of {
            match reports(path) {
                Ok(reports) => {
                    for report in reports {
                        results.add(report)?;
                    }
                }
                Err(error) => results.refuse(error.as_ref()),
            }
        }
        // What the tests themselves have annotated is not annotated twice.
        results.conclude(self.junit.as_ref(), false)
    }
}

/// The reports that a path stands for.
fn reports(path: &Path) -> Result<Vec<Model>, BoxError> {
    if path.extension().is_some_and(|ending| ending == "json") {
        return Ok(vec![read(path)?]);
    }
    if path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") {
        return Ok(vec![of_spec(path)?]);
    }
    let found = in_folder(path)?;
    if found.is_empty() {
        return Err(format!("{}: no report.json here, nor in a folder in it", path.display()).into());
    }
    found.iter().map(|file| read(file)).collect()
}

/// `report.json` of a folder or of the folders in it, sorted.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, BoxError> {
    let own = folder.join("report.json");
    if own.is_file() {
        return Ok(vec![own]);
    }
    let failed = |error| format!("cannot read folder {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path().join("report.json");
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The report of a spec, found by the path that the report names: a spec may name metrics and
/// retrievers that only its tests know, and is not read.
fn of_spec(spec: &Path) -> Result<Model, BoxError> {
    let output = env::output();
    let place = spec.canonicalize().map_err(|error| format!("cannot read {}: {error}", spec.display()))?;
    for file in in_folder(&output)? {
        let report = read(&file)?;
        // Relative to the crate, which is where the spec's path ends with it.
        if place.ends_with(&report.spec) {
            return Ok(report);
        }
    }
    Err(format!("{}: no report of this spec in {}: run it first", spec.display(), output.display()).into())
}

fn read(file: &Path) -> Result<Model, BoxError> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let report: Model = serde_json::from_str(&text)
        .map_err(|error| format!("{}: no report of rankgate: {error}", file.display()))?;
    if report.schema != SCHEMA {
        let (theirs, ours) = (report.schema, SCHEMA);
        let file = file.display();
        return Err(format!("{file}: schema {theirs}; this version of rankgate reads {ours}").into());
    }
    Ok(report)
}
