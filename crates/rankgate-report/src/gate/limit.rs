//! Holding a measured value against limits.

use crate::stats::ROUNDING;
use crate::words::keywords;

use super::{Bound, Verdict};

/// Where a number is to a limit, rounding apart.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Below,
    Equal,
    Above,
}

#[doc(hidden)]
impl Standing {
    pub fn compare(value: f64, limit: f64) -> Self {
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

#[doc(hidden)]
impl Limit {
    /// Whether a value keeps it. A limit that is not a number is never kept.
    pub fn is_kept(self, value: f64, limit: f64) -> bool {
        !limit.is_nan()
            && match self {
                Self::Min => Standing::compare(value, limit) != Standing::Below,
                Self::Max => Standing::compare(value, limit) != Standing::Above,
            }
    }
}

/// The limit that a number held against both breaks, if it breaks one.
pub fn broken_limit(held: f64, min: Option<f64>, max: Option<f64>) -> Option<Limit> {
    let is_broken =
        |(limit, at): (Limit, Option<f64>)| at.is_some_and(|at| !limit.is_kept(held, at)).then_some(limit);
    [(Limit::Min, min), (Limit::Max, max)].into_iter().find_map(is_broken)
}

/// Whether a whole interval keeps the limits, or breaks one of them; what holds a limit is open.
pub fn beyond([low, high]: [f64; 2], min: Option<f64>, max: Option<f64>) -> Verdict {
    let [of_low, of_high] = [low, high].map(|end| broken_limit(end, min, max));
    match (of_low, of_high) {
        (None, None) => Verdict::Passed,
        (Some(one), Some(other)) if one == other => Verdict::Failed,
        (Some(_), _) | (_, Some(_)) => Verdict::Inconclusive,
    }
}

/// The number that is held against limits; `None` where there is no interval to take it from. `worst` is the value of the
/// query that is nearest to the limit or farthest beyond it.
pub fn deciding_value(
    bound: Bound,
    value: f64,
    interval: Option<[f64; 2]>,
    worst: Option<f64>,
) -> Option<f64> {
    match bound {
        Bound::Mean => Some(value),
        Bound::Lower => interval.map(|[low, _]| low),
        Bound::Upper => interval.map(|[_, high]| high),
        Bound::EveryQuery => worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
