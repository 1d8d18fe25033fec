//! A benchmark under way: what is measured is kept, so that each configuration is asked once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::collection::Collection;
use crate::error::chain;
use crate::gate::Gate;

use crate::progress::{Watched, Work};
use crate::retriever::{Factories, Failure, FailureCause};
use crate::run::Cache;
use crate::spec::{self, Configuration, ConfigurationSource, Spec};
use crate::{Error, ErrorKind, Result};

use super::baseline::{Golden, Kept};
use super::family::Comparisons;
use super::files::{self, Plots, Rendering};
use super::known;
use super::measure::{self, Measurement};
use super::model::{Blessing, ConfigurationReport, GateReport, GoldenFile, Report};
use super::recorded::Recording;
use super::titles::Titles;
use super::{Context, Registry};

/// A spec together with everything that was measured for it so far.
///
/// Nothing is read or asked before a gate needs it.
pub struct Benchmark {
    pub(super) spec: Spec,
    pub(super) context: Arc<Context>,
    registry: Registry,
    collection: OnceLock<Result<Collection>>,
    corpus: OnceLock<Result<Option<CorpusFacts>>>,
    /// Whether the segments that the spec names are there.
    pub(super) segments: OnceLock<Result<()>>,
    slots: BTreeMap<String, Slot>,
    pub(super) comparisons: Comparisons,
    /// Titles of documents, once they have been read.
    pub(super) titles: OnceLock<Titles>,
    decided: Mutex<BTreeMap<usize, GateReport>>,
}

/// What is known of one configuration.
#[derive(Default)]
struct Slot {
    kept: OnceLock<Kept>,
    measurement: OnceLock<Result<Arc<Measurement>, Failure>>,
    golden: OnceLock<Result<Option<Arc<Golden>>>>,
    blessed: OnceLock<Result<Blessing>>,
    snapped: OnceLock<Result<Option<GoldenFile>>>,
    report: OnceLock<ConfigurationReport>,
    recorded: OnceLock<Result<Option<Arc<Recording>>>>,
}

/// What one pass over the documents found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CorpusFacts {
    pub(super) documents: u64,
    pub(super) sha256: String,
    pub(super) warning: Option<String>,
}

impl Benchmark {
    /// Reads a spec.
    pub(crate) fn load(path: &Path, registry: &Registry, context: Arc<Context>) -> Result<Self> {
        let mut names = names(registry);
        if context.site.is_none() {
            // Only a test has to be able to fail.
            names.without_gates();
        }
        let spec = Spec::load(path, &names)?;
        let slots = spec.configurations.iter().map(|c| (c.name.clone(), Slot::default())).collect();
        let comparisons = Comparisons::of(&spec);
        Ok(Self {
            spec,
            context,
            comparisons,
            registry: registry.clone(),
            collection: OnceLock::new(),
            corpus: OnceLock::new(),
            segments: OnceLock::new(),
            slots,
            titles: OnceLock::new(),
            decided: Mutex::default(),
        })
    }

    /// The benchmark's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.benchmark
    }

    /// Every gate of the spec, in its order.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.spec.gates
    }

    /// The checked spec.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Decides every gate that is not ignored, measures what no gate needed, and returns the report.
    #[must_use]
    pub fn run(&self) -> Report {
        self.run_where(|gate| self.ignored(gate).is_none())
    }

    /// Decides the gates that are selected and returns the report. No verdict depends on what else was
    /// selected. Configurations that no gate needs are measured where all gates were selected that the
    /// spec does not ignore.
    #[must_use]
    pub fn run_where(&self, selected: impl Fn(&Gate) -> bool) -> Report {
        let (mut whole, mut indices) = (true, Vec::new());
        for (index, gate) in self.gates().iter().enumerate() {
            if selected(gate) {
                indices.push(index);
            } else {
                whole &= self.ignored(gate).is_some();
            }
        }
        let work = Work::Deciding { benchmark: self.name() };
        let watched = Watched::start(self.context.observer(), work, Some(indices.len()));
        for index in indices {
            self.decide(index);
            watched.advance(1);
        }
        if whole {
            self.measure_rest();
        }
        if self.context.reports {
            self.read_titles();
        }
        self.report()
    }

    /// Measures what no gate needed and the spec does not ignore, for the report alone.
    pub(crate) fn measure_rest(&self) {
        for configuration in self.spec.configurations.iter().filter(|one| one.ignore.is_none()) {
            // Why it cannot be measured is the report's to say.
            drop(self.measured(configuration));
        }
    }

    /// Why the spec ignores a gate, if it does: one of its configurations says `ignore:`.
    #[must_use]
    pub fn ignored<'a>(&'a self, gate: &'a Gate) -> Option<&'a str> {
        self.configurations_of(gate).find_map(|configuration| configuration.ignore.as_deref())
    }

    /// Decides the gate at a position of [`gates`](Self::gates).
    pub(crate) fn decide(&self, index: usize) -> GateReport {
        let report = self.decision(&self.gates()[index]);
        if let Some(cache) = &self.context.cache {
            // Only the report that all processes share would miss it: the test itself has it.
            drop(cache.put(&self.key(&format!("gate-{index:06}")), &(index, &report)));
        }
        self.decided().insert(index, report.clone());
        report
    }

    /// What blessing did so far, whatever process of the test run did it: by configuration, in the spec's
    /// order.
    #[must_use]
    pub fn blessings(&self) -> Vec<Blessing> {
        let of = |configuration: &Configuration| {
            let slot = self.slot(configuration);
            let mut blessing = match slot.blessed.get() {
                Some(blessed) => blessed.clone().ok()?,
                None => self.done(&self.blessed_key(configuration))?,
            };
            let snapshot = match slot.snapped.get() {
                Some(snapped) => snapped.clone().ok().flatten(),
                None => self.done::<Option<GoldenFile>>(&self.snapped_key(configuration)).flatten(),
            };
            blessing.files.extend(snapshot);
            Some(blessing)
        };
        match self.context.bless.on {
            true => self.spec.configurations.iter().filter_map(of).collect(),
            false => Vec::new(),
        }
    }

    /// The blessings that were refused of configurations which a gate that was decided here judges.
    pub(crate) fn refused(&self) -> Vec<Blessing> {
        let mut refused = self.blessings();
        let decided = self.decided();
        refused.retain(|blessing| {
            blessing.refused && decided.values().any(|gate| gate.configuration == blessing.configuration)
        });
        refused
    }

    /// What another process of the test run has made, if it has and it went well.
    fn done<T: Serialize + DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.context.cache.as_ref()?.peek::<Result<T>>(key)?.ok()
    }

    /// Another gate that was kept from being decided by the same failing configuration, which it is on:
    /// the first of those that `selected` says will run.
    pub(crate) fn same_cause(&self, index: usize, selected: impl Fn(usize) -> bool) -> Option<&Gate> {
        let failed =
            |one: &&Configuration| self.slot(one).measurement.get().is_some_and(|known| known.is_err());
        let failing = self.configurations_of(&self.gates()[index]).find(failed)?;
        let on_it = |&(index, gate): &(usize, &Gate)| selected(index) && gate.configuration == failing.name;
        let (first, gate) = self.gates().iter().enumerate().find(on_it)?;
        (first != index).then_some(gate)
    }

    /// Whether any gate was decided in this process.
    pub(crate) fn is_decided(&self) -> bool {
        !self.decided().is_empty()
    }

    fn decided(&self) -> MutexGuard<'_, BTreeMap<usize, GateReport>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The verdicts so far, those of the test run's other processes included, in the spec's order.
    pub(super) fn verdicts(&self) -> Vec<GateReport> {
        let mut verdicts = self.decided().clone();
        if let Some(cache) = &self.context.cache {
            let elsewhere = cache.all::<(usize, GateReport)>(&self.key("gate-"));
            verdicts.extend(elsewhere.unwrap_or_default());
        }
        verdicts.into_values().collect()
    }

    /// What was registered from Rust.
    pub(super) fn retrievers(&self) -> &Factories {
        &self.registry.retrievers
    }

    /// The configuration of this name; after the spec was checked there is one.
    pub(super) fn configuration(&self, name: &str) -> Result<&Configuration> {
        let missing = || Error::of(ErrorKind::Internal, format!("the spec has no configuration `{name}`"));
        self.spec.configuration(name).ok_or_else(missing)
    }

    /// The collection, loaded once.
    pub(super) fn collection(&self) -> Result<&Collection> {
        let load = || {
            let work = Work::Loading { benchmark: self.name() };
            let _watched = Watched::start(self.context.observer(), work, None);
            let source = self.spec.collection.resolve()?;
            if !self.spec.collection.pins.is_empty() {
                source.check_pins(&self.spec.collection.pins)?;
            }
            source.load()
        };
        self.collection.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The collection, if it has been loaded.
    pub(super) fn loaded_collection(&self) -> Option<&Collection> {
        self.collection.get()?.as_ref().ok()
    }

    /// What the documents hold, found by reading them once in this test run; `None` without any.
    pub(super) fn corpus(&self) -> Result<Option<&CorpusFacts>> {
        let facts = self.corpus.get_or_init(|| {
            let collection = self.collection()?;
            if collection.corpus().is_err() {
                return Ok(None);
            }
            self.once(&self.key("corpus"), || {
                let work = Work::Reading { benchmark: self.name() };
                let _watched = Watched::start(self.context.observer(), work, None);
                let check = collection.check_corpus()?;
                let (documents, warning) = (check.documents, check.warning());
                Ok(Some(CorpusFacts { documents, sha256: check.sha256, warning }))
            })
        });
        facts.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The same, if it has been found.
    pub(super) fn known_corpus(&self) -> Option<&CorpusFacts> {
        self.corpus.get()?.as_ref().ok()?.as_ref()
    }

    /// The configuration's part of the report; made once it has been measured, and then kept.
    pub(super) fn reported(
        &self,
        configuration: &Configuration,
        measured: impl FnOnce() -> ConfigurationReport,
    ) -> ConfigurationReport {
        self.slot(configuration).report.get_or_init(measured).clone()
    }

    fn slot(&self, configuration: &Configuration) -> &Slot {
        &self.slots[&configuration.name]
    }

    /// The configuration's measurement, made once in this test run.
    pub(super) fn measured(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.slot(configuration).measurement.get_or_init(|| self.measure(configuration)).clone()
    }

    fn measure(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        self.read_golden_files();
        let collection = self.collection().map_err(failure(FailureCause::Collection))?;
        let measurement = if let ConfigurationSource::Run { path, order } = &configuration.source {
            let work = Work::Building { benchmark: self.name(), configuration: &configuration.name };
            let _watched = Watched::start(self.context.observer(), work, None);
            let frozen =
                path.resolve().and_then(|path| measure::frozen(&self.spec, &path, *order, collection));
            frozen.map_err(failure(FailureCause::Run))?
        } else if let Some(recording) = self.recording(configuration).map_err(failure(FailureCause::Run))? {
            let judged = measure::of_run(&self.spec, recording.golden.run.as_ref().clone(), collection);
            judged.map_err(failure(FailureCause::Run))?
        } else {
            // What two documents of one id, or an unreadable corpus, would do to an index is anybody's guess.
            self.corpus().map_err(failure(FailureCause::Collection))?;
            let (factories, observer) = (&self.registry.retrievers, self.context.observer());
            let ask = || measure::answers(&self.spec, configuration, collection, factories, observer);
            let answers = match &self.context.cache {
                None => ask(),
                Some(cache) => {
                    let shared = cache.get_or_retry(&self.answers_key(configuration), ask);
                    shared.map_err(failure(FailureCause::Setup))?
                }
            }?;
            let judged = measure::judge(&self.spec, configuration, collection, answers);
            judged.map_err(failure(FailureCause::Error))?
        };
        let key = self.key(&format!("strangers+{}", configuration.name));
        let strangers = self.once(&key, || known::strangers(&measurement.evaluation));
        match strangers.map_err(failure(FailureCause::Error))? {
            None => Ok(Arc::new(measurement)),
            Some(message) => Err(Failure::of_all(FailureCause::Error(message), 0)),
        }
    }

    /// The run that stands for a retriever which is registered elsewhere, read once.
    pub(super) fn recording(&self, configuration: &Configuration) -> Result<Option<Arc<Recording>>> {
        self.slot(configuration).recorded.get_or_init(|| self.find_recorded(configuration)).clone()
    }

    fn answers_key(&self, configuration: &Configuration) -> String {
        self.key(&format!("answers+{}", configuration.name))
    }

    /// What the processes of a test run share is kept under; names have dots, but no `+`.
    pub(super) fn key(&self, what: &str) -> String {
        format!("{}+{what}", self.name())
    }

    /// What was measured of a configuration so far, by whatever process of the test run.
    pub(super) fn known(&self, configuration: &Configuration) -> Option<Result<Arc<Measurement>, Failure>> {
        if let Some(known) = self.slot(configuration).measurement.get() {
            return Some(known.clone());
        }
        let cache = self.context.cache.as_ref()?;
        cache.holds(&self.answers_key(configuration)).then(|| self.measured(configuration))
    }

    /// What was read of a configuration's golden files before anything was asked.
    pub(super) fn kept(&self, configuration: &Configuration) -> &Kept {
        self.slot(configuration).kept.get_or_init(|| self.keep(configuration))
    }

    /// Why a configuration's blessed run cannot be compared with, if that was tried.
    pub(super) fn broken_golden(&self, configuration: &Configuration) -> Option<&Error> {
        self.slot(configuration).golden.get()?.as_ref().err()
    }

    /// The blessed run with today's judgments, read once; `None` where nothing was blessed.
    pub(super) fn golden(&self, configuration: &Configuration) -> Result<Option<Arc<Golden>>> {
        if self.context.bless.on {
            self.bless_run(configuration)?;
        }
        self.slot(configuration).golden.get_or_init(|| self.read_golden(configuration)).clone()
    }

    /// Blesses what was measured in this process, if that is asked for: the run of each configuration, and
    /// its metric report where the spec wants that. Which gates were selected makes no difference.
    ///
    /// # Errors
    /// The first file that cannot be written; the others are.
    pub fn bless_measured(&self) -> Result<()> {
        if !self.context.bless.on {
            return Ok(());
        }
        let bless = |configuration: &Configuration| {
            self.bless_run(configuration)?;
            if self.spec.snapshot { self.bless_snapshot(configuration).map(drop) } else { Ok(()) }
        };
        let measured = |one: &&Configuration| matches!(self.slot(one).measurement.get(), Some(Ok(_)));
        let blessed: Vec<Result<()>> = self.spec.configurations.iter().filter(measured).map(bless).collect();
        blessed.into_iter().collect()
    }

    /// Writes the configuration's blessed run, once in this test run. The report reads it, so that this
    /// must not need the report.
    pub(super) fn bless_run(&self, configuration: &Configuration) -> Result<Blessing> {
        let once = || self.once(&self.blessed_key(configuration), || self.write_golden(configuration));
        self.slot(configuration).blessed.get_or_init(once).clone()
    }

    /// Writes the configuration's metric report, once in this test run; `None` where blessing is refused.
    pub(super) fn bless_snapshot(&self, configuration: &Configuration) -> Result<Option<GoldenFile>> {
        let once = || self.once(&self.snapped_key(configuration), || self.write_snapshot(configuration));
        self.slot(configuration).snapped.get_or_init(once).clone()
    }

    /// What one process of the test run makes for all of them.
    fn once<T: Serialize + DeserializeOwned>(&self, key: &str, make: impl Fn() -> Result<T>) -> Result<T> {
        match &self.context.cache {
            None => make(),
            Some(cache) => cache.get_or_retry(key, make)?,
        }
    }

    fn blessed_key(&self, configuration: &Configuration) -> String {
        self.key(&format!("blessed+{}", configuration.name))
    }

    fn snapped_key(&self, configuration: &Configuration) -> String {
        self.key(&format!("snapped+{}", configuration.name))
    }

    /// Where the page of the report is once it was written, as messages show it.
    #[must_use]
    pub fn page(&self) -> String {
        self.context.shown(&files::file(&self.context.output, self.name(), "html"))
    }

    /// Writes what was answered, renderings of the report, each by its file ending, and its plots into a folder
    /// beside them; each file whole or not at all.
    pub(crate) fn write_reports(&self, renderings: &[Rendering], plots: Plots) -> Result<()> {
        for configuration in &self.spec.configurations {
            if let Some(Ok(measured)) = self.slot(configuration).measurement.get() {
                let key = self.key(&format!("recorded+{}", configuration.name));
                self.once(&key, || self.write_recorded(configuration, measured))?;
            }
        }
        // The processes of one test run take turns, and each renders what is known when it comes on.
        let lock = |cache: &Cache| cache.lock(&self.key("report"));
        let _turn = self.context.cache.as_ref().map(lock).transpose()?;
        self.read_titles();
        let report = self.report();
        files::remove_errors(&self.context.output, &report, renderings);
        files::write(&self.context.output, &report, renderings, plots)
    }
}

/// An error that keeps a whole configuration from being measured.
fn failure(cause: fn(String) -> FailureCause) -> impl Fn(Error) -> Failure {
    move |error| Failure::of_all(cause(chain(&error)), 0)
}

/// What specs may name.
fn names(registry: &Registry) -> spec::Registry {
    let mut names = spec::Registry::new();
    if registry.takes_any_retriever() {
        names.any_retriever();
    }
    names.metrics = registry.metrics.clone();
    for name in registry.retrievers.names() {
        names.retriever(name);
    }
    if cfg!(feature = "bm25") {
        names.builtin("bm25");
    } else {
        names.unavailable_builtin("bm25", "it needs rankgate's feature `bm25`");
    }
    if !cfg!(feature = "http") {
        names.unavailable_http("it needs rankgate's feature `http`");
    }
    names
}
