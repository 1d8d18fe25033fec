//! Where a collection comes from.

use std::path::PathBuf;

use crate::collection::Collection;

/// Where a collection comes from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CollectionSource {
    /// A directory in the layout of BEIR.
    Beir {
        /// The directory that holds `queries.jsonl` and `qrels/`.
        dir: PathBuf,
        /// Which file of `qrels/` holds the judgments, without `.tsv`.
        split: String,
    },
    /// Files in the formats of TREC.
    Trec {
        /// Topics: query id, tab, text.
        queries: PathBuf,
        /// Judgments: query, iteration, document, grade.
        qrels: PathBuf,
        /// Documents, as JSON lines or as id, tab, text.
        corpus: Option<PathBuf>,
    },
    /// One file with one query a line, judgments included.
    Jsonl {
        /// The file.
        path: PathBuf,
    },
    /// One JSON file with queries, judgments and documents.
    Json {
        /// The file.
        path: PathBuf,
    },
    /// A collection that is in memory already.
    Inline(Collection),
}
