//! What all configurations of a benchmark share: the spec, the collection and its documents, golden runs, and how runs are scored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::analysis::{ForeignDocuments, Golden, MissingRelevant, foreign_documents};
use crate::collection::Collection;
use crate::evaluation::{Evaluation, Judging, judgeable};
use crate::gate::{Gate, GateKind};
use crate::golden::{GoldenRun, Inputs, Snapshot, refuse_output};
use crate::order;
use crate::progress::Watched;
use crate::retriever::Failure;
use crate::run::Run;
use crate::scores::ScoreTable;
use crate::spec::{Configuration, ConfigurationSource, Spec};
use crate::{Error, ErrorKind, Result};

use super::columns::{self, read_beside};
use super::corpus::{CorpusFacts, Titles, titles};
use super::golden::{BeforeAsking, JudgedThen, refuse_others};
use super::latency::AllTimed;
use super::parents::{self, View};
use super::recorded::Recording;
use super::{Context, Measurement, Registry, SecondBuild};

/// A spec with everything that was read and measured for it so far.
pub(crate) struct Measure {
    pub(crate) spec: Spec,
    pub(crate) context: Arc<Context>,
    pub(crate) registry: Registry,
    collection: OnceLock<Result<Collection>>,
    corpus: OnceLock<Result<Option<CorpusFacts>>>,
    missing_relevant: OnceLock<Result<MissingRelevant>>,
    /// Titles of documents, by id.
    titles: OnceLock<Titles>,
    states: BTreeMap<String, State>,
    /// The configurations that have to answer twice, where it is known which gates will be decided.
    pub(super) asked_twice: OnceLock<BTreeSet<String>>,
    pub(super) timed: AllTimed,
}

/// The data on one configuration, in the order in which they are had.
#[derive(Default)]
pub(super) struct State {
    blessed: Blessed,
    pub(super) view: OnceLock<Result<Option<Arc<View>>>>,
    pub(super) recording: OnceLock<Result<Option<Arc<Recording>>>>,
    pub(super) measurement: OnceLock<Result<Arc<Measurement>, Failure>>,
    pub(super) second_build: OnceLock<Result<SecondBuild>>,
}

/// The data on its blessed run.
#[derive(Default)]
struct Blessed {
    before_asking: OnceLock<BeforeAsking>,
    judged: OnceLock<Result<Option<Arc<Golden>>>>,
    foreign_documents: OnceLock<Result<ForeignDocuments>>,
}

impl Measure {
    /// Nothing is read or asked before it is needed.
    pub(crate) fn new(spec: Spec, registry: Registry, context: Arc<Context>) -> Self {
        Self {
            states: order::map(spec.configurations.iter().map(|one| (one.name.clone(), State::default()))),
            spec,
            context,
            registry,
            collection: OnceLock::new(),
            corpus: OnceLock::new(),
            missing_relevant: OnceLock::new(),
            titles: OnceLock::new(),
            asked_twice: OnceLock::new(),
            timed: AllTimed::default(),
        }
    }

    /// Takes notice of the only gates that will be decided, before the first is: nothing is asked for others. Processes that
    /// share answers ask for all gates.
    pub(crate) fn expect_gates<'a>(&self, gates: impl Iterator<Item = &'a Gate>) {
        if self.context.cache.is_none() {
            let asking_twice = gates.filter(|gate| matches!(gate.kind, GateKind::Deterministic(_)));
            // Who decides gates without a word before has them all.
            drop(self.asked_twice.set(asking_twice.map(|gate| gate.configuration.clone()).collect()));
        }
    }

    /// The benchmark's name.
    pub(crate) fn name(&self) -> &str {
        &self.spec.benchmark
    }

    /// The configuration of this name; after the spec was checked there is one.
    pub(crate) fn configuration(&self, name: &str) -> Result<&Configuration> {
        let missing =
            || Error::with_kind(ErrorKind::Internal, format!("the spec has no configuration `{name}`"));
        self.spec.configuration(name).ok_or_else(missing)
    }

    /// The collection.
    pub(crate) fn collection(&self) -> Result<&Collection> {
        let load = || {
            let what = format!("{}: reading queries and judgments", self.name());
            let _watched = Watched::start(self.context.observer(), what);
            let collection = self.spec.collection.resolve()?.load()?;
            let of_configurations = || self.spec.configurations.iter().find_map(|one| one.parents.as_ref());
            let plan = self.spec.collection.parents.as_ref().or_else(of_configurations);
            let Some(plan) = plan else { return Ok(collection) };
            let parents = parents::read(plan, &collection)?;
            Ok(collection.in_parents(Arc::new(parents)))
        };
        self.collection.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The collection, if it has been loaded.
    pub(crate) fn collection_so_far(&self) -> Option<&Collection> {
        self.collection.get()?.as_ref().ok()
    }

    pub(super) fn state(&self, configuration: &Configuration) -> &State {
        &self.states[&configuration.name]
    }

    /// What one process of the test run makes for all of them.
    pub(crate) fn share_once<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        make: impl Fn() -> Result<T>,
    ) -> Result<T> {
        match &self.context.cache {
            None => make(),
            Some(shared) => shared.get_or_retry(key, make)?,
        }
    }

    /// What another process of the test run has made, if it has and it went well.
    pub(crate) fn made_elsewhere<T: Serialize + DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.context.cache.as_ref()?.peek::<Result<T>>(key)?.ok()
    }

    /// What the processes of a test run share is kept under; names have dots, but no `+`.
    pub(crate) fn key(&self, what: &str) -> String {
        format!("{}+{what}", self.name())
    }

    /// The same of one configuration.
    pub(crate) fn key_of(&self, what: &str, configuration: &Configuration) -> String {
        self.key(&format!("{what}+{}", configuration.name))
    }

    /// What the documents hold, found by reading them once in this test run; `None` without any.
    pub(crate) fn corpus(&self) -> Result<Option<&CorpusFacts>> {
        let facts = self.corpus.get_or_init(|| {
            let collection = self.collection()?;
            if collection.corpus().is_err() {
                return Ok(None);
            }
            self.share_once(&self.key("corpus"), || {
                let what = format!("{}: reading documents", self.name());
                let _watched = Watched::start(self.context.observer(), what);
                let check = collection.check_corpus()?;
                let (documents, warning) = (check.documents, check.warning());
                Ok(Some(CorpusFacts { documents, sha256: check.sha256, warning }))
            })
        });
        facts.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The same, if it has been found.
    pub(crate) fn corpus_so_far(&self) -> Option<&CorpusFacts> {
        self.corpus.get()?.as_ref().ok()?.as_ref()
    }

    /// The relevant documents that the corpus lacks, looked up once in this test run.
    pub(crate) fn missing_relevant(&self) -> Result<&MissingRelevant> {
        let find = || {
            let collection = self.collection()?;
            self.share_once(&self.key("missing-relevant"), || {
                Ok(MissingRelevant::new(collection, collection.corpus_ids()?))
            })
        };
        self.missing_relevant.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Reads the titles of all documents, once in this test run.
    pub(crate) fn read_titles(&self) {
        let read = || {
            self.share_once(&self.key("titles"), || {
                Ok(self.collection_so_far().and_then(titles).unwrap_or_default())
            })
        };
        self.titles.get_or_init(|| read().unwrap_or_default());
    }

    /// The titles, as far as they have been read.
    pub(crate) fn titles_so_far(&self) -> Option<&Titles> {
        self.titles.get().filter(|all| !all.is_empty())
    }

    /// `golden/<benchmark>`.
    pub(crate) fn golden_folder(&self) -> Result<PathBuf> {
        Ok(self.spec.golden_folder()?.join(self.name()))
    }

    pub(crate) fn golden_path(&self, configuration: &Configuration, ending: &str) -> Result<PathBuf> {
        Ok(self.golden_folder()?.join(format!("{}.{ending}", configuration.name)))
    }

    /// The configuration's golden run.
    pub(crate) fn blessed_path(&self, configuration: &Configuration) -> Result<PathBuf> {
        self.golden_path(configuration, "run")
    }

    /// Reads what was blessed of every configuration, unless that has been done.
    pub(crate) fn read_golden_files(&self) {
        for configuration in &self.spec.configurations {
            self.before_asking(configuration);
        }
    }

    /// What was read of a configuration's golden files before anything was asked.
    pub(crate) fn before_asking(&self, configuration: &Configuration) -> &BeforeAsking {
        self.state(configuration).blessed.before_asking.get_or_init(|| {
            let output = &self.context.output;
            let run = self.blessed_path(configuration).and_then(|path| {
                refuse_output(&path, output)?;
                GoldenRun::read(&path)
            });
            let scores = self.blessed_path(configuration).and_then(|path| read_beside(&path));
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
    pub(crate) fn golden(&self, configuration: &Configuration) -> Result<Option<Arc<Golden>>> {
        let read = || match self.context.bless.on {
            true => {
                let path = self.blessed_path(configuration)?;
                self.judged(configuration, (GoldenRun::read(&path)?, &read_beside(&path)))
            }
            false => self.golden_before_asking(configuration),
        };
        self.state(configuration).blessed.judged.get_or_init(read).clone()
    }

    /// The results of a configuration's blessed run that belong to no document of today's corpus.
    pub(crate) fn golden_foreign_documents(
        &self,
        configuration: &Configuration,
        golden: &Golden,
    ) -> Result<&ForeignDocuments> {
        let key = self.key_of("golden-strangers", configuration);
        let count = || self.foreign_documents_in(&key, &golden.evaluation);
        self.state(configuration).blessed.foreign_documents.get_or_init(count).as_ref().map_err(Clone::clone)
    }

    /// The judged queries of the day that a configuration was blessed, where that is not today.
    pub(crate) fn judged_then(&self, configuration: &Configuration) -> Option<&JudgedThen> {
        if self.context.bless.on { None } else { self.before_asking(configuration).judged.as_ref() }
    }

    /// Why a configuration's blessed run cannot be compared with, if that was tried.
    pub(crate) fn broken_golden(&self, configuration: &Configuration) -> Option<&Error> {
        self.state(configuration).blessed.judged.get()?.as_ref().err()
    }

    /// What was blessed before anything was asked. It is judged once.
    pub(crate) fn golden_before_asking(&self, configuration: &Configuration) -> Result<Option<Arc<Golden>>> {
        let before = self.before_asking(configuration);
        let mut run = before.run.lock().unwrap_or_else(PoisonError::into_inner);
        self.judged(configuration, (std::mem::replace(&mut *run, Ok(None))?, &before.scores))
    }

    /// A blessed run under today's judgments.
    fn judged(
        &self,
        configuration: &Configuration,
        (golden, scores): (Option<GoldenRun>, &Result<ScoreTable>),
    ) -> Result<Option<Arc<Golden>>> {
        let path = self.blessed_path(configuration)?;
        let Some(golden) = golden else { return Ok(None) };
        refuse_others(&self.spec, configuration, &golden.configuration, &path)?;
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
        let evaluation = columns::with_blessed(self, self.evaluate_golden(golden)?, scores);
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

    /// Judges a run that stands for what a configuration would answer, or answered once or several times.
    pub(crate) fn evaluate(&self, mut runs: Vec<Run>) -> Result<Evaluation> {
        let identical = self.exclude_identical(&mut runs);
        runs.iter_mut().for_each(|run| run.truncate(self.spec.depth));
        let judged = Evaluation::of_runs(self.collection()?, runs)?.judged_by(self.judging())?;
        Ok(self.grouped(judged)?.with_depth(self.spec.depth).with_identical_ids(identical))
    }

    /// Takes out what has its query's id, where the spec wants that, before rankings are cut.
    pub(crate) fn exclude_identical(&self, runs: &mut [Run]) -> usize {
        match self.spec.collection.exclude_identical_ids {
            true => runs.iter_mut().map(Run::exclude_identical_ids).sum(),
            false => 0,
        }
    }

    /// What was answered, as it is scored: without what has its query's id, and cut at the depth.
    pub(super) fn as_scored(&self, mut run: Run) -> Run {
        self.exclude_identical(std::slice::from_mut(&mut run));
        run.truncate(self.spec.depth);
        run
    }

    /// Judges all that was blessed or recorded.
    pub(crate) fn evaluate_golden(&self, golden: GoldenRun) -> Result<Evaluation> {
        self.evaluate(golden.into_runs(self.collection()?))
    }

    /// The evaluation with its queries in the groups that the spec asks for.
    pub(super) fn grouped(&self, evaluation: Evaluation) -> Result<Evaluation> {
        match &self.spec.statistics.group_by {
            None => Ok(evaluation),
            Some(key) => evaluation.clustered_by(key),
        }
    }

    /// What scores rest on beside judgments, in words: scores can be compared where these are the same. Of spans nobody can
    /// score a run again without the documents, so that the words are none of [`Judging`].
    pub(crate) fn definitions(&self) -> String {
        let is_of_passages =
            self.collection_so_far().is_some_and(|collection| collection.passages().is_some());
        let of_passages = if is_of_passages { ", judged passages" } else { "" };
        self.judging().definitions() + of_passages
    }

    pub(crate) fn judging(&self) -> Judging {
        Judging {
            relevant_from: self.spec.collection.relevant_from,
            skip_queries_without_relevant: self.spec.skip_queries_without_relevant,
            exclude_identical_ids: self.spec.collection.exclude_identical_ids,
        }
    }

    /// The results of a measurement, or of a blessed run, that belong to no document; counted once in this test run.
    pub(crate) fn foreign_documents_in(
        &self,
        key: &str,
        evaluation: &Evaluation,
    ) -> Result<ForeignDocuments> {
        self.share_once(key, || foreign_documents(evaluation, || self.collection()?.corpus_ids()))
    }
}
