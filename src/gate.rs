//! Gates: what a team demands of a configuration, one test each, and what came of them.
//!
//! Demands are plain values that a spec has checked: a limit is within its metric's range, a configuration
//! exists, a margin is there where it is needed and only there.

#[doc(inline)]
pub use rankgate_report::gate::*;

pub use crate::gates::comparison::ComparisonGate;
pub use crate::gates::deterministic::DeterministicGate;
pub use crate::gates::latency::{LatencyGate, LatencyLimit};
pub use crate::gates::snapshot::SnapshotGate;
pub use crate::gates::threshold::ThresholdGate;
pub use crate::gates::{Gate, GateKind};
