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
    /// The chance of any false alarm on a line, one-sided, over all references that it ever has; .025 by default.
    pub alpha: f64,
    /// The one-sided level of notices, unadjusted; .025 by default.
    pub notice: f64,
    /// The level at which one more query, which gains what others lack, must not undo the loss of an alarm; .01 by default, and 1
    /// where it is not asked. The permutation test takes differences to be symmetric; where a change helps few queries much
    /// and hurts many a little, it alone alarms falsely on most lines.
    pub unseen: f64,
    /// What random numbers are derived from.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { alpha: 0.025, notice: 0.025, unseen: 0.01, seed: 1 }
    }
}

impl Rules {
    /// What the j-th reference of a kind may spend. All of a kind together spend at most its share, however often the line
    /// is blessed or released.
    pub(crate) fn budget(&self, j: usize) -> f64 {
        of_kind(self.alpha) * share(j)
    }

    /// The level of the k-th ranking against the j-th reference of a kind.
    pub(crate) fn threshold(&self, j: usize, k: usize) -> f64 {
        self.budget(j) * share(k)
    }
}

/// What the references of one kind may spend of the whole, over the whole line. The split does not depend on which of
/// them there are: an alarm does not come or go with a tag.
pub(crate) fn of_kind(alpha: f64) -> f64 {
    alpha / ReferenceKind::ALL.len() as f64
}

/// The share of the n-th, from 1; all of them add up to 1.
fn share(n: usize) -> f64 {
    1.0 / (n as f64 * (n as f64 + 1.0))
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
        let spent: f64 = (1..=1_000).map(|k| rules.threshold(1, k)).sum();
        let first = rules.budget(1);
        assert!((spent - first * used(1_000)).abs() < 1e-15);
        assert!(spent < first);
        // 12 rankings: 1 - 1/13
        assert!((used(12) - 0.923_077).abs() < 1e-6);
        // .025 / 4 / 2 for all rankings against the first reference, half of it for the first of them; a third of it for all
        // against the second.
        assert_eq!((used(0), first, rules.threshold(1, 1)), (0.0, 0.003_125, 0.001_562_5));
        assert!((rules.budget(2) - first / 3.0).abs() < 1e-18);
    }

    #[test]
    fn a_line_spends_no_more_than_alpha_however_often_references_are_replaced() {
        let rules = Rules::default();
        let kind: f64 = (1..=1_000)
            .flat_map(|j| (1..=1_000).map(move |k| (j, k)))
            .map(|(j, k)| rules.threshold(j, k))
            .sum();
        // (1 - 1/1001)² of it, twice a telescoping sum.
        assert!((kind - of_kind(rules.alpha) * used(1_000).powi(2)).abs() < 1e-12);
        assert!(kind * (ReferenceKind::ALL.len() as f64) < rules.alpha);
    }
}
