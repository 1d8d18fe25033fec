//! What models and people say of documents: the committed files, what a model is asked and how its answer is read,
//! which queries people are asked about.
//!
//! Nothing here opens a socket: [`JudgmentsFile`] and [`HumansFile`] are all that a gate reads.

mod answer;
mod file;
mod humans;
mod request;
mod sample;

pub use self::answer::{Answer, Completion, State, Usage};
pub use self::file::{Description, Documents, Item, JudgmentsFile, PARSER, sha256};
pub use self::humans::{HumanGrade, HumansFile, shown_to_people};
pub use self::request::{RELEVANCE, Request, batch_result};
pub use self::sample::Sample;
