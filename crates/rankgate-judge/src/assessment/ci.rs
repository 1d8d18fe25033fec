//! Judging what one change needs, in a run of CI: answers stand beside the report, and nothing committed changes.

use std::fs;
use std::io::ErrorKind as Io;

use crate::ask::Tally;
use crate::output::write_whole;
use crate::{Error, ErrorKind, Result};
use rankgate::benchmark::model::Verdict;
use rankgate::internal::Inspection;
use rankgate::judge::Unasked;

use super::{Assessment, Questions};

impl Assessment<'_> {
    /// The same for a run of CI: questions are those that gates need, without probes. Answers are kept in `judged.jsonl` beside
    /// the report, and the committed file stays as it is. Gates read both.
    #[must_use]
    pub fn in_ci(self) -> Self {
        Self { in_ci: true, ..self }
    }

    /// The same after other questions, which had a part of the budget.
    #[must_use]
    pub fn after(mut self, tally: &Tally) -> Self {
        let add = |number: &mut u64, more: u64| *number = number.saturating_add(more);
        add(&mut self.earlier.requests, tally.requests);
        (0..2).for_each(|at| add(&mut self.earlier.tokens[at], tally.tokens[at]));
        self
    }

    /// Why the judge cannot be asked on this machine: the variables of its address and key that are not set, or empty, as those of
    /// secrets are in the CI of a fork. `None` where it can.
    ///
    /// # Errors
    ///
    /// A spec without a judge; a variable that is not UTF-8.
    pub fn why_unasked(&self) -> Result<Option<String>> {
        let plan = self.judge()?;
        let mut unset: Vec<String> = Vec::new();
        for name in plan.endpoint.iter().chain(&plan.api_key).flat_map(|template| template.variables()) {
            let is_set = match std::env::var(name) {
                Ok(value) => !value.is_empty(),
                Err(std::env::VarError::NotPresent) => false,
                Err(std::env::VarError::NotUnicode(_)) => {
                    let message = format!("the environment variable `{name}` is not UTF-8");
                    return Err(Error::with_kind(ErrorKind::Setup, message));
                }
            };
            let name = format!("`{name}`");
            if !is_set && !unset.contains(&name) {
                unset.push(name);
            }
        }
        Ok(match unset.as_slice() {
            [] => None,
            [one] => Some(format!("{one} is not set")),
            all => Some(format!("{} are not set", all.join(" and "))),
        })
    }

    /// Leaves these questions unasked for this reason: gates of a benchmark that is opened from now on are skipped where they lack
    /// nothing but the answers.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn leave_unasked(&self, all: &[Questions], reason: &str) -> Result<()> {
        let path = self.inspection.unasked_questions().ok_or_else(no_folder)?;
        let mut unasked = Unasked::new(reason);
        for questions in all {
            unasked.insert(&questions.judge, &questions.missing);
        }
        write_whole(&path, unasked.text().as_bytes()).map(drop)
    }

    /// The names of the gates that are skipped for what was left unasked, which are written down: a test runner that cannot skip a
    /// test which runs leaves these out.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or written.
    pub fn skipped_gates(&self) -> Result<Vec<String>> {
        let path = self.inspection.unasked_questions().ok_or_else(no_folder)?;
        let Some(mut unasked) = Unasked::read(&path)? else { return Ok(Vec::new()) };
        // What is unasked has just been written.
        let benchmark = self.inspection.with_judge(self.spec().judge.clone());
        let skipped = Inspection::new(&benchmark).judged_gates().into_iter();
        let skipped = skipped.filter(|gate| gate.verdict == Verdict::Skipped);
        let gates: Vec<String> = skipped.map(|gate| gate.name).collect();
        unasked.gates.extend(gates.iter().cloned());
        write_whole(&path, unasked.text().as_bytes())?;
        Ok(gates)
    }

    /// Forgets what an earlier run left unasked: what has no judgment is errored from now on.
    ///
    /// # Errors
    ///
    /// A file that cannot be removed.
    pub fn forget_unasked(&self) -> Result<()> {
        let path = self.inspection.unasked_questions().ok_or_else(no_folder)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != Io::NotFound => Err(Error::output("cannot remove", &path, error)),
            _ => Ok(()),
        }
    }
}

pub(super) fn no_folder() -> Error {
    Error::with_kind(
        ErrorKind::Setup,
        "judgments of CI stand beside the report, and no folder has reports here",
    )
}
