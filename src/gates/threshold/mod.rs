//! Limits on metrics.

pub(crate) mod decide;
pub(crate) mod keys;

use crate::metric::Metric;

/// A threshold of a spec, by one of its metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdGate {
    /// Which of the spec's thresholds.
    pub threshold: usize,
    /// Which of its metrics.
    pub metric: Metric,
}
