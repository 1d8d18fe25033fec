//! What a suite of several collections saw.

use serde::{Deserialize, Serialize};

use super::measured::MetricReport;

/// A suite: its collections, and what was measured over all of them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct SuiteReport {
    /// Its collections, which count alike, in the order of the suite.
    pub collections: Vec<CollectionValue>,
    /// By configuration that all collections have, and metric; of those that were measured everywhere.
    pub means: Vec<(String, MetricReport)>,
}

/// A collection of a suite, and a metric in it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct CollectionValue {
    /// The benchmark's name.
    pub benchmark: String,
    /// The benchmark's file, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// Judged queries that means are taken over; `None` where it could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<usize>,
    /// The value of the metric, if it is about one; of a comparison the candidate's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The baseline's value, in a comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<f64>,
}
