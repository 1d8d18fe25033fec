//! A benchmark under way: what is measured is kept, so that each configuration is asked once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::collection::Collection;
use crate::evaluation::Evaluation;
use crate::gate::Gate;
use crate::golden::{self, Bless};
use crate::retriever::{Failure, FailureCause, chain};
use crate::run::Run;
use crate::spec::{Configuration, Names, Problems, Source, Spec};
use crate::{Error, Result};

use super::measure::{self, Measurement};
use super::model::{ConfigurationReport, GateReport, Outcome, Report, SCHEMA, Verdict};
use super::summarize::{Scope, collection_report};
use super::{Context, Registry, decide};

/// A spec together with everything that was measured for it so far.
///
/// Nothing is read or asked before a gate needs it.
pub struct Benchmark {
    pub(super) spec: Spec,
    pub(super) context: Arc<Context>,
    gates: Vec<Gate>,
    registry: Registry,
    collection: OnceLock<Result<Collection, String>>,
    configurations: BTreeMap<String, Slot>,
    decided: Mutex<BTreeMap<usize, GateReport>>,
}

/// What is known of one configuration.
#[derive(Default)]
struct Slot {
    measurement: OnceLock<Result<Arc<Measurement>, Failure>>,
    golden: OnceLock<Option<Arc<Evaluation>>>,
}

impl Benchmark {
    /// Reads a spec to carry it out outside of `cargo test`.
    ///
    /// # Errors
    /// Everything that is wrong with the spec, each with its place in the file.
    pub fn open(path: impl AsRef<Path>, registry: &Registry) -> Result<Self, Problems> {
        let path = path.as_ref();
        let root = path.parent().unwrap_or(Path::new(".")).to_owned();
        let context = Context {
            output: root.join("target/rankgate"),
            root,
            bless: Bless { on: false, ci: false },
            site: None,
            cache: None,
            command: format!("rankgate run {}", path.display()),
            snapshot: |_, _| String::new(),
        };
        Self::load(path, registry, Arc::new(context))
    }

    /// Reads a spec.
    pub(crate) fn load(path: &Path, registry: &Registry, context: Arc<Context>) -> Result<Self, Problems> {
        let names = Names::new(registry.retrievers.names(), BUILTIN, &registry.metrics);
        let spec = Spec::load(path, &names)?;
        let configurations = spec.configurations.iter().map(|c| (c.name.clone(), Slot::default())).collect();
        Ok(Self {
            gates: spec.gates(),
            spec,
            context,
            registry: registry.clone(),
            collection: OnceLock::new(),
            configurations,
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
        &self.gates
    }

    /// Decides every gate that is not ignored and returns the report.
    #[must_use]
    pub fn run(&self) -> Report {
        for (index, gate) in self.gates.iter().enumerate() {
            if self.ignored(gate).is_none() {
                self.decide(index);
            }
        }
        self.report()
    }

    /// Why the spec ignores a gate, if it does: one of its configurations says `ignore:`.
    pub(crate) fn ignored(&self, gate: &Gate) -> Option<&str> {
        gate.configurations().find_map(|name| self.configuration(name)?.ignore.as_deref())
    }

    /// Decides the gate at a position of [`gates`](Self::gates).
    pub(crate) fn decide(&self, index: usize) -> GateReport {
        let report = decide::decide(self, &self.gates[index]);
        if let Some(cache) = &self.context.cache {
            // Only the common report would miss this verdict; the test itself has it.
            drop(cache.put(&self.gate_key(index), &(index, &report)));
        }
        self.decided.lock().unwrap_or_else(PoisonError::into_inner).insert(index, report.clone());
        report
    }

    /// How many gates were decided in this process.
    pub(crate) fn decided(&self) -> usize {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn gate_key(&self, index: usize) -> String {
        format!("{}.gate-{index:06}", self.name())
    }

    /// The configuration of this name.
    pub(super) fn configuration(&self, name: &str) -> Option<&Configuration> {
        self.spec.configurations.iter().find(|configuration| configuration.name == name)
    }

    /// The collection, loaded once.
    pub(super) fn collection(&self) -> Result<&Collection, &str> {
        let load = || self.spec.collection.load().map_err(|error| chain(&error));
        self.collection.get_or_init(load).as_ref().map_err(String::as_str)
    }

    /// The configuration's measurement, made once in this process and once in this test run.
    pub(super) fn measured(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        let slot = &self.configurations[&configuration.name];
        slot.measurement.get_or_init(|| self.measure(configuration)).clone()
    }

    fn measure(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        let failure = |message| Failure { query: None, cause: FailureCause::Setup(message), failed: 1, asked: 0 };
        let collection = self.collection().map_err(|message| failure(message.to_owned()))?;
        let measurement = match &configuration.source {
            Source::Run { path, order } => path
                .resolve()
                .and_then(|path| measure::frozen(&self.spec, &path, *order, collection)),
            _ => {
                let ask = || measure::answers(&self.spec, configuration, collection, &self.registry.retrievers);
                let answers = match &self.context.cache {
                    None => ask(),
                    Some(cache) => cache
                        .get_or_make(&self.answers_key(configuration), ask)
                        .map_err(|error| failure(chain(&error)))?,
                }?;
                measure::judge(&self.spec, configuration, collection, answers)
            }
        };
        measurement.map(Arc::new).map_err(|error| failure(chain(&error)))
    }

    fn answers_key(&self, configuration: &Configuration) -> String {
        format!("{}.{}", self.name(), configuration.name)
    }

    /// What was measured of a configuration so far, by whatever process of the test run.
    fn known(&self, configuration: &Configuration) -> Option<Result<Arc<Measurement>, Failure>> {
        let slot = &self.configurations[&configuration.name];
        let elsewhere = || {
            let cache = self.context.cache.as_ref()?;
            cache.holds(&self.answers_key(configuration)).then(|| self.measured(configuration))
        };
        slot.measurement.get().cloned().or_else(elsewhere)
    }

    /// The blessed run with today's judgments; `None` where nothing was blessed or it cannot be read.
    pub(super) fn golden(&self, configuration: &Configuration) -> Option<Arc<Evaluation>> {
        let slot = &self.configurations[&configuration.name];
        let read = || {
            let path = self.golden_folder().ok()?.join(format!("{}.run", configuration.name));
            let run = golden::read_run(&path).ok()??;
            self.judge_golden(run).ok().map(Arc::new)
        };
        slot.golden.get_or_init(read).clone()
    }

    fn judge_golden(&self, mut run: Run) -> Result<Evaluation> {
        let collection = self.collection().map_err(Error::invalid)?;
        run.truncate(self.spec.depth);
        Evaluation::of_run(collection, run)?.judged_by(measure::judging(&self.spec))
    }

    /// `golden/<benchmark>`.
    pub(super) fn golden_folder(&self) -> Result<std::path::PathBuf> {
        Ok(self.spec.golden.resolve()?.join(self.name()))
    }

    /// Everything that is known by now.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut gates = self.decided.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(cache) = &self.context.cache {
            let prefix = format!("{}.gate-", self.name());
            let elsewhere: Vec<(usize, GateReport)> = cache.all(&prefix).unwrap_or_default();
            gates.extend(elsewhere);
        }
        let configurations: Vec<ConfigurationReport> =
            self.spec.configurations.iter().map(|configuration| self.configuration_report(configuration)).collect();
        let collection = match self.collection.get() {
            Some(Ok(collection)) => Some(collection_report(collection, self.spec.relevant_from)),
            _ => None,
        };
        let mut warnings = Vec::new();
        if let Some(Ok(collection)) = self.collection.get() {
            warnings.extend(collection.warnings().iter().cloned());
        }
        Report {
            schema: SCHEMA,
            benchmark: self.name().to_owned(),
            description: self.spec.description.clone(),
            spec: self.context.shown(&self.spec.path),
            confidence: self.spec.statistics.confidence.level(),
            collection,
            metrics: self.spec.metrics.iter().map(ToString::to_string).collect(),
            configurations,
            gates: gates.into_values().collect(),
            warnings,
        }
    }

    pub(super) fn configuration_report(&self, configuration: &Configuration) -> ConfigurationReport {
        let outcome = match (self.known(configuration), &configuration.ignore) {
            (Some(Err(failure)), _) => Outcome::Errored(failure),
            (Some(Ok(measurement)), _) => {
                let golden = self.golden(configuration);
                match self.scope().measured(&measurement.evaluation, golden.as_deref()) {
                    Ok(measured) => Outcome::Measured(Box::new(measured)),
                    Err(error) => Outcome::Errored(Failure {
                        query: None,
                        cause: FailureCause::Error(chain(&error)),
                        failed: 1,
                        asked: measurement.evaluation.queries().len(),
                    }),
                }
            }
            (None, Some(reason)) => Outcome::Ignored(reason.clone()),
            (None, None) => Outcome::NotAsked,
        };
        ConfigurationReport {
            name: configuration.name.clone(),
            source: configuration.source.to_string(),
            depth: self.spec.depth,
            repeats: configuration.repeats.get(),
            outcome,
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            metrics: &self.spec.metrics,
            segments: &self.spec.segments,
            confidence: self.spec.statistics.confidence,
            deepest: self.spec.depth,
        }
    }

    /// Verdicts of the gates decided in this process.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner).values().map(|gate| gate.verdict).collect()
    }
}

/// Retrievers that are built in, with the feature that each needs.
const BUILTIN: &[&str] = if cfg!(feature = "bm25") { &["bm25"] } else { &[] };
