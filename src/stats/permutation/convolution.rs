//! The distribution of a randomly signed sum on a lattice, built up unit by unit.
//!
//! Every number added is a positive probability, so that even a very small tail is right to about
//! thirteen digits.

use super::lattice::Upper;

/// Probabilities below this can no longer matter; dropping them keeps the arithmetic out of the slow
/// range near the smallest float.
const NEGLIGIBLE: f64 = 1e-280;

/// The probabilities of consecutive lattice points, the first of which is `start`.
struct Distribution {
    start: u64,
    chances: Vec<f64>,
}

/// About how many additions [`upper`] takes.
pub(super) fn cost(magnitudes: &[u64]) -> u64 {
    let mut cost: u64 = 0;
    let mut width: u64 = 0;
    for magnitude in magnitudes {
        width = width.saturating_add(*magnitude);
        cost = cost.saturating_add(width / 2 + 1);
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
    let one = subset_sum(magnitudes.iter().copied().step_by(2));
    let other = subset_sum(magnitudes.iter().copied().skip(1).step_by(2));

    let mut tail = vec![0.0; other.chances.len() + 1];
    for (index, chance) in other.chances.iter().enumerate().rev() {
        tail[index] = tail[index + 1] + chance;
    }
    let mut upper = Upper { point: 0.0, beyond: 0.0 };
    for (index, chance) in one.chances.iter().enumerate() {
        let sum = one.start + index as u64;
        let Some(needed) = target.checked_sub(sum) else {
            upper.beyond += chance * tail[0];
            continue;
        };
        match needed.checked_sub(other.start) {
            None => upper.beyond += chance * tail[0],
            Some(offset) if (offset as usize) < other.chances.len() => {
                let offset = offset as usize;
                upper.point += chance * other.chances[offset];
                upper.beyond += chance * tail[offset + 1];
            }
            Some(_) => {}
        }
    }
    upper
}

/// The distribution of the sum of a random subset of the values.
fn subset_sum(values: impl Iterator<Item = u64>) -> Distribution {
    let mut now = Distribution { start: 0, chances: vec![1.0] };
    let mut next = Vec::new();
    for value in values {
        let gap = value as usize;
        let before = &now.chances;
        let length = before.len();
        next.clear();
        next.resize(length + gap, 0.0);
        // Below the raised copy, where both overlap, and above the plain one.
        let overlap = length.saturating_sub(gap);
        let low = length.min(gap);
        for (next, chance) in next[..low].iter_mut().zip(before) {
            *next = 0.5 * chance;
        }
        for ((next, plain), raised) in next[low..].iter_mut().zip(&before[low..]).zip(&before[..overlap]) {
            *next = 0.5 * (plain + raised);
        }
        for (next, chance) in next[gap + overlap..].iter_mut().zip(&before[overlap..]) {
            *next = 0.5 * chance;
        }
        std::mem::swap(&mut now.chances, &mut next);
        now.trim();
    }
    now
}

impl Distribution {
    fn trim(&mut self) {
        while self.chances.last().is_some_and(|&chance| chance < NEGLIGIBLE) {
            self.chances.pop();
        }
        let leading = self.chances.iter().take_while(|&&chance| chance < NEGLIGIBLE).count();
        if leading > 0 {
            self.chances.drain(..leading);
            self.start += leading as u64;
        }
    }
}
