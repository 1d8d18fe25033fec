//! Two of several configurations, and whether they differ.

use super::permutation::unlikely;

/// The p-value of one pair of configurations.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ComparedPair {
    /// The positions of the two configurations, the earlier first.
    pub pair: (usize, usize),
    /// The second's mean score less the first's.
    pub difference: f64,
    /// The two-sided p-value, adjusted for all pairs.
    pub p: f64,
    /// How many random rearrangements it is counted from, not counting the observed one; nothing when all were
    /// listed.
    pub resamples: Option<u64>,
}

impl ComparedPair {
    /// Whether it is certain on which side of a level the exact p-value lies, but for a risk of 1 in 1,000.
    #[must_use]
    pub fn is_settled(&self, level: f64) -> bool {
        self.resamples.is_none_or(|resamples| {
            let drawn = (self.p * (resamples + 1) as f64).round() - 1.0;
            level >= 1.0 || unlikely(drawn, resamples as f64, level)
        })
    }
}
