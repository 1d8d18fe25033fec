//! The interval of a single mean.

use std::ops::RangeInclusive;

use super::distribution::t_quantile;
use super::unseen::UnseenQuery;
use super::{Confidence, Interval, NoInterval, mean, sum};
use crate::order;
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// How the interval of a mean is made.
    #[non_exhaustive]
    pub enum IntervalKind {
        /// The means that one more query, at either end of the metric's range, leaves possible.
        UnseenQuery = "unseen-query" => "unseen query",
        /// Student's t, clipped to the metric's range where that has one end.
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
    /// Groups that the values belong to; `None` where each stands for itself.
    pub groups: Option<usize>,
}

/// The mean of one configuration's scores with its two-sided interval.
///
/// Where `range` has two ends, one more query is put beside those that were seen: at the lower end for the lower limit, at
/// the upper end for the upper one (see [`unseen_tail`](super::unseen_tail)). This needs no spread, so that scores that
/// are all the same have an interval as well. Of 0 and 1 it is that of Clopper and Pearson. Where the range is open, as
/// that of a DCG, it is the t interval; a single value and values that are all the same then have none.
///
/// `values` holds one score per query; `range` is what the metric can be at all, such as `0.0..=1.0`
/// or `0.0..=f64::INFINITY`.
///
/// # Errors
///
/// When there are no values, one of them is not finite, or the range is empty.
///
/// ```
/// use rankgate::stats::{Confidence, IntervalKind, mean_interval};
///
/// let hits = mean_interval(&[1.0, 1.0, 0.0, 1.0], Confidence::default(), 0.0..=1.0)?;
/// assert_eq!((hits.kind, hits.mean), (IntervalKind::UnseenQuery, 0.75));
/// let interval = hits.interval.unwrap();
/// assert!(0.19 < interval.low && interval.low < 0.20 && interval.high < 0.994);
///
/// let perfect = mean_interval(&[1.0; 38], Confidence::default(), 0.0..=1.0)?;
/// assert!(perfect.interval.unwrap().low > 0.90);
///
/// let gains = mean_interval(&[3.0, 3.0], Confidence::default(), 0.0..=f64::INFINITY)?;
/// assert_eq!(gains.interval.unwrap_err().to_string(), "all queries give the same value");
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn mean_interval(
    values: &[f64],
    confidence: Confidence,
    range: RangeInclusive<f64>,
) -> Result<MeanInterval> {
    of_units(values, None, confidence, &range)
}

/// The same where queries that share a group are alike: paraphrases of one question, queries of one user.
///
/// `groups` holds each value's group. Groups are weighed as a whole, and the unseen group is as large as the largest. Where the
/// range is open, the standard error of the mean is that of a sample of G groups: the root of G/(G-1) times the sum over
/// groups of (the sum of the group's deviations from the mean)², over the number of values. It is taken with G-1 degrees of
/// freedom. Groups of one value each are the same as none.
///
/// # Errors
///
/// As for [`mean_interval`]; another number of groups than of values.
///
/// # Source
///
/// Kish, "Survey Sampling", 1965.
///
/// ```
/// use rankgate::stats::{Confidence, grouped_mean_interval, mean_interval};
///
/// // Three users, each of whose queries do about as well.
/// let (scores, users) = ([0.1, 0.2, 0.5, 0.6, 0.9, 0.8], ["a", "a", "b", "b", "c", "c"]);
/// let apart = mean_interval(&scores, Confidence::default(), 0.0..=1.0)?.interval.unwrap();
/// let grouped = grouped_mean_interval(&scores, &users, Confidence::default(), 0.0..=1.0)?;
/// assert_eq!(grouped.groups, Some(3));
/// assert!(grouped.interval.unwrap().low < apart.low);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn grouped_mean_interval<G: Ord>(
    values: &[f64],
    groups: &[G],
    confidence: Confidence,
    range: RangeInclusive<f64>,
) -> Result<MeanInterval> {
    if groups.len() != values.len() {
        let (groups, values) = (groups.len(), values.len());
        return Err(Error::invalid(format!("{groups} groups were given for {values} values")));
    }
    let (numbers, count) = order::numbers(groups);
    let groups = (count != values.len()).then_some((&*numbers, count));
    of_units(values, groups, confidence, &range)
}

/// The interval, with each value's group by number and how many groups there are.
fn of_units(
    values: &[f64],
    groups: Option<(&[usize], usize)>,
    confidence: Confidence,
    range: &RangeInclusive<f64>,
) -> Result<MeanInterval> {
    if range.is_empty() {
        let (start, end) = (range.start(), range.end());
        return Err(Error::invalid(format!("a metric cannot range from {start} to {end}")));
    }
    let (n, mean) = (values.len(), mean(values)?);
    let bounded = range.start().is_finite() && range.end().is_finite();
    let (kind, interval) = match bounded {
        true => (IntervalKind::UnseenQuery, Ok(unseen_interval(values, groups, mean, confidence, range))),
        false => (IntervalKind::T, t_interval(values, groups, mean, confidence, range)?),
    };
    Ok(MeanInterval { n, mean, interval, kind, groups: groups.map(|(_, units)| units) })
}

/// The limits where the metric has a range.
fn unseen_interval(
    values: &[f64],
    groups: Option<(&[usize], usize)>,
    mean: f64,
    confidence: Confidence,
    range: &RangeInclusive<f64>,
) -> Interval {
    let (mut sums, mut sizes) = (values.to_vec(), Vec::new());
    if let Some((groups, units)) = groups {
        (sums, sizes) = (vec![0.0; units], vec![0; units]);
        for (&group, value) in groups.iter().zip(values) {
            sums[group] += value;
            sizes[group] += 1;
        }
    }
    let limit =
        |sums: &[f64], worst| UnseenQuery { sums, sizes: &sizes, worst }.lower_limit(confidence.tail());
    let low = limit(&sums, *range.start());
    let mirrored: Vec<f64> = sums.iter().map(|sum| -sum).collect();
    let high = -limit(&mirrored, -*range.end());
    // Where nothing is above the worst, rounding must not push the interval off its mean.
    Interval { low: low.min(mean), high: high.max(mean) }
}

/// The limits where it has none.
fn t_interval(
    values: &[f64],
    groups: Option<(&[usize], usize)>,
    mean: f64,
    confidence: Confidence,
    range: &RangeInclusive<f64>,
) -> Result<Result<Interval, NoInterval>> {
    let units = groups.map_or(values.len(), |(_, units)| units);
    if values.len() == 1 {
        return Ok(Err(NoInterval::OneValue));
    }
    if units == 1 {
        return Ok(Err(NoInterval::OneGroup));
    }
    if values.iter().all(|&value| value == values[0]) {
        return Ok(Err(NoInterval::NoVariance));
    }
    let error = standard_error(values, mean, groups)?;
    if error == 0.0 {
        return Ok(Err(NoInterval::EqualGroups));
    }
    let half = t_quantile(1.0 - confidence.tail(), units - 1) * error;
    // A score a rounding error outside the range must not push the interval off its mean.
    let low = (mean - half).max(*range.start()).min(mean);
    let high = (mean + half).min(*range.end()).max(mean);
    Ok(Ok(Interval { low, high }))
}

/// The standard error of a mean of values or, where they are grouped, of a sample of groups.
fn standard_error(values: &[f64], mean: f64, groups: Option<(&[usize], usize)>) -> Result<f64> {
    let n = values.len() as f64;
    let mut deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
    if let Some((groups, units)) = groups {
        let mut sums = vec![0.0; units];
        for (group, deviation) in groups.iter().zip(&deviations) {
            sums[*group] += deviation;
        }
        // What rounding leaves of deviations that cancel each other out is no spread.
        let noise =
            values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs())) * n * f64::EPSILON;
        deviations = sums.into_iter().map(|sum| if sum.abs() <= noise { 0.0 } else { sum }).collect();
    }
    let units = deviations.len() as f64;
    let squares: Vec<f64> = deviations.iter().map(|deviation| deviation * deviation).collect();
    Ok((sum(&squares)? / (units - 1.0) * (units / n) / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: RangeInclusive<f64> = 0.0..=f64::INFINITY;

    fn check(values: &[f64], groups: Option<&[usize]>, expected: [f64; 2]) -> Option<usize> {
        let confidence = Confidence::default();
        let result = match groups {
            None => mean_interval(values, confidence, OPEN),
            Some(groups) => grouped_mean_interval(values, groups, confidence, OPEN),
        };
        let result = result.unwrap();
        let Interval { low, high } = result.interval.unwrap();
        assert!((low - expected[0]).abs() < 1e-9 && (high - expected[1]).abs() < 1e-9, "{low} {high}");
        assert_eq!(result.kind, IntervalKind::T);
        result.groups
    }

    #[test]
    fn without_a_range_it_is_t_clipped_to_its_end() {
        // scipy.stats.t.interval
        check(&[0.1, 0.5, 0.25, 1.0, 0.0, 0.75], None, [0.024636869422697938, 0.8420297972439688]);
        check(&[0.9, 1.0, 0.95, 1.0, 1.0], None, [0.9144710978960441, 1.0255289021039558]);
        check(&[0.0, 0.0, 1.0], None, [0.0, 1.0 / 3.0 + 4.302652729749464 / 3.0]);
        // statsmodels: OLS on a constant with cov_type="cluster", use_correction=True (G/(G-1) (N-1)/(N-k) with k = 1) and
        // use_t=True, whose degrees of freedom are G-1
        let scores = [0.1, 0.5, 0.25, 1.0, 0.0, 0.75, 0.3, 0.9];
        let limits = [0.22710176581611008, 0.7228982341838898];
        assert_eq!(check(&scores, Some(&[1, 1, 2, 2, 2, 3, 4, 4]), limits), Some(4));
    }

    #[test]
    fn with_a_range_it_is_what_an_unseen_query_leaves() {
        let confidence = Confidence::new(0.9).unwrap();
        for values in [&[0.4][..], &[0.4; 3], &[0.0; 4], &[1.0; 4], &[0.1, 0.5, 0.25, 1.0, 0.0, 0.75]] {
            let result = mean_interval(values, confidence, 0.0..=1.0).unwrap();
            assert_eq!(result.kind, IntervalKind::UnseenQuery, "{values:?}");
            let Interval { low, high } = result.interval.unwrap();
            assert!(low <= result.mean && result.mean <= high, "{values:?}");
            assert!(
                (low == 0.0) == (result.mean == 0.0) && (high == 1.0) == (result.mean == 1.0),
                "{values:?}"
            );
        }
        // Alone in its group each value stands for itself; groups of one size are as their means.
        let values = [1.0, 0.5, 0.0, 0.25];
        let alone = mean_interval(&values, confidence, 0.0..=1.0).unwrap();
        assert_eq!(alone, grouped_mean_interval(&values, &[4, 3, 2, 1], confidence, 0.0..=1.0).unwrap());
        let pairs = grouped_mean_interval(&values, &[1, 1, 2, 2], confidence, 0.0..=1.0).unwrap();
        let means = mean_interval(&[0.75, 0.125], confidence, 0.0..=1.0).unwrap();
        let (pairs, means) = (pairs.interval.unwrap(), means.interval.unwrap());
        assert!(
            (pairs.low - means.low).abs() < 1e-11 && (pairs.high - means.high).abs() < 1e-11,
            "{pairs:?}"
        );
    }

    #[test]
    fn too_little_to_go_by_is_said() {
        for (values, groups, reason) in [
            (&[4.0][..], &[1][..], NoInterval::OneValue),
            (&[4.0, 4.0, 4.0], &[1, 2, 3], NoInterval::NoVariance),
            (&[4.0, 5.0], &[1, 1], NoInterval::OneGroup),
            (&[4.0, 4.0, 4.0], &[1, 2, 2], NoInterval::NoVariance),
            (&[1.0, 7.0, 2.0, 6.0], &[1, 1, 2, 2], NoInterval::EqualGroups),
        ] {
            let result = grouped_mean_interval(values, groups, Confidence::default(), OPEN).unwrap();
            assert_eq!((result.kind, result.interval), (IntervalKind::T, Err(reason)), "{values:?}");
        }
    }

    #[test]
    fn bad_input_is_an_error() {
        let confidence = Confidence::default();
        assert!(mean_interval(&[], confidence, 0.0..=1.0).is_err());
        assert!(grouped_mean_interval(&[0.5, 0.6], &[1], confidence, 0.0..=1.0).is_err());
        assert!(mean_interval(&[0.5, f64::NAN], confidence, 0.0..=1.0).is_err());
        assert!(mean_interval(&[0.5, 0.6], confidence, 0.0..=f64::NAN).is_err());
        let backwards = RangeInclusive::new(1.0, 0.0);
        assert!(mean_interval(&[0.5, 0.6], confidence, backwards).is_err());
    }
}
