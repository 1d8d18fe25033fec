//! Judgments that somebody made: the lines of a pool, with grades in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::collection::record::{Record, parse_grade};
use crate::error::Quoted;
use crate::input::{Json, Source};
use crate::{Error, Result};

/// New judgments as JSON lines: `{"query": "q1", "document": "d1", "grade": 2}`. Other keys are ignored; a
/// grade of `null` says that nobody judged the document yet.
#[derive(Clone, Debug)]
pub struct NewJudgments {
    path: PathBuf,
    judged: Vec<NewJudgment>,
    unjudged: usize,
}

#[derive(Clone, Debug)]
pub(super) struct NewJudgment {
    pub(super) query: String,
    pub(super) document: String,
    pub(super) grade: i32,
    pub(super) line: u64,
}

impl NewJudgments {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, a line without `query`, `document` or `grade`, a grade that is neither a
    /// whole number nor `null`, a document that has two grades for one query. The message names the line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Self::from_source(&Source::file(path.as_ref()))
    }

    /// Reads lines that are in memory; errors call them by `name`.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    ///
    /// ```
    /// use rankgate::collection::NewJudgments;
    ///
    /// let lines = br#"{"query": "q1", "document": "d1", "grade": 2}
    /// {"query": "q1", "document": "d2", "grade": null}"#;
    /// let judged = NewJudgments::parse("judged.jsonl", lines)?;
    /// assert_eq!((judged.len(), judged.unjudged()), (1, 1));
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        Self::from_source(&Source::bytes(name, bytes))
    }

    fn from_source(source: &Source<'_>) -> Result<Self> {
        let mut new = Self { path: source.path().to_owned(), judged: Vec::new(), unjudged: 0 };
        let mut first: HashMap<(String, String), (i32, u64)> = HashMap::new();
        let mut lines = source.lines()?;
        while let Some(line) = lines.next()? {
            let json = Json::of_line(line);
            let mut record = Record::parse(json, line.text)?;
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
            match first.entry((query.clone(), document.clone())).or_insert((grade, line.number)) {
                (_, at) if *at == line.number => {
                    new.judged.push(NewJudgment { query, document, grade, line: line.number });
                }
                (before, _) if *before == grade => {}
                (before, at) => {
                    let (query, document) = (Quoted(&query), Quoted(&document));
                    let message = format!(
                        "document {document} has grade {grade} for query {query}, and {before} in line {at}"
                    );
                    return Err(Error::at_line(line.path, line.number, line.text, message));
                }
            }
        }
        Ok(new)
    }

    /// How many documents have a grade.
    #[must_use]
    pub fn len(&self) -> usize {
        self.judged.len()
    }

    /// Whether no document has a grade.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.judged.is_empty()
    }

    /// How many lines have the grade `null`.
    #[must_use]
    pub fn unjudged(&self) -> usize {
        self.unjudged
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &NewJudgment> {
        self.judged.iter()
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
        let new = NewJudgments::parse("a.jsonl", text.as_bytes()).unwrap();
        let found: Vec<_> =
            new.iter().map(|one| (one.query.as_str(), one.document.as_str(), one.grade, one.line)).collect();
        assert_eq!(found, [("q1", "7", -1, 1), ("1", "d", 2, 3)]);
        assert_eq!(new.unjudged(), 1);
    }

    #[test]
    fn what_is_no_judgment_is_an_error_with_its_line() {
        let cases = [
            ("{\"query\": \"q\", \"document\": \"d\"}", "a.jsonl:1: there is no `grade`; `null` leaves"),
            ("{\"document\": \"d\", \"grade\": 1}", "a.jsonl:1: there is no `query`"),
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
            let error = NewJudgments::parse("a.jsonl", text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}\n{error}");
        }
    }
}
