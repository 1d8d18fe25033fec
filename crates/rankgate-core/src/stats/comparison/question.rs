//! What is asked, and how it is to be answered.

use crate::stats::basis::ClaimRule;
use crate::stats::{ComparisonSettings, CorrectedMean, Differences, Expectation, Robustness, Stream};

/// One metric (or one segment of one) of two configurations, and what is expected of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question<'a> {
    /// The paired differences.
    pub differences: &'a Differences,
    /// What they are expected to show.
    pub expectation: Expectation,
    /// Whether both configurations rank the same documents in the same order on every query.
    pub identical: bool,
    /// Where the random signs and resamples come from: the same for all questions about one pair of
    /// configurations.
    pub stream: &'a Stream,
    /// Where the scores are a model's that people correct: their differences, corrected. Claims are then decided by
    /// it, and the differences above are of people's scores of the drawn queries alone.
    pub corrected: Option<&'a CorrectedMean>,
}

impl<'a> Question<'a> {
    /// Whether the candidate has regressed, on all units.
    pub fn new(differences: &'a Differences, stream: &'a Stream) -> Self {
        Self { differences, expectation: Expectation::default(), identical: false, stream, corrected: None }
    }

    /// What decides its claims.
    pub(super) fn rule(&self, settings: &ComparisonSettings) -> ClaimRule {
        let mut rule = ClaimRule::new(self.expectation, settings);
        // Signs alone show nothing of queries that nobody judged.
        let is_flat = self.corrected.is_some_and(CorrectedMean::is_people_alone_without_spread);
        if is_flat && rule.robustness == Robustness::None {
            rule.robustness = Robustness::Standard;
        }
        rule
    }
}
