//! Judgments of models and people: the committed files, the prompts of a model and the parsing of its replies,
//! the drawn queries that people judge.
//!
//! [`JudgmentsFile`] and [`HumansFile`] are all that a gate reads. Who asks is the crate `rankgate-judge`.

mod answer;
mod batch;
mod claim;
mod claims;
mod completion;
mod criterion;
mod description;
mod file;
mod glance;
mod humans;
mod item;
mod label;
mod lines;
mod nugget_creation;
mod nuggets;
mod pair;
mod request;
mod sample;
mod strata;
#[cfg(test)]
mod tests;
mod unasked;

pub use self::answer::Answer;
pub use self::batch::batch_result;
pub use self::claim::Claim;
#[doc(hidden)]
pub use self::claim::{merged, verdicts};
#[doc(hidden)]
pub use self::claims::matches_request;
pub(crate) use self::claims::{ANSWER, is_about_answers};
pub use self::claims::{Task, material};
pub use self::completion::{Completion, Usage};
pub(crate) use self::criterion::{criterion_id, shown_by_criterion};
#[doc(hidden)]
pub use self::criterion::{
    criterion_name, criterion_places, criterion_prompt, grade_id, graded_answer, highest_grade,
};
pub use self::file::JudgmentsFile;
pub(crate) use self::file::text_of;
pub(crate) use self::glance::{Glance, glance, glance_beside};
pub use self::humans::{HumanGrade, HumansFile, shown_to_people};
pub use self::item::{Description, Documents, Item, Jury, PARSER, PEOPLE, sha256};
#[doc(hidden)]
pub use self::item::{SCALE, shown_sha256};
pub use self::nuggets::{Nugget, NuggetProposal, NuggetsFile};
pub use self::pair::Pair;
pub use self::request::{RELEVANCE, Request};
pub use self::sample::Sample;
pub use self::strata::Strata;
pub use self::unasked::Unasked;
#[doc(inline)]
pub use crate::gate::{Form, State, Support};
