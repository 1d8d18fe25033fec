//! The result of blessing: by configuration, the files that it wrote and the changes that are accepted with them.

use serde::{Deserialize, Serialize};

use super::coverage::CoverageReport;
use super::row::Row;

/// What blessing made of one configuration's golden files.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Blessing {
    /// The configuration.
    pub configuration: String,
    /// Whether its files were left as they were, because blocking thresholds fail or too few queries were answered,
    /// without `--force`.
    pub refused: bool,
    /// Each file as messages show it, `new`, `changed` or `unchanged`, and the size of a large one; empty where that was refused.
    pub files: Vec<Row>,
    /// That too few of the judged queries were answered for a comparison with this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortage: Option<CoverageReport>,
    /// Blocking thresholds that the configuration does not keep, by the names of their gates: the value beside the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Row>,
    /// What differs from the day of the run that was blessed before, the retriever aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// The report's metrics, in its order: the value now after the value that was blessed before, over the queries of both
    /// and by today's judgments, and how many queries changed.
    pub metrics: Vec<Row>,
    /// Queries that the run blessed before has too; 0 without a readable earlier run.
    pub queries: usize,
    /// Of these, those whose rankings differ.
    pub moved: usize,
}
