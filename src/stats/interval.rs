//! Intervals, and the reasons for not having one.

use std::fmt;

use serde::Serialize;

/// Two limits, `low <= high`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

/// Why there is no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NoInterval {
    /// One value tells nothing about how much values vary.
    OneValue,
    /// All values are the same number (for a single mean: and not 0 or 1).
    NoVariance,
    /// No data on so few units could exclude any value at this confidence.
    TooFewUnits,
    /// The limits would lie beyond the outermost resamples.
    TooFewResamples,
    /// All resamples fall on one side of the observed value, so that their bias cannot be measured.
    OneSidedResamples,
    /// Too many resamples hold one value only, and have no spread to be measured by.
    DegenerateResamples,
}

impl fmt::Display for NoInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneValue => "one query does not show how much queries vary",
            Self::NoVariance => "all queries give the same value",
            Self::TooFewUnits => "too few queries for this confidence",
            Self::TooFewResamples => "too few resamples for this confidence",
            Self::OneSidedResamples => "all resamples fall on one side of the observed value",
            Self::DegenerateResamples => "too many resamples hold one value only",
        })
    }
}
