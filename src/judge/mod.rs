//! What models and people say of documents: the committed files, what a model is asked and how its answer is read,
//! which queries people are asked about.
//!
//! [`JudgmentsFile`] and [`HumansFile`] are all that a gate reads; what asks (`ask/`) is for the command, and for programs
//! with a [`Judge`] of their own.

mod answer;
mod ask;
mod check;
mod claims;
mod file;
mod humans;
#[expect(clippy::module_inception, reason = "it holds the trait `Judge`")]
mod judge;
mod probe;
mod request;
mod sample;
#[cfg(test)]
mod tests;

pub use self::answer::{Answer, Completion, State, Usage};
#[doc(hidden)]
pub use self::ask::Journal;
#[cfg(feature = "http")]
pub(crate) use self::ask::{Address, Server};
#[cfg(not(feature = "http"))]
pub(crate) use self::ask::{Asked, Said};
pub(crate) use self::ask::{Asking, Own, OwnProgram, Told, drawn_items, together};
pub use self::ask::{Budget, Pair, Prices, Progress, Tally, expected_tokens};
pub(crate) use self::check::Grades;
pub use self::check::{
    Again, Agreeing, Bias, JudgeCheck, Met, Ordered, Probed, Required, Requirement, WithLimits,
};
pub(crate) use self::claims::NO_CLAIMS;
pub use self::claims::{Claim, Form, Support, Task, material};
#[doc(hidden)]
pub use self::file::shown_sha256;
pub use self::file::{Description, Documents, Item, JudgmentsFile, PARSER, PEOPLE, sha256};
pub(crate) use self::file::{Glance, SCALE, glance, text_of};
pub use self::humans::{HumanGrade, HumansFile, shown_to_people};
pub use self::judge::Judge;
pub use self::probe::Probe;
pub(crate) use self::probe::probes;
pub use self::request::{RELEVANCE, Request, batch_result};
pub use self::sample::Sample;
