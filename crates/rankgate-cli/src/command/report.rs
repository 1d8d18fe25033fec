//! `rankgate report`: reports that are there already, rendered again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use rankgate::BoxError;
use rankgate::benchmark::model::{Outcome, Report as Model, SCHEMA};
use rankgate::collection::file_sha256;

use crate::dashboard::{badge, openmetrics};
use crate::env;
use crate::exit::Exit;
use crate::rendering::csv;
use crate::results::{Format, Results};
use crate::specs;
use crate::terminal::Terminal;

/// Print the reports of the last test run
#[derive(Args)]
#[command(after_help = "\
Nothing is asked or computed. Under cargo-nextest each test has a process of its own, which \
knows its own gate only: this prints what all of them found.

Says how old each report is, and whether the spec has changed since.

Exit status: as `rankgate run` would have ended with these verdicts; 2 where none failed and a spec could \
not be run, or has changed since its report was written.

Examples:
  cargo nextest run; rankgate report
  rankgate report benchmarks/helpdesk.yaml --format markdown
  rankgate report --format openmetrics > /var/lib/node_exporter/rankgate.prom
  rankgate report downloaded/report.json")]
pub(crate) struct Report {
    /// Specs, report.json files, and folders with reports in them [default: target/rankgate]
    #[arg(value_name = "SPEC|DIR")]
    of: Vec<PathBuf>,

    /// Also write results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Output format; several reports as JSON are printed one per line
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Tables and messages
    Text,
    /// The whole report
    Json,
    /// For a pull request
    Markdown,
    /// The score of each query
    Csv,
    /// Values with their intervals, for Prometheus
    Openmetrics,
    /// The verdicts as a badge in SVG
    Badge,
}

impl Report {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let format = match self.format {
            Form::Text => Format::Text,
            Form::Json => Format::Json,
            Form::Markdown => Format::Markdown,
            Form::Csv => return self.values(terminal, |reports| reports.iter().map(csv).collect()),
            Form::Openmetrics => return self.values(terminal, openmetrics),
            Form::Badge => return self.values(terminal, badge),
        };
        let mut results = Results::new(terminal, format);
        let of = if self.of.is_empty() { vec![env::output()] } else { self.of };
        let of: Vec<_> = of.iter().map(|path| reports(path)).collect();
        results.expect(of.iter().flatten().map(Vec::len).sum());
        for reports in of {
            match reports {
                Ok(reports) => {
                    for found in reports {
                        found.print(&mut results, terminal)?;
                    }
                }
                Err(error) => results.refuse(error.as_ref()),
            }
        }
        results.conclude(self.junit.as_ref())
    }

    /// Prints values for other tools, and warns about configurations that have none.
    fn values(&self, terminal: &Terminal, print: impl Fn(&[Model]) -> String) -> Result<Exit, BoxError> {
        let reports = current_reports(&self.of)?;
        for report in &reports {
            warn_of_unmeasured(report, terminal);
        }
        terminal.data(&print(&reports))?;
        Ok(Exit::Passed)
    }
}

fn warn_of_unmeasured(report: &Model, terminal: &Terminal) {
    let name = &report.benchmark;
    if report.error.is_some() {
        terminal.warn(&format!("{name}: its spec was not run, so it has no values"));
    }
    for one in &report.configurations {
        if let Outcome::Error(_) = one.outcome {
            terminal.warn(&format!("{name}: {} could not be measured, and is left out", one.name));
        }
    }
}

/// A report and where it was found.
struct Found {
    file: PathBuf,
    report: Model,
    /// The spec, where that is what was named.
    spec: Option<PathBuf>,
}

impl Found {
    fn print(self, results: &mut Results<'_>, terminal: &Terminal) -> Result<(), BoxError> {
        let (file, spec) = (self.file.display(), &self.report.spec);
        let age = std::fs::metadata(&self.file).and_then(|metadata| metadata.modified()).ok();
        let age = age.and_then(|at| at.elapsed().ok()).map_or(String::new(), |age| format!(" {}", ago(age)));
        match self.is_of_today() {
            Some(true) => terminal.note(&format!("{file}: written{age}; {spec} has not changed since")),
            Some(false) => {
                let stale = format!("{file}: written{age}, and {spec} has changed since: run it again");
                results.refuse(&*BoxError::from(stale));
            }
            None => terminal.note(&format!("{file}: written{age}; its spec is not here to compare with")),
        }
        match &self.report.error {
            Some(message) => {
                results.add_unrun(&self.report, message);
                Ok(())
            }
            None => results.add(self.report),
        }
    }

    /// Whether the spec says what it said when the report was written; `None` where that cannot be known.
    fn is_of_today(&self) -> Option<bool> {
        let sha256 = self.report.spec_sha256.as_deref()?;
        let same = |spec: &PathBuf| file_sha256(spec).is_ok_and(|today| today == sha256);
        if let Some(spec) = &self.spec {
            return Some(same(spec));
        }
        // Its path is relative to a crate, or to where `rankgate run` was typed.
        let here = std::env::current_dir().unwrap_or_default();
        let place = here.join(&self.file);
        let specs: Vec<PathBuf> = std::iter::once(here.as_path())
            .chain(place.ancestors().skip(1))
            .map(|folder| folder.join(&self.report.spec))
            .filter(|spec| spec.is_file())
            .collect();
        if specs.iter().any(same) {
            return Some(true);
        }
        // In another crate of the workspace one of the same path may be that of another benchmark.
        let other = |spec: &PathBuf| specs::open(spec).is_ok_and(|one| one.name() != self.report.benchmark);
        specs.iter().any(|spec| !other(spec)).then_some(false)
    }
}

/// An age as people say it.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
}

/// The reports of several paths, or of the last test run, each of its spec as it is today, and of a benchmark of its own.
pub(super) fn current_reports(named: &[PathBuf]) -> Result<Vec<Model>, BoxError> {
    let own = [env::output()];
    let mut all: Vec<Model> = Vec::new();
    for path in if named.is_empty() { &own[..] } else { named } {
        for found in reports(path)? {
            let file = found.file.display();
            if found.is_of_today() == Some(false) {
                let spec = &found.report.spec;
                return Err(format!("{file}: {spec} has changed since this report: run it again").into());
            }
            let name = &found.report.benchmark;
            if all.iter().any(|report| report.benchmark == *name) {
                return Err(format!("{file}: another report is of the benchmark {name} as well").into());
            }
            all.push(found.report);
        }
    }
    Ok(all)
}

/// The reports that a path stands for.
fn reports(path: &Path) -> Result<Vec<Found>, BoxError> {
    let found = |file: &Path| Ok(Found { file: file.to_owned(), report: read(file)?, spec: None });
    let is = |wanted: &str| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
    if is("json") {
        return Ok(vec![found(path)?]);
    }
    if is("yaml") || is("yml") {
        return Ok(vec![of_spec(path)?]);
    }
    let files = in_folder(path)?;
    if files.is_empty() {
        return Err(format!("{}: no report.json here, nor in a folder in it", path.display()).into());
    }
    files.iter().map(|file| found(file)).collect()
}

/// `report.json` of a folder or of the folders in it, sorted.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, BoxError> {
    let own = folder.join("report.json");
    if own.is_file() {
        return Ok(vec![own]);
    }
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound if folder == env::output() => format!(
            "{}: there are no reports yet: run `rankgate run SPEC` or `cargo test` first",
            folder.display()
        ),
        _ => format!("cannot read folder {}: {error}", folder.display()),
    };
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
fn of_spec(spec: &Path) -> Result<Found, BoxError> {
    let output = env::output();
    let place = spec.canonicalize().map_err(|error| format!("cannot read {}: {error}", spec.display()))?;
    for file in in_folder(&output)? {
        let report = read(&file)?;
        // Relative to the crate, which is where the spec's path ends with it.
        if place.ends_with(&report.spec) {
            return Ok(Found { file, report, spec: Some(place) });
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
