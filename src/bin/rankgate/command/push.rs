//! `rankgate push`: reports to a server that keeps them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::{Outcome, Report};
use rankgate::history::Commit;
use rankgate::offline::PlacedReport;
use rankgate::report::plain;
use rankgate::service::{Server, Unanswered, in_address};
use rankgate::standalone::{files_below, write_file};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::alarms::standing;
use super::history::RELEASES;
use crate::env;
use crate::exit::Exit;
use crate::git::Repository;
use crate::kept::{Asked, Project, Told, server};
use crate::terminal::Terminal;

/// Commits that go with each report, and those that are sent at a time where the server lacks more.
const FIRST: usize = 50;
const MORE: usize = 2_000;
/// Bytes of a subject and of a tag.
const SUBJECT: usize = 1_000;
const RELEASE: usize = 255;

/// Send reports to a server that keeps them, and say which alarms stand
///
/// The commit, its branch, the base of a pull request and the link to the run of CI are found by themselves. A report
/// that was sent before is not kept twice. Where the server is away, reports wait under target/rankgate/spool and are
/// sent by the next push.
#[derive(Args)]
#[command(after_help = "\
The variable RANKGATE_TOKEN holds the token that the server asks for. Without it a run of CI takes one that its issuer
signs: of GitHub Actions with `id-token: write`, of GitLab by `id_tokens: RANKGATE_ID_TOKEN`.

Exit status: 0; with --fail-on-alarm 1 if an alarm stands; 2 where a report or the base is refused, or, with \
--fail-on-alarm, the server is away.

Examples:
  rankgate push --to http://127.0.0.1:7878
  rankgate push --to https://quality.example.org --project search --fail-on-alarm
  rankgate push artifacts/report.json --to https://quality.example.org --branch main")]
pub(crate) struct Push {
    /// Files report.json, or folders with such files at any depth [default: target/rankgate]
    #[arg(value_name = "REPORT")]
    reports: Vec<PathBuf>,

    /// The address of the server
    #[arg(long, value_name = "URL")]
    to: String,

    #[command(flatten)]
    project: Project,

    /// The branch that the commits are of [default: what CI says, else what is checked out]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Tell alarms from this commit on, which has to be measured [default: where a pull request left its base]
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,

    /// Tags that are releases, as a pattern of git [default: v[0-9]* and [0-9]*]; may be given several times
    #[arg(long, value_name = "PATTERN")]
    releases: Vec<String>,

    /// End with 1 if an alarm stands
    #[arg(long)]
    fail_on_alarm: bool,
}

/// A report on its way, as it waits in a file where the server is away.
#[derive(Serialize, Deserialize)]
struct Parcel {
    to: String,
    project: String,
    branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    commits: Vec<Sent>,
    report: String,
}

/// A commit as the server takes it.
#[derive(Clone, Serialize, Deserialize)]
struct Sent {
    commit: String,
    parent: Option<String>,
    time: i64,
    subject: String,
    releases: Vec<String>,
}

/// What the server answered to a report.
#[derive(Deserialize)]
struct Received {
    report: i64,
    benchmark: String,
    commit: String,
    new: bool,
    /// Configurations of whose rankings the server has no run.
    #[serde(default)]
    runs_wanted: Vec<String>,
}

/// A report and the line of commits that it is on.
struct Ready {
    path: PathBuf,
    text: String,
    commit: String,
    line: Vec<Sent>,
}

/// The folder where reports wait.
struct Spool(PathBuf);

impl Push {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (server, repository) = (server(&self.to)?, self.project.repository()?);
        let project = self.project.name()?;
        let branch = self.branch.clone().or_else(env::branch).or_else(|| repository.branch());
        let branch = branch.ok_or("no branch is checked out, and CI says none: --branch names it")?;
        let base = self.base(&repository)?;
        let spool = Spool(env::output().join("spool"));
        let waiting = spool.waiting(&server, &project)?;
        let ready = self.ready(&repository, terminal)?;
        if ready.is_empty() && waiting.is_empty() {
            return Err("there is no report to push: `rankgate run` or `cargo test` writes them".into());
        }
        let (mut pushed, mut refused, mut away) = (BTreeSet::new(), false, None);
        for (file, parcel) in waiting {
            match parcel.send(&server, None, terminal) {
                Ok(received) => {
                    terminal.note("it had waited since an earlier push");
                    pushed.insert(received.benchmark);
                    spool.remove(&file);
                }
                Err(Unanswered::Away(why)) => {
                    away = Some(why);
                    break;
                }
                Err(Unanswered::Refused(why)) => {
                    terminal
                        .error(&*BoxError::from(format!("{}: {why}; it waits no longer", file.display())));
                    refused = true;
                    spool.remove(&file);
                }
            }
        }
        for one in ready {
            let from = one.line.len().saturating_sub(FIRST);
            let parcel = Parcel {
                to: server.address().to_owned(),
                project: project.clone(),
                branch: branch.clone(),
                source: env::run_of_ci(),
                commits: one.line[from..].to_vec(),
                report: one.text,
            };
            let sent = match &away {
                Some(why) => Err(Unanswered::Away(why.clone())),
                None => parcel.send(&server, Some((&one.line, &one.commit)), terminal),
            };
            match sent {
                Ok(received) => {
                    send_runs((&server, &project), &one.path, &received.runs_wanted, terminal);
                    pushed.insert(received.benchmark);
                }
                Err(Unanswered::Away(why)) => {
                    let file = spool.keep(&parcel)?;
                    terminal.warn(&format!(
                        "{}: {why}; it waits in {} for the next push",
                        one.path.display(),
                        file.display()
                    ));
                    away = Some(why);
                }
                Err(Unanswered::Refused(why)) => {
                    terminal.error(&*BoxError::from(format!("{}: {why}", one.path.display())));
                    refused = true;
                }
            }
        }
        if away.is_some() {
            // Without it there is no telling whether an alarm stands.
            return Ok(if self.fail_on_alarm || refused { Exit::Undecided } else { Exit::Passed });
        }
        let mut stand = 0;
        for benchmark in pushed {
            let asked = Asked {
                benchmark: Some(benchmark),
                branch: Some(branch.clone()),
                base: base.clone(),
                configuration: None,
            };
            let told = Told::read(server.get(&asked.path(&project))?)?;
            stand += told.standing;
            terminal.result(&told.text(false))?;
        }
        terminal.result(&format!(
            "{}: {}/projects/{}\n",
            standing(stand),
            server.address(),
            in_address(&project)
        ))?;
        Ok(match (self.fail_on_alarm && stand > 0, refused) {
            (true, _) => Exit::Failed,
            (false, true) => Exit::Undecided,
            (false, false) => Exit::Passed,
        })
    }

    /// The commit that alarms are told from, where one was named or a pull request has one.
    fn base(&self, repository: &Repository) -> Result<Option<String>, BoxError> {
        match (&self.base, env::base()) {
            (Some(named), _) => repository.commit(named).map(Some),
            (None, Some(branch)) => repository.base(&branch).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn ready(&self, repository: &Repository, terminal: &Terminal) -> Result<Vec<Ready>, BoxError> {
        let is_report = |file: &Path| file.file_name().is_some_and(|name| name == "report.json");
        let mut paths = Vec::new();
        let own = [env::output()];
        let named = if self.reports.is_empty() { &own[..] } else { &self.reports };
        for path in named {
            if path.is_dir() {
                paths.extend(files_below(path, is_report)?);
            } else if !self.reports.is_empty() {
                paths.push(path.clone());
            }
        }
        let releases = match self.releases.is_empty() {
            true => RELEASES.map(str::to_owned).to_vec(),
            false => self.releases.clone(),
        };
        let mut lines: Vec<Vec<Sent>> = Vec::new();
        let mut ready = Vec::new();
        for path in paths {
            let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
            let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
            let report = PlacedReport::read(text.as_bytes()).map_err(|error| failed(&error))?;
            for caution in cautions(&text) {
                terminal.warn(&format!("{}: {caution}", path.display()));
            }
            let holds = |line: &Vec<Sent>| line.iter().any(|one| one.commit == report.commit);
            let mut line = lines.iter().find(|line| holds(line));
            // What is checked out, unless CI measured something that it is not made of.
            for tip in ["HEAD", &report.commit] {
                if line.is_none() {
                    let found = line_to(repository, tip, &releases).map_err(|_| {
                        failed(&format!("its commit {} is not in this repository", report.commit))
                    })?;
                    lines.push(found);
                    line = lines.last().filter(|line| holds(line));
                }
            }
            let line = line.cloned().unwrap_or_default();
            ready.push(Ready { text, commit: report.commit, line, path });
        }
        if repository.is_shallow() && !ready.is_empty() {
            terminal.warn(
                "the clone is shallow: commits that were never pushed are missing on the server's line",
            );
        }
        Ok(ready)
    }
}

/// What a report says should be known of its configurations before their numbers are believed.
fn cautions(report: &str) -> Vec<String> {
    // That it can be read has been seen; of a later form nothing is said.
    let Ok(report) = serde_json::from_str::<Report>(report) else { return Vec::new() };
    let mut cautions = Vec::new();
    for one in &report.configurations {
        if let Outcome::Measured(measured) = &one.outcome {
            cautions.extend(measured.cautions.iter().map(|caution| format!("{}: {caution}", one.name)));
        }
    }
    cautions
}

/// Sends the runs beside a report: with them the server can score old rankings under later judgments. That one did not
/// arrive is no error of the report, and the next report of its ranking asks for it again.
fn send_runs((server, project): (&Server, &str), report: &Path, wanted: &[String], terminal: &Terminal) {
    let runs = format!("/v1/projects/{}/runs", in_address(project));
    for name in wanted {
        let file = report.with_file_name(format!("{name}.run"));
        // A name is none of another folder, whoever says it.
        if file.parent() != report.parent() {
            continue;
        }
        let Ok(run) = fs::read(&file) else { continue };
        if let Err(why) = server.post(&runs, &run) {
            terminal.warn(&format!("{}: {why}", file.display()));
        }
    }
}

/// The first-parent line up to a commit, oldest first.
fn line_to(repository: &Repository, tip: &str, releases: &[String]) -> Result<Vec<Sent>, BoxError> {
    let line = repository.line_to(tip, releases)?;
    let mut before = match line.first() {
        Some(oldest) => repository.parent(&oldest.id)?,
        None => None,
    };
    let sent = |one: Commit| {
        let parent = before.replace(one.id.clone());
        let end = (0..=one.subject.len().min(SUBJECT)).rev().find(|end| one.subject.is_char_boundary(*end));
        let subject = one.subject[..end.unwrap_or(0)].replace('\0', " ");
        let releases = one.releases.into_iter().filter(|name| name.len() <= RELEASE).collect();
        Sent { commit: one.id, parent, time: one.time, subject, releases }
    };
    Ok(line.into_iter().map(sent).collect())
}

impl Parcel {
    /// Sends it, with as many commits of its whole line as the server lacks.
    fn send(
        &self,
        server: &Server,
        line: Option<(&[Sent], &str)>,
        terminal: &Terminal,
    ) -> Result<Received, Unanswered> {
        let project = in_address(&self.project);
        let commits = format!("/v1/projects/{project}/commits");
        let (whole, commit) = line.unwrap_or((&self.commits, ""));
        let (mut end, mut size) = (whole.len(), FIRST);
        while end > 0 {
            let from = end.saturating_sub(size);
            let body = json!({"branch": self.branch, "commits": whole[from..end]});
            let learned = server.post(&commits, body.to_string().as_bytes())?;
            let new = learned["new"].as_u64().and_then(|new| usize::try_from(new).ok()).unwrap_or(0);
            let has_own = commit.is_empty() || whole[from..].iter().any(|one| one.commit == commit);
            // What stands before a commit that is known was sent with it.
            if has_own && new < end - from {
                break;
            }
            (end, size) = (from, MORE);
        }
        let source = self.source.as_ref().map_or(String::new(), |url| format!("?source={}", in_address(url)));
        let reports = format!("/v1/projects/{project}/reports");
        let received = server.post(&format!("{reports}{source}"), self.report.as_bytes())?;
        let received: Received = serde_json::from_value(received).map_err(|error| {
            Unanswered::Refused(format!("{} answered what is not known here: {error}", server.address()))
        })?;
        let id: String = received.commit.chars().take(8).collect();
        let how = if received.new { "pushed" } else { "was there already" };
        let (benchmark, number) = (plain(&received.benchmark), received.report);
        let page = format!("{}/projects/{project}/reports/{number}", server.address());
        drop(terminal.result(&format!("{benchmark} at {id}: {how}, {page}\n")));
        Ok(received)
    }
}

impl Spool {
    /// What waits for a server and project, in the order of its names.
    fn waiting(&self, server: &Server, project: &str) -> Result<Vec<(PathBuf, Parcel)>, BoxError> {
        if !self.0.is_dir() {
            return Ok(Vec::new());
        }
        let is_parcel = |file: &Path| file.extension().is_some_and(|ending| ending == "json");
        let mut found = Vec::new();
        for file in files_below(&self.0, is_parcel)? {
            let text = fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let parcel: Parcel = serde_json::from_slice(&text)
                .map_err(|error| format!("{} is no report that waits: {error}", file.display()))?;
            if parcel.to == server.address() && parcel.project == project {
                found.push((file, parcel));
            }
        }
        Ok(found)
    }

    /// Keeps a report until it can be sent: under the same name if it is the same.
    fn keep(&self, parcel: &Parcel) -> Result<PathBuf, BoxError> {
        let text = serde_json::to_string(parcel)?;
        let file = self.0.join(format!("{}.json", &rankgate::judge::sha256(text.as_bytes())[..16]));
        fs::create_dir_all(&self.0).map_err(|error| format!("cannot make {}: {error}", self.0.display()))?;
        write_file(&file, &text)?;
        Ok(file)
    }

    fn remove(&self, file: &Path) {
        // One that stays is sent again, which changes nothing.
        drop(fs::remove_file(file));
    }
}
