//! The metric report against what was blessed.

pub(crate) mod decide;

use rankgate_report::gate::Baseline;

use super::{Entries, Kind};
use crate::metric::Metric;

/// The metric report is as it was when it was blessed.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotGate;

impl Kind for SnapshotGate {
    fn held_against<'a>(&self, _: Entries<'a>) -> Option<&'a Baseline> {
        Some(&Baseline::Golden)
    }

    fn guards(&self, metric: &Metric) -> bool {
        // All of them are in the report that was blessed; how much is judged or retrieved is no quality that could be lost.
        metric.needs_relevance() || metric.definition().is_none()
    }
}
