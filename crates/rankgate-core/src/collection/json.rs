//! Collections in one JSON file, or in JSON lines with one query each.

use std::collections::HashMap;
use std::path::Path;

use serde_json::value::RawValue;

use crate::collection::parts::Parts;
use crate::collection::record::{JUDGED, Record, judged_documents};
use crate::collection::{Corpus, Document, Qrels, Query};
use crate::error::Quoted;
use crate::input::{Entries, Input, Json, LineIndex, Source};
use crate::{Error, Result};

const QUERIES: &[&str] = &["queries", "questions"];
const DOCUMENTS: &[&str] = &["documents", "corpus", "docs"];

/// Queries and judgments as they are met.
struct Draft {
    queries: Vec<Query>,
    /// Where each query id was first.
    lines: HashMap<String, u64>,
    qrels: Qrels,
}

impl Draft {
    fn from_source(source: &Source<'_>) -> Self {
        Self { queries: Vec::new(), lines: HashMap::new(), qrels: Qrels::of_file(source.path()) }
    }

    /// Adds a query; `key` is its id where the record is the value of a key.
    fn add_query<'a>(&mut self, json: Json<'a>, part: &'a str, key: Option<&str>) -> Result<()> {
        let (query, judged) = Record::parse(json, part)?.query(key)?;
        self.add(json, part, query)?;
        let id = self.queries.last().map(|query| query.id.clone()).unwrap_or_default();
        judged.map_or(Ok(()), |judged| self.judge(json, judged, &id))
    }

    fn add(&mut self, json: Json<'_>, part: &str, query: Query) -> Result<()> {
        if let Some(first) = self.lines.insert(query.id.clone(), json.line(part)) {
            let message = format!("query id {} again (first in line {first})", Quoted(&query.id));
            return Err(json.error(part, message));
        }
        self.queries.push(query);
        Ok(())
    }

    fn judge<'a>(&mut self, json: Json<'a>, part: &'a str, query: &str) -> Result<()> {
        judge(&mut self.qrels, json, part, query)
    }

    fn into_parts(self, path: &Path) -> Result<Parts> {
        if self.queries.is_empty() {
            return Err(Error::in_file(path, "there are no queries"));
        }
        Ok(Parts { queries: self.queries, qrels: self.qrels, names_unjudged: true, ..Parts::default() })
    }
}

fn judge<'a>(qrels: &mut Qrels, json: Json<'a>, part: &'a str, query: &str) -> Result<()> {
    let line = json.line(part);
    for (document, grade) in judged_documents(json, part, query)? {
        qrels.insert_from_line(query, &document, grade, Some(line)).map_err(|_| {
            let (query, document) = (Quoted(query), Quoted(&document));
            json.error(part, format!("document {document} is judged twice for query {query}"))
        })?;
    }
    Ok(())
}

/// Reads one query a line.
pub(super) fn read_lines(source: &Source<'_>) -> Result<Parts> {
    let mut lines = source.lines()?;
    let mut draft = Draft::from_source(source);
    while let Some(line) = lines.next()? {
        draft.add_query(Json::of_line(line), line.text, None)?;
    }
    let mut parts = draft.into_parts(source.path())?;
    parts.add_corpus =
        "JSON lines hold queries only; use `json:` or `beir:` for a collection with documents".into();
    Ok(parts)
}

/// Reads queries, judgments and documents from one JSON text.
pub(super) fn read_file(source: &Source<'_>) -> Result<Parts> {
    let text = source.text()?;
    let index = LineIndex::from_text(&text);
    let json = Json::document(source.path(), &text, &index);
    let mut draft = Draft::from_source(source);
    let mut documents = None;
    let mut ignored = Vec::new();
    if text.trim_ascii_start().starts_with('[') {
        for query in json.parse::<Vec<&RawValue>>(&text, "")? {
            draft.add_query(json, query.get(), None)?;
        }
    } else {
        let mut file = Record::parse(json, &text)?;
        let queries = file.take(QUERIES)?.ok_or_else(|| file.error("there is no `queries`"))?;
        add_queries(&mut draft, json, queries)?;
        if let Some(judged) = file.take(JUDGED)? {
            add_judgments(&mut draft, json, judged)?;
        }
        documents = file.take(DOCUMENTS)?;
        ignored = file.names().map(|name| Quoted(name).to_string()).collect();
    }
    let mut parts = draft.into_parts(source.path())?;
    parts.corpus = documents.map(|part| read_documents(json, part)).transpose()?.map(Corpus::in_memory);
    parts.add_corpus = format!("add `documents` to {}", source.path().display());
    if !ignored.is_empty() {
        parts.warnings.push(format!("keys that say nothing here: {}", ignored.join(", ")));
    }
    Ok(parts)
}

/// The records of a list, or of an object by id; what one is called, and how an error in the list begins.
fn records<'a>(
    json: Json<'a>,
    part: &'a str,
    [what, list]: [&str; 2],
) -> Result<Vec<(Option<String>, &'a str)>> {
    if !part.starts_with('{') {
        let records: Vec<&RawValue> = json.parse(part, list)?;
        return Ok(records.into_iter().map(|record| (None, record.get())).collect());
    }
    let Entries(by_id) = json.parse::<Entries<&RawValue>>(part, list)?;
    let by_id = by_id.into_iter().map(|(id, record)| match id.is_empty() {
        true => Err(json.error(record.get(), format!("a {what} has an empty id"))),
        false => Ok((Some(id), record.get())),
    });
    by_id.collect()
}

fn add_queries<'a>(draft: &mut Draft, json: Json<'a>, part: &'a str) -> Result<()> {
    for (id, query) in records(json, part, ["query", "queries: "])? {
        match id {
            Some(id) if query.starts_with('"') => {
                draft.add(json, query, Query::new(id, json.parse::<String>(query, "")?))?;
            }
            id => draft.add_query(json, query, id.as_deref())?,
        }
    }
    Ok(())
}

/// Adds judgments that stand beside the queries, by query id.
fn add_judgments<'a>(draft: &mut Draft, json: Json<'a>, part: &'a str) -> Result<()> {
    let Entries(judged) = json.parse::<Entries<&RawValue>>(part, "judgments: ")?;
    for (query, judged) in judged {
        if !draft.lines.contains_key(&query) {
            let message = format!("judgments of {}, which is none of the queries", Quoted(&query));
            return Err(json.error(judged.get(), message));
        }
        draft.judge(json, judged.get(), &query)?;
    }
    Ok(())
}

fn read_documents<'a>(json: Json<'a>, part: &'a str) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut lines = HashMap::new();
    for (id, part) in records(json, part, ["document", "documents: "])? {
        let document = match id {
            Some(id) if part.starts_with('"') => Document::new(id, json.parse::<String>(part, "")?),
            id => Record::parse(json, part)?.document(id.as_deref())?,
        };
        if let Some(first) = lines.insert(document.id.clone(), json.line(part)) {
            let message = format!("document id {} again (first in line {first})", Quoted(&document.id));
            return Err(json.error(part, message));
        }
        documents.push(document);
    }
    Ok(documents)
}

/// What judgments in JSON look like.
const SHAPE: &str = "judgments in JSON are `{\"q1\": {\"d7\": 2, \"d3\": 0}}`: for each query its documents with their grades";

/// Whether judgments begin as one object of queries does.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(b"{") && head[1..].trim_ascii_start().starts_with(b"\"")
}

pub(super) fn read_qrels(input: Input<'_>) -> Result<Qrels> {
    let path = input.path().to_owned();
    let text = input.text()?;
    let index = LineIndex::from_text(&text);
    let json = Json::document(&path, &text, &index);
    let mut qrels = Qrels::of_file(&path);
    for (query, judged) in json.by_query(SHAPE)? {
        judge(&mut qrels, json, judged, &query)?;
    }
    Ok(qrels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Collection, CollectionBuilder};

    fn read(text: &str) -> Result<Collection> {
        Collection::parse_json("a.json", text.as_bytes())
    }

    /// What a collection says, for comparing.
    fn contents(collection: &Collection) -> (Vec<Query>, Qrels, Vec<Document>) {
        let documents = match collection.corpus() {
            Ok(corpus) => corpus.documents().unwrap().map(Result::unwrap).collect(),
            Err(_) => Vec::new(),
        };
        (collection.queries().to_vec(), collection.qrels().clone(), documents)
    }

    #[test]
    fn the_same_collection_is_read_in_every_form() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one"), [("d1", 1)]);
        builder.add_query(Query::new("q2", "two"), [("d1", 1), ("d2", 1)]);
        builder.add_document(Document::new("d1", "alpha")).add_document(Document::new("d2", "beta"));
        let expected = contents(&builder.build().unwrap());
        let forms = [
            r#"{"queries": [{"id": "q2", "query": "two", "relevant": ["d1", "d2"]},
                            {"id": "q1", "text": "one", "relevant": {"d1": 1}}],
                "documents": [{"id": "d1", "text": "alpha"}, {"_id": "d2", "title": "", "text": "beta"}]}"#,
            // The form in which LlamaIndex and sentence-transformers keep such sets.
            r#"{"queries": {"q1": "one", "q2": "two"}, "corpus": {"d1": "alpha", "d2": "beta"},
                "relevant_docs": {"q1": ["d1"], "q2": {"d2": 1, "d1": 1}}, "mode": "text"}"#,
            r#"{"questions": {"q1": {"question": "one", "relevant": "d1"}, "q2": {"text": "two"}},
                "docs": {"d1": {"contents": "alpha"}, "d2": "beta"}, "qrels": {"q2": ["d1", "d2"]}}"#,
        ];
        for form in forms {
            assert_eq!(contents(&read(form).unwrap()), expected, "{form}");
        }
        let warnings = read(forms[1]).unwrap().warnings().to_vec();
        assert_eq!(warnings, ["keys that say nothing here: `mode`"]);
    }

    #[test]
    fn a_list_of_queries_and_lines_of_queries_say_the_same() {
        let one = r#"{"id": 1, "text": "one", "relevant": ["d1"]}"#;
        let two = r#"{"id": 2, "text": "two", "relevant": []}"#;
        let list = read(&format!("[{one},\n{two}]")).unwrap();
        let lines = Collection::parse_jsonl("a.jsonl", format!("{one}\n\n{two}").as_bytes()).unwrap();
        assert_eq!(contents(&list), contents(&lines));
        assert_eq!((list.queries().len(), list.unjudged_queries()), (1, 1));
        assert_eq!(lines.warnings(), ["1 of 2 queries has no judgments: `2`"]);
        assert!(list.corpus().unwrap_err().to_string().contains("add `documents` to a.json"));
        assert!(lines.corpus().is_err());
    }

    #[test]
    fn what_is_no_collection_is_an_error_with_its_line() {
        let cases = [
            ("{}", "a.json:1: there is no `queries`: `{}`"),
            ("[]", "a.json: there are no queries"),
            ("[1]", "a.json:1: invalid type: integer `1`, expected an object: `1`"),
            (
                "[{\"id\": 1, \"text\": \"\"},\n\n{\"id\": 1, \"text\": \"\"}]",
                "a.json:3: query id `1` again (first in line 1)",
            ),
            (
                "[{\"id\": 1, \"text\": \"\",\n\"relevant\": [1, 1]}]",
                "a.json:2: document `1` is judged twice for query `1`",
            ),
            (
                "{\"queries\": {\"q\": \"\"},\n\"qrels\": {\"p\": [1]}}",
                "a.json:2: judgments of `p`, which is none",
            ),
            ("{\"queries\": {\"q\": \"\", \"q\": \"\"}}", "a.json:1: queries: `q` occurs twice"),
            ("{\"queries\": {\"\": \"\"}}", "a.json:1: a query has an empty id"),
            (
                "{\"queries\": {\"q\": \"\"}, \"documents\": [{\"id\": 1, \"text\": \"\"},\n{\"id\": 1, \"text\": \"\"}]}",
                "a.json:2: document id `1` again (first in line 1)",
            ),
            (
                "{\"queries\": {\"q\": \"\"}, \"documents\": {\"\": \"\"}}",
                "a.json:1: a document has an empty id",
            ),
            ("{\"queries\": {\"q\": 1}}", "a.json:1: invalid type: integer `1`, expected an object"),
            ("{\"queries\": 1}", "a.json:1: queries: invalid type: integer `1`, expected a sequence"),
        ];
        for (text, message) in cases {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}\n{error}");
        }
    }
}
