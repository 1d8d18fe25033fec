//! Collections put together in code.

use std::collections::HashSet;

use crate::collection::parts::{Parts, two_queries};
use crate::collection::{Collection, Corpus, Document, Qrels, Query};
use crate::error::Quoted;
use crate::{Error, Result};

/// Puts a collection together from queries, judgments and documents that a program has in memory.
///
/// ```
/// # fn main() -> rankgate::Result<()> {
/// use rankgate::{CollectionBuilder, Document, Query};
///
/// let mut builder = CollectionBuilder::new();
/// builder.add_document(Document::new("d1", "how to get a refund"));
/// builder.add_document(Document::new("d2", "change your address"));
/// builder.add_query(Query::new("q1", "money back").with("category", "billing"), [("d1", 2), ("d2", 0)]);
/// let collection = builder.build()?;
///
/// assert_eq!(collection.queries().len(), 1);
/// assert_eq!(collection.qrels().grade("q1", "d1"), Some(2));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct CollectionBuilder {
    queries: Vec<Query>,
    judgments: Vec<(usize, String, i32)>,
    documents: Vec<Document>,
}

impl CollectionBuilder {
    /// A collection without queries and documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document to the corpus.
    pub fn add_document(&mut self, document: Document) -> &mut Self {
        self.documents.push(document);
        self
    }

    /// Adds a query with the grades of its judged documents; without any, the query is not judged.
    pub fn add_query<D: Into<String>>(
        &mut self,
        query: Query,
        judged: impl IntoIterator<Item = (D, i32)>,
    ) -> &mut Self {
        let index = self.queries.len();
        self.judgments.extend(judged.into_iter().map(|(document, grade)| (index, document.into(), grade)));
        self.queries.push(query);
        self
    }

    /// The collection. It has a corpus if any document was added.
    ///
    /// # Errors
    ///
    /// No query, an empty id, two queries or two documents with one id, or a document judged twice
    /// for a query.
    pub fn build(self) -> Result<Collection> {
        // Before judgments, which would be those of one query twice.
        let mut named = HashSet::new();
        if let Some(again) = self.queries.iter().find(|query| !named.insert(query.id.as_str())) {
            return Err(two_queries(&again.id));
        }
        let mut qrels = Qrels::new();
        for (index, document, grade) in &self.judgments {
            qrels.insert(&self.queries[*index].id, document, *grade)?;
        }
        let mut ids = HashSet::new();
        for document in &self.documents {
            if document.id.is_empty() {
                return Err(Error::invalid("a document has an empty id"));
            }
            if !ids.insert(document.id.as_str()) {
                return Err(Error::invalid(format!("two documents have the id {}", Quoted(&document.id))));
            }
        }
        let corpus = (!self.documents.is_empty()).then(|| Corpus::in_memory(self.documents));
        let add_corpus =
            "add `documents` beside its queries, in Rust with CollectionBuilder::add_document".into();
        let expected = self.queries.iter().map(|query| query.id.clone()).collect();
        let queries = self.queries;
        Collection::from_parts(Parts { queries, qrels, corpus, add_corpus, expected, ..Parts::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_collection_is_an_error() {
        let query = |id: &str| Query::new(id, "text");
        let document = |id: &str| Document::new(id, "text");
        let cases: [(Vec<Query>, Vec<Document>, &str); 6] = [
            (vec![], vec![], "the collection has no query"),
            (vec![query("")], vec![], "a judgment of document `d1` names no query"),
            (vec![query("q1"), query("q1")], vec![], "two queries have the id `q1`"),
            (vec![query("q1")], vec![document("")], "a document has an empty id"),
            (vec![query("q1")], vec![document("d1"), document("d1")], "two documents have the id `d1`"),
            (vec![query("q1")], vec![document("d1")], ""),
        ];
        for (queries, documents, message) in cases {
            let mut builder = CollectionBuilder::new();
            for query in queries {
                builder.add_query(query, [("d1", 1)]);
            }
            for document in documents {
                builder.add_document(document);
            }
            let found = builder.build().err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(found, message);
        }
    }

    #[test]
    fn a_document_is_judged_once_for_a_query() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "text"), [("d1", 1), ("d1", 2)]);
        let error = builder.build().unwrap_err().to_string();
        assert_eq!(error, "document `d1` is judged twice for query `q1`");
    }

    #[test]
    fn two_queries_with_one_id_are_an_error_without_judgments_too() {
        let mut builder = CollectionBuilder::new();
        for _ in 0..2 {
            builder.add_query(Query::new("q1", ""), Vec::<(String, i32)>::new());
        }
        assert_eq!(builder.build().unwrap_err().to_string(), "two queries have the id `q1`");
    }
}
