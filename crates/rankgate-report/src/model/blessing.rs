//! What blessing did: by configuration, which files it wrote and what is accepted with them.

use super::gate::Input;
use crate::gate::{Bound, Limit};
use crate::json::as_json;
use crate::output::Written;

/// What blessing made of one configuration's golden files.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Blessing {
    /// The configuration.
    pub configuration: String,
    /// What its run was tagged with, where that alone was asked for; then what stands for the run blessed before
    /// is the one that had this tag.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub tag: Option<String>,
    /// Whether its files were left as they were, because blocking thresholds fail, or the tag is that of
    /// another ranking, and nobody forced it.
    pub refused: bool,
    /// What came of each file; empty where that was refused.
    pub files: Vec<GoldenFile>,
    /// Blocking thresholds that the configuration does not keep.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub failing: Vec<BrokenThreshold>,
    /// What differs from the day of the run that was blessed before, the retriever aside.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub inputs: Vec<Input>,
    /// The report's metrics, in its order.
    pub metrics: Vec<MetricChange>,
    /// Queries that the run blessed before was asked as well; 0 where there is none that could be read.
    pub queries: usize,
    /// Of these, those whose rankings differ.
    pub moved: usize,
}

as_json!(struct Blessing { configuration, tag?, refused, files, failing?, inputs?, metrics, queries, moved });

/// A golden file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct GoldenFile {
    /// Its path, as messages show it.
    pub file: String,
    /// What came of it.
    pub written: Written,
    /// How long it is now.
    pub bytes: u64,
}

as_json!(struct GoldenFile { file, written, bytes });

/// A metric now and in the run that was blessed before, over the queries that both were asked and by
/// today's judgments.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct MetricChange {
    /// Canonical name.
    pub metric: String,
    /// The value that was blessed before, if any was.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub before: Option<f64>,
    /// The value now.
    pub after: f64,
    /// Queries that score lower than they did.
    pub worse: usize,
    /// Queries that score higher.
    pub better: usize,
}

as_json!(struct MetricChange { metric, before?, after, worse, better });

/// A blocking threshold that is not kept.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct BrokenThreshold {
    /// The gate's name.
    pub gate: String,
    /// Canonical name.
    pub metric: String,
    /// What is held against the limits.
    pub bound: Bound,
    /// Its value; `None` where there is no interval to take it from.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub held: Option<f64>,
    /// Smallest value allowed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub min: Option<f64>,
    /// Largest value allowed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub max: Option<f64>,
    /// The limit that is broken; `None` where nothing could be held against it.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub broken: Option<Limit>,
}

as_json!(struct BrokenThreshold { gate, metric, bound, held?, min?, max?, broken? });
