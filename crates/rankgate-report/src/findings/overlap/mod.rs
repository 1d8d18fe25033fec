//! A candidate against a baseline by their rankings alone: what was seen.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::gate::Expect;
use crate::model::Warning;

use super::deterministic::Disagreement;

/// A candidate against a baseline by their rankings alone.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct OverlapFinding {
    /// The configuration that is judged.
    pub candidate: String,
    /// What it is compared with: a configuration or `golden`.
    pub baseline: String,
    /// The expectation: identical rankings, or a minimum overlap.
    pub expect: Expect,
    /// Smallest mean overlap allowed, for `overlap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// The cutoff of the overlap.
    pub cutoff: usize,
    /// Mean share of documents that both sides have inside the cutoff, over all repeats of both sides.
    pub overlap: f64,
    /// Queries with the same documents in the same order, to the full depth and in all repeats.
    pub identical: usize,
    /// Queries compared.
    pub queries: usize,
    /// Of the mean overlap at the report's confidence, for `overlap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Queries that only one side has.
    pub unpaired: usize,
    /// The queries that are least alike, with the rank at which they first differ; documents of the
    /// baseline first.
    pub differing: Vec<Disagreement>,
    /// What else a reader should know.
    pub warnings: Vec<Warning>,
}
