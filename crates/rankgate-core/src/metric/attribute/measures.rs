//! `Count(attribute)@k` and `Share(attribute)@k`: the first k documents by their metadata.
//!
//! No judgment counts here. `Count` is how many of the first k have the attribute, from 0 to k. `Share` is the same over how
//! many there are among the first k, which is fewer than k where fewer were returned, and 0 where nothing was: a short list
//! does not dilute it. A document of which a key is not known is an error.

use super::super::definition::{CutoffKind, Definition, Values};
use super::super::parameters::{Parameter, Parameters};
use super::super::ranked_query::RankedQuery;
use crate::Result;

pub(in super::super) static COUNT: Definition = Definition {
    patterns: &["Count(attribute)@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Attribute],
    values: Values::UpToTheCutoff,
    ..Definition::of_documents("Count", "documents with an attribute in the top k", count)
};

pub(in super::super) static SHARE: Definition = Definition {
    patterns: &["Share(attribute)@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Attribute],
    ..Definition::of_documents("Share", "share of documents with an attribute in the top k", share)
};

fn with_attribute(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<usize> {
    let has = asked.documents_with_attribute(parameters.depth())?;
    Ok(has.len())
}

fn count(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    with_attribute(asked, parameters).map(|count| count as f64)
}

fn share(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let all = asked.documents().len().min(parameters.depth());
    let count = with_attribute(asked, parameters)?;
    Ok(if all == 0 { 0.0 } else { count as f64 / all as f64 })
}
