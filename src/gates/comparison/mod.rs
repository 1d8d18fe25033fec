//! A candidate against a baseline.

pub(crate) mod decide;
pub(crate) mod family;
pub(crate) mod keys;

use crate::metric::Metric;

/// A comparison of a spec, by one of its metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonGate {
    /// Which of the spec's comparisons.
    pub comparison: usize,
    /// Which of its metrics; `None` where rankings are compared.
    pub metric: Option<Metric>,
}
