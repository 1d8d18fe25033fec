//! `rankgate push`: reports to a server that keeps them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::model::{Outcome, Report};
use rankgate::report::plain;
use rankgate::service::{Server, Unanswered, in_address};
use rankgate::standalone::{files_below, write_file};
use rankgate_history::report::AlarmList;
use rankgate_history::{Commit, ReportContent, StoredReport};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::alarms::standing;
use super::history::RELEASES;
use crate::env;
use crate::exit::Exit;
use crate::git::Repository;
use crate::server::{AlarmQuery, Project, explained, server};
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
RANKGATE_PROJECT names the project in place of --project.

Exit status: 0; with --fail-on-alarm 1 if an alarm stands; 2 where a report or the base is refused or the server has a \
fault, or, with --fail-on-alarm, nobody answers. What is printed says that no alarm stands only where the server has \
taken the report and told so.

Examples:
  rankgate push --to http://127.0.0.1:7878 --project search
  rankgate push --to https://quality.example.org --project search --fail-on-alarm
  rankgate push artifacts/report.json --to https://quality.example.org --project search --branch main")]
pub(crate) struct Push {
    /// Files report.json, or folders with such files at any depth [default: target/rankgate]
    #[arg(value_name = "REPORT")]
    reports: Vec<PathBuf>,

    /// The address of the server
    #[arg(long, value_name = "URL")]
    to: String,

    #[command(flatten)]
    project: Project,

    /// The branch of the commits [default: the one that CI names, else the one checked out]
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

    /// The branch was set back or rewritten: what the server has of it beside this line is its own no more [default: as
    /// GitHub says of a push]
    #[arg(long)]
    reset: bool,
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
    /// The first commit of the line, where all of it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reset: bool,
    report: String,
}

/// A commit as the server takes it.
#[derive(Clone, Serialize, Deserialize)]
struct Sent {
    commit: String,
    parent: Option<String>,
    time: i64,
    subject: String,
    #[serde(default)]
    author: String,
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

/// What became of the reports so far.
struct Sending<'a> {
    server: &'a Server,
    project: &'a str,
    terminal: &'a Terminal,
    spool: Spool,
    /// Why no more is sent: the server does not answer, is busy, or refuses everything from here.
    over: Option<Over>,
    /// Reports that were refused, or that the server could not keep.
    refused: usize,
    /// By benchmark the newest commit of the reports that were accepted.
    accepted: BTreeMap<String, String>,
}

/// Why no more is sent.
#[derive(Clone)]
enum Over {
    /// The server does not answer.
    Away(String),
    /// It is busy (429, 502, 503, 504).
    Busy(String),
    /// It does not take anything of this project from here (401, 403, 404).
    Shut,
}

impl Push {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let project = self.project.name()?;
        let (server, repository) = (server(&self.to)?, self.project.repository()?);
        let branch = self.branch.clone().or_else(env::branch).or_else(|| repository.branch());
        let branch = branch.ok_or("no branch is checked out, and CI says none: --branch names it")?;
        let base = self.base(&repository)?;
        let spool = Spool(env::output().join("spool"));
        let waiting = spool.waiting(&server, &project, terminal)?;
        let ready = self.ready(&repository, terminal)?;
        if ready.is_empty() && waiting.is_empty() {
            return Err("there is no report to push: `rankgate run` or `cargo test` writes them".into());
        }
        let mut sending = Sending {
            server: &server,
            project: &project,
            terminal,
            spool,
            over: None,
            refused: 0,
            accepted: BTreeMap::new(),
        };
        for (file, parcel) in waiting {
            sending.send_again(&file, &parcel);
        }
        for one in ready {
            let from = one.line.len().saturating_sub(FIRST);
            let parcel = Parcel {
                to: server.address().to_owned(),
                project: project.clone(),
                branch: branch.clone(),
                source: env::run_of_ci(),
                commits: one.line[from..].to_vec(),
                root: one.line.first().filter(|one| one.parent.is_none()).map(|one| one.commit.clone()),
                reset: self.reset || env::was_reset(),
                report: one.text,
            };
            sending.send(&parcel, (&one.path, &one.line, &one.commit))?;
        }
        let Sending { over, refused, accepted, .. } = sending;
        let failed = refused > 0 || matches!(over, Some(Over::Busy(_) | Over::Shut));
        if accepted.is_empty() || matches!(over, Some(Over::Away(_))) {
            // Of what was not accepted nobody has said anything.
            terminal.warn("whether an alarm stands is not known: the server has not taken all of this");
            return Ok(if self.fail_on_alarm || failed { Exit::Undecided } else { Exit::Passed });
        }
        let (mut stand, mut unknown, mut up_to_date) = (0, false, true);
        for (benchmark, commit) in accepted {
            let asked = AlarmQuery {
                benchmark: Some(benchmark.clone()),
                branch: Some(branch.clone()),
                base: base.clone(),
                commit: Some(commit.clone()),
                configuration: None,
            };
            let answer =
                server.get(&asked.path(&project)).map_err(|why| explained(&why, &server, &project))?;
            let told = AlarmList::read(answer)?;
            stand += told.standing;
            up_to_date &= told.is_up_to_date();
            terminal.result(&(told.looked_at() + &told.text(false)))?;
            if told.covers_commit != Some(true) {
                unknown = true;
                terminal.warn(&format!(
                    "{benchmark}: {} is not on the line of commits that the server knows of {branch}, so that no alarm is \
                     told of it; --branch says of which branch it is",
                    short(&commit)
                ));
            }
        }
        let page = format!("{}/projects/{}", server.address(), in_address(&project));
        let state = standing(stand, up_to_date);
        match (stand, unknown, failed) {
            (0, true, _) => terminal.warn(&format!("whether an alarm stands is not known: {page}")),
            (0, false, true) => {
                terminal.result(&format!("{state}, as far as reports were accepted: {page}\n"))?
            }
            _ => terminal.result(&format!("{state}: {page}\n"))?,
        }
        Ok(if self.fail_on_alarm && stand > 0 {
            Exit::Failed
        } else if failed || (self.fail_on_alarm && unknown) {
            Exit::Undecided
        } else {
            Exit::Passed
        })
    }

    /// The commit whose alarms are requested, where one was named or a pull request has one.
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
            let report = StoredReport::read(text.as_bytes()).map_err(|error| failed(&error))?;
            let content: ReportContent = serde_json::from_str(&text).map_err(|error| failed(&error))?;
            content.check(Some(&report.history)).map_err(|error| failed(&error))?;
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

impl Sending<'_> {
    /// Sends a report that waited since an earlier push.
    fn send_again(&mut self, file: &Path, parcel: &Parcel) {
        if self.over.is_some() {
            return;
        }
        match parcel.send(self.server, None, self.terminal) {
            Ok(received) => {
                self.terminal.note("it had waited since an earlier push");
                self.accept(&received, &parcel.commits);
                self.spool.remove(file);
            }
            Err(why) => {
                self.over = Over::from_failure(&why);
                let stays = match &why {
                    // This one alone: it would be refused again.
                    Unanswered::Refused { .. } if self.over.is_none() => self.spool.set_aside(file),
                    _ => "it goes on waiting".to_owned(),
                };
                if !matches!(why, Unanswered::Away(_)) {
                    let why = explained(&why, self.server, self.project);
                    self.terminal.error(&*BoxError::from(format!("{}: {why}; {stays}", file.display())));
                    self.refused += 1;
                }
            }
        }
    }

    /// Sends a report, with the commits that the server lacks.
    fn send(
        &mut self,
        parcel: &Parcel,
        (path, line, commit): (&Path, &[Sent], &str),
    ) -> Result<(), BoxError> {
        let sent = match &self.over {
            Some(Over::Shut) => {
                self.refused += 1;
                self.terminal.warn(&format!("{}: not sent, as the one before was refused", path.display()));
                return Ok(());
            }
            Some(Over::Away(why)) => Err(Unanswered::Away(why.clone())),
            // What it said once of all.
            Some(Over::Busy(why)) => Err(Unanswered::Failed { status: 503, why: why.clone() }),
            None => parcel.send(self.server, Some((line, commit)), self.terminal),
        };
        let why = match sent {
            Ok(received) => {
                send_runs((self.server, self.project), path, &received.runs_wanted, self.terminal);
                self.accept(&received, line);
                return Ok(());
            }
            Err(why) => why,
        };
        self.over = self.over.take().or_else(|| Over::from_failure(&why));
        if let Unanswered::Refused { .. } = why {
            let why = explained(&why, self.server, self.project);
            self.terminal.error(&*BoxError::from(format!("{}: {why}", path.display())));
            self.refused += 1;
            return Ok(());
        }
        let file = self.spool.keep(parcel)?;
        let waits = format!("it waits in {} for the next push", file.display());
        if let Unanswered::Away(why) = why {
            self.terminal.warn(&format!("{}: {why}; {waits}", path.display()));
        } else {
            let why = explained(&why, self.server, self.project);
            self.terminal.error(&*BoxError::from(format!("{}: {why}; {waits}", path.display())));
            self.refused += 1;
        }
        Ok(())
    }

    fn accept(&mut self, received: &Received, line: &[Sent]) {
        let newest = self.accepted.entry(received.benchmark.clone()).or_default();
        // What is on the line behind another is older, whatever clocks say.
        let place = |commit: &String| line.iter().position(|one| one.commit == *commit);
        if place(&received.commit) >= place(newest) {
            newest.clone_from(&received.commit);
        }
    }
}

impl Over {
    /// Whether everything else would fail in the same way.
    fn from_failure(why: &Unanswered) -> Option<Self> {
        match why {
            Unanswered::Away(why) => Some(Self::Away(why.clone())),
            Unanswered::Failed { status: 429 | 502..=504, why } => Some(Self::Busy(why.clone())),
            Unanswered::Refused { status: Some(401 | 403 | 404), .. } => Some(Self::Shut),
            Unanswered::Failed { .. } | Unanswered::Refused { .. } => None,
        }
    }
}

/// Sends the runs beside a report: with them the server can score old rankings under later judgments. That one did not
/// arrive is no error of the report, and the next report of its ranking asks for it again.
fn send_runs((server, project): (&Server, &str), report: &Path, wanted: &[String], terminal: &Terminal) {
    let runs = format!("/v1/projects/{}/runs", in_address(project));
    for name in wanted {
        let file = report.with_file_name(format!("{}.run", name.replace('@', "+")));
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

/// The beginning of a commit's id, which may be one that a server made up.
fn short(commit: &str) -> String {
    shown(&commit.chars().take(8).collect::<String>())
}

/// What a server says, on one line.
fn shown(text: &str) -> String {
    plain(text).replace('\n', "\\n")
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
        let cut = |text: &str, most: usize| {
            let end = (0..=text.len().min(most)).rev().find(|end| text.is_char_boundary(*end));
            text[..end.unwrap_or(0)].replace('\0', " ")
        };
        let (subject, author) = (cut(&one.subject, SUBJECT), cut(&one.author, RELEASE));
        let releases = one.releases.into_iter().filter(|name| name.len() <= RELEASE).collect();
        // A server takes no other; times are shown, and never an order.
        let time = one.time.clamp(*Commit::TIMES.start(), *Commit::TIMES.end());
        Sent { commit: one.id, parent, time, subject, author, releases }
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
        // The report first: where it is refused, nothing of the project was made or changed.
        let beside = [("source", &self.source), ("root", &self.root)];
        let beside =
            beside.iter().filter_map(|(key, value)| Some(format!("{key}={}", in_address(value.as_ref()?))));
        let beside: Vec<String> = beside.collect();
        let beside = if beside.is_empty() { String::new() } else { format!("?{}", beside.join("&")) };
        let reports = format!("/v1/projects/{project}/reports");
        let received = server.post(&format!("{reports}{beside}"), self.report.as_bytes())?;
        let received: Received = serde_json::from_value(received).map_err(|error| {
            Unanswered::unusable(format!("{} sent an unknown answer: {error}", server.address()))
        })?;
        let commits = format!("/v1/projects/{project}/commits");
        let (whole, commit) = line.unwrap_or((&self.commits, ""));
        let (mut end, mut size) = (whole.len(), FIRST);
        while end > 0 {
            let from = end.saturating_sub(size);
            // The last part alone ends in the newest commit.
            let reset = self.reset && end == whole.len();
            let body = json!({
                "branch": self.branch, "commits": whole[from..end], "root": self.root, "reset": reset,
            });
            let learned = server.post(&commits, body.to_string().as_bytes())?;
            let new = learned["new"].as_u64().and_then(|new| usize::try_from(new).ok()).unwrap_or(0);
            let has_own = commit.is_empty() || whole[from..].iter().any(|one| one.commit == commit);
            // What stands before a commit that is known was sent with it.
            if has_own && new < end - from {
                break;
            }
            (end, size) = (from, MORE);
        }
        let id = short(&received.commit);
        let how = if received.new { "pushed" } else { "was there already" };
        let (benchmark, number) = (shown(&received.benchmark), received.report);
        let page = format!("{}/projects/{project}/reports/{number}", server.address());
        drop(terminal.result(&format!("{benchmark} at {id}: {how}, {page}\n")));
        Ok(received)
    }
}

impl Spool {
    /// What waits for a server and project, in the order of its names. A file that cannot be read holds up no other.
    fn waiting(
        &self,
        server: &Server,
        project: &str,
        terminal: &Terminal,
    ) -> Result<Vec<(PathBuf, Parcel)>, BoxError> {
        if !self.0.is_dir() {
            return Ok(Vec::new());
        }
        let is_parcel = |file: &Path| file.extension().is_some_and(|ending| ending == "json");
        let mut found = Vec::new();
        for file in files_below(&self.0, is_parcel)? {
            let text = match fs::read(&file) {
                Ok(text) => text,
                Err(error) => {
                    terminal.warn(&format!("cannot read {}: {error}; it goes on waiting", file.display()));
                    continue;
                }
            };
            let parcel: Parcel = match serde_json::from_slice(&text) {
                Ok(parcel) => parcel,
                Err(error) => {
                    let stays = self.set_aside(&file);
                    terminal.warn(&format!("{} is no report that waits: {error}; {stays}", file.display()));
                    continue;
                }
            };
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

    /// Keeps a report that is refused under a name that is not sent again, and says so.
    fn set_aside(&self, file: &Path) -> String {
        let aside = file.with_extension("refused");
        match fs::rename(file, &aside) {
            Ok(()) => format!("it is kept as {} and not sent again", aside.display()),
            Err(_) => "it goes on waiting".to_owned(),
        }
    }

    fn remove(&self, file: &Path) {
        // One that stays is sent again, which changes nothing.
        drop(fs::remove_file(file));
    }
}
