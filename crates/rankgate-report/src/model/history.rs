//! What places a report among others of the same benchmark.

use crate::json::as_json;

/// Of which commit a report is, and fingerprints of all that its scores depend on: with the scores of the queries, a later
/// reader needs nothing else. It stands at the beginning of the JSON form, so that no more has to be read of a
/// ranking that is known already.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct HistoryReport {
    /// The commit, where the environment or git tells it.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub commit: Option<String>,
    /// SHA-256 of the judged queries, with their texts and metadata.
    pub queries: String,
    /// SHA-256 of the judgments.
    pub judgments: String,
    /// SHA-256 of the documents; empty where they were not read.
    pub corpus: String,
    /// How metrics are defined, their names aside.
    pub definitions: String,
    /// The metadata key whose values group queries, where the spec has `statistics.cluster`: groups, not queries, are
    /// the units of tests.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub cluster: Option<String>,
    /// Those that were measured, in the order of the spec.
    pub configurations: Vec<ConfigurationHistory>,
}

as_json!(struct HistoryReport { commit?, queries, judgments, corpus, definitions, cluster?, configurations });

/// What places a configuration's measurement among others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ConfigurationHistory {
    /// Its name.
    pub name: String,
    /// Results asked for per query.
    pub depth: usize,
    /// SHA-256 of its own queries, where it is asked a variant of them.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub queries: Option<String>,
    /// SHA-256 of its rankings: which documents in which order, for which query; scores aside.
    pub ranking: String,
    /// The same of the golden run that stood there.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub golden: Option<String>,
    /// Metrics that gates of the spec stand on, in the order of the report's metrics.
    pub gated: Vec<String>,
    /// Whether it was asked or built several times with different answers: then no ranking stands for it.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub varies: bool,
}

as_json!(struct ConfigurationHistory { name, depth, queries?, ranking, golden?, gated, varies? });
