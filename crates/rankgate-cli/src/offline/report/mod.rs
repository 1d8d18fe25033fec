//! What [this module](crate::offline) finds, for people, spreadsheets and scripts.
//!
//! | of | text | CSV | `trec_eval` |
//! |---|---|---|---|
//! | [`Scores`](crate::offline::Scores) | [`scores`] | [`scores_csv`] | [`trec_eval`] |
//! | [`Comparisons`](crate::offline::Comparisons) | [`comparisons_within`] | [`comparisons_csv`] | |
//! | [`Explanation`](crate::offline::Explanation) | [`explanation_styled`] | | |
//! | [`Plan`](crate::offline::Plan) | [`plan_styled`] | | |
//!
//! [`to_json`] is for all of them. Text has at most 80 columns, ids aside, or as many as it is told that there
//! are; control characters of data are escaped. In CSV and JSON data stand as they are.

mod csv;
mod details;
mod explanation;
mod json;
mod overview;
mod page;
mod plan;
mod remarks;
mod scores;
mod trec_eval;

pub use csv::{comparisons_csv, scores_csv};
pub use explanation::explanation_styled;
pub use json::to_json;
pub use page::comparisons_within;
pub use plan::plan_styled;
pub use remarks::{check_judged, remarks, remarks_on};
pub use scores::{scores, scores_within};
pub use trec_eval::trec_eval;

use crate::offline::metric::Polarity;
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::painter::Widths;

/// Default columns of a terminal.
const WIDTH: usize = 80;
/// Characters of a run's name in a table.
const NAME: usize = 20;
/// And where there is more room than that.
const WIDE_NAME: usize = 60;
/// More runs than this are a row each, and their notes are summarized.
const FEW: usize = 4;

/// Whether less of a metric is better, as far as anybody knows.
fn is_best_low(metric: &str) -> bool {
    Polarity::of_name(metric) == Polarity::LessIsBetter
}

/// Names in about as many characters as there is room for; those that would look alike stand whole.
fn labels<'a>(names: impl Iterator<Item = &'a str>, room: usize) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let room = room.clamp(NAME, WIDE_NAME);
    let short: Vec<String> = names.iter().map(|name| shorten_name(name, room)).collect();
    let alike = |one: &String| short.iter().filter(|other| *other == one).count() > 1;
    names
        .iter()
        .zip(&short)
        .map(|(name, short)| if alike(short) { clean(name) } else { short.clone() })
        .collect()
}

/// Sentences as wide as ever, and tables as wide as there is room.
fn widths(tables: usize) -> Widths {
    Widths { text: WIDTH, tables }
}
