//! Asking the judge, one kind of question after the other.

use std::collections::BTreeSet;

use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::judge::{Form, Pair, State};
use rankgate::metric::Metric;
use rankgate_judge::{AskOptions, Assessment, Questions, Tally};

use super::plan::{counted, grouped, judgments, planned};
use super::progress::Watched;
use super::tally::{formless, spent, states, unanswered};
use crate::exit::Exit;
use crate::terminal::Terminal;

/// What is said where there is no question.
pub(super) const NOTHING: &str = "nothing to ask: gates need no verdict of the judge\n";

/// The judge's questions, with those to ask again.
pub(super) fn all_questions(assessment: Assessment<'_>, retry: &[State]) -> Result<Vec<Questions>, BoxError> {
    let mut all = assessment.all_questions()?;
    if !retry.is_empty() {
        for questions in &mut all {
            assessment.ask_again_about(questions, retry)?;
        }
    }
    Ok(all)
}

/// Questions that depend on earlier answers.
pub(super) fn later(benchmark: &Benchmark, all: &[Questions]) -> &'static str {
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
pub(super) fn ask_all(
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
pub(super) fn unasked(
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

pub(in crate::command) fn ask(
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
