//! The kinds of gates, a folder each.
//!
//! | file | holds | is of the room |
//! |---|---|---|
//! | `mod.rs` | what one gate demands, and what it says of itself | `gates` |
//! | `keys.rs` | the keys that demand it, as a spec has them | `spec` |
//! | `decide.rs` | the function that decides it | `benchmark` |
//!
//! A new kind is such a folder and a case of [`GateKind`]. Whoever handles gates
//! names no kind: they ask [`Kind`] what a gate rests on. `benchmark/decide/mod.rs` calls the function.

pub(crate) mod comparison;
pub(crate) mod deterministic;
pub(crate) mod latency;
pub(crate) mod snapshot;
pub(crate) mod threshold;

use std::sync::Arc;

use rankgate_report::gate::{Baseline, Comparison, Level, Segment, Threshold};

use self::latency::LatencyGate;
use crate::metric::Metric;

/// What a gate says of itself before it is decided. A kind has what it says here, and nothing of the rest.
pub(crate) trait Kind {
    /// The metric whose value decides.
    fn metric(&self) -> Option<&Metric> {
        None
    }

    /// Which of the spec's thresholds it is of.
    fn threshold(&self) -> Option<usize> {
        None
    }

    /// Which of the spec's comparisons it is of.
    fn comparison(&self) -> Option<usize> {
        None
    }

    /// The limit on the time that answers take.
    fn answer_times(&self) -> Option<&LatencyGate> {
        None
    }

    /// What the configuration is held against, where that is a configuration or what was blessed.
    fn held_against<'a>(&self, _: Entries<'a>) -> Option<&'a Baseline> {
        None
    }

    /// The other configuration that has to answer as well.
    fn other_configuration<'a>(&'a self, entries: Entries<'a>) -> Option<&'a str> {
        self.held_against(entries).and_then(Baseline::configuration)
    }

    /// The queries that it is about, unless all.
    fn segment<'a>(&self, _: Entries<'a>) -> Option<&'a Segment> {
        None
    }

    /// Whether it needs answers to the same queries twice.
    fn asks_twice(&self) -> bool {
        false
    }

    /// Whether a loss in the metric would be a loss of what it demands.
    fn guards(&self, metric: &Metric) -> bool {
        self.metric() == Some(metric)
    }
}

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

impl GateKind {
    pub(crate) fn kind(&self) -> &dyn Kind {
        match self {
            Self::Threshold(gate) => gate,
            Self::Comparison(gate) => gate,
            Self::Latency(gate) => gate,
            Self::Snapshot(gate) => gate,
            Self::Deterministic(gate) => gate,
        }
    }
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

impl GateKind {
    /// The metric whose value decides, where one does.
    pub fn metric(&self) -> Option<&Metric> {
        self.kind().metric()
    }

    /// The limit on the time that answers take, where it is one.
    pub fn answer_times(&self) -> Option<&LatencyGate> {
        self.kind().answer_times()
    }

    /// The threshold in the spec, and the metric.
    #[doc(hidden)]
    pub fn limit(&self) -> Option<(usize, &Metric)> {
        self.kind().threshold().zip(self.metric())
    }

    /// The comparison in the spec, and the metric; `None` where no scores are compared.
    #[doc(hidden)]
    pub fn scores_compared(&self) -> Option<(usize, &Metric)> {
        self.kind().comparison().zip(self.metric())
    }
}
