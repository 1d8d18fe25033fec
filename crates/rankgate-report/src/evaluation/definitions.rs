//! How metrics are defined beside their names, in words that reports keep.

use super::Judging;

/// Counts changes of what metrics of the same name give.
const DEFINITIONS: u32 = 1;
/// The highest grade that is looked for as the lowest relevant one.
const GRADES: i32 = 100;

impl Judging {
    /// What a report says of it: scores can be compared where these are the same.
    ///
    /// ```
    /// use rankgate::Judging;
    ///
    /// let judging = Judging { relevant_from: 2, ..Judging::default() };
    /// assert_eq!(Judging::from_definitions(&judging.definitions()), Some(judging));
    /// ```
    #[must_use]
    pub fn definitions(self) -> String {
        let unjudgeable = if self.skip_unjudgeable { "left out" } else { "scored 0" };
        let identical = if self.exclude_identical_ids { ", the query's own document left out" } else { "" };
        format!(
            "{DEFINITIONS}: relevant from grade {}, queries without a relevant document {unjudgeable}{identical}",
            self.relevant_from
        )
    }

    /// What definitions say, found by what says the same; `None` of those of another version.
    #[must_use]
    pub fn from_definitions(definitions: &str) -> Option<Self> {
        let all = (1..=GRADES).flat_map(|relevant_from| {
            [(false, false), (false, true), (true, false), (true, true)].map(
                |(skip_unjudgeable, exclude_identical_ids)| Self {
                    relevant_from,
                    skip_unjudgeable,
                    exclude_identical_ids,
                },
            )
        });
        all.into_iter().find(|one| one.definitions() == definitions)
    }
}
