//! A limit on one metric of one configuration: what was seen.

pub(crate) mod message;

use crate::gate::{Bound, Limit, broken_limit};
use crate::json::record;
use crate::model::{CollectionValue, MetricReport, Movers, Warning};

record! {
    /// A limit on one metric of one configuration.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ThresholdFinding {
        /// Canonical name.
        pub metric: String,
        /// Metadata key and value of the segment, if it is on one.
        pub segment?: Option<[String; 2]>,
        /// Smallest value allowed.
        pub min?: Option<f64>,
        /// Largest value allowed.
        pub max?: Option<f64>,
        /// The value that the limits apply to.
        pub bound: Bound,
        /// Its value; `None` where there is no interval to take it from.
        pub held?: Option<f64>,
        /// Judged queries the value is taken over.
        pub queries: usize,
        /// How many of them were not answered, and so scored 0.
        pub unanswered: usize = default,
        /// What should be known before the value is believed.
        pub warnings?: Vec<Warning>,
        /// The value and its interval.
        pub measured: MetricReport,
        /// Where every query is held against the limit: what a clean run leaves open, or what the documents have in common.
        pub note?: String,
        /// The value in each collection of a suite.
        pub collections?: Vec<CollectionValue>,
        /// Queries that explain the value: against the blessed run where there is one, else the weakest; where every query is
        /// held against the limit, all that break it.
        pub movers: Movers,
    }
}

impl ThresholdFinding {
    /// The limit that is broken, if one is.
    pub fn broken(&self) -> Option<Limit> {
        broken_limit(self.held?, self.min, self.max)
    }
}
