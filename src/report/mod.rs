//! The report's renderings: text made from [the model](crate::benchmark::model), and nothing computed.
//!
//! | function | for |
//! |---|---|
//! | [`message`] | the failure of one test: what broke, how sure that is, what to do next |
//! | [`summary_line`] | the end of `cargo test`, where passing tests print nothing |
//! | [`text`] | the terminal |
//! | [`markdown`] | a pull request, the summary of a GitHub workflow |
//! | [`html`] | a browser: everything above, and every query with its rankings |
//! | [`plots`] | documents that show a picture |
//! | [`json`], [`json_line`] | programs |
//! | [`junit`] | the list of tests of a CI system |
//! | [`annotations`] | lines of a file on GitHub |
//! | [`golden_files`], [`refusal`] | what blessing did, and why it did not |
//! | `health_text`, `health_json` | what to know of a collection, examined |
//! | `history_text`, `history_html`, `history_json` | what happened over commits |
//! | `pool_lines` | documents that are to be judged |
//! | [`snapshot`] | `golden/`: measurements that are reviewed as a difference |
//! | `runs` | what `offline` finds: text, CSV, LaTeX, `trec_eval`'s lines |
//!
//! `SCHEMAS` describe what is written as JSON.
//!
//! What a gate says is made in `message`, a file for each kind of finding. It is a tree, as everything is that
//! people read: `page` says what each piece of text is, and a painter in `painter` how that looks as lines of a
//! terminal, as Markdown or as HTML. A further rendering is a painter of that tree and a line in [`RENDERINGS`].
//!
//! All render the same model, so they cannot disagree. Text from data is shown with control
//! characters escaped, and shortened where it could push everything else aside; only [`json`] holds it
//! as it is.

mod annotation;
mod broken;
mod clean;
mod golden_files;
#[cfg(feature = "health")]
mod health;
#[cfg(feature = "history")]
mod history;
mod html;
mod json;
#[cfg(feature = "judge")]
mod judge_check;
mod junit;
#[cfg(any(feature = "health", feature = "judge", feature = "history"))]
mod label;
mod lookup;
mod markdown;
mod markup;
mod message;
mod number;
mod page;
mod painter;
mod pairs;
mod palette;
mod phrases;
mod plot;
#[cfg(feature = "health")]
mod pool;
#[cfg(feature = "offline")]
pub mod runs;
#[cfg(feature = "schemas")]
mod schemas;
mod side;
mod snapshot;
mod suite;
mod summary;
mod text;
mod typography;
mod variants;
mod width;

pub use annotation::{annotation, annotations, defuse};
pub use broken::BrokenSpec;
pub use clean::plain;
pub use golden_files::{golden_files, refusal};
#[cfg(feature = "health")]
pub use health::{findings_text, health_json, health_text};
#[cfg(feature = "history")]
#[doc(hidden)] // for the server alone
pub use history::site;
#[cfg(feature = "history")]
pub use history::{history_html, history_json, history_text};
pub use html::html;
pub use json::{json, json_line};
#[cfg(feature = "judge")]
pub use judge_check::{agreement_text, judge_check_html, judge_check_json, judge_check_text};
pub use junit::junit;
#[cfg(any(feature = "health", feature = "judge", feature = "history"))]
pub use label::{LabelPair, label_lines, label_order, label_page};
pub use markdown::{markdown, markdown_within};
pub use message::message;
pub(crate) use message::{EARLIER, message_after, message_like};
pub use painter::Style;
pub use plot::plots;
#[cfg(feature = "health")]
pub use pool::pool_lines;
#[cfg(feature = "schemas")]
pub use schemas::SCHEMAS;
pub use snapshot::snapshot;
pub(crate) use snapshot::snapshot_of;
pub(crate) use summary::summary;
pub use summary::{summary_line, summary_line_styled};
pub use text::{text, text_styled};

/// Gates by their verdicts in words, `12 passed, 1 failed`; empty without a gate.
#[must_use]
pub fn verdict_counts(verdicts: &crate::benchmark::model::Verdicts) -> String {
    phrases::counts(verdicts).to_string()
}

pub use crate::benchmark::Rendering;

/// The renderings that are written as files, each with its ending: `report.json` and so on.
pub const RENDERINGS: &[Rendering] = &[("json", json), ("md", markdown), ("html", html)];

#[cfg(test)]
mod comparison_tests;
#[cfg(test)]
mod latency_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod sample_comparison;
#[cfg(test)]
mod sample_queries;
#[cfg(test)]
mod tests;
