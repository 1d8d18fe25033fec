//! The score test of the difference of two paired proportions.

use super::Direction;
use super::distribution::normal_cdf;

/// The one-sided p-value against a difference of `null` between two paired proportions, from how many of
/// `pairs` units only the candidate succeeds on, and how many only the baseline.
///
/// With a null of 0 it is McNemar's test without correction. A null outside of -1 to 1 is refuted.
///
/// # Source
///
/// Tango, "Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample
/// Design", 1998.
///
/// ```
/// use rankgate::stats::{Direction, paired_score_test};
///
/// // 43 of 44 succeed under both, one only under the baseline: not .1 worse?
/// let p = paired_score_test(0, 1, 44, -0.1, Direction::Greater);
/// assert!((p - 0.0437).abs() < 1e-3, "{p}");
/// ```
#[must_use]
pub fn paired_score_test(gained: usize, lost: usize, pairs: usize, null: f64, direction: Direction) -> f64 {
    let (gained, lost, pairs) = (gained as f64, lost as f64, pairs as f64);
    let (gained, lost, null) = match direction {
        Direction::Greater => (gained, lost, null),
        Direction::Less => (lost, gained, -null),
    };
    let beyond = gained - lost - pairs * null;
    // The likeliest share of losses where the shares differ by the null: the root of a quadratic.
    let linear = (2.0 * pairs - gained + lost) * null - gained - lost;
    let root = (linear * linear + 8.0 * pairs * lost * null * (1.0 - null)).max(0.0).sqrt();
    let share = (root - linear) / (4.0 * pairs);
    let variance = pairs * (2.0 * share + null * (1.0 - null));
    if null.abs() < 1.0 && variance > 0.0 {
        normal_cdf(-beyond / variance.sqrt())
    } else if beyond > 0.0 {
        0.0
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Direction::{Greater, Less};

    #[test]
    fn without_a_null_it_is_mcnemars_test() {
        // (12 - 3) / sqrt(15)
        let z: f64 = 9.0 / 15f64.sqrt();
        for pairs in [15, 40, 1000] {
            assert!((paired_score_test(12, 3, pairs, 0.0, Greater) - normal_cdf(-z)).abs() < 1e-12);
            assert!((paired_score_test(12, 3, pairs, 0.0, Less) - normal_cdf(z)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_share_under_the_null_is_the_likeliest() {
        // where the likelihood b ln(q + d) + c ln q + (n - b - c) ln(1 - 2 q - d) is greatest, by a fine grid
        for (gained, lost, pairs, null) in
            [(7, 4, 50, -0.1), (0, 3, 30, -0.05), (9, 2, 40, 0.08), (0, 0, 25, 0.1)]
        {
            let likelihood = |share: f64| {
                let term =
                    |count: usize, chance: f64| if count == 0 { 0.0 } else { count as f64 * chance.ln() };
                term(gained, share + null)
                    + term(lost, share)
                    + term(pairs - gained - lost, 1.0 - 2.0 * share - null)
            };
            let (low, high) = ((-null).max(0.0), (1.0 - null) / 2.0);
            let grid = (1..200_000).map(|at| low + (high - low) * f64::from(at) / 200_000.0);
            let best = grid.max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b))).unwrap();
            let n = pairs as f64;
            let z = (gained as f64 - lost as f64 - n * null) / (n * (2.0 * best + null - null * null)).sqrt();
            let p = paired_score_test(gained, lost, pairs, null, Greater);
            assert!((p - normal_cdf(-z)).abs() < 1e-4, "{gained} {lost} {pairs} {null}: {p}");
            // the other way round it is the same test
            let mirrored = paired_score_test(lost, gained, pairs, -null, Less);
            assert!((p - mirrored).abs() < 1e-15);
        }
    }

    #[test]
    fn at_published_limits_p_is_the_tail() {
        // Limits to as many digits as were published: of complete response before and after a therapy (Cavo et al.
        // 2012) by the tests of the R package contingencytables 3.0.0; of airway hyper-responsiveness (Bentur et al.
        // 2009), the example of Fagerland, Lydersen and Laake, "Statistical Analysis of Contingency Tables", by the R
        // package ratesci; of 25 and 28 discordant pairs of 618, at 90%, by the R package PropCIs 0.3.
        for (gained, lost, pairs, tail, [low, high], digits) in [
            (6, 16, 161, 0.025, [-0.1240, -0.0054], 1e-4),
            (1, 7, 21, 0.025, [-0.517, -0.026], 1e-3),
            (28, 25, 618, 0.05, [-0.0148, 0.0247], 1e-4),
        ] {
            let half = digits / 2.0;
            let p = |null, direction| paired_score_test(gained, lost, pairs, null, direction);
            assert!(p(low - half, Greater) < tail && tail < p(low + half, Greater), "{gained} {lost} {low}");
            assert!(p(high + half, Less) < tail && tail < p(high - half, Less), "{gained} {lost} {high}");
        }
    }

    #[test]
    fn what_cannot_be_is_refuted_and_nothing_shows_nothing() {
        assert_eq!(paired_score_test(0, 0, 20, 0.0, Greater), 1.0);
        assert_eq!(paired_score_test(0, 0, 20, 0.0, Less), 1.0);
        assert_eq!(
            (paired_score_test(3, 9, 20, -2.0, Greater), paired_score_test(3, 9, 20, -2.0, Less)),
            (0.0, 1.0)
        );
        assert_eq!(
            (paired_score_test(0, 20, 20, -1.0, Greater), paired_score_test(20, 0, 20, -1.0, Greater)),
            (1.0, 0.0)
        );
        for null in [-1e75, -0.999, -1e-300, 1e-300, 0.5, 1e75] {
            let p = paired_score_test(2, 3, 5, null, Greater);
            assert!((0.0..=1.0).contains(&p), "{null}: {p}");
        }
    }
}
