//! What variants are, and what they cost.

use crate::json::record;

record! {
    /// The variant of a configuration.
    #[derive(Clone, Debug, PartialEq)]
    pub struct VariantReport {
        /// The configuration.
        pub of: String,
        /// The variant's name.
        pub name: String,
        /// How its texts are made, or where they stand: `typos (seed 7, 1 per query, keyboard us)`.
        pub source: String,
        /// Queries with an answer; 0 without one.
        pub asked: usize,
        /// Queries that have a variant, over which all values are.
        pub queries: usize,
        /// Queries that have none, and are left out.
        pub left_out: usize,
        /// By metric, in the order of the report's: its value, and that of the queries as they are.
        pub changes?: Vec<VariantChange>,
    }
}

record! {
    /// What a variant does to a metric, over the queries that have one.
    #[derive(Clone, Debug, PartialEq)]
    pub struct VariantChange {
        /// Canonical name.
        pub metric: String,
        /// The value under the variant.
        pub value: f64,
        /// The value of the same queries without the variant; `None` where those did not run.
        pub original?: Option<f64>,
    }
}
