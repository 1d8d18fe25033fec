//! The report's renderings: text made from [the model](crate::benchmark::model), and nothing computed.
//!
//! | function | for |
//! |---|---|
//! | `message` | the failure of one test: what broke, how sure that is, what to do next |
//! | `summary_line` | the end of `cargo test`, where passing tests print nothing |
//! | `text` | the terminal |
//! | `markdown` | a pull request, the summary of a GitHub workflow |
//! | `html` | a browser: the viewer, with the report in it |
//! | `json`, `json_line` | programs |
//! | `golden_files`, `refusal` | what blessing did, and why it did not |
//! | `snapshot` | `golden/`: measurements that are reviewed as a difference |
//!
//! [`SCHEMAS`] describe the report as JSON.
//!
//! What a gate says is made in `message`, a file for each kind of finding. It is a tree, as everything is that
//! people read: `page` says what each piece of text is, and a painter in `painter` how that looks as lines of a
//! terminal, as Markdown or as HTML. A further rendering is a painter of that tree and a line in [`RENDERINGS`].
//!
//! All render the same model, so they cannot disagree. Text from data is shown with control
//! characters escaped, and shortened where it could push everything else aside; only `json` holds it
//! as it is.

pub mod clean;
mod golden_files;
pub mod json;
pub mod lookup;
pub mod markdown;
pub mod message;
pub mod number;
pub mod page;
mod page_file;
pub mod painter;
pub mod phrases;
pub mod polarity;
mod schemas;
mod snapshot;
pub(crate) mod suite;
mod summary;
pub mod text;
pub mod verdict;
mod viewer;
pub mod width;

pub use clean::{defuse, plain};
pub use golden_files::{golden_files, refusal};
pub use json::{json, json_line};
pub use markdown::{markdown, markdown_within};
pub use message::message;
pub use painter::Style;
pub use schemas::SCHEMAS;
pub use snapshot::snapshot;
pub use summary::{summary_line, summary_line_styled};
pub use text::{text, text_styled};
pub use viewer::html;

/// The ending of a file, and what renders a report for it.
pub type Rendering = (&'static str, fn(&crate::model::Report) -> String);

/// The renderings that are written as files, each with its ending: `report.json` and so on.
pub const RENDERINGS: &[Rendering] = &[("json", json), ("html", html)];

#[doc(hidden)]
pub mod internal {
    //! What rankgate's other rooms show themselves with, and its users do not.
    pub use super::message::{EARLIER, message_after, message_like};
    pub use super::page_file::{STYLE, escaped, page_file};
    pub use super::snapshot::snapshot_of;
    pub use super::summary::{summary, warnings_beside};
    pub use super::{
        clean, json, lookup, markdown, message, number, page, painter, phrases, polarity, text, verdict,
        width,
    };
}

#[cfg(test)]
mod tests;
