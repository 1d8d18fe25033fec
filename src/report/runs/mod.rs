//! What [`offline`](crate::offline) finds, for people, spreadsheets, papers and scripts.
//!
//! | of | text | CSV | LaTeX | `trec_eval` |
//! |---|---|---|---|---|
//! | [`Scores`](crate::offline::Scores) | [`scores`] | [`scores_csv`] | [`scores_latex`] | [`trec_eval`] |
//! | [`Comparisons`](crate::offline::Comparisons) | [`comparisons`] | [`comparisons_csv`] | [`comparisons_latex`] | |
//! | [`Explanation`](crate::offline::Explanation) | [`explanation`] | | | |
//! | [`Plan`](crate::offline::Plan) | [`plan`] | | | |
//!
//! [`to_json`] is for all of them. Text has at most 80 columns, ids aside, with control characters of data
//! escaped; in CSV and JSON data stand as they are.

mod comparisons;
mod csv;
mod explanation;
mod json;
mod latex;
mod plan;
mod remarks;
mod scores;
mod trec_eval;

pub use comparisons::comparisons;
pub use csv::{comparisons_csv, scores_csv};
pub use explanation::explanation;
pub use json::to_json;
pub use latex::{comparisons_latex, scores_latex};
pub use plan::plan;
pub use remarks::{remarks, remarks_on};
pub use scores::scores;
pub use trec_eval::trec_eval;

/// Columns of a terminal that nobody made wider.
const WIDTH: usize = 80;
/// Characters of a run's name in a table.
const NAME: usize = 20;

/// Paragraphs with a blank line between them, a newline at the end.
fn page(sections: Vec<Vec<String>>) -> String {
    let mut text = String::new();
    for section in sections.iter().filter(|section| !section.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        for line in section {
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}
