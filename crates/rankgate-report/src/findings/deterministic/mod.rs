//! Whether asking twice, and building twice, gives the same rankings: what was seen.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::model::Warning;

/// Whether asking twice, and building twice, gives the same rankings.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DeterministicFinding {
    /// Queries.
    pub queries: usize,
    /// Queries with two different answers, by id: of one build, or if it repeats its answers, of two.
    pub differing: Vec<Disagreement>,
    /// How a second build was made, if one was asked: `built twice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built: Option<String>,
    /// Why none was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_build: Option<String>,
    /// What makes the answers differ, most likely, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnosis: Vec<String>,
    /// What should be known before the verdict is believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A query that was answered in two ways.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Disagreement {
    /// Query id.
    pub query: String,
    /// The query's text; of a later turn of a conversation after the text of the one before it.
    pub text: String,
    /// First rank at which the answers differ.
    pub rank: usize,
    /// The documents there, in the first and the second answer.
    pub documents: [Option<String>; 2],
    /// For a gate on `overlap`: the share of the documents inside its cutoff that both answers have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<f64>,
    /// Whether documents that changed places have the same score: the usual cause.
    pub tied: bool,
}
