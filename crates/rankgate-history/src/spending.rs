//! How the chance of a false alarm is spent over the rankings that are looked at.

use crate::model::AlarmRules;
use crate::stats::Guarantee;
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
        /// The ranking before, where it is another one: what a step alarm is about.
        Before = "before" => "the ranking before",
    }
}

impl ReferenceKind {
    /// Those that share the chance of a false alarm on a line, and stand until another takes their place.
    pub(crate) const STANDING: [Self; 4] = [Self::Golden, Self::First, Self::Release, Self::Best];
}

/// How alarms and notices are decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The chance of any false alarm on a line, one-sided, over all references that it ever has; .025 by default.
    pub alpha: f64,
    /// The one-sided level of notices, unadjusted; .025 by default.
    pub notice: f64,
    /// The one-sided level of step alarms: of each new ranking against the one before; .001 by default. It is the chance of a
    /// false one per ranking, not per line.
    pub step: f64,
    /// Losses that are smaller are neither alarms nor notices, in the metric's own unit; .002 by default.
    pub smallest_loss: f64,
    /// How an alarm asks for one more query, which gains what others lack: at the level `unseen`, at its own level
    /// (`bounded`), or not at all (`none`). The permutation test takes differences to be symmetric; where a change helps few
    /// queries much and hurts many a little, it alone alarms falsely on most lines.
    pub guarantee: Guarantee,
    /// The level at which that query must not undo the loss of the first ranking that a reference is held against, or of a step;
    /// of the k-th it is a k-th of this; .01 by default.
    pub unseen: f64,
    /// What random numbers are derived from.
    pub seed: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            alpha: 0.025,
            notice: 0.025,
            step: 0.001,
            smallest_loss: 0.002,
            guarantee: Guarantee::Typical,
            unseen: 0.01,
            seed: 1,
        }
    }
}

impl Rules {
    /// The same, as far as a spec says nothing else.
    pub(crate) fn of_spec(self, spec: AlarmRules) -> Self {
        Self {
            smallest_loss: spec.smallest_loss.unwrap_or(self.smallest_loss),
            guarantee: spec.guarantee.unwrap_or(self.guarantee),
            ..self
        }
    }

    /// What the j-th reference of a kind may spend. All of a kind together spend at most its share, however often the line
    /// is blessed or released.
    pub(crate) fn budget(&self, j: usize) -> f64 {
        of_kind(self.alpha) * share(j)
    }

    /// The level of the k-th ranking against the j-th reference of a kind.
    pub(crate) fn threshold(&self, j: usize, k: usize) -> f64 {
        self.budget(j) * share(k)
    }

    /// At most so often one more query may undo the loss of the k-th ranking against a reference, where that loss is tested at
    /// a level. All rankings are scored on one sample of queries: each is another chance that it holds few of those that gain.
    pub(crate) fn unseen_level(&self, threshold: f64, k: usize) -> f64 {
        let level = self.unseen / k as f64;
        match self.guarantee {
            Guarantee::None => 1.0,
            Guarantee::Typical => level,
            // What is at most its own level.
            _ => level.min(threshold),
        }
    }
}

/// What the references of one kind may spend of the whole, over the whole line. The split does not depend on which of
/// them there are: an alarm does not come or go with a tag.
pub(crate) fn of_kind(alpha: f64) -> f64 {
    alpha / ReferenceKind::STANDING.len() as f64
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
        assert!(kind * (ReferenceKind::STANDING.len() as f64) < rules.alpha);
    }

    #[test]
    fn the_kth_ranking_may_be_undone_a_kth_as_often() {
        let rules = Rules::default();
        let level = |k| rules.unseen_level(rules.threshold(1, k), k);
        assert_eq!([1, 2, 40].map(level), [0.01, 0.005, 0.000_25]);
        let bounded = Rules { guarantee: Guarantee::Bounded, ..rules };
        assert_eq!(bounded.unseen_level(rules.threshold(1, 40), 40), rules.threshold(1, 40));
        // A step has a level of its own, and is the first ranking against the one before.
        assert_eq!(bounded.unseen_level(rules.step, 1), 0.001);
    }
}
