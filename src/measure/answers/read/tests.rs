//! Answers made by hand, in every state, and what metrics make of them.

use std::collections::BTreeMap;

use serde_json::json;

use super::look::*;
use crate::analysis::{Piece, PieceState, ShownContext};
use crate::collection::{CollectionBuilder, Document, Query};
use crate::evaluation::{Evaluation, Judging};
use crate::gate::{Longer, Reply};
use crate::judge::{
    Claim, Description, Documents, Item, JudgmentsFile, PARSER, PEOPLE, State, Support, Task, material,
    sha256,
};
use crate::measure::answers::counts::{Counts, Exclusion};
use crate::metric::Metric;
use crate::retriever::said::Answer;
use crate::run::{Hit, Run};

fn describe(task: Task) -> crate::Result<Description> {
    Ok(Description {
        confidence: false,
        documents: Documents { fields: vec!["text".into()], longer: Longer::Error, longest: 6000 },
        form: task.form(),
        model: "tiny".into(),
        parameters: BTreeMap::new(),
        parser: PARSER,
        prompt: task.prompt().into(),
        prompt_name: task.as_str().into(),
        reply: Reply::JsonSchema,
        samples: 1,
        scale: [0, 2],
        writes: None,
        criterion: None,
        jury: None,
    })
}

/// A judgments file that is filled by what it is asked.
#[derive(Default)]
struct File(JudgmentsFile);

fn query() -> Query {
    Query::new("q1", "what is the fee?")
}

impl File {
    fn keep(&mut self, task: Task, document: &Document, claims: Option<Vec<Claim>>, grade: Option<u8>) {
        let judge = self.0.describe(describe(task).unwrap());
        let query = query();
        self.0.insert(Item {
            analysis: String::new(),
            state: if claims.is_some() || grade.is_some() { State::Graded } else { State::Unparseable },
            claims,
            confidence: None,
            document: document.id.clone(),
            document_sha256: sha256(document.text.as_bytes()),
            grade,
            grades: Vec::new(),
            judge,
            query: query.id,
            query_sha256: sha256(query.text.as_bytes()),
            served: None,
            tokens: None,
        });
    }

    /// What a text claims.
    fn claims(&mut self, text: &str, claims: Option<&[&str]>) {
        let document = Document::new(format!("claims/{}", &sha256(text.as_bytes())[..12]), text);
        let claim = |(at, text): (usize, &&str)| Claim {
            context: None,
            id: format!("c{at}"),
            text: Some((*text).to_owned()),
            verdict: None,
        };
        self.keep(Task::Claims, &document, claims.map(|all| (1..).zip(all).map(claim).collect()), None);
    }

    /// What is said of claims in contexts.
    fn support(&mut self, task: Task, claims: &[(&str, &str)], contexts: &[&str], said: Option<&[Support]>) {
        let claims: Vec<(String, String)> =
            claims.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
        let contexts: Vec<String> = contexts.iter().map(|&text| text.to_owned()).collect();
        let mut list = material("", &claims, &contexts);
        let id = format!("{task}/{}", &sha256(list.text.as_bytes())[..12]);
        list.id.clone_from(&id);
        let claim = |((id, _), verdict): (&(String, String), &Support)| Claim {
            context: Some(1),
            id: id.clone(),
            text: None,
            verdict: Some(*verdict),
        };
        let said = said.map(|said| claims.iter().zip(said).map(claim).collect());
        self.keep(task, &list, said, None);
    }

    fn look(&self, metric: &str, query: &Query, answer: Option<&Answer>, contexts: &[&str]) -> Look {
        let shown: Vec<ShownContext> = (1..)
            .zip(contexts)
            .map(|(at, text)| ShownContext { id: format!("d{at}"), text: (*text).to_owned() })
            .collect();
        Looker::new(&self.0, &metric.parse().unwrap(), describe).unwrap().look(query, answer, &shown)
    }

    /// The score with what has no grade taken for 0, and for the highest; nothing where the query is left out.
    fn scores(
        &self,
        metric: &str,
        query: &Query,
        answer: &Answer,
        contexts: &[&str],
    ) -> Result<[f64; 2], Exclusion> {
        let pieces = self.look(metric, query, Some(answer), contexts).pieces?;
        let metric: Metric = metric.parse().unwrap();
        let of = |abstained: i32| {
            let grade = |piece: &Piece| match piece.state {
                PieceState::Fixed(grade) | PieceState::Graded(grade) => i32::from(grade),
                PieceState::Abstained => abstained,
                PieceState::Missing => panic!("{} was not asked", piece.asked),
            };
            let mut builder = CollectionBuilder::new();
            builder.add_query(
                Query::new("q1", ""),
                pieces.iter().map(|piece| (piece.id.as_str(), grade(piece))),
            );
            builder.add_query(Query::new("q0", ""), [("other", 1)]);
            let hits = pieces.iter().map(|piece| Hit::new(&piece.id, 1.0)).collect();
            let run = Run::from_rankings([("q1", hits)]).unwrap();
            let all = Evaluation::of_passes(&builder.build().unwrap(), Judging::default(), vec![run])
                .unwrap()
                .of_claims();
            all.keeping(|query| query.id == "q1" || pieces.is_empty()).unwrap().scores(&metric).unwrap()[0]
        };
        Ok([of(0), of(3)])
    }
}

use Support::{CannotTell, Contradicted, Partial, Supported, Unsupported};

const TEXT: &str = "It is 5 EUR, and we are glad to help.";

#[test]
fn faithfulness_is_the_share_of_claims_that_the_contexts_support() {
    let mut file = File::default();
    file.claims(TEXT, Some(&["It is 5 EUR.", "It is due today.", "It is waived.", "It is new."]));
    let claims =
        [("a1", "It is 5 EUR."), ("a2", "It is due today."), ("a3", "It is waived."), ("a4", "It is new.")];
    file.support(
        Task::Support,
        &claims,
        &["The fee is 5 EUR."],
        Some(&[Supported, Unsupported, Contradicted, CannotTell]),
    );
    let score = |answer: &Answer, contexts: &[&str]| file.scores("Faithfulness", &query(), answer, contexts);
    // One of four, and one of which nothing is known.
    assert_eq!(score(&Answer::new(TEXT), &["The fee is 5 EUR."]), Ok([0.25, 0.5]));
    // Who says that they do not know has made no claim: neither faithful nor not.
    assert_eq!(score(&Answer::new("I do not know.").declined(), &[]), Err(Exclusion::Declined));
    let look = file.look("Faithfulness", &query(), Some(&Answer::new(TEXT)), &["The fee is 5 EUR."]);
    let mut counts = Counts::default();
    look.pieces.unwrap().iter().for_each(|piece| counts.add(piece));
    assert_eq!(
        [counts.claims, counts.supported, counts.unsupported, counts.contradicted, counts.abstained],
        [4, 1, 1, 1, 1]
    );
}

#[test]
fn an_empty_list_is_neither_0_nor_1() {
    let mut file = File::default();
    file.claims("Glad to help.", Some(&[]));
    let score =
        |text: &str| file.scores("Faithfulness", &query(), &Answer::new(text), &["The fee is 5 EUR."]);
    assert_eq!(score("Glad to help."), Ok([0.0, 1.0]));
    // An answer of nothing has no claims either, and nobody is asked about it.
    assert_eq!(score(""), Ok([0.0, 1.0]));
    let empty = query().with("reference", json!([]));
    assert_eq!(file.scores("ContextRecall", &empty, &Answer::new("a"), &["b"]), Ok([0.0, 1.0]));
}

#[test]
fn nothing_that_failed_leaves_the_mean() {
    let mut file = File::default();
    file.claims("No list came of this.", None);
    file.claims(TEXT, Some(&["It is 5 EUR."]));
    file.support(Task::Support, &[("a1", "It is 5 EUR.")], &["The fee is 5 EUR."], None);
    let score =
        |text: &str| file.scores("Faithfulness", &query(), &Answer::new(text), &["The fee is 5 EUR."]);
    assert_eq!(score("No list came of this."), Ok([0.0, 1.0]));
    assert_eq!(score(TEXT), Ok([0.0, 1.0]));
    // What was not asked is missing, which is no score at all.
    let look = file.look("Faithfulness", &query(), Some(&Answer::new("Another.")), &["The fee is 5 EUR."]);
    assert_eq!(look.pieces.unwrap()[0].state, PieceState::Missing);
    assert_eq!(look.wanted.len(), 1);
    let other = file.look("Faithfulness", &query(), Some(&Answer::new(TEXT)), &["The fee is 6 EUR."]);
    assert_eq!(other.pieces.unwrap()[0].state, PieceState::Missing);
}

#[test]
fn context_recall_never_takes_its_denominator_from_what_was_retrieved() {
    let mut file = File::default();
    let asked = query().with("reference", json!(["It is 5 EUR.", "It is due today.", "It is new."]));
    let claims = [("r1", "It is 5 EUR."), ("r2", "It is due today."), ("r3", "It is new.")];
    // The first context holds one claim, all three of them two; the reference has three whatever was retrieved.
    file.support(Task::Support, &claims, &["a"], Some(&[Supported, Unsupported, Unsupported]));
    file.support(Task::Support, &claims, &["a", "b", "c"], Some(&[Supported, Supported, Unsupported]));
    let score = |metric, contexts: &[&str]| file.scores(metric, &asked, &Answer::new(TEXT), contexts);
    assert_eq!(score("ContextRecall@1", &["a", "b", "c"]), Ok([1.0 / 3.0; 2]));
    assert_eq!(score("ContextRecall@3", &["a", "b", "c"]), Ok([2.0 / 3.0; 2]));
    assert_eq!(score("ContextRecall", &["a", "b", "c"]), Ok([2.0 / 3.0; 2]));
    let none = file.scores("ContextRecall", &query(), &Answer::new(TEXT), &["a"]);
    assert_eq!(none, Err(Exclusion::NoReference));
}

#[test]
fn an_empty_retrieval_is_zero() {
    let file = File::default();
    let asked = query().with("reference", json!(["It is 5 EUR."])).with("nuggets", json!(["5 EUR"]));
    for metric in ["ContextRecall", "ContextRecall@5", "NuggetRecall@5"] {
        assert_eq!(file.scores(metric, &asked, &Answer::new(TEXT), &[]), Ok([0.0; 2]), "{metric}");
    }
}

#[test]
fn nuggets_weigh_by_what_they_are_to_an_answer() {
    let mut file = File::default();
    let nuggets = json!([{"text": "5 EUR", "vital": true}, {"text": "a card", "vital": false}, "today"]);
    let asked = query().with("nuggets", nuggets);
    let claims = [("v1", "5 EUR"), ("o2", "a card"), ("v3", "today")];
    file.support(Task::Nuggets, &claims, &["a"], Some(&[Supported, Unsupported, Partial]));
    // (1 + 0 + 1/2) / (1 + 1/2 + 1)
    assert_eq!(file.scores("NuggetRecall", &asked, &Answer::default(), &["a"]), Ok([0.6; 2]));
    let odd = query().with("nuggets", json!([{"vital": true}]));
    assert!(check_reference(&odd).unwrap_err().to_string().contains("query `q1`: its `nuggets`"));
    let odd = query().with("reference", json!(7));
    assert!(check_reference(&odd).unwrap_err().to_string().contains("query `q1`: its `reference`"));
    assert!(check_reference(&asked).is_ok());
}

#[test]
fn correctness_is_what_answer_and_reference_share() {
    let mut file = File::default();
    let asked = query().with("reference", "The fee is 5 EUR. It is due today. Cards do.");
    file.claims("The fee is 5 EUR. It is due today. Cards do.", Some(&["Fee 5", "Due today", "Cards do"]));
    file.claims(TEXT, Some(&["It is 5 EUR.", "It is new."]));
    let said = [("a1", "It is 5 EUR."), ("a2", "It is new.")];
    let reference = ["The fee is 5 EUR. It is due today. Cards do."];
    file.support(Task::Support, &said, &reference, Some(&[Supported, Unsupported]));
    let wanted = [("r1", "Fee 5"), ("r2", "Due today"), ("r3", "Cards do")];
    file.support(Task::Support, &wanted, &[TEXT], Some(&[Supported, Unsupported, CannotTell]));
    let scores = file.scores("AnswerCorrectness", &asked, &Answer::new(TEXT), &[]).unwrap();
    // Of 1/2 and 1/3; of 1/2 and 2/3.
    assert!((scores[0] - 0.4).abs() < 1e-12 && (scores[1] - 4.0 / 7.0).abs() < 1e-12, "{scores:?}");
    assert_eq!(file.scores("AnswerCorrectness", &asked, &Answer::new(" "), &[]), Ok([0.0; 2]));
    let none = file.scores("AnswerCorrectness", &query(), &Answer::new(TEXT), &[]);
    assert_eq!(none, Err(Exclusion::NoReference));
}

#[test]
fn an_answer_is_one_to_the_query_or_not() {
    let mut file = File::default();
    let grade = |file: &mut File, text: &str, grade| {
        let document = Document::new(format!("answer/{}", &sha256(text.as_bytes())[..12]), text);
        file.keep(Task::AnswerRelevance, &document, None, grade);
    };
    grade(&mut file, TEXT, Some(2));
    grade(&mut file, "Hm.", None);
    let score = |answer: Answer| file.scores("AnswerRelevance", &query(), &answer, &[]);
    assert_eq!(score(Answer::new(TEXT)), Ok([2.0 / 3.0; 2]));
    assert_eq!(score(Answer::new("Hm.")), Ok([0.0, 1.0]));
    assert_eq!(score(Answer::new("")), Ok([0.0; 2]));
    assert_eq!(score(Answer::new("I do not know.").declined()), Err(Exclusion::Declined));
    // A whole answer has a grade and no verdict.
    let look = file.look("AnswerRelevance", &query(), Some(&Answer::new(TEXT)), &[]);
    let mut counts = Counts::default();
    look.pieces.unwrap().iter().for_each(|piece| counts.add(piece));
    assert_eq!(counts, Counts { claims: 1, ..Counts::default() });
}

/// A query whose answer, reference and nuggets were asked about, in all that may be said of a claim.
fn everything() -> (File, Query) {
    let mut file = File::default();
    let nuggets = json!(["5 EUR", {"text": "a card", "vital": false}, "today", "by noon"]);
    let asked = query().with("reference", "5 EUR, today.").with("nuggets", nuggets);
    file.claims(TEXT, Some(&["5 EUR", "waived", "new", "glad"]));
    file.claims("5 EUR, today.", Some(&["5 EUR", "today"]));
    file.claims("Glad to help.", Some(&[]));
    file.claims("No list.", None);
    let answer = [("a1", "5 EUR"), ("a2", "waived"), ("a3", "new"), ("a4", "glad")];
    let reference = [("r1", "5 EUR"), ("r2", "today")];
    let all = [Supported, Contradicted, Unsupported, CannotTell];
    file.support(Task::Support, &answer, &["a", "b"], Some(&all));
    file.support(Task::Support, &reference, &["a"], Some(&[Contradicted, Unsupported]));
    file.support(Task::Support, &reference, &["a", "b"], Some(&[Supported, CannotTell]));
    file.support(Task::Support, &answer, &["5 EUR, today."], Some(&all));
    file.support(Task::Support, &answer, &["Glad to help."], Some(&[Unsupported; 4]));
    file.support(Task::Support, &reference, &[TEXT], Some(&[Supported, Contradicted]));
    for text in ["Glad to help.", "No list."] {
        file.support(Task::Support, &reference, &[text], Some(&[Unsupported; 2]));
    }
    let facts = [("v1", "5 EUR"), ("o2", "a card"), ("v3", "today"), ("v4", "by noon")];
    file.support(Task::Nuggets, &facts, &["a"], Some(&[Partial, Supported, Unsupported, Partial]));
    file.support(Task::Nuggets, &facts, &["a", "b"], Some(&[Supported, Partial, Unsupported, CannotTell]));
    (file, asked)
}

#[test]
fn every_metric_in_every_state() {
    let (file, asked) = everything();
    let empty = || query().with("reference", "Glad to help.");
    let answer = || Answer::new(TEXT);
    let declined = || Answer::new("I do not know.").declined();
    let both = &["a", "b"][..];
    // By hand: what has no verdict taken for 0, and for the highest.
    for (metric, asked, answer, contexts, expected) in [
        // Four claims, one of them supported; contradicted and not there alike are not; of the last nobody can tell.
        ("Faithfulness", &asked, answer(), both, Ok([1.0 / 4.0, 2.0 / 4.0])),
        ("Faithfulness", &asked, answer(), &[], Ok([0.0; 2])),
        ("Faithfulness", &query(), answer(), both, Ok([1.0 / 4.0, 2.0 / 4.0])),
        ("Faithfulness", &asked, Answer::new("Glad to help."), both, Ok([0.0, 1.0])),
        ("Faithfulness", &asked, Answer::new("No list."), both, Ok([0.0, 1.0])),
        ("Faithfulness", &asked, Answer::new(""), both, Ok([0.0, 1.0])),
        ("Faithfulness", &asked, declined(), both, Err(Exclusion::Declined)),
        // Two claims of the reference, whatever was retrieved and answered.
        ("ContextRecall", &asked, answer(), both, Ok([1.0 / 2.0, 2.0 / 2.0])),
        ("ContextRecall@1", &asked, answer(), both, Ok([0.0; 2])),
        ("ContextRecall", &asked, answer(), &[], Ok([0.0; 2])),
        ("ContextRecall", &asked, Answer::new(""), both, Ok([1.0 / 2.0, 2.0 / 2.0])),
        ("ContextRecall", &asked, declined(), both, Ok([1.0 / 2.0, 2.0 / 2.0])),
        ("ContextRecall", &empty(), answer(), both, Ok([0.0, 1.0])),
        ("ContextRecall", &query(), answer(), both, Err(Exclusion::NoReference)),
        // Weights 1, 1/2, 1, 1: found are 1 + 1/2 * 1/2, and 1 more at best.
        ("NuggetRecall", &asked, answer(), both, Ok([1.25 / 3.5, 2.25 / 3.5])),
        // Half of the first, the whole okay one, half of the last: 1/2 + 1/2 + 1/2.
        ("NuggetRecall@1", &asked, answer(), both, Ok([1.5 / 3.5; 2])),
        ("NuggetRecall", &asked, answer(), &[], Ok([0.0; 2])),
        ("NuggetRecall", &asked, declined(), both, Ok([1.25 / 3.5, 2.25 / 3.5])),
        ("NuggetRecall", &query(), answer(), both, Err(Exclusion::NoNuggets)),
        ("NuggetRecall", &query().with("nuggets", json!([])), answer(), both, Err(Exclusion::NoNuggets)),
        // Precision 1/4 or 2/4, recall 1/2: 2 * 1/4 * 1/2 / (3/4), and 2 * 1/2 * 1/2 / 1.
        ("AnswerCorrectness", &asked, answer(), both, Ok([1.0 / 3.0, 1.0 / 2.0])),
        ("AnswerCorrectness", &asked, answer(), &[], Ok([1.0 / 3.0, 1.0 / 2.0])),
        ("AnswerCorrectness", &asked, Answer::new(""), both, Ok([0.0; 2])),
        // No claim of the reference is in it, so that its own cannot help: 2 * 1 * 0 / 1 at best.
        ("AnswerCorrectness", &asked, Answer::new("Glad to help."), both, Ok([0.0; 2])),
        ("AnswerCorrectness", &asked, Answer::new("No list."), both, Ok([0.0; 2])),
        ("AnswerCorrectness", &empty(), answer(), both, Ok([0.0; 2])),
        ("AnswerCorrectness", &asked, declined(), both, Err(Exclusion::Declined)),
        ("AnswerCorrectness", &query(), answer(), both, Err(Exclusion::NoReference)),
    ] {
        let scores = file.scores(metric, asked, &answer, contexts);
        let same = match (scores, expected) {
            (Ok(scores), Ok(expected)) => scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
            (scores, expected) => scores == expected,
        };
        assert!(same, "{metric} of {answer:?} with {contexts:?}: {scores:?}, by hand {expected:?}");
    }
}

#[test]
fn a_ranking_of_documents_has_no_claims() {
    let mut builder = CollectionBuilder::new();
    builder.add_query(query(), [("d1", 2)]);
    let run = Run::from_rankings([("q1", vec![Hit::new("d1", 1.0)])]).unwrap();
    let documents = Evaluation::of_passes(&builder.build().unwrap(), Judging::default(), vec![run]).unwrap();
    for metric in ["Faithfulness", "ContextRecall@5", "NuggetRecall", "AnswerCorrectness", "AnswerRelevance"]
    {
        let error = documents.value(metric).unwrap_err().to_string();
        assert!(
            error.ends_with("is of answers and their claims, and only a ranking is known here"),
            "{error}"
        );
    }
    assert_eq!(documents.value("ContextAP@5").unwrap(), 1.0);
}

#[test]
fn contradicted_and_unsupported_are_counted_apart() {
    let (file, asked) = everything();
    let count = |metric: &str, answer: &str, contexts: &[&str]| {
        let mut all = Counts::default();
        let look = file.look(metric, &asked, Some(&Answer::new(answer)), contexts);
        look.pieces.unwrap().iter().for_each(|piece| all.add(piece));
        [all.supported, all.partial, all.unsupported, all.contradicted, all.abstained, all.without_claims]
    };
    assert_eq!(count("Faithfulness", TEXT, &["a", "b"]), [1, 0, 1, 1, 1, 0]);
    // Nothing was retrieved that could contradict.
    assert_eq!(count("Faithfulness", TEXT, &[]), [0, 0, 4, 0, 0, 0]);
    assert_eq!(count("Faithfulness", "", &["a", "b"]), [0, 0, 0, 0, 0, 1]);
    assert_eq!(count("ContextRecall@1", TEXT, &["a", "b"]), [0, 0, 1, 1, 0, 0]);
    assert_eq!(count("NuggetRecall", TEXT, &["a", "b"]), [1, 1, 1, 0, 1, 0]);
    assert_eq!(count("AnswerCorrectness", TEXT, &[]), [2, 0, 1, 2, 1, 0]);
    assert_eq!(count("AnswerCorrectness", "Glad to help.", &[]), [0, 0, 2, 0, 0, 1]);
}

#[test]
fn what_people_wrote_stands_before_what_a_model_found() {
    let mut file = File::default();
    file.claims(TEXT, Some(&["It is 5 EUR.", "We are glad."]));
    let found = file.0.items().next().unwrap().clone();
    let claim = |text: &str| Claim { context: None, id: "c1".into(), text: Some(text.into()), verdict: None };
    file.0.insert(Item { judge: PEOPLE.into(), claims: Some(vec![claim("It is 5 EUR.")]), ..found });
    file.support(Task::Support, &[("a1", "It is 5 EUR.")], &["a"], Some(&[Supported]));
    let file = File(JudgmentsFile::parse("judged.jsonl", &file.0.text(), false).unwrap());
    assert_eq!(file.scores("Faithfulness", &query(), &Answer::new(TEXT), &["a"]), Ok([1.0; 2]));
}

#[test]
fn a_list_that_was_not_asked_for_is_no_judgment() {
    let text = everything().0.0.text();
    for (from, to, expected) in [
        (
            "\"id\":\"a2\"",
            "\"id\":\"zz\"",
            "its claim 2 is called `zz`: claims are numbered from 1 in their order",
        ),
        ("\"id\":\"a2\"", "\"id\":\"a1\"", "its claim 2 is called `a1`"),
        ("\"id\":\"a2\"", "\"id\":\"é2\"", "its claim 2 is called `é2`"),
        ("\"context\":1,\"id\":\"a1\"", "\"context\":0,\"id\":\"a1\"", "its claim `a1` names the context 0"),
        ("\"contradicted\"", "\"partial\"", "is `partial`, which is no verdict on such a claim"),
        ("\"contradicted\"", "\"maybe\"", "no judgment: `maybe` is none of supported"),
        (",\"verdict\":\"contradicted\"", "", "has no verdict"),
        ("\"text\":\"waived\"", "\"text\":\" \"", "its claim 2, `c2`, has no text"),
        (
            "\"state\":\"unparseable\"",
            "\"claims\":[],\"state\":\"unparseable\"",
            "a list of claims beside a state",
        ),
        ("\"document_sha256\"", "\"grade\":2,\"document_sha256\"", "the grade 2 beside a list of claims"),
    ] {
        let at = text.lines().position(|line| line.contains(from)).unwrap();
        let edited = text.replacen(from, to, 1);
        let error = JudgmentsFile::parse("judged.jsonl", &edited, false).unwrap_err().to_string();
        let place = format!("judged.jsonl:{}: ", at + 1);
        assert!(error.starts_with(&place) && error.contains(expected), "{error}");
    }
    // Of nuggets in part is a verdict, and people's lists are of no form that is known.
    let support = format!("\"judge\":\"{}\",\"query\"", describe(Task::Support).unwrap().id());
    let by_people = text.replacen(&support, "\"judge\":\"people\",\"query\"", 1);
    assert_ne!(text, by_people);
    assert!(JudgmentsFile::parse("judged.jsonl", &by_people, false).is_ok());
}

const REFERENCE: [&str; 2] = ["It is 5 EUR.", "Cards are taken."];
const SAID: [&str; 3] = ["It is 5 EUR.", "It is due today.", "Cash is taken."];
const PLACES: [&str; 3] = ["one", "two", "three"];

fn with_ids<'a>(letter: &str, texts: &[&'a str]) -> Vec<(String, &'a str)> {
    (1..).zip(texts).map(|(at, text): (usize, _)| (format!("{letter}{at}"), *text)).collect()
}

/// The place of a context, and the verdicts in it on the reference's claims and on the answer's.
type Single<'a> = (usize, &'a [Support], Option<&'a [Support]>);

/// What a judge says of an answer of three claims, of which the first is right: by the reference, by the contexts together, and by
/// each of them.
fn diagnosed(held: [Support; 3], singles: &[Single<'_>]) -> (File, Query, Answer) {
    let mut file = File::default();
    let asked = query().with("reference", json!(REFERENCE));
    file.claims(TEXT, Some(&SAID));
    let (claims, parts) = (with_ids("a", &SAID), with_ids("r", &REFERENCE));
    let mut support = |all: &[(String, &'static str)], contexts: &[&str], said: &[Support]| {
        let all: Vec<(&str, &str)> = all.iter().map(|(id, text)| (id.as_str(), *text)).collect();
        file.support(Task::Support, &all, contexts, Some(said));
    };
    support(&claims, &[&REFERENCE.join("\n")], &[Supported, Unsupported, Contradicted]);
    support(&claims, &PLACES, &held);
    for (place, of_reference, of_answer) in singles {
        support(&parts, &[PLACES[*place]], of_reference);
        if let Some(of_answer) = of_answer {
            support(&claims, &[PLACES[*place]], of_answer);
        }
    }
    (file, asked, Answer::new(TEXT))
}

const RELEVANT: &str = "NoiseSensitivityInRelevant";
const IRRELEVANT: &str = "NoiseSensitivityInIrrelevant";

#[test]
fn noise_is_a_wrong_claim_of_a_context_by_itself() {
    // The second claim is wrong and in a relevant and an irrelevant context, the third in an irrelevant one alone: a third each, as
    // ragchecker's `evaluate_noise_sensitivity` has it.
    let (file, asked, answer) = diagnosed(
        [Supported; 3],
        &[
            (0, &[Supported, Unsupported], Some(&[Supported, Supported, Unsupported])),
            (1, &[Unsupported; 2], Some(&[Unsupported, Supported, Supported])),
            (2, &[Unsupported; 2], Some(&[Unsupported; 3])),
        ],
    );
    let scores = |metric| file.scores(metric, &asked, &answer, &PLACES);
    assert_eq!(scores(RELEVANT), Ok([1.0 / 3.0; 2]));
    assert_eq!(scores(IRRELEVANT), Ok([1.0 / 3.0; 2]));
    let pieces = file.look(IRRELEVANT, &asked, Some(&answer), &PLACES).pieces.unwrap();
    let noise: Vec<_> = pieces.iter().map(|piece| (piece.is_noise, piece.context)).collect();
    assert_eq!(noise, [(false, None), (false, None), (true, Some(2))]);
    let mut counts = Counts::default();
    pieces.iter().for_each(|piece| counts.add(piece));
    assert_eq!((counts.claims, counts.supported, counts.unsupported, counts.noise), (3, 1, 1, 1));
}

#[test]
fn single_contexts_are_asked_about_only_where_a_wrong_claim_is_in_them() {
    let questions = |metric: &str, held: [Support; 3], singles: &[_]| {
        let (file, asked, answer) = diagnosed(held, singles);
        file.look(metric, &asked, Some(&answer), &PLACES).wanted.len()
    };
    // The claims of the answer, the verdicts on them by the reference, and those by the contexts together.
    assert_eq!(questions(RELEVANT, [Supported, Unsupported, Contradicted], &[]), 3);
    // One is wrong and in the contexts: is each of them relevant?
    assert_eq!(questions(RELEVANT, [Supported, Supported, Unsupported], &[]), 6);
    let known: [Single<'_>; 3] =
        [(0, &[Supported, Unsupported], None), (1, &[Unsupported; 2], None), (2, &[Unsupported; 2], None)];
    // What the relevant one says; to know that no relevant one says it, all of them.
    assert_eq!(questions(RELEVANT, [Supported, Supported, Unsupported], &known), 7);
    assert_eq!(questions(IRRELEVANT, [Supported, Supported, Unsupported], &known), 9);
    let (file, asked, answer) = diagnosed([Supported, Supported, Unsupported], &known);
    let look = file.look(RELEVANT, &asked, Some(&answer), &PLACES);
    let states: Vec<PieceState> = look.pieces.unwrap().iter().map(|piece| piece.state).collect();
    assert_eq!(states, [PieceState::Graded(0), PieceState::Missing, PieceState::Graded(0)]);
}

#[test]
fn noise_of_which_the_judge_cannot_tell_is_bounded_over() {
    let whole: &[Support] = &[Supported; 3];
    // Whether the first context is relevant decides where the noise of two claims comes from.
    let (file, asked, answer) = diagnosed(
        [Supported; 3],
        &[
            (0, &[CannotTell, Unsupported], Some(whole)),
            (1, &[Unsupported; 2], Some(&[Unsupported; 3])),
            (2, &[Unsupported; 2], Some(&[Unsupported; 3])),
        ],
    );
    for metric in [RELEVANT, IRRELEVANT] {
        assert_eq!(file.scores(metric, &asked, &answer, &PLACES), Ok([0.0, 2.0 / 3.0]), "{metric}");
    }
    // What the contexts together do not support is no noise, whatever nobody can tell of the rest.
    let (file, asked, answer) = diagnosed([Supported, Unsupported, Unsupported], &[]);
    assert_eq!(file.scores(RELEVANT, &asked, &answer, &PLACES), Ok([0.0; 2]));
}

#[test]
fn noise_takes_an_answer_with_claims_and_a_reference() {
    let (mut file, asked, answer) = diagnosed([Supported; 3], &[]);
    for metric in [RELEVANT, IRRELEVANT] {
        assert_eq!(file.scores(metric, &query(), &answer, &PLACES), Err(Exclusion::NoReference), "{metric}");
        let declined = Answer::new(TEXT).declined();
        assert_eq!(file.scores(metric, &asked, &declined, &PLACES), Err(Exclusion::Declined), "{metric}");
        // Nothing was retrieved that could mislead.
        assert_eq!(file.scores(metric, &asked, &answer, &[]), Ok([0.0; 2]), "{metric}");
        file.claims("Hello!", Some(&[]));
        assert_eq!(file.scores(metric, &asked, &Answer::new("Hello!"), &PLACES), Ok([0.0, 1.0]), "{metric}");
    }
}

/// The reference's claims by the contexts, and by the answer.
fn used(held: &[Support], made: Option<&[Support]>) -> Result<[f64; 2], Exclusion> {
    let texts = ["It is 5 EUR.", "Cards are taken.", "It is due today."];
    let (mut file, asked) = (File::default(), query().with("reference", json!(texts)));
    let parts = with_ids("r", &texts);
    let parts: Vec<(&str, &str)> = parts.iter().map(|(id, text)| (id.as_str(), *text)).collect();
    file.support(Task::Support, &parts, &["one"], Some(held));
    if let Some(made) = made {
        file.support(Task::Support, &parts, &[TEXT], Some(made));
    }
    file.scores("ContextUtilization", &asked, &Answer::new(TEXT), &["one"])
}

#[test]
fn utilization_is_of_what_the_contexts_hold() {
    let made: &[Support] = &[Supported, Unsupported, Supported];
    // Two of three are in the context, one of these two is in the answer.
    assert_eq!(used(&[Supported, Supported, Unsupported], Some(made)), Ok([0.5; 2]));
    assert_eq!(used(&[Supported, Contradicted, Supported], Some(made)), Ok([1.0; 2]));
    // Nothing to use: no 0, and nobody is asked what the answer makes.
    assert_eq!(used(&[Unsupported, Contradicted, Unsupported], None), Err(Exclusion::NothingToUse));
    assert_eq!(
        used(&[Supported, Supported, Unsupported], Some(&[Supported, CannotTell, Supported])),
        Ok([0.5, 1.0])
    );
    // The second may be in the context or not: it counts as missing from the answer at worst, and as there at best.
    assert_eq!(used(&[Supported, CannotTell, Unsupported], Some(made)), Ok([0.5, 1.0]));
    assert_eq!(used(&[CannotTell, Unsupported, Unsupported], Some(made)), Ok([0.0, 1.0]));
}

#[test]
fn who_answers_with_nothing_uses_nothing() {
    let (mut file, asked) = (File::default(), query().with("reference", json!(["It is 5 EUR."])));
    file.support(Task::Support, &[("r1", "It is 5 EUR.")], &["one"], Some(&[Supported]));
    let scores =
        |answer: &Answer, contexts: &[&str]| file.scores("ContextUtilization", &asked, answer, contexts);
    assert_eq!(scores(&Answer::default(), &["one"]), Ok([0.0; 2]));
    assert_eq!(scores(&Answer::new("I do not know.").declined(), &["one"]), Err(Exclusion::Declined));
    assert_eq!(scores(&Answer::default(), &[]), Err(Exclusion::NothingToUse));
    let none = file.scores("ContextUtilization", &query(), &Answer::default(), &["one"]);
    assert_eq!(none, Err(Exclusion::NoReference));
}

/// The claims of an answer by each of its repeats: the share that they make, with what is not known as nothing and as all of it.
fn consistent(repeats: &[&str]) -> Result<[f64; 2], Exclusion> {
    let mut file = File::default();
    let claims = [("a1", "It is 5 EUR."), ("a2", "It is due today.")];
    file.claims(TEXT, Some(&[claims[0].1, claims[1].1]));
    for (repeat, said) in [
        ("5 EUR, today.", [Supported, Supported]),
        ("5 EUR.", [Supported, Unsupported]),
        ("6 EUR, today.", [Contradicted, Supported]),
        ("5 EUR, soon.", [Supported, CannotTell]),
    ] {
        file.support(Task::Support, &claims, &[repeat], Some(&said));
    }
    let answer = Answer::new(TEXT).with_repeats(repeats.iter().map(|text| match *text {
        "I do not know." => Answer::new(*text).declined(),
        text => Answer::new(text),
    }));
    let pieces = file.look("AnswerConsistency", &query(), Some(&answer), &[]).pieces?;
    let of = |abstained: u8| {
        let hits = pieces.iter().filter(|piece| match piece.state {
            PieceState::Fixed(grade) | PieceState::Graded(grade) => grade >= 2,
            PieceState::Abstained => abstained >= 2,
            PieceState::Missing => panic!("{} was not asked", piece.asked),
        });
        hits.count() as f64 / pieces.len() as f64
    };
    Ok([of(0), of(2)])
}

#[test]
fn consistency_is_the_share_of_claims_that_repeats_make() {
    assert_eq!(consistent(&["5 EUR, today."]), Ok([1.0; 2]));
    assert_eq!(consistent(&["5 EUR, today.", "5 EUR."]), Ok([0.75; 2]));
    assert_eq!(consistent(&["5 EUR.", "6 EUR, today."]), Ok([0.5; 2]));
    // The same words say the same, and who declines or says nothing supports nothing: nobody is asked.
    assert_eq!(consistent(&[TEXT, TEXT]), Ok([1.0; 2]));
    assert_eq!(consistent(&[TEXT, "I do not know.", ""]), Ok([1.0 / 3.0; 2]));
    assert_eq!(consistent(&["5 EUR, soon."]), Ok([0.5, 1.0]));
    assert_eq!(consistent(&[]), Err(Exclusion::AskedOnce));
    let declined = Answer::new(TEXT).declined().with_repeats([Answer::new(TEXT)]);
    let look = File::default().look("AnswerConsistency", &query(), Some(&declined), &[]);
    assert_eq!(look.pieces.map(|pieces| pieces.len()), Err(Exclusion::Declined));
}
