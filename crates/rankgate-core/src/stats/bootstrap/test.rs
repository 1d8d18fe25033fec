//! The bootstrap's p-values.

use super::Bootstrap;
use crate::stats::Direction;
use crate::stats::estimate::Estimate;
use crate::stats::permutation::unlikely;

/// Two t statistics this close, relative to their size, tie.
const NOISE: f64 = 1e-10;

impl Bootstrap {
    /// The two-sided p-value against a mean difference of 0: twice the smaller one-sided one, at most 1, so that
    /// it is on the same side of a level as the claim that it belongs to. Nothing where the differences have no
    /// spread.
    pub fn p_two_sided(&self) -> Option<f64> {
        let (greater, less) = (self.p(0.0, Direction::Greater)?, self.p(0.0, Direction::Less)?);
        Some((2.0 * greater.min(less)).min(1.0))
    }

    /// The one-sided p-value against a mean difference of `null`: the share of resamples whose t statistic
    /// about the observed mean is at least as far out as the observed one about `null`. Nothing where the
    /// differences have no spread.
    ///
    /// # Source
    ///
    /// Sakai, "Evaluating Evaluation Metrics Based on the Bootstrap", 2006.
    pub fn p(&self, null: f64, direction: Direction) -> Option<f64> {
        let observed = self.spread?.statistic(null)?;
        let noise = NOISE * observed.abs();
        let beyond = match direction {
            Direction::Greater => {
                self.studentised.len() - self.studentised.partition_point(|&t| t < observed - noise)
            }
            Direction::Less => self.studentised.partition_point(|&t| t <= observed + noise),
        };
        Some(self.share(beyond))
    }

    /// The p-value, and where that of ever more resamples lies, but for a risk of 1 in 1,000.
    pub(in crate::stats) fn estimate(&self, null: f64, direction: Direction) -> Option<Estimate> {
        let (p, vectors) = (self.p(null, direction)?, self.shifts.len() as u64 + 1);
        let hits = (p * vectors as f64).round() - 1.0;
        Some(Estimate::simulated(p, |level| unlikely(hits, (vectors - 1) as f64, level)))
    }

    /// Resamples without spread count as more extreme than anything.
    fn share(&self, beyond: usize) -> f64 {
        let infinite = self.shifts.len() - self.studentised.len();
        (beyond + infinite + 1) as f64 / (self.shifts.len() + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::PairedT;

    /// Ten resamples, of which `flat` have no t statistic; the observed mean is `mean`, its standard error 1.
    fn bootstrap(mean: f64, studentised: &[f64], flat: usize) -> Bootstrap {
        assert_eq!(studentised.len() + flat, 10);
        Bootstrap {
            mean,
            units: 5,
            spread: Some(PairedT { mean, standard_error: 1.0, freedom: 4 }),
            shifts: vec![0.0; 10],
            studentised: studentised.to_vec(),
            wins: 0,
        }
    }

    const T: [f64; 10] = [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 2.0, 5.0, 6.0];

    #[test]
    fn one_sided_p_values_count_resamples() {
        // (those that reach the observed t + 1) / 11
        for (mean, null, greater, less) in [
            (2.0, 0.0, 5.0, 9.0),   // 2, 2, 5, 6; ties count on both sides
            (1.5, 0.0, 5.0, 7.0),   // none ties
            (-2.0, 0.0, 9.0, 4.0),  // -4, -3, -2
            (2.0, 7.0, 11.0, 1.0),  // t = -5
            (7.0, -1.0, 1.0, 11.0), // t = 8
        ] {
            let bootstrap = bootstrap(mean, &T, 0);
            let p = |direction| bootstrap.p(null, direction).unwrap() * 11.0;
            assert!((p(Direction::Greater) - greater).abs() < 1e-12, "{mean} {null}");
            assert!((p(Direction::Less) - less).abs() < 1e-12, "{mean} {null}");
        }
    }

    #[test]
    fn the_two_sided_p_value_is_twice_the_smaller_one_sided_one() {
        // of 2 that of 2, 2, 5, 6; of -2 that of -4, -3, -2
        for (mean, count) in [(2.0, 10.0), (-2.0, 8.0), (4.5, 6.0), (5.5, 4.0), (6.5, 2.0), (0.0, 11.0)] {
            let p = bootstrap(mean, &T, 0).p_two_sided().unwrap() * 11.0;
            assert!((p - count).abs() < 1e-12, "{mean}: {p}");
        }
    }

    #[test]
    fn rounding_does_not_break_ties() {
        // t statistics of 2000 with a relative error of 1e-12 tie
        for (mean, count) in [(2000.0, 2.0), (2000.0 * (1.0 + 1e-12), 2.0), (2000.0 * (1.0 - 1e-12), 2.0)] {
            let up: Vec<f64> = T[..9].iter().copied().chain([2000.0]).collect();
            let down: Vec<f64> = up.iter().rev().map(|t| -t).collect();
            let greater = bootstrap(mean, &up, 0).p(0.0, Direction::Greater).unwrap() * 11.0;
            let less = bootstrap(-mean, &down, 0).p(0.0, Direction::Less).unwrap() * 11.0;
            let both = bootstrap(mean, &up, 0).p_two_sided().unwrap() * 11.0;
            for p in [greater, less, both / 2.0] {
                assert!((p - count).abs() < 1e-9, "{mean}: {p}");
            }
        }
    }

    #[test]
    fn resamples_without_spread_count_as_extreme() {
        let bootstrap = bootstrap(5.5, &T[2..], 2);
        assert_eq!(bootstrap.p(0.0, Direction::Greater), Some(4.0 / 11.0)); // 6, two without, one
        assert_eq!(bootstrap.p_two_sided(), Some(8.0 / 11.0));
    }
}
