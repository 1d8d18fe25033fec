//! The metrics of answers: what each asks of one answer, and its value by the grades.
//!
//! - `Faithfulness`: claims of the answer that its contexts support / claims of the answer. Source: Es et al., RAGAS, EACL 2024.
//! - `ContextRecall`: claims of the reference that the contexts support / claims of the reference. Source: the same.
//! - `ContextPrecision`: mean over the relevant contexts of the precision at their ranks; a context is relevant from grade 2.
//!   Source: the same; without a relevant context it is 0.
//! - `AnswerCorrectness`: F1 of the share of the answer's claims that the reference supports and the share of the reference's that
//!   the answer supports. Source: Ru et al., RAGChecker, 2024 (overall F1).
//! - `NuggetAll`, `NuggetVital`: share of the nuggets, or of the vital ones, that the answer holds; a part counts half. Source:
//!   Pradeep et al., AutoNuggetizer (TREC RAG 2024).
//! - `CitationPrecision`: support of the citations / citations: 1 if the cited document says all of the sentence, 0.5 for a part.
//!   An answer without a citation scores 0.
//! - `CitationRecall`: support of the sentences by their best citations / sentences. Source of both: Thakur et al., Support
//!   Evaluation for the TREC 2024 RAG Track, 2025 (weighted precision and recall).
//! - `AnswerRelevance`: grade of the answer, 0 to 3, / 3.
//! - `Criterion(name)`: grade on the scale of a criterion / its highest grade.
//! - `MissedRefusal`: 1 if an unanswerable query is answered. `FalseRefusal`: 1 if the answer to any other query declines or is
//!   empty. Less is better. Source: El-Yaniv and Wiener, JMLR 11, 2010 (selective classification). No judge is asked.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::answers::Case;
use crate::error::Quoted;
use crate::question::Question;
use crate::settings::Settings;
use crate::{Error, Result};

/// The grade of a claim that is supported.
const SUPPORTED: u8 = 2;
/// The grade of a claim of which the contexts say nothing.
const UNSUPPORTED: u8 = 1;
/// The grade from which a context is relevant.
const RELEVANT: u8 = 2;

/// A metric of answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Claims of the answer that the contexts support.
    Faithfulness,
    /// How well the answer answers the query.
    AnswerRelevance,
    /// How early the relevant contexts come.
    ContextPrecision,
    /// Claims of the reference that the contexts support.
    ContextRecall,
    /// Claims that answer and reference share.
    AnswerCorrectness,
    /// Nuggets that the answer holds.
    NuggetAll,
    /// Vital nuggets that it holds.
    NuggetVital,
    /// Citations that say what their sentences say.
    CitationPrecision,
    /// Sentences that a document says which they cite.
    CitationRecall,
    /// What the answer is by a criterion of the settings.
    Criterion(String),
    /// Unanswerable queries that are answered.
    MissedRefusal,
    /// Other queries that are not.
    FalseRefusal,
}

const NAMES: [(&str, Metric); 11] = [
    ("Faithfulness", Metric::Faithfulness),
    ("AnswerRelevance", Metric::AnswerRelevance),
    ("ContextPrecision", Metric::ContextPrecision),
    ("ContextRecall", Metric::ContextRecall),
    ("AnswerCorrectness", Metric::AnswerCorrectness),
    ("NuggetAll", Metric::NuggetAll),
    ("NuggetVital", Metric::NuggetVital),
    ("CitationPrecision", Metric::CitationPrecision),
    ("CitationRecall", Metric::CitationRecall),
    ("MissedRefusal", Metric::MissedRefusal),
    ("FalseRefusal", Metric::FalseRefusal),
];

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(name) = text.strip_prefix("Criterion(").and_then(|rest| rest.strip_suffix(')')) {
            return Ok(Self::Criterion(name.to_owned()));
        }
        let known = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        known.map(|(_, metric)| metric.clone()).ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            Error::invalid(format!(
                "no metric of answers is called {}; known are {}, Criterion(name)",
                Quoted(text),
                names.join(", ")
            ))
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Criterion(name) => write!(f, "Criterion({name})"),
            other => {
                f.write_str(NAMES.iter().find(|(_, metric)| metric == other).map_or("", |(name, _)| name))
            }
        }
    }
}

impl Metric {
    /// The name of its file: `answer-relevance`, and `brief` of `Criterion(brief)`.
    pub fn file_stem(&self) -> String {
        if let Self::Criterion(name) = self {
            return name.clone();
        }
        let mut stem = String::new();
        for letter in self.to_string().chars() {
            if letter.is_uppercase() && !stem.is_empty() {
                stem.push('-');
            }
            stem.extend(letter.to_lowercase());
        }
        stem
    }

    /// Whether a judge has a part in it.
    pub(crate) fn asks_a_judge(&self) -> bool {
        !matches!(self, Self::MissedRefusal | Self::FalseRefusal)
    }

    /// Whether the answer's text has a part in it.
    fn is_of_texts(&self) -> bool {
        !matches!(
            self,
            Self::ContextPrecision | Self::ContextRecall | Self::MissedRefusal | Self::FalseRefusal
        )
    }
}

/// What is known of a question.
pub(crate) enum Found {
    Grade(u8),
    Claims(Vec<String>),
    /// The judge cannot tell.
    Unknown,
    /// Its reply could not be used.
    Failed,
    /// It was not answered yet.
    Missing,
}

/// Who knows: the judge's file, or people's.
pub(crate) trait Source {
    fn find(&self, question: &Question) -> Found;
}

/// The value of a metric for one answer, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Score(f64),
    /// The query is in no mean of the metric.
    Excluded(&'static str),
    /// The judge cannot tell.
    Unknown,
    /// A reply could not be used.
    Failed,
    /// Questions are left to ask.
    Missing,
}

/// A metric, looked up for one answer.
pub(crate) struct Look {
    pub(crate) outcome: Outcome,
    /// All questions that it rests on, as far as they are known.
    pub(crate) questions: Vec<Question>,
    pub(crate) missing: Vec<Question>,
}

struct Looking<'a> {
    source: &'a dyn Source,
    settings: &'a Settings,
    case: &'a Case,
    questions: Vec<Question>,
    missing: Vec<Question>,
    is_unknown: bool,
    is_failed: bool,
}

/// Looks a metric up.
///
/// # Errors
/// Answers or queries that do not have what the metric needs in a form that can be read.
pub(crate) fn look(metric: &Metric, case: &Case, settings: &Settings, source: &dyn Source) -> Result<Look> {
    let (questions, missing) = (Vec::new(), Vec::new());
    let mut looking =
        Looking { source, settings, case, questions, missing, is_unknown: false, is_failed: false };
    let value = looking.value(metric)?;
    let outcome = match value {
        Err(why) => Outcome::Excluded(why),
        Ok(_) if !looking.missing.is_empty() => Outcome::Missing,
        Ok(_) if looking.is_failed => Outcome::Failed,
        Ok(_) if looking.is_unknown => Outcome::Unknown,
        Ok(value) => Outcome::Score(value),
    };
    Ok(Look { outcome, questions: looking.questions, missing: looking.missing })
}

impl Looking<'_> {
    fn value(&mut self, metric: &Metric) -> Result<Result<f64, &'static str>> {
        let case = self.case;
        let Case { query, answer, .. } = case;
        let (text, asked) = (answer.text.trim(), query.text.clone());
        let is_silent = answer.declined || text.is_empty();
        match (metric, query.is_unanswerable()) {
            (Metric::MissedRefusal, true) => return Ok(Ok(f64::from(u8::from(!is_silent)))),
            (Metric::FalseRefusal, false) => return Ok(Ok(f64::from(u8::from(is_silent)))),
            (Metric::MissedRefusal, false) => return Ok(Err("answerable")),
            (_, true) => return Ok(Err("unanswerable")),
            (_, false) => {}
        }
        if metric.is_of_texts() && answer.declined {
            return Ok(Err("declined"));
        }
        let contexts = self.contexts();
        Ok(Ok(match metric {
            Metric::Faithfulness => {
                let claims = self.claims(text);
                self.support(claims, &contexts)
            }
            Metric::ContextRecall => match self.reference()? {
                Some(claims) => self.support(claims, &contexts),
                None => return Ok(Err("without a reference")),
            },
            Metric::ContextPrecision => {
                let grade = |text: String| match text.trim().is_empty() {
                    true => 0,
                    false => self.grade(Question::Relevance { query: asked.clone(), document: text }),
                };
                let texts = case.contexts.iter().map(|(_, text)| text.clone());
                average_precision(&texts.map(grade).map(|grade| grade >= RELEVANT).collect::<Vec<_>>())
            }
            Metric::AnswerCorrectness => {
                let Some(reference) = self.reference()? else { return Ok(Err("without a reference")) };
                if text.is_empty() {
                    return Ok(Ok(0.0));
                }
                let whole = reference_text(query).unwrap_or_default();
                let claims = self.claims(text);
                let precision = self.support(claims, &[whole]);
                let recall = self.support(reference, &[text.to_owned()]);
                if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
            }
            Metric::NuggetAll | Metric::NuggetVital => {
                let vital_alone = *metric == Metric::NuggetVital;
                let nuggets = nuggets(query)?.into_iter().filter(|(_, vital)| *vital || !vital_alone);
                let grade = |(nugget, _): (String, bool)| match text.is_empty() {
                    true => 0,
                    false => self.grade(Question::Nugget { nugget, text: text.to_owned() }),
                };
                let grades: Vec<u8> = nuggets.map(grade).collect();
                if grades.is_empty() {
                    return Ok(Err("without nuggets"));
                }
                mean(grades.into_iter().map(part))
            }
            Metric::CitationPrecision | Metric::CitationRecall => {
                self.citations(*metric == Metric::CitationRecall)?
            }
            Metric::AnswerRelevance if text.is_empty() => 0.0,
            Metric::AnswerRelevance => {
                f64::from(self.grade(Question::AnswerRelevance { query: asked, answer: text.to_owned() }))
                    / 3.0
            }
            Metric::Criterion(_) if text.is_empty() => 0.0,
            Metric::Criterion(name) => {
                let criterion = self.settings.criterion(name)?;
                let reference = match criterion.shows("reference") {
                    true => match reference_text(query) {
                        None => return Ok(Err("without a reference")),
                        reference => reference,
                    },
                    false => None,
                };
                let question = Question::Criterion {
                    name: name.clone(),
                    query: asked,
                    answer: text.to_owned(),
                    contexts: criterion.shows("contexts").then_some(contexts),
                    reference,
                };
                f64::from(self.grade(question)) / f64::from(criterion.highest())
            }
            Metric::MissedRefusal | Metric::FalseRefusal => return Ok(Err("unanswerable")),
        }))
    }

    /// The texts of the contexts. One without a text supports nothing, and is not sent.
    fn contexts(&self) -> Vec<String> {
        let texts = self.case.contexts.iter().map(|(_, text)| text.clone());
        texts.filter(|text| !text.trim().is_empty()).collect()
    }

    fn find(&mut self, question: Question) -> Found {
        let found = self.source.find(&question);
        match found {
            Found::Missing => self.missing.push(question.clone()),
            Found::Unknown => self.is_unknown = true,
            Found::Failed => self.is_failed = true,
            Found::Grade(_) | Found::Claims(_) => {}
        }
        self.questions.push(question);
        found
    }

    /// The grade of a question; any number where there is none, since the value then counts for nothing.
    fn grade(&mut self, question: Question) -> u8 {
        match self.find(question) {
            Found::Grade(grade) => grade,
            Found::Claims(_) | Found::Unknown | Found::Failed | Found::Missing => 0,
        }
    }

    /// The claims of a text.
    fn claims(&mut self, text: &str) -> Vec<String> {
        if text.is_empty() {
            self.is_unknown = true;
            return Vec::new();
        }
        match self.find(Question::Claims { query: self.case.query.text.clone(), text: text.to_owned() }) {
            Found::Claims(claims) => claims,
            Found::Grade(_) | Found::Unknown | Found::Failed | Found::Missing => Vec::new(),
        }
    }

    /// The share of claims that contexts support; nobody knows it of no claims.
    fn support(&mut self, claims: Vec<String>, contexts: &[String]) -> f64 {
        let grade = |claim: String| match contexts.is_empty() {
            true => UNSUPPORTED,
            false => self.grade(Question::Support { claim, contexts: contexts.to_vec() }),
        };
        let grades: Vec<u8> = claims.into_iter().map(grade).collect();
        if grades.is_empty() {
            self.is_unknown = true;
            return 0.0;
        }
        mean(grades.into_iter().map(|grade| f64::from(u8::from(grade == SUPPORTED))))
    }

    /// The claims of the reference: those that the query lists, or those of its text; `None` without one.
    fn reference(&mut self) -> Result<Option<Vec<String>>> {
        let query = &self.case.query;
        match query.metadata.get("reference") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(self.claims(text.trim()))),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                Ok(Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect()))
            }
            Some(_) => {
                let id = Quoted(&query.id);
                Err(Error::invalid(format!(
                    "query {id}: its `reference` is neither a text nor a list of claims"
                )))
            }
        }
    }

    fn citations(&mut self, by_sentence: bool) -> Result<f64> {
        let Case { query, answer, contexts } = self.case;
        let Some(sentences) = &answer.citations else {
            if answer.text.trim().is_empty() {
                return Ok(0.0);
            }
            return Err(Error::invalid(format!(
                "the answer to query {} has no `citations`: name the documents that each of its sentences cites, as in \
                 `[{{\"sentence\": \"...\", \"documents\": [\"d1\"]}}]`",
                Quoted(&query.id)
            )));
        };
        let (mut all, mut best) = (Vec::new(), Vec::new());
        for one in sentences {
            let grade = |document: &String| {
                let text = contexts.iter().find(|(id, _)| id == document).map(|(_, text)| text.clone());
                // A document that the model was not given, or that has no text, says nothing.
                let text = text.filter(|text| !text.trim().is_empty());
                text.map_or(0, |document| {
                    self.grade(Question::Citation { sentence: one.sentence.clone(), document })
                })
            };
            let grades: Vec<f64> = one.documents.iter().map(grade).map(part).collect();
            best.push(grades.iter().copied().fold(0.0, f64::max));
            all.extend(grades);
        }
        Ok(mean(if by_sentence { best } else { all }.into_iter()))
    }
}

/// All of it is 1, a part is 0.5.
fn part(grade: u8) -> f64 {
    f64::from(grade.min(2)) / 2.0
}

/// The mean; 0 of nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

fn average_precision(relevant: &[bool]) -> f64 {
    let mut found = 0_usize;
    let precision = (1_usize..).zip(relevant).filter(|(_, is_relevant)| **is_relevant).map(|(rank, _)| {
        found += 1;
        found as f64 / rank as f64
    });
    mean(precision)
}

/// The reference answer of a query as a text: a list of claims has one in each line.
fn reference_text(query: &rankgate::Query) -> Option<String> {
    match query.metadata.get("reference")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

/// The nuggets of a query, and whether each is vital: texts, or `{text, vital}`.
fn nuggets(query: &rankgate::Query) -> Result<Vec<(String, bool)>> {
    let wrong = || {
        Error::invalid(format!(
            "query {}: its `nuggets` are not a list of texts, or of `{{\"text\": ..., \"vital\": false}}`",
            Quoted(&query.id)
        ))
    };
    let list = match query.metadata.get("nuggets") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong()),
    };
    let nugget = |one: &Value| {
        let text = one.as_str().or_else(|| one["text"].as_str())?;
        Some((text.to_owned(), one.get("vital").and_then(Value::as_bool).unwrap_or(true)))
    };
    list.iter().map(|one| nugget(one).ok_or_else(wrong)).collect()
}

#[cfg(test)]
mod tests {
    use rankgate::Query;
    use rankgate::retriever::{Answer, CitedSentence};
    use serde_json::json;

    use super::*;

    /// A judge that finds a claim in each sentence, and takes the grade from the first digit of what it is asked about.
    struct Digits;

    impl Source for Digits {
        fn find(&self, question: &Question) -> Found {
            match question {
                Question::Claims { text, .. } => Found::Claims(text.split(". ").map(str::to_owned).collect()),
                other => match other.about().chars().find_map(|c| c.to_digit(10)) {
                    Some(9) => Found::Unknown,
                    Some(digit) => Found::Grade(u8::try_from(digit).unwrap()),
                    None => Found::Missing,
                },
            }
        }
    }

    fn case(answer: Answer, contexts: &[&str]) -> Case {
        let contexts = (1..).zip(contexts).map(|(at, text)| (format!("d{at}"), (*text).to_owned()));
        Case { query: Query::new("q1", "asked"), answer, contexts: contexts.collect() }
    }

    fn outcome(metric: &str, case: &Case) -> Outcome {
        let mut settings = Settings::of_model("tiny");
        let brief =
            serde_json::from_value(json!({"question": "Is it brief?", "scale": ["no", "partly", "yes"]}));
        settings.criteria.insert("brief".to_owned(), brief.unwrap());
        look(&metric.parse().unwrap(), case, &settings, &Digits).unwrap().outcome
    }

    fn score(metric: &str, case: &Case) -> f64 {
        match outcome(metric, case) {
            Outcome::Score(score) => score,
            other => panic!("{metric}: {other:?}"),
        }
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    /// Worked by hand; nuggets and citations are those of nuggetizer 0.0.5 and of TREC 2024's support evaluation.
    #[test]
    fn worked_values() {
        close(score("Faithfulness", &case(Answer::new("a2. b1. c0. d2"), &["x"])), 0.5);
        close(score("AnswerRelevance", &case(Answer::new("a2"), &[])), 2.0 / 3.0);
        close(score("Criterion(brief)", &case(Answer::new("a1"), &[])), 0.5);
        // Relevant at ranks 2 and 3 of 4: (1/2 + 2/3) / 2.
        close(score("ContextPrecision", &case(Answer::new("a"), &["x1", "x2", "x3", ""])), 7.0 / 12.0);
        let mut one = case(Answer::new("a2. b1"), &["x"]);
        // Precision 1/2 and recall 2/3.
        one.query.metadata.insert("reference".into(), json!(["r2", "s2", "t0"]));
        close(score("AnswerCorrectness", &one), 4.0 / 7.0);
        close(score("ContextRecall", &one), 2.0 / 3.0);
        let okay = |text: &str| json!({"text": text, "vital": false});
        one.query.metadata.insert("nuggets".into(), json!(["v2", "w1", okay("o0"), okay("p2")]));
        close(score("NuggetAll", &one), 0.625);
        close(score("NuggetVital", &one), 0.75);
    }

    #[test]
    fn citations_of_documents_that_were_not_given_say_nothing() {
        let cited = [
            CitedSentence::new("A2", ["d1", "d9"]),
            CitedSentence::new("B1", ["d2"]),
            CitedSentence::new("C0", ["d1"]),
            CitedSentence::new("D", [""; 0]),
        ];
        let one = case(Answer::new("A2 B1 C0 D").with_citations(cited), &["x", "y"]);
        // (1 + 0 + 1/2 + 0) / 4, and (1 + 1/2 + 0 + 0) / 4.
        close(score("CitationPrecision", &one), 0.375);
        close(score("CitationRecall", &one), 0.375);
        let none = case(Answer::new("A").with_citations([CitedSentence::new("A", [""; 0])]), &["x"]);
        close(score("CitationPrecision", &none), 0.0);
        let unsaid =
            look(&Metric::CitationRecall, &case(Answer::new("A"), &[]), &Settings::of_model("m"), &Digits);
        assert!(unsaid.err().unwrap().to_string().contains("has no `citations`"));
    }

    /// A judge that supports everything, and contexts of which four of five are empty.
    #[test]
    fn empty_contexts_support_nothing_and_are_not_sent() {
        let score = |contexts: &[&str]| {
            let mut one = case(Answer::new("a"), contexts);
            one.query.metadata.insert("reference".into(), json!(["r2"]));
            score("ContextRecall", &one)
        };
        let all = [score(&["text"]), score(&[""]), score(&[" \n"]), score(&[]), score(&["", "\t"])];
        close(all.iter().sum::<f64>() / 5.0, 0.2);
    }

    #[test]
    fn what_is_not_known_is_no_number() {
        assert_eq!(outcome("Faithfulness", &case(Answer::new("a2. b9"), &["x"])), Outcome::Unknown);
        assert_eq!(outcome("Faithfulness", &case(Answer::new("a2. b"), &["x"])), Outcome::Missing);
        assert_eq!(outcome("Faithfulness", &case(Answer::new(""), &["x"])), Outcome::Unknown);
        assert_eq!(
            outcome("Faithfulness", &case(Answer::new("no").declined(), &["x"])),
            Outcome::Excluded("declined")
        );
        assert_eq!(
            outcome("ContextRecall", &case(Answer::new("a"), &["x"])),
            Outcome::Excluded("without a reference")
        );
        assert_eq!(
            outcome("NuggetAll", &case(Answer::new("a"), &["x"])),
            Outcome::Excluded("without nuggets")
        );
    }

    #[test]
    fn refusals_need_no_judge() {
        let (said, declined) = (Answer::new("a"), Answer::new("I do not know").declined());
        let unanswerable = |answer: &Answer| {
            let mut one = case(answer.clone(), &[]);
            one.query.metadata.insert("unanswerable".into(), true.into());
            one
        };
        close(score("MissedRefusal", &unanswerable(&said)), 1.0);
        close(score("MissedRefusal", &unanswerable(&declined)), 0.0);
        close(score("FalseRefusal", &case(said.clone(), &[])), 0.0);
        close(score("FalseRefusal", &case(declined, &[])), 1.0);
        close(score("FalseRefusal", &case(Answer::new(" "), &[])), 1.0);
        assert_eq!(outcome("FalseRefusal", &unanswerable(&said)), Outcome::Excluded("unanswerable"));
        assert_eq!(outcome("MissedRefusal", &case(said, &[])), Outcome::Excluded("answerable"));
    }

    #[test]
    fn names_are_read_in_any_case_and_suggested() {
        assert_eq!("faithfulness".parse::<Metric>().unwrap().to_string(), "Faithfulness");
        assert_eq!("Criterion(brief)".parse::<Metric>().unwrap().file_stem(), "brief");
        assert_eq!(Metric::AnswerRelevance.file_stem(), "answer-relevance");
        assert!("nDCG".parse::<Metric>().unwrap_err().to_string().contains("known are Faithfulness"));
    }
}
