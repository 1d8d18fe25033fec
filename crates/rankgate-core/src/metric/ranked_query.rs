//! A query with its documents, for the metrics that look at more than grades.

use std::collections::BTreeMap;

use serde_json::Value;

use super::attribute::Attribute;
use crate::{Error, Result};

/// One query with its documents, best first, and what a metric of [documents](super::Requirements::documents) needs to know of
/// them.
#[derive(Clone, Debug)]
pub struct RankedQuery<'a> {
    metadata: &'a BTreeMap<String, Value>,
    documents: Vec<RankedDocument<'a>>,
    attribute: Option<&'a Attribute>,
    unanswerable: bool,
}

/// A document of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankedDocument<'a> {
    /// Its id.
    pub id: &'a str,
    /// What the collection says of it under the keys of the attribute, and nothing else.
    pub metadata: &'a BTreeMap<String, Value>,
    /// Whether anybody says what its metadata are: without that it is not known whether it has a key.
    pub is_known: bool,
}

static NO_METADATA: BTreeMap<String, Value> = BTreeMap::new();

impl<'a> RankedQuery<'a> {
    /// A query by the ids of its documents, best first.
    pub fn new(documents: impl IntoIterator<Item = &'a str>) -> Self {
        let document = |id| RankedDocument { id, metadata: &NO_METADATA, is_known: false };
        Self {
            metadata: &NO_METADATA,
            documents: documents.into_iter().map(document).collect(),
            attribute: None,
            unanswerable: false,
        }
    }

    /// Adds an attribute and what is known of each document under its keys.
    #[must_use]
    pub fn with_attribute(
        mut self,
        attribute: &'a Attribute,
        metadata: impl Fn(&str) -> Option<&'a BTreeMap<String, Value>>,
    ) -> Self {
        for document in &mut self.documents {
            let known = metadata(document.id);
            (document.metadata, document.is_known) = (known.unwrap_or(&NO_METADATA), known.is_some());
        }
        Self { attribute: Some(attribute), ..self }
    }

    /// Adds what the query's metadata say.
    #[must_use]
    pub fn with_metadata(self, metadata: &'a BTreeMap<String, Value>) -> Self {
        Self { metadata, ..self }
    }

    /// The same of a query that has no answer.
    #[must_use]
    pub fn as_unanswerable(self) -> Self {
        Self { unanswerable: true, ..self }
    }

    /// The ranks and documents down to the cutoff that have the attribute.
    ///
    /// # Errors
    /// Where the attribute is not known, or cannot be told of a document.
    pub fn documents_with_attribute(&self, cutoff: usize) -> Result<Vec<(usize, RankedDocument<'a>)>> {
        let unknown = || Error::invalid("the attribute is not known here");
        let attribute = self.attribute.ok_or_else(unknown)?;
        let mut having = Vec::new();
        for (rank, document) in (1..).zip(&self.documents).take(cutoff) {
            if attribute.has(self.metadata, document)? {
                having.push((rank, *document));
            }
        }
        Ok(having)
    }

    pub(super) fn documents(&self) -> &[RankedDocument<'a>] {
        &self.documents
    }

    pub(super) fn attribute(&self) -> Option<&'a Attribute> {
        self.attribute
    }

    pub(super) fn is_unanswerable(&self) -> bool {
        self.unanswerable
    }
}
