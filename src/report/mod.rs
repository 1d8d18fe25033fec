//! The report's renderings: text made from [the model](crate::benchmark::model), and nothing computed.
//!
//! | function | for |
//! |---|---|
//! | [`message`] | the failure of one test: what broke, how sure that is, what to do next |
//! | [`summary_line`] | the end of `cargo test`, where passing tests print nothing |
//! | [`text`] | the terminal |
//! | [`markdown`] | a pull request, the summary of a GitHub workflow |
//! | [`json`] | programs |
//! | [`snapshot`] | `golden/`: measurements that are reviewed as a difference |
//! | [`runs`] | what [`offline`](crate::offline) finds: text, CSV, LaTeX, `trec_eval`'s lines |
//!
//! [`SCHEMAS`] describe what is written as JSON.
//!
//! All render the same model, so they cannot disagree. Text from data is shown with control
//! characters escaped, and shortened where it could push everything else aside; only [`json`] holds it
//! as it is.

mod clean;
mod json;
mod lookup;
mod markdown;
mod message;
mod number;
mod phrases;
pub mod runs;
mod schemas;
mod snapshot;
mod summary;
mod table;
mod text;

pub use json::json;
pub use markdown::markdown;
pub use message::message;
pub(crate) use message::message_like;
pub use schemas::SCHEMAS;
pub use snapshot::snapshot;
pub(crate) use snapshot::snapshot_of;
pub use summary::summary_line;
pub use text::text;

#[cfg(test)]
mod comparison_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod sample_comparison;
#[cfg(test)]
mod tests;
