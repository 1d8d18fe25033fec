//! Result of a limit on answer times.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::model::{Latency, Warning};
use crate::stats::LatencyReason;

/// Result of a limit on answer times, which are service times in milliseconds: requests do not wait for each other.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct LatencyFinding {
    /// The quantile that is limited. A ratio has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantile: Option<String>,
    /// The configuration that a ratio refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The largest value that passes.
    pub limit: f64,
    /// Reason for the verdict.
    pub reason: LatencyReason,
    /// The quantile in milliseconds, or the ratio: exp of the mean, over the queries, of the median over the blocks of
    /// ln(candidate / baseline).
    pub value: f64,
    /// Its two-sided interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// One-sided p-values of a ratio above and below the limit. The level of each is half of 1 - confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<[f64; 2]>,
    /// Timed passes over the queries.
    pub blocks: usize,
    /// Queries in each block.
    pub queries: usize,
    /// Queries in each batch, if a side takes batches. Times are then of batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<usize>,
    /// The times of the configuration and, for a ratio, of its baseline.
    pub sides: Vec<(String, Latency)>,
    /// The mean number of results per query of each side.
    pub results: Vec<f64>,
    /// Warnings about the times.
    pub warnings: Vec<Warning>,
}
