//! Gates: what a team demands of a configuration, one test each.
//!
//! What is demanded are plain values that [`Spec`](crate::spec::Spec) has checked: a limit is within
//! its metric's range, a configuration exists, a margin is there where it is needed and only there.

mod evidence;
mod judge;
mod latency;
mod limit;
mod name;
mod plan;
mod terms;
mod verdict;

pub use evidence::Evidence;
pub use judge::{Graded, Longer, Reply};
pub use latency::{LatencyGate, LatencyLimit};
pub use limit::{Limit, LimitReport, Standing};
pub(crate) use limit::{beyond, broken_limit, held};
pub(crate) use name::{LONGEST_NAME, encode_name, name_fault};
pub(crate) use name::{comparison_name, configuration_name, latency_name, threshold_name};
pub use plan::{
    Baseline, Comparison, Expectation, Family, Gate, GateKind, Inconclusive, Segment, Statistics, Threshold,
};
pub use terms::{Bound, Expect, IntervalMethod, Judged, Unjudged, Weights};
pub use verdict::{Level, Verdict};
