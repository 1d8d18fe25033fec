//! Which way a metric gets better.

use crate::metric::Metric;

/// Which values of a metric are better, as far as anybody says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Higher ones.
    Higher,
    /// Lower ones.
    Lower,
    /// Nothing says it: a change is neither better nor worse.
    Unknown,
}

impl Direction {
    /// As the metric's definition has it. Nothing is known of one of a team's own, nor of what measures no relevance.
    ///
    /// ```
    /// use rankgate_history::report::Direction;
    ///
    /// let of = ["nDCG@10", "FalseSilence", "Count(foreign)@10", "TeamsOwn"].map(Direction::of);
    /// assert_eq!(of, [Direction::Higher, Direction::Lower, Direction::Unknown, Direction::Unknown]);
    /// ```
    #[must_use]
    pub fn of(metric: &str) -> Self {
        match metric.parse::<Metric>() {
            Ok(metric) if metric.is_best_low() => Self::Lower,
            // Of counts of what is found more is better as well, and a comparison takes it so.
            Ok(metric) if metric.is_best_high() || metric.is_count() && metric.check_gain().is_ok() => {
                Self::Higher
            }
            _ => Self::Unknown,
        }
    }

    /// The same where gates limit the metric and its definition does not say it: what all of them limit from above, or all
    /// from below, is better the further it is from there. Each limit is said as whether there is a least and a largest value.
    #[must_use]
    pub fn or_limits(self, limits: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (mut least, mut most) = (false, false);
        for (min, max) in limits {
            (least, most) = (least || min, most || max);
        }
        match (self, least, most) {
            (Self::Unknown, true, false) => Self::Higher,
            (Self::Unknown, false, true) => Self::Lower,
            _ => self,
        }
    }

    /// Whether a difference is one for the better; `None` where nothing says it, and of no difference.
    #[must_use]
    pub fn is_better(self, difference: f64) -> Option<bool> {
        match self {
            Self::Unknown => None,
            _ if difference == 0.0 || difference.is_nan() => None,
            Self::Higher => Some(difference > 0.0),
            Self::Lower => Some(difference < 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{Higher, Lower, Unknown};
    use super::*;

    #[test]
    fn definitions_say_which_way_is_better_and_limits_where_these_do_not() {
        let of =
            ["nDCG@10", "NumRelRet", "nDCG@10>=0.5", "FalseAnswer", "Usage(cost)", "Judged@10", "NumRet"];
        assert_eq!(of.map(Direction::of), [Higher, Higher, Higher, Lower, Lower, Unknown, Unknown]);
        let limits: [(&[(bool, bool)], Direction); 5] = [
            (&[], Unknown),
            (&[(false, true)], Lower),
            (&[(true, false), (true, false)], Higher),
            // Within a range neither end is better.
            (&[(true, true)], Unknown),
            (&[(true, false), (false, true)], Unknown),
        ];
        for (limits, expected) in limits {
            assert_eq!(Unknown.or_limits(limits.iter().copied()), expected, "{limits:?}");
            assert_eq!(Lower.or_limits(limits.iter().copied()), Lower);
        }
        assert_eq!([-0.1, 0.0, 0.1].map(|by| Lower.is_better(by)), [Some(true), None, Some(false)]);
        assert_eq!([Higher.is_better(0.1), Unknown.is_better(0.1)], [Some(true), None]);
    }
}
