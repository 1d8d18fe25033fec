//! Reading answers, and the verdicts of judges and people on their claims.

mod answerer;
mod blessed;
mod claims;
mod consistency;
mod look;
mod noise;
mod nuggets;
mod pieces;
mod questions;
mod refusals;
mod sources;
#[cfg(test)]
mod tests;
mod truth;
mod utilization;

pub(crate) use self::questions::JudgedPiece;
use super::{Cache, Reading};

pub(super) const READING: Option<Reading> = Some(Reading {
    answers: Cache::read_answers,
    answers_to_bless: Cache::write_answers,
    has_other_prompt: Cache::compare_prompts,
    refusals: Cache::count_refusals,
});
