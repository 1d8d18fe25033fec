//! One JSON object that describes a query or a document, in any known spelling.

use serde_json::value::RawValue;

use crate::collection::answerable::mark_fault;
use crate::collection::judgment_line::whole_grade;
use crate::collection::{Document, Metadata, Query};
use crate::error::Quoted;
use crate::input::{Entries, Json};
use crate::{Error, Result};

/// How the keys of a record may be spelled.
#[derive(Clone, Copy)]
struct Spelling {
    query_id: &'static [&'static str],
    query_text: &'static [&'static str],
    document_id: &'static [&'static str],
    document_text: &'static [&'static str],
}

/// BEIR fixes its keys; all others are metadata.
const BEIR: Spelling =
    Spelling { query_id: &["_id"], query_text: &["text"], document_id: &["_id"], document_text: &["text"] };

/// What people write by hand and what other tools export.
const FREE: Spelling = Spelling {
    query_id: &["id", "_id", "query_id", "query-id", "qid"],
    query_text: &["text", "query", "question"],
    document_id: &["id", "_id", "doc_id", "docid", "document_id", "corpus-id"],
    document_text: &["text", "contents", "content", "body", "passage"],
};

const TITLE: &[&str] = &["title"];
const GRADE: &[&str] = &["grade", "relevance", "rel", "score"];

/// The keys that hold judgments, of one query or by query.
pub(super) const JUDGED: &[&str] = &[
    "relevant",
    "relevant_docs",
    "relevant_documents",
    "relevant_ids",
    "relevant_doc_ids",
    "expected_ids",
    "expected_docs",
    "qrels",
    "judgments",
];

/// The key of judgments that another one is a misspelling of: at most two letters apart.
pub fn meant_judged(key: &str) -> Option<&'static str> {
    let key = key.to_lowercase().replace('-', "_");
    let apart = |known: &&str| strsim::osa_distance(&key, known);
    JUDGED.iter().copied().min_by_key(apart).filter(|known| apart(known) <= 2)
}

/// A JSON object whose keys are taken out one by one; the rest is metadata.
pub(super) struct Record<'a> {
    json: Json<'a>,
    part: &'a str,
    fields: Vec<(String, &'a RawValue)>,
    /// What an error is about, once that is known: "query `q1`: ".
    context: String,
}

impl<'a> Record<'a> {
    pub(super) fn parse(json: Json<'a>, part: &'a str) -> Result<Self> {
        let Entries(fields) = json.parse(part, "")?;
        Ok(Self { json, part, fields, context: String::new() })
    }

    pub(super) fn error(&self, message: &str) -> Error {
        self.json.error(self.part, format!("{}{message}", self.context))
    }

    /// The keys that have not been taken.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }

    /// Takes the value under any of these names; null is no value, two values are an error.
    pub(super) fn take(&mut self, names: &[&str]) -> Result<Option<&'a str>> {
        let mut found: Option<(String, &'a str)> = None;
        for (name, value) in self.fields.extract_if(.., |(name, _)| names.contains(&name.as_str())) {
            if let Some((first, _)) = &found {
                let message = format!("{}`{first}` and `{name}` say the same thing", self.context);
                return Err(self.json.error(self.part, message));
            }
            found = Some((name, value.get()));
        }
        Ok(found.map(|(_, value)| value).filter(|value| *value != "null"))
    }

    fn take_string(&mut self, names: &[&str]) -> Result<Option<String>> {
        let value = self.take(names)?;
        value.map(|value| self.json.parse(value, &format!("{}{}: ", self.context, names[0]))).transpose()
    }

    fn take_text(&mut self, names: &[&str]) -> Result<String> {
        let text = self.take_string(names)?;
        text.ok_or_else(|| self.error("there is no `text`"))
    }

    pub(super) fn take_id(&mut self, names: &[&str]) -> Result<Option<String>> {
        let value = self.take(names)?;
        value.map(|value| parse_id(&self.json, value, &self.context)).transpose()
    }

    /// The metadata: every key that was not taken, those inside an object `metadata` among them.
    fn metadata(mut self) -> Result<Metadata> {
        let nested =
            self.fields.extract_if(.., |(name, value)| name == "metadata" && is_object_or_null(value));
        let nested = nested.map(|(_, value)| value.get()).find(|value| *value != "null");
        if let Some(nested) = nested {
            let Entries(entries) = self.json.parse::<Entries<&RawValue>>(nested, &self.context)?;
            self.fields.extend(entries);
        }
        let mut metadata = Metadata::new();
        for (name, value) in &self.fields {
            let parsed = self.json.parse(value.get(), &self.context)?;
            if metadata.insert(name.clone(), parsed).is_some() {
                return Err(
                    self.error(&format!("{} is there twice, inside `metadata` and beside it", Quoted(name)))
                );
            }
        }
        Ok(metadata)
    }

    /// The query, and the text of its judgments if it has any; `key` is its id where the record is
    /// the value of a key.
    pub(super) fn query(self, key: Option<&str>) -> Result<(Query, Option<&'a str>)> {
        self.query_spelt(FREE, JUDGED, key)
    }

    /// The query of a line of BEIR's `queries.jsonl`, in which judgments have no place.
    pub(super) fn beir_query(self) -> Result<Query> {
        let spelling = self.spelling();
        Ok(self.query_spelt(spelling, &[], None)?.0)
    }

    fn query_spelt(
        mut self,
        spelling: Spelling,
        judged: &[&str],
        key: Option<&str>,
    ) -> Result<(Query, Option<&'a str>)> {
        let id = self.take_required_id(spelling.query_id, key, "query")?;
        self.context = format!("query {}: ", Quoted(&id));
        let text = self.take_text(spelling.query_text)?;
        let judged = match self.take(judged)? {
            // Metadata would not be missed, and the query be left out of every mean.
            None if !judged.is_empty() => {
                self.refuse_misspelt()?;
                None
            }
            judged => judged,
        };
        let mut query = Query::new(id, text);
        let (json, part, context) = (self.json, self.part, self.context.clone());
        query.metadata = self.metadata()?;
        match mark_fault(&query.metadata) {
            Some(fault) => Err(json.error(part, format!("{context}{fault}"))),
            None => Ok((query, judged)),
        }
    }

    /// Refuses documents under a key that is nearly one of judgments.
    fn refuse_misspelt(&self) -> Result<()> {
        let holds = |value: &RawValue| value.get().starts_with(['{', '[']);
        for (name, value) in self.fields.iter().filter(|(_, value)| holds(value)) {
            if let Some(meant) = meant_judged(name) {
                let message =
                    format!("{}{} are no judgments: did you mean `{meant}`?", self.context, Quoted(name));
                return Err(self.json.error(value.get(), message));
            }
        }
        Ok(())
    }

    /// The document; `key` is its id where the record is the value of a key.
    pub(super) fn document(self, key: Option<&str>) -> Result<Document> {
        self.document_with(key, Self::take_text)
    }

    /// The document that a chunk is: without a text, which its place says then, it has an empty one.
    pub(super) fn chunk(self) -> Result<Document> {
        self.document_with(None, |record, names| Ok(record.take_string(names)?.unwrap_or_default()))
    }

    fn document_with(
        mut self,
        key: Option<&str>,
        take_text: impl Fn(&mut Self, &[&str]) -> Result<String>,
    ) -> Result<Document> {
        let spelling = self.spelling();
        let id = self.take_required_id(spelling.document_id, key, "document")?;
        self.context = format!("document {}: ", Quoted(&id));
        let title = self.take_string(TITLE)?;
        let text = take_text(&mut self, spelling.document_text)?;
        let mut document = Document::new(id, text).with_title(title.unwrap_or_default());
        document.metadata = self.metadata()?;
        Ok(document)
    }

    fn spelling(&self) -> Spelling {
        if self.fields.iter().any(|(name, _)| name == "_id") { BEIR } else { FREE }
    }

    fn take_required_id(&mut self, names: &[&str], key: Option<&str>, what: &str) -> Result<String> {
        let inside = self.take_id(names)?;
        match (key, inside) {
            (Some(key), Some(inside)) if key != inside => {
                Err(self.error(&format!("the {what} under {} says it is {}", Quoted(key), Quoted(&inside))))
            }
            (Some(key), _) => Ok(key.to_owned()),
            (None, Some(inside)) => Ok(inside),
            (None, None) => Err(self.error(&format!("the {what} has no `{}`", names[0]))),
        }
    }
}

fn is_object_or_null(value: &RawValue) -> bool {
    value.get().starts_with('{') || value.get() == "null"
}

/// An id: a string that is not empty, or a whole number.
fn parse_id(json: &Json<'_>, part: &str, context: &str) -> Result<String> {
    if part.starts_with('"') {
        let id: String = serde_json::from_str(part).map_err(|error| json.error(part, error.to_string()))?;
        return if id.is_empty() {
            Err(json.error(part, format!("{context}an id is empty")))
        } else {
            Ok(id)
        };
    }
    let digits = part.strip_prefix('-').unwrap_or(part);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(part.to_owned())
    } else {
        Err(json.error(part, format!("{context}an id is neither a string nor a whole number")))
    }
}

/// A query's judged documents with their grades: `"d1"`, `["d1", "d2"]`, `{"d1": 2}` or
/// `[{"id": "d1", "grade": 2}]`. A document without a grade has grade 1.
pub(super) fn judged_documents<'a>(json: Json<'a>, part: &'a str, query: &str) -> Result<Vec<(String, i32)>> {
    let context = format!("query {}: ", Quoted(query));
    match part.as_bytes().first() {
        Some(b'{') => {
            let Entries(grades) = json.parse::<Entries<&RawValue>>(part, &context)?;
            let graded = grades.into_iter().map(|(document, grade)| {
                if document.is_empty() {
                    return Err(json.error(part, format!("{context}an id is empty")));
                }
                let grade = parse_grade(&json, grade.get(), &context, &document)?;
                Ok((document, grade))
            });
            graded.collect()
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = json.parse(part, &context)?;
            items.into_iter().map(|item| judged_document(json, item.get(), &context)).collect()
        }
        _ => Ok(vec![(parse_id(&json, part, &context)?, 1)]),
    }
}

fn judged_document<'a>(json: Json<'a>, item: &'a str, context: &str) -> Result<(String, i32)> {
    if !item.starts_with('{') {
        return Ok((parse_id(&json, item, context)?, 1));
    }
    let mut record = Record::parse(json, item)?;
    record.context = context.to_owned();
    let document = record.take_required_id(FREE.document_id, None, "judged document")?;
    let Some(grade) = record.take(GRADE)? else {
        return Err(record.error(&format!("document {} has no `grade`", Quoted(&document))));
    };
    let grade = parse_grade(&json, grade, context, &document)?;
    Ok((document, grade))
}

pub(super) fn parse_grade<'a>(json: &Json<'a>, part: &'a str, context: &str, document: &str) -> Result<i32> {
    whole_grade(part).ok_or_else(|| {
        let message = format!(
            "{context}the grade of {} is not a whole number of 32 bits, such as 0, 1 or 2",
            Quoted(document)
        );
        json.error(part, message)
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::input::Line;

    fn one_line(text: &str) -> Json<'_> {
        Json::of_line(Line { path: Path::new("a.json"), number: 1, text, is_cut: false })
    }

    fn record(text: &str) -> Record<'_> {
        Record::parse(one_line(text), text).unwrap()
    }

    fn judged(text: &str) -> Result<Vec<(String, i32)>> {
        judged_documents(one_line(text), text, "q")
    }

    #[test]
    fn a_query_is_read_in_every_spelling_and_keeps_everything_else_as_metadata() {
        let text = r#"{"qid": 7, "question": "why", "doc_id": "d9", "expected_ids": ["d1"], "hops": 2, "metadata": {"lang": "en"}}"#;
        let (query, judged) = record(text).query(None).unwrap();
        assert_eq!(query, Query::new("7", "why").with("doc_id", "d9").with("hops", 2).with("lang", "en"));
        assert_eq!(judged, Some(r#"["d1"]"#));
    }

    #[test]
    fn beir_has_one_spelling_and_other_keys_are_metadata() {
        let query = record(r#"{"_id": "q1", "text": "why", "query": "x", "relevant": 1, "metadata": null}"#);
        let expected = Query::new("q1", "why").with("query", "x").with("relevant", 1);
        assert_eq!(query.beir_query().unwrap(), expected);
        let document =
            record(r#"{"_id": "d1", "title": "", "text": "t", "id": 5, "metadata": {"a": [1, null]}}"#);
        let expected = Document::new("d1", "t").with("id", 5).with("a", json!([1, null]));
        assert_eq!(document.document(None).unwrap(), expected);
    }

    #[test]
    fn metadata_is_no_misspelling_of_judgments() {
        for text in [
            // no documents
            r#"{"id": "1", "text": "t", "relevance": "high"}"#,
            // judged all the same
            r#"{"id": "1", "text": "t", "relevance": [1], "relevant": ["d1"]}"#,
            r#"{"id": "1", "text": "t", "elements": [1], "related": {"a": 1}}"#,
        ] {
            record(text).query(None).unwrap();
        }
    }

    #[test]
    fn what_is_unclear_is_an_error() {
        let cases = [
            (r#"{"text": "t"}"#, "the query has no `id`"),
            (r#"{"id": "", "text": "t"}"#, "an id is empty"),
            (r#"{"id": 1.5, "text": "t"}"#, "an id is neither a string nor a whole number"),
            (r#"{"id": "1", "qid": "2", "text": "t"}"#, "`id` and `qid` say the same thing"),
            (r#"{"id": "1", "text": null}"#, "query `1`: there is no `text`"),
            (r#"{"id": "1", "text": "a", "query": "b"}"#, "query `1`: `text` and `query` say the same thing"),
            (r#"{"id": "1", "text": 5}"#, "query `1`: text: invalid type: integer `5`, expected a string"),
            (
                r#"{"id": "1", "text": "t", "a": 1, "metadata": {"a": 1}}"#,
                "query `1`: `a` is there twice, inside `metadata` and beside it",
            ),
            (r#"{"id": "1", "text": "t", "a": 1e999}"#, "query `1`: number out of range"),
            (
                r#"{"id": "1", "text": "t", "relevent": {"d1": 2}}"#,
                "query `1`: `relevent` are no judgments: did you mean `relevant`?",
            ),
            (
                r#"{"id": "1", "text": "t", "relevant": null, "Judgements": ["d1"]}"#,
                "query `1`: `Judgements` are no judgments: did you mean `judgments`?",
            ),
        ];
        for (text, message) in cases {
            let error = record(text).query(None).unwrap_err().to_string();
            let found = error.strip_prefix("a.json:1: ").unwrap_or(&error);
            assert!(found.starts_with(message), "{text}\n{error}");
        }
        let error = record(r#"{"id": "2", "text": "t"}"#).document(Some("1")).unwrap_err().to_string();
        assert!(error.contains("the document under `1` says it is `2`"), "{error}");
    }

    #[test]
    fn judgments_are_read_in_every_form() {
        let cases: [(&str, &[(&str, i32)]); 7] = [
            (r#""d1""#, &[("d1", 1)]),
            ("5", &[("5", 1)]),
            ("[]", &[]),
            (r#"["d1", 2]"#, &[("d1", 1), ("2", 1)]),
            (r#"{"d1": 3.0, "d2": 0, "d3": -1}"#, &[("d1", 3), ("d2", 0), ("d3", -1)]),
            (
                r#"[{"id": "d1", "grade": 2}, {"doc_id": "d2", "relevance": 0, "note": "?"}]"#,
                &[("d1", 2), ("d2", 0)],
            ),
            (r#"[{"corpus-id": "d1", "score": 1}]"#, &[("d1", 1)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(id, grade)| ((*id).to_owned(), *grade)).collect();
            assert_eq!(judged(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn grades_are_never_guessed() {
        let cases = [
            (
                r#"{"d1": 1.5}"#,
                "query `q`: the grade of `d1` is not a whole number of 32 bits, such as 0, 1 or 2: `1.5`",
            ),
            (
                r#"{"d1": true}"#,
                "query `q`: the grade of `d1` is not a whole number of 32 bits, such as 0, 1 or 2: `true`",
            ),
            (
                r#"{"d1": 99999999999}"#,
                "query `q`: the grade of `d1` is not a whole number of 32 bits, such as 0, 1 or 2",
            ),
            (r#"{"d1": 1, "d1": 2}"#, "query `q`: `d1` occurs twice"),
            (r#"[{"id": "d1"}]"#, "query `q`: document `d1` has no `grade`"),
            (r#"[{"grade": 1}]"#, "query `q`: the judged document has no `id`"),
            (r#"[null]"#, "query `q`: an id is neither a string nor a whole number: `null`"),
            (r#"[""]"#, "query `q`: an id is empty"),
            (r#"{"": 1}"#, "query `q`: an id is empty"),
        ];
        for (text, message) in cases {
            let error = judged(text).unwrap_err().to_string();
            assert!(error.starts_with(&format!("a.json:1: {message}")), "{text}\n{error}");
        }
    }
}
