//! What variants are, and what they cost.

use crate::json::record;

record! {
    /// The variant that a configuration was asked under.
    #[derive(Clone, Debug, PartialEq)]
    pub struct VariantReport {
        /// The configuration.
        pub of: String,
        /// The variant's name.
        pub name: String,
        /// How its texts are made, or where they stand: `typos (seed 7, 1 per query, keyboard us)`.
        pub source: String,
        /// What was asked; 0 where nothing was.
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
        /// That of the same queries as they are; `None` where those were not asked.
        pub original?: Option<f64>,
    }
}
