//! What a metric asks about one answer, and what the judge's file says of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::analysis::{NO_CLAIMS, Piece, PieceState, ShownContext};
use crate::collection::{Document, Query};
use crate::error::Quoted;
use crate::gate::AnswerPart;
use crate::judge::{
    ANSWER, Claim, Description, Item, JudgmentsFile, PEOPLE, Pair, Task, criterion_id, grade_id,
    graded_answer, material, sha256, shown_by_criterion,
};
use crate::measure::answers::AnswerMetric;
use crate::measure::answers::counts::{Exclusion, NOT_RETRIEVED, UNCITED};
use crate::measure::answers::metric::JudgedUnit;
use crate::metric::Metric;
use crate::retriever::said::{Answer, CitedSentence};
use crate::spec::Criterion;
use crate::{Error, Result};

use super::noise::Place;

impl AnswerMetric {
    /// What its score rests on.
    pub(crate) fn task(self) -> Task {
        match self.unit() {
            JudgedUnit::Claim => Task::Support,
            JudgedUnit::Nugget => Task::Nuggets,
            JudgedUnit::Citation => Task::Citations,
            JudgedUnit::Answer if self == Self::Criterion => Task::Criterion,
            JudgedUnit::Answer => Task::AnswerRelevance,
        }
    }

    /// The kind of question that a metric of answers rests on.
    pub(crate) fn question_kind(metric: &Metric) -> Option<QuestionKind> {
        Some((Self::from_metric(metric)?.task(), metric.criterion().map(str::to_owned)))
    }

    /// All its questions.
    pub(crate) fn tasks(self) -> &'static [Task] {
        match self.unit() {
            JudgedUnit::Claim => &[Task::Claims, Task::Support],
            JudgedUnit::Nugget => &[Task::Nuggets],
            JudgedUnit::Citation => &[Task::Citations],
            JudgedUnit::Answer if self == Self::Criterion => &[Task::Criterion],
            JudgedUnit::Answer => &[Task::AnswerRelevance],
        }
    }
}

/// A kind of question about answers, with the name of the criterion where it is one.
pub(crate) type QuestionKind = (Task, Option<String>);

/// A question for the judge, whether or not it is on file.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) task: Task,
    pub(crate) pair: Pair,
}

/// What was found of one query.
pub(crate) struct Look {
    pub(crate) pieces: Result<Vec<Piece>, Exclusion>,
    pub(crate) wanted: Vec<Question>,
}

/// Where it is looked up: the file, and what the judge is called in it for each task.
pub(crate) struct Looker<'a> {
    file: &'a JudgmentsFile,
    judges: BTreeMap<Task, (String, Description)>,
    metric: AnswerMetric,
    contexts: Option<usize>,
    criterion: Option<&'a Criterion>,
}

/// The claims of a text, by their ids.
pub(super) enum Found {
    Claims(Vec<(String, String)>),
    /// There are none, or the list is missing: a piece that says so.
    Nothing(Piece),
}

pub(super) fn short(text: &str) -> String {
    sha256(text.as_bytes())[..12].to_owned()
}

impl<'a> Looker<'a> {
    /// Looks for what a metric needs; `describe` says what the judge is for a task.
    ///
    /// # Errors
    /// A metric that is none of answers, a judge that cannot be described.
    pub(crate) fn new(
        file: &'a JudgmentsFile,
        metric: &Metric,
        describe: impl Fn(Task) -> Result<Description>,
    ) -> Result<Self> {
        let none = || Error::invalid(format!("{metric} is not of answers"));
        let of = AnswerMetric::from_metric(metric).ok_or_else(none)?;
        let mut judges = BTreeMap::new();
        for task in of.tasks() {
            let judge = describe(*task)?;
            judges.insert(*task, (judge.id(), judge));
        }
        Ok(Self { file, judges, metric: of, contexts: metric.contexts(), criterion: None })
    }

    /// The same by this criterion.
    pub(crate) fn by_criterion(self, criterion: Option<&'a Criterion>) -> Self {
        Self { criterion, ..self }
    }

    /// What the file says of an answer to a query; `shown` is what the answerer was given.
    pub(crate) fn look(&self, query: &Query, answer: Option<&Answer>, shown: &[ShownContext]) -> Look {
        let mut wanted = Vec::new();
        let pieces = self.pieces(query, answer, shown, &mut wanted);
        Look { pieces, wanted }
    }

    fn pieces(
        &self,
        query: &Query,
        answer: Option<&Answer>,
        shown: &[ShownContext],
        wanted: &mut Vec<Question>,
    ) -> Result<Vec<Piece>, Exclusion> {
        let text = answer.map_or("", |answer| answer.text.trim());
        let contexts: Vec<String> =
            shown.iter().take(self.contexts.unwrap_or(usize::MAX)).map(|one| one.text.clone()).collect();
        let of_answer = self.metric.is_of_texts();
        if of_answer && answer.is_some_and(|answer| answer.declined) {
            return Err(Exclusion::Declined);
        }
        match self.metric {
            AnswerMetric::Faithfulness => Ok(match self.claims(query, text, 'a', wanted) {
                Found::Claims(claims) => self.support(query, &claims, &contexts, wanted),
                Found::Nothing(piece) => vec![piece],
            }),
            AnswerMetric::ContextRecall => Ok(match self.reference(query, wanted)? {
                Found::Claims(claims) => self.support(query, &claims, &contexts, wanted),
                Found::Nothing(piece) => vec![piece],
            }),
            AnswerMetric::NuggetRecall => {
                let nuggets = nuggets(query).ok_or(Exclusion::NoNuggets)?;
                Ok(self.support(query, &nuggets, &contexts, wanted))
            }
            AnswerMetric::NuggetAll | AnswerMetric::NuggetVital => {
                let nuggets = nuggets(query).ok_or(Exclusion::NoNuggets)?;
                let is_vital = |(id, _): &(String, String)| id.starts_with('v');
                if self.metric == AnswerMetric::NuggetVital && !nuggets.iter().any(is_vital) {
                    return Err(Exclusion::NoNuggets);
                }
                let answer = (!text.is_empty()).then(|| text.to_owned());
                Ok(self.support(query, &nuggets, answer.as_slice(), wanted))
            }
            AnswerMetric::AnswerCorrectness => {
                let reference = self.reference(query, wanted)?;
                if text.is_empty() {
                    // Who says nothing shares nothing.
                    return Ok(vec![Piece::new("nothing/a", PieceState::Fixed(0))]);
                }
                let said = self.claims(query, text, 'a', wanted);
                let whole = reference_text(query).unwrap_or_default();
                let mut pieces = Vec::new();
                for (found, against) in [(said, whole), (reference, text.to_owned())] {
                    match found {
                        Found::Claims(claims) => {
                            pieces.extend(self.support(query, &claims, &[against], wanted));
                        }
                        Found::Nothing(piece) => pieces.push(piece),
                    }
                }
                Ok(pieces)
            }
            AnswerMetric::Consistency => self.consistency(query, answer, wanted),
            AnswerMetric::ContextUtilization => self.utilization(query, text, &contexts, wanted),
            AnswerMetric::NoiseInRelevant => self.noise(query, text, &contexts, Place::Relevant, wanted),
            AnswerMetric::NoiseInIrrelevant => self.noise(query, text, &contexts, Place::Irrelevant, wanted),
            AnswerMetric::CitationPrecision | AnswerMetric::CitationRecall => {
                let cited = answer.and_then(|answer| answer.citations.as_deref()).unwrap_or_default();
                Ok(self.citations(query, cited, shown, wanted))
            }
            AnswerMetric::AnswerRelevance | AnswerMetric::Criterion if text.is_empty() => Ok(Vec::new()),
            AnswerMetric::AnswerRelevance => {
                let document = Document::new(format!("{ANSWER}{}", short(text)), text);
                let id = grade_id(&document.id, None);
                let people = format!("How well does this answer the query, from 0 to 3?\n\nAnswer:\n{text}");
                Ok(vec![self.whole(query, text, (document, id, people), wanted)])
            }
            AnswerMetric::Criterion => {
                let Some(criterion) = self.criterion else { return Ok(Vec::new()) };
                let contexts = criterion.shows(AnswerPart::Contexts).then_some(&contexts[..]);
                let reference = match criterion.shows(AnswerPart::Reference) {
                    true => Some(reference_text(query).ok_or(Exclusion::NoReference)?),
                    false => None,
                };
                let mut document = graded_answer(text, contexts, reference.as_deref());
                document.id = criterion_id(&criterion.name, &document);
                let id = grade_id(&document.id, Some(criterion.highest()));
                let (question, scale) = (&criterion.question, &criterion.scale);
                let people = shown_by_criterion(question, scale, text, contexts, reference.as_deref());
                Ok(vec![self.whole(query, text, (document, id, people), wanted)])
            }
        }
    }

    /// An answer that has one grade: the question on it, what the grade is called, and what people are shown.
    fn whole(
        &self,
        query: &Query,
        text: &str,
        (document, id, people): (Document, String, String),
        wanted: &mut Vec<Question>,
    ) -> Piece {
        let asked = document.id.clone();
        let item = self.ask(self.metric.task(), query, document, wanted);
        let state = match item {
            None => PieceState::Missing,
            Some(item) => item.grade.map_or(PieceState::Abstained, PieceState::Graded),
        };
        Piece {
            text: text.to_owned(),
            people,
            asked,
            analysis: item.and_then(analysis),
            ..Piece::new(id, state)
        }
    }

    /// What the file has of a question, which is wanted in any case.
    fn ask(
        &self,
        task: Task,
        query: &Query,
        document: Document,
        wanted: &mut Vec<Question>,
    ) -> Option<&'a Item> {
        let (id, _) = self.judges.get(&task)?;
        let text = query.in_conversation();
        let of = |judge: &str| self.file.item(judge, (&query.id, &text), (&document.id, &document.text));
        // What people wrote stands before what any model found.
        let item = of(PEOPLE).or_else(|| of(id));
        wanted.push(Question { task, pair: Pair { query: query.clone(), document } });
        item
    }

    pub(super) fn claims(
        &self,
        query: &Query,
        text: &str,
        letter: char,
        wanted: &mut Vec<Question>,
    ) -> Found {
        let nothing = |state| Found::Nothing(Piece::new(format!("{NO_CLAIMS}/{letter}"), state));
        if text.is_empty() {
            return nothing(PieceState::Abstained);
        }
        let document = Document::new(format!("claims/{}", short(text)), text);
        let asked = document.id.clone();
        match self.ask(Task::Claims, query, document, wanted) {
            None => {
                let piece = Piece::new(format!("{asked}/{letter}"), PieceState::Missing);
                Found::Nothing(Piece { asked, ..piece })
            }
            Some(Item { claims: Some(claims), .. }) if !claims.is_empty() => {
                let claim = |(at, claim): (usize, &Claim)| {
                    (format!("{letter}{at}"), claim.text.clone().unwrap_or_default())
                };
                Found::Claims((1..).zip(claims).map(claim).collect())
            }
            Some(_) => {
                let piece = Piece::new(format!("{NO_CLAIMS}/{letter}"), PieceState::Abstained);
                Found::Nothing(Piece { text: text.to_owned(), asked, ..piece })
            }
        }
    }

    /// The claims of the reference: those that the collection lists, or those of its text.
    pub(super) fn reference(&self, query: &Query, wanted: &mut Vec<Question>) -> Result<Found, Exclusion> {
        match query.metadata.get("reference") {
            Some(Value::String(text)) => Ok(self.claims(query, text.trim(), 'r', wanted)),
            Some(Value::Array(list)) => {
                let texts = list.iter().filter_map(Value::as_str);
                let claims: Vec<_> = (1..)
                    .zip(texts)
                    .map(|(at, text): (usize, _)| (format!("r{at}"), text.to_owned()))
                    .collect();
                Ok(match claims.is_empty() {
                    true => Found::Nothing(Piece::new(format!("{NO_CLAIMS}/r"), PieceState::Abstained)),
                    false => Found::Claims(claims),
                })
            }
            _ => Err(Exclusion::NoReference),
        }
    }

    /// Whether an answer says what the metric needs.
    ///
    /// # Errors
    /// An answer without citations, where these are counted.
    pub(crate) fn check(&self, query: &Query, answer: Option<&Answer>) -> Result<()> {
        let lacks = |answer: &Answer| {
            answer.citations.is_none() && !answer.declined && !answer.text.trim().is_empty()
        };
        if self.metric.is_of_citations() && answer.is_some_and(lacks) {
            return Err(Error::invalid(format!(
                "the answer to query {} has no `citations`: say of each of its sentences which documents it cites, as in \
                 `[{{\"sentence\": \"...\", \"documents\": [\"d1\"]}}]`",
                Quoted(&query.id)
            )));
        }
        Ok(())
    }

    /// The citations of an answer, each with what the cited document says of its sentence, and sentences without one.
    fn citations(
        &self,
        query: &Query,
        sentences: &[CitedSentence],
        shown: &[ShownContext],
        wanted: &mut Vec<Question>,
    ) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut by_context: Vec<Vec<(String, String)>> = vec![Vec::new(); shown.len()];
        for (number, CitedSentence { sentence, documents }) in (1..).zip(sentences) {
            let fixed = |id: String, text: String| Piece { text, ..Piece::new(id, PieceState::Fixed(0)) };
            if documents.is_empty() {
                pieces.push(fixed(format!("{UNCITED}{number}.0"), sentence.clone()));
            }
            for (at, document) in (1..).zip(documents) {
                match shown.iter().position(|context| context.id == *document) {
                    Some(context) => {
                        by_context[context].push((format!("s{number}.{at}"), sentence.clone()));
                    }
                    None => pieces.push(fixed(
                        format!("{NOT_RETRIEVED}{number}.{at}"),
                        format!("{sentence} [{document}]"),
                    )),
                }
            }
        }
        for (rank, (context, claims)) in (1..).zip(shown.iter().zip(by_context)) {
            if !claims.is_empty() {
                let judged = self.support(query, &claims, std::slice::from_ref(&context.text), wanted);
                // The cited document is the only context of the question.
                pieces.extend(judged.into_iter().map(|piece| Piece { context: Some(rank), ..piece }));
            }
        }
        pieces
    }

    /// The verdicts on claims, by contexts.
    pub(super) fn support(
        &self,
        query: &Query,
        claims: &[(String, String)],
        contexts: &[String],
        wanted: &mut Vec<Question>,
    ) -> Vec<Piece> {
        let task = self.metric.task();
        let mut list = material("", claims, contexts);
        let asked = format!("{task}/{}", short(&list.text));
        list.id.clone_from(&asked);
        let piece = |(id, text): &(String, String), state| Piece {
            text: text.clone(),
            people: people(task, text, contexts),
            asked: asked.clone(),
            ..Piece::new(format!("{asked}/{id}"), state)
        };
        if contexts.is_empty() {
            // Nothing supports it, and nobody need be asked.
            let lowest = if task == Task::Nuggets { 0 } else { 1 };
            return claims.iter().map(|one| piece(one, PieceState::Fixed(lowest))).collect();
        }
        let item = self.ask(task, query, list, wanted);
        let analysis = item.and_then(analysis);
        let of = |one: &(String, String)| {
            let Some(item) = item else { return piece(one, PieceState::Missing) };
            let said = item.claims.iter().flatten().find(|claim| claim.id == one.0);
            let verdict = said.and_then(|claim| claim.verdict);
            let grade = verdict.and_then(|verdict| verdict.grade(task.form()));
            let state = grade.map_or(PieceState::Abstained, PieceState::Graded);
            let context = said.and_then(|claim| claim.context);
            Piece { verdict, context, analysis: analysis.clone(), ..piece(one, state) }
        };
        claims.iter().map(of).collect()
    }
}

/// What the judge wrote with its answer, where it wrote anything.
fn analysis(item: &Item) -> Option<Arc<str>> {
    Some(item.analysis.trim()).filter(|text| !text.is_empty()).map(Arc::from)
}

/// What people are shown, and what their grades mean.
fn people(task: Task, claim: &str, contexts: &[String]) -> String {
    let shown = (1..).zip(contexts).map(|(at, text)| format!("[{at}]\n{text}"));
    let (what, grades) = match task {
        Task::Nuggets => ("Nugget", "2 = all of it is in the contexts, 1 = a part of it, 0 = nothing of it"),
        Task::Citations => {
            ("Sentence", "2 = the cited text says all of it, 1 = a part of it, 0 = nothing of it")
        }
        Task::Claims | Task::Support | Task::NuggetCreation | Task::AnswerRelevance | Task::Criterion => {
            ("Claim", "2 = the contexts support it, 1 = they do not say it, 0 = they say that it is not so")
        }
    };
    format!("{grades}\n\n{what}:\n{claim}\n\nContexts:\n{}", shown.collect::<Vec<_>>().join("\n\n"))
}

/// The reference answer of a query as a text: a list of claims has one in each line.
pub(super) fn reference_text(query: &Query) -> Option<String> {
    match query.metadata.get("reference")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

/// The nuggets of a query: texts, or `{text, vital}`, vital by default.
fn nuggets(query: &Query) -> Option<Vec<(String, String)>> {
    let list = query.metadata.get("nuggets")?.as_array().filter(|list| !list.is_empty())?;
    let nugget = |(at, one): (usize, &Value)| {
        let text = one.as_str().or_else(|| one["text"].as_str())?;
        let vital = one.get("vital").and_then(Value::as_bool).unwrap_or(true);
        Some((format!("{}{at}", if vital { 'v' } else { 'o' }), text.to_owned()))
    };
    (1..).zip(list).map(nugget).collect()
}

/// Whether what a query says of its reference answer and nuggets can be read.
///
/// # Errors
/// A reference that is neither a text nor a list of texts, nuggets that are no list of texts.
pub(crate) fn check_reference(query: &Query) -> Result<()> {
    let texts = |list: &Vec<Value>| list.iter().all(Value::is_string);
    let reference = query.metadata.get("reference").is_none_or(|value| match value {
        Value::Array(list) => texts(list),
        other => other.is_string() || other.is_null(),
    });
    let listed = query.metadata.get("nuggets").is_none_or(|value| match value {
        Value::Array(list) => list.is_empty() || nuggets(query).is_some(),
        other => other.is_null(),
    });
    match (reference, listed) {
        (true, true) => Ok(()),
        (false, _) => Err(Error::invalid(format!(
            "query `{}`: its `reference` is neither a text nor a list of claims",
            query.id
        ))),
        (_, false) => Err(Error::invalid(format!(
            "query `{}`: its `nuggets` are not a list of texts, or of `{{\"text\": ..., \"vital\": false}}`",
            query.id
        ))),
    }
}
