//! The metric report against what was blessed: what was seen.

pub(crate) mod message;

use crate::json::record;
use crate::words::keywords;

use super::Kind;

record! {
    /// The metric report against what was blessed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SnapshotFinding {
        /// The golden file, relative to the workspace.
        pub file: String,
        /// What was found.
        pub state: SnapshotState,
        /// Lines of the difference: `-` blessed, `+` now.
        pub diff?: String,
        /// How many documents stand elsewhere, where all that differs from the blessed run is the order of
        /// documents with equal scores.
        pub tied?: Option<usize>,
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

impl Kind for SnapshotFinding {}
