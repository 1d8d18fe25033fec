//! `rankgate history`: trends and alarms over commits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::standalone::{files_below, spec_files, write_file};
use rankgate_history::{
    Commit, Histories, History as Measured, Measurement, Rules, Unplaced, page, read_report, tell, text,
};

use crate::exit::Exit;
use crate::format::Format;
use crate::git::Repository;
use crate::inputs::metrics;
use crate::past::{Version, measured};
use crate::specs;
use crate::terminal::Terminal;

/// Tags that are releases.
pub(super) const RELEASES: [&str; 2] = ["v[0-9]*", "[0-9]*"];

/// Show trends and alarms over commits
///
/// With a spec, history reads the golden runs of git's first-parent line, and scores them under today's judgments. With
/// report.json files, or folders of them, it reads the scores of each report's day. No retriever runs.
#[derive(Args)]
#[command(after_help = "\
The k-th ranking raises an alarm if a loss against the golden ranking, the previous one, the last release or the first \
ranking is significant at the level .05/k. An alarm ends when the ranking goes back.

Exit status: 0, or 1 with --fail-on-alarm if an alarm is open.

Examples:
  rankgate history benchmarks/helpdesk.yaml
  rankgate history benchmarks --page trend.html --fail-on-alarm
  rankgate history downloaded-artifacts/ --format json | jq '.histories[].alarms'")]
pub(crate) struct History {
    /// Specs, report.json files, or folders with one or the other
    #[arg(required = true, value_name = "PATH")]
    of: Vec<PathBuf>,

    /// Look at this metric instead of those that gates use; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// Only this configuration; may be given several times
    #[arg(long, value_name = "NAME")]
    configuration: Vec<String>,

    /// The repository of the commits that reports name [default: this folder's]
    #[arg(long, value_name = "DIR")]
    repository: Option<PathBuf>,

    /// Tags that are releases, as a pattern of git [default: v[0-9]* and [0-9]*]; may be given several times
    #[arg(long, value_name = "PATTERN")]
    releases: Vec<String>,

    /// Acknowledged alarms: an id on each line, followed by a note
    #[arg(long, value_name = "FILE")]
    acknowledged: Option<PathBuf>,

    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Also write an HTML page with the trend of each metric
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Exit with 1 if an alarm is open
    #[arg(long)]
    fail_on_alarm: bool,
}

/// What was measured, by benchmark and configuration.
type Found = BTreeMap<(String, String), Vec<Measurement>>;

impl History {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (specs, reports) = self.files()?;
        let mut all = Histories::default();
        for path in &specs {
            let repository = self.repository(path.parent().unwrap_or(Path::new("")))?;
            let line = self.line(&repository, terminal)?;
            let (found, unplaced) = golden_runs(&specs::open_for_history(path)?, &repository, &line)?;
            all.unplaced.extend(unplaced);
            self.tell(found, &line, &mut all)?;
        }
        if !reports.is_empty() {
            let line = self.line(&self.repository(Path::new("."))?, terminal)?;
            let (found, unplaced) = read(&reports, &line);
            all.unplaced.extend(unplaced);
            self.tell(found, &line, &mut all)?;
        }
        if all.histories.is_empty() {
            return Err(self.nothing(&all, &specs));
        }
        match self.format {
            Format::Text => terminal.result(&text(&all))?,
            Format::Json => terminal.json(&(serde_json::to_string_pretty(&all)? + "\n"))?,
        }
        if let Some(file) = &self.page {
            write_file(file, &page(&all))?;
            terminal.note(&format!("the page: {}", file.display()));
        }
        Ok(if self.fail_on_alarm && all.has_alarm() { Exit::Failed } else { Exit::Passed })
    }

    /// Specs and reports among the paths.
    fn files(&self) -> Result<(Vec<PathBuf>, Vec<PathBuf>), BoxError> {
        let (mut specs, mut reports) = (Vec::new(), Vec::new());
        for path in &self.of {
            if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
                reports.push(path.clone());
                continue;
            }
            let is_report = |file: &Path| file.file_name().is_some_and(|name| name == "report.json");
            let found = if path.is_dir() { files_below(path, is_report)? } else { Vec::new() };
            if found.is_empty() { specs.extend(spec_files(path)?) } else { reports.extend(found) }
        }
        Ok((specs, reports))
    }

    fn repository(&self, default: &Path) -> Result<Repository, BoxError> {
        Repository::containing(self.repository.as_deref().unwrap_or(default))
    }

    fn line(&self, repository: &Repository, terminal: &Terminal) -> Result<Vec<Commit>, BoxError> {
        let releases = match self.releases.is_empty() {
            true => RELEASES.map(str::to_owned).to_vec(),
            false => self.releases.clone(),
        };
        let line = repository.line(&releases)?;
        if repository.is_shallow() {
            let commits = line.len();
            terminal.warn(&format!("this clone is shallow: it has only the last {commits} commits"));
        }
        Ok(line)
    }

    fn tell(&self, found: Found, line: &[Commit], all: &mut Histories) -> Result<(), BoxError> {
        let metrics: Vec<String> = match self.metrics.is_empty() {
            true => Vec::new(),
            false => metrics(&self.metrics, "")?.iter().map(|one| one.metric.to_string()).collect(),
        };
        let acknowledged = self.acknowledged()?;
        for ((benchmark, configuration), mut measurements) in found {
            let is_wanted = self.configuration.is_empty() || self.configuration.contains(&configuration);
            if !is_wanted || measurements.is_empty() {
                continue;
            }
            if let Some(last) = measurements.last().filter(|_| !metrics.is_empty()) {
                check(&metrics, last)?;
                measurements.iter_mut().for_each(|one| one.gated.clone_from(&metrics));
            }
            let history = Measured {
                benchmark: &benchmark,
                configuration: &configuration,
                line,
                measurements: &measurements,
                acknowledged: acknowledged.clone(),
            };
            all.histories.push(tell(&history, &Rules::default())?);
        }
        Ok(())
    }

    fn acknowledged(&self) -> Result<BTreeMap<String, String>, BoxError> {
        let Some(file) = &self.acknowledged else { return Ok(BTreeMap::new()) };
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let parts = lines.map(|line| line.split_once(char::is_whitespace).unwrap_or((line, "")));
        Ok(parts.map(|(id, note)| (id.to_owned(), note.trim().to_owned())).collect())
    }

    /// Why there is no history, and what to do.
    fn nothing(&self, all: &Histories, specs: &[PathBuf]) -> BoxError {
        if let Some(first) = all.unplaced.first() {
            let more = match all.unplaced.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            return format!("No history: {}: {}{more}", first.what, first.why).into();
        }
        let names = self.configuration.join(", ");
        match specs.first() {
            _ if !names.is_empty() => {
                format!("No history of a configuration named {names} was found.").into()
            }
            Some(spec) => format!(
                "No golden runs found in this repository's history. Create one: rankgate bless {}",
                spec.display()
            )
            .into(),
            None => "No report with a measured configuration was found.".into(),
        }
    }
}

/// The golden runs of a benchmark, as the commits of the line had them.
fn golden_runs(
    benchmark: &Benchmark,
    repository: &Repository,
    line: &[Commit],
) -> Result<(Found, Vec<Unplaced>), BoxError> {
    let (mut found, mut unplaced) = (Found::new(), Vec::new());
    for (configuration, path) in benchmark.golden_runs()? {
        if !path.parent().is_some_and(Path::is_dir) {
            continue;
        }
        let changes = repository.changes(&path)?;
        let blobs: BTreeSet<&str> = changes.iter().filter_map(|(_, blob)| blob.as_deref()).collect();
        let blobs: Vec<&str> = blobs.into_iter().collect();
        let contents: BTreeMap<&str, Arc<[u8]>> =
            blobs.iter().copied().zip(repository.contents(&blobs)?).collect();
        let changes: BTreeMap<&str, &str> =
            changes.iter().filter_map(|(commit, blob)| Some((commit.as_str(), blob.as_deref()?))).collect();
        let versions: Vec<Version> = line
            .iter()
            .filter_map(|commit| {
                let content = contents.get(changes.get(commit.id.as_str())?)?;
                let name = format!("{} at {}", path.display(), commit.short());
                Some(Version { commit: commit.id.clone(), name, content: Arc::clone(content) })
            })
            .collect();
        let (measurements, refused) = measured(benchmark, &configuration, &versions)?;
        let newest = versions.last().map(|version| &version.name);
        if let Some(Unplaced { what, why }) = refused.iter().find(|one| Some(&one.what) == newest) {
            return Err(format!("{what}: {why}").into());
        }
        unplaced.extend(refused);
        found.insert((benchmark.name().to_owned(), configuration), measurements);
    }
    Ok((found, unplaced))
}

/// Reports, each at the commit that it names.
fn read(reports: &[PathBuf], line: &[Commit]) -> (Found, Vec<Unplaced>) {
    let on_line: BTreeSet<&str> = line.iter().map(|commit| commit.id.as_str()).collect();
    let (mut found, mut unplaced) = (Found::new(), Vec::new());
    for file in reports {
        let text = std::fs::read(file).map_err(|error| format!("cannot read it: {error}"));
        let report = text.and_then(|text| read_report(&text).map_err(|error| error.to_string()));
        let report = report.and_then(|report| match on_line.contains(report.commit.as_str()) {
            true => Ok(report),
            false => Err(format!("its commit {} is not on the first-parent line of HEAD", report.commit)),
        });
        match report {
            Ok(report) => {
                for (configuration, measurement) in report.measurements {
                    let of = (report.benchmark.clone(), configuration);
                    found.entry(of).or_default().push(measurement);
                }
            }
            Err(why) => unplaced.push(Unplaced { what: file.display().to_string(), why }),
        }
    }
    (found, unplaced)
}

/// Refuses a metric that has no scores, because it could never raise an alarm.
fn check(metrics: &[String], last: &Measurement) -> Result<(), BoxError> {
    let scored: Vec<&str> = last.now.scores.by_metric.iter().map(|(metric, _)| metric.as_str()).collect();
    match metrics.iter().find(|metric| !scored.contains(&metric.as_str())) {
        Some(metric) => {
            let scored = scored.join(", ");
            Err(format!("--metric {metric}: it has no scores. There are scores of {scored}").into())
        }
        None => Ok(()),
    }
}
