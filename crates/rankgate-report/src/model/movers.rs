//! The queries and documents behind a value.

use crate::json::record;

record! {
    /// The queries that explain a value.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Movers {
        /// The other side of the comparison: `golden`, another configuration, or nothing.
        pub against?: Option<String>,
        /// The other side's mean over the same queries.
        pub against_value?: Option<f64>,
        /// Queries that score lower than on the other side.
        pub worse: usize,
        /// Queries that score higher.
        pub better: usize,
        /// Queries that score the same.
        pub unchanged: usize,
        /// Largest losses first; without another side, lowest scores first, unless high ones are the trouble.
        pub losses: Vec<Mover>,
        /// Largest gains first; without another side, highest scores first where an upper limit is broken.
        pub gains: Vec<Mover>,
        /// Unjudged documents inside the cutoff, on this side; with repeats the mean over them, rounded.
        pub unjudged: usize,
        /// Unjudged documents inside the cutoff, on the other side.
        pub against_unjudged?: Option<usize>,
        /// `Judged@cutoff` on this side, over the queries that the value is taken over.
        pub judged?: Option<f64>,
        /// The cutoff by which documents enter or leave.
        pub cutoff: usize,
        /// Whether a side ran several times: then scores are means over its repeats, and documents
        /// are those of the repeat that explains most, on the other side of the one nearest to its mean.
        pub repeated?: bool,
    }
}

record! {
    /// A query and what happened to its judged documents.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Mover {
        /// Query id.
        pub query: String,
        /// The query's text.
        pub text: String,
        /// What the query's metadata say under the keys that documents are compared with.
        pub metadata?: Vec<[String; 2]>,
        /// Score on the other side, where there is one.
        pub before?: Option<f64>,
        /// Score on this side.
        pub after: f64,
        /// Its judged documents that moved; without another side, its relevant documents and where they
        /// are. Highest grade first.
        pub documents: Vec<super::DocumentMove>,
    }
}
