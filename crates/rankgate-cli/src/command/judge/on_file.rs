//! Judgments on file: those that are removed, and those without a grade.

use std::path::Path;

use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::judge::State;
use rankgate_judge::{Assessment, Pruning, Questions};

use super::plan::{counted, grouped, judgments};
use super::tally::states;
use crate::terminal::Terminal;

/// What was removed, or would be, and why.
pub(super) fn pruned(pruning: &Pruning, dry_run: bool) -> String {
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
pub(super) fn kept_without_grade(questions: &Questions, spec: &Path) -> Option<String> {
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
pub(in crate::command) fn retry_command(command: &str, questions: &Questions, spec: &Path) -> Option<String> {
    let states = questions.without_grade.keys().filter(|state| **state != State::Abstained);
    let states: Vec<&str> = states.map(|state| state.as_str()).collect();
    (!states.is_empty())
        .then(|| format!("rankgate {command} {} --retry {}", spec.display(), states.join(" ")))
}

/// Says where more questions have no grade than gates bear.
pub(super) fn too_many_without_grade(
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
