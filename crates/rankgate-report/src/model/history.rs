//! What places a report among others of the same benchmark.

use serde::{Deserialize, Serialize};

/// Of which commit a report is, and fingerprints of all that its scores depend on: with the scores of the queries, a later
/// reader needs nothing else. It stands at the beginning of the JSON form, so that no more has to be read of a
/// ranking that is known already.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct HistoryReport {
    /// The commit, where the environment or git tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// SHA-256 of the judged queries, with their texts and metadata.
    pub queries: String,
    /// SHA-256 of the judgments.
    pub judgments: String,
    /// SHA-256 of the documents; empty where they were not read.
    pub corpus: String,
    /// How metrics are defined, their names aside.
    pub definitions: String,
    /// The metadata key whose values group queries, where the spec has `statistics.group-by`: groups, not queries, are
    /// the units of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Those that were measured, in the order of the spec.
    pub configurations: Vec<ConfigurationHistory>,
}

/// What places a configuration's measurement among others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ConfigurationHistory {
    /// Its name.
    pub name: String,
    /// Results per query that the retriever should return.
    pub depth: usize,
    /// SHA-256 of its rankings: which documents in which order, for which query; scores aside.
    pub ranking: String,
    /// The same of the golden run that stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub golden: Option<String>,
    /// Whether that is this ranking, and whoever blessed it accepted what was lost with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    /// Metrics that gates of the spec stand on, in the order of the report's metrics.
    pub gated: Vec<String>,
}
