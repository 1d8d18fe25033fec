//! How metrics are defined beside their names, in words that reports keep.

use super::Judging;

/// Counts changes of what metrics of the same name give.
const DEFINITIONS: u32 = 1;

impl Judging {
    /// What a report says of it: scores can be compared where these are the same.
    ///
    /// ```
    /// use rankgate::Judging;
    ///
    /// let judging = Judging { relevant_from: 2, ..Judging::default() };
    /// assert!(judging.definitions().starts_with("1: relevant from grade 2"));
    /// ```
    #[must_use]
    pub fn definitions(self) -> String {
        let unjudgeable = if self.skip_queries_without_relevant { "left out" } else { "scored 0" };
        let identical = if self.exclude_identical_ids { ", the query's own document left out" } else { "" };
        format!(
            "{DEFINITIONS}: relevant from grade {}, queries without a relevant document {unjudgeable}{identical}",
            self.relevant_from
        )
    }
}
