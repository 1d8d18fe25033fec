//! Queries, judgments and, where there is one, a corpus.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::collection::hash::queries_sha256;
use crate::collection::line_format::LineFormat;
use crate::collection::{Corpus, CorpusCheck, CorpusIds, Judgments, Qrels, Query, beir, json, trec};
use crate::error::Quoted;
use crate::input::Source;
use crate::order;
use crate::words::{agree, counted};
use crate::{Error, Result};

/// A test collection: queries, judgments and, where there is one, a corpus. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Collection {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    queries: Vec<Query>,
    /// Queries without judgments, by id.
    unjudged: Vec<Query>,
    /// The ids of those that should have some.
    lacking: HashSet<String>,
    qrels: Qrels,
    corpus: Option<Corpus>,
    /// What to do about a missing corpus.
    add_corpus: String,
    warnings: Vec<String>,
    /// Hashes of queries and judgments, once somebody asked: every golden run of a collection has them.
    hashes: [OnceLock<String>; 2],
    /// The ids of the documents, once somebody asked.
    ids: OnceLock<CorpusIds>,
    /// The same without the judgments that were filled in, where some were.
    base: Option<Collection>,
}

/// What a collection is put together from.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) queries: Vec<Query>,
    pub(super) qrels: Qrels,
    pub(super) corpus: Option<Corpus>,
    pub(super) add_corpus: String,
    pub(super) warnings: Vec<String>,
    /// Whether queries without judgments are named: where queries and judgments stand side by side, they are
    /// likely a slip.
    pub(super) names_unjudged: bool,
    /// Ids of queries that should have judgments: nothing in the files says that they are meant to have none.
    pub(super) expected: HashSet<String>,
}

impl Parts {
    /// Queries and judgments from two files, checked against each other.
    pub(super) fn judged(
        queries_path: &Path,
        queries: Vec<Query>,
        qrels_path: &Path,
        qrels: Qrels,
    ) -> Result<Self> {
        if qrels.is_empty() {
            return Err(Error::in_file(qrels_path, "there are no judgments"));
        }
        let mut parts = Self { queries, ..Self::default() };
        let place = queries_path.display().to_string();
        parts.judge(qrels_path, qrels, &place)?;
        Ok(parts)
    }

    /// Adds the judgments of another file; `place` is where its queries must be.
    pub(super) fn judge(&mut self, path: &Path, qrels: Qrels, place: &str) -> Result<()> {
        let known: HashSet<&str> = self.queries.iter().map(|query| query.id.as_str()).collect();
        let unknown = qrels.iter().filter(|(query, _)| !known.contains(query));
        if let Some((query, judgments)) = unknown.min_by_key(|(_, judgments)| judgments.first_line()) {
            let line = judgments.first_line().unwrap_or_default();
            let message = format!("judgment of a query that {place} does not have");
            return Err(Error::at_line(path, line, query, message));
        }
        self.qrels.merge(qrels)
    }

    /// What there is to tell of queries without judgments.
    fn unjudged(&self) -> Option<String> {
        let unjudged = |query: &&Query| self.qrels.judgments(&query.id).is_none();
        let without: Vec<_> = self.queries.iter().filter(unjudged).map(|query| Quoted(&query.id)).collect();
        if !self.names_unjudged || without.is_empty() || self.qrels.is_empty() {
            return None;
        }
        let (count, all) = (without.len(), counted(self.queries.len(), "query", "queries"));
        let more = if count > 5 { ", ..." } else { "" };
        let shown = without.iter().take(5).map(Quoted::to_string).collect::<Vec<_>>().join(", ");
        Some(format!("{count} of {all} {} no judgments: {shown}{more}", agree(count, "has", "have")))
    }
}

impl Collection {
    /// What this one was put together from.
    pub(super) fn parts(&self) -> Parts {
        let Inner { queries, unjudged, lacking, qrels, corpus, add_corpus, warnings, .. } = &*self.inner;
        // Where nothing is judged, all of them are asked.
        let unjudged = if qrels.is_empty() { &[] } else { unjudged.as_slice() };
        Parts {
            expected: lacking.clone(),
            queries: queries.iter().chain(unjudged).cloned().collect(),
            qrels: qrels.clone(),
            corpus: corpus.clone(),
            add_corpus: add_corpus.clone(),
            warnings: warnings.clone(),
            names_unjudged: false,
        }
    }

    pub(super) fn from_parts(parts: Parts) -> Result<Self> {
        let unjudged = parts.unjudged();
        let Parts { mut queries, qrels, corpus, add_corpus, warnings, names_unjudged, mut expected } = parts;
        let mut warnings: Vec<String> = unjudged.into_iter().chain(warnings).collect();
        order::sort_by(&mut queries, |a, b| a.id.cmp(&b.id));
        if queries.is_empty() {
            return Err(Error::invalid("the collection has no query"));
        }
        if queries[0].id.is_empty() {
            return Err(Error::invalid("a query has an empty id"));
        }
        if let Some(pair) = queries.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(two_queries(&pair[0].id));
        }
        let position = |id: &str| queries.binary_search_by(|query| query.id.as_str().cmp(id));
        if let Some(unknown) = qrels.queries().find(|id| position(id).is_err()) {
            let unknown = Quoted(unknown);
            return Err(Error::invalid(format!(
                "judgments of {unknown}, which is no query of the collection"
            )));
        }
        let mut unjudged: Vec<Query> =
            queries.extract_if(.., |query| qrels.judgments(&query.id).is_none()).collect();
        if qrels.is_empty() {
            queries.clone_from(&unjudged);
        }
        unjudged.shrink_to_fit();
        if names_unjudged {
            expected.extend(unjudged.iter().map(|query| query.id.clone()));
        }
        expected.retain(|id| qrels.judgments(id).is_none());
        let lacking = expected;
        let without_text = queries.iter().filter(|query| query.text.is_empty()).count();
        if without_text > 0 && without_text < queries.len() {
            warnings.push(format!(
                "{without_text} of {} queries {} no text",
                queries.len(),
                agree(without_text, "has", "have")
            ));
        }
        let (base, hashes, ids) = (None, Default::default(), OnceLock::new());
        let inner =
            Inner { queries, unjudged, lacking, qrels, corpus, add_corpus, warnings, base, hashes, ids };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A collection in the layout of BEIR: `queries.jsonl` (`_id`, `text`), `qrels/<split>.tsv`
    /// (query, document and grade between tabs) and, where a retriever needs it, `corpus.jsonl`
    /// (`_id`, `title`, `text`). Each may be gzipped, with `.gz` added to its name.
    ///
    /// Every other key of a line, and every key inside its `metadata`, becomes metadata. The first
    /// line of the judgments is a header if its third column is `score`, `relevance`, `rel`,
    /// `grade` or `label`; otherwise it is a judgment like the others.
    ///
    /// # Errors
    ///
    /// A file that is missing or malformed, an id that comes twice, judgments of a query that
    /// `queries.jsonl` does not have, no judgments and no header either: a header alone says that
    /// nothing is judged yet.
    pub fn beir(dir: impl AsRef<Path>, split: &str) -> Result<Self> {
        Self::from_parts(beir::read(dir.as_ref(), split)?)
    }

    /// A collection in the formats of TREC: topics as id, tab, text; judgments as
    /// `query iteration document grade`; documents as JSON lines or as id, tab, text, see
    /// [`Corpus::open`].
    ///
    /// # Errors
    ///
    /// A file that is missing or malformed, an id that comes twice, judgments of a query that is
    /// no topic, no judgments.
    pub fn trec<'a>(
        queries: impl Into<Source<'a>>,
        qrels: impl Into<Source<'a>>,
        corpus: Option<&Path>,
    ) -> Result<Self> {
        Self::from_parts(trec::read(&queries.into(), &qrels.into(), corpus)?)
    }

    /// A collection in one JSON file:
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// let json = r#"{
    ///     "queries": [
    ///         {"id": "q1", "text": "money back", "relevant": {"d1": 2, "d2": 0}, "category": "billing"},
    ///         {"id": "q2", "text": "new address", "relevant": ["d2"]}
    ///     ],
    ///     "documents": [
    ///         {"id": "d1", "title": "Refunds", "text": "how to get a refund"},
    ///         {"id": "d2", "text": "change your address"}
    ///     ]
    /// }"#;
    /// let collection = rankgate::Collection::parse_json("helpdesk.json", json.as_bytes())?;
    /// assert_eq!(collection.qrels().grade("q1", "d1"), Some(2));
    /// assert_eq!(collection.query("q1").unwrap().segments("category"), ["billing"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// | what | keys |
    /// |---|---|
    /// | in the file | `queries` or `questions`; `documents`, `corpus` or `docs`; for judgments by query id (`{"q1": ["d1"]}`) the keys of those in a query |
    /// | in a query | `id`, `_id`, `query_id`, `query-id` or `qid`; `text`, `query` or `question`; `relevant`, `relevant_docs`, `relevant_documents`, `relevant_ids`, `relevant_doc_ids`, `expected_ids`, `expected_docs`, `qrels` or `judgments` |
    /// | in a document | `id`, `_id`, `doc_id`, `docid`, `document_id` or `corpus-id`; `title`; `text`, `contents`, `content`, `body` or `passage` |
    /// | in a judgment | the id of a document; `grade`, `relevance`, `rel` or `score` |
    ///
    /// Judgments are a list of ids (grade 1 each), an object of grades, a list of objects, or one
    /// id. Queries and documents are lists of objects, or objects of texts or of objects by id; a
    /// file may also be just a list of queries. Every other key, and every key inside `metadata`,
    /// is metadata. Two spellings of one thing in one object are an error, for which would count?
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed, an id that comes twice, judgments of a query
    /// that is not there. The message names the line.
    pub fn json<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        Self::from_parts(json::read_file(&from.into())?)
    }

    /// A collection in one JSON text that is in memory, as [`json`](Self::json) reads it; errors
    /// call it by `name`.
    ///
    /// # Errors
    ///
    /// As [`json`](Self::json).
    pub fn parse_json(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::json(Source::bytes(name, bytes))
    }

    /// A collection of one query a line, each a JSON object with the keys of
    /// [`json`](Self::json); it has no documents.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed, an id that comes twice.
    pub fn jsonl<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        Self::from_parts(json::read_lines(&from.into())?)
    }

    /// A collection of one query a line that is in memory, as [`jsonl`](Self::jsonl) reads it;
    /// errors call it by `name`.
    ///
    /// # Errors
    ///
    /// As [`jsonl`](Self::jsonl).
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// let lines = b"{\"id\": \"q1\", \"text\": \"money back\", \"relevant\": [\"d1\"]}\n";
    /// let collection = rankgate::Collection::parse_jsonl("queries.jsonl", lines)?;
    /// assert_eq!(collection.queries().len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse_jsonl(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::jsonl(Source::bytes(name, bytes))
    }

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

    /// Judgments with the texts of their queries from a file: id, tab, text, a line each (topics of
    /// TREC), or JSON lines with `_id` and `text` as BEIR has them. It has no documents.
    ///
    /// # Errors
    ///
    /// A file that is missing or malformed, an id that comes twice, judgments of a query that the
    /// file does not have, no judgments.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let topics = folder.path().join("topics.tsv");
    /// std::fs::write(&topics, "q1\tmoney back\n")?;
    /// let qrels = rankgate::Qrels::parse("mine.qrels", b"q1 0 d1 2\n")?;
    /// let collection = rankgate::Collection::with_queries(&topics, qrels)?;
    /// assert_eq!(collection.query("q1").unwrap().text, "money back");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_queries<'a>(queries: impl Into<Source<'a>>, qrels: Qrels) -> Result<Self> {
        let queries = queries.into();
        let mut input = queries.open()?;
        let texts = LineFormat::of_text(&mut input)?.queries(input)?;
        if qrels.is_empty() {
            return Err(Error::invalid("there are no judgments"));
        }
        let known: HashSet<&str> = texts.iter().map(|query| query.id.as_str()).collect();
        if let Some(id) = qrels.queries().find(|id| !known.contains(id)) {
            let message = format!("query {} is judged and has no text here", Quoted(id));
            return Err(Error::in_file(queries.path(), message));
        }
        let add_corpus = "it was made from queries and judgments only".into();
        Self::from_parts(Parts { queries: texts, qrels, add_corpus, ..Parts::default() })
    }

    /// Writes the layout of BEIR into a directory, which is created if need be: `queries.jsonl`
    /// with the queries of this collection, `qrels/<split>.tsv` and, if there is a corpus,
    /// `corpus.jsonl`. Files of these names are replaced; other splits stay.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, a corpus that cannot be read, an id with a tab or a line
    /// break in it.
    pub fn save_beir(&self, dir: impl AsRef<Path>, split: &str) -> Result<()> {
        beir::save(self, dir.as_ref(), split)
    }

    /// Writes one JSON file that [`json`](Self::json) reads.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, a corpus that cannot be read.
    pub fn save_json(&self, path: impl AsRef<Path>) -> Result<()> {
        json::save(self, path.as_ref())
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
        self.inner.unjudged.len()
    }

    /// Those queries, ordered by id (bytes).
    #[must_use]
    pub fn without_judgments(&self) -> &[Query] {
        &self.inner.unjudged
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

    /// Reads the corpus once to count and hash its documents and to compare it with the judgments,
    /// see [`Corpus::check`].
    ///
    /// # Errors
    ///
    /// A collection without a corpus, a corpus that cannot be read, in which two documents have one
    /// id, or which holds not one judged document: nothing that is searched in it can be relevant.
    pub fn check_corpus(&self) -> Result<CorpusCheck> {
        let corpus = self.corpus()?;
        let check = corpus.check(self.qrels())?;
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
    #[must_use]
    pub fn queries_sha256(&self) -> String {
        self.inner.hashes[0].get_or_init(|| queries_sha256(self.queries())).clone()
    }

    /// What a reader of the report should know about the collection's files.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.inner.warnings
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
        let Inner { qrels, unjudged, lacking, .. } = &*self.inner;
        let some_are = !qrels.is_empty();
        unjudged.iter().filter(move |query| some_are && lacking.contains(&query.id))
    }

    /// The same documents with other queries, of which nothing is judged.
    pub fn asking(&self, queries: Vec<Query>) -> Result<Self> {
        let (corpus, add_corpus) = (self.inner.corpus.clone(), self.inner.add_corpus.clone());
        Self::from_parts(Parts { queries, corpus, add_corpus, ..Parts::default() })
    }

    /// The same queries and documents with more judgments, which are known as [filled in](Self::is_filled).
    pub fn judged_as(&self, qrels: Qrels) -> Self {
        let Inner { queries, unjudged, lacking, corpus, add_corpus, warnings, .. } = &*self.inner;
        let (queries, unjudged, corpus) = (queries.clone(), unjudged.clone(), corpus.clone());
        let lacking = lacking.clone();
        let (add_corpus, warnings) = (add_corpus.clone(), warnings.clone());
        let base = Some(self.inner.base.as_ref().unwrap_or(self).clone());
        let (hashes, ids) = (Default::default(), OnceLock::new());
        let inner =
            Inner { queries, unjudged, lacking, qrels, corpus, add_corpus, warnings, base, hashes, ids };
        Self { inner: Arc::new(inner) }
    }

    /// Whether a judgment is none of the collection's own.
    pub fn is_filled(&self, query: &str, document: &str) -> bool {
        self.inner.base.as_ref().is_some_and(|base| base.qrels().grade(query, document).is_none())
    }

    /// The ids of its documents, read once; `None` without any.
    ///
    /// # Errors
    ///
    /// A corpus that cannot be read.
    pub fn corpus_ids(&self) -> Result<Option<&CorpusIds>> {
        let Some(corpus) = &self.inner.corpus else { return Ok(None) };
        if self.inner.ids.get().is_none() {
            // Two threads that read it at once read the same.
            let ids = CorpusIds::read(corpus)?;
            return Ok(Some(self.inner.ids.get_or_init(|| ids)));
        }
        Ok(self.inner.ids.get())
    }

    /// [`Qrels::sha256`] of its judgments.
    pub fn judgments_sha256(&self) -> String {
        self.inner.hashes[1].get_or_init(|| self.qrels().sha256()).clone()
    }
}

/// Of queries with one id it cannot be told which one a judgment is of.
pub(super) fn two_queries(id: &str) -> Error {
    Error::invalid(format!("two queries have the id {}", Quoted(id)))
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
