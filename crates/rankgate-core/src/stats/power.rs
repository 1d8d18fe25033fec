//! What a test could have seen, and how many queries would have been needed.

use super::Confidence;
use super::distribution::{normal_quantile, t_quantile};
use crate::{Error, Result};

/// The smallest true mean difference that a two-sided t test would show with the given probability, for a spread
/// that is assumed and not observed: differences of this standard deviation on so many units, at least 2. Nothing
/// without spread.
///
/// # Errors
///
/// When the power is not between the error rate and 1, the deviation is not finite or there are fewer units.
///
/// # Source
///
/// `(t_{1 - alpha/2} + t_{power}) s / sqrt(n)`; Cohen 1988.
///
/// ```
/// use rankgate::stats::{Confidence, detectable_difference};
///
/// let effect = detectable_difference(0.2, 100, Confidence::default(), 0.8)?.unwrap();
/// assert!((effect - 0.0566).abs() < 1e-4);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn detectable_difference(
    standard_deviation: f64,
    units: usize,
    confidence: Confidence,
    power: f64,
) -> Result<Option<f64>> {
    if !standard_deviation.is_finite() || units < 2 {
        return Err(Error::invalid("a finite standard deviation and at least two units are needed"));
    }
    check(power, confidence)?;
    if standard_deviation == 0.0 {
        return Ok(None);
    }
    let quantiles = t_quantile(1.0 - confidence.tail(), units - 1) + t_quantile(power, units - 1);
    Ok(Some(quantiles * standard_deviation / (units as f64).sqrt()))
}

/// About how many units a two-sided test needs to show a true mean difference of `effect` with the given
/// probability, when differences have this standard deviation; nothing when either is 0.
///
/// # Errors
///
/// When the power is not between the error rate and 1, or the effect or the deviation is not finite.
///
/// # Source
///
/// `((z_{1 - alpha/2} + z_{power}) / d)^2 + z_{1 - alpha/2}^2 / 2` with `d` the effect in standard
/// deviations; Guenther 1981.
///
/// ```
/// use rankgate::stats::{Confidence, queries_needed};
///
/// assert_eq!(queries_needed(0.02, 0.2, Confidence::default(), 0.8)?, Some(787));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn queries_needed(
    effect: f64,
    standard_deviation: f64,
    confidence: Confidence,
    power: f64,
) -> Result<Option<u64>> {
    check(power, confidence)?;
    if !(effect.is_finite() && standard_deviation.is_finite()) {
        return Err(Error::invalid("an effect and a standard deviation must be finite"));
    }
    let ratio = (effect / standard_deviation).abs();
    if ratio == 0.0 || !ratio.is_finite() {
        return Ok(None);
    }
    let z = normal_quantile(1.0 - confidence.tail());
    let needed = ((z + normal_quantile(power)) / ratio).powi(2) + z * z / 2.0;
    Ok(Some(needed.ceil() as u64))
}

pub(super) fn check(power: f64, confidence: Confidence) -> Result<()> {
    if power > confidence.alpha() && power < 1.0 {
        return Ok(());
    }
    Err(Error::invalid(format!("a power is between {} and 1, not {power}", confidence.alpha())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_needed_by_hand() {
        // z.975 = 1.959964, z.8 = 0.841621: (2.801585 / d)^2 + 1.920729
        for (effect, deviation, expected) in [
            (0.5, 1.0, Some(34)),    // 31.395516 + 1.920729, up
            (0.2, 1.0, Some(199)),   // 196.22 + 1.92
            (-0.02, 0.2, Some(787)), // 784.89 + 1.92
            (1.0514, 1.0, Some(10)), // 7.100 + 1.921 = 9.021
            (1.0544, 1.0, Some(9)),  // 7.060 + 1.921 = 8.981
            (0.0, 1.0, None),
            (0.1, 0.0, None),
        ] {
            let needed = queries_needed(effect, deviation, Confidence::default(), 0.8).unwrap();
            assert_eq!(needed, expected, "{effect} {deviation}");
        }
    }

    #[test]
    fn the_smallest_difference_for_an_assumed_spread_by_hand() {
        // t_3(.975) + t_3(.8) = 3.18244631 + .97847231; t_1(.975) + t_1(.8) = 12.70620474 + 1.37638192
        for (deviation, units, expected) in
            [(0.3, 4, 4.160_918_62 * 0.15), (0.3, 2, 14.082_586_66 * 0.3 / 2f64.sqrt())]
        {
            let effect = detectable_difference(deviation, units, Confidence::default(), 0.8).unwrap();
            assert!((effect.unwrap() - expected).abs() < 1e-7, "{deviation} {units} {effect:?}");
        }
        assert_eq!(detectable_difference(0.0, 4, Confidence::default(), 0.8).unwrap(), None);
        for (deviation, units) in [(0.3, 1), (0.3, 0), (f64::NAN, 4), (f64::INFINITY, 4)] {
            assert!(detectable_difference(deviation, units, Confidence::default(), 0.8).is_err());
        }
    }

    #[test]
    fn what_is_not_finite_has_no_number_of_queries() {
        for (effect, deviation) in [(f64::INFINITY, 1.0), (f64::NAN, 1.0), (0.1, f64::INFINITY)] {
            assert!(queries_needed(effect, deviation, Confidence::default(), 0.8).is_err());
        }
    }

    #[test]
    fn a_power_is_a_probability() {
        for power in [0.0, 0.05, 1.0, 80.0, f64::NAN] {
            assert!(queries_needed(0.1, 1.0, Confidence::default(), power).is_err());
        }
    }
}
