//! Holding a measured value against limits.

use crate::evaluation::Estimate;
use crate::json::as_json;
use crate::stats::ROUNDING;
use crate::words::keywords;

use super::{Bound, Verdict};

keywords! {
    /// Where a number is to a limit, rounding apart.
    pub enum Standing {
        /// Below it.
        Below = "below",
        /// It is the limit.
        Equal = "equal",
        /// Above it.
        Above = "above",
    }
}

impl Standing {
    pub(crate) fn of(value: f64, limit: f64) -> Self {
        if value < limit - ROUNDING {
            Self::Below
        } else if value > limit + ROUNDING {
            Self::Above
        } else {
            Self::Equal
        }
    }
}

keywords! {
    /// A limit of a threshold.
    pub enum Limit {
        /// The smallest value allowed.
        Min = "min",
        /// The largest value allowed.
        Max = "max",
    }
}

impl Limit {
    /// Whether a value keeps it. A limit that is not a number is never kept.
    pub(crate) fn is_kept(self, value: f64, limit: f64) -> bool {
        !limit.is_nan()
            && match self {
                Self::Min => Standing::of(value, limit) != Standing::Below,
                Self::Max => Standing::of(value, limit) != Standing::Above,
            }
    }
}

/// Where the numbers of a threshold are to one of its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LimitReport {
    /// What is held against it; `None` where there is no interval to take that from.
    #[cfg_attr(test, serde(skip_serializing_if = "Option::is_none"))]
    pub held: Option<Standing>,
    /// The value itself.
    pub value: Standing,
    /// The ends of its interval.
    #[cfg_attr(test, serde(skip_serializing_if = "Option::is_none"))]
    pub interval: Option<[Standing; 2]>,
    /// The value that it is compared with.
    #[cfg_attr(test, serde(skip_serializing_if = "Option::is_none"))]
    pub against: Option<Standing>,
}

as_json!(struct LimitReport { held?, value, interval?, against? });

impl LimitReport {
    pub(crate) fn of(
        limit: f64,
        held: Option<f64>,
        value: f64,
        interval: Option<[f64; 2]>,
        against: Option<f64>,
    ) -> Self {
        let standing = |value| Standing::of(value, limit);
        Self {
            held: held.map(standing),
            value: standing(value),
            interval: interval.map(|limits| limits.map(standing)),
            against: against.map(standing),
        }
    }
}

/// The limit that a number held against both breaks, if it breaks one.
pub(crate) fn broken_limit(held: f64, min: Option<f64>, max: Option<f64>) -> Option<Limit> {
    let is_broken =
        |(limit, at): (Limit, Option<f64>)| at.is_some_and(|at| !limit.is_kept(held, at)).then_some(limit);
    [(Limit::Min, min), (Limit::Max, max)].into_iter().find_map(is_broken)
}

/// Whether an estimate keeps its limits.
///
/// What is held against them is the value, or one end of its interval; where there is no interval nothing
/// is decided.
pub(crate) fn hold(bound: Bound, estimate: &Estimate, min: Option<f64>, max: Option<f64>) -> Verdict {
    match held(bound, estimate.value, estimate.limits()).map(|held| broken_limit(held, min, max)) {
        None => Verdict::Inconclusive,
        Some(None) => Verdict::Passed,
        Some(Some(_)) => Verdict::Failed,
    }
}

/// Whether a whole interval keeps the limits, or breaks one of them; what holds a limit is open.
pub(crate) fn beyond([low, high]: [f64; 2], min: Option<f64>, max: Option<f64>) -> Verdict {
    let [of_low, of_high] = [low, high].map(|end| broken_limit(end, min, max));
    match (of_low, of_high) {
        (None, None) => Verdict::Passed,
        (Some(one), Some(other)) if one == other => Verdict::Failed,
        (Some(_), _) | (_, Some(_)) => Verdict::Inconclusive,
    }
}

/// The number that is held against limits; `None` where there is no interval to take it from.
pub(crate) fn held(bound: Bound, value: f64, interval: Option<[f64; 2]>) -> Option<f64> {
    match bound {
        Bound::Mean => Some(value),
        Bound::Lower => interval.map(|[low, _]| low),
        Bound::Upper => interval.map(|[_, high]| high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::stats::Confidence;

    fn estimate(scores: &[f64]) -> Estimate {
        let metric: Metric = "nDCG@10".parse().unwrap();
        Estimate::of(&metric, scores, None, Confidence::default()).unwrap()
    }

    #[test]
    fn a_whole_interval_keeps_or_breaks_its_limits() {
        for (interval, min, max, expected) in [
            ([0.6, 0.7], Some(0.6), None, Verdict::Passed),
            ([0.59, 0.7], Some(0.6), None, Verdict::Inconclusive),
            ([0.5, 0.59], Some(0.6), None, Verdict::Failed),
            ([0.5, 0.59], None, Some(0.6), Verdict::Passed),
            ([0.61, 0.7], None, Some(0.6), Verdict::Failed),
            ([0.5, 0.7], Some(0.4), Some(0.8), Verdict::Passed),
            ([0.3, 0.9], Some(0.4), Some(0.8), Verdict::Inconclusive),
            ([0.3, 0.5], Some(0.4), Some(0.8), Verdict::Inconclusive),
            ([0.1, 0.3], Some(0.4), Some(0.8), Verdict::Failed),
        ] {
            assert_eq!(beyond(interval, min, max), expected, "{interval:?} {min:?} {max:?}");
        }
    }

    #[test]
    fn a_limit_is_kept_by_the_number_it_is_about() {
        // The t interval of these is [0.3095, 0.8905]: mean 0.6, sd 0.18257, n = 4, and the .975
        // quantile of t with 3 degrees of freedom is 3.18245 (any table): 3.18245 * 0.18257 / 2 = 0.2905.
        let spread = estimate(&[0.4, 0.5, 0.7, 0.8]);
        let single = estimate(&[0.6]);
        use Bound::{Lower, Mean, Upper};
        for (estimate, bound, min, max, expected) in [
            (&spread, Mean, Some(0.6), None, Verdict::Passed),
            (&spread, Mean, Some(0.61), None, Verdict::Failed),
            (&spread, Mean, None, Some(0.6), Verdict::Passed),
            (&spread, Mean, None, Some(0.59), Verdict::Failed),
            (&spread, Mean, Some(0.5), Some(0.59), Verdict::Failed),
            (&spread, Lower, Some(0.31), None, Verdict::Failed),
            (&spread, Lower, Some(0.309), None, Verdict::Passed),
            (&spread, Upper, None, Some(0.89), Verdict::Failed),
            (&spread, Upper, None, Some(0.891), Verdict::Passed),
            // 0.1 and 0.7 are 0.39999999999999997 on the average of floats; 0.4 by hand.
            (&estimate(&[0.1, 0.7]), Mean, Some(0.4), None, Verdict::Passed),
            (&single, Lower, Some(0.0), None, Verdict::Inconclusive),
            (&single, Mean, Some(0.6), None, Verdict::Passed),
            (&single, Mean, Some(f64::NAN), None, Verdict::Failed),
        ] {
            assert_eq!(hold(bound, estimate, min, max), expected, "{bound} {min:?} {max:?}");
        }
    }
}
