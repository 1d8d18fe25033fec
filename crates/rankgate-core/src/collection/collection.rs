//! Queries, judgments and, where there is one, a corpus.

mod assembly;
mod changes;
mod computed;

use std::sync::Arc;

use self::computed::Computed;
use crate::collection::parts::Parts;
use crate::collection::query::queries_sha256;
use crate::collection::{Corpus, CorpusCheck, JudgedPassages, Judgments, Qrels, Query};
use crate::error::Quoted;
use crate::parents::Parents;
use crate::{Error, Result};

/// A test collection: queries, judgments and, where there is one, a corpus. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Collection {
    pub(super) inner: Arc<Inner>,
}

#[derive(Clone, Debug)]
pub(super) struct Inner {
    /// What it was put together from, its queries apart.
    pub(super) parts: Parts,
    queries: Vec<Query>,
    /// Queries without judgments, by id.
    unjudged: Vec<Query>,
    /// Queries that no document answers, by id.
    unanswerable: Vec<Query>,
    /// Those and the judged ones, by id; nothing where there are none.
    to_ask: Vec<Query>,
    /// The judged documents that those of the corpus belong to, where it holds chunks.
    parents: Option<Arc<Parents>>,
    computed: Computed,
}

impl Collection {
    /// A collection that has judgments only, which is enough for runs that exist already: the
    /// texts of its queries are empty.
    ///
    /// # Errors
    ///
    /// No judgments.
    pub fn from_qrels(qrels: Qrels) -> Result<Self> {
        let queries = qrels.queries().map(|id| Query::new(id, "")).collect();
        let add_corpus = "it was made from judgments only".into();
        Self::from_parts(Parts { queries, qrels, add_corpus, ..Parts::default() })
    }

    /// The judged queries, ordered by id (bytes); all of them where the collection has no judgments whatever.
    /// [Unanswerable](Self::unanswerable) ones are not among them.
    pub fn queries(&self) -> &[Query] {
        &self.inner.queries
    }

    /// The queries that no document answers, ordered by id (bytes): their metadata have `unanswerable: true`, or
    /// `unanswerable: true`. A retriever is asked them, and metrics of relevance leave them out.
    ///
    /// ```
    /// use rankgate::{CollectionBuilder, Query};
    ///
    /// let mut builder = CollectionBuilder::new();
    /// builder.add_query(Query::new("q1", "return a parcel"), [("returns", 1)]);
    /// builder.add_query(Query::new("q2", "weather on Mars").with("unanswerable", true), [] as [(&str, i32); 0]);
    /// let collection = builder.build()?;
    /// assert_eq!((collection.queries().len(), collection.unanswerable()[0].id.as_str()), (1, "q2"));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn unanswerable(&self) -> &[Query] {
        &self.inner.unanswerable
    }

    /// The queries that a retriever is asked, ordered by id (bytes): [`queries`](Self::queries) and those that are
    /// [unanswerable](Self::unanswerable).
    pub fn queries_to_ask(&self) -> &[Query] {
        if self.inner.to_ask.is_empty() { &self.inner.queries } else { &self.inner.to_ask }
    }

    /// The query with this id, if it is one of [`queries_to_ask`](Self::queries_to_ask).
    pub fn query(&self, id: &str) -> Option<&Query> {
        let queries = self.queries_to_ask();
        queries.binary_search_by(|query| query.id.as_str().cmp(id)).ok().map(|index| &queries[index])
    }

    /// How many queries of the collection have no judgments; they are no part of an evaluation.
    pub fn unjudged_queries(&self) -> usize {
        self.inner.unjudged.len()
    }

    /// Those queries, ordered by id (bytes).
    pub fn without_judgments(&self) -> &[Query] {
        &self.inner.unjudged
    }

    /// The judgments.
    pub fn qrels(&self) -> &Qrels {
        &self.inner.parts.qrels
    }

    /// What was judged for a query, or `None` where nothing was.
    pub fn judgments(&self, query: &str) -> Option<&Judgments> {
        self.inner.parts.qrels.judgments(query)
    }

    /// The documents.
    ///
    /// # Errors
    ///
    /// A collection without a corpus; the message says what to add.
    pub fn corpus(&self) -> Result<&Corpus> {
        self.inner.parts.corpus.as_ref().ok_or_else(|| {
            Error::invalid(format!("the collection has no documents: {}", self.inner.parts.add_corpus))
        })
    }

    /// Reads the corpus once to count and hash its documents and to compare it with the judgments,
    /// see [`Corpus::check`].
    ///
    /// # Errors
    ///
    /// A collection without a corpus, a corpus that cannot be read, in which two documents have one
    /// id, or which holds not one judged document: nothing that is searched in it can be relevant.
    pub fn check_corpus(&self) -> Result<CorpusCheck> {
        let corpus = self.corpus()?;
        let check = corpus.check_in_parents(self.qrels(), self.inner.parents.as_deref())?;
        if check.judged > 0 && check.missing.len() == check.judged {
            let CorpusCheck { documents, judged, missing, .. } = &check;
            let example = Quoted(missing.first().map_or("", String::as_str));
            let message = format!(
                "not one of the {judged} judged documents, such as {example}, is among its {documents}: \
                 nothing that is found in it can be relevant"
            );
            return Err(match corpus.path() {
                Some(path) => Error::in_file(path, message),
                None => Error::invalid(format!("the corpus: {message}")),
            });
        }
        Ok(check)
    }

    /// SHA-256 of the queries' ids, texts and metadata, in lower-case hexadecimal: of what the
    /// files say, so that reordered lines or compression change nothing.
    pub fn queries_sha256(&self) -> String {
        self.inner.computed.hashes[0].get_or_init(|| queries_sha256(self.queries_to_ask())).clone()
    }

    /// What a reader of the report should know about the collection's files.
    pub fn warnings(&self) -> &[String] {
        &self.inner.parts.warnings
    }
}

#[doc(hidden)]
impl Collection {
    /// Those queries without judgments that should have some, ordered by id (bytes): nothing in the files says that they
    /// are meant to have none.
    ///
    /// Where queries and judgments stand side by side (JSON, JSON lines, code) these are all of them. In a folder of BEIR
    /// they are those that no other split judges. Topics of TREC are many, and those that were judged define the
    /// collection: there are none.
    pub fn lacking_judgments(&self) -> impl Iterator<Item = &Query> {
        let Parts { qrels, expected, .. } = &self.inner.parts;
        let some_are = !qrels.is_empty();
        self.inner.unjudged.iter().filter(move |query| some_are && expected.contains(&query.id))
    }

    /// The documents that the chunks of its corpus belong to, where it holds chunks.
    pub fn parents(&self) -> Option<&Parents> {
        self.inner.parents.as_deref()
    }

    /// The judged spans, where judgments are of spans of documents.
    pub fn passages(&self) -> Option<&JudgedPassages> {
        self.inner.parts.passages.as_ref()
    }

    /// The grade of a document, or of a passage by the spans that it covers; `None` where it is unjudged.
    pub fn grade(&self, query: &str, document: &str) -> Option<i32> {
        match &self.inner.parts.passages {
            Some(passages) => passages.grade(query, document),
            None => self.qrels().grade(query, document),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::collection::{CollectionBuilder, Query};

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
        assert_eq!(
            (collection.unjudged_queries(), collection.without_judgments()[0].text.as_str()),
            (1, "c")
        );
        assert_eq!(collection.query("q2").unwrap().text, "b");
        assert!(collection.query("q3").is_none());
    }

    #[test]
    fn a_corpus_without_one_judged_document_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        let text =
            r#"{"queries": [{"id": "q1", "text": "a", "judgments": {"d1": 1, "d2": 0}}], "documents": DOCS}"#;
        let check = |documents: &str| {
            std::fs::write(&path, text.replace("DOCS", documents)).unwrap();
            crate::collection::Collection::json(&path).unwrap().check_corpus()
        };
        for (documents, number) in [("[]", 0), (r#"[{"id": "d7", "text": "a"}]"#, 1)] {
            let error = check(documents).unwrap_err().to_string();
            let expected = format!(
                "not one of the 2 judged documents, such as `d1`, is among its {number}: nothing that is found in it \
                 can be relevant"
            );
            assert!(error.ends_with(&expected), "{error}");
        }
        assert_eq!(check(r#"[{"id": "d2", "text": "a"}]"#).unwrap().missing, ["d1"]);
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
