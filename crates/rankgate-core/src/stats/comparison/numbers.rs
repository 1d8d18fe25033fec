//! The answer to one question.

use crate::stats::{Decision, Interval, NoInterval, PairedT, PermutationTest, Warning};

/// What the bootstrap adds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BootstrapSummary {
    /// Resamples.
    pub resamples: u64,
    /// The share of resamples in which the candidate scores higher: a description, not a p-value.
    pub win_share: f64,
    /// The two-sided p-value against a difference of 0, twice the smaller one-sided one; nothing where the
    /// differences have no spread.
    pub p_two_sided: Option<f64>,
    /// Percentiles of the resampled means; where the bootstrap decides, with what an unseen query leaves of them.
    pub interval: Result<Interval, NoInterval>,
}

/// All numbers of one comparison, and the verdict on it.
///
/// Differences are candidate minus baseline. Intervals are two-sided and unadjusted for other comparisons.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Units (queries, or groups of them) that were paired.
    pub units: usize,
    /// Queries in them.
    pub queries: usize,
    /// Units in which the candidate scores higher.
    pub wins: usize,
    /// Units in which both score the same.
    pub ties: usize,
    /// Units in which the candidate scores lower.
    pub losses: usize,
    /// The baseline's mean.
    pub baseline_mean: f64,
    /// The candidate's mean.
    pub candidate_mean: f64,
    /// The mean difference; the corrected one, where people correct a model's.
    pub difference: f64,
    /// The paired t test; nothing for a single unit.
    pub t: Option<PairedT>,
    /// The permutation test against a difference of 0, then against the expectation's margins.
    pub tests: Vec<PermutationTest>,
    /// The one-sided p-values of the deciding test against 0: greater, less.
    pub p: (f64, f64),
    /// The one-sided p-values of what decides claims of each direction, such as the larger one of the deciding test and of the
    /// unseen query, adjusted among the family's claims of that direction: greater, less.
    pub p_adjusted: (f64, f64),
    /// How many questions they are adjusted for.
    pub family: usize,
    /// The inverse of the permutation test; of a mean that people corrected, its own interval.
    pub interval: Result<Interval, NoInterval>,
    /// The bootstrap.
    pub bootstrap: BootstrapSummary,
    /// The smallest difference that so many units show with the power asked for, by the t formula; nothing without
    /// spread.
    pub minimum_detectable_effect: Option<f64>,
    /// The verdict.
    pub decision: Decision,
    /// What to say beside it.
    pub warnings: Vec<Warning>,
}

impl Comparison {
    /// How many units differ: wins and losses.
    pub fn nonzero(&self) -> usize {
        self.wins + self.losses
    }

    /// The permutation test against a difference of 0.
    pub fn permutation(&self) -> &PermutationTest {
        &self.tests[0]
    }

    /// The deciding test's two-sided p-value against 0: twice the smaller one-sided one, at most 1.
    pub fn p_two_sided(&self) -> f64 {
        (2.0 * self.p.0.min(self.p.1)).min(1.0)
    }

    /// Twice the smaller of the adjusted one-sided p-values, at most 1. It is not [`p_two_sided`](Self::p_two_sided)
    /// adjusted: claims of the two directions are two families.
    pub fn p_adjusted_two_sided(&self) -> f64 {
        (2.0 * self.p_adjusted.0.min(self.p_adjusted.1)).min(1.0)
    }
}
