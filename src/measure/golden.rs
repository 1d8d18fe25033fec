//! A configuration's blessed run, read before anything is asked and judged by today's judgments.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::analysis::{ForeignDocuments, Golden};
use crate::collection::Collection;
use crate::error::Quoted;
use crate::evaluation::judgeable;
use crate::golden::{GoldenRun, Inputs, Snapshot, refuse_output};
use crate::scores::ScoreTable;
use crate::spec::{Configuration, ConfigurationSource};
use crate::{Error, Result};

use super::Cache;
use super::columns::read_beside;
use super::corpus::CorpusFacts;

/// What stood in a configuration's golden files before anything was asked: a retriever that writes there
/// must not be held against what it has written.
#[derive(Debug)]
pub(crate) struct BeforeAsking {
    /// Taken when it is judged.
    run: Mutex<Result<Option<GoldenRun>>>,
    /// The columns of scores beside it.
    scores: Result<ScoreTable>,
    pub(crate) snapshot: Option<String>,
    /// What there was to decide by on the day that it was blessed.
    pub(crate) judged: Option<JudgedThen>,
}

/// The judged queries of the day that a run was blessed.
#[derive(Debug)]
pub(crate) struct JudgedThen {
    /// Their ids.
    pub(crate) queries: BTreeSet<String>,
    /// How many of them had a relevant document, where the file says so.
    pub(crate) judgeable: Option<usize>,
}

impl Cache {
    /// Reads what was blessed of every configuration, unless that has been done.
    pub(crate) fn read_golden_files(&self) {
        for configuration in &self.spec.configurations {
            let tagged = self.slot(configuration).tagged.keys();
            for tag in [None].into_iter().chain(tagged.map(|tag| Some(tag.as_str()))) {
                self.before_asking(configuration, tag);
            }
        }
    }

    /// What was read of a configuration's golden files, or of one of its tagged runs, before anything was asked.
    pub(crate) fn before_asking(&self, configuration: &Configuration, tag: Option<&str>) -> &BeforeAsking {
        self.blessed(configuration, tag).before_asking.get_or_init(|| {
            let output = &self.context.output;
            let run = self.blessed_path(configuration, tag).and_then(|path| {
                refuse_output(&path, output)?;
                GoldenRun::read(&path)
            });
            let scores = self.blessed_path(configuration, tag).and_then(|path| read_beside(&path));
            let snapshot = self.golden_path(configuration, "snap").ok();
            let snapshot = snapshot.filter(|path| refuse_output(path, output).is_ok());
            let snapshot = snapshot.and_then(|path| Snapshot::read(&path));
            let judged = run
                .as_ref()
                .ok()
                .and_then(Option::as_ref)
                .map(|run| JudgedThen { queries: run.all_queries(), judgeable: run.inputs.judgeable });
            BeforeAsking { run: Mutex::new(run), scores, snapshot, judged }
        })
    }

    /// The blessed run with today's judgments, read once; `None` where nothing was blessed.
    pub(crate) fn golden(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
    ) -> Result<Option<Arc<Golden>>> {
        let bless = &self.context.bless;
        let read = || match bless.on && bless.tag.as_deref() == tag {
            // What was blessed just now.
            true => {
                let path = self.blessed_path(configuration, tag)?;
                self.judged(configuration, tag, (GoldenRun::read(&path)?, &read_beside(&path)))
            }
            false => self.golden_before_asking(configuration, tag),
        };
        self.blessed(configuration, tag).judged.get_or_init(read).clone()
    }

    /// The results of a configuration's blessed run that belong to no document of today's corpus.
    pub(crate) fn golden_foreign_documents(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
        golden: &Golden,
    ) -> Result<&ForeignDocuments> {
        let what = tag.map_or("golden-strangers".to_owned(), |tag| format!("golden-strangers@{tag}"));
        let count = || self.foreign_documents_in(&self.key_of(&what, configuration), &golden.evaluation);
        self.blessed(configuration, tag).foreign_documents.get_or_init(count).as_ref().map_err(Clone::clone)
    }

    /// The judged queries of the day that a configuration was blessed, where that is not today.
    pub(crate) fn judged_then(&self, configuration: &Configuration) -> Option<&JudgedThen> {
        self.judged_at(configuration, None)
    }

    /// The same of a tagged golden run.
    pub(crate) fn judged_at(&self, configuration: &Configuration, tag: Option<&str>) -> Option<&JudgedThen> {
        let bless = &self.context.bless;
        if bless.on && bless.tag.as_deref() == tag {
            return None;
        }
        self.before_asking(configuration, tag).judged.as_ref()
    }

    /// Why a configuration's blessed run cannot be compared with, if that was tried.
    pub(crate) fn broken_golden(&self, configuration: &Configuration, tag: Option<&str>) -> Option<&Error> {
        self.blessed(configuration, tag).judged.get()?.as_ref().err()
    }

    /// All such errors, of a configuration's golden run and its tagged.
    pub(crate) fn all_broken_golden(&self, configuration: &Configuration) -> impl Iterator<Item = &Error> {
        let slot = self.slot(configuration);
        let blessed = [&slot.golden].into_iter().chain(slot.tagged.values());
        blessed.filter_map(|blessed| blessed.judged.get()?.as_ref().err())
    }

    /// What was blessed before anything was asked. It is judged once.
    pub(crate) fn golden_before_asking(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
    ) -> Result<Option<Arc<Golden>>> {
        let before = self.before_asking(configuration, tag);
        let mut run = before.run.lock().unwrap_or_else(PoisonError::into_inner);
        self.judged(configuration, tag, (std::mem::replace(&mut *run, Ok(None))?, &before.scores))
    }

    /// A blessed run under today's judgments.
    fn judged(
        &self,
        configuration: &Configuration,
        tag: Option<&str>,
        (golden, scores): (Option<GoldenRun>, &Result<ScoreTable>),
    ) -> Result<Option<Arc<Golden>>> {
        let path = self.blessed_path(configuration, tag)?;
        let Some(golden) = golden else { return Ok(None) };
        // One that was renamed keeps what was blessed of it.
        if golden.configuration != configuration.name
            && self.spec.configuration(&golden.configuration).is_some()
        {
            let of = Quoted(&golden.configuration);
            let message = format!(
                "the blessed run of {of}, which the spec has too: it was put here by a copy or a merge"
            );
            return Err(Error::in_file(&path, message));
        }
        let collection = self.collection()?;
        let changed = self.inputs(configuration, collection)?.changed_since(&golden.inputs);
        let asked = golden.all_queries();
        let missing = collection.queries_to_ask().iter().filter(|query| !asked.contains(&query.id)).count();
        if missing > 0 && !changed.iter().any(|input| input == Inputs::QUERIES) {
            let message = format!("blessed on today's queries, and {missing} of them are missing");
            return Err(Error::in_file(&path, message));
        }
        let depth = Some(golden.inputs.depth).filter(|_| changed.iter().any(|input| input == Inputs::DEPTH));
        let loss_accepted = golden.loss_accepted;
        let evaluation = self.with_blessed_scores(self.evaluate_golden(golden)?, scores);
        Ok(Some(Arc::new(Golden { evaluation, changed, asked, loss_accepted, depth })))
    }

    /// What the configuration's run depends on beside the retriever.
    pub(crate) fn inputs(&self, configuration: &Configuration, collection: &Collection) -> Result<Inputs> {
        let corpus = self.corpus()?;
        Ok(self.inputs_on(configuration, collection, corpus))
    }

    /// The same on documents that are known already, or are not.
    pub(crate) fn inputs_on(
        &self,
        configuration: &Configuration,
        collection: &Collection,
        corpus: Option<&CorpusFacts>,
    ) -> Inputs {
        let params = match &configuration.source {
            ConfigurationSource::Bm25 { params } | ConfigurationSource::Retriever { params, .. } => {
                params.to_json().to_string()
            }
            _ => String::new(),
        };
        Inputs {
            depth: self.spec.depth,
            params,
            queries: collection.queries_sha256(),
            judgments: collection.judgments_sha256(),
            corpus: corpus.map(|facts| facts.sha256.clone()).unwrap_or_default(),
            excluded: self.spec.collection.exclude_identical_ids,
            judgeable: Some(judgeable(collection)),
        }
    }
}
