//! Differences as integers, so that sums are exact and ties are ties.

use super::sum::total;

/// Differences scaled by a power of two and rounded to integers.
///
/// Sums of these are the same on any machine, in any order. Each carries at most half a unit of
/// rounding, so two sums over the same units stand for equal numbers when they differ by no more
/// than [`tolerance`](Self::tolerance). A plain `>=` on floats would split such ties at random, which
/// on metrics with few values (P@10, RR@10) gets most small-sample p-values wrong.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fixed {
    pub(super) units: Vec<i64>,
    exponent: i32,
}

/// A unit is never finer than this, which is far below any difference that means something.
const FINEST: i32 = 44;

/// Nor is it finer than this part of the largest score, so that the rounding noise of a difference of two
/// scores, which is a few parts in 2^53, stays well below it.
const NOISE: i32 = 50;

/// Sums of magnitudes stay below 2 to this power, so that twice a sum still fits an `i64`.
const WIDEST: i32 = 61;

impl Fixed {
    /// Takes finite values, at most 1e75 or so in magnitude, and the largest magnitude of what they were
    /// computed from.
    pub(super) fn new(values: &[f64], largest: f64) -> Self {
        let magnitude = total(values.iter().map(|value| value.abs()));
        let exponent = FINEST.min(WIDEST - log2_ceiling(magnitude)).min(NOISE - log2_ceiling(largest));
        let scale = power_of_two(exponent);
        let units = values.iter().map(|value| (value * scale).round() as i64).collect();
        Self { units, exponent }
    }

    /// The sum over all units.
    pub(super) fn total(&self) -> i64 {
        self.units.iter().sum()
    }

    /// How far apart two sums may be and still stand for the same number.
    pub(super) fn tolerance(&self) -> i64 {
        self.units.len() as i64
    }

    /// How many of these units make up 1.
    pub(super) fn scale(&self) -> f64 {
        power_of_two(self.exponent)
    }

    /// How many units are not zero.
    pub(super) fn nonzero(&self) -> u32 {
        self.units.iter().filter(|&&unit| unit != 0).count() as u32
    }
}

/// The smallest integer whose power of two is at least `value`; `value` is not negative.
fn log2_ceiling(value: f64) -> i32 {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if fraction == 0 { exponent } else { exponent + 1 }
}

/// Exact; exponents stay between 61 - 1024 and 44, where floats are normal.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_follows_the_size_of_the_differences() {
        // largest score and sum of magnitudes:
        // exponent = min(44, 61 - ceil(log2(sum)), 50 - ceil(log2(largest))) by hand
        for (values, largest, exponent) in [
            (vec![0.0, 0.0], 0.0, 44),
            (vec![0.1, -0.2], 1.0, 44),
            (vec![0.1, -0.2], 64.0, 44),
            (vec![0.1, -0.2], 65.0, 43),
            (vec![0.1, -0.2], 2f64.powi(200), -150),
            (vec![1.0; 131_072], 1.0, 44), // 2^17
            (vec![1.0; 131_073], 1.0, 43), // a little more
            (vec![1e6, -1e6], 1e6, 30),    // 2^20.9
            (vec![2f64.powi(200)], 0.0, -139),
        ] {
            assert_eq!(Fixed::new(&values, largest).exponent, exponent);
        }
    }

    #[test]
    fn noise_and_sign_are_kept_apart() {
        let fixed = Fixed::new(&[0.7 - 0.4, 0.4 - 0.7, 0.1 + 0.2 - 0.3, 1.0 / 3.0], 1.0);
        assert_eq!(fixed.units, [5277655813325, -5277655813325, 0, 5864062014805]);
        assert_eq!((fixed.nonzero(), fixed.total(), fixed.scale()), (3, 5864062014805, 2f64.powi(44)));
    }
}
