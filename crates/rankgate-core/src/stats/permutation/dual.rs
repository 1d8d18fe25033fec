//! The interval that is the inverse of the sign-flip test: all mean differences that the test would not
//! reject.

use super::monte_carlo::MonteCarlo;
use super::{PermutationOptions, PermutationTest, halves};
use crate::stats::{Confidence, Differences, Interval, NoInterval};

/// Up to so many units the limits are those of the exact test.
const MOST_EXACT_UNITS: usize = 28;

/// The limits from the exact test, to eleven digits, by halving an interval.
///
/// The test rejects a mean from below while its p is at most the tail. That p is the share of the units'
/// subsets whose mean is at most the tested one, so it changes only at subset means: the smallest is the
/// smallest single difference, and the mean of all units is never rejected.
fn exact(differences: &Differences, confidence: Confidence) -> Result<Interval, NoInterval> {
    let units = differences.len() as i32;
    if 2f64.powi(-units) > confidence.tail() {
        return Err(NoInterval::TooFewUnits);
    }
    let single = differences.sums().iter().zip(differences.sizes());
    let single = single.map(|(sum, &size)| sum / f64::from(size));
    let (lowest, highest) = single.fold((f64::INFINITY, f64::NEG_INFINITY), |(lowest, highest), mean| {
        (lowest.min(mean), highest.max(mean))
    });
    let all = 2f64.powi(units);
    let rejects = |null: f64, below: bool| {
        let counts = halves::counts(&differences.shifted_fixed(null));
        let count = if below { counts.greater } else { counts.less };
        // Units equal to the null are left out of the count: either sign is the same vector twice.
        let count = count as f64 * 2f64.powi(units - counts.units as i32);
        count / all <= confidence.tail()
    };
    let mean = differences.mean();
    Ok(Interval {
        low: boundary(lowest, mean, |null| rejects(null, true)),
        high: boundary(highest, mean, |null| rejects(null, false)),
    })
}

/// Where `rejects` turns from true to false between `outer` and `inner`.
fn boundary(outer: f64, inner: f64, rejects: impl Fn(f64) -> bool) -> f64 {
    // Nothing beyond the outermost difference can be told from it: below it only the empty subset counts.
    if !rejects(outer) {
        return outer;
    }
    let (mut rejected, mut kept) = (outer, inner);
    loop {
        let middle = rejected + (kept - rejected) / 2.0;
        if (kept - rejected).abs() <= 1e-11 * (1.0 + kept.abs()) || middle == rejected || middle == kept {
            return kept;
        }
        if rejects(middle) {
            rejected = middle;
        } else {
            kept = middle;
        }
    }
}

/// The limits from simulated subsets: order statistics of their means.
fn simulated(draws: &MonteCarlo<'_>, confidence: Confidence) -> Result<Interval, NoInterval> {
    let rank = confidence.tail_rank(draws.resamples()) as usize;
    if rank == 0 {
        return Err(NoInterval::TooFewResamples);
    }
    let mut means = draws.means();
    // The empty subset excludes nothing: it counts as beyond either limit.
    let empty = draws.resamples() as usize - means.len();
    let Some(place) = rank.checked_sub(empty + 1) else { return Err(NoInterval::TooFewUnits) };
    let mirrored = means.len() - 1 - place;
    let (_, &mut low, _) = means.select_nth_unstable_by(place, f64::total_cmp);
    let (_, &mut high, _) = means.select_nth_unstable_by(mirrored, f64::total_cmp);
    Ok(Interval { low, high })
}

/// The two-sided interval of the mean difference that belongs to the permutation test: every mean that
/// neither one-sided test rejects at half the error rate.
///
/// Exact up to 28 units, otherwise from the simulated subsets. It is unadjusted for other comparisons.
///
/// # Errors
///
/// When there is one unit, so few units that no mean can be rejected at this confidence, or too few
/// resamples.
///
/// # Source
///
/// Hartigan, "Using Subsample Values as Typical Values", 1969.
///
/// ```
/// use rankgate::stats::{Confidence, Differences, PermutationOptions, dual_interval};
///
/// let differences = Differences::new(&[0.0; 6], &[0.1, 0.3, -0.1, 0.2, 0.4, 0.3])?;
/// let interval = dual_interval(&differences, Confidence::new(0.9)?, &PermutationOptions::default());
/// let interval = interval.unwrap();
/// assert!((interval.low - 0.05).abs() < 1e-9 && (interval.high - 0.35).abs() < 1e-9, "{interval:?}");
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn dual_interval(
    differences: &Differences,
    confidence: Confidence,
    options: &PermutationOptions,
) -> Result<Interval, NoInterval> {
    interval_with_draws(differences, confidence, options, &mut None)
}

/// As [`dual_interval`], reading from draws that may be there already.
pub(in crate::stats) fn interval_with_draws<'a>(
    differences: &'a Differences,
    confidence: Confidence,
    options: &'a PermutationOptions,
    draws: &mut Option<MonteCarlo<'a>>,
) -> Result<Interval, NoInterval> {
    if differences.len() == 1 {
        return Err(NoInterval::OneValue);
    }
    if differences.len() <= MOST_EXACT_UNITS {
        return exact(differences, confidence);
    }
    simulated(MonteCarlo::or_draw(draws, differences, options), confidence)
}

/// Moves a limit that simulation put on the wrong side of a tested mean to that mean, or a step beside it
/// where the test rejects it.
pub(in crate::stats) fn reconcile(
    mut interval: Interval,
    tests: &[PermutationTest],
    confidence: Confidence,
    step: f64,
) -> Interval {
    for test in tests {
        let null = test.null;
        let (above, below) = (test.p_greater <= confidence.tail(), test.p_less <= confidence.tail());
        interval.low = if above { interval.low.max(null + step) } else { interval.low.min(null) };
        interval.high = if below { interval.high.min(null - step) } else { interval.high.max(null) };
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All subset means, from the smallest.
    fn subset_means(differences: &Differences) -> Vec<f64> {
        let mut means = Vec::new();
        for subset in 1u32..1 << differences.len() {
            let (mut sum, mut size) = (0.0, 0);
            for unit in 0..differences.len() {
                if subset >> unit & 1 == 1 {
                    sum += differences.sums()[unit];
                    size += differences.sizes()[unit];
                }
            }
            means.push(sum / f64::from(size));
        }
        means.sort_unstable_by(f64::total_cmp);
        means
    }

    fn close(interval: Interval, low: f64, high: f64, within: f64) {
        assert!(
            (interval.low - low).abs() < within && (interval.high - high).abs() < within,
            "{interval:?} is not {low} .. {high}"
        );
    }

    #[test]
    fn exact_limits_are_order_statistics_of_all_subset_means() {
        let scores = [0.31, -0.2, 0.0, 0.55, 0.1, 0.1, -0.45, 0.27, 0.02, 0.4];
        let zeros = [0.0; 10];
        let single = Differences::new(&zeros, &scores).unwrap();
        let grouped = Differences::grouped(&zeros, &scores, &[1, 1, 2, 3, 4, 4, 5, 6, 7, 8]).unwrap();
        let tied = Differences::new(&zeros, &[0.1, 0.0, 0.0, 0.1, 0.0, -0.1, 0.0, 0.0, 0.1, 0.1]).unwrap();
        // where the limits are nowhere near 0, nor the sums of groups near their means
        let pairs: Vec<usize> = (0..16).map(|i| i / 2).collect();
        let of_pairs = |sign: f64| {
            let scores: Vec<f64> = (0..16).map(|i| sign * (0.5 + f64::from(i * i % 11) / 50.0)).collect();
            Differences::grouped(&[0.0; 16], &scores, &pairs).unwrap()
        };
        for differences in [single, grouped, tied, of_pairs(1.0), of_pairs(-1.0)] {
            let means = subset_means(&differences);
            for level in [0.95, 0.9, 0.8] {
                let confidence = Confidence::new(level).unwrap();
                // the smallest count, the empty subset included, that is over the tail
                let count = (confidence.tail() * (means.len() + 1) as f64).floor() as usize;
                let interval = exact(&differences, confidence).unwrap();
                close(interval, means[count - 1], means[means.len() - count], 1e-10);
            }
        }
    }

    #[test]
    fn simulated_limits_approach_the_exact_ones() {
        let scores: Vec<f64> = (0..24).map(|i| f64::from(i * i % 17) / 17.0 - 0.3).collect();
        let differences = Differences::new(&[0.0; 24], &scores).unwrap();
        let exact = exact(&differences, Confidence::default()).unwrap();
        let options = PermutationOptions::default();
        let mut draws = None;
        let draws = MonteCarlo::or_draw(&mut draws, &differences, &options);
        let simulated = simulated(draws, Confidence::default()).unwrap();
        close(simulated, exact.low, exact.high, 0.005);
    }

    #[test]
    fn too_few_units_leave_the_limits_open() {
        for (units, level, expected) in [
            (1, 0.5, Err(NoInterval::OneValue)),
            (5, 0.95, Err(NoInterval::TooFewUnits)),
            (5, 0.9, Ok(Interval { low: 0.25, high: 0.25 })),
        ] {
            let differences = Differences::new(&vec![0.0; units], &vec![0.25; units]).unwrap();
            let confidence = Confidence::new(level).unwrap();
            assert_eq!(dual_interval(&differences, confidence, &PermutationOptions::default()), expected);
        }
    }

    #[test]
    fn limits_do_not_contradict_tests() {
        let test = |null, p_greater, p_less| PermutationTest {
            null,
            p_greater,
            p_less,
            engine: crate::stats::Engine::ExactCount,
            resamples: None,
            nonzero: 9,
        };
        let interval = Interval { low: -0.01, high: 0.2 };
        let confidence = Confidence::default();
        for (test, expected) in [
            (test(0.0, 0.024, 0.976), Interval { low: 0.001, high: 0.2 }),
            (test(0.0, 0.026, 0.974), interval),
            (test(-0.02, 0.026, 0.974), Interval { low: -0.02, high: 0.2 }),
            (test(0.3, 0.9, 0.1), Interval { low: -0.01, high: 0.3 }),
            (test(0.15, 0.99, 0.01), Interval { low: -0.01, high: 0.149 }),
        ] {
            assert_eq!(reconcile(interval, &[test], confidence, 0.001), expected);
        }
    }
}
