//! Reading the committed files: of judgments and people's grades, of answers and what judges said of their claims.

mod answerer;
mod answers;
mod description;
mod files;
mod look;
#[cfg(test)]
mod tests;

use crate::rag::Answers;

use super::{Cache, Reading};

pub(super) const READING: Option<Reading> = Some(Reading {
    judgments: Cache::read_judged,
    answers: Cache::read_answers,
    contexts: |path| Answers::read(&path.resolve()?)?.run(),
    answers_to_bless: Cache::write_answers,
    has_other_prompt: Cache::compare_prompts,
    judge: |plan| Ok(plan.description()?.id()),
});
