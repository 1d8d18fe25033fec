//! Decisions on answer times.

mod ratio;

pub use self::ratio::held_ratio;

use crate::stats::{Confidence, Interval, Quantile};
use crate::words::keywords;
use crate::{Error, Result};

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

/// Compares a quantile of sorted `times` with `max`, by its order-statistic interval.
///
/// # Errors
/// No times.
pub fn held_time(times: &[f64], quantile: Quantile, max: f64, confidence: Confidence) -> Result<HeldLatency> {
    let value = quantile.estimate(times).ok_or_else(|| Error::invalid("there are no times"))?;
    let interval = quantile.interval(times, confidence);
    let reason = match interval {
        None => LatencyReason::FewAnswers,
        Some(interval) if interval.high <= max => LatencyReason::Within,
        Some(interval) if interval.low > max => LatencyReason::Beyond,
        Some(_) => LatencyReason::NotShown,
    };
    Ok(HeldLatency { reason, value, interval, p: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_held_by_its_interval() {
        let times: Vec<f64> = (1..=200).map(f64::from).collect();
        for (max, expected) in [
            // [184, 197] of 200, as SciPy has it.
            (183.9, LatencyReason::Beyond),
            (184.0, LatencyReason::NotShown),
            (196.9, LatencyReason::NotShown),
            (197.0, LatencyReason::Within),
        ] {
            let held = held_time(&times, Quantile::P95, max, Confidence::default()).unwrap();
            assert_eq!((held.reason, held.value), (expected, 190.0), "{max}");
        }
        let few = held_time(&times[..71], Quantile::P95, 1e9, Confidence::default()).unwrap();
        assert_eq!((few.reason, few.interval), (LatencyReason::FewAnswers, None));
        assert!(held_time(&[], Quantile::P95, 1.0, Confidence::default()).is_err());
    }
}
