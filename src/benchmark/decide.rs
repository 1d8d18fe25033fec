//! Deciding gates: each kind asks for what it needs, and says what it saw.

use crate::gate::{Bound, Gate, GateKind, Level, Threshold, hold};
use crate::golden::{Snapshot, SnapshotVerdict};
use crate::metric::Metric;
use crate::retriever::{Failure, chain};
use crate::spec::Configuration;
use crate::{Error, Result};

use super::carry::Benchmark;
use super::model::{
    Advice, Finding, GateReport, Movers, Place, SnapshotFinding, SnapshotState, ThresholdFinding, Verdict,
};
use super::movers::{self, Against};
use super::summarize::metric_report;
use super::{compare, deterministic};

/// What came of a gate, before level and advice.
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) finding: Finding,
}

/// Why a gate could not be decided.
pub(super) enum Undecided {
    /// The retriever gave no usable answer.
    Failed(Failure),
    /// Anything else.
    Error(Error),
}

impl From<Failure> for Undecided {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Undecided {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
