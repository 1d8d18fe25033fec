//! Judgments that somebody made: the lines of a pool, with grades in them.

use std::collections::HashMap;

use serde_json::json;

use crate::Result;
use crate::collection::Qrels;
use crate::collection::judged_text::JudgedText;
use crate::collection::judgments::JudgedTwice;
use crate::collection::qrels_format::QrelsFormat;
use crate::collection::record::{Record, parse_grade};
use crate::error::Quoted;
use crate::input::{Json, Lines, Source};

/// New judgments as JSON lines: `{"query": "q1", "document": "d1", "grade": 2}`. A `subtopic` says which subtopic of the
/// query the grade is for; all lines have one or none has. `query_text` and `document_text`, or the SHA-256 of both, say what was
/// judged, as in the lines of a pool. Other keys are ignored; a grade of `null` means that the document is unjudged.
#[derive(Clone, Debug)]
pub struct NewJudgments {
    pub(super) qrels: Qrels,
    unjudged: usize,
    /// What was judged, by query and document, as far as lines say it.
    judged_texts: HashMap<(String, String), [JudgedText; 2]>,
}

/// The same as a format of judgments, known by its first key.
pub(super) const QRELS: QrelsFormat = QrelsFormat {
    begins: |head| {
        let value = ["{", "\"query\"", ":"]
            .into_iter()
            .try_fold(head, |rest, part| rest.strip_prefix(part.as_bytes()).map(<[u8]>::trim_ascii_start));
        value.is_some_and(|value| !value.starts_with(b"{") && !value.starts_with(b"["))
    },
    read: |input| Ok(NewJudgments::of_lines(Lines::new(input), false)?.qrels),
    read_part: None,
    line: Some(|query, document, grade| {
        Ok(format!("{{\"query\": {}, \"document\": {}, \"grade\": {grade}}}", json!(query), json!(document)))
    }),
};

impl NewJudgments {
    /// Reads a file, or what else has such lines.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, a line without `query`, `document` or `grade`, a grade that is neither a
    /// whole number nor `null`, a document that has two grades for one query. The message names the line.
    ///
    /// ```
    /// use rankgate::Source;
    /// use rankgate::collection::NewJudgments;
    ///
    /// let lines = br#"{"query": "q1", "document": "d1", "grade": 2}
    /// {"query": "q1", "document": "d2", "grade": null}"#;
    /// let judged = NewJudgments::read(Source::bytes("judged.jsonl", lines))?;
    /// assert_eq!((judged.len(), judged.unjudged()), (1, 1));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        Self::of_lines(from.into().lines()?, true)
    }

    fn of_lines(mut lines: Lines<'_>, with_texts: bool) -> Result<Self> {
        let qrels = Qrels::of_file(lines.path());
        let mut new = Self { qrels, unjudged: 0, judged_texts: HashMap::new() };
        let mut first: Option<(bool, u64)> = None;
        while let Some(line) = lines.next()? {
            let json = Json::of_line(line);
            let mut record = Record::parse(json, line.text)?;
            if record.names().any(|name| matches!(name, "quote" | "start")) {
                return Err(record.error(
                    "this is a judged span of a document, and judgments of documents are expected: spans stand under \
                     `evidence` in the `collection` of a spec, and beside `--documents FILE` without one",
                ));
            }
            let has_grade = record.names().any(|name| name == "grade");
            let query = record.take_id(&["query"])?.ok_or_else(|| record.error("there is no `query`"))?;
            let document =
                record.take_id(&["document"])?.ok_or_else(|| record.error("there is no `document`"))?;
            if !has_grade {
                return Err(record.error("there is no `grade`; `null` leaves the document unjudged"));
            }
            let Some(grade) = record.take(&["grade"])? else {
                new.unjudged += 1;
                continue;
            };
            let grade = parse_grade(&json, grade, &format!("query {}: ", Quoted(&query)), &document)?;
            let subtopic = record.take_id(&["subtopic"])?;
            if with_texts {
                let texts = [
                    JudgedText::new(record.take(&["query_text"])?, record.take(&["query_sha256"])?),
                    JudgedText::new(record.take(&["document_text"])?, record.take(&["document_sha256"])?),
                ];
                if texts.iter().any(JudgedText::is_known) {
                    new.judged_texts.insert((query.clone(), document.clone()), texts);
                }
            }
            let (is_first, at) = *first.get_or_insert((subtopic.is_some(), line.number));
            if is_first != subtopic.is_some() {
                let [here, there] = if is_first { ["none", "one"] } else { ["one", "none"] };
                return Err(line.error(format!(
                    "this judgment has {here} as `subtopic`, and that in line {at} has {there}: either all have a subtopic or none"
                )));
            }
            let before = match &subtopic {
                Some(subtopic) => new.qrels.subtopic_grade((&query, subtopic), &document),
                None => new.qrels.grade(&query, &document),
            };
            let added = match &subtopic {
                Some(subtopic) => {
                    new.qrels.insert_of_subtopic((&query, subtopic), &document, grade, Some(line.number))
                }
                None => new.qrels.insert_from_line(&query, &document, grade, Some(line.number)),
            };
            if let (Some(before), Err(JudgedTwice { first_line })) = (before, added)
                && before != grade
            {
                let (query, document) = (Quoted(&query), Quoted(&document));
                let at = first_line.map(|line| format!(" in line {line}")).unwrap_or_default();
                let message =
                    format!("document {document} has grade {grade} for query {query}, and {before}{at}");
                return Err(line.error(message));
            }
        }
        Ok(new)
    }

    /// How many documents have a grade.
    #[must_use]
    pub fn len(&self) -> usize {
        self.qrels.len()
    }

    /// Whether no document has a grade.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.qrels.is_empty()
    }

    /// What was judged: query and document.
    pub(super) fn judged_texts(&self, query: &str, document: &str) -> Option<&[JudgedText; 2]> {
        self.judged_texts.get(&(query.to_owned(), document.to_owned()))
    }

    /// How many lines have the grade `null`.
    #[must_use]
    pub fn unjudged(&self) -> usize {
        self.unjudged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_query_document_and_grade() {
        let text = "{\"query\": \"q1\", \"document\": 7, \"grade\": -1, \"note\": \"x\"}\n\n\
                    {\"grade\": 2, \"query\": 1, \"document\": \"d\"}\n{\"query\": \"q\", \"document\": \"d\", \"grade\": null}\n\
                    {\"grade\": 2, \"query\": \"1\", \"document\": \"d\"}\n";
        let new = NewJudgments::read(Source::bytes("a.jsonl", text.as_bytes())).unwrap();
        let found = |query, document| {
            let at = new.qrels.origin(query, document).unwrap().to_string();
            (new.qrels.grade(query, document).unwrap(), at)
        };
        assert_eq!(found("q1", "7"), (-1, "a.jsonl:1".to_owned()));
        assert_eq!(found("1", "d"), (2, "a.jsonl:3".to_owned()));
        assert_eq!((new.len(), new.unjudged()), (2, 1));
        assert_eq!(Qrels::parse("a.jsonl", text.as_bytes()).unwrap(), new.qrels);
    }

    #[test]
    fn what_is_no_judgment_is_an_error_with_its_line() {
        let cases = [
            ("{\"query\": \"q\", \"document\": \"d\"}", "a.jsonl:1: there is no `grade`; `null` leaves"),
            ("{\"document\": \"d\", \"grade\": 1}", "a.jsonl:1: there is no `query`"),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"quote\": \"a\", \"grade\": 1}",
                "a.jsonl:1: this is a judged span of a document, and judgments of documents are expected",
            ),
            ("{\"query\": \"q\", \"grade\": 1}", "a.jsonl:1: there is no `document`"),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": 0.5}",
                "a.jsonl:1: query `q`: the grade of `d` is not a whole number of 32 bits, such as 0, 1 or 2: `0.5`",
            ),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": \"1\"}",
                "a.jsonl:1: query `q`: the grade of `d`",
            ),
            (
                "{\"query\": \"q\", \"document\": \"d\", \"grade\": 1}\n{\"query\": \"q\", \"document\": \"d\", \"grade\": 2}",
                "a.jsonl:2: document `d` has grade 2 for query `q`, and 1 in line 1",
            ),
            ("[]", "a.jsonl:1: "),
        ];
        for (text, message) in cases {
            let error =
                NewJudgments::read(Source::bytes("a.jsonl", text.as_bytes())).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}\n{error}");
        }
    }
}
