//! `rankgate push`: reports to a server that keeps them.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::standalone::files_below;
use rankgate_history::{Commit, read_report};

use super::history::RELEASES;
use crate::env;
use crate::exit::Exit;
use crate::git::Repository;
use crate::service::{Server, Unanswered};
use crate::terminal::Terminal;
use rankgate_core::internal::shown::in_address;

/// Send reports to a server, and print its open alarms
///
/// Push finds the commit, the branch and the date of each report by itself. A report that was sent before is replaced.
#[derive(Args)]
#[command(after_help = "\
Set RANKGATE_TOKEN to a write token of the server. Create one: rankgate-serve --data DIR token create --write NAME

Exit status: 0; 1 with --fail-on-alarm if an alarm is open; 2 if a report was not accepted.

Examples:
  rankgate push --to http://127.0.0.1:8080 --project search
  rankgate push artifacts/report.json --to https://quality.example.org --project search --fail-on-alarm")]
pub(crate) struct Push {
    /// Files report.json, or folders of them [default: target/rankgate]
    #[arg(value_name = "REPORT")]
    reports: Vec<PathBuf>,

    /// The address of the server
    #[arg(long, value_name = "URL")]
    to: String,

    /// The project on the server [default: RANKGATE_PROJECT]
    #[arg(long, value_name = "NAME")]
    project: Option<String>,

    /// The branch of the commits [default: the branch of the CI run, or the one checked out]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Exit with 1 if an alarm is open
    #[arg(long)]
    fail_on_alarm: bool,
}

impl Push {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let project = self.project.clone().or_else(env::project).ok_or(
            "Name the project of the server: pass --project NAME, or set the variable RANKGATE_PROJECT.",
        )?;
        let token = env::token();
        let server = Server::new(&self.to, token.as_deref().map(|token| (env::TOKEN, token)))?;
        let repository = Repository::containing(Path::new(".")).ok();
        let line = repository.as_ref().and_then(|one| one.line(&RELEASES.map(str::to_owned)).ok());
        let line = line.unwrap_or_default();
        let here = || repository.as_ref().and_then(Repository::branch);
        let branch = self.branch.clone().or_else(env::branch).or_else(here);
        let branch = branch.ok_or("Name the branch of these reports: pass --branch NAME.")?;
        let files = self.files()?;
        let mut of = format!("project={}&branch={}", in_address(&project), in_address(&branch));
        let mut benchmarks: Vec<String> = Vec::new();
        for file in files {
            let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
            let text = std::fs::read(&file).map_err(|error| failed(&error))?;
            let report = read_report(&text).map_err(|error| failed(&error))?;
            let commit = line.iter().find(|commit| commit.id == report.commit);
            let path = format!("/v1/reports?{of}{}", commit.map(described).unwrap_or_default());
            server.post(&path, &text).map_err(|why| failed(&explained(&why)))?;
            terminal.note(&format!("sent {} ({})", file.display(), report.benchmark));
            if !benchmarks.contains(&report.benchmark) {
                benchmarks.push(report.benchmark);
            }
        }
        let mut open = 0;
        for benchmark in benchmarks {
            of = format!("benchmark={}&branch={}", in_address(&benchmark), in_address(&branch));
            let path = format!("/v1/projects/{}/alarms?{of}", in_address(&project));
            let answer = server.get(&path).map_err(|why| explained(&why))?;
            let alarms = answer["alarms"].as_array().cloned().unwrap_or_default();
            open += alarms.len();
            let mut text = String::new();
            for alarm in &alarms {
                let part = |key: &str| rankgate::report::plain(alarm[key].as_str().unwrap_or_default());
                writeln!(text, "ALARM: {benchmark}: {} (id {})", part("text"), part("id"))?;
            }
            terminal.result(&text)?;
        }
        if open == 0 {
            terminal.note("no open alarm");
        }
        Ok(if self.fail_on_alarm && open > 0 { Exit::Failed } else { Exit::Passed })
    }

    fn files(&self) -> Result<Vec<PathBuf>, BoxError> {
        let own = [env::output()];
        let named = if self.reports.is_empty() { &own[..] } else { &self.reports };
        let is_report = |file: &Path| file.file_name().is_some_and(|name| name == "report.json");
        let mut files = Vec::new();
        for path in named {
            if path.is_dir() {
                files.extend(files_below(path, is_report)?);
            } else if !self.reports.is_empty() {
                files.push(path.clone());
            }
        }
        if files.is_empty() {
            let shown: Vec<String> = named.iter().map(|path| path.display().to_string()).collect();
            return Err(
                format!("There is no report.json in {}. Run the gates first.", shown.join(", ")).into()
            );
        }
        Ok(files)
    }
}

/// What a report does not contain of its commit, as a query of an address.
fn described(commit: &Commit) -> String {
    let mut query = format!(
        "&time={}&subject={}&author={}",
        commit.time,
        in_address(&commit.subject.chars().take(200).collect::<String>()),
        in_address(&commit.author.chars().take(100).collect::<String>())
    );
    if let Some(release) = commit.releases.first() {
        query += &format!("&release={}", in_address(release));
    }
    query
}

/// Why a server refused something, and what to do.
fn explained(why: &Unanswered) -> BoxError {
    let status = match why {
        Unanswered::Away(_) => None,
        Unanswered::Failed { status, .. } => Some(*status),
        Unanswered::Refused { status, .. } => *status,
    };
    let advice = match status {
        Some(401) => {
            "Set RANKGATE_TOKEN to a token of the server. Create one: rankgate-serve --data DIR token create --write NAME"
        }
        Some(403) => {
            "The token in RANKGATE_TOKEN can only read. Create one: rankgate-serve --data DIR token create --write NAME"
        }
        Some(404) => "Is this the address of a rankgate-serve?",
        _ => return why.to_string().into(),
    };
    format!("{why}\n{advice}").into()
}
