//! The queries and documents behind a value.

use serde::{Deserialize, Serialize};

/// The queries that explain a value.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Movers {
    /// The other side of the comparison: `golden`, another configuration, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The other side's mean over the same queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_value: Option<f64>,
    /// Queries that score lower than on the other side.
    pub worse: usize,
    /// Queries that score higher.
    pub better: usize,
    /// Queries that score the same.
    pub unchanged: usize,
    /// Largest losses first; without another side, lowest scores first, unless high ones are the trouble.
    pub losses: Vec<Mover>,
    /// Largest gains first; without another side, highest scores first where an upper limit is broken.
    pub gains: Vec<Mover>,
    /// Unjudged documents inside the cutoff, on this side; with repeats the mean over them, rounded.
    pub unjudged: usize,
    /// Unjudged documents inside the cutoff, on the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_unjudged: Option<usize>,
    /// `Judged@cutoff` on this side, over the queries that the value is taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<f64>,
    /// The cutoff by which documents enter or leave.
    pub cutoff: usize,
    /// Whether a side ran several times: then scores are means over its repeats, and documents
    /// are those of the repeat that explains most, on the other side of the one nearest to its mean.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// A query and what happened to its judged documents.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Mover {
    /// Query id.
    pub query: String,
    /// The query's text.
    pub text: String,
    /// Score on the other side, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<f64>,
    /// Score on this side.
    pub after: f64,
    /// Its judged documents that moved; without another side, its relevant documents and where they
    /// are. Highest grade first.
    pub documents: Vec<super::DocumentMove>,
}
