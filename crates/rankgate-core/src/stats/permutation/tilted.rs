//! Tails too small to be counted, by importance sampling.
//!
//! Signs are drawn such that the observed sum is what they give on average, and every draw that reaches it
//! counts as much as fair signs would have made it rarer. The relative error is small however small the tail.

use crate::stats::Stream;
use crate::stats::fixed::Fixed;
use crate::threads;

/// Draws per task.
const CHUNK: u64 = 256;

/// A one-sided p-value and its relative standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tail {
    pub(super) p: f64,
    pub(super) error: f64,
}

/// The chance that randomly signed units reach the observed sum, on the side of 0 that it lies on; nothing
/// where it lies on none, or no sum is larger.
pub(super) fn tail(fixed: &Fixed, stream: &Stream, draws: u64) -> Option<Tail> {
    let observed = fixed.total().abs();
    let magnitudes: Vec<i64> = fixed.units.iter().filter(|&&unit| unit != 0).map(|unit| unit.abs()).collect();
    let threshold = observed - fixed.tolerance();
    if threshold <= 0 || observed >= magnitudes.iter().sum() {
        return None;
    }
    let root = magnitudes.iter().map(|&unit| (unit as f64).powi(2)).sum::<f64>().sqrt();
    let sizes: Vec<f64> = magnitudes.iter().map(|&unit| unit as f64 / root).collect();
    let reach = observed as f64 / root;
    let tilt = tilt(&sizes, reach);
    // A sign is drawn as positive where a number of 32 bits is below this.
    let odds: Vec<u64> = sizes
        .iter()
        .map(|size| (2f64.powi(32) / (1.0 + (-2.0 * tilt * size).exp())).round() as u64)
        .collect();
    let ln_base: f64 = sizes.iter().map(|size| ln_cosh(tilt * size)).sum::<f64>() - tilt * reach;
    let weight = |draw: u64| {
        let random = stream.sequence(draw);
        let mut sum = 0;
        for (pair, (units, odds)) in (0..).zip(magnitudes.chunks(2).zip(odds.chunks(2))) {
            let word = random.at(pair);
            for ((unit, odds), shift) in units.iter().zip(odds).zip([0, 32]) {
                sum += if (word >> shift & 0xffff_ffff) < *odds { *unit } else { -*unit };
            }
        }
        if sum >= threshold { (-tilt * (sum - observed) as f64 / root).exp() } else { 0.0 }
    };
    let sums = threads::map(draws.div_ceil(CHUNK) as usize, |index| {
        let start = index as u64 * CHUNK;
        let weights = (start..draws.min(start + CHUNK)).map(weight);
        weights.fold([0.0, 0.0], |[sum, squares], weight| [sum + weight, squares + weight * weight])
    });
    let [sum, squares] = sums.into_iter().fold([0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]]);
    let mean = sum / draws as f64;
    let error = (squares / draws as f64 - mean * mean).max(0.0).sqrt() / (draws as f64).sqrt() / mean;
    let p = (ln_base.exp() * mean).clamp(f64::MIN_POSITIVE, 1.0);
    (mean > 0.0).then_some(Tail { p, error })
}

/// How far signs have to be tilted for the mean of their sum to be `reach`, by halving.
fn tilt(sizes: &[f64], reach: f64) -> f64 {
    let mean = |tilt: f64| sizes.iter().map(|size| size * (tilt * size).tanh()).sum::<f64>();
    let (mut low, mut high) = (0.0, 1.0);
    while mean(high) < reach && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if mean(middle) < reach { low = middle } else { high = middle }
    }
    low
}

/// Without overflow.
fn ln_cosh(x: f64) -> f64 {
    x.abs() + (-2.0 * x.abs()).exp().ln_1p() - std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::permutation::halves;

    #[test]
    fn tails_are_those_of_the_exact_count() {
        let stream = Stream::new(3);
        for (units, losses) in [(30, 1), (36, 2), (40, 4), (44, 3)] {
            let values: Vec<f64> = (0..units)
                .map(|at| (1.0 + f64::from(at * 7 % 11) / 3.0) * if at < losses { -1.0 } else { 1.0 })
                .collect();
            let fixed = Fixed::new(&values, 10.0);
            let exact = halves::tails(&fixed).greater;
            let found = tail(&fixed, &stream, 20_000).unwrap();
            assert!(exact < 1e-5 && found.error < 0.05, "{exact} {found:?}");
            assert!((found.p / exact - 1.0).abs() < 4.0 * found.error, "{exact} {found:?}");
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            assert_eq!(tail(&Fixed::new(&mirrored, 10.0), &stream, 20_000), Some(found));
        }
    }

    #[test]
    fn threads_change_nothing() {
        let values: Vec<f64> = (0..200).map(|at| f64::from(at * 13 % 29) - 7.0).collect();
        let fixed = Fixed::new(&values, 30.0);
        let one = |threads| crate::threads::within(threads, || tail(&fixed, &Stream::new(1), 3_000));
        assert_eq!(one(1), one(3));
        assert!(one(1).unwrap().p > 0.0);
    }

    #[test]
    fn sums_on_no_side_have_no_tail() {
        assert_eq!(tail(&Fixed::new(&[1.0, -1.0], 1.0), &Stream::new(1), 99), None);
        assert_eq!(tail(&Fixed::new(&[1.0, 1.0], 1.0), &Stream::new(1), 99), None);
    }
}
