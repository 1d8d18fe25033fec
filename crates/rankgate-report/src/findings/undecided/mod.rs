//! A gate that could not be decided.

use serde::{Deserialize, Serialize};

pub(crate) mod message;

/// The gate could not be decided: why, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct UndecidedFinding {
    /// What kept it from being decided.
    pub reason: String,
}
