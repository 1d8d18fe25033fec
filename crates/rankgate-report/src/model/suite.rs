//! What a suite of several collections saw.

use super::measured::MetricReport;
use crate::json::record;

record! {
    /// A suite: its collections, and what was measured over all of them.
    #[derive(Clone, Debug, PartialEq)]
    whole pub struct SuiteReport {
        /// Its collections, which count alike, in the order of the suite.
        pub collections: Vec<CollectionValue>,
        /// By configuration that all collections have, and metric; of those that were measured everywhere.
        pub means: Vec<(String, MetricReport)>,
    }
}

record! {
    /// A collection of a suite, and a metric in it.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct CollectionValue {
        /// The benchmark's name.
        pub benchmark: String,
        /// The benchmark's file, relative to the workspace.
        pub spec?: Option<String>,
        /// Judged queries that means are taken over; `None` where it could not be loaded.
        pub queries?: Option<usize>,
        /// The value of the metric, if it is about one; of a comparison the candidate's.
        pub value?: Option<f64>,
        /// The baseline's value, in a comparison.
        pub baseline?: Option<f64>,
    }
}
