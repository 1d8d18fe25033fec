//! A line of a finding: made once where the numbers are, and printed as it is.

use serde::{Deserialize, Serialize};

/// A number or a fact with its name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Row {
    /// The name.
    pub label: String,
    /// The number or the fact.
    pub value: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remark: String,
}

impl Row {
    /// How alike the rankings of two sides are.
    pub const RANKINGS: &'static str = "rankings";

    /// A row without a remark.
    pub fn new(label: &str, value: impl Into<String>) -> Self {
        Self { label: label.to_owned(), value: value.into(), remark: String::new() }
    }
}
