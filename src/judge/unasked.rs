//! Questions that a machine without the judge's key did not ask.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind as Io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::item::{Description, shown_sha256, sorted};
use super::pair::Pair;
use crate::collection::Query;
use crate::{Error, Result};

/// The questions that were not asked on a machine, and why. A gate that lacks nothing but their answers is skipped; one that
/// lacks anything else is errored.
///
/// `rankgate judge --ci` writes the file beside the report where the judge's key is missing. It is never committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unasked {
    /// Why nobody was asked: a fragment, such as "`JUDGE_KEY` is not set".
    pub reason: String,
    /// Names of the gates that lack an answer.
    pub gates: BTreeSet<String>,
    questions: BTreeSet<Question>,
}

/// One question, by what its answer would rest on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    document: String,
    document_sha256: String,
    judge: String,
    query: String,
    query_sha256: String,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    gates: BTreeSet<String>,
    reason: String,
}

impl Unasked {
    /// Its name beside the report.
    pub(crate) const FILE: &str = "unasked.jsonl";

    /// No question yet.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }

    /// Takes in questions for this judge.
    pub fn insert(&mut self, judge: &Description, pairs: &[Pair]) {
        let id = judge.id();
        self.questions.extend(pairs.iter().map(|pair| Question {
            document: pair.document.id.clone(),
            document_sha256: shown_sha256(&pair.document.text),
            judge: id.clone(),
            query: pair.query.id.clone(),
            query_sha256: shown_sha256(&pair.query.in_conversation()),
        }));
    }

    /// Whether there is no question.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// The documents of its questions for a judge and a query: their ids, and the hashes of what would be shown.
    pub(crate) fn documents<'a>(
        &'a self,
        judge: &'a str,
        query: &'a Query,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let text = shown_sha256(&query.in_conversation());
        let of_query =
            move |one: &&Question| one.judge == judge && one.query == query.id && one.query_sha256 == text;
        let questions = self.questions.iter().filter(of_query);
        questions.map(|one| (one.document.as_str(), one.document_sha256.as_str()))
    }

    /// The ids of all documents that it asks a judge about.
    pub(crate) fn all_documents<'a>(&'a self, judge: &'a str) -> impl Iterator<Item = &'a str> {
        self.questions.iter().filter(move |one| one.judge == judge).map(|one| one.document.as_str())
    }

    /// The text of the file, sorted.
    #[must_use]
    pub fn text(&self) -> String {
        let head = Head { gates: self.gates.clone(), reason: self.reason.clone() };
        let lines = self.questions.iter().map(serde_json::to_value);
        let lines =
            std::iter::once(serde_json::to_value(&head)).chain(lines).filter_map(serde_json::Result::ok);
        lines.map(|line| sorted(&line) + "\n").collect()
    }

    /// Reads a file; `None` where there is none.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, a line that is none of its own.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == Io::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("cannot read", path, error)),
        };
        Self::parse(&path.display().to_string(), &text).map(Some)
    }

    fn parse(name: &str, text: &str) -> Result<Self> {
        let at = |number: usize, error: &dyn std::fmt::Display| {
            Error::invalid(format!(
                "{name}:{number}: no question that was left out: {error}; `rankgate judge --ci` writes the file anew"
            ))
        };
        let mut lines = (1..).zip(text.lines());
        let (_, first) = lines.next().ok_or_else(|| at(1, &"the file is empty"))?;
        let Head { gates, reason } = serde_json::from_str(first).map_err(|error| at(1, &error))?;
        let question = |(number, line)| serde_json::from_str(line).map_err(|error| at(number, &error));
        Ok(Self { reason, gates, questions: lines.map(question).collect::<Result<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Document, Query};
    use crate::judge::sha256;
    use crate::judge::tests::description;

    #[test]
    fn questions_come_back_and_are_those_of_their_texts() {
        let judge = description();
        let pair = |document: &str| Pair {
            query: Query::new("q1", "asked"),
            document: Document::new(document, "text"),
        };
        let mut unasked = Unasked::new("`JUDGE_KEY` is not set");
        assert!(unasked.is_empty());
        unasked.insert(&judge, &[pair("b"), pair("a")]);
        unasked.gates.insert("toy::mine::nDCG@10".into());
        let text = unasked.text();
        assert_eq!(
            text.lines().next().unwrap(),
            "{\"gates\":[\"toy::mine::nDCG@10\"],\"reason\":\"`JUDGE_KEY` is not set\"}"
        );
        assert_eq!(Unasked::parse("unasked.jsonl", &text).unwrap(), unasked);
        let id = judge.id();
        let [asked, asks] = ["asked", "asks"].map(|text| Query::new("q1", text));
        let found: Vec<(&str, &str)> = unasked.documents(&id, &asked).collect();
        let hash = sha256(b"text");
        assert_eq!(found, [("a", hash.as_str()), ("b", hash.as_str())]);
        // A query with another text, and another judge, were never left out.
        assert_eq!(unasked.documents(&id, &asks).count(), 0);
        assert_eq!(unasked.documents("other-00000000", &asked).count(), 0);
    }

    #[test]
    fn another_line_is_an_error_with_its_number() {
        let error = |text: &str| Unasked::parse("unasked.jsonl", text).unwrap_err().to_string();
        assert!(error("").starts_with("unasked.jsonl:1: no question that was left out: the file is empty"));
        assert!(error("{\"reason\":1}").starts_with("unasked.jsonl:1: "));
        let cut = "{\"gates\":[],\"reason\":\"x\"}\n{\"document\":\"a\"";
        assert!(error(cut).starts_with("unasked.jsonl:2: "), "{}", error(cut));
    }
}
