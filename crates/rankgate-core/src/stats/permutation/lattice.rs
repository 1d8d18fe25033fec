//! Exact tails for differences that are all multiples of one fraction: P@k, Success@k, RR@k and often
//! R@k, with any number of units.

use super::{Tails, convolution};

/// The finest fraction looked for.
const MOST_STEPS: u64 = 100_000;

/// How far a difference may be from the fraction it is taken for.
const NOISE: f64 = 1e-12;

/// The largest sum of magnitudes, in steps; beyond it the walk is no longer exact in 64 bits.
const LONGEST: u64 = 1 << 40;

/// Convolution may take so many additions: some tens of milliseconds.
const AFFORDABLE: u64 = 60_000_000;

/// Differences as whole numbers of one step `1 / L`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lattice {
    steps: Vec<i64>,
}

impl Lattice {
    /// Finds the lattice on which the values lie, if there is one.
    ///
    /// Each value's fraction comes from its continued fraction; `L` is the least common multiple of the
    /// denominators. No value is moved to make it fit: that would break ties or make new ones.
    pub(super) fn recover(values: &[f64]) -> Option<Self> {
        let mut common = 1;
        for value in values {
            common = least_common_multiple(common, denominator(value.abs())?)?;
        }
        let mut steps = Vec::with_capacity(values.len());
        let mut length: u64 = 0;
        for value in values {
            let scaled = value * common as f64;
            if scaled.abs() > LONGEST as f64 {
                return None;
            }
            let step = scaled.round() as i64;
            length += step.unsigned_abs();
            if length > LONGEST {
                return None;
            }
            steps.push(step);
        }
        Some(Self { steps })
    }

    /// The tails of the sum of randomly signed values; nothing when convolution cannot afford them.
    pub(super) fn tails(&self) -> Option<Tails> {
        let mut magnitudes: Vec<u64> =
            self.steps.iter().map(|step| step.unsigned_abs()).filter(|&step| step != 0).collect();
        magnitudes.sort_unstable();
        if convolution::cost(&magnitudes) > AFFORDABLE {
            return None;
        }
        let observed: i64 = self.steps.iter().sum();
        let upper = convolution::upper(&magnitudes, observed.unsigned_abs());
        // The distribution is symmetric, and a sum of 0 reaches itself from either side.
        let far = upper.beyond + upper.point;
        let near = 1.0 - upper.beyond;
        Some(match observed.signum() {
            1 => Tails { greater: far, less: near },
            -1 => Tails { greater: near, less: far },
            _ => Tails { greater: far, less: far },
        })
    }
}

/// The upper side of a symmetric distribution, at a point that is not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Upper {
    /// The probability of the point itself.
    pub(super) point: f64,
    /// The probability of everything above it.
    pub(super) beyond: f64,
}

/// The smallest denominator whose fraction is the value up to noise.
fn denominator(value: f64) -> Option<u64> {
    let noise = NOISE * value.max(1.0);
    let whole = value.floor();
    let mut rest = value - whole;
    let (mut numerator, mut before_numerator) = (whole, 1.0);
    let (mut denominator, mut before_denominator) = (1.0, 0.0);
    loop {
        if (value - numerator / denominator).abs() < noise {
            return Some(denominator as u64);
        }
        if rest == 0.0 {
            return None;
        }
        let inverse = 1.0 / rest;
        let term = inverse.floor();
        rest = inverse - term;
        (numerator, before_numerator) = (term * numerator + before_numerator, numerator);
        (denominator, before_denominator) = (term * denominator + before_denominator, denominator);
        if denominator > MOST_STEPS as f64 {
            return None;
        }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    Some(a / greatest_common_divisor(a, b) * b).filter(|&multiple| multiple <= MOST_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_recovered() {
        for (value, expected) in [
            (0.0, Some(1)),
            (37.0, Some(1)),
            (0.7 - 0.4, Some(10)),
            (1.0 / 3.0, Some(3)),
            (1.0 / 2.0 - 1.0 / 7.0, Some(14)),
            (1.0 - 0.02, Some(50)),
            (12345.0 / 99_991.0, Some(99_991)), // prime
            (1.0 / 100_003.0, None),            // prime, too fine
            (0.630_929_753_571_457_4, None),    // 1 / log2(3)
            (std::f64::consts::FRAC_1_PI, None),
        ] {
            assert_eq!(denominator(value), expected, "{value}");
        }
    }

    #[test]
    fn a_lattice_needs_a_common_step() {
        let steps = |values: &[f64]| Lattice::recover(values).map(|lattice| lattice.steps);
        assert_eq!(steps(&[0.7 - 0.4, -0.5, 0.0]), Some(vec![3, -5, 0]));
        assert_eq!(steps(&[1.0 / 3.0, -0.25]), Some(vec![4, -3]));
        // 1/997 and 1/991 have no common step coarse enough
        assert_eq!(steps(&[1.0 / 997.0, 1.0 / 991.0]), None);
        assert_eq!(steps(&[1e15, 0.5]), None);
    }

    #[test]
    fn a_search_that_would_take_long_is_not_begun() {
        // whole numbers near 1e8
        let magnitudes: Vec<u64> = (0..300).map(|unit| 100_000_000 + unit * unit * 7).collect();
        let sign = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let values: Vec<f64> =
            magnitudes.iter().enumerate().map(|(at, &magnitude)| sign(at) * magnitude as f64).collect();
        assert!(Lattice::recover(&values).unwrap().tails().is_none());
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // all 60 of one sign: 2^-60
        let upper = convolution::upper(&[1; 60], 58);
        assert_eq!(upper, Upper { point: 60.0 / 2f64.powi(60), beyond: 1.0 / 2f64.powi(60) });
    }
}
