//! What came of gates, and the words in which they were demanded.

mod limit;
mod terms;
mod verdict;

pub use limit::{Limit, LimitReport, Standing};
#[doc(hidden)] // for rankgate alone
pub use limit::{beyond, broken_limit, deciding_value};
pub use terms::{Bound, Expect, IntervalMethod, Judged, Unjudged, Weights};
pub use verdict::{Level, Verdict};
