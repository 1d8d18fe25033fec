//! Confidence levels, kept as decimals.

use crate::{Error, Result};

/// Levels are kept in parts per billion: what people write (0.95, 0.999) is then exact, and so are
/// the ranks of order statistics computed from it.
const PARTS: u64 = 1_000_000_000;

/// A two-sided confidence level strictly between 0 and 1, such as 0.95.
///
/// It is read as the decimal number that was written, to nine places: the tail on each side of
/// 0.95 is exactly 0.025, where `(1.0 - 0.95) / 2.0` is a little more.
///
/// ```
/// use rankgate::stats::Confidence;
///
/// let confidence = Confidence::new(0.95)?;
/// assert_eq!(confidence.tail(), 0.025);
/// assert!(Confidence::new(1.0).is_err());
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(into = "f64")]
pub struct Confidence {
    alpha: u64,
}

impl Confidence {
    /// Takes a level strictly between 0 and 1.
    ///
    /// # Errors
    ///
    /// When the level is not a number, or not between 0.000000001 and 0.999999999.
    pub fn new(level: f64) -> Result<Self> {
        let parts = (level * PARTS as f64).round();
        if !(parts >= 1.0 && parts < PARTS as f64) {
            return Err(Error::invalid(format!("a confidence is between 0 and 1, not {level}")));
        }
        Ok(Self { alpha: PARTS - parts as u64 })
    }

    /// The level as given, such as 0.95.
    pub fn level(self) -> f64 {
        (PARTS - self.alpha) as f64 / PARTS as f64
    }

    /// The error rate over both sides: 1 minus the level, such as 0.05.
    pub fn alpha(self) -> f64 {
        self.alpha as f64 / PARTS as f64
    }

    /// The error rate on one side, which every one-sided test is held against: such as 0.025.
    pub fn tail(self) -> f64 {
        self.alpha as f64 / (2 * PARTS) as f64
    }

    /// `floor(alpha / 2 * (resamples + 1))`: the rank, counted from 1, of the order statistic that
    /// bounds a resampled interval; 0 when there are too few resamples for a bound.
    pub(super) fn tail_rank(self, resamples: u64) -> u64 {
        let product = u128::from(self.alpha) * (u128::from(resamples) + 1);
        (product / u128::from(2 * PARTS)) as u64
    }
}

impl Default for Confidence {
    /// 0.95.
    fn default() -> Self {
        Self { alpha: PARTS / 20 }
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> Self {
        confidence.level()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_decimal_level() {
        // level, resamples, alpha / 2 * (resamples + 1) by hand
        for (level, resamples, rank) in [
            (0.95, 9_999, 250),
            (0.90, 9_999, 500),
            (0.99, 999, 5),
            (0.999, 9_999, 5),
            (0.95, 19, 0),
            (0.95, 39, 1),
            (0.9, 99_999, 5_000),
        ] {
            assert_eq!(Confidence::new(level).unwrap().tail_rank(resamples), rank, "{level} {resamples}");
        }
    }

    #[test]
    fn a_confidence_is_its_level() {
        assert_eq!(f64::from(Confidence::new(0.9).unwrap()), 0.9);
    }

    #[test]
    fn tails_are_decimal() {
        for (level, alpha, tail) in [(0.95, 0.05, 0.025), (0.9, 0.1, 0.05), (0.99, 0.01, 0.005)] {
            let confidence = Confidence::new(level).unwrap();
            assert_eq!((confidence.level(), confidence.alpha(), confidence.tail()), (level, alpha, tail));
        }
        assert_eq!(Confidence::default(), Confidence::new(0.95).unwrap());
    }

    #[test]
    fn levels_outside_0_to_1_are_errors() {
        for level in [0.0, 1.0, -0.5, 2.0, 95.0, f64::NAN, f64::INFINITY, 1e-12] {
            let error = Confidence::new(level).unwrap_err().to_string();
            assert!(error.starts_with("a confidence is between 0 and 1"), "{error}");
        }
    }
}
