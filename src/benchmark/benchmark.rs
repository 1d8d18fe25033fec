//! A benchmark under way: its gates are decided one by one, and all that is known by then is reported.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::Result;
use crate::collection::{Collection, Document};
use crate::gate::Gate;
use crate::spec::{self, Configuration, Spec};

use super::Registry;
use super::decide::Decisions;
use crate::measure::{Context, Measure};
use crate::model::{Blessing, GateReport};

/// A spec together with everything that was measured and decided for it so far.
///
/// Nothing is read or asked before a gate needs it.
pub struct Benchmark {
    pub(crate) decisions: Decisions,
    /// Whether a suite has gates on it, so that it need not have any.
    pub(super) of_suite: bool,
}

impl Benchmark {
    /// Reads a spec; `of_suite` says that a suite has the gates, so that it needs none.
    pub(crate) fn load(
        path: &Path,
        registry: &Registry,
        context: Arc<Context>,
        of_suite: bool,
    ) -> Result<Self> {
        let mut names = names(registry);
        if of_suite || context.site.is_none() {
            // Only a test has to be able to fail.
            names.without_gates();
        }
        let spec = Spec::load(path, &names)?;
        #[cfg(feature = "bm25")]
        for configuration in &spec.configurations {
            crate::measure::builtin::parameters(&configuration.source)?;
        }
        let measure = Measure::new(spec, registry.clone(), context);
        Ok(Self { decisions: Decisions::new(measure), of_suite })
    }

    pub(super) fn measure(&self) -> &Measure {
        &self.decisions.measure
    }

    /// The benchmark's name.
    pub fn name(&self) -> &str {
        self.measure().name()
    }

    /// How many judged queries means are taken over, if the collection has been loaded.
    pub(crate) fn judged_queries(&self) -> Option<usize> {
        self.decisions.collection_report().map(|collection| collection.queries)
    }

    /// Every gate of the spec, in its order.
    pub fn gates(&self) -> &[Gate] {
        &self.spec().gates
    }

    /// The checked spec.
    pub fn spec(&self) -> &Spec {
        &self.measure().spec
    }

    /// The collection that is searched and judged.
    ///
    /// # Errors
    /// One that cannot be loaded.
    pub fn collection(&self) -> Result<&Collection> {
        self.measure().collection()
    }

    /// These documents, by id, as far as the corpus has them.
    ///
    /// # Errors
    /// A corpus that cannot be read, a collection without one.
    pub fn documents<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Result<HashMap<String, Document>> {
        self.measure().collection()?.corpus()?.find(ids)
    }

    /// Reads what was blessed of every configuration, unless that has been done. Gates do so before they ask
    /// anything; where several benchmarks are carried out, all of them should before the first does.
    pub fn read_golden_files(&self) {
        self.measure().read_golden_files();
    }

    /// Decides the gates that are selected, as [`run_where`](Self::run_where) does, for those who want no report yet:
    /// for thousands of queries it takes as long as the gates.
    pub fn decide_where(&self, selected: impl Fn(&Gate) -> bool) {
        let all = self.gates().iter().enumerate();
        let indices: Vec<usize> = all.filter(|(_, gate)| selected(gate)).map(|(index, _)| index).collect();
        let whole = indices.len() == self.gates().len();
        let context = &self.measure().context;
        let mut fails = false;
        for index in indices {
            fails |= self.decide(index).verdict.fails();
        }
        if whole {
            self.measure_rest();
        }
        if context.reports || fails {
            self.measure().read_titles();
        }
    }

    /// Takes notice of the only gates that will be decided, before the first is: nothing is asked for others.
    pub(crate) fn expect_gates(&self, selected: impl Fn(&Gate) -> bool) {
        self.measure().expect_gates(self.gates().iter().filter(|gate| selected(gate)));
    }

    /// Measures what no gate needed, for the report alone.
    pub(crate) fn measure_rest(&self) {
        for configuration in &self.spec().configurations {
            // Why it cannot be measured is the report's to say.
            drop(self.measure().measurement(configuration));
        }
    }

    /// Decides the gate at a position of [`gates`](Self::gates).
    pub(crate) fn decide(&self, index: usize) -> GateReport {
        self.decisions.decide(index)
    }

    /// Whether any gate was decided in this process.
    pub(crate) fn is_decided(&self) -> bool {
        self.decisions.any()
    }

    /// Another gate that was kept from being decided by the same failing configuration, which it is on:
    /// the first of those that `selected` says will run.
    pub(crate) fn same_cause(&self, index: usize, selected: impl Fn(usize) -> bool) -> Option<&Gate> {
        let failed = |one: &&Configuration| self.measure().measured_here(one).is_some_and(Result::is_err);
        let failing = self.configurations_of(&self.gates()[index]).find(failed)?;
        let on_it = |&(index, gate): &(usize, &Gate)| selected(index) && gate.configuration == failing.name;
        let (first, gate) = self.gates().iter().enumerate().find(on_it)?;
        (first != index).then_some(gate)
    }

    /// Gates before this one on the same configuration that fail as well, at most so many of those that `selected` says
    /// will run: their messages contain a part of this one's.
    pub(crate) fn failing_before(
        &self,
        index: usize,
        most: usize,
        selected: impl Fn(usize) -> bool,
    ) -> Vec<GateReport> {
        let configuration = &self.gates()[index].configuration;
        let on_it = |&other: &usize| selected(other) && &self.gates()[other].configuration == configuration;
        let before = (0..index).filter(on_it).take(most).map(|other| self.decisions.report_of(other));
        before.filter(|gate| gate.verdict.fails()).collect()
    }

    /// The configurations that a gate judges or compares with.
    pub fn configurations_of<'a>(&'a self, gate: &'a Gate) -> impl Iterator<Item = &'a Configuration> {
        self.spec().configurations_of(gate)
    }

    /// Blesses this process's measurements, where blessing is on: the run of each configuration, and
    /// its metric report where the spec wants that. Which gates were selected makes no difference.
    ///
    /// # Errors
    /// The first file that cannot be written; the others are.
    pub fn bless_measured(&self) -> Result<()> {
        self.decisions.bless_measured()
    }

    /// The result of blessing so far, by any process of the test run: by configuration, in the spec's
    /// order.
    pub fn blessings(&self) -> Vec<Blessing> {
        self.decisions.blessings()
    }

    /// The blessings that were refused of configurations which a gate that was decided here judges.
    pub(crate) fn refused(&self) -> Vec<Blessing> {
        let mut refused = self.blessings();
        refused.retain(|blessing| blessing.refused && self.decisions.any_on(&blessing.configuration));
        refused
    }
}

/// What specs may name.
pub(crate) fn names(registry: &Registry) -> spec::Registry {
    let mut names = registry.names.clone();
    names.metrics = registry.metrics.clone();
    for name in registry.retrievers.names() {
        names.retriever(name);
    }
    if !cfg!(feature = "bm25") {
        names.without_feature("bm25");
    }
    if !cfg!(feature = "http") {
        names.without_feature("http");
    }
    names
}
