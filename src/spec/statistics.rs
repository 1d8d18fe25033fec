//! `statistics:`: how comparisons are decided.

use super::scalar::read_words;
use crate::gate::Statistics;
use crate::mapping::mapping;
use crate::stats::{Confidence, Correction, DecidingTest, Robustness};

read_words!(Correction, DecidingTest, Robustness);

mapping! {
    /// How comparisons are decided.
    pub(super) struct RawStatistics as "`statistics`" {
        /// The confidence of every interval, from 0.5 to below 1; 0.95 by default. One minus it is the
        /// level of every test.
        "confidence" => confidence: Confidence,
        /// How p-values are adjusted within a family; `holm` by default.
        "correction" => correction: Correction,
        /// What random numbers are derived from; 1 by default.
        "seed" => seed: u64,
        /// Which test decides: `permutation` (default) or `bootstrap`. Both are reported.
        "test" => test: DecidingTest,
        /// How much an unseen query may change a result before a claim fails: `standard` (default), `strict` or `none`.
        "robustness" => robustness: Robustness,
        /// A metadata key: queries with the same value belong together.
        "group-by" => group_by: String,
    }
    rules: []
}

impl RawStatistics {
    pub(super) fn check(self) -> Statistics {
        let default = Statistics::default();
        Statistics {
            confidence: self.confidence.into_value().unwrap_or(default.confidence),
            resamples: default.resamples,
            correction: self.correction.into_value().unwrap_or_default(),
            seed: self.seed.into_value().unwrap_or(default.seed),
            test: self.test.into_value().unwrap_or_default(),
            robustness: self.robustness.into_value().unwrap_or_default(),
            group_by: self.group_by.into_value(),
        }
    }
}
