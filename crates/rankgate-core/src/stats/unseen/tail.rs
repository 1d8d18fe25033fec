//! How likely the mean over all queries is at most a number, given those that were seen.

use super::Combination;
use crate::{Error, Result};

/// Units with the one that was not seen: each as a sum over its queries and their number.
pub(in crate::stats) struct UnseenQuery<'a> {
    pub(in crate::stats) sums: &'a [f64],
    /// How many queries each holds; 1 everywhere where there are none.
    pub(in crate::stats) sizes: &'a [u32],
    /// What a query of the unseen unit is at worst. That unit is as large as the largest.
    pub(in crate::stats) worst: f64,
}

impl UnseenQuery<'_> {
    /// The probability that the mean per query is at most `mean`.
    pub(in crate::stats) fn tail(&self, mean: f64) -> f64 {
        self.apart(mean).tail()
    }

    fn size(&self, unit: usize) -> f64 {
        self.sizes.get(unit).map_or(1.0, |&size| f64::from(size))
    }

    /// Each unit's mean per query.
    pub(super) fn means(&self) -> impl Iterator<Item = f64> {
        self.sums.iter().enumerate().map(|(unit, sum)| sum / self.size(unit))
    }

    fn apart(&self, mean: f64) -> Combination {
        // Of average size it would undo too little where a few large groups are the ones that lose.
        let largest = f64::from(self.sizes.iter().copied().max().unwrap_or(1));
        let unseen = largest * (self.worst - mean);
        let seen = self.sums.iter().enumerate().map(|(unit, sum)| sum - mean * self.size(unit));
        Combination::new(seen.chain([unseen]))
    }
}

/// How likely it is that the mean over all queries is at most `mean`, given the values of those that were seen: the
/// one-sided p-value of the claim that it is larger.
///
/// One more query is put beside them, at the `worst` that it can be. All are weighed at random, by weights that are
/// uniform among those that sum up to 1. This is the probability that the weighted mean is at most `mean`. It is exact: of
/// values 0 and 1 the Clopper-Pearson p-value, of `n` equal values `c` over 0 the power `(mean / c)^n`.
///
/// # Errors
///
/// When there are no values, or one of them, `worst` or `mean` is not finite.
///
/// # Source
///
/// Gaffke, "Three Test Statistics for a Nonparametric One-Sided Hypothesis on the Mean of a Nonnegative Variable", 2005;
/// Learned-Miller and Thomas, "A New Confidence Interval for the Mean of a Bounded Random Variable", 2019.
///
/// ```
/// use rankgate::stats::unseen_tail;
///
/// // Nine of ten successes: P(X >= 9) of Binomial(10, .5) is 11 / 1024.
/// let p = unseen_tail(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0], 0.0, 0.5)?;
/// assert!((p - 11.0 / 1024.0).abs() < 1e-12);
/// // Every one of 38 answers is perfect: is the mean above .9?
/// let p = unseen_tail(&[1.0; 38], 0.0, 0.9)?;
/// assert!((p - 0.9f64.powi(38)).abs() < 1e-12);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn unseen_tail(values: &[f64], worst: f64, mean: f64) -> Result<f64> {
    if values.is_empty() {
        return Err(Error::invalid("there are no values to take a mean of"));
    }
    if let Some(value) = values.iter().chain([&worst, &mean]).find(|value| !value.is_finite()) {
        return Err(Error::invalid(format!("{value:?} is no score")));
    }
    Ok(UnseenQuery { sums: values, sizes: &[], worst }.tail(mean))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use statrs::distribution::{Beta, ContinuousCDF};

    use super::*;

    fn zeros_and_ones(ones: usize, n: usize) -> Vec<f64> {
        (0..n).map(|at| if at < ones { 1.0 } else { 0.0 }).collect()
    }

    #[test]
    fn tails_are_those_of_partial_fractions() {
        let reference: Value = serde_json::from_str(include_str!("reference.json")).unwrap();
        let number = |case: &Value, key: &str| case[key].as_f64().unwrap();
        let check = |case: &Value, values: &[f64]| {
            let expected: f64 = case["tail"].as_str().unwrap().parse().unwrap();
            let tail = unseen_tail(values, number(case, "worst"), number(case, "mu")).unwrap();
            assert!((tail / expected - 1.0).abs() < 1e-12, "{tail} is not {expected}");
        };
        for case in reference["cases"].as_array().unwrap() {
            let values: Vec<f64> =
                case["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
            check(case, &values);
        }
        for case in reference["zeros_and_ones"].as_array().unwrap() {
            check(case, &zeros_and_ones(number(case, "ones") as usize, number(case, "n") as usize));
        }
    }

    #[test]
    fn zeros_and_ones_have_the_p_value_of_clopper_and_pearson() {
        for n in [1, 2, 5, 17, 50, 162] {
            for ones in (1..=n).step_by(1 + n / 20) {
                let beta = Beta::new(ones as f64, (n - ones + 1) as f64).unwrap();
                for mean in [0.01, 0.3, 0.8, 0.99] {
                    let (tail, expected) =
                        (unseen_tail(&zeros_and_ones(ones, n), 0.0, mean).unwrap(), beta.cdf(mean));
                    assert!((tail - expected).abs() < 1e-11, "{ones} of {n}: {tail} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_unit_of_several_queries_counts_for_all_of_them() {
        // 0.5 E1 - 0.3 E2 - 2 (0.4) E3 <= 0, with 0.1 taken from each query. By hand: E1 is beyond a E2 + b E3 with a
        // probability of 1 / ((1 + a) (1 + b)), here 1 / (1.6 * 2.6).
        let units = UnseenQuery { sums: &[0.6, -0.1], sizes: &[1, 2], worst: -0.3 };
        assert!((units.tail(0.1) - (1.0 - 1.0 / 4.16)).abs() < 1e-13);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(unseen_tail(&[], 0.0, 0.5).is_err());
        assert!(unseen_tail(&[f64::NAN], 0.0, 0.5).is_err());
        assert!(unseen_tail(&[0.5], f64::NEG_INFINITY, 0.5).is_err());
    }
}
