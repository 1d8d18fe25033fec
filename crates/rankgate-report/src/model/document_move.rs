//! Where a document was and is.

use serde::{Deserialize, Serialize};

/// Where a document was and is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct DocumentMove {
    /// Document id.
    pub document: String,
    /// Its grade; `None` when it is unjudged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<i32>,
    /// What the retriever scored it, where the metric counts results by their scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Rank on the other side; `None` when it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// Rank on this side; `None` when it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// `true` of a document that has its query's id and is taken out for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded: Option<bool>,
}
