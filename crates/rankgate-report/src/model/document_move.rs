//! Where a document was and is.

use crate::json::record;

record! {
    /// Where a document was and is.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DocumentMove {
        /// Document id.
        pub document: String,
        /// Its grade; `None` when it is unjudged.
        pub grade?: Option<i32>,
        /// Which true neighbour of the query it is, from 1, where the metric counts these.
        pub neighbour?: Option<usize>,
        /// What its metadata say under the keys that a metric counts it by.
        pub metadata?: Vec<[String; 2]>,
        /// What the retriever scored it, where the metric counts results by their scores.
        pub score?: Option<f64>,
        /// Rank on the other side; `None` when it is not there.
        pub from?: Option<usize>,
        /// Rank on this side; `None` when it is not there.
        pub to?: Option<usize>,
        /// `true` of a document that has its query's id and is taken out for that.
        pub excluded?: Option<bool>,
    }
}
