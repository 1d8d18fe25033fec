//! Result of a limit on answer times.

use crate::stats::Interval;
use crate::words::keywords;

keywords! {
    /// Reason for the verdict on answer times.
    pub enum LatencyReason {
        /// Passed: the times are significantly below the limit.
        Within = "within" => "the whole interval is within the limit",
        /// Failed: the times are significantly above the limit.
        Beyond = "beyond" => "the whole interval is beyond the limit",
        /// Inconclusive: the limit is inside the interval.
        NotShown = "not-shown" => "the limit is inside the interval",
        /// Inconclusive: there are too few answers for any result to be significant.
        FewAnswers = "few-answers" => "too few answers",
    }
}

/// A quantile or a ratio of answer times, compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeldLatency {
    /// Reason for the verdict.
    pub reason: LatencyReason,
    /// The quantile or the ratio.
    pub value: f64,
    /// Its interval; `None` if there are too few answers.
    pub interval: Option<Interval>,
    /// One-sided p-values of a ratio above and below the limit; `None` for a quantile.
    pub p: Option<[f64; 2]>,
}
