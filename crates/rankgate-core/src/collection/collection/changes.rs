//! The same collection with something else in it: other queries, more judgments, another corpus.

use std::sync::Arc;

use super::{Collection, Computed, Inner};
use crate::Result;
use crate::collection::parts::Parts;
use crate::collection::{Corpus, Qrels, Query};
use crate::parents::Parents;

#[doc(hidden)]
impl Collection {
    /// The same documents with other queries, of which nothing is judged.
    pub fn asking(&self, queries: Vec<Query>) -> Result<Self> {
        let Parts { corpus, add_corpus, .. } = self.inner.parts.clone();
        Self::from_parts(Parts { queries, corpus, add_corpus, ..Parts::default() })
    }

    /// The same where the corpus holds chunks and judgments are of the documents that these belong to.
    pub fn in_parents(&self, parents: Arc<Parents>) -> Self {
        self.with(|inner| inner.parents = Some(parents))
    }

    /// The same with the documents of another corpus, such as the chunks of these.
    pub fn with_corpus(&self, corpus: Corpus) -> Self {
        self.with(|inner| inner.parts.corpus = Some(corpus))
    }

    /// The same with other judgments, and the judged queries that they have.
    pub(in crate::collection) fn judged_as(&self, qrels: Qrels) -> Self {
        self.with(|inner| {
            inner.queries.retain(|query| qrels.judgments(&query.id).is_some());
            (inner.parts.qrels, inner.parts.origins) = (qrels, None);
            inner.computed = Computed::default();
        })
    }

    pub(super) fn with(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.inner);
        change(&mut inner);
        Self { inner: Arc::new(inner) }
    }
}
