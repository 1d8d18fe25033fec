//! `rankgate judge`: what a model makes of documents that people did not judge.

mod arguments;
mod ask;
mod check;
mod on_file;
mod plan;
mod progress;
mod responses;
mod tally;

use std::path::PathBuf;

use crate::exit::Exit;
use crate::format::Format;
use crate::specs;
use crate::terminal::Terminal;
use clap::Args;
use rankgate::judge::State;
use rankgate::{BoxError, standalone};
use rankgate_judge::{Assessment, Questions, SkippedConfiguration};

pub(super) use self::arguments::AskArguments;
pub(super) use self::ask::ask;
use self::ask::{NOTHING, all_questions, ask_all, later, unasked};
use self::check::JudgeRequirements;
pub(super) use self::on_file::retry_command;
use self::on_file::{kept_without_grade, pruned, too_many_without_grade};
pub(super) use self::plan::{counted, planned};
pub(super) use self::responses::{open_named, responses};

/// Ask the model of a spec's `judge:` for the judgments that its gates lack
///
/// Asks all configurations for their first documents, and the model for a grade of each that people did not judge (as
/// `grade:` of the spec says) and that is not on file. Answers are kept at once in the file that `judgments:` names, which
/// is to be committed: gates only read it, and no test opens a socket to a model. If you end this command and start it
/// again, it asks nothing twice.
#[derive(Args)]
#[command(after_help = "\
An answer is a grade only where it is exactly what was asked for. What is not is kept as what it is: abstained, \
refused, unparseable, truncated or empty. No such answer ever counts as a number; how many of them a gate bears, \
`abstain-at-most` says. It stays on file, and is paid for once: --retry asks again about what came to a state.

Ten questions in a row without a valid answer end the asking, as five in a row without any answer do.

Beside what gates need, the judge gets probes, questions whose right answers are known: four documents for each of ten \
queries that are relevant to nothing, and of each question about answers one for each of four queries (grades: eight). \
No gate needs them; --check says what the judge made of them.

In CI, --ci asks for what the gates of this change lack, in the same budget, and keeps the answers in judged.jsonl beside the report: \
keep that file from run to run, and nothing is paid for twice. Where a variable of `endpoint` or `api-key` is not set, as in \
the CI of a fork, nothing is asked. Gates that lack an answer are then skipped by name; they do not pass.

Exit status: 0 when every question has an answer (and all that is required of --check is so), 1 when something \
required is not so, 2 when questions are left without an answer, more of them than `abstain-at-most` have no grade, or something \
cannot be read, 3 when --ci could not ask, and gates are skipped.

Examples:
  rankgate judge benchmarks/helpdesk.yaml --dry-run
  rankgate judge benchmarks/helpdesk.yaml
  rankgate judge benchmarks/helpdesk.yaml --retry unparseable
  rankgate judge benchmarks/helpdesk.yaml --ci
  rankgate judge benchmarks/helpdesk.yaml --requests batch.jsonl
  rankgate judge benchmarks/helpdesk.yaml --responses batch_output.jsonl
  rankgate judge benchmarks/helpdesk.yaml --check --again 50 --require-probes --page judge.html
  rankgate judge benchmarks/helpdesk.yaml --check --against relevance-15c6e544")]
pub(crate) struct Judge {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// Print the questions and their possible cost, and ask nothing; with --prune: what would be removed
    #[arg(long, conflicts_with_all = ["again", "check", "requests", "responses"])]
    dry_run: bool,

    /// Ask again about pairs on file without a grade, in one of these states
    #[arg(long, value_name = "STATE", num_args = 1.., value_delimiter = ',', value_parser = state, conflicts_with_all = ["prune", "again", "check"])]
    retry: Vec<State>,

    /// Remove judgments that cannot count any more: of another prompt, model or parameter, of queries and documents that are gone or have
    /// another text, of answers that no configuration gives any more. Other grades of documents stay, whoever returns these. Pairs
    /// without a grade stay: gates count them
    #[arg(long, conflicts_with_all = ["again", "check", "requests", "responses"])]
    prune: bool,

    /// Ask again about N documents on file, and compare; the file stays as it is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    again: Option<u32>,

    /// Report how good the judge is: agreement with people, bias, probes, circularity; the model gets no question
    #[arg(long, conflicts_with_all = ["requests", "responses"])]
    check: bool,

    /// With --check: another judge of the file of judgments, by what its items call it or by its fingerprint. Report how far both
    /// agree, and what a swap would do to each gate
    #[arg(long, value_name = "JUDGE", requires = "check")]
    against: Option<String>,

    #[command(flatten)]
    required: JudgeRequirements,

    #[command(flatten)]
    ask: AskArguments,

    /// For a run of CI: ask for what gates lack and nothing else, and keep the answers beside the report. Gates read them
    /// beside the committed file, which stays as it is. Without the judge's key gates are skipped
    #[arg(long, conflicts_with_all = ["retry", "prune", "again", "check", "requests", "responses"])]
    ci: bool,

    /// With --ci: the folder of the reports [default: target/rankgate]
    #[arg(long, value_name = "DIR", requires = "ci")]
    output: Option<PathBuf>,

    /// Also write what --check says as one page
    #[arg(long, alias = "html", value_name = "FILE", requires = "check")]
    page: Option<PathBuf>,

    /// How --check is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl Judge {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = match &self.output {
            Some(folder) => specs::open_to_ask_below(&self.spec, folder, terminal),
            None => specs::open_to_ask(&self.spec, terminal),
        }?;
        let how = self.ask.options();
        let assessment = match self.ci {
            true => Assessment::new(&benchmark).in_ci(),
            false => Assessment::new(&benchmark),
        };
        let all = all_questions(assessment, &self.retry)?;
        let mut without: Vec<SkippedConfiguration> = Vec::new();
        for one in all.iter().flat_map(|questions| &questions.left_out) {
            if !without.contains(one) {
                without.push(one.clone());
            }
        }
        let skipped = left_out(&without, terminal);
        all.iter().take(1).for_each(|questions| may_move(questions, terminal));
        if self.ci && !self.dry_run {
            let is_complete = all.iter().all(|questions| questions.missing.is_empty());
            if let Some(reason) = assessment.why_unasked()?.filter(|_| !is_complete) {
                let number: usize = all.iter().map(|questions| questions.missing.len()).sum();
                assessment.leave_unasked(&all, &reason)?;
                let gates = assessment.skipped_gates()?;
                return unasked(&reason, number, &gates, skipped, terminal);
            }
            assessment.forget_unasked()?;
        }
        let exit = if self.check || self.again.is_some() {
            self.check(&benchmark, &all, how, terminal)?
        } else if self.prune {
            let pruning = match self.dry_run {
                true => assessment.unusable_judgments(&all),
                false => assessment.prune_judgments(&all),
            }?;
            let kept: String = all.iter().filter_map(|one| kept_without_grade(one, &self.spec)).collect();
            terminal.result(&(pruned(&pruning, self.dry_run) + &kept))?;
            // It needs nothing of configurations that could not run, or says so.
            return Ok(Exit::Passed);
        } else if let Some(path) = &self.ask.requests {
            let requests: String =
                all.iter().map(|questions| Assessment::new(&benchmark).judge_requests(questions)).collect();
            standalone::write_file(path, &requests)?;
            let said =
                format!("{} in {}", counted(requests.lines().count(), "request", "requests"), path.display());
            terminal.result(&format!(
                "{said}: its results are read with --responses\n{}",
                later(&benchmark, &all)
            ))?;
            Exit::Passed
        } else if !self.ask.responses.is_empty() {
            responses(&benchmark, &all, &self.ask.responses, terminal)?
        } else if self.dry_run {
            let planned: String = all.iter().map(|questions| planned(&benchmark, questions)).collect();
            let planned = if all.is_empty() { NOTHING.to_owned() } else { planned };
            terminal.result(&(planned + later(&benchmark, &all)))?;
            Exit::Passed
        } else {
            ask_all(assessment, &benchmark, all, how, &self.retry, terminal)?
        };
        let asks = !self.dry_run
            && !self.check
            && !self.prune
            && self.again.is_none()
            && self.ask.requests.is_none();
        if asks
            && too_many_without_grade(assessment, &benchmark, &self.spec, terminal)?
            && exit == Exit::Passed
        {
            return Ok(Exit::Undecided);
        }
        Ok(match exit {
            Exit::Passed if skipped => Exit::Undecided,
            exit => exit,
        })
    }
}

fn may_move(questions: &Questions, terminal: &Terminal) {
    if questions.judge.may_move() {
        terminal.warn(&format!(
            "`{}` may be another model tomorrow: a name with a date, or a file of one's own, stays what it is",
            questions.judge.model
        ));
    }
}

/// A state that --retry may name.
pub(super) fn state(text: &str) -> Result<State, String> {
    match text.parse() {
        Ok(State::Graded) => Err("what has a grade is not asked again; `--again` compares".to_owned()),
        parsed => parsed.map_err(|error: rankgate::Error| error.to_string()),
    }
}

/// Reports configurations without documents, and whether judgments may be missing for that reason.
pub(super) fn left_out(all: &[SkippedConfiguration], terminal: &Terminal) -> bool {
    for one in all {
        terminal.warn(&format!("{} is left out: {}", one.configuration, one.reason));
    }
    all.iter().any(|one| !one.ignored)
}
