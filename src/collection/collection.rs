//! Queries, judgments and, where there is one, a corpus.

use std::sync::Arc;

use crate::collection::{Corpus, Judgments, Qrels, Query};
use crate::{Error, Result};

/// A test collection: queries, judgments and, where there is one, a corpus. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Collection {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    queries: Vec<Query>,
    unjudged: usize,
    qrels: Qrels,
    corpus: Option<Corpus>,
    /// What to do about a missing corpus.
    add_corpus: String,
    warnings: Vec<String>,
}

impl Collection {
    /// Puts a collection together; `add_corpus` is the advice given where a corpus is asked for
    /// and there is none.
    pub(super) fn new(
        mut queries: Vec<Query>,
        qrels: Qrels,
        corpus: Option<Corpus>,
        add_corpus: impl Into<String>,
    ) -> Result<Self> {
        queries.sort_by(|a, b| a.id.cmp(&b.id));
        if queries.is_empty() {
            return Err(Error::invalid("the collection has no query"));
        }
        if queries[0].id.is_empty() {
            return Err(Error::invalid("a query has an empty id"));
        }
        if let Some(pair) = queries.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(Error::invalid(format!("two queries have the id `{}`", pair[0].id)));
        }
        let position = |id: &str| queries.binary_search_by(|query| query.id.as_str().cmp(id));
        if let Some(unknown) = qrels.queries().find(|id| position(id).is_err()) {
            return Err(Error::invalid(format!(
                "judgments of `{unknown}`, which is no query of the collection"
            )));
        }
        let all = queries.len();
        if !qrels.is_empty() {
            queries.retain(|query| qrels.judgments(&query.id).is_some_and(|judged| !judged.is_empty()));
        }
        let unjudged = if qrels.is_empty() { all } else { all - queries.len() };
        let inner =
            Inner { queries, unjudged, qrels, corpus, add_corpus: add_corpus.into(), warnings: Vec::new() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The queries to ask, ordered by id (bytes): those with judgments; all of them where the
    /// collection has no judgments whatever.
    #[must_use]
    pub fn queries(&self) -> &[Query] {
        &self.inner.queries
    }

    /// The query with this id, if it is one of [`queries`](Self::queries).
    #[must_use]
    pub fn query(&self, id: &str) -> Option<&Query> {
        let queries = self.queries();
        queries.binary_search_by(|query| query.id.as_str().cmp(id)).ok().map(|index| &queries[index])
    }

    /// How many queries of the collection have no judgments; they are no part of an evaluation.
    #[must_use]
    pub fn unjudged_queries(&self) -> usize {
        self.inner.unjudged
    }

    /// The judgments.
    #[must_use]
    pub fn qrels(&self) -> &Qrels {
        &self.inner.qrels
    }

    /// What was judged for a query, or `None` where nothing was.
    #[must_use]
    pub fn judgments(&self, query: &str) -> Option<&Judgments> {
        self.inner.qrels.judgments(query)
    }

    /// The documents.
    ///
    /// # Errors
    ///
    /// A collection without a corpus; the message says what to add.
    pub fn corpus(&self) -> Result<&Corpus> {
        self.inner.corpus.as_ref().ok_or_else(|| {
            Error::invalid(format!("the collection has no documents: {}", self.inner.add_corpus))
        })
    }

    /// What a reader of the report should know about the collection's files.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.inner.warnings
    }
}

#[cfg(test)]
mod tests {
    use crate::{CollectionBuilder, Query};

    const UNJUDGED: [(&str, i32); 0] = [];

    #[test]
    fn queries_without_judgments_are_counted_and_left_out() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q2", "b"), [("d1", 0)]);
        builder.add_query(Query::new("q3", "c"), UNJUDGED);
        builder.add_query(Query::new("q10", "a"), [("d1", 1)]);
        let collection = builder.build().unwrap();
        let ids: Vec<_> = collection.queries().iter().map(|query| query.id.as_str()).collect();
        assert_eq!(ids, ["q10", "q2"]);
        assert_eq!(collection.unjudged_queries(), 1);
        assert_eq!(collection.query("q2").unwrap().text, "b");
        assert!(collection.query("q3").is_none());
    }

    #[test]
    fn a_collection_without_any_judgment_asks_every_query() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "a"), UNJUDGED);
        let collection = builder.build().unwrap();
        assert_eq!((collection.queries().len(), collection.unjudged_queries()), (1, 1));
    }

    #[test]
    fn a_missing_corpus_is_an_error_that_says_what_to_add() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "a"), UNJUDGED);
        let message = builder.build().unwrap().corpus().unwrap_err().to_string();
        assert!(message.contains("CollectionBuilder::add_document"), "{message}");
    }
}
