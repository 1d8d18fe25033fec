//! Questions that a model answers step by step before it writes queries.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::benchmark::{FIRST, found, with_found};
use crate::collection::{Document, Query};

use super::{
    Candidate, Drawn, Frequencies, RejectionReason, Sieve, Synthesis, Synthetic, screen, without_document,
    writer, written,
};
use crate::{Error, ErrorKind, Result};
use rankgate::benchmark::Benchmark;
use rankgate::judge::{Description, Pair};
use rankgate_judge::{Journal, Questions, item_of, questions_about};

/// What comes next of questions that a model writes.
#[derive(Clone, Debug)]
pub enum Next {
    /// A question for a model; come again with its answer.
    Ask(Box<Questions>),
    /// Nothing is left to ask.
    Made(Box<Synthetic>),
}

/// The next questions for the model of the spec's `judge`, step by step: to write
/// them; to grade their sources; to answer them without a document; to grade what configurations return for them.
/// Answers are in the file at `path`, in the form of judgments, and are not requested twice.
///
/// # Errors
///
/// A spec without a judge behind an endpoint, a collection without documents, a document that is longer than the judge is
/// shown, a file that cannot be read.
pub fn synthesize_questions(benchmark: &Benchmark, plan: &Synthesis, path: &Path) -> Result<Next> {
    let judging = benchmark.judge()?;
    if judging.command.is_some() {
        let message =
            "the spec's judge is a program, which grades and writes no questions: name an `endpoint`";
        return Err(Error::with_kind(ErrorKind::BadInput, message));
    }
    let judge = judging.description()?;
    let collection = benchmark.collection()?;
    let corpus = collection.corpus()?;
    let drawn = Drawn::new(corpus, plan)?;
    let journal = Journal::open(path)?;
    let step = |judge: &Description, pairs: Vec<Pair>| questions_about(&journal, judge, path, pairs);
    let item = |judge: &Description, pair: &Pair| item_of(&journal, judge, pair);
    let ask = |questions: Questions| Ok(Next::Ask(Box::new(questions)));

    let writer = writer(&judge);
    let many = plan.per_document.max(1);
    let mut pairs = Vec::new();
    for document in &drawn.documents {
        let shown = judge.shown_of(document)?;
        for number in 1..=many {
            let which = match many {
                1 => "one that the document answers best".to_owned(),
                _ => format!("number {number} of {many}, each about something else that the document says"),
            };
            let query = Query::new(format!("questions-{}-{number}", document.id), which);
            pairs.push(Pair { query, document: Document::new(&document.id, shown.as_str()) });
        }
    }
    let writing = step(&writer, pairs);
    if !writing.missing.is_empty() {
        return ask(writing);
    }
    let texts = writing.pairs.into_iter().map(|pair| {
        let text = item(&writer, &pair).as_ref().and_then(written);
        (pair, text)
    });
    let count = |words| Frequencies::new(corpus, words, std::iter::empty());
    let mut sieve = screen(texts.collect(), &drawn.documents, collection, count)?;

    let of_source = |candidate: &Candidate| -> Result<Pair> {
        let document = Document::new(&candidate.source.id, judge.shown_of(&candidate.source)?);
        Ok(Pair { query: Query::new(&candidate.id, &candidate.text), document })
    };
    let grading = step(&judge, sieve.kept.iter().map(of_source).collect::<Result<_>>()?);
    if !grading.missing.is_empty() {
        return ask(grading);
    }
    // A grade as a person would need it to call the document an answer.
    let answers = 2.min(judge.scale[1]);
    let mut graded: BTreeMap<String, BTreeMap<String, i32>> = BTreeMap::new();
    for pair in &grading.pairs {
        let grade = item(&judge, pair).and_then(|item| item.grade).filter(|grade| *grade >= answers);
        if let Some(grade) = grade {
            graded.entry(pair.query.id.clone()).or_default().insert(pair.document.id.clone(), grade.into());
        }
    }
    keep(&mut sieve, |one| graded.contains_key(&one.id), RejectionReason::NotAnswered);

    let closed = without_document(&judge);
    let blank = |one: &Candidate| Pair {
        query: Query::new(&one.id, &one.text),
        document: Document::new(&one.source.id, ""),
    };
    let closed_book = step(&closed, sieve.kept.iter().map(blank).collect());
    if !closed_book.missing.is_empty() {
        return ask(closed_book);
    }
    // What has no grade was not shown to need the document.
    let needed: BTreeSet<String> = closed_book
        .pairs
        .iter()
        .filter(|pair| item(&closed, pair).and_then(|item| item.grade).is_some_and(|grade| grade < answers))
        .map(|pair| pair.query.id.clone())
        .collect();
    keep(&mut sieve, |one| needed.contains(&one.id), RejectionReason::Known);

    let asked: Vec<Query> = sieve.kept.iter().map(|one| Query::new(&one.id, &one.text)).collect();
    let mut returned: BTreeSet<(String, String)> = BTreeSet::new();
    if !asked.is_empty() {
        for run in found(benchmark, asked.clone())?.into_values().flatten().flatten() {
            for one in &sieve.kept {
                let first = run.ranking(&one.id).unwrap_or_default().iter().take(FIRST);
                let others = first.filter(|hit| hit.id != one.source.id);
                returned.extend(others.map(|hit| (one.id.clone(), hit.id.clone())));
            }
        }
    }
    let documents = benchmark.documents(returned.iter().map(|(_, document)| document.as_str()))?;
    let mut pairs = Vec::new();
    for (query, document) in &returned {
        let Some(document) = documents.get(document) else { continue };
        let Some(query) = asked.iter().find(|one| one.id == *query) else { continue };
        let shown = judge.shown_of(document)?;
        pairs.push(Pair { query: query.clone(), document: Document::new(&document.id, shown) });
    }
    let hard = step(&judge, pairs);
    if !hard.missing.is_empty() {
        return ask(hard);
    }
    // What nobody judged is not negative, and what the judge found relevant is.
    for pair in &hard.pairs {
        if let Some(grade) = item(&judge, pair).and_then(|item| item.grade) {
            graded.entry(pair.query.id.clone()).or_default().insert(pair.document.id.clone(), grade.into());
        }
    }
    let made = Synthetic::new(plan, sieve, &drawn.random, i32::from(answers), &graded);
    Ok(Next::Made(Box::new(with_found(benchmark, made)?)))
}

fn keep(sieve: &mut Sieve, stays: impl Fn(&Candidate) -> bool, why: RejectionReason) {
    let before = sieve.kept.len();
    sieve.kept.retain(stays);
    (sieve.kept.len()..before).for_each(|_| sieve.leave(why));
}
