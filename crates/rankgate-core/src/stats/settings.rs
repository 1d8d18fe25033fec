//! How a family of comparisons is tested.

use super::{Confidence, Correction, PermutationOptions, Robustness};
use crate::words::keywords;

keywords! {
    /// Which test's p-values decide; both are reported.
    #[derive(Default)]
    pub enum DecidingTest {
        /// The permutation test.
        #[default]
        Permutation = "permutation",
        /// The studentised bootstrap. Where the differences have no spread to studentise by, the permutation
        /// test stands in for it.
        Bootstrap = "bootstrap",
    }
}

#[doc(hidden)]
impl DecidingTest {
    /// What a sentence calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Permutation => "permutation test",
            Self::Bootstrap => "studentised bootstrap",
        }
    }

    /// Whether its p-values come from the bootstrap's resamples, and stand open until these are many.
    pub fn resamples(self) -> bool {
        match self {
            Self::Permutation => false,
            Self::Bootstrap => true,
        }
    }
}

/// How a family of comparisons is tested. The default is 95% confidence, Holm's correction, the permutation
/// test, a power of 0.8, and 9,999 bootstrap resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonSettings {
    /// The two-sided confidence of intervals; each one-sided p-value is held against half the rest.
    pub confidence: Confidence,
    /// How p-values are adjusted for the family.
    pub correction: Correction,
    /// Which test decides.
    pub test: DecidingTest,
    /// How much an unseen query may change a result before a claim fails.
    pub robustness: Robustness,
    /// The power at which the minimum detectable effect is given.
    pub power: f64,
    /// Whether only the verdict is asked for: then there is no interval of the permutation test, which takes random
    /// signs that the verdict may do without, and nothing is tested anew without its largest difference.
    pub verdict_only: bool,
    /// Bootstrap resamples.
    pub bootstrap_resamples: u64,
    /// Questions of the family that could not be asked. Each counts as one that shows nothing (a p-value of
    /// 1), so that the others are adjusted for the whole family.
    pub untested: usize,
    /// Candidates of which one will be picked. A claim that one of them keeps a margin must hold for so many such claims.
    pub candidates: usize,
    /// How permutation tests are carried out. Its levels and its stream are not used: the levels follow
    /// from the confidence and the correction, the stream is the question's.
    pub permutation: PermutationOptions,
}

impl Default for ComparisonSettings {
    fn default() -> Self {
        Self {
            confidence: Confidence::default(),
            correction: Correction::default(),
            test: DecidingTest::default(),
            robustness: Robustness::default(),
            power: 0.8,
            verdict_only: false,
            bootstrap_resamples: 9_999,
            untested: 0,
            candidates: 1,
            permutation: PermutationOptions::default(),
        }
    }
}
