//! Limits on metrics.

pub(crate) mod decide;
pub(crate) mod keys;

use rankgate_report::gate::Segment;

use super::{Entries, Kind};
use crate::metric::Metric;

/// A threshold of a spec, by one of its metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdGate {
    /// Which of the spec's thresholds.
    pub threshold: usize,
    /// Which of its metrics.
    pub metric: Metric,
}

impl Kind for ThresholdGate {
    fn metric(&self) -> Option<&Metric> {
        Some(&self.metric)
    }

    fn threshold(&self) -> Option<usize> {
        Some(self.threshold)
    }

    fn segment<'a>(&self, entries: Entries<'a>) -> Option<&'a Segment> {
        entries.thresholds[self.threshold].segment.as_ref()
    }
}
