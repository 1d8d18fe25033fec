//! Who beats whom among several configurations.

use crate::json::as_json;
use crate::stats::PairsTest;

/// Every two of several configurations compared on one metric. No gate depends on it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct PairsReport {
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub segment: Option<[String; 2]>,
    /// How p-values are found and adjusted for all pairs.
    pub test: PairsTest,
    /// Queries that all of them have.
    pub queries: usize,
    /// Random rearrangements of the scores, not counting the observed one; `None` where all were listed.
    #[cfg_attr(feature = "schemars", serde(skip_serializing_if = "Option::is_none"))]
    pub resamples: Option<u64>,
    /// The configurations with their means, best first.
    pub configurations: Vec<RankedConfiguration>,
    /// Every pair, in the order of the configurations.
    pub pairs: Vec<PairReport>,
}

as_json!(struct PairsReport { metric, segment?, test, queries, resamples?, configurations, pairs });

/// A configuration and its mean.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct RankedConfiguration {
    /// Its name.
    pub name: String,
    /// Its mean over the queries that all of them have.
    pub mean: f64,
}

as_json!(struct RankedConfiguration { name, mean });

/// Two configurations.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct PairReport {
    /// The one with the higher mean; of equal means the one that comes first.
    pub better: String,
    /// The other.
    pub worse: String,
    /// By how much the mean is higher, 0 or more.
    pub difference: f64,
    /// The two-sided p-value, adjusted for all pairs of this metric.
    pub p_adjusted: f64,
    /// Whether that is at most 1 less the confidence, and certainly so where it is simulated.
    pub shown: bool,
}

as_json!(struct PairReport { better, worse, difference, p_adjusted, shown });
