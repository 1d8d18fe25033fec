//! Gates: what a team demands of a configuration, one test each.
//!
//! What is demanded are plain values that [`Spec`](crate::spec::Spec) has checked: a limit is within
//! its metric's range, a configuration exists, a margin is there where it is needed and only there.

mod evidence;
mod judge;
mod latency;
mod name;
mod plan;

pub use evidence::Evidence;
pub use judge::{Graded, Longer, Reply};
pub use latency::{LatencyGate, LatencyLimit};
pub(crate) use name::{LONGEST_NAME, encode_name, name_fault};
pub(crate) use name::{comparison_name, configuration_name, latency_name, threshold_name};
pub use plan::{
    Baseline, Comparison, Expectation, Family, Gate, GateKind, Inconclusive, Segment, Statistics, Threshold,
};
#[doc(inline)]
pub use rankgate_report::gate::{
    Bound, Expect, IntervalMethod, Judged, Level, Limit, LimitReport, Standing, Unjudged, Verdict, Weights,
};
pub(crate) use rankgate_report::gate::{beyond, broken_limit, deciding_value};
