//! Sums and means of scores that do not depend on the order of the scores.

use crate::{Error, Result};

/// The sum of the values, rounded once.
///
/// The result is the exact sum rounded to the nearest `f64`, so it is the same for every order of
/// the values, on every machine.
///
/// # Errors
///
/// When a value is not finite, or the sum is too large for an `f64`.
///
/// # Source
///
/// Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997: partial sums that do not
/// overlap; Python's `math.fsum` gives the same value.
///
/// ```
/// assert_eq!(rankgate::stats::sum(&[1e16, 1.0, -1e16])?, 1.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn sum(values: &[f64]) -> Result<f64> {
    values.iter().try_for_each(|value| finite(*value))?;
    bounded(total(values.iter().copied()))
}

/// [`sum`] for values known to be finite and not too large.
pub(super) fn total(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut partials: Vec<f64> = Vec::new();
    for value in values {
        add(&mut partials, value);
    }
    round(&partials)
}

/// The arithmetic mean of the values, from [`sum`]'s exactly rounded total.
///
/// # Errors
///
/// When there are no values, one of them is not finite, or their sum is too large for an `f64`.
///
/// ```
/// let mean = rankgate::stats::mean(&[0.1, 0.2, 0.3])?;
/// assert_eq!(mean, rankgate::stats::mean(&[0.3, 0.1, 0.2])?);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn mean(values: &[f64]) -> Result<f64> {
    if values.is_empty() {
        return Err(Error::invalid("there are no scores to average"));
    }
    Ok(sum(values)? / values.len() as f64)
}

/// A sum in the making, exact so far: parts of it may be made apart and in any order, and [`value`](Self::value) is
/// that of [`sum`] over all of them.
///
/// ```
/// use rankgate::stats::ExactSum;
///
/// let (mut one, mut other) = (ExactSum::default(), ExactSum::default());
/// one.add(1e16)?;
/// other.add(1.0)?;
/// other.add(-1e16)?;
/// one.merge(&other);
/// assert_eq!(one.value()?, 1.0);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactSum {
    partials: Vec<f64>,
}

impl ExactSum {
    /// Adds a value.
    ///
    /// # Errors
    ///
    /// One that is not finite.
    pub fn add(&mut self, value: f64) -> Result<()> {
        finite(value)?;
        add(&mut self.partials, value);
        Ok(())
    }

    /// Adds what another sum has.
    pub fn merge(&mut self, other: &Self) {
        other.partials.iter().for_each(|partial| add(&mut self.partials, *partial));
    }

    /// The sum, rounded once.
    ///
    /// # Errors
    ///
    /// When it is too large for an `f64`.
    pub fn value(&self) -> Result<f64> {
        bounded(round(&self.partials))
    }

    /// What it is kept as: numbers that add up to it exactly.
    pub fn partials(&self) -> &[f64] {
        &self.partials
    }

    /// The sum of what [`partials`](Self::partials) gave.
    ///
    /// # Errors
    ///
    /// A number that is not finite.
    pub fn from_partials(partials: &[f64]) -> Result<Self> {
        let mut sum = Self::default();
        partials.iter().try_for_each(|partial| sum.add(*partial))?;
        Ok(sum)
    }
}

fn finite(value: f64) -> Result<()> {
    let message = || Error::invalid(format!("a score must be a finite number, not {value}"));
    if value.is_finite() { Ok(()) } else { Err(message()) }
}

fn bounded(total: f64) -> Result<f64> {
    if total.is_finite() { Ok(total) } else { Err(Error::invalid("the sum of the scores is too large")) }
}

/// Adds a value to partial sums that are kept in increasing magnitude and share no bits.
fn add(partials: &mut Vec<f64>, value: f64) {
    let mut carry = value;
    let mut kept = 0;
    for index in 0..partials.len() {
        let (large, small) = if carry.abs() < partials[index].abs() {
            (partials[index], carry)
        } else {
            (carry, partials[index])
        };
        let high = large + small;
        let low = small - (high - large);
        if low != 0.0 {
            partials[kept] = low;
            kept += 1;
        }
        carry = high;
    }
    partials.truncate(kept);
    partials.push(carry);
}

/// The partial sums' total, rounded half to even.
fn round(partials: &[f64]) -> f64 {
    let mut rest = partials.iter().rev().copied();
    let Some(mut high) = rest.next() else { return 0.0 };
    let mut low = 0.0;
    for partial in rest.by_ref() {
        let large = high;
        high = large + partial;
        low = partial - (high - large);
        if low != 0.0 {
            break;
        }
    }
    // Halfway between two floats: what is left decides, as it would in one rounding.
    if let Some(next) = rest.next()
        && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
    {
        let doubled = low * 2.0;
        let moved = high + doubled;
        if doubled == moved - high {
            high = moved;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_once() {
        // Python 3 math.fsum
        for (values, expected) in [
            (&[][..], 0.0),
            (&[0.1; 10][..], 1.0),
            (&[1e16, 1.0, -1e16][..], 1.0),
            (&[1e100, 1.0, -1e100, 1e-100, 1e50, -1.0, -1e50][..], 1e-100),
            (&[9007199254740992.0, -0.5, -5.551115123125783e-17][..], 9007199254740991.0),
            (&[9007199254740992.0, 1.0, 1.1102230246251565e-16][..], 9007199254740994.0),
            (&[0.1, 0.2, 0.3][..], 0.6),
        ] {
            assert_eq!(sum(values).unwrap(), expected, "{values:?}");
        }
    }

    #[test]
    fn what_is_far_below_a_half_decides_it() {
        // doubles at 1e16 are 2 apart: Python's `math.fsum`
        for (half, rest, beyond) in
            [(-1.0, 1e-20, 0.0), (-1.0, -1e-20, -2.0), (1.0, -1e-20, 0.0), (1.0, 1e-20, 2.0)]
        {
            assert_eq!(sum(&[1e16, half, rest]).unwrap() - 1e16, beyond, "{half} {rest}");
        }
    }

    #[test]
    fn parts_that_are_summed_apart_are_the_whole() {
        let values = [1e100, 1.0, -1e100, 1e-100, 1e50, -1.0, -1e50, 0.1, 1e16];
        let part = |values: &[f64]| {
            let mut sum = ExactSum::default();
            values.iter().for_each(|value| sum.add(*value).unwrap());
            ExactSum::from_partials(sum.partials()).unwrap()
        };
        for cut in 0..=values.len() {
            let mut whole = part(&values[cut..]);
            whole.merge(&part(&values[..cut]));
            assert_eq!(whole.value().unwrap(), sum(&values).unwrap(), "{cut}");
        }
        assert_eq!(ExactSum::default().value().unwrap(), 0.0);
        let mut large = part(&[f64::MAX]);
        large.merge(&part(&[f64::MAX]));
        assert!(large.value().is_err());
        assert!(
            ExactSum::default().add(f64::NAN).is_err() && ExactSum::from_partials(&[f64::INFINITY]).is_err()
        );
    }

    #[test]
    fn order_does_not_matter() {
        let values: Vec<f64> =
            (1..500).map(|i| 1.0 / f64::from(i) * if i % 3 == 0 { -1e3 } else { 1.0 }).collect();
        let expected = sum(&values).unwrap();
        let mut turned = values;
        for _ in 0..20 {
            turned.rotate_left(37);
            turned.swap(3, 250);
            assert_eq!(sum(&turned).unwrap().to_bits(), expected.to_bits());
        }
    }

    #[test]
    fn what_is_not_a_number_is_an_error() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(sum(&[1.0, value]).unwrap_err().to_string().contains("finite"));
        }
        assert!(sum(&[f64::MAX, f64::MAX]).unwrap_err().to_string().contains("too large"));
        assert!(mean(&[]).unwrap_err().to_string().contains("no scores"));
    }
}
