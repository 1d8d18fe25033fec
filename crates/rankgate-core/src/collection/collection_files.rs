//! Collections in files: each format read, and written where it can be.

use std::collections::HashSet;
use std::path::Path;

use crate::collection::line_format::LineFormat;
use crate::collection::parts::Parts;
use crate::collection::{Collection, Qrels, Query, beir_folder, json, trec_files};
use crate::error::Quoted;
use crate::input::Source;
use crate::{Error, Result};

impl Collection {
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
        Self::from_parts(beir_folder::read(dir.as_ref(), split)?)
    }

    /// A collection in the formats of TREC: topics as id, tab, text; judgments as
    /// `query iteration document grade`; documents as JSON lines or as id, tab, text, see
    /// [`Corpus::open`](crate::collection::Corpus::open).
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
        Self::from_parts(trec_files::read(&queries.into(), &qrels.into(), corpus)?)
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

    /// The queries of a file: id, tab, text, a line each, or JSON lines with `_id` and `text`.
    ///
    /// # Errors
    ///
    /// A file that is missing or malformed, an id that comes twice, no query.
    #[doc(hidden)]
    pub fn read_queries<'a>(from: impl Into<Source<'a>>) -> Result<Vec<Query>> {
        let from = from.into();
        let mut input = from.open()?;
        let queries = LineFormat::of_text(&mut input)?.queries(input)?;
        if queries.is_empty() {
            return Err(Error::in_file(from.path(), "there are no queries"));
        }
        Ok(queries)
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
        beir_folder::save(self, dir.as_ref(), split)
    }
}
