//! The interval of a single mean.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::distribution::{normal_quantile, t_quantile};
use super::{Confidence, Interval, NoInterval, mean, sum};
use crate::order;
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
    /// Groups that the values belong to; `None` where each stands for itself.
    pub groups: Option<usize>,
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
    of_units(values, None, confidence, &range)
}

/// The same where queries that share a group are alike: paraphrases of one question, queries of one user.
///
/// `groups` holds each value's group. The standard error of the mean is that of a sample of G groups: the root of
/// G/(G-1) times the sum over groups of (the sum of the group's deviations from the mean)², over the number of values. It
/// is taken with G-1 degrees of freedom. Wilson's interval stands for as many values as would have that standard error if
/// each stood for itself, at most as many as there are; where all are 0 or all 1 for as many as there are groups; with the
/// quantile of t in place of the normal one. Groups of one value each are the same as none.
///
/// # Errors
///
/// As for [`mean_interval`]; another number of groups than of values.
///
/// # Source
///
/// Kish, "Survey Sampling", 1965; Korn and Graubard, "Confidence Intervals for Proportions with Small Expected Number of
/// Positive Counts Estimated from Survey Data", 1998.
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
    let mut numbers: BTreeMap<&G, usize> = order::map(groups.iter().map(|group| (group, 0)));
    for (position, number) in numbers.values_mut().enumerate() {
        *number = position;
    }
    if numbers.len() == values.len() {
        return of_units(values, None, confidence, &range);
    }
    let groups: Vec<usize> = groups.iter().map(|group| numbers[group]).collect();
    of_units(values, Some((&groups, numbers.len())), confidence, &range)
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
    let n = values.len();
    let mean = mean(values)?;
    let proportion = values.iter().all(|&value| value == 0.0 || value == 1.0);
    let kind = if proportion { IntervalKind::Wilson } else { IntervalKind::T };
    let units = groups.map_or(n, |(_, units)| units);
    let interval = if n == 1 {
        Err(NoInterval::OneValue)
    } else if units == 1 {
        Err(NoInterval::OneGroup)
    } else if proportion {
        Ok(match groups {
            None => wilson(mean, n as f64, normal_quantile(1.0 - confidence.tail())),
            Some(_) => {
                let size = effective_size(mean, n, units, standard_error(values, mean, groups)?);
                wilson(mean, size, t_quantile(1.0 - confidence.tail(), units - 1))
            }
        })
    } else {
        let error = standard_error(values, mean, groups)?;
        let half = t_quantile(1.0 - confidence.tail(), units - 1) * error;
        if values.iter().all(|&value| value == values[0]) {
            Err(NoInterval::NoVariance)
        } else if error == 0.0 {
            Err(NoInterval::EqualGroups)
        } else {
            // A score a rounding error outside the range must not push the interval off its mean.
            let low = (mean - half).max(*range.start()).min(mean);
            let high = (mean + half).min(*range.end()).max(mean);
            Ok(Interval { low, high })
        }
    };
    Ok(MeanInterval { n, mean, interval, kind, groups: groups.map(|(_, units)| units) })
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

/// How many values that each stand for themselves have the standard error of a share of grouped ones.
fn effective_size(share: f64, n: usize, groups: usize, error: f64) -> f64 {
    let (n, groups) = (n as f64, groups as f64);
    if share == 0.0 || share == 1.0 {
        // Nothing tells how alike a group is: at worst it stands for one value.
        return groups;
    }
    (n * share * (1.0 - share) / ((n - 1.0) * error * error)).min(n)
}

/// Wilson (1927), with the share of ones, their number of trials and the quantile of the level.
fn wilson(share: f64, n: f64, z: f64) -> Interval {
    let z2 = z * z;
    let scale = 1.0 + z2 / n;
    let center = (share + z2 / (2.0 * n)) / scale;
    let half = z / scale * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At 0 and 1 the limit is the share itself, which rounding would miss.
    let low = if share == 0.0 { 0.0 } else { (center - half).max(0.0) };
    let high = if share == 1.0 { 1.0 } else { (center + half).min(1.0) };
    Interval { low, high }
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
    fn grouped_values_have_the_interval_of_a_sample_of_groups() {
        let check = |values: &[f64], groups: &[usize], kind, expected: [f64; 2]| {
            let range = 0.0..=f64::INFINITY;
            let result = grouped_mean_interval(values, groups, Confidence::default(), range).unwrap();
            assert_eq!(result.kind, kind);
            let Interval { low, high } = result.interval.unwrap();
            assert!((low - expected[0]).abs() < 1e-9 && (high - expected[1]).abs() < 1e-9, "{low} {high}");
            result.groups
        };
        use IntervalKind::{T, Wilson};
        // statsmodels: OLS on a constant with cov_type="cluster", use_correction=True (G/(G-1) (N-1)/(N-k) with k = 1) and
        // use_t=True, whose degrees of freedom are G-1
        let scores = [0.1, 0.5, 0.25, 1.0, 0.0, 0.75, 0.3, 0.9];
        let limits = [0.22710176581611008, 0.7228982341838898];
        assert_eq!(check(&scores, &[1, 1, 2, 2, 2, 3, 4, 4], T, limits), Some(4));
        // the same standard error, and proportion_confint(method="wilson") of the effective size, at the level whose
        // normal quantile is that of t; the first is of no fewer than the ten values, the second of 6.857
        let hits = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0];
        let limits = [0.2303286831478173, 0.8826104901453034];
        check(&hits, &[1, 1, 1, 2, 2, 3, 3, 4, 4, 5], Wilson, limits);
        let hits = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        check(&hits, &[1, 1, 2, 2, 3, 3, 4, 4], Wilson, [0.11390254290178964, 0.8860974570982103]);
        // G / (G + t²), with 4.3027 for t
        check(&[1.0; 6], &[1, 1, 2, 2, 3, 3], Wilson, [0.1394517282479143, 1.0]);
        let ones = [1.0, 1.0, 0.0, 1.0];
        // Alone in its group each value stands for itself.
        let alone = mean_interval(&ones, Confidence::default(), 0.0..=1.0).unwrap();
        let singles = grouped_mean_interval(&ones, &[4, 3, 2, 1], Confidence::default(), 0.0..=1.0).unwrap();
        assert_eq!(alone, singles);
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
        for (values, groups, reason) in [
            (&[0.4, 0.5][..], &[1, 1][..], NoInterval::OneGroup),
            (&[0.4, 0.4, 0.4], &[1, 2, 2], NoInterval::NoVariance),
            (&[0.1, 0.7, 0.2, 0.6], &[1, 1, 2, 2], NoInterval::EqualGroups),
        ] {
            let result = grouped_mean_interval(values, groups, Confidence::default(), 0.0..=1.0).unwrap();
            assert_eq!(result.interval, Err(reason), "{values:?}");
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
