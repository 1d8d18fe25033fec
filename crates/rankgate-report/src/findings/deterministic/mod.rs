//! Whether asking twice gives the same rankings: what was seen.

pub(crate) mod message;

use crate::json::record;

use super::Kind;

record! {
    /// Whether asking twice gives the same rankings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeterministicFinding {
        /// Queries.
        pub queries: usize,
        /// Queries with two different answers, by id.
        pub differing: Vec<Disagreement>,
    }
}

record! {
    /// A query that was answered in two ways.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Disagreement {
        /// Query id.
        pub query: String,
        /// The query's text.
        pub text: String,
        /// First rank at which the answers differ.
        pub rank: usize,
        /// The documents there, in the first and the second answer.
        pub documents: [Option<String>; 2],
        /// Whether documents that changed places have the same score: the usual cause.
        pub tied: bool,
    }
}

impl Kind for DeterministicFinding {}
