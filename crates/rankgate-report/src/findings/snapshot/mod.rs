//! The metric report against what was blessed: what was seen.

pub(crate) mod message;

use crate::json::record;
use crate::metric::Polarity;
use crate::model::Movers;
use crate::words::keywords;

use super::Kind;

record! {
    /// The metric report against what was blessed.
    #[derive(Clone, Debug, PartialEq)]
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
        /// Where they differ and a run was blessed beside the report, how today's lists differ from its, in sentences.
        pub lists?: Vec<String>,
        /// The metric that lost most against that run, under today's judgments; `None` where none lost.
        pub loss?: Option<MetricLoss>,
        /// Whether no run was blessed beside the report, so that nobody knows which queries changed.
        pub without_run?: bool,
    }
}

record! {
    /// A metric that lost against the blessed run, and by which queries.
    #[derive(Clone, Debug, PartialEq)]
    pub struct MetricLoss {
        /// Canonical name.
        pub metric: String,
        /// Its value now.
        pub value: f64,
        /// How many queries have a score.
        pub queries: usize,
        /// The queries and documents that moved.
        pub movers: Movers,
    }
}

impl SnapshotFinding {
    /// What was found of a golden file, without what explains it.
    #[must_use]
    pub fn new(file: impl Into<String>, state: SnapshotState) -> Self {
        Self {
            file: file.into(),
            state,
            diff: String::new(),
            tied: None,
            lists: Vec::new(),
            loss: None,
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

impl Kind for SnapshotFinding {
    fn movers(&self) -> Option<&Movers> {
        self.loss.as_ref().map(|loss| &loss.movers)
    }

    // What lost is of relevance.
    fn says_better(&self) -> Option<(&str, Polarity)> {
        Some((&self.loss.as_ref()?.metric, Polarity::MoreIsBetter))
    }
}
