//! `Exposure(key)@k`: whether the values of a metadata key are seen as often as the relevant documents have them.
//!
//! The attention-weighted rank fairness of TREC's Fair Ranking track (AWRF). The document at rank i is seen with weight
//! 1 / log2(max(i, 2)), so that the first two ranks weigh the same. A document lends its weight to the value that it has under
//! the key, or in equal parts to the values of a list. Two distributions over values are compared: that of the weights among the
//! first k, and the mean over the query's relevant documents, whatever their grade.
//!
//! 1 - JSD(seen, relevant)
//!
//! JSD is the Jensen-Shannon divergence in nats. So 1 is the same distribution, and 1 - ln 2 = 0.3069 nothing in common. A
//! ranking of nothing shows nothing and is 0, and so is a query without a relevant document. A document of which the value is not known is an error.
//!
//! Source: Ekstrand, McDonald, Raj and Johnson, *Overview of the TREC 2022 Fair Ranking Track*, and its `wptrec/metrics/awrf.py`,
//! with one dimension. There documents that are not known are left out, some dimensions have a category for pages without a
//! value, and for three of them half of the target is a distribution over the world.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::definition::{CutoffKind, Definition};
use super::super::parameters::{Parameter, Parameters};
use super::super::ranked_query::{RankedDocument, RankedQuery};
use super::measures::{top, value_under};
use crate::error::Quoted;
use crate::{Error, Result};

pub(in super::super) static EXPOSURE: Definition = Definition::of_documents(
    "Exposure",
    "likeness of the values of a metadata key that are seen to those of relevant documents",
    exposure,
)
.written(&["Exposure(key)@k"])
.at(CutoffKind::Cutoff)
.parameters(&[Parameter::Key])
.of_relevant_metadata();

/// Weights of values, which are told apart as JSON writes them.
type Distribution = BTreeMap<String, f64>;

fn exposure(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let key = parameters.name().unwrap_or_default();
    let discount = |rank: usize| 1.0 / (rank.max(2) as f64).log2();
    let seen = top(asked, parameters).iter().zip(1..).map(|(document, rank)| (document, discount(rank)));
    let seen = distribution(key, seen)?;
    let relevant = distribution(key, asked.relevant_documents().map(|document| (document, 1.0)))?;
    Ok(if seen.is_empty() || relevant.is_empty() { 0.0 } else { 1.0 - divergence(&seen, &relevant) })
}

/// The share of the weight that each value has.
fn distribution<'q, 'a: 'q>(
    key: &str,
    documents: impl Iterator<Item = (&'q RankedDocument<'a>, f64)>,
) -> Result<Distribution> {
    let (mut shares, mut all) = (Distribution::new(), 0.0);
    for (document, weight) in documents {
        let value = value_under(document, key)?;
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        if values.is_empty() {
            let (id, key) = (Quoted(document.id), Quoted(key));
            return Err(Error::invalid(format!("document {id} has an empty list as {key}")));
        }
        for value in values {
            *shares.entry(value.to_string()).or_default() += weight / values.len() as f64;
        }
        all += weight;
    }
    shares.values_mut().for_each(|share| *share /= all);
    Ok(shares)
}

/// The Jensen-Shannon divergence in nats, 0 to ln 2.
fn divergence(one: &Distribution, other: &Distribution) -> f64 {
    let towards = |of: &Distribution, than: &Distribution| {
        let part = |(value, share): (&String, &f64)| {
            let mean = f64::midpoint(*share, than.get(value).copied().unwrap_or_default());
            share * (share / mean).ln()
        };
        of.iter().map(part).sum::<f64>()
    };
    // Rounding may leave less than 0 of two that are the same.
    f64::midpoint(towards(one, other), towards(other, one)).clamp(0.0, std::f64::consts::LN_2)
}
