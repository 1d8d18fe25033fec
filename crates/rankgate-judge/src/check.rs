//! Is the judge any good: its verdicts beside people's grades of the same content.

use std::collections::BTreeMap;

use rankgate::Qrels;

use crate::Result;
use crate::agreement::Agreement;
use crate::metric::{Found, Source};
use crate::people::People;
use crate::question::Question;
use crate::score::{JudgeSource, Scoring};
use crate::verdicts::Verdicts;

/// The agreement on one kind of question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The task, or the name of a criterion.
    pub what: String,
    /// Questions that people graded and the judge did not.
    pub ungraded: usize,
    /// How far both agree; `None` if they have no question in common.
    pub agreement: Option<Agreement>,
}

/// How many questions of a kind the judge left ungraded, and by query the grades of people and of the judge.
type OfKind = (usize, BTreeMap<String, Vec<[u8; 2]>>);

/// Compares the judge with people, for each kind of question that the metrics ask.
///
/// # Errors
/// As of [`Scoring::run`].
pub fn check(scoring: &Scoring<'_>, verdicts: &Verdicts, people: &People) -> Result<Vec<Checked>> {
    let drawn = people.draw.iter().flat_map(|draw| draw.drawn.iter().cloned()).collect();
    let source = JudgeSource { verdicts, settings: scoring.settings, asked: None };
    let mut kinds: BTreeMap<String, OfKind> = BTreeMap::new();
    for (query, _, question) in scoring.questions_of(verdicts, &drawn)? {
        let Some(by_people) = people.grade(&question) else { continue };
        let (ungraded, pairs) = kinds.entry(kind(&question)).or_default();
        match source.find(&question) {
            Found::Grade(grade) => pairs.entry(query).or_default().push([grade, by_people]),
            Found::Claims(_) | Found::Unknown | Found::Failed | Found::Missing => *ungraded += 1,
        }
    }
    let checked = |(what, (ungraded, pairs))| Checked { what, ungraded, agreement: Agreement::new(&pairs) };
    Ok(kinds.into_iter().map(checked).collect())
}

fn kind(question: &Question) -> String {
    question.criterion().map_or_else(|| question.task().to_string(), str::to_owned)
}

/// Compares a model's judgments of documents with people's of the same.
pub fn check_judgments(model: &Qrels, people: &Qrels) -> Checked {
    let mut pairs: BTreeMap<String, Vec<[u8; 2]>> = BTreeMap::new();
    let mut ungraded = 0;
    let grade = |grade: i32| u8::try_from(grade.max(0)).unwrap_or(u8::MAX);
    for (query, judgments) in people.iter() {
        for (document, by_people) in judgments.iter() {
            match model.grade(query, document) {
                Some(by_model) => {
                    pairs.entry(query.to_owned()).or_default().push([grade(by_model), grade(by_people)])
                }
                None => ungraded += 1,
            }
        }
    }
    // People judge much that no model is asked about.
    let ungraded = if pairs.is_empty() { ungraded } else { 0 };
    Checked { what: "relevance".to_owned(), ungraded, agreement: Agreement::new(&pairs) }
}
