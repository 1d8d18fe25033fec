//! Gates: what a team demands of a configuration, one test each, and what came of them.
//!
//! Demands are plain values that a spec has checked: a limit is within its metric's range, a configuration
//! exists, a margin is there where it is needed and only there.

mod limit;
mod name;
mod plan;
mod terms;
mod verdict;

#[doc(hidden)] // for rankgate alone
pub use self::{
    limit::{broken_limit, deciding_value},
    name::{
        LONGEST_NAME, comparison_name, configuration_name, encode_filter, encode_name, latency_name,
        name_fault, threshold_name,
    },
};
pub use limit::{Limit, Standing};
pub use plan::{Baseline, Comparison, Expectation, Inconclusive, Segment, Statistics, Threshold};
pub use terms::{Bound, Expect, Repetition, Unjudged};
pub use verdict::{Level, Verdict};
