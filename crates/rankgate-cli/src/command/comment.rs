//! `rankgate comment`: the one comment on a pull request.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use rankgate::BoxError;

use super::report::current_reports;
use crate::comment::{CommentLinks, comment};
use crate::env::{self, PullRequest};
use crate::exit::Exit;
use crate::service::{Forge, Posted, Unanswered};
use crate::terminal::Terminal;

/// Characters of --id, which stands in a comment of HTML.
const ID: usize = 40;

/// Write the verdicts into one comment on the pull request
///
/// The comment has the verdicts of all reports, the gates that did not pass, the queries that lost most, and the rest
/// folded away. The next run changes the same comment, and leaves it as it is where it says the same already.
/// Nothing is asked or computed: `rankgate run`, `cargo test` or pytest wrote the reports.
#[derive(Args)]
#[command(group(ArgGroup::new("forge").args(["github", "gitlab"])))]
#[command(after_help = "\
The token comes from the environment alone: GITHUB_TOKEN or GH_TOKEN, whose job needs `permissions: pull-requests: \
write`; for GitLab GITLAB_TOKEN, a project token with the scope `api`. Everything else is taken from the variables of \
the run: the repository, the number of the pull request, the page of the run.

Without a token, as in a run of a fork, and in a run that belongs to no pull request, nothing is commented: the same text \
goes to the step's summary of GitHub, else to standard output, with a note.

Exit status: 0, whatever the verdicts are, since `rankgate run` and `rankgate report` are the gates; 2 where a report \
cannot be read or is older than its spec, or the forge refuses the comment.

Examples:
  rankgate comment
  rankgate comment --gitlab artifacts --trend https://quality.example.org/projects/search
  rankgate comment --github --dry-run")]
pub(crate) struct Comment {
    /// Specs, report.json files, and folders with reports in them [default: target/rankgate]
    #[arg(value_name = "SPEC|DIR")]
    of: Vec<PathBuf>,

    /// Comment on a pull request of GitHub [default: in GitHub Actions]
    #[arg(long)]
    github: bool,

    /// Comment on a merge request of GitLab [default: in GitLab CI]
    #[arg(long)]
    gitlab: bool,

    /// The number of the pull request [default: the one that this run of CI builds]
    #[arg(long, value_name = "N")]
    number: Option<u64>,

    /// Which comment, where jobs have one each: letters, digits, `-`, `_` and `.`
    #[arg(long, value_name = "NAME", default_value = "report", value_parser = id)]
    id: String,

    /// The address of the whole report [default: the page of this run of CI]
    #[arg(long, value_name = "URL", value_parser = address)]
    report: Option<String>,

    /// The address of the trend, as of the project on a rankgate-serve
    #[arg(long, value_name = "URL", value_parser = address)]
    trend: Option<String>,

    /// Print the comment, and send nothing
    #[arg(long)]
    dry_run: bool,
}

/// The marker of a comment, by which the next run finds it.
fn marker(id: &str) -> String {
    format!("<!-- rankgate comment: {id} -->")
}

fn id(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    // Two hyphens end a comment of HTML in some readers.
    match !text.is_empty() && text.len() <= ID && text.chars().all(is_plain) && !text.contains("--") {
        true => Ok(text.to_owned()),
        false => Err(format!("at most {ID} letters, digits, `-`, `_` and `.`, with no `--`")),
    }
}

fn address(text: &str) -> Result<String, String> {
    match text.starts_with("https://") || text.starts_with("http://") {
        true => Ok(text.to_owned()),
        false => Err("expected an address that begins with https:// or http://".to_owned()),
    }
}

impl Comment {
    /// What the forge calls it.
    fn kind(&self) -> &'static str {
        if self.gitlab { "merge request" } else { "pull request" }
    }

    pub(crate) fn run(mut self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if !self.github && !self.gitlab {
            self.github = env::is_github();
            self.gitlab = env::is_gitlab() && !self.github;
        }
        if !self.github && !self.gitlab {
            return Err(
                "this is neither GitHub Actions nor GitLab CI. Name the forge: --github or --gitlab".into()
            );
        }
        let reports = current_reports(&self.of)?;
        let links =
            CommentLinks { report: self.report.clone().or_else(env::run_of_ci), trend: self.trend.clone() };
        let (request, longest) = match self.gitlab {
            true => (env::gitlab_merge_request(), Forge::GITLAB_CHARACTERS),
            false => (env::github_pull_request(), Forge::GITHUB_CHARACTERS),
        };
        let marker = marker(&self.id);
        // A character is a byte at least.
        let text = comment(&reports, &links, longest - marker.len() - 1);
        if self.dry_run {
            // Code blocks in it hold lines of data, which the log of a runner may take for commands.
            terminal.result(&text)?;
            return Ok(Exit::Passed);
        }
        let kind = self.kind();
        let Some(number) = self.number.or(request.number) else {
            return without_comment(
                &text,
                &format!("this run belongs to no {kind}; --number names one"),
                terminal,
            );
        };
        let Some((variable, token)) = &request.token else {
            let (names, remedy) = match self.gitlab {
                true => ("GITLAB_TOKEN", "a CI variable of the project holds one"),
                false => {
                    ("GITHUB_TOKEN", "write `env: {GITHUB_TOKEN: ${{ github.token }}}` beside this step")
                }
            };
            let why = match request.is_from_fork {
                true => format!("runs of forks get no token ({names})"),
                false => format!("there is no token in the variable {names}: {remedy}"),
            };
            return without_comment(&text, &why, terminal);
        };
        let forge = self.forge(&request, number, (variable, token))?;
        match forge.comment(&marker, &format!("{marker}\n{text}")) {
            Ok(posted) => {
                let done = match posted {
                    Posted::Created => "commented on",
                    Posted::Updated => "updated the comment on",
                    _ => "the comment says the same already on",
                };
                terminal.note(&format!("{done} {kind} {number}"));
                Ok(Exit::Passed)
            }
            Err(Unanswered::Refused { status: Some(401 | 403 | 404), .. }) if request.is_from_fork => {
                let why = format!("the token of a fork's run ({variable}) may not comment");
                without_comment(&text, &why, terminal)
            }
            Err(why) => Err(self.explained(&why, variable)),
        }
    }

    fn forge(&self, request: &PullRequest, number: u64, token: (&str, &str)) -> Result<Forge, BoxError> {
        let missing =
            |what: &str| BoxError::from(format!("the variable {what} is not set: this is no run of CI"));
        let (api, repository) = (request.api.as_deref(), request.repository.as_deref());
        Ok(match self.gitlab {
            true => Forge::gitlab(
                api.ok_or_else(|| missing("CI_API_V4_URL"))?,
                repository.ok_or_else(|| missing("CI_MERGE_REQUEST_PROJECT_ID"))?,
                number,
                token,
            )?,
            false => Forge::github(
                api.unwrap_or("https://api.github.com"),
                repository.ok_or_else(|| missing("GITHUB_REPOSITORY"))?,
                number,
                token,
            )?,
        })
    }

    /// Why a forge did not take a comment, and what helps.
    fn explained(&self, error: &Unanswered, variable: &str) -> BoxError {
        let status = match error {
            Unanswered::Away(_) => None,
            Unanswered::Failed { status, .. } => Some(*status),
            Unanswered::Refused { status, .. } => *status,
        };
        let advice = match status {
            Some(401) => {
                format!("the token in {variable} is not taken: it may be mistyped, expired or revoked")
            }
            Some(403) if self.gitlab => {
                format!("the token in {variable} needs the scope `api` and the role Reporter")
            }
            Some(403) => format!(
                "the token in {variable} may not comment: the job needs `permissions: pull-requests: write`; or the \
                 forge's limit of requests is used up"
            ),
            Some(404) => format!(
                "the token in {variable} does not see this {}, or there is none of this number",
                self.kind()
            ),
            Some(422) => "the conversation may be locked".to_owned(),
            Some(429) => "the forge's limit of requests is used up: run it again later".to_owned(),
            _ => return error.to_string().into(),
        };
        format!("{error}; {advice}").into()
    }
}

/// Shows what would have been commented, and says why it was not.
fn without_comment(text: &str, why: &str, terminal: &Terminal) -> Result<Exit, BoxError> {
    match env::step_summary() {
        Some(file) => {
            append(&file, text)?;
            terminal.note(&format!("nothing was commented: {why}; the text is in the step's summary"));
        }
        None => {
            terminal.result(text)?;
            terminal.note(&format!("nothing was commented: {why}"));
        }
    }
    Ok(Exit::Passed)
}

fn append(file: &Path, text: &str) -> Result<(), BoxError> {
    let failed = |error| format!("cannot write {}: {error}", file.display());
    let mut output = std::fs::File::options().create(true).append(true).open(file).map_err(failed)?;
    Ok(output.write_all(format!("\n{text}").as_bytes()).map_err(failed)?)
}
