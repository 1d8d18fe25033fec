//! Asking models and people: what a spec's judge lacks, asking it, samples for people, and the check of a judge.
//!
//! Gates read committed files (`rankgate::judge`) and ask no model. Everything here writes such files.
//!
//! | room | holds |
//! |---|---|
//! | [`Assessment`] | a benchmark that is judged: missing judgments, requests for them, people's grades |
//! | `ask` | asking pair by pair within a budget, each answer kept at once |
//! | [`Judge`] | a judge of one's own in Rust |
//! | [`JudgeCheck`] | how far judge and people agree, probes, bias |
//! | `holes` | documents among the first of any configuration that somebody is to judge |

mod agreement;
mod ask;
mod assessment;
mod check;
mod error_sources;
#[doc(hidden)]
pub mod holes;
mod judge;
mod jury;
mod probe;
mod regression;
mod swap;
#[cfg(test)]
mod tests;
mod text;

pub use agreement::{Agreeing, Bias, WithLimits};
#[doc(hidden)]
pub use ask::Journal;
pub use ask::{Budget, Prices, Progress, Tally, expected_tokens};
pub use assessment::{
    AddedNuggets, AskOptions, Assessment, AwaitedGate, Disagreement, Look, Merging, NuggetQuestions, People,
    Pruning, Questions, Responses, Unusable,
};
#[doc(hidden)]
pub use assessment::{item_of, questions_about};
pub use check::{
    Again, ErrorsAlike, GateCorrection, JudgeCheck, JudgeMeasure, Met, Ordered, Probed, Requirement,
};
pub use error_sources::{ErrorEffect, ErrorRegression, ErrorSource};
pub use holes::{Holes, SkippedConfiguration};
pub use judge::Judge;
pub use jury::{JuryCheck, JuryMember, MemberAgreement};
pub use probe::Probe;
pub use swap::{Anchors, JudgeSwap, SwappedGate};
pub use text::{agreement_text, judge_check_html, judge_check_json, judge_check_text};

use rankgate::{Error, ErrorKind, Result, collection, spec, stats};
use rankgate_core::internal::{error, json, output, panic, words};
use rankgate_report::gate;
use rankgate_report::internal::evaluation;
