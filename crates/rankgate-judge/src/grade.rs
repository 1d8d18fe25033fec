//! Documents in, judgments out: what nobody judged is graded by the model.

use std::collections::BTreeMap;

use rankgate::Qrels;
use serde_json::json;

use crate::Result;
use crate::ask::Tally;
use crate::backend;
use crate::metric::{Found, Source};
use crate::question::Question;
use crate::request::requests;
use crate::score::{JudgeSource, ask_all};
use crate::settings::Settings;
use crate::verdicts::Verdicts;

/// A document to be graded for a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The query's id.
    pub query: String,
    /// The query.
    pub query_text: String,
    /// The document's id.
    pub document: String,
    /// Its title and text.
    pub document_text: String,
}

/// A pair with what the judge says; `None` without a grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedPair {
    /// The pair.
    pub pair: Pair,
    /// The grade, 0 to 3.
    pub grade: Option<u8>,
    /// It was not asked, or had no usable reply. A judge that cannot tell has answered.
    pub is_open: bool,
}

impl Pair {
    fn question(&self) -> Question {
        Question::Relevance { query: self.query_text.clone(), document: self.document_text.clone() }
    }
}

/// Grades documents: asks for what the file of verdicts lacks, and keeps each reply at once. What had no usable reply is asked
/// `again` on demand. A document without a text is grade 0 without a question.
///
/// # Errors
/// A judge that cannot be set up, a file that cannot be written.
pub fn grade(
    settings: &Settings,
    pairs: Vec<Pair>,
    verdicts: &mut Verdicts,
    again: bool,
) -> Result<(Vec<GradedPair>, Tally)> {
    let is_missing = |pair: &&Pair| {
        let known = verdicts.get(settings, &pair.question());
        !pair.document_text.trim().is_empty() && known.is_none_or(|known| again && !known.is_answered())
    };
    let wanted = pairs.iter().filter(is_missing).map(|pair| (pair.query.clone(), pair.question()));
    let missing = requests(wanted.collect());
    let mut tally = Tally::default();
    if !missing.is_empty() {
        let backend = backend::open(settings)?;
        ask_all(settings, &*backend, &missing, &mut tally, verdicts)?;
        if tally.is_complete() {
            backend.finish()?;
        }
    }
    let source = JudgeSource { verdicts, settings, asked: None };
    let graded = |pair: Pair| {
        let (grade, is_open) = match pair.document_text.trim().is_empty() {
            true => (Some(0), false),
            false => match source.find(&pair.question()) {
                Found::Grade(grade) => (Some(grade), false),
                Found::Claims(_) | Found::Unknown => (None, false),
                Found::Failed | Found::Missing => (None, true),
            },
        };
        GradedPair { pair, grade, is_open }
    };
    Ok((pairs.into_iter().map(graded).collect(), tally))
}

/// The grades as a judgments file: JSON lines, each with `origin: model`. Documents that were graded before and are in no list
/// any more keep their grades.
pub fn judgment_lines(before: &Qrels, graded: &[GradedPair]) -> String {
    let before = before.iter().flat_map(|(query, judged)| {
        judged.iter().map(move |(document, grade)| ((query.to_owned(), document.to_owned()), grade))
    });
    let mut all: BTreeMap<(String, String), i32> = before.collect();
    for GradedPair { pair, grade, .. } in graded {
        let key = (pair.query.clone(), pair.document.clone());
        match grade {
            Some(grade) => all.insert(key, i32::from(*grade)),
            // Another text than the one that had a grade.
            None => all.remove(&key),
        };
    }
    let line = |((query, document), grade): ((String, String), i32)| {
        let (query, document) = (json!(query), json!(document));
        format!(
            "{{\"query\": {query}, \"document\": {document}, \"grade\": {grade}, \"origin\": \"model\"}}\n"
        )
    };
    all.into_iter().map(line).collect()
}
