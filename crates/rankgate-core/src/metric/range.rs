//! What lies in the range of a metric: its values, and differences of two of them.

use std::ops::RangeInclusive;

use super::metric::Metric;
use crate::{Error, Result};

#[doc(hidden)]
impl Metric {
    /// The values that it can have, for messages: `nDCG@10 is from 0 to 1`.
    pub fn range_in_words(&self) -> String {
        let range = self.range();
        if range.end().is_infinite() {
            format!("{self} is {} or more", range.start())
        } else {
            format!("{self} is from {} to {}", range.start(), range.end())
        }
    }

    /// The limit that was probably meant by a percentage, of a metric from 0 to 1. A number such as 1.6 is rather mistyped.
    pub fn limit_of_percent(&self, limit: f64) -> Option<f64> {
        (*self.range().end() == 1.0 && (2.0..=100.0).contains(&limit)).then_some(limit / 100.0)
    }

    /// Refuses a limit of values that the metric can never have: whatever a run returns, it would be kept, or broken.
    ///
    /// # Errors
    ///
    /// A limit outside the range of the metric, or one that is not a number.
    ///
    /// ```
    /// use rankgate::metric::Metric;
    ///
    /// let error = "nDCG@10".parse::<Metric>()?.check_limit(60.0).unwrap_err();
    /// assert_eq!(error.to_string(), "nDCG@10 can never be 60: nDCG@10 is from 0 to 1; did you mean 0.6?");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn check_limit(&self, limit: f64) -> Result<()> {
        if limit.is_finite() && self.range().contains(&limit) {
            return Ok(());
        }
        let meant = self.limit_of_percent(limit).map(|meant| format!("; did you mean {meant}?"));
        Err(Error::invalid(format!(
            "{self} can never be {limit}: {}{}",
            self.range_in_words(),
            meant.unwrap_or_default()
        )))
    }

    /// The values that a difference of two scores can have.
    pub fn difference_range(&self) -> RangeInclusive<f64> {
        let range = self.range();
        let most = range.end() - range.start();
        -most..=most
    }

    /// Refuses a limit of differences that none can exceed: whatever two runs return, it would be kept.
    ///
    /// # Errors
    ///
    /// A limit that is as large as the range of the metric, or larger.
    pub fn check_difference(&self, limit: f64) -> Result<()> {
        if limit < *self.difference_range().end() {
            return Ok(());
        }
        let meant = self.limit_of_percent(limit).map(|meant| format!("; did you mean {meant}?"));
        Err(Error::invalid(format!(
            "no two values of {self} differ by more than {limit}: {}{}",
            self.range_in_words(),
            meant.unwrap_or_default()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn a_limit_of_differences_is_less_than_the_range() {
        for (name, limit, is_possible) in [
            ("nDCG@10", 0.999, true),
            ("nDCG@10", 1.0, false),
            ("nDCG@10", 2.0, false),
            ("DCG@10", 50.0, true),
        ] {
            assert_eq!(metric(name).check_difference(limit).is_ok(), is_possible, "{name} {limit}");
        }
        let error = metric("nDCG@10").check_difference(2.0).unwrap_err().to_string();
        assert_eq!(
            error,
            "no two values of nDCG@10 differ by more than 2: nDCG@10 is from 0 to 1; did you mean 0.02?"
        );
        assert!(metric("nDCG@10").check_difference(f64::NAN).is_err());
    }

    #[test]
    fn a_limit_of_values_is_one_of_them() {
        for (name, limit, is_possible) in [
            ("nDCG@10", 0.0, true),
            ("nDCG@10", 1.0, true),
            ("nDCG@10", -0.1, false),
            ("nDCG@10", 1.6, false),
            ("nDCG@10", f64::NAN, false),
            ("DCG@10", 50.0, true),
            ("DCG@10", f64::INFINITY, false),
        ] {
            assert_eq!(metric(name).check_limit(limit).is_ok(), is_possible, "{name} {limit}");
        }
    }
}
