//! A limit on one metric of one configuration: what was seen.

pub(crate) mod message;

use serde::{Deserialize, Serialize};

use crate::gate::{Bound, Limit, broken_limit};
use crate::model::{CollectionValue, MetricReport, Movers, Warning};

/// A limit on one metric of one configuration.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ThresholdFinding {
    /// Canonical name.
    pub metric: String,
    /// Metadata key and value of the segment, if it is on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<[String; 2]>,
    /// Smallest value allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest value allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The value that the limits apply to.
    pub bound: Bound,
    /// Its value; `None` where there is no interval to take it from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<f64>,
    /// Judged queries the value is taken over.
    pub queries: usize,
    /// How many of them were not answered, and so scored 0.
    #[serde(default)]
    pub unanswered: usize,
    /// What should be known before the value is believed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The value and its interval.
    pub measured: MetricReport,
    /// Where every query is held against the limit: what a clean run leaves open, or what the documents have in common.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The value in each collection of a suite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionValue>,
    /// Queries that explain the value: against the blessed run where there is one, else the weakest; where every query is
    /// held against the limit, all that break it.
    pub movers: Movers,
}

impl ThresholdFinding {
    /// The limit that is broken, if one is.
    pub fn broken(&self) -> Option<Limit> {
        broken_limit(self.held?, self.min, self.max)
    }
}
