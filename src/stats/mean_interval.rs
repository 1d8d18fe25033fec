//! The interval of a single mean.

use std::ops::RangeInclusive;

use super::distribution::{normal_quantile, t_quantile};
use super::{Confidence, Interval, NoInterval, mean, sum};
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// Which formula the interval of a mean comes from.
    #[non_exhaustive]
    pub enum IntervalKind {
        /// Wilson's score interval of a proportion.
        Wilson = "wilson" => "Wilson",
        /// Student's t, clipped to the metric's range.
        T = "t",
    }
}

/// A mean with the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MeanInterval {
    /// How many values were averaged.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// The two-sided limits, or why there are none.
    pub interval: Result<Interval, NoInterval>,
    /// The formula for values like these.
    pub kind: IntervalKind,
}

/// The mean of one configuration's scores with its two-sided interval.
///
/// Wilson's score interval when every value is 0 or 1 (a proportion), otherwise the t interval
/// clipped to the metric's range. Two things have no interval: a single value, and values that are
/// all the same number other than 0 or 1.
///
/// `values` holds one score per query; `range` is what the metric can be at all, such as `0.0..=1.0`
/// or `0.0..=f64::INFINITY`.
///
/// # Errors
///
/// When there are no values, one of them is not finite, or the range is empty.
///
/// # Source
///
/// Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
///
/// ```
/// use rankgate::stats::{Confidence, IntervalKind, mean_interval};
///
/// let hits = mean_interval(&[1.0, 1.0, 0.0, 1.0], Confidence::default(), 0.0..=1.0)?;
/// assert_eq!(hits.kind, IntervalKind::Wilson);
/// assert_eq!(hits.mean, 0.75);
/// let interval = hits.interval.unwrap();
/// assert!(0.30 < interval.low && interval.high < 0.96);
///
/// let ndcg = mean_interval(&[0.3, 0.3], Confidence::default(), 0.0..=1.0)?;
/// assert_eq!(ndcg.interval.unwrap_err().to_string(), "all queries give the same value");
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn mean_interval(
    values: &[f64],
    confidence: Confidence,
    range: RangeInclusive<f64>,
) -> Result<MeanInterval> {
    if range.is_empty() {
        let (start, end) = (range.start(), range.end());
        return Err(Error::invalid(format!("a metric cannot range from {start} to {end}")));
    }
    let n = values.len();
    let mean = mean(values)?;
    let proportion = values.iter().all(|&value| value == 0.0 || value == 1.0);
    let kind = if proportion { IntervalKind::Wilson } else { IntervalKind::T };
    let interval = if n == 1 {
        Err(NoInterval::OneValue)
    } else if proportion {
        Ok(wilson(mean, n, confidence))
    } else if values.iter().all(|&value| value == values[0]) {
        Err(NoInterval::NoVariance)
    } else {
        let raw = student(values, mean, confidence)?;
        // A score a rounding error outside the range must not push the interval off its mean.
        let low = raw.low.max(*range.start()).min(mean);
        let high = raw.high.min(*range.end()).max(mean);
        Ok(Interval { low, high })
    };
    Ok(MeanInterval { n, mean, interval, kind })
}

/// Wilson (1927), with the share of ones and their number of trials.
fn wilson(share: f64, n: usize, confidence: Confidence) -> Interval {
    let n = n as f64;
    let z = normal_quantile(1.0 - confidence.tail());
    let z2 = z * z;
    let scale = 1.0 + z2 / n;
    let center = (share + z2 / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At 0 and 1 the limit is the share itself, which rounding would miss.
    let low = if share == 0.0 { 0.0 } else { (center - half).max(0.0) };
    let high = if share == 1.0 { 1.0 } else { (center + half).min(1.0) };
    Interval { low, high }
}

fn student(values: &[f64], mean: f64, confidence: Confidence) -> Result<Interval> {
    let n = values.len() as f64;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    let error = (sum(&squares)? / (n - 1.0) / n).sqrt();
    let half = t_quantile(1.0 - confidence.tail(), values.len() - 1) * error;
    Ok(Interval { low: mean - half, high: mean + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(hits: usize, n: usize) -> Vec<f64> {
        (0..n).map(|i| if i < hits { 1.0 } else { 0.0 }).collect()
    }

    fn check(values: &[f64], level: f64, range: RangeInclusive<f64>, kind: IntervalKind, expected: [f64; 2]) {
        let result = mean_interval(values, Confidence::new(level).unwrap(), range).unwrap();
        assert_eq!(result.kind, kind);
        let Interval { low, high } = result.interval.unwrap();
        assert!((low - expected[0]).abs() < 1e-12 && (high - expected[1]).abs() < 1e-12, "{low} {high}");
    }

    #[test]
    fn zeros_and_ones_get_wilsons_interval() {
        // statsmodels proportion_confint(method="wilson")
        for (hits, n, level, expected) in [
            (0, 10, 0.95, [0.0, 0.27753279986288926]),
            (10, 10, 0.95, [0.7224672001371106, 1.0]),
            (7, 20, 0.95, [0.18119182410108203, 0.5671457233147638]),
            (81, 263, 0.90, [0.2633136171884814, 0.35656634960848815]),
        ] {
            check(&binary(hits, n), level, 0.0..=1.0, IntervalKind::Wilson, expected);
        }
    }

    #[test]
    fn other_values_get_t_clipped_to_the_range() {
        // scipy.stats.t.interval
        let spread = [0.1, 0.5, 0.25, 1.0, 0.0, 0.75];
        check(&spread, 0.95, 0.0..=1.0, IntervalKind::T, [0.024636869422697938, 0.8420297972439688]);
        let high = [0.9, 1.0, 0.95, 1.0, 1.0];
        check(&high, 0.95, 0.0..=1.0, IntervalKind::T, [0.9144710978960441, 1.0]);
        check(&high, 0.95, 0.0..=f64::INFINITY, IntervalKind::T, [0.9144710978960441, 1.0255289021039558]);
    }

    #[test]
    fn too_little_to_go_by_is_said() {
        for (values, kind, reason) in [
            (&[0.4][..], IntervalKind::T, NoInterval::OneValue),
            (&[1.0][..], IntervalKind::Wilson, NoInterval::OneValue),
            (&[0.4, 0.4, 0.4][..], IntervalKind::T, NoInterval::NoVariance),
        ] {
            let result = mean_interval(values, Confidence::default(), 0.0..=1.0).unwrap();
            assert_eq!((result.kind, result.interval), (kind, Err(reason)), "{values:?}");
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        let confidence = Confidence::default();
        assert!(mean_interval(&[], confidence, 0.0..=1.0).is_err());
        assert!(mean_interval(&[0.5, f64::NAN], confidence, 0.0..=1.0).is_err());
        assert!(mean_interval(&[0.5, 0.6], confidence, 0.0..=f64::NAN).is_err());
        let backwards = RangeInclusive::new(1.0, 0.0);
        assert!(mean_interval(&[0.5, 0.6], confidence, backwards).is_err());
    }
}
