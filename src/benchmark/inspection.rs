//! What suites and crates that examine a benchmark know of it beside what its users do. Gates are decided from the same data,
//! which are read or asked once for all.

use std::path::Path;
use std::sync::Arc;

use crate::Result;
use crate::analysis::Pair;
use crate::collection::Collection;
use crate::evaluation::{Evaluation, runs};
use crate::run::Run;
use crate::spec::{Configuration, Spec};

use super::{Benchmark, Recorded};
use crate::measure;

#[doc(hidden)]
impl Benchmark {
    /// A path as messages show it.
    pub fn shown(&self, path: &Path) -> String {
        self.measure().context.shown(path)
    }

    /// The run that stands for a retriever which is registered from Rust.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn recording(&self, configuration: &Configuration) -> Result<Option<Recorded>> {
        Ok(self.measure().recording(configuration)?.map(|one| one.said.clone()))
    }

    /// The runs that stand for a retriever which is registered from Rust, one for each repeat.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn recorded_runs(&self, configuration: &Configuration) -> Result<Option<Vec<Run>>> {
        let recording = self.measure().recording(configuration)?;
        Ok(recording.map(|one| one.golden.runs.iter().map(|run| run.as_ref().clone()).collect()))
    }

    /// What a configuration answered, scored; it is asked now if it was not.
    ///
    /// # Errors
    /// A collection that cannot be loaded, a configuration that cannot be measured.
    pub fn evaluation_of(&self, configuration: &str) -> Result<Evaluation> {
        let configuration = self.measure().configuration(configuration)?;
        Ok(self.measure().measurement(configuration)?.evaluation.clone())
    }

    /// The same, if it was asked and answered.
    pub(crate) fn evaluation_so_far(&self, configuration: &str) -> Option<Evaluation> {
        let configuration = self.measure().configuration(configuration).ok()?;
        Some(self.measure().measured_so_far(configuration)?.ok()?.evaluation.clone())
    }

    /// The two sides of a comparison, by its place in the spec.
    ///
    /// # Errors
    /// A side that cannot be measured.
    pub fn pair(&self, comparison: usize) -> Result<Arc<Pair>> {
        self.decisions.pair(comparison)
    }

    /// How many comparisons are tested together with this one.
    pub fn family_size(&self, comparison: usize) -> usize {
        self.decisions.family_size(comparison)
    }

    /// Looks through the documents, once.
    ///
    /// # Errors
    /// Documents that cannot be read, or two of one id.
    pub fn check_corpus(&self) -> Result<()> {
        self.measure().corpus().map(drop)
    }

    /// What a configuration answers to queries that need not be the benchmark's, once for each repeat. Nothing of it is
    /// kept.
    ///
    /// # Errors
    /// A configuration that cannot be asked.
    pub fn ask(&self, spec: &Spec, configuration: &Configuration, queries: &Collection) -> Result<Vec<Run>> {
        let answers = measure::ask(self.measure(), spec, configuration, queries)?;
        runs(queries.queries_to_ask(), answers.passes)
    }
}
