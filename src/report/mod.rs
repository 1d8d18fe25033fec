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
//! | [`snapshot`] | `golden/`: measurements that are reviewed as a difference |
//!
//! [`SCHEMAS`] describe what is written as JSON.
//!
//! What a gate says is made in `message`, a file for each kind of finding. It is a tree, as everything is that
//! people read: `page` says what each piece of text is, and a painter in `painter` how that looks as lines of a
//! terminal, as Markdown or as HTML. A further rendering is a painter of that tree and a line in [`RENDERINGS`].
//!
//! All render the same model, so they cannot disagree. Text from data is shown with control
//! characters escaped, and shortened where it could push everything else aside; only [`json`] holds it
//! as it is.

#[cfg(feature = "judge")]
mod label;
mod schemas;

pub use schemas::SCHEMAS;

#[doc(inline)]
pub use rankgate_report::report::{
    BrokenSpec, LabelPair, RENDERINGS, Rendering, Style, annotation, annotations, defuse, golden_files, html,
    json, json_line, junit, label_lines, label_order, label_page, markdown, markdown_within, message, plain,
    plots, refusal, snapshot, summary_line, summary_line_styled, text, text_styled, verdict_counts,
};

// What the rooms above show themselves with.
pub(crate) use rankgate_report::report::internal::{
    EARLIER, message_after, message_like, snapshot_of, summary,
};
