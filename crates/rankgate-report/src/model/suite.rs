//! What a suite of several collections saw.

use crate::gate::Weights;
use crate::json::record;

record! {
    /// A suite: its collections, and what was measured over all of them.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct SuiteReport {
        /// How much each collection counts.
        pub weights: Weights,
        /// Its collections, in the order of the suite.
        pub collections: Vec<MemberReport>,
        /// By configuration that all collections have, and metric; of those that were measured everywhere.
        pub means: Vec<MacroMean>,
    }
}

record! {
    /// A collection of a suite.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct MemberReport {
        /// Its benchmark's name.
        pub benchmark: String,
        /// The benchmark's file, relative to the workspace.
        pub spec: String,
        /// Its share of the mean, over 0 and up to 1; `None` where a collection could not be loaded.
        pub share?: Option<f64>,
        /// Judged queries that means are taken over; `None` where it could not be loaded.
        pub queries?: Option<usize>,
    }
}

record! {
    /// A metric in one collection of a suite.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CollectionValue {
        /// The benchmark's name.
        pub benchmark: String,
        /// Its share of the mean.
        pub share: f64,
        /// Judged queries.
        pub queries: usize,
        /// The value; of a comparison the candidate's.
        pub value: f64,
        /// The baseline's value, in a comparison.
        pub baseline?: Option<f64>,
    }
}

record! {
    /// A metric of a configuration over all collections.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct MacroMean {
        /// The configuration.
        pub configuration: String,
        /// Canonical name.
        pub metric: String,
        /// The weighted mean of the collections' values.
        pub value: f64,
        /// Limits of its interval; `None` where there is none.
        pub interval: Option<[f64; 2]>,
        /// How the interval was made, or why there is none.
        pub interval_kind: String,
        /// The value of each collection, in their order.
        pub by_collection: Vec<f64>,
    }
}
