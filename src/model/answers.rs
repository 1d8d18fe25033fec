//! What is counted of answers and their claims.

use serde::{Deserialize, Serialize};

/// What the judge made of a configuration's answers under one metric: of everything that is counted, and of what is not in
/// the mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswersReport {
    /// Whose answers.
    pub configuration: String,
    /// Claims, nuggets or answers that are counted.
    pub claims: usize,
    /// Of them, what is supported.
    pub supported: usize,
    /// Nuggets that are supported in part.
    pub partial: usize,
    /// What the contexts do not say.
    pub unsupported: usize,
    /// What they contradict.
    pub contradicted: usize,
    /// What the judge gave no verdict on: the gate's verdict is bounded over it.
    pub abstained: usize,
    /// Texts without a claim, which count as neither 0 nor 1: the gate's verdict is bounded over them, too.
    pub without_claims: usize,
    /// Answers that say that they do not know; they are not in the mean.
    pub declined: usize,
    /// Queries without a reference answer or nuggets; they are not in the mean.
    pub without_reference: usize,
}

/// A claim behind a query's score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClaimMove {
    /// What it says.
    pub text: String,
    /// What was said of it on the other side, where it was made there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What is said of it now, where it is made now: `supported`, `unsupported`, `contradicted`, `partial`, `no verdict`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The context that decided before, and where it is among the contexts then and now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<super::DocumentMove>,
}
