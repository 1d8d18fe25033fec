//! What is asked: a query with its text and metadata.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::content_hash::Content;
use crate::{Error, Result};

/// A query's metadata by key; segments are made from it.
pub type Metadata = BTreeMap<String, Value>;

/// One query of a collection.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Query {
    /// Identifier, unique within its collection.
    pub id: String,
    /// What the user typed; empty where a collection has judgments only.
    pub text: String,
    /// Everything else that the collection says of the query, such as its category.
    pub metadata: Metadata,
}

/// SHA-256 of queries that are ordered by id.
pub(super) fn queries_sha256(queries: &[Query]) -> String {
    let mut content = Content::new("queries");
    for query in queries {
        content.text(&query.id);
        content.text(&query.text);
        content.metadata(&query.metadata);
    }
    content.finish()
}

/// The metadata of queries that were made from documents: `origin: synthetic`.
pub const SYNTHETIC: [&str; 2] = ["origin", "synthetic"];

impl Query {
    /// A query without metadata.
    ///
    /// ```
    /// let query = rankgate::Query::new("q1", "cancel my order");
    /// assert_eq!(query.text, "cancel my order");
    /// ```
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), ..Self::default() }
    }

    /// The same query with one more metadata entry.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// The segments of `key` that this query belongs to: the text of a scalar, of each element of
    /// a list, nothing where the query has no such key.
    ///
    /// ```
    /// # use rankgate::Query;
    /// let query = Query::new("q1", "cancel").with("category", "orders").with("hops", 2);
    /// assert_eq!(query.segments("category"), ["orders"]);
    /// assert_eq!(query.segments("hops"), ["2"]);
    /// assert!(query.segments("language").is_empty());
    /// ```
    pub fn segments(&self, key: &str) -> Vec<String> {
        segments(&self.metadata, key)
    }

    /// The group of the query, by a key whose values group queries: its only value.
    ///
    /// # Errors
    /// No value of the key, or several.
    ///
    /// ```
    /// use rankgate::Query;
    ///
    /// let mut query = Query::new("q1", "late fee");
    /// query.metadata.insert("user".into(), "u7".into());
    /// assert_eq!(query.group("user")?, "u7");
    /// assert!(query.group("topic").is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn group(&self, key: &str) -> Result<String> {
        match &self.segments(key)[..] {
            [group] => Ok(group.clone()),
            [] => Err(Error::invalid(format!(
                "query `{}` has no `{key}`, by which queries are grouped (`group-by`)",
                self.id
            ))),
            several => Err(Error::invalid(format!(
                "query `{}` has {} values of `{key}`, and belongs to one group (`group-by`)",
                self.id,
                several.len()
            ))),
        }
    }
}

#[doc(hidden)]
impl Query {
    /// Whether its metadata say that no document answers it.
    pub fn is_unanswerable(&self) -> bool {
        is_unanswerable(&self.metadata)
    }

    /// Whether its metadata say that it was made from a document, and nobody asked it.
    pub fn is_synthetic(&self) -> bool {
        self.segments(SYNTHETIC[0]).iter().any(|origin| origin == SYNTHETIC[1])
    }
}

/// The key of metadata that marks a query as unanswerable.
pub(super) const UNANSWERABLE: &str = "unanswerable";

/// Whether metadata mark their query as unanswerable. A value that is neither true nor false marks nothing; it is an error
/// where a collection is put together.
pub fn is_unanswerable(metadata: &Metadata) -> bool {
    metadata.get(UNANSWERABLE).and_then(Value::as_bool) == Some(true)
}

/// The segments of `key` that a query with this metadata belongs to.
pub fn segments(metadata: &Metadata, key: &str) -> Vec<String> {
    match metadata.get(key) {
        None | Some(Value::Null | Value::Object(_)) => Vec::new(),
        Some(Value::Array(values)) => values.iter().filter_map(scalar).collect(),
        Some(value) => scalar(value).into_iter().collect(),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
