//! How the chance of a false alarm is spent over the rankings that are looked at.

use crate::words::keywords;

keywords! {
    /// What a state is held against.
    pub enum ReferenceKind {
        /// The golden ranking of that commit.
        Golden = "golden" => "golden",
        /// The first golden ranking, or the first state where there is none.
        First = "first" => "the first",
        /// The last release before it.
        Release = "release" => "the last release",
        /// The best state so far, with the price of choosing it.
        Best = "best" => "the best so far",
    }
}

/// How alarms and notices are decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The chance of any false alarm, one-sided, over all references; .025 by default.
    pub alpha: f64,
    /// The one-sided level of notices, unadjusted; .025 by default.
    pub notice: f64,
    /// What random numbers are derived from.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { alpha: 0.025, notice: 0.025, seed: 1 }
    }
}

impl Rules {
    /// What the k-th ranking against a reference is held against. The shares 1/(k(k+1)) add up to 1.
    pub(crate) fn threshold(&self, k: usize) -> f64 {
        of_reference(self.alpha) / (k as f64 * (k as f64 + 1.0))
    }
}

/// What one reference may spend of the whole. The split does not depend on which of them there are: an alarm does not
/// come or go with a tag.
pub(crate) fn of_reference(alpha: f64) -> f64 {
    alpha / ReferenceKind::ALL.len() as f64
}

/// The share of a reference's budget that k rankings have used.
pub(crate) fn used(k: usize) -> f64 {
    k as f64 / (k as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_spent_and_never_overspent() {
        let rules = Rules::default();
        let spent: f64 = (1..=1_000).map(|k| rules.threshold(k)).sum();
        let all = of_reference(rules.alpha);
        assert!((spent - all * used(1_000)).abs() < 1e-15);
        assert!(spent < all);
        // 12 rankings: 1 - 1/13
        assert!((used(12) - 0.923_077).abs() < 1e-6);
        assert_eq!((used(0), rules.threshold(1)), (0.0, 0.003_125));
    }
}
