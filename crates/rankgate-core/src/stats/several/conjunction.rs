//! In how many collections something is shown.

use crate::json::write_json;
use crate::stats::{Correction, adjust};
use crate::{Error, Result};

/// That something holds in at least so many of all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PartialConjunction {
    /// In how many at least; 0 where it is shown in none.
    pub at_least: usize,
    /// Of how many.
    pub of: usize,
    /// The p-value of that; where it is shown in none, that of at least one.
    pub p: f64,
}

write_json!(struct PartialConjunction { at_least, of, p });

/// In how many of the hypotheses with these p-values something is shown to hold: the largest number u for which
/// the p-value (K - u + 1) p_(u) of "at least u of K" is at most the level, as are those of all smaller numbers.
///
/// It does not say in which ones. For any dependence between them.
///
/// # Errors
///
/// When there are none, or one is not between 0 and 1.
///
/// # Source
///
/// Benjamini and Heller, "Screening for Partial Conjunction Hypotheses", 2008, with Bonferroni's p-values. They are
/// Holm's, in ascending order.
///
/// ```
/// use rankgate::stats::partial_conjunction;
///
/// // 4 x .001, 3 x .004, 2 x .02 = .04 is above .025
/// let shown = partial_conjunction(&[0.004, 0.6, 0.001, 0.02], 0.025)?;
/// assert_eq!((shown.at_least, shown.of), (2, 4));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn partial_conjunction(p_values: &[f64], level: f64) -> Result<PartialConjunction> {
    if p_values.is_empty() {
        return Err(Error::invalid("there is nothing that could be shown"));
    }
    // Each is the largest so far, so that all smaller numbers hold where one does.
    let mut adjusted = adjust(p_values, Correction::Holm)?;
    adjusted.sort_unstable_by(f64::total_cmp);
    let at_least = adjusted.partition_point(|&p| p <= level);
    let p = adjusted[at_least.saturating_sub(1)];
    Ok(PartialConjunction { at_least, of: p_values.len(), p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_with_all_smaller_ones() {
        // (K - u + 1) p_(u), by hand
        for (p, at_least, of_it) in [
            (&[0.5, 0.5][..], 0, 1.0),
            (&[0.01, 0.02], 2, 0.02),
            // 3 x .01 = .03 is above .025, though 2 x .011 = .022 is not
            (&[0.01, 0.011, 0.012], 0, 0.03),
            (&[0.008, 0.012, 0.024], 3, 0.024),
            (&[0.001, 0.012, 0.024, 0.9], 1, 0.004),
            (&[0.02], 1, 0.02),
        ] {
            let shown = partial_conjunction(p, 0.025).unwrap();
            assert_eq!((shown.at_least, shown.of), (at_least, p.len()), "{p:?}");
            assert!((shown.p - of_it).abs() < 1e-12, "{p:?} {}", shown.p);
        }
        assert!(partial_conjunction(&[], 0.025).is_err() && partial_conjunction(&[1.5], 0.025).is_err());
    }
}
