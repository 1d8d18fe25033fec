//! Tails from random sign vectors, for everything that has no exact engine.

use statrs::function::gamma::ln_gamma;

use super::PermutationOptions;
use super::subsets::Subsets;
use super::test::MOST_RESAMPLES;
use crate::stats::{Differences, Stream};

/// The chance that a verdict read from the simulated p differs from that of the exact p, over the
/// whole run of a test however often it looks.
const RISK: f64 = 1e-3;

/// Queries whose margins, for each number of them, are kept.
const ROUNDED_ONCE: u64 = 1 << 14;

/// Random sign vectors of one metric.
///
/// Each drawn subset stands for two sign vectors: its units are flipped, or all others are. The vector
/// that flips nothing (the data as observed) and its mirror image are the first pair, so that with
/// `draws` subsets there are `2 * draws + 2` vectors and `2 * draws + 1` resamples. The vectors are
/// random cosets of {nothing, everything} in the group of sign flips, which keeps the test exact
/// (Hemerik and Goeman 2018); mirror images fall on opposite sides, so they estimate a tail no worse than
/// independent vectors do.
#[derive(Debug, Clone)]
pub(in crate::stats) struct MonteCarlo<'a> {
    differences: &'a Differences,
    stream: &'a Stream,
    subsets: Subsets,
}

/// How many of the vectors are at least as extreme as the observed one, itself included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) vectors: u64,
    pub(super) greater: u64,
    pub(super) less: u64,
}

impl<'a> MonteCarlo<'a> {
    /// The draws that are there already, or the first ones.
    pub(super) fn or_draw<'d>(
        draws: &'d mut Option<MonteCarlo<'a>>,
        differences: &'a Differences,
        options: &'a PermutationOptions,
    ) -> &'d mut MonteCarlo<'a> {
        draws.get_or_insert_with(|| {
            let mut drawn = MonteCarlo { differences, stream: &options.stream, subsets: Subsets::default() };
            drawn.extend(options.resamples);
            drawn
        })
    }

    /// Draws more of the same stream, up to so many resamples.
    pub(super) fn extend(&mut self, resamples: u64) {
        let drawn = self.subsets.sums.len() as u64;
        let units = self.differences.fixed().units.as_slice();
        let draws = drawn..resamples.min(MOST_RESAMPLES) / 2;
        self.subsets.draw(self.stream, self.differences.sizes(), units, draws);
    }

    /// How many resamples there are; always odd.
    pub(in crate::stats) fn resamples(&self) -> u64 {
        2 * self.subsets.sums.len() as u64 + 1
    }

    /// Counts the vectors that reach the observed sum when the candidate is `null` better per query.
    pub(super) fn counts(&self, null: f64) -> Counts {
        let fixed = self.differences.fixed();
        let tolerance = i128::from(fixed.tolerance());
        let per_query = null * fixed.scale();
        // In 128 bits, for margins far outside the data.
        let shift = |size: u64| if null == 0.0 { 0 } else { (per_query * size as f64).round() as i128 };
        let total = fixed.total();
        let queries = self.differences.queries() as u64;
        // Of few queries each number is rounded once, not for every draw.
        let few = null != 0.0 && queries <= ROUNDED_ONCE;
        let shifts: Vec<i128> = if few { (0..=queries).map(shift).collect() } else { Vec::new() };
        let shifted = |sum: i64, size: u64| {
            i128::from(sum) - shifts.get(size as usize).copied().unwrap_or_else(|| shift(size))
        };
        let mut counts = Counts { vectors: self.resamples() + 1, greater: 0, less: 0 };
        let mut count = |flipped: i128| {
            counts.greater += u64::from(2 * flipped <= tolerance);
            counts.less += u64::from(2 * flipped >= -tolerance);
        };
        count(0);
        count(shifted(total, queries));
        for (&sum, &size) in self.subsets.sums.iter().zip(&self.subsets.sizes) {
            count(shifted(sum, size.into()));
            count(shifted(total - sum, queries - u64::from(size)));
        }
        counts
    }

    /// The mean difference over every drawn subset and its complement, in no order, but for those without a
    /// unit.
    pub(super) fn means(&self) -> Vec<f64> {
        let fixed = self.differences.fixed();
        let unit = fixed.scale().recip();
        let total = fixed.total();
        let queries = self.differences.queries() as u32;
        let mut means = Vec::with_capacity(self.resamples() as usize);
        let mut push = |sum: i64, size: u32| {
            if size > 0 {
                means.push(sum as f64 * unit / f64::from(size));
            }
        };
        push(total, queries);
        for (&sum, &size) in self.subsets.sums.iter().zip(&self.subsets.sizes) {
            push(sum, size);
            push(total - sum, queries - size);
        }
        means
    }
}

/// Whether a simulated p is on the same side of `level` as the exact p, but for a risk of 1 in 1,000.
///
/// `count` of `vectors` vectors are as extreme as the observed one, itself included. With the observed
/// sum away from 0 at most one vector of each pair is, so the pairs are independent trials of twice the
/// probability; the confidence sequence of Robbins (1970) then holds at every number of trials at once
/// (Ding, Gandy and Hahn 2020).
pub(super) fn settled(count: u64, vectors: u64, level: f64) -> bool {
    let trials = (vectors / 2 - 1) as f64;
    let hits = (count - 1) as f64;
    let chance = 2.0 * level;
    if hits > trials || chance >= 1.0 {
        // The observed sum is on the other side of 0: the exact p is over one half.
        return true;
    }
    unlikely(hits, trials, chance)
}

/// Robbins' confidence sequence: whether so many hits could hardly come from trials of this chance.
pub(in crate::stats) fn unlikely(hits: f64, trials: f64, chance: f64) -> bool {
    let ln_choose = ln_gamma(trials + 1.0) - ln_gamma(hits + 1.0) - ln_gamma(trials - hits + 1.0);
    let ln_likelihood = ln_choose + hits * chance.ln() + (trials - hits) * (-chance).ln_1p();
    (trials + 1.0).ln() + ln_likelihood <= RISK.ln()
}

/// The standard error of a simulated one-sided p.
pub(super) fn standard_error(p: f64, vectors: u64) -> f64 {
    let tail = p.min(1.0 - p);
    (tail * (1.0 - 2.0 * tail).max(0.0) / vectors as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_settled_at_the_ends_of_the_confidence_sequence() {
        // Where (n + 1) C(n, k) c^k (1 - c)^(n - k) crosses 0.001 for n pairs besides the first, k of them hits,
        // and a chance c of twice the level; found with mpmath at 40 digits.
        for (hits, pairs, level, expected) in [
            (26, 199, 0.025, false),
            (27, 199, 0.025, true),
            (11, 49, 0.025, false),
            (12, 49, 0.025, true),
            (10, 49, 0.25, true),
            (11, 49, 0.25, false),
            (38, 49, 0.25, false),
            (39, 49, 0.25, true),
            // 10 * 0.9^9 is not small, but a vector more than there are pairs is on the other side of 0
            (9, 9, 0.45, false),
            (10, 9, 0.45, true),
            (4, 9, 0.5, true),
        ] {
            assert_eq!(settled(hits + 1, 2 * pairs + 2, level), expected, "{hits} {pairs} {level}");
        }
    }

    #[test]
    fn a_tail_and_its_complement_have_one_standard_error() {
        // sqrt(.25 * (1 - .5) / 100)
        for p in [0.25, 0.75] {
            assert!((standard_error(p, 100) - 0.035_355_339_059_327_38).abs() < 1e-15);
        }
        assert_eq!(standard_error(0.5, 100), 0.0);
    }
}
