//! Holding a measured value against limits.

use crate::stats::ROUNDING;
use crate::words::keywords;

use super::Bound;

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
