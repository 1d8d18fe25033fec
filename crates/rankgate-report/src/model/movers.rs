//! The queries and documents behind a value.

use crate::json::as_json;

/// The queries that explain a value.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Movers {
    /// What is compared with: `golden`, `golden@v1.2`, another configuration, or nothing.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub against: Option<String>,
    /// The other side's mean over the same queries.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
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
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub against_unjudged: Option<usize>,
    /// `Judged@cutoff` on this side, over the queries that the value is taken over.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub judged: Option<f64>,
    /// The cutoff by which documents are said to have entered or left.
    pub cutoff: usize,
    /// Whether a side was asked several times: then scores are means over its repeats, and documents
    /// are those of the repeat that explains most, on the other side of the one nearest to its mean.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub repeated: bool,
}

as_json!(struct Movers {
    against?, against_value?, worse, better, unchanged, losses, gains, unjudged, against_unjudged?, judged?,
    cutoff, repeated?
});

/// A query and what happened to its judged documents.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Mover {
    /// Query id.
    pub query: String,
    /// What was asked.
    pub text: String,
    /// Score on the other side, where there is one.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub before: Option<f64>,
    /// Score on this side.
    pub after: f64,
    /// Its judged documents that moved; without another side, its relevant documents and where they
    /// are. Highest grade first.
    pub documents: Vec<DocumentMove>,
    /// Of a metric of answers the claims behind the score: against another side those of which something else is said,
    /// else those that are not supported.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub claims: Vec<super::ClaimMove>,
    /// Of a metric of answers what was answered: on the other side, where there is one, and on this one.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Vec::is_empty"))]
    pub answers: Vec<super::ShownAnswer>,
}

as_json!(struct Mover { query, text, before?, after, documents, claims?, answers? });

/// Where a document was and is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DocumentMove {
    /// Document id.
    pub document: String,
    /// Its grade; `None` when nobody judged it.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub grade: Option<i32>,
    /// Whether a model gave the grade, and no person.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub by_model: bool,
    /// Rank on the other side; `None` when it is not there.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub from: Option<usize>,
    /// Rank on this side; `None` when it is not there.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub to: Option<usize>,
}

as_json!(struct DocumentMove { document, grade?, by_model?, from?, to? });
