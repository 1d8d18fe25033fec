//! What may still happen that did not happen on any unit.

/// The share of all units at most that do what none of so many did, with 95% confidence: 1 - .05^(1/n). So many units would
/// hold one of a larger share in more than 95 of 100 samples.
///
/// # Source
///
/// Clopper and Pearson 1934, one-sided; Hanley and Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", 1983.
///
/// ```
/// use rankgate::stats::unseen_share;
///
/// assert!((unseen_share(100) - 0.0295).abs() < 5e-5); // the rule of three says .03
/// assert_eq!(unseen_share(1), 0.95);
/// ```
#[must_use]
pub fn unseen_share(units: usize) -> f64 {
    1.0 - 0.05_f64.powf(1.0 / units as f64)
}
