//! Exact counts by meeting in the middle: any values, up to 44 units.

use super::Tails;
use crate::stats::fixed::Fixed;
use crate::threads;

/// With more units than this the lists of subset sums take too long and too much memory.
pub(super) const MOST_UNITS: u32 = 44;

/// Exact tails of the sum of randomly signed units, by counting.
///
/// Choosing signs is choosing the subset that counts as positive. The subset sums of each half of the
/// units are listed in order; how many pairs reach a threshold then takes one walk along both lists:
/// about 2^(n/2) steps for 2^n sign vectors.
pub(super) fn tails(fixed: &Fixed) -> Tails {
    let counts = counts(fixed);
    let all = 2f64.powi(counts.units as i32);
    Tails { greater: counts.greater as f64 / all, less: counts.less as f64 / all }
}

/// How many of the 2^units sign vectors reach the observed sum.
pub(super) struct Counts {
    pub(super) units: u32,
    pub(super) greater: u64,
    pub(super) less: u64,
}

pub(super) fn counts(fixed: &Fixed) -> Counts {
    let mut magnitudes: Vec<i64> =
        fixed.units.iter().filter(|&&unit| unit != 0).map(|unit| unit.abs()).collect();
    // Largest first and dealt in turn: halves of like size, whose merges stay short.
    magnitudes.sort_unstable_by(|a, b| b.cmp(a));
    let half = |first: usize| -> Vec<i64> { magnitudes.iter().copied().skip(first).step_by(2).collect() };
    let halves = threads::map(2, |first| subset_sums(&half(first)));
    let (one, other) = (&halves[0], &halves[1]);

    // A signed sum is twice its positive subset less the total. It reaches the observed sum from
    // below at 2 * subset >= total + observed - tolerance; the other tail is the mirror image.
    let total: i64 = magnitudes.iter().sum();
    let observed = fixed.total();
    let tolerance = fixed.tolerance();
    let threshold = |observed: i64| (total + observed - tolerance + 1).div_euclid(2);
    Counts {
        units: magnitudes.len() as u32,
        greater: pairs_reaching(one, other, threshold(observed)),
        less: pairs_reaching(one, other, threshold(-observed)),
    }
}

/// The sums of all subsets of the values, in ascending order.
fn subset_sums(values: &[i64]) -> Vec<i64> {
    let mut sums = vec![0];
    let mut merged = Vec::new();
    for &value in values {
        merged.resize(2 * sums.len(), 0);
        merge_with_raised(&sums, value, &mut merged);
        std::mem::swap(&mut sums, &mut merged);
    }
    sums
}

/// Merges an ascending list with itself raised by `value`, which is not negative; `merged` is twice as long.
fn merge_with_raised(sums: &[i64], value: i64, merged: &mut [i64]) {
    // Which list comes next is a coin toss, so the choice is made without a branch. The raised list never
    // overtakes the plain one.
    let (mut plain, mut raised) = (0, 0);
    while plain < sums.len() {
        let next = sums[raised] + value;
        let take_raised = next < sums[plain];
        merged[plain + raised] = if take_raised { next } else { sums[plain] };
        plain += usize::from(!take_raised);
        raised += usize::from(take_raised);
    }
    for (merged, sum) in merged[plain + raised..].iter_mut().zip(&sums[raised..]) {
        *merged = sum + value;
    }
}

/// How many pairs, one from each ascending list, add up to at least `threshold`.
fn pairs_reaching(one: &[i64], other: &[i64], threshold: i64) -> u64 {
    let mut short = other.len();
    let mut pairs = 0;
    for &sum in one {
        while short > 0 && sum + other[short - 1] >= threshold {
            short -= 1;
        }
        pairs += (other.len() - short) as u64;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subset_sums_are_complete_and_ordered() {
        assert_eq!(subset_sums(&[]), [0]);
        assert_eq!(subset_sums(&[5, 3, 3]), [0, 3, 3, 5, 6, 8, 8, 11]);
    }

    #[test]
    fn small_cases_by_hand() {
        // .1 + .2 - .3 is 0 (and not, as floats): 5 of 8 sign vectors reach 0, either way
        let tails = tails(&Fixed::new(&[0.1, 0.2, -0.3], 1.0));
        assert_eq!((tails.greater, tails.less), (0.625, 0.625));
        // a pair at P@10: 446, 700 of 1024
        let a = [1.0, 0.7, 1.0, 0.7, 0.4, 0.3, 1.0, 0.8, 0.5, 0.9];
        let b = [0.4, 0.5, 1.0, 0.5, 1.0, 0.9, 0.8, 1.0, 0.3, 0.5];
        let d: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let tails = super::tails(&Fixed::new(&d, 1.0));
        assert_eq!((tails.greater * 1024.0, tails.less * 1024.0), (446.0, 700.0));
    }
}
