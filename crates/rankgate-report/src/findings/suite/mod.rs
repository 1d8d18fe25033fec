//! What a suite of several collections saw.

pub(crate) mod message;

use crate::gate::Weights;
use crate::json::record;

use super::Kind;
use super::comparison::ComparisonFinding;
use super::threshold::ThresholdFinding;

record! {
    /// A limit on the weighted mean over collections.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SuiteThresholdFinding {
        /// The weighted mean and its limits.
        pub whole: ThresholdFinding,
        /// The value of each collection, in their order.
        pub by_collection: Vec<CollectionValue>,
    }
}

record! {
    /// A metric in one collection.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CollectionValue {
        /// The benchmark's name.
        pub benchmark: String,
        /// Its share of the mean.
        pub share: f64,
        /// Judged queries.
        pub queries: usize,
        /// The value.
        pub value: f64,
    }
}

record! {
    /// A candidate against a baseline over several collections. P-values are two-sided.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SuiteFinding {
        /// The weighted mean of the collections' differences, and all that is shown of it. It speaks of queries like these
        /// in these collections. Wins, ties and losses are queries of all of them.
        pub whole: ComparisonFinding,
        /// How much each collection counts.
        pub weights: Weights,
        /// Each collection by itself, in the order of the suite.
        pub collections: Vec<CollectionFinding>,
    }
}

record! {
    /// A candidate against a baseline in one collection of several.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CollectionFinding {
        /// The benchmark's name.
        pub benchmark: String,
        /// Its share of the mean.
        pub share: f64,
        /// Queries that are compared.
        pub queries: usize,
        /// The baseline's mean.
        pub baseline_mean: f64,
        /// The candidate's mean.
        pub candidate_mean: f64,
        /// The mean difference.
        pub difference: f64,
    }
}

impl Kind for SuiteFinding {
    fn comparison(&self) -> Option<&ComparisonFinding> {
        Some(&self.whole)
    }
}

impl Kind for SuiteThresholdFinding {}
