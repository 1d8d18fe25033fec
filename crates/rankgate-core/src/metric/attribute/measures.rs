//! `Count(attribute)@k`, `Share(attribute)@k` and `Distinct(key)@k`: the first k documents by their metadata.
//!
//! No judgment counts here. `Count` is how many of the first k have the attribute, from 0 to k. `Share` is the same over how
//! many there are among the first k, which is fewer than k where fewer were returned, and 0 where nothing was: a short list
//! does not dilute it. `Distinct` is how many different values of a key are among the first k, from 0 to k; a list is one
//! value. A document of which the key is not known is an error.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::definition::{CutoffKind, Definition};
use super::super::parameters::{Parameter, Parameters};
use super::super::ranked_query::{RankedDocument, RankedQuery};
use crate::error::Quoted;
use crate::{Error, Result};

pub(in super::super) static COUNT: Definition =
    Definition::of_documents("Count", "documents with an attribute in the top k", count)
        .written(&["Count(attribute)@k"])
        .at(CutoffKind::Cutoff)
        .parameters(&[Parameter::Attribute])
        .up_to_the_cutoff();

pub(in super::super) static SHARE: Definition =
    Definition::of_documents("Share", "share of documents with an attribute in the top k", share)
        .written(&["Share(attribute)@k"])
        .at(CutoffKind::Cutoff)
        .parameters(&[Parameter::Attribute]);

pub(in super::super) static DISTINCT: Definition =
    Definition::of_documents("Distinct", "different values of a metadata key in the top k", distinct)
        .written(&["Distinct(key)@k"])
        .at(CutoffKind::Cutoff)
        .parameters(&[Parameter::Key])
        .up_to_the_cutoff();

pub(super) fn top<'q, 'a>(asked: &'q RankedQuery<'a>, parameters: &Parameters) -> &'q [RankedDocument<'a>] {
    let documents = asked.documents();
    &documents[..documents.len().min(parameters.depth())]
}

fn with_attribute(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<usize> {
    let has = asked.documents_with_attribute(parameters.depth())?;
    Ok(has.len())
}

fn count(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    with_attribute(asked, parameters).map(|count| count as f64)
}

fn share(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let all = top(asked, parameters).len();
    let count = with_attribute(asked, parameters)?;
    Ok(if all == 0 { 0.0 } else { count as f64 / all as f64 })
}

/// What a document has under a key.
pub(super) fn value_under<'a>(document: &RankedDocument<'a>, key: &str) -> Result<&'a Value> {
    document.metadata.get(key).filter(|value| !value.is_null()).ok_or_else(|| {
        let (id, key) = (Quoted(document.id), Quoted(key));
        Error::invalid(match document.is_known {
            true => format!("document {id} has no {key} in its metadata"),
            false => format!("document {id} is not in the corpus, so that its {key} is unknown"),
        })
    })
}

fn distinct(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let key = parameters.name().unwrap_or_default();
    let mut values = BTreeSet::new();
    for document in top(asked, parameters) {
        values.insert(value_under(document, key)?.to_string());
    }
    Ok(values.len() as f64)
}
