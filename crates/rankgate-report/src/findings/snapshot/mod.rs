//! The metric report against what was blessed: what was seen.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::model::Movers;
use crate::words::keywords;

/// The metric report against what was blessed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct SnapshotFinding {
    /// The golden file, relative to the workspace.
    pub file: String,
    /// What was found.
    pub state: SnapshotState,
    /// Lines of the difference: `-` blessed, `+` now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// How many documents stand elsewhere, where all that differs from the blessed run is the order of
    /// documents with equal scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied: Option<usize>,
    /// Where they differ and a run was blessed beside the report, how today's lists differ from its, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
    /// The metric that lost most against that run, under today's judgments; `None` where none lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Its value now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The queries and documents behind the loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movers: Option<Movers>,
    /// Whether no run was blessed beside the report, so that nobody knows which queries changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_run: bool,
}

impl SnapshotFinding {
    /// What was found of a golden file, without what explains it.
    pub fn new(file: impl Into<String>, state: SnapshotState) -> Self {
        Self {
            file: file.into(),
            state,
            diff: String::new(),
            tied: None,
            lists: Vec::new(),
            metric: None,
            value: None,
            movers: None,
            without_run: false,
        }
    }
}

keywords! {
    /// How a metric report compares with what was blessed.
    pub enum SnapshotState {
        /// They agree.
        Same = "same",
        /// Nothing was blessed so far.
        Missing = "missing",
        /// They differ.
        Differs = "differs",
        /// It was blessed just now.
        Blessed = "blessed",
    }
}
