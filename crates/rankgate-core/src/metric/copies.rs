//! `Copies@k`: the share of the first k documents that say what one above them says.
//!
//! A document is a copy where its words are those of a document above it, case and punctuation aside, or where its runs of
//! three words and those of a document above it have a Jaccard index of 0.8 or more. The share is of how many documents there
//! are among the first k, and 0 where nothing was returned. The first of several copies is none, so that 1 is never reached.
//! Title and text count, of a passage the characters that it has. A text without a word is a copy of nothing.
//!
//! A document that is not in the corpus is an error, for nobody knows what it says.

use super::definition::{CutoffKind, Definition};
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use crate::Result;

pub(super) static COPIES: Definition =
    Definition::of_documents("Copies", "share of near-copies of documents above them in the top k", copies)
        .written(&["Copies@k"])
        .at(CutoffKind::Cutoff)
        .of_texts();

fn copies(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let all = asked.documents().len().min(parameters.depth());
    let copies = asked.copies(parameters.depth())?.len();
    Ok(if all == 0 { 0.0 } else { copies as f64 / all as f64 })
}
