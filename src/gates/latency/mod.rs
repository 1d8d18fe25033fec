//! Limits on the time that answers take.

pub(crate) mod decide;
pub(crate) mod keys;

use std::time::Duration;

use rankgate_report::gate::{Inconclusive, Level};

use crate::stats::{Confidence, Quantile};

/// A limit on configurations' answer times: one gate per configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyGate {
    /// The limit.
    pub limit: LatencyLimit,
    /// Names of the configurations that it applies to, none of them a frozen run; at least one.
    pub configurations: Vec<String>,
    /// What an inconclusive result does.
    pub inconclusive: Inconclusive,
    /// Whether it can fail the build.
    pub level: Level,
    /// Distinguishes gates on the same configuration and limit.
    pub name: Option<String>,
}

/// How long answers may take.
#[derive(Clone, Debug, PartialEq)]
pub enum LatencyLimit {
    /// A time on this machine.
    Max {
        /// The quantile of the times that it applies to.
        quantile: Quantile,
        /// The longest time that passes.
        max: Duration,
    },
    /// A ratio to another configuration in the same process.
    MaxRatio {
        /// The factor, above 0 and not 1.
        ratio: f64,
        /// Name of the other configuration, never the one that the limit applies to.
        baseline: String,
    },
}

/// So often every query is timed for a ratio, and at most.
const BLOCKS: usize = 12;

impl LatencyLimit {
    /// How often every query is timed, after one time that does not count: for a quantile as often as it takes to have enough
    /// answers.
    #[doc(hidden)]
    pub fn blocks(&self, queries: usize, confidence: Confidence) -> usize {
        match self {
            Self::Max { quantile, .. } => {
                quantile.values_needed(confidence).div_ceil(queries.max(1)).clamp(1, BLOCKS)
            }
            Self::MaxRatio { .. } => BLOCKS,
        }
    }

    /// The baseline of a ratio.
    pub fn baseline(&self) -> Option<&str> {
        match self {
            Self::Max { .. } => None,
            Self::MaxRatio { baseline, .. } => Some(baseline),
        }
    }
}
