//! What other collections would show: the collection is the unit.

use crate::json::write_json;
use crate::stats::distribution::{normal_quantile, t_quantile};
use crate::stats::sum::total;
use crate::stats::{Confidence, Differences, Direction, Interval, PermutationOptions, permutation_test};
use crate::{Error, Result};

/// Fewer collections than this tell nothing of others, at whatever level: 2^-5 is above 2.5%.
pub const FEWEST_COLLECTIONS: usize = 6;

/// Effects of collections that are a sample of others like them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RandomEffects {
    /// How many collections there are.
    pub collections: usize,
    /// The variance of true effects between collections (DerSimonian and Laird); 0 where it is less than chance makes.
    pub tau_squared: f64,
    /// The mean effect.
    pub mean: f64,
    /// Its standard error (Hartung, Knapp, Sidik and Jonkman).
    pub standard_error: f64,
    /// Its interval, with t of one degree of freedom less than there are collections; never narrower than that of
    /// fixed effects.
    pub interval: Interval,
    /// Where the effect of a further collection is to be expected.
    pub prediction: Interval,
    /// The share of the variance between observed effects that is not chance, from 0 to 1.
    pub i_squared: f64,
    /// One-sided p-value of the sign-flip test on the collections' effects: that others are better.
    pub p_greater: f64,
    /// That others are worse.
    pub p_less: f64,
}

write_json!(struct RandomEffects {
    collections, tau_squared, mean, standard_error, interval, prediction, i_squared, p_greater, p_less
});

/// Random effects of collections, from the mean difference in each and the variance of that mean.
///
/// # Errors
///
/// When there are not as many variances, fewer than three collections, or a variance that is not above 0.
///
/// # Source
///
/// DerSimonian and Laird 1986; Hartung and Knapp 2001; Sidik and Jonkman 2002; Higgins, Thompson and Spiegelhalter
/// 2009 (prediction, with t of K - 2). statsmodels' `combine_effects(method_re="dl", use_t=True)`, row "random effect
/// wls", gives the same mean and interval.
///
/// ```
/// use rankgate::stats::{Confidence, random_effects};
///
/// let effects = [0.02, 0.03, -0.01, 0.05, 0.04, 0.01];
/// let pooled = random_effects(&effects, &[1e-4; 6], Confidence::default())?;
/// assert!((pooled.mean - 0.14 / 6.0).abs() < 1e-12 && pooled.i_squared > 0.7);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn random_effects(effects: &[f64], variances: &[f64], confidence: Confidence) -> Result<RandomEffects> {
    let collections = effects.len();
    if collections < 3 || variances.len() != collections {
        return Err(Error::invalid("random effects take three collections or more, each with its variance"));
    }
    if let Some(variance) = variances.iter().find(|variance| !(**variance > 0.0 && variance.is_finite())) {
        return Err(Error::invalid(format!("the variance of a mean is above 0, not {variance}")));
    }
    let pooled = |weights: &[f64]| {
        let sum = total(weights.iter().copied());
        (sum, total(weights.iter().zip(effects).map(|(weight, effect)| weight * effect)) / sum)
    };
    let scatter = |weights: &[f64], mean: f64| {
        total(weights.iter().zip(effects).map(|(weight, effect)| weight * (effect - mean).powi(2)))
    };
    let freedom = (collections - 1) as f64;
    let fixed: Vec<f64> = variances.iter().map(|variance| variance.recip()).collect();
    let (sum, fixed_mean) = pooled(&fixed);
    let q = scatter(&fixed, fixed_mean);
    let squares = total(fixed.iter().map(|weight| weight * weight));
    let tau_squared = ((q - freedom) / (sum - squares / sum)).max(0.0);
    let weights: Vec<f64> = variances.iter().map(|variance| (variance + tau_squared).recip()).collect();
    let (weight, mean) = pooled(&weights);
    let standard_error = (scatter(&weights, mean) / (freedom * weight)).sqrt();
    let tail = 1.0 - confidence.tail();
    let half =
        (t_quantile(tail, collections - 1) * standard_error).max(normal_quantile(tail) * sum.sqrt().recip());
    let spread = t_quantile(tail, collections - 2) * (tau_squared + standard_error.powi(2)).sqrt();
    let around = |half: f64| Interval { low: mean - half, high: mean + half };
    let units = Differences::new(&vec![0.0; collections], effects)?;
    let signs = permutation_test(&units, 0.0, &PermutationOptions::default())?;
    Ok(RandomEffects {
        collections,
        tau_squared,
        mean,
        standard_error,
        interval: around(half),
        // A further collection is no surer than the mean of all.
        prediction: around(spread.max(half)),
        i_squared: if q > 0.0 { ((q - freedom) / q).max(0.0) } else { 0.0 },
        p_greater: signs.p(Direction::Greater),
        p_less: signs.p(Direction::Less),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }

    #[test]
    fn random_effects_are_those_of_statsmodels() {
        // statsmodels 0.15 combine_effects(method_re="dl", use_t=True), "random effect wls"
        let (n, s) = ([50.0, 323.0, 300.0, 648.0, 49.0], [0.12, 0.18, 0.15, 0.21, 0.14]);
        let variances: Vec<f64> = n.iter().zip(s).map(|(n, s): (&f64, f64)| s * s / n).collect();
        let effects = [0.031, 0.012, -0.004, 0.020, 0.045];
        let found = random_effects(&effects, &variances, Confidence::default()).unwrap();
        close(found.tau_squared, 0.000_131_937, 5e-10);
        close(found.mean, 0.015_802_6, 5e-8);
        close(found.interval.low, -0.005_166_2, 5e-8);
        close(found.interval.high, 0.036_771_4, 5e-8);
        close(found.i_squared, 0.516, 5e-4);
        // four of five gain: of the 32 sign vectors those that reach the sum of .104 are all +, and - at -.004
        assert_eq!(found.p_greater, 2.0 / 32.0);
    }

    #[test]
    fn alike_effects_are_no_surer_than_fixed_ones() {
        // without scatter the plain interval has no width: that of fixed effects is z / sqrt(6 / .01)
        let found = random_effects(&[0.02; 6], &[0.01; 6], Confidence::default()).unwrap();
        assert_eq!((found.tau_squared, found.i_squared), (0.0, 0.0));
        close(found.interval.high - 0.02, 1.959_963_984_540_054 / 600f64.sqrt(), 1e-12);
        assert!(found.prediction.high >= found.interval.high);
        assert_eq!(found.p_greater, 1.0 / 64.0);
    }

    #[test]
    fn what_has_no_variance_is_an_error() {
        let confidence = Confidence::default();
        assert!(random_effects(&[0.1; 3], &[0.1, 0.0, 0.1], confidence).is_err());
        assert!(random_effects(&[0.1; 3], &[0.1, 0.1], confidence).is_err());
        assert!(random_effects(&[0.1; 2], &[0.1, 0.1], confidence).is_err());
    }
}
