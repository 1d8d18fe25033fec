//! Limits on the time that answers take.

pub(crate) mod decide;
pub(crate) mod keys;

use std::sync::Arc;
use std::time::Duration;

use rankgate_report::gate::{Inconclusive, Level};

use super::{Entries, Kind};
use crate::stats::Quantile;

/// A limit on a quantile of configurations' answer times: one gate per configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyGate {
    /// Which of the times is held to it.
    pub quantile: Quantile,
    /// How long it may be.
    pub limit: LatencyLimit,
    /// Names of the configurations that are held to it, none of them a frozen run; at least one.
    pub configurations: Vec<String>,
    /// How often every query is asked.
    pub blocks: usize,
    /// How often it is asked before that, for nothing: caches fill, connections open.
    pub warm_up: usize,
    /// Whether a ratio is decided in a build without optimization, too.
    pub unoptimized: bool,
    /// What happens where the times do not decide.
    pub inconclusive: Inconclusive,
    /// Whether it can fail the build.
    pub level: Level,
    /// What sets it apart from other gates on the same quantile.
    pub name: Option<String>,
}

/// How long answers may take.
#[derive(Clone, Debug, PartialEq)]
pub enum LatencyLimit {
    /// A limit in seconds, on any machine.
    Max(Duration),
    /// So many times as long as another configuration takes in the same process.
    MaxRatio {
        /// The factor, above 0 and not 1.
        ratio: f64,
        /// Name of the configuration that it is compared with, never the one that is held to it.
        baseline: String,
    },
}

impl LatencyLimit {
    /// The configuration that is compared with, if one is.
    #[must_use]
    pub fn baseline(&self) -> Option<&str> {
        match self {
            Self::Max(_) => None,
            Self::MaxRatio { baseline, .. } => Some(baseline),
        }
    }
}

impl Kind for Arc<LatencyGate> {
    fn answer_times(&self) -> Option<&LatencyGate> {
        Some(self)
    }

    fn other_configuration<'a>(&'a self, _: Entries<'a>) -> Option<&'a str> {
        self.limit.baseline()
    }
}
