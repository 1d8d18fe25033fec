//! A candidate against a baseline.

pub(crate) mod decide;
pub(crate) mod family;
pub(crate) mod keys;

use rankgate_report::gate::{Baseline, Segment};

use super::{Entries, Kind};
use crate::metric::Metric;

/// A comparison of a spec, by one of its metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonGate {
    /// Which of the spec's comparisons.
    pub comparison: usize,
    /// Which of its metrics; `None` where rankings are compared.
    pub metric: Option<Metric>,
}

impl Kind for ComparisonGate {
    fn metric(&self) -> Option<&Metric> {
        self.metric.as_ref()
    }

    fn comparison(&self) -> Option<usize> {
        Some(self.comparison)
    }

    fn held_against<'a>(&self, entries: Entries<'a>) -> Option<&'a Baseline> {
        Some(&entries.comparisons[self.comparison].baseline)
    }

    fn segment<'a>(&self, entries: Entries<'a>) -> Option<&'a Segment> {
        entries.comparisons[self.comparison].segment.as_ref()
    }
}
