//! Queries made from the documents of a benchmark, and which of its configurations find them.

use std::collections::BTreeMap;

use crate::Result;
use crate::collection::{Collection, Query};
use crate::error::chain;
use crate::run::Run;
use crate::spec::{Configuration, ConfigurationSource};
use crate::synthesize::{Drawn, Frequencies, LeftOutFor, Sieve, Synthesis, Synthetic, known_items};

use super::Benchmark;

/// Of so many first documents it is said whether the source is among them.
const FIRST: usize = 10;

/// Configurations by name: what they return for queries, or why they cannot be asked.
type Found = BTreeMap<String, std::result::Result<Vec<Run>, String>>;

impl Benchmark {
    /// Queries of documents drawn by seed: titles, or telling words. Configurations are asked for them, and what they find
    /// is told and decides nothing.
    ///
    /// # Errors
    ///
    /// A collection without documents, or that cannot be read; questions, which a model writes
    /// ([`synthesize_questions`](Self::synthesize_questions)).
    pub fn synthesize(&self, plan: &Synthesis) -> Result<Synthetic> {
        let collection = self.cache().collection()?;
        let corpus = collection.corpus()?;
        let drawn = Drawn::of(corpus, plan)?;
        let frequencies = Frequencies::of(corpus, drawn.words(), drawn.titles())?;
        let (candidates, repeated) = known_items(plan, &drawn, &frequencies);
        let mut sieve = Sieve::of(candidates, collection);
        (0..repeated).for_each(|_| sieve.leave(LeftOutFor::Repeated));
        let grade = self.spec().collection.relevant_from.max(1);
        let made = Synthetic::of(plan, sieve, &drawn.random, grade, &BTreeMap::new());
        self.with_found(made)
    }

    fn with_found(&self, mut made: Synthetic) -> Result<Synthetic> {
        if made.queries.is_empty() {
            return Ok(made);
        }
        let queries = made.queries.iter().map(|made| made.query.clone()).collect();
        for (name, runs) in self.found(queries)? {
            match runs {
                Ok(runs) => {
                    let mut shares = [0.0, 0.0];
                    for one in &made.queries {
                        // Of several passes the first speaks.
                        let ranking =
                            runs.first().and_then(|run| run.ranking(&one.query.id)).unwrap_or_default();
                        let place = ranking.iter().take(FIRST).position(|hit| hit.id == one.source);
                        shares[0] += f64::from(u8::from(place == Some(0)));
                        shares[1] += f64::from(u8::from(place.is_some()));
                    }
                    let all = made.queries.len() as f64;
                    made.quality.found.insert(name, shares.map(|share| share / all));
                }
                Err(why) => drop(made.quality.unasked.insert(name, why)),
            }
        }
        Ok(made)
    }

    /// What configurations return for these queries.
    fn found(&self, queries: Vec<Query>) -> Result<Found> {
        let asked = self.cache().collection()?.asking(queries)?;
        // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
        self.cache().corpus()?;
        let mut spec = self.spec().clone();
        (spec.depth, spec.deterministic) = (FIRST, false);
        let all = self.spec().configurations.iter().filter(|one| one.variant.is_none());
        Ok(all.map(|one| (one.name.clone(), self.runs_for(&spec, one, &asked))).collect())
    }

    fn runs_for(
        &self,
        spec: &crate::spec::Spec,
        configuration: &Configuration,
        asked: &Collection,
    ) -> std::result::Result<Vec<Run>, String> {
        if let Some(reason) = &configuration.ignore {
            return Err(format!("the spec ignores it: {reason}"));
        }
        if matches!(configuration.source, ConfigurationSource::Run { .. }) {
            return Err("a run has no answers to new queries".into());
        }
        if self.cache().recording(configuration).map_err(|error| chain(&error))?.is_some() {
            return Err("its retriever is registered from Rust, and cannot be asked here".into());
        }
        let answers = self.cache().ask(spec, configuration, asked).map_err(|failure| failure.to_string())?;
        crate::evaluation::runs(asked.queries(), answers.passes).map_err(|error| chain(&error))
    }
}

#[cfg(feature = "judge")]
mod questions {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::super::{Benchmark, Questions};
    use super::FIRST;
    use crate::collection::{Document, Query};
    use crate::judge::{Description, Item, Journal, Pair};
    use crate::synthesize::{
        Candidate, Drawn, Frequencies, LeftOutFor, Synthesis, Synthetic, screen, without_document, writer,
        written,
    };
    use crate::{Error, ErrorKind, Result};

    /// What comes next of questions that a model writes.
    #[derive(Clone, Debug)]
    pub enum Next {
        /// A model is to be asked this; then come again.
        Ask(Box<Questions>),
        /// Nothing is left to ask.
        Made(Box<Synthetic>),
    }

    impl Benchmark {
        /// What is still to be asked of the model of the spec's `judge` before there are questions, step by step: to write
        /// them; to grade their sources; to answer them without a document; to grade what configurations return for them.
        /// What was answered is in the file at `path`, in the form of judgments, and is not asked for again.
        ///
        /// # Errors
        ///
        /// A spec without a judge behind an endpoint, a collection without documents, a document that is longer than the judge is
        /// shown, a file that cannot be read.
        pub fn synthesize_questions(&self, plan: &Synthesis, path: &Path) -> Result<Next> {
            let judging = self.judge()?;
            if judging.command.is_some() {
                let message =
                    "the spec's judge is a program, which grades and writes no questions: name an `endpoint`";
                return Err(Error::of(ErrorKind::BadInput, message));
            }
            let judge = judging.description()?;
            let collection = self.cache().collection()?;
            let corpus = collection.corpus()?;
            let drawn = Drawn::of(corpus, plan)?;
            let journal = Journal::open(path)?;
            let step = |judge: &Description, pairs: Vec<Pair>| {
                let (missing, by_others) =
                    journal.look(|file| super::super::asking::lacking(judge, file, &pairs));
                let (judge, path) = (judge.clone(), path.to_owned());
                let left_out = Vec::new();
                let without_grade = BTreeMap::new();
                Questions {
                    judge,
                    task: None,
                    path,
                    pairs,
                    probes: 0,
                    missing,
                    without_grade,
                    by_others,
                    left_out,
                }
            };
            let item = |judge: &Description, pair: &Pair| -> Option<Item> {
                journal.look(|file| super::super::asking::on_file(file, &judge.id(), pair).cloned())
            };
            let ask = |questions: Questions| Ok(Next::Ask(Box::new(questions)));

            let writer = writer(&judge);
            let many = plan.per_document.max(1);
            let mut pairs = Vec::new();
            for document in &drawn.documents {
                let shown = judge.shown_of(document)?;
                for number in 1..=many {
                    let which = match many {
                        1 => "one that the document answers best".to_owned(),
                        _ => format!(
                            "number {number} of {many}, each about something else that the document says"
                        ),
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
            let count = |words| Frequencies::of(corpus, words, std::iter::empty());
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
                    graded
                        .entry(pair.query.id.clone())
                        .or_default()
                        .insert(pair.document.id.clone(), grade.into());
                }
            }
            keep(&mut sieve, |one| graded.contains_key(&one.id), LeftOutFor::NotAnswered);

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
                .filter(|pair| {
                    item(&closed, pair).and_then(|item| item.grade).is_some_and(|grade| grade < answers)
                })
                .map(|pair| pair.query.id.clone())
                .collect();
            keep(&mut sieve, |one| needed.contains(&one.id), LeftOutFor::Known);

            let asked: Vec<Query> = sieve.kept.iter().map(|one| Query::new(&one.id, &one.text)).collect();
            let mut returned: BTreeSet<(String, String)> = BTreeSet::new();
            if !asked.is_empty() {
                for run in self.found(asked.clone())?.into_values().flatten().flatten() {
                    for one in &sieve.kept {
                        let first = run.ranking(&one.id).unwrap_or_default().iter().take(FIRST);
                        let others = first.filter(|hit| hit.id != one.source.id);
                        returned.extend(others.map(|hit| (one.id.clone(), hit.id.clone())));
                    }
                }
            }
            let documents = self.documents(returned.iter().map(|(_, document)| document.as_str()))?;
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
                    graded
                        .entry(pair.query.id.clone())
                        .or_default()
                        .insert(pair.document.id.clone(), grade.into());
                }
            }
            let made = Synthetic::of(plan, sieve, &drawn.random, i32::from(answers), &graded);
            Ok(Next::Made(Box::new(self.with_found(made)?)))
        }
    }

    fn keep(sieve: &mut crate::synthesize::Sieve, stays: impl Fn(&Candidate) -> bool, why: LeftOutFor) {
        let before = sieve.kept.len();
        sieve.kept.retain(stays);
        (sieve.kept.len()..before).for_each(|_| sieve.leave(why));
    }
}

#[cfg(feature = "judge")]
pub use self::questions::Next;
