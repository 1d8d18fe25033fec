//! A limit that every query has to keep: which do not, and what a clean run leaves open.

use crate::json::record;
use crate::model::Mover;

record! {
    /// What is known where every query is held against a limit.
    #[derive(Clone, Debug, PartialEq)]
    pub struct EveryQueryReport {
        /// The value of the query that is nearest to the limit or farthest beyond it, over all passes.
        pub worst: f64,
        /// The queries that have a result: only they could break an upper limit.
        pub answered: usize,
        /// Where none breaks it: the largest share of such queries that could all the same, at the report's confidence
        /// (Clopper and Pearson 1934, one-sided): 1 - (1 - confidence)^(1/answered).
        pub largest_share?: Option<f64>,
        /// The attribute that documents are counted by, in words.
        pub attribute?: Option<String>,
        /// Every query that breaks it, with the documents that have the attribute, by id.
        pub queries?: Vec<Mover>,
    }
}
