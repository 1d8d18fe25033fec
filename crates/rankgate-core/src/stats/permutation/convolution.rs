//! The distribution of a randomly signed sum on a lattice, built up unit by unit.
//!
//! Every number added is a positive probability, so that even a very small tail is right to about
//! thirteen digits.

use super::lattice::Upper;
use crate::threads;

/// Probabilities below this can no longer matter; dropping them keeps the arithmetic out of the slow
/// range near the smallest float.
const NEGLIGIBLE: f64 = 1e-280;

/// After so many units, which may have doubled the largest number as many times, all are halved again.
const RESCALE: i32 = 256;

/// The distribution of the sum of a random subset of some values.
///
/// It is symmetric about half their total: the chances of the lower half, from `start` up to the middle,
/// are all there is to keep.
struct Distribution {
    total: u64,
    start: u64,
    chances: Vec<f64>,
}

/// About how many additions [`upper`] takes.
pub(super) fn cost(magnitudes: &[u64]) -> u64 {
    let mut cost: u64 = 0;
    let mut width: u64 = 0;
    for magnitude in magnitudes {
        width = width.saturating_add(*magnitude);
        cost = cost.saturating_add(width / 4 + 1);
    }
    cost
}

/// The chances of the sum of randomly signed magnitudes, which are in ascending order, being `reach`
/// and being more.
///
/// A signed sum is twice the subset that counts as positive, less the total. The distribution of the
/// subset's sum is built for each half of the magnitudes; a last walk along both combines them.
pub(super) fn upper(magnitudes: &[u64], reach: u64) -> Upper {
    let total: u64 = magnitudes.iter().sum();
    // The observed sum is one of the signed sums, so this is even.
    let target = (total + reach) / 2;
    let half = |first: usize| Distribution::of_subset_sum(magnitudes.iter().copied().skip(first).step_by(2));
    let halves = threads::map(2, half);
    let (one, other) = (&halves[0], &halves[1]);

    let chances: Vec<f64> = (0..=other.total).map(|sum| other.chance(sum)).collect();
    let mut tail = chances.clone();
    for sum in (0..chances.len() - 1).rev() {
        tail[sum] += tail[sum + 1];
    }
    let mut upper = Upper { point: 0.0, beyond: 0.0 };
    for sum in 0..=one.total {
        let chance = one.chance(sum);
        match target.checked_sub(sum) {
            None => upper.beyond += chance * tail[0],
            Some(needed) => {
                let needed = needed as usize;
                upper.point += chance * chances.get(needed).unwrap_or(&0.0);
                upper.beyond += chance * tail.get(needed + 1).unwrap_or(&0.0);
            }
        }
    }
    upper
}

impl Distribution {
    fn of_subset_sum(values: impl Iterator<Item = u64>) -> Self {
        let mut now = Self { total: 0, start: 0, chances: vec![1.0] };
        let mut next = Vec::new();
        let mut doublings = 0;
        for value in values {
            now.add(value, &mut next);
            doublings += 1;
            if doublings == RESCALE {
                now.halve(doublings);
                doublings = 0;
            }
        }
        now.halve(doublings);
        now
    }

    /// Adds a value that is in the subset half of the time, without halving: the sums so far, and the same
    /// raised by the value.
    fn add(&mut self, value: u64, next: &mut Vec<f64>) {
        let before = &self.chances;
        let total = self.total + value;
        let length = (total / 2 + 1).saturating_sub(self.start) as usize;
        // What lies above the old middle is the mirror image of what lies below it.
        let mirror = if self.total.is_multiple_of(2) { &before[..before.len() - 1] } else { &before[..] };
        next.clear();
        next.extend_from_slice(before);
        next.extend(mirror.iter().rev().take(length - before.len()));
        next.resize(length, 0.0);
        if let Some(raised) = next.get_mut(value as usize..) {
            for (next, raised) in raised.iter_mut().zip(before) {
                *next += raised;
            }
        }
        std::mem::swap(&mut self.chances, next);
        self.total = total;
    }

    /// Halves every number so many times, and drops those that no longer matter.
    fn halve(&mut self, times: i32) {
        let scale = 0.5f64.powi(times);
        for chance in &mut self.chances {
            *chance *= scale;
        }
        // The chances rise towards the middle, and that one stays.
        let negligible = self.chances.iter().take_while(|&&chance| chance < NEGLIGIBLE).count();
        let negligible = negligible.min(self.chances.len() - 1);
        self.chances.drain(..negligible);
        self.start += negligible as u64;
    }

    fn chance(&self, sum: u64) -> f64 {
        let below = sum.min(self.total - sum);
        below.checked_sub(self.start).map_or(0.0, |index| self.chances[index as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_distributions_by_hand() {
        for (values, expected) in [
            (&[][..], &[1.0][..]),
            (&[3], &[0.5, 0.0, 0.0, 0.5]),
            (&[1, 1], &[0.25, 0.5, 0.25]),
            (&[1, 2, 2], &[0.125, 0.125, 0.25, 0.25, 0.125, 0.125]),
            (&[2, 7], &[0.25, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.25]),
        ] {
            let distribution = Distribution::of_subset_sum(values.iter().copied());
            let chances: Vec<f64> = (0..=distribution.total).map(|sum| distribution.chance(sum)).collect();
            assert_eq!(chances, expected, "{values:?}");
        }
    }

    #[test]
    fn many_units_neither_overflow_nor_lose_mass() {
        let distribution = Distribution::of_subset_sum((0..5_000).map(|unit| unit % 4 + 1));
        let sum: f64 = (0..=distribution.total).map(|sum| distribution.chance(sum)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        assert!(distribution.start > 0);
    }
}
