//! Answers of a batch, read from files.

use std::path::{Path, PathBuf};

use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate_judge::{Assessment, Questions, Responses};

use super::plan::{counted, judgments};
use super::tally::{states, told_states};
use crate::exit::Exit;
use crate::terminal::Terminal;

pub(in crate::command) fn responses(
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
pub(in crate::command) fn open_named(path: &Path) -> Result<(String, String), BoxError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    Ok((name, text))
}
