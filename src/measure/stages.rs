//! The rankings of a pipeline's stages: those that the spec names, of every query.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::collection::{Metadata, Query};
use crate::error::Quoted;
use crate::retriever::said::Answer;
use crate::retriever::{Answers, BoxError, Response, Retriever};
use crate::run::Hit;
use crate::spec::{Configuration, Stages};
use crate::words::counted;
use crate::yaml::all_of;

use super::Cache;

/// Queries of which one ranking alone says nothing of all.
const FEWEST: usize = 5;
/// Names that a caution shows.
const NAMED: usize = 5;

/// The rankings of all stages of a configuration, which came with its answers.
#[derive(Debug, Default)]
pub(super) struct StageAnswers {
    /// By stage and pass, a ranking per query.
    rankings: BTreeMap<String, Vec<Vec<Vec<Hit>>>>,
    /// What hits said of their documents.
    documents: BTreeMap<String, Metadata>,
}

impl StageAnswers {
    /// Takes the stages out of the answers of a configuration.
    pub(super) fn take(answers: &mut Answers) -> Self {
        Self { rankings: std::mem::take(&mut answers.stages), documents: answers.documents.clone() }
    }

    /// The rankings of a stage as answers; `None` where there is no such stage.
    pub(super) fn answers(&self, stage: &str) -> Option<Answers> {
        Some(Answers {
            passes: self.rankings.get(stage)?.clone(),
            stages: BTreeMap::new(),
            scores: Vec::new(),
            latency: None,
            said: BTreeMap::new(),
            documents: self.documents.clone(),
            // What a stage hands on is cut by no floor.
            unscored: None,
            caution: None,
            build_ms: 0,
        })
    }
}

impl Cache {
    /// The configuration that is asked for the answers of this one: another one for a stage.
    pub(super) fn asked_configuration<'a>(&'a self, configuration: &'a Configuration) -> &'a Configuration {
        let of = configuration.stage.as_ref().and_then(|of| self.spec.configuration(&of.configuration));
        of.unwrap_or(configuration)
    }
}

/// A pipeline of whose answers the stages are looked at: each has all those that the spec names.
pub(super) struct DeclaredStages {
    retriever: Arc<dyn Retriever>,
    stages: Stages,
    /// Whether no stage is looked at, whatever the answers carry.
    is_variant: bool,
    tally: Mutex<Tally>,
}

/// Counts over the answers so far.
#[derive(Default)]
struct Tally {
    /// Stages that the spec does not name, with the number of answers that have them.
    undeclared: BTreeMap<String, usize>,
    /// Answered queries with a document that no stage of the last step handed on.
    foreign: BTreeMap<String, String>,
    /// Those of them where no document was handed on.
    unrelated: usize,
    /// Queries of which there is something to compare.
    compared: usize,
}

impl DeclaredStages {
    pub(super) fn new(retriever: Arc<dyn Retriever>, configuration: &Configuration) -> Self {
        let is_variant = configuration.variant.is_some();
        Self { retriever, stages: configuration.stages.clone(), is_variant, tally: Mutex::default() }
    }

    /// The response with the stages that the spec names and no others.
    fn checked(&self, query: &Query, response: Response) -> Result<Response, BoxError> {
        let Response { hits, stages: mut all, times, scores, is_by_order } = response;
        let missing: Vec<&str> = self.stages.names().filter(|name| !all.contains_key(*name)).collect();
        if !missing.is_empty() {
            let names = all_of(missing.iter().copied());
            let has = match all.is_empty() {
                true => "none".to_owned(),
                false => all_of(all.keys().map(String::as_str)),
            };
            return Err(format!("the answer lacks stages that the spec names: {names}; it has {has}").into());
        }
        let mut seen = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stages = BTreeMap::new();
        for name in self.stages.names() {
            stages.extend(all.remove_entry(name));
        }
        let undeclared = all.into_keys().filter(|_| !self.is_variant);
        undeclared.for_each(|name| *seen.undeclared.entry(name).or_default() += 1);
        if let Some(last) = self.stages.steps().last() {
            seen.compare(query, &hits, last.iter().filter_map(|name| stages.get(name)));
        }
        Ok(Response { hits, stages, times, scores, is_by_order })
    }

    /// What should be known of the stages.
    ///
    /// # Errors
    /// Stages that have nothing to do with the rankings.
    pub(super) fn caution(&self) -> Result<Option<String>, String> {
        let seen = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let last = self.stages.steps().last().map(|names| all_of(names.iter().map(String::as_str)));
        if let Some(last) =
            last.as_ref().filter(|_| seen.compared >= FEWEST && seen.unrelated * 2 > seen.compared)
        {
            return Err(format!(
                "for {} of {} no document that is returned stands in the stage {last}: the stages are of other queries, or have \
                 other ids",
                seen.unrelated,
                counted(seen.compared, "query", "queries"),
            ));
        }
        let mut all = Vec::new();
        if let Some(answers) = seen.undeclared.values().max() {
            let names = all_of(seen.undeclared.keys().map(String::as_str));
            let answers = counted(*answers, "answer has", "answers have");
            all.push(format!(
                "{answers} stages that the spec does not name ({names}): nothing looks at them until `stages` does"
            ));
        }
        if let (Some(last), false) = (last, seen.foreign.is_empty()) {
            let named = seen.foreign.iter().take(NAMED);
            let named: Vec<String> =
                named.map(|(query, id)| format!("{} for {}", Quoted(id), Quoted(query))).collect();
            let more = if seen.foreign.len() > NAMED { ", ..." } else { "" };
            all.push(format!(
                "{} documents that the stage {last} did not hand on ({}{more}): its ceiling does not bound them",
                counted(seen.foreign.len(), "query returns", "queries return"),
                named.join(", "),
            ));
        }
        Ok((!all.is_empty()).then(|| all.join("; ")))
    }
}

impl Tally {
    /// Looks for what is returned among what was handed on.
    fn compare<'a>(&mut self, query: &Query, hits: &[Hit], handed_on: impl Iterator<Item = &'a Vec<Hit>>) {
        if hits.is_empty() {
            return;
        }
        let handed_on: std::collections::HashSet<&str> =
            handed_on.flatten().map(|hit| hit.id.as_str()).collect();
        let mut foreign = hits.iter().filter(|hit| !handed_on.contains(hit.id.as_str()));
        let first = foreign.next();
        self.compared += 1;
        self.unrelated += usize::from(first.is_some() && foreign.count() + 1 == hits.len());
        self.foreign.extend(first.map(|hit| (query.id.clone(), hit.id.clone())));
    }
}

impl Retriever for DeclaredStages {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        self.respond(query, depth).map(|response| response.hits)
    }

    fn respond(&self, query: &Query, depth: usize) -> Result<Response, BoxError> {
        self.checked(query, self.retriever.respond(query, depth)?)
    }

    fn batch_size(&self) -> usize {
        self.retriever.batch_size()
    }

    fn respond_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Response, BoxError>> {
        let answers = self.retriever.respond_batch(queries, depth);
        if answers.len() != queries.len() {
            // Who asks says that these are too many, or too few.
            return answers;
        }
        let checked = |(query, answer): (&Query, Result<Response, BoxError>)| self.checked(query, answer?);
        queries.iter().zip(answers).map(checked).collect()
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        self.retriever.take_answers()
    }
}
