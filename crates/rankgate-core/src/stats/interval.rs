//! Intervals, and the reasons for not having one.

use std::ops::RangeInclusive;

use crate::words::keywords;

/// Two limits, `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Interval {
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

#[doc(hidden)]
impl Interval {
    /// The part of it that a quantity can have which is never outside this range: a share is within 0 and 1.
    #[must_use]
    pub fn within(self, range: &RangeInclusive<f64>) -> Self {
        let limit = |end: f64| end.max(*range.start()).min(*range.end());
        Self { low: limit(self.low), high: limit(self.high) }
    }
}

keywords! {
    /// Why there is no interval.
    #[non_exhaustive]
    pub enum NoInterval {
        /// Counts are summed up: that is no sample of anything.
        Count = "count" => "a count has no interval",
        /// Only a verdict was asked for.
        NotAsked = "not-asked" => "no interval was asked for",
        /// People judged none of the queries, or one, so that a model's scores cannot be corrected.
        Uncorrected = "uncorrected" => "people judged too few of the queries",
        /// One value tells nothing about how much values vary.
        OneValue = "one-value" => "one query does not show how much queries vary",
        /// All values are the same number (for a single mean: of a metric without a range).
        NoVariance = "no-variance" => "all queries give the same value",
        /// All queries belong to one group.
        OneGroup = "one-group" => "one group of queries does not show how much groups vary",
        /// The groups' deviations from the mean are all 0.
        EqualGroups = "equal-groups" => "all groups of queries give the same value",
        /// No data on so few units could exclude any value at this confidence.
        TooFewUnits = "too-few-units" => "too few queries for this confidence",
        /// The limits would lie beyond the outermost resamples.
        TooFewResamples = "too-few-resamples" => "too few resamples for this confidence",
    }
}
