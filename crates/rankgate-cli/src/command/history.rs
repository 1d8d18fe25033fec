//! `rankgate history`: what happened to quality over commits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::benchmark::model::Verdicts;
use rankgate::standalone::{files_below, spec_files, write_file};
use rankgate_history::report::{self, View};
use rankgate_history::{
    Assembly, Commit, ConfigurationTimeline, Head, Histories, History as Line, Measurement, Refused,
    SourceKind, StoredReport, StoredReports, StoredRun, Tests,
};

use crate::env;
use crate::exit::Exit;
use crate::git::Repository;
use crate::inputs::metrics;
use crate::past::{Past, Version};
use crate::specs;
use crate::terminal::Terminal;

/// Tags that are releases.
pub(super) const RELEASES: [&str; 2] = ["v[0-9]*", "[0-9]*"];

/// Say what happened to quality over commits, since when, and how sure that is
///
/// Of a spec the golden runs are read as the commits of git's first-parent line had them, and scored under today's
/// judgments. Of a folder the report.json files that CI kept are read, each of the commit that it names. No retriever
/// runs.
///
/// A distinct ranking is held once against the golden one, the first, the last release and the best so far. The chance
/// of any false alarm is at most .025 over all four, however many rankings there are. Inputs that changed are never an
/// alarm.
#[derive(Args)]
#[command(after_help = "\
With a spec and a folder of artifacts, the runs that stand beside reports (<configuration>.run in \
target/rankgate/<benchmark>) are scored under today's judgments; with a folder alone, scores are those of \
their day, and other judgments begin an epoch.

Exit status: 0; with --fail-on-alarm 1 if an alarm stands at the last commit, and 2 where none is known to stand and the \
ranking of that commit cannot be read; 2 where nothing can be told.

Examples:
  rankgate history benchmarks/helpdesk.yaml
  rankgate history benchmarks --page trend.html --fail-on-alarm
  rankgate history downloaded-artifacts/ --repository .
  rankgate history benchmarks/helpdesk.yaml --base v1.0 --format json | jq '.histories[].alarms'")]
pub(crate) struct History {
    /// Specs, folders of specs, report.json files, and folders with such files at any depth
    #[arg(required = true, value_name = "PATH")]
    of: Vec<PathBuf>,

    /// Alarms on these metrics alone, whether or not a gate stands on them; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    /// Only this configuration; may be given several times
    #[arg(long, value_name = "NAME")]
    configuration: Vec<String>,

    /// The repository whose line of commits reports are of [default: that of this folder]
    #[arg(long, value_name = "DIR")]
    repository: Option<PathBuf>,

    /// Tags that are releases, as a pattern of git [default: v[0-9]* and [0-9]*]; may be given several times
    #[arg(long, value_name = "PATTERN")]
    releases: Vec<String>,

    /// Tell from this commit on, which has to be measured
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,

    /// Alarms that were acknowledged: their ids, one a line, what follows being a note
    #[arg(long, value_name = "FILE")]
    acknowledged: Option<PathBuf>,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Also write it as one page, with the trend of each metric
    #[arg(long, alias = "html", value_name = "FILE")]
    page: Option<PathBuf>,

    /// The plots of the page begin so many days before the last commit [default: with the first]
    #[arg(long, value_name = "N", requires = "page")]
    days: Option<u32>,

    /// The address of a commit at a forge, with {commit} in place of its id, for links of the page
    #[arg(long, value_name = "PATTERN", requires = "page", value_parser = View::commit_url)]
    commit_url: Option<String>,

    /// Also write the trend of each gated metric as a picture into a folder, to embed
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,

    /// End with 1 if an alarm stands at the last commit
    #[arg(long)]
    fail_on_alarm: bool,
}

/// How it is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs: one object
    Json,
}

/// What PATHs stand for.
#[derive(Default)]
struct PathKind {
    specs: Vec<PathBuf>,
    reports: Vec<PathBuf>,
}

/// The history so far.
struct Telling<'a> {
    arguments: &'a History,
    gated: Option<Vec<String>>,
    acknowledged: BTreeSet<String>,
    told: Vec<ConfigurationTimeline>,
    refused: Vec<Refused>,
    /// Configurations that there are.
    known: BTreeSet<String>,
    /// What stands at the last commit and cannot be read: whether an alarm is due there nobody knows.
    unread: Vec<String>,
}

impl History {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let of = self.found(terminal)?;
        let mut telling = Telling {
            gated: self.gated()?,
            acknowledged: self.acknowledged()?,
            arguments: &self,
            told: Vec::new(),
            refused: Vec::new(),
            known: BTreeSet::new(),
            unread: Vec::new(),
        };
        let reports = StoredReports::read(&of.reports);
        telling.refused.extend(reports.refused.iter().cloned());
        let refused: BTreeSet<&str> = reports.refused.iter().map(|one| one.what.as_str()).collect();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for path in &of.specs {
            let benchmark = specs::open_for_history(path)?;
            let repository = match (of.reports.is_empty(), &self.repository) {
                (true, None) => Repository::containing(path.parent().unwrap_or(Path::new("")))?,
                _ => self.repository()?,
            };
            let line = self.line(&repository, terminal)?;
            if of.reports.is_empty() {
                telling.golden(&benchmark, &repository, &line)?;
            } else {
                taken.insert(benchmark.name().to_owned());
                telling.runs(&benchmark, &repository, &line, &reports)?;
            }
        }
        if !of.reports.is_empty() {
            let repository = self.repository()?;
            let line = self.line(&repository, terminal)?;
            let unread =
                of.reports.iter().filter(|file| refused.contains(file.display().to_string().as_str()));
            let unread = unread.filter(|file| line.last().is_some_and(|last| is_of(file, &last.id)));
            telling.unread.extend(unread.map(|file| {
                format!(
                    "the report of HEAD, {}, does not give the scores of all its configurations",
                    file.display()
                )
            }));
            for ((benchmark, configuration), measurements) in &reports.measurements {
                telling.known.insert(configuration.clone());
                if !taken.contains(benchmark) && self.takes(configuration) {
                    let name = (benchmark.as_str(), configuration.as_str(), SourceKind::Reports);
                    let explain = |timeline: &mut _| reports.explain(benchmark, configuration, timeline);
                    let gates = gates_of(&line, benchmark, &reports);
                    let head = |assembly: &Assembly| assembly.head("HEAD", gates);
                    let found = (measurements.clone(), Vec::new());
                    telling.tell(name, &repository, (&line, head), found, explain)?;
                }
            }
        }
        self.check_configurations(&telling.known)?;
        if let Some(wanted) = &telling.gated {
            scored(wanted, &telling.told, terminal)?;
        }
        let Telling { told, refused, mut unread, .. } = telling;
        unread.dedup();
        let all = Histories::new(told, refused);
        match self.format {
            Format::Text => terminal.result(&report::text(&all, terminal.style(), terminal.width()))?,
            Format::Json => terminal.json(&report::json(&all))?,
        }
        let view = View { days: self.days, commit_url: self.commit_url.clone() };
        if let Some(file) = &self.page {
            write_file(file, &report::html(&all, &view))?;
            terminal.note(&format!("the page: {}", file.display()));
        }
        if let Some(folder) = &self.svg {
            for (name, svg) in report::plots(&all, &view) {
                write_file(folder.join(name), &svg)?;
            }
        }
        if all.histories.is_empty() {
            return Err("there is nothing to tell: no ranking of any commit was found".into());
        }
        for what in &unread {
            terminal.warn(&format!("{what}: whether it lost something is not known"));
        }
        Ok(match self.fail_on_alarm {
            true if all.alarmed() => Exit::Failed,
            true if !unread.is_empty() => Exit::Undecided,
            _ => Exit::Passed,
        })
    }

    fn found(&self, terminal: &Terminal) -> Result<PathKind, BoxError> {
        let mut of = PathKind::default();
        for path in &self.of {
            let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
            if is_json {
                of.reports.push(path.clone());
                continue;
            }
            let is_report = |file: &Path| file.file_name().is_some_and(|name| name == "report.json");
            let reports = if path.is_dir() { files_below(path, is_report)? } else { Vec::new() };
            if reports.is_empty() {
                of.specs.extend(spec_files(path)?);
            } else {
                if spec_files(path).is_ok_and(|specs| !specs.is_empty()) {
                    terminal.note(&format!(
                        "note: {}: based on the reports below it; name a spec for its golden runs",
                        path.display()
                    ));
                }
                of.reports.extend(reports);
            }
        }
        Ok(of)
    }

    fn takes(&self, configuration: &str) -> bool {
        self.configuration.is_empty() || self.configuration.iter().any(|name| name == configuration)
    }

    /// Refuses names of configurations that there are none of, of which nothing could ever be heard.
    fn check_configurations(&self, known: &BTreeSet<String>) -> Result<(), BoxError> {
        let unknown = self.configuration.iter().find(|name| !known.contains(*name));
        // Where nothing is known at all, what could not be read says why.
        let Some(name) = unknown.filter(|_| !known.is_empty()) else { return Ok(()) };
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(format!("--configuration {name}: there is none of this name; there are {}", known.join(", "))
            .into())
    }

    fn gated(&self) -> Result<Option<Vec<String>>, BoxError> {
        if self.metrics.is_empty() {
            return Ok(None);
        }
        let metrics = metrics(&self.metrics, "")?;
        Ok(Some(metrics.iter().map(|one| one.metric.to_string()).collect()))
    }

    fn acknowledged(&self) -> Result<BTreeSet<String>, BoxError> {
        let Some(file) = &self.acknowledged else { return Ok(BTreeSet::new()) };
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let ids = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        Ok(ids.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
    }

    fn repository(&self) -> Result<Repository, BoxError> {
        let here = Path::new(".");
        Repository::containing(self.repository.as_deref().unwrap_or(here))
            .map_err(|error| format!("{error}; --repository names it").into())
    }

    fn line(&self, repository: &Repository, terminal: &Terminal) -> Result<Vec<Commit>, BoxError> {
        let releases = match self.releases.is_empty() {
            true => RELEASES.map(str::to_owned).to_vec(),
            false => self.releases.clone(),
        };
        let line = repository.line(&releases)?;
        if repository.is_shallow() {
            let number = line.len();
            terminal
                .warn(&format!("the clone is shallow: of its line only the last {number} commits are here"));
        }
        Ok(line)
    }
}

impl Telling<'_> {
    /// The golden runs of a benchmark, as commits had them.
    fn golden(
        &mut self,
        benchmark: &Benchmark,
        repository: &Repository,
        line: &[Commit],
    ) -> Result<(), BoxError> {
        for (configuration, path) in benchmark.golden_runs()? {
            self.known.insert(configuration.clone());
            if !self.arguments.takes(&configuration) || !path.parent().is_some_and(Path::is_dir) {
                continue;
            }
            let changes = repository.changes(&path)?;
            let blobs: BTreeSet<&str> = changes.iter().filter_map(|(_, blob)| blob.as_deref()).collect();
            let blobs: Vec<&str> = blobs.into_iter().collect();
            let contents: BTreeMap<&str, Arc<[u8]>> =
                blobs.iter().copied().zip(repository.contents(&blobs)?).collect();
            let changes: BTreeMap<&str, Option<&str>> =
                changes.iter().map(|(commit, blob)| (commit.as_str(), blob.as_deref())).collect();
            let (mut versions, mut stands) = (Vec::new(), None);
            for commit in line {
                let changed = changes.get(commit.id.as_str()).copied();
                stands = changed.unwrap_or(stands);
                // What stands at a release is known, whether or not that commit changed it.
                if let Some(blob) = stands.filter(|_| changed.is_some() || !commit.releases.is_empty()) {
                    versions.push(Version {
                        commit: commit.id.clone(),
                        name: format!("{} at {}", path.display(), commit.id),
                        content: Arc::clone(&contents[blob]),
                        blessed: true,
                        golden: None,
                    });
                }
            }
            let past = Past::new(benchmark, &configuration, &versions)?;
            // The last version stands at HEAD, unless it was removed since.
            let standing = versions.last().filter(|_| stands.is_some());
            if standing.is_some_and(|version| past.refused.iter().any(|one| one.what == version.commit)) {
                self.unread.push(format!("the golden run of HEAD, {}, cannot be read", path.display()));
            }
            let name = (benchmark.name(), configuration.as_str(), SourceKind::Golden);
            let found = (past.measurements.clone(), past.refused.clone());
            let gates = last_run(benchmark.name(), line);
            // A golden run is looked at where a commit changed it.
            let head = |_: &Assembly| Head::new("HEAD", line, |id| changes.contains_key(id), gates);
            self.tell(name, repository, (line, head), found, |timeline| {
                past.explain(benchmark, &configuration, timeline)
            })?;
        }
        Ok(())
    }

    /// The runs beside kept reports, under today's judgments.
    fn runs(
        &mut self,
        benchmark: &Benchmark,
        repository: &Repository,
        line: &[Commit],
        reports: &StoredReports,
    ) -> Result<(), BoxError> {
        let own = reports.runs.iter().filter(|((name, _), _)| name == benchmark.name());
        for ((_, configuration), runs) in own {
            self.known.insert(configuration.clone());
            if !self.arguments.takes(configuration) {
                continue;
            }
            let (mut versions, mut refused) = (Vec::new(), Vec::new());
            let last = line.last().map(|last| last.id.as_str());
            let mut unread =
                |path: String| self.unread.push(format!("a run of HEAD, {path}, cannot be read"));
            for run in runs {
                match version(run) {
                    Ok(version) => versions.push(version),
                    Err(why) => {
                        if Some(run.commit.as_str()) == last {
                            unread(run.path.display().to_string());
                        }
                        refused.push(Refused { what: run.path.display().to_string(), why });
                    }
                }
            }
            let past = Past::new(benchmark, configuration, &versions)?;
            if past.refused.iter().any(|one| Some(one.what.as_str()) == last) {
                let own = versions.iter().filter(|version| Some(version.commit.as_str()) == last);
                own.for_each(|version| unread(version.name.clone()));
            }
            refused.extend(past.refused.iter().cloned());
            let name = (benchmark.name(), configuration.as_str(), SourceKind::Runs);
            let gates = gates_of(line, benchmark.name(), reports);
            let head = |assembly: &Assembly| assembly.head("HEAD", gates);
            let found = (past.measurements.clone(), refused);
            self.tell(name, repository, (line, head), found, |timeline| {
                past.explain(benchmark, configuration, timeline)
            })?;
        }
        Ok(())
    }

    fn tell(
        &mut self,
        name: (&str, &str, SourceKind),
        repository: &Repository,
        (line, head): (&[Commit], impl FnOnce(&Assembly) -> Option<Head>),
        (mut measurements, mut refused): (Vec<Measurement>, Vec<Refused>),
        explain: impl FnOnce(&mut rankgate_history::Timeline) -> rankgate::Result<()>,
    ) -> Result<(), BoxError> {
        if let Some(gated) = &self.gated {
            measurements.iter_mut().for_each(|one| one.gated.clone_from(gated));
        }
        let acknowledged = self.acknowledged.clone();
        let history = Line { line: line.to_vec(), measurements, acknowledged, base: None };
        let assembly = Assembly::new(name, history);
        refused.extend(assembly.refused("not on the first-parent line of the checkout"));
        if assembly.is_empty() {
            self.refused.extend(refused);
            return Ok(());
        }
        let base = self.arguments.base.as_ref().map(|name| repository.commit(name)).transpose()?;
        let assembly = assembly.with_base(base);
        let head = head(&assembly);
        self.told.push(assembly.tell(&Tests::default(), (head, refused), explain)?);
        Ok(())
    }
}

/// Whether a report that is in no history says that it is of a commit.
fn is_of(file: &Path, commit: &str) -> bool {
    let text = std::fs::read(file).unwrap_or_default();
    StoredReport::read(&text).is_ok_and(|report| report.commit == commit)
}

/// Verdicts of the report of the newest commit.
fn gates_of(line: &[Commit], benchmark: &str, reports: &StoredReports) -> Option<Verdicts> {
    line.last().and_then(|last| reports.verdicts(benchmark, &last.id))
}

/// Verdicts of the report that the last run here wrote, if it is one of the newest commit.
fn last_run(benchmark: &str, line: &[Commit]) -> Option<Verdicts> {
    let report = std::fs::read(env::output().join(benchmark).join("report.json")).ok()?;
    let placed = StoredReport::read(&report).ok()?;
    let is_its = placed.benchmark == benchmark && line.last().is_some_and(|last| last.id == placed.commit);
    if is_its { StoredReport::verdicts(&report).ok() } else { None }
}

/// Whether the metric of requested alarms is scored: without scores there would never be an alarm.
fn scored(wanted: &[String], told: &[ConfigurationTimeline], terminal: &Terminal) -> Result<(), BoxError> {
    for metric in wanted {
        let (with, without): (Vec<&ConfigurationTimeline>, Vec<&ConfigurationTimeline>) =
            told.iter().partition(|one| one.timeline.metrics.contains(metric));
        if with.is_empty() && !told.is_empty() {
            let known: BTreeSet<&str> =
                told.iter().flat_map(|one| &one.timeline.metrics).map(String::as_str).collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(format!(
                "--metric {metric}: it is not scored, and could never alarm; scored are {known}: those that the spec \
                 lists, or the newest report has"
            )
            .into());
        }
        for ConfigurationTimeline { benchmark, configuration, .. } in without {
            terminal.warn(&format!(
                "{configuration} of {benchmark}: {metric} is not scored there, and cannot alarm"
            ));
        }
    }
    Ok(())
}

fn version(run: &StoredRun) -> Result<Version, String> {
    let content = std::fs::read(&run.path).map_err(|error| format!("cannot read it: {error}"))?;
    Ok(Version {
        commit: run.commit.clone(),
        name: run.path.display().to_string(),
        content: content.into(),
        blessed: false,
        golden: run.golden.clone(),
    })
}
