//! `rankgate judge`: what a model makes of documents that people did not judge.

mod arguments;
mod plan;
mod progress;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::exit::Exit;
use crate::format::Format;
use crate::specs;
use crate::terminal::Terminal;
use clap::Args;
use rankgate::benchmark::Benchmark;
use rankgate::gate::Reply;
use rankgate::judge::{Form, Pair, State, Task};
use rankgate::metric::Metric;
use rankgate::{BoxError, standalone};
use rankgate_judge::{
    AskOptions, Assessment, JudgeMeasure, Met, Pruning, Questions, Requirement, Responses,
    SkippedConfiguration, Tally, judge_check_html, judge_check_json, judge_check_text,
};

pub(super) use self::arguments::AskArguments;
pub(super) use self::plan::{counted, planned};
use self::plan::{grouped, judgments};
use self::progress::Watched;

/// What is said where there is no question.
const NOTHING: &str = "nothing to ask: gates need no verdict of the judge\n";

/// What --check has to find.
#[derive(Args)]
struct JudgeRequirements {
    /// With --check: the least share of grades that are equal to people's
    #[arg(long, value_name = "N", requires = "check")]
    min_exact: Option<f64>,

    /// With --check: the least Cohen's kappa with people
    #[arg(long, value_name = "N", requires = "check")]
    min_kappa: Option<f64>,

    /// With --check: the same with quadratic weights
    #[arg(long, value_name = "N", requires = "check")]
    min_quadratic_kappa: Option<f64>,

    /// With --check: the least AC2 of Gwet with people
    #[arg(long, value_name = "N", requires = "check")]
    min_ac2: Option<f64>,

    /// With --check: the least tau of Kendall of the configurations' order
    #[arg(long, value_name = "N", requires = "check")]
    min_tau: Option<f64>,

    /// With --check: the least share of grades that are equal in a second answer
    #[arg(long, value_name = "N", requires = "check")]
    min_again: Option<f64>,

    /// With --check: every probe has to have the right answer
    #[arg(long, requires = "check")]
    require_probes: bool,

    /// With --check: no configuration may rank with the judge's model
    #[arg(long, requires = "check")]
    require_independence: bool,
}

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

    fn check(
        &self,
        benchmark: &Benchmark,
        all: &[Questions],
        how: AskOptions,
        terminal: &Terminal,
    ) -> Result<Exit, BoxError> {
        let (mut checks, mut exit) = (Vec::new(), Exit::Passed);
        let named = self.against.as_ref().map(|name| Assessment::new(benchmark).judge_on_file(name, all));
        let other = named.transpose()?;
        for (at, questions) in all.iter().enumerate() {
            let mut check = Assessment::new(benchmark).check_judge(questions)?;
            if let Some((_, other)) = other.as_ref().filter(|(of, _)| *of == at) {
                let swap = Assessment::new(benchmark).swap_judge(questions, other)?;
                if swap.anchors.without != [0, 0] {
                    exit = Exit::Undecided;
                }
                check.swap = Some(swap);
            }
            // Two lists of claims differ in their words, whatever they say.
            if let Some(count) = self.again.filter(|_| questions.task != Some(Task::Claims)) {
                let watched = Watched::new(terminal);
                let (again, tally) =
                    Assessment::new(benchmark)
                        .ask_again(questions, count as usize, how, &|progress| watched.see(progress))?;
                watched.end();
                if !unanswered(&tally, terminal) {
                    exit = Exit::Undecided;
                }
                check.again = Some(again);
            }
            checks.push(check);
        }
        match self.format {
            Format::Json => terminal.json(&judge_check_json(&checks))?,
            Format::Text => terminal.result(&judge_check_text(&checks))?,
        }
        if let Some(file) = &self.page {
            standalone::write_file(file, &judge_check_html(&checks))?;
            terminal.note(&format!("the page: {}", file.display()));
        }
        for required in self.required.all()? {
            match required.met_by_all(&checks) {
                Met::Yes => {}
                Met::No(why) => {
                    terminal.warn(&format!("requirement not met: {why}"));
                    exit = if exit == Exit::Passed { Exit::Failed } else { exit };
                }
                Met::Unknown(why) => {
                    terminal.warn(&format!("requirement not known to be met: {why}"));
                    exit = Exit::Undecided;
                }
                _ => exit = Exit::Undecided,
            }
        }
        Ok(exit)
    }
}

impl JudgeRequirements {
    fn all(&self) -> Result<Vec<Requirement>, BoxError> {
        let least = [
            (JudgeMeasure::Exact, self.min_exact),
            (JudgeMeasure::Kappa, self.min_kappa),
            (JudgeMeasure::QuadraticKappa, self.min_quadratic_kappa),
            (JudgeMeasure::Ac2, self.min_ac2),
            (JudgeMeasure::Tau, self.min_tau),
            (JudgeMeasure::Again, self.min_again),
        ];
        let least = least.into_iter().filter_map(|(measure, least)| Some((measure, least?)));
        let mut all: Vec<Requirement> = least
            .map(|(measure, least)| Requirement::at_least(measure, least))
            .collect::<rankgate::Result<_>>()?;
        all.extend(self.require_probes.then(Requirement::probes));
        all.extend(self.require_independence.then(Requirement::independence));
        Ok(all)
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

/// Questions that depend on earlier answers.
fn later(benchmark: &Benchmark, all: &[Questions]) -> &'static str {
    let is_open = |form: Form| all.iter().any(|one| one.judge.form == form && !one.missing.is_empty());
    let mut metrics = benchmark.spec().thresholds.iter().flat_map(|threshold| &threshold.metrics);
    match is_open(Form::Claims) {
        true => "questions about each claim follow once the claims are known\n",
        false if is_open(Form::Support) && metrics.any(Metric::is_diagnostic) => {
            "questions about single contexts may follow once these are answered\n"
        }
        false => "",
    }
}

/// Asks one kind of question after the other: what follows needs what came before.
fn ask_all(
    mut assessment: Assessment<'_>,
    benchmark: &Benchmark,
    mut all: Vec<Questions>,
    how: AskOptions,
    retry: &[State],
    terminal: &Terminal,
) -> Result<Exit, BoxError> {
    if all.is_empty() {
        terminal.result(NOTHING)?;
        return Ok(Exit::Passed);
    }
    if all.iter().all(|questions| questions.missing.is_empty()) {
        terminal.result(&all.iter().map(|questions| planned(benchmark, questions)).collect::<String>())?;
        return Ok(Exit::Passed);
    }
    let (mut asked, mut worst) = (BTreeSet::new(), Exit::Passed);
    // Answers of one kind may lead to further questions of the same kind; no question is asked twice.
    while let Some(questions) = all.iter_mut().find_map(|one| {
        let judge = one.judge.id();
        let key = |pair: &Pair| [&judge, &pair.query.id, &pair.document.id].map(String::clone);
        one.missing.retain(|pair| asked.insert(key(pair)));
        (!one.missing.is_empty()).then_some(one)
    }) {
        let (exit, tally) = ask(assessment, questions, how, terminal)?;
        if exit != Exit::Passed {
            worst = Exit::Undecided;
        }
        // All kinds of questions have one budget.
        assessment = assessment.after(&tally);
        all = all_questions(assessment, retry)?;
    }
    Ok(worst)
}

/// Reports questions that this machine cannot ask, and the gates that are skipped for that.
fn unasked(
    reason: &str,
    number: usize,
    gates: &[String],
    left_out: bool,
    terminal: &Terminal,
) -> Result<Exit, BoxError> {
    terminal.warn(&format!("{reason}: {} not asked here", counted(number, "question is", "questions are")));
    let lines: String = gates.iter().map(|name| format!("SKIPPED  {name}\n")).collect();
    let said = counted(gates.len(), "gate was skipped", "gates were skipped");
    terminal.result(&format!("{lines}{said}: not judged here\n"))?;
    Ok(match gates {
        _ if left_out => Exit::Undecided,
        [] => Exit::Passed,
        _ => Exit::Skipped,
    })
}

/// A state that --retry may name.
pub(super) fn state(text: &str) -> Result<State, String> {
    match text.parse() {
        Ok(State::Graded) => Err("what has a grade is not asked again; `--again` compares".to_owned()),
        parsed => parsed.map_err(|error: rankgate::Error| error.to_string()),
    }
}

/// The judge's questions, with those to ask again.
fn all_questions(assessment: Assessment<'_>, retry: &[State]) -> Result<Vec<Questions>, BoxError> {
    let mut all = assessment.all_questions()?;
    if !retry.is_empty() {
        for questions in &mut all {
            assessment.ask_again_about(questions, retry)?;
        }
    }
    Ok(all)
}

/// What was removed, or would be, and why.
fn pruned(pruning: &Pruning, dry_run: bool) -> String {
    let (count, file) = (pruning.count(), pruning.path.display());
    let mut said = match (dry_run, count) {
        (false, _) => format!("{} removed from {file}\n", judgments(count)),
        (true, _) => format!("{} would be removed from {file}\n", judgments(count)),
    };
    for ((judge, why), number) in &pruning.unusable {
        said += &format!("  {} by {judge}: {why}\n", grouped(*number as u64));
    }
    if count > 0 {
        said += "another spec that uses this file would ask for its own of these again\n";
    }
    said
}

/// Pairs on file without a grade, and how to ask about them again.
fn kept_without_grade(questions: &Questions, spec: &Path) -> Option<String> {
    let without: usize = questions.without_grade.values().sum();
    let again = retry_command("judge", questions, spec);
    let again = again.map_or(String::new(), |command| format!("; `{command}` asks again"));
    (without > 0).then(|| {
        format!(
            "{} by {} on file without a grade{}: gates count them{again}\n",
            grouped(without as u64),
            questions.judge.id(),
            states(&questions.without_grade)
        )
    })
}

/// The command that asks again about replies that did not have the demanded form.
pub(super) fn retry_command(command: &str, questions: &Questions, spec: &Path) -> Option<String> {
    let states = questions.without_grade.keys().filter(|state| **state != State::Abstained);
    let states: Vec<&str> = states.map(|state| state.as_str()).collect();
    (!states.is_empty())
        .then(|| format!("rankgate {command} {} --retry {}", spec.display(), states.join(" ")))
}

/// Says where more questions have no grade than gates bear.
fn too_many_without_grade(
    assessment: Assessment<'_>,
    benchmark: &Benchmark,
    spec: &Path,
    terminal: &Terminal,
) -> Result<bool, BoxError> {
    let most = benchmark.judge()?.abstain_at_most;
    let mut any = false;
    for questions in assessment.all_questions()? {
        let without: usize = questions.without_grade.values().sum();
        let of = questions.pairs.len() - questions.probes;
        if without as f64 <= most * of as f64 {
            continue;
        }
        any = true;
        let again = retry_command("judge", &questions, spec);
        let again = again.map_or(String::new(), |command| format!("; `{command}` asks again"));
        terminal.warn(&format!(
            "{} of {} by {} have no grade{}, more than {most} of them (`abstain-at-most`): gates on them are \
             errored{again}",
            grouped(without as u64),
            counted(of, "question", "questions"),
            questions.judge.id(),
            states(&questions.without_grade)
        ));
    }
    Ok(any)
}

/// Reports configurations without documents, and whether judgments may be missing for that reason.
pub(super) fn left_out(all: &[SkippedConfiguration], terminal: &Terminal) -> bool {
    for one in all {
        terminal.warn(&format!("{} is left out: {}", one.configuration, one.reason));
    }
    all.iter().any(|one| !one.ignored)
}

pub(super) fn ask(
    assessment: Assessment<'_>,
    questions: &Questions,
    how: AskOptions,
    terminal: &Terminal,
) -> Result<(Exit, Tally), BoxError> {
    let watched = Watched::new(terminal);
    let tally = assessment.ask_judge(questions, how, &|progress| watched.see(progress));
    watched.end();
    let tally = tally?;
    let all: usize = tally.states.values().sum();
    let mut said = format!(
        "{} by {} added to {}{}\n",
        judgments(all),
        questions.judge.id(),
        questions.path.display(),
        states(&tally.states)
    );
    said += &format!(
        "{}{}{}\n",
        counted(usize::try_from(tally.requests).unwrap_or(usize::MAX), "request", "requests"),
        if tally.repeated > 0 {
            format!(" ({} of them repeated another)", grouped(tally.repeated))
        } else {
            String::new()
        },
        spent(&tally)
    );
    terminal.result(&said)?;
    formless(questions, &tally, terminal);
    if tally.uncounted > 0 {
        terminal.warn(&format!(
            "{} without a count of tokens (`usage` is missing or 0): tokens and cost are estimated from bytes, and may be \
             others on the bill",
            counted(tally.uncounted, "answer came", "answers came")
        ));
    }
    let exit = if unanswered(&tally, terminal) { Exit::Passed } else { Exit::Undecided };
    Ok((exit, tally))
}

/// `, 12,288 tokens read, 960 written; 0.02 spent`; nothing where nobody reads a prompt.
fn spent(tally: &Tally) -> String {
    let about = about(tally.uncounted);
    let [read, written] = tally.tokens.map(grouped);
    let cost = tally.cost.map_or_else(String::new, |cost| format!("; {about}{cost:.2} spent"));
    match tally.tokens {
        [0, 0] => cost,
        _ => format!(", {about}{read} tokens read, {about}{written} written{cost}"),
    }
}

/// How numbers of tokens begin of which not all were counted.
fn about(uncounted: usize) -> &'static str {
    if uncounted > 0 { "about " } else { "" }
}

fn states(states: &std::collections::BTreeMap<State, usize>) -> String {
    let all: Vec<String> =
        states.iter().map(|(state, number)| format!("{} {state}", grouped(*number as u64))).collect();
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}

/// What should be known of how the server answers.
fn formless(questions: &Questions, tally: &Tally, terminal: &Terminal) {
    let number = |state| tally.states.get(&state).copied().unwrap_or(0);
    if tally.formless > 0 {
        let answers = counted(tally.formless, "answer was", "answers were");
        terminal.warn(&match questions.judge.reply {
            Reply::JsonSchema => format!(
                "{answers} not of the schema that was sent: the server does not hold the model to it (`reply: json-object` or \
                 `reply: line` ask for less)"
            ),
            Reply::JsonObject | Reply::Line => format!("{answers} not of the form that was asked for"),
        });
    }
    told_states(number, terminal);
    if tally.served.len() > 1 {
        let names: Vec<&str> = tally.served.keys().map(String::as_str).collect();
        terminal.warn(&format!("{} models answered: {}", names.len(), names.join(", ")));
    }
}

fn told_states(number: impl Fn(State) -> usize, terminal: &Terminal) {
    if let some @ 1.. = number(State::Empty) {
        terminal.warn(&format!(
            "{} empty but for the model's reasoning: it needs more `max-tokens`, or a parameter that turns reasoning off",
            counted(some, "answer was", "answers were")
        ));
    }
    if let some @ 1.. = number(State::Truncated) {
        terminal.warn(&format!(
            "{} cut: the answer by `max-tokens`, or the prompt by the context that the server gives the model",
            counted(some, "was", "were")
        ));
    }
    if let some @ 1.. = number(State::Refused) {
        terminal.warn(&format!(
            "{} refused, by the model or by a filter of the server",
            counted(some, "was", "were")
        ));
    }
}

/// Says what has no answer; whether everything has one.
fn unanswered(tally: &Tally, terminal: &Terminal) -> bool {
    if tally.failed > 0 {
        let first = tally.first_failure.as_ref().map_or_else(String::new, |[query, document, why]| {
            format!(", the first of document {document} for query {query}: {why}")
        });
        terminal.warn(&format!(
            "{} without an answer{first}",
            counted(tally.failed, "question is", "questions are")
        ));
    }
    if let Some(why) = &tally.stopped {
        terminal.warn(&format!("stopped: {why}; what was answered is kept, and the same command goes on"));
    }
    tally.is_complete()
}

pub(super) fn responses(
    benchmark: &Benchmark,
    questions: &[Questions],
    paths: &[PathBuf],
    terminal: &Terminal,
) -> Result<Exit, BoxError> {
    let read = |path: &PathBuf| open_named(path);
    let files = paths.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let answers: usize =
        files.iter().map(|(_, text)| text.lines().filter(|line| !line.trim().is_empty()).count()).sum();
    let (mut taken, mut exit) = (0, Exit::Passed);
    for questions in questions {
        let Responses { states: all, unknown, failed, first_failure, .. } =
            Assessment::new(benchmark).take_responses(questions, &files)?;
        taken += answers.saturating_sub(unknown);
        let kept: usize = all.values().sum();
        let said = format!(
            "{} by {} added to {}{}\n",
            judgments(kept),
            questions.judge.id(),
            questions.path.display(),
            states(&all)
        );
        terminal.result(&said)?;
        told_states(|state| all.get(&state).copied().unwrap_or(0), terminal);
        if failed > 0 {
            let why = first_failure.map_or_else(String::new, |why| format!(", the first: {why}"));
            terminal
                .warn(&format!("{} without an answer{why}", counted(failed, "question is", "questions are")));
        }
        let left = questions.missing.len() - kept;
        if left > failed {
            terminal.warn(&format!(
                "{} not in the batch",
                counted(left - failed, "question is", "questions are")
            ));
        }
        if left > 0 {
            exit = Exit::Undecided;
        }
    }
    if let unknown @ 1.. = answers.saturating_sub(taken) {
        terminal.warn(&format!(
            "{} to questions that are not asked any more: documents, prompt, model or a parameter are others, or they are on file",
            counted(unknown, "answer is", "answers are")
        ));
    }
    Ok(exit)
}

/// A file with the name that errors call it by.
pub(super) fn open_named(path: &Path) -> Result<(String, String), BoxError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    Ok((name, text))
}
