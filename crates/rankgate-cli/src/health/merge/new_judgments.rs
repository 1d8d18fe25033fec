//! A file of judgments that somebody made.

use std::collections::HashMap;

use rankgate::{Qrels, Source};
use serde_json::{Map, Value};

use super::judged_text::JudgedText;
use crate::health::Result;

/// New judgments. In JSON lines, `query_text` and `document_text`, or the SHA-256 of both, are what was judged, as in the
/// lines of a pool.
#[derive(Clone, Debug)]
pub struct NewJudgments {
    pub(super) qrels: Qrels,
    unjudged: usize,
    /// What was judged, by query and document, as far as lines have it.
    judged_texts: HashMap<(String, String), [JudgedText; 2]>,
}

impl NewJudgments {
    /// Reads judgments in any format of [`Qrels::read`].
    ///
    /// # Errors
    /// As of [`Qrels::read`].
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        let source = from.into();
        let (name, text) = (source.path().display().to_string(), source.text()?);
        let mut new =
            Self { qrels: Qrels::parse(&name, text.as_bytes())?, unjudged: 0, judged_texts: HashMap::new() };
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Map<String, Value>>(line) else { continue };
            if line.get("grade").is_some_and(Value::is_null) {
                new.unjudged += 1;
                continue;
            }
            let text = |text: &str, sha256: &str| JudgedText::new(line.get(text), line.get(sha256));
            let texts = [text("query_text", "query_sha256"), text("document_text", "document_sha256")];
            let id = |key: &str| match line.get(key)? {
                Value::String(id) => Some(id.clone()),
                other => Some(other.to_string()),
            };
            if let (Some(query), Some(document)) = (id("query"), id("document"))
                && texts.iter().any(JudgedText::is_known)
            {
                new.judged_texts.insert((query, document), texts);
            }
        }
        Ok(new)
    }

    /// How many documents have a grade.
    pub fn len(&self) -> usize {
        self.qrels.len()
    }

    /// Returns true if no document has a grade.
    pub fn is_empty(&self) -> bool {
        self.qrels.is_empty()
    }

    /// How many lines have the grade `null`.
    pub fn unjudged(&self) -> usize {
        self.unjudged
    }

    /// The judged texts of query and document.
    pub(super) fn judged_texts(&self, query: &str, document: &str) -> Option<&[JudgedText; 2]> {
        self.judged_texts.get(&(query.to_owned(), document.to_owned()))
    }
}
