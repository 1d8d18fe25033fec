//! `passages:` of a collection: judged spans of documents.

use super::template::InputFile;
use crate::mapping::{Rule, mapping};

mapping! {
    /// Queries, documents and judged spans of these: judgments that hold for any chunks of the documents.
    pub(super) struct RawPassages as "`passages`" {
        /// The queries: JSON lines with `_id` and `text`, or id, tab, text.
        "queries" => queries: InputFile,
        /// The documents that spans are of: JSON lines with `_id` and `text`, or id, tab, text.
        "documents" => documents: InputFile,
        /// JSON lines with `query`, `document` and `quote`, or `start` and `end` in characters; `grade` is 1 by default, and
        /// `before` and `after` say which of several places a quote is in.
        "file" => file: InputFile,
    }
    rules: [Rule::Required("queries"), Rule::Required("documents"), Rule::Required("file")]
}
