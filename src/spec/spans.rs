//! `evidence:` of a collection: judged spans of documents.

use serde_json::{Value as Json, json};

use super::template::InputFile;
use crate::mapping::{FromNode, Reader, Rule, mapping};
use crate::yaml::Node;

mapping! {
    /// Queries, documents and judged spans of these: judgments that hold for any chunks of the documents.
    pub(super) struct RawSpans as "`evidence`" {
        /// The queries: JSON lines with `_id` and `text`, or id, tab, text.
        "queries" => queries: InputFile,
        /// The documents that spans are of: JSON lines with `_id` and `text`, or id, tab, text.
        "documents" => documents: InputFile,
        /// JSON lines with `query`, `document` and `quote`, or `start` and `end` in characters; `grade` is 1 by default, and
        /// `before` and `after` say which of several places a quote is in.
        "spans" => spans: InputFile,
        /// How much of a span a chunk covers that is relevant, above 0 and at most 1; 0.5 by default.
        "overlap" => overlap: Overlap,
        /// The `tokenizer.json` of a model, whose tokens a budget as `@1000tokens` is counted in; by default tokens are
        /// words between white space. Needs the feature `tokenizers`.
        "tokenizer" => tokenizer: InputFile,
    }
    rules: [Rule::Required("queries"), Rule::Required("documents"), Rule::Required("spans")]
}

/// A share above 0.
pub(super) struct Overlap(pub(super) f64);

impl FromNode for Overlap {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let share = reader.number(node, "a share, above 0 and at most 1")?;
        if share > 0.0 && share <= 1.0 {
            return Some(Self(share));
        }
        reader.refuse(node.span, format!("a share of a span is above 0 and at most 1, not {share}"))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1})
    }
}
