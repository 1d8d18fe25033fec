//! What crates that examine a benchmark know of it beside what its users do.

use std::path::Path;
use std::sync::Arc;

use crate::Result;
use crate::analysis::Pair;
use crate::collection::Collection;
use crate::evaluation::{Evaluation, runs};
use crate::retriever::Failure;
use crate::run::Run;
use crate::spec::{Configuration, Spec};

use super::{Benchmark, Recorded};
use crate::measure::{self, Measure};

/// A benchmark under examination: gates are decided from the same data, which are read or asked once for all.
#[derive(Clone, Copy)]
pub struct Inspection<'a>(&'a Benchmark);

impl<'a> Inspection<'a> {
    /// Nothing is read or asked before it is needed.
    pub fn new(benchmark: &'a Benchmark) -> Self {
        Self(benchmark)
    }

    fn cache(&self) -> &'a Measure {
        self.0.cache()
    }

    /// A path as messages show it.
    pub fn shown(&self, path: &Path) -> String {
        self.cache().context.shown(path)
    }

    /// The run that stands for a retriever which is registered from Rust.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn recording(&self, configuration: &Configuration) -> Result<Option<Recorded>> {
        Ok(self.cache().recording(configuration)?.map(|one| one.said.clone()))
    }

    /// The scores of a configuration, which is asked for them once.
    ///
    /// # Errors
    /// What keeps it from being measured.
    pub fn evaluation(&self, configuration: &Configuration) -> Result<Evaluation, Failure> {
        Ok(self.cache().measurement(configuration)?.evaluation.clone())
    }

    /// The two sides of a comparison, by its place in the spec.
    ///
    /// # Errors
    /// A side that cannot be measured.
    pub fn pair(&self, comparison: usize) -> Result<Arc<Pair>> {
        self.0.decisions.pair(comparison)
    }

    /// How many comparisons are tested together with this one.
    pub fn family_size(&self, comparison: usize) -> usize {
        self.0.decisions.family_size(comparison)
    }

    /// Looks through the documents, once.
    ///
    /// # Errors
    /// Documents that cannot be read, or two of one id.
    pub fn check_corpus(&self) -> Result<()> {
        self.cache().corpus().map(drop)
    }

    /// The runs that stand for a retriever which is registered from Rust, one for each repeat.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn recorded_runs(&self, configuration: &Configuration) -> Result<Option<Vec<Run>>> {
        let recording = self.cache().recording(configuration)?;
        Ok(recording.map(|one| one.golden.runs.iter().map(|run| run.as_ref().clone()).collect()))
    }

    /// What a configuration answers to queries that need not be the benchmark's, once for each repeat. Nothing of it is
    /// kept.
    ///
    /// # Errors
    /// A configuration that cannot be asked.
    pub fn ask(&self, spec: &Spec, configuration: &Configuration, queries: &Collection) -> Result<Vec<Run>> {
        let answers = measure::ask(self.cache(), spec, configuration, queries)?;
        runs(queries.queries_to_ask(), answers.passes)
    }
}
