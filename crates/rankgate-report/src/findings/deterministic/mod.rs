//! Whether asking twice, and building twice, gives the same rankings: what was seen.

pub(crate) mod message;

use crate::json::record;
use crate::model::Warning;

record! {
    /// Whether asking twice, and building twice, gives the same rankings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DeterministicFinding {
        /// Queries.
        pub queries: usize,
        /// Queries with two different answers, by id: of one build, or if it repeats its answers, of two.
        pub differing: Vec<Disagreement>,
        /// How a second build was made, if one was asked: `built twice`.
        pub built?: Option<String>,
        /// Why none was made.
        pub one_build?: Option<String>,
        /// What makes the answers differ, most likely, in sentences.
        pub diagnosis?: Vec<String>,
        /// What should be known before the verdict is believed.
        pub warnings?: Vec<Warning>,
    }
}

record! {
    /// A query that was answered in two ways.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Disagreement {
        /// Query id.
        pub query: String,
        /// The query's text; of a later turn of a conversation after the text of the one before it.
        pub text: String,
        /// First rank at which the answers differ.
        pub rank: usize,
        /// The documents there, in the first and the second answer.
        pub documents: [Option<String>; 2],
        /// Whether documents that changed places have the same score: the usual cause.
        pub tied: bool,
    }
}
