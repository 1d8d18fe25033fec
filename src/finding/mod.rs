//! What evaluations show, as findings of the model: pure functions, for a spec that is carried out and for runs
//! that exist already.

#[cfg(feature = "judge")]
mod corrected;
#[cfg(not(feature = "judge"))]
#[path = "without_corrected.rs"]
mod corrected;
mod curves;
pub(crate) mod deterministic;
mod evidence;
mod golden;
mod judged;
pub(crate) mod likeness;
mod lists;
mod measured;
mod movers;
mod pair;
mod pairs;
mod question;
mod rankings;
mod strangers;
mod suite;
mod threshold;
mod unjudged;
mod variant;

pub(crate) use corrected::Corrected;
#[cfg(feature = "judge")]
pub(crate) use corrected::{FEWEST_DRAWN, Judges, READINGS};
pub(crate) use deterministic::{only_ties_moved, parting};
#[cfg(feature = "rag")]
pub(crate) use evidence::missing_of;
pub(crate) use evidence::{Answered, Basis, Strangers, Worst, judged_of, shared_with};
pub(crate) use golden::Golden;
pub(crate) use judged::{judged_some, nothing_judged};
pub(crate) use likeness::decide_expectation;
pub(crate) use lists::{cut_lists, infinite_scores, rising_scores};
pub(crate) use measured::{Scope, collection_report};
pub(crate) use movers::against;
pub(crate) use pair::{Alike, Pair, Side, ranking};
pub(crate) use pairs::Everyone;
#[cfg(feature = "offline")]
pub(crate) use question::shown_interval;
pub(crate) use question::{Answer, JUDGED_APART, Question, answer, chosen_best, verdict as verdict_of};
pub(crate) use rankings::shown;
pub(crate) use strangers::{mostly, strangers};
pub(crate) use suite::{
    Part, PartOfMean, Rules, SuiteQuestion, and, answer_suite, in_collection, macro_mean, suite_threshold,
};
pub(crate) use threshold::{held_down, lowest, threshold};
pub(crate) use variant::variant_changes;
