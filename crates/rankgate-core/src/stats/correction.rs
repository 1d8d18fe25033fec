//! Adjusting p-values for the number of questions asked together.

use crate::order;
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// How the p-values of a family are adjusted.
    #[derive(Default)]
    pub enum Correction {
        /// Holm's step-down procedure: the chance of any false claim stays below the error rate, whatever the
        /// dependence.
        #[default]
        Holm = "holm",
        /// No adjustment.
        None = "none",
    }
}

/// Adjusts the p-values of one family, each to be held against the level of a single test.
///
/// # Errors
///
/// When a p-value is not between 0 and 1.
///
/// # Source
///
/// Holm 1979. The values are those of statsmodels'
/// `multipletests` and R's `p.adjust`.
///
/// ```
/// use rankgate::stats::{Correction, adjust};
///
/// assert_eq!(adjust(&[0.01, 0.04, 0.03], Correction::Holm)?, [0.03, 0.06, 0.06]);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn adjust(p_values: &[f64], correction: Correction) -> Result<Vec<f64>> {
    if let Some(p) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Error::invalid(format!("{p} is not a p-value")));
    }
    let mut adjusted = p_values.to_vec();
    match correction {
        Correction::None => {}
        Correction::Holm => {
            // From the smallest up, none below the one before.
            let mut ascending: Vec<usize> = (0..p_values.len()).collect();
            order::sort_by(&mut ascending, |&a, &b| p_values[a].total_cmp(&p_values[b]));
            let mut so_far: f64 = 0.0;
            for (index, left) in ascending.into_iter().zip((1..=p_values.len()).rev()) {
                so_far = so_far.max((p_values[index] * left as f64).min(1.0));
                adjusted[index] = so_far;
            }
        }
    }
    Ok(adjusted)
}

/// The one-sided levels that the p-values of a family are in effect held against.
pub(super) fn levels(family: usize, tail: f64, correction: Correction) -> Vec<f64> {
    match correction {
        Correction::None => vec![tail],
        Correction::Holm => (1..=family).map(|steps| tail / steps as f64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 10] = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216];

    fn check(correction: Correction, expected: [f64; 10]) {
        // in another order, so that sorting and restoring are tested as well
        let order = [7, 2, 9, 0, 4, 8, 1, 6, 3, 5];
        let shuffled: Vec<f64> = order.iter().map(|&index| P[index]).collect();
        for (adjusted, index) in adjust(&shuffled, correction).unwrap().into_iter().zip(order) {
            assert!((adjusted - expected[index]).abs() < 1e-9, "{correction}: {adjusted} at {index}");
        }
    }

    #[test]
    fn reference_values() {
        // statsmodels multipletests
        check(Correction::Holm, [0.01, 0.072, 0.312, 0.312, 0.312, 0.312, 0.312, 0.615, 0.615, 0.615]);
        check(Correction::None, P);
    }

    #[test]
    fn a_family_of_one_is_not_adjusted() {
        assert_eq!(adjust(&[0.03], Correction::Holm).unwrap(), [0.03]);
        assert!(adjust(&[], Correction::Holm).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_a_p_value_is_an_error() {
        assert!(adjust(&[0.5, f64::NAN], Correction::Holm).is_err());
        assert!(adjust(&[1.5], Correction::None).is_err());
    }

    #[test]
    fn levels_are_where_adjusting_makes_the_difference() {
        assert_eq!(levels(2, 0.025, Correction::Holm), [0.025, 0.0125]);
        assert_eq!(levels(4, 0.025, Correction::None), [0.025]);
    }
}
