//! A document with its text and metadata.

use serde_json::Value;

use crate::collection::Metadata;

/// One document of a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// Identifier, unique within its corpus.
    pub id: String,
    /// Title, where the corpus has one.
    pub title: Option<String>,
    /// A document.
    pub text: String,
    /// Everything else that the corpus says of the document.
    pub metadata: Metadata,
}

impl Document {
    /// A document without title and metadata.
    ///
    /// ```
    /// use rankgate::Document;
    ///
    /// let document = Document::new("refunds-3", "How refunds work").with_title("Refunds").with("lang", "en");
    /// assert_eq!(document.title.as_deref(), Some("Refunds"));
    /// ```
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), title: None, text: text.into(), metadata: Metadata::new() }
    }

    /// The same document with a title; an empty one is no title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into()).filter(|title| !title.is_empty());
        self
    }

    /// The same document with one more metadata entry.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }
}
