//! Which column of a run file says the order.

use crate::words::words;

/// Which column of a run file says in what order its documents are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// As `trec_eval` does: the highest score first, equal scores by document id, highest first
    /// (bytes); the rank column is ignored.
    #[default]
    Score,
    /// The rank column, lowest first.
    Rank,
}

words! {
    Order {
        Score = "score": "Highest score first, ties by document id, as trec_eval does.",
        Rank = "rank": "By the rank column.",
    }
}
