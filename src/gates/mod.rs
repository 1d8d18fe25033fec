//! The kinds of gates, a folder each.
//!
//! | file | holds | is of the room |
//! |---|---|---|
//! | `mod.rs` | what one gate demands, and what it says of itself | `gates` |
//! | `keys.rs` | the keys that demand it, as a spec has them | `spec` |
//! | `decide.rs` | the function that decides it | `benchmark` |
//!
//! A new kind is such a folder and a case of [`GateKind`]. Whoever handles gates
//! names no kind: they ask the [`GateKind`] what a gate rests on. `benchmark/decide/mod.rs` calls the function.

pub(crate) mod comparison;
pub(crate) mod deterministic;
pub(crate) mod latency;
pub(crate) mod snapshot;
pub(crate) mod threshold;

use std::sync::Arc;

use rankgate_report::gate::{Baseline, Comparison, Level, Segment, Threshold};

use self::latency::LatencyGate;
use crate::metric::Metric;

/// The entries of a spec, or of a suite, that gates are of.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    pub(crate) thresholds: &'a [Threshold],
    pub(crate) comparisons: &'a [Comparison],
}

/// What a gate demands.
#[derive(Clone, Debug, PartialEq)]
pub enum GateKind {
    /// A limit on a metric.
    Threshold(threshold::ThresholdGate),
    /// A comparison with something else.
    Comparison(comparison::ComparisonGate),
    /// A limit on the time that answers take.
    Latency(Arc<latency::LatencyGate>),
    /// The metric report is as it was when it was blessed.
    Snapshot(snapshot::SnapshotGate),
    /// The configuration gives the same answers twice.
    Deterministic(deterministic::DeterministicGate),
}

/// One test: a demand on one configuration, by one metric where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The test's name, such as `helpdesk::bm25::nDCG@10`; unique within the spec.
    pub name: String,
    /// The configuration that is judged.
    pub configuration: String,
    /// Whether it can fail the build.
    pub level: Level,
    /// The demand.
    pub kind: GateKind,
    /// The line of the spec that demands it, from 1.
    pub line: usize,
    /// The character of the line at which it starts, from 1.
    pub column: usize,
}

/// What a gate says of itself before it is decided.
impl GateKind {
    /// The metric whose value decides, where one does.
    pub fn metric(&self) -> Option<&Metric> {
        match self {
            Self::Threshold(gate) => Some(&gate.metric),
            Self::Comparison(gate) => gate.metric.as_ref(),
            Self::Latency(_) | Self::Snapshot(_) | Self::Deterministic(_) => None,
        }
    }

    /// The limit on the time that answers take, where it is one.
    pub fn answer_times(&self) -> Option<&LatencyGate> {
        if let Self::Latency(gate) = self { Some(gate) } else { None }
    }

    /// The threshold in the spec, and the metric.
    #[doc(hidden)]
    pub fn limit(&self) -> Option<(usize, &Metric)> {
        if let Self::Threshold(gate) = self { Some((gate.threshold, &gate.metric)) } else { None }
    }

    /// The comparison in the spec, and the metric; `None` where no scores are compared.
    #[doc(hidden)]
    pub fn scores_compared(&self) -> Option<(usize, &Metric)> {
        if let Self::Comparison(gate) = self { Some((gate.comparison, gate.metric.as_ref()?)) } else { None }
    }

    /// What the configuration is held against, where that is a configuration or what was blessed.
    pub(crate) fn held_against<'a>(&self, entries: Entries<'a>) -> Option<&'a Baseline> {
        match self {
            Self::Comparison(gate) => Some(&entries.comparisons[gate.comparison].baseline),
            Self::Snapshot(_) => Some(&Baseline::Golden),
            Self::Threshold(_) | Self::Latency(_) | Self::Deterministic(_) => None,
        }
    }

    /// The other configuration that has to answer as well.
    pub(crate) fn other_configuration<'a>(&'a self, entries: Entries<'a>) -> Option<&'a str> {
        match self {
            Self::Latency(gate) => gate.limit.baseline(),
            Self::Threshold(_) | Self::Comparison(_) | Self::Snapshot(_) | Self::Deterministic(_) => {
                self.held_against(entries).and_then(Baseline::configuration)
            }
        }
    }

    /// The queries that it is about, unless all.
    pub(crate) fn segment<'a>(&self, entries: Entries<'a>) -> Option<&'a Segment> {
        match self {
            Self::Threshold(gate) => entries.thresholds[gate.threshold].segment.as_ref(),
            Self::Comparison(gate) => entries.comparisons[gate.comparison].segment.as_ref(),
            Self::Latency(_) | Self::Snapshot(_) | Self::Deterministic(_) => None,
        }
    }

    /// Whether a loss in the metric would be a loss of what it demands.
    pub(crate) fn guards(&self, metric: &Metric) -> bool {
        match self {
            // All of them are in the report that was blessed; how much is judged or retrieved is no quality that could be lost.
            Self::Snapshot(_) => metric.needs_relevance() || metric.definition().is_none(),
            Self::Threshold(_) | Self::Comparison(_) | Self::Latency(_) | Self::Deterministic(_) => {
                self.metric() == Some(metric)
            }
        }
    }
}
