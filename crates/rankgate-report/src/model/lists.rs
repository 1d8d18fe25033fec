//! How the lists of a run affect its scores, independent of their documents.

use std::fmt;

use crate::json::record;
use crate::words::agree;

record! {
    /// Scores that rise with the ranks of the run's file, in nearly every query: what ranks first counts as last.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RisingScores {
        /// Queries in which they rise.
        pub queries: usize,
        /// Queries that tell: those whose first two documents have other ranks and other scores.
        pub of: usize,
        /// Whether the file has no ranks to be read by, as one in JSON: what stands first is taken for what ranks first.
        pub without_ranks?: bool,
    }
}

impl fmt::Display for RisingScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queries, of, without_ranks } = self;
        if *without_ranks {
            return write!(
                f,
                "scores rise from each document to the next in {queries} of {of} queries, and a run is read by score, \
                 highest first: what stands first counts as last. The file has no ranks: if its order is right, write \
                 scores that fall"
            );
        }
        write!(
            f,
            "scores rise with the ranks in {queries} of {of} queries, and a run is read by score, highest first: what \
             ranks first counts as last. If the ranks are right, read it by them (`order: rank`, `--order rank`)"
        )
    }
}

record! {
    /// Lists that end at one rank in nearly every query, above the cutoff of a metric.
    #[derive(Clone, Debug, PartialEq, Eq)]
    whole pub struct CutLists {
        /// How many results nearly every query has, and none has more.
        pub depth: usize,
        /// The metrics that look further down, in the order of the spec; never empty.
        pub metrics: Vec<String>,
    }
}

impl fmt::Display for CutLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { depth, metrics } = self;
        write!(
            f,
            "lists end at rank {depth}, and {} {} further down: longer lists may score higher",
            metrics.join(", "),
            agree(metrics.len(), "looks", "look")
        )
    }
}
