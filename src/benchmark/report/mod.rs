//! Everything that is known of a benchmark, put into the report's model and written down.

mod files;
mod history;
mod never_failing;

use std::collections::{BTreeMap, BTreeSet};

use crate::Result;
use crate::error::chain;
use crate::gate::{Gate, Level};
use crate::measure::{orphans, write_recorded_runs};
use crate::words::agree;
use crate::yaml::all_of;

use super::benchmark::Benchmark;
use crate::model::{ConfigurationReport, GateReport, Outcome, Report, Warning};

pub(crate) use files::{write_error, write_files};
pub(super) use history::gated;
pub(crate) use never_failing::never_failing;

impl Benchmark {
    /// Decides every gate, measures what no gate needed, and returns the report.
    pub fn run(&self) -> Report {
        self.run_where(|_| true)
    }

    /// Decides the gates that are selected and returns the report. No verdict depends on what else was
    /// selected. Configurations that no gate needs are measured where all gates were selected.
    pub fn run_where(&self, selected: impl Fn(&Gate) -> bool) -> Report {
        self.decide_where(selected);
        self.report()
    }

    /// Everything that is known by now.
    pub fn report(&self) -> Report {
        let (measure, spec) = (self.measure(), self.spec());
        let part = |one| self.decisions.configuration_report(one);
        let configurations: Vec<ConfigurationReport> = spec.configurations.iter().map(part).collect();
        let gates = self.decisions.verdicts();
        let collection = measure.collection_so_far();
        let mut warnings: Vec<String> =
            collection.map(|collection| collection.warnings().to_vec()).unwrap_or_default();
        warnings.extend(measure.corpus_so_far().and_then(|facts| facts.warning.clone()));
        warnings.extend(self.ungated());
        warnings.extend(never_failing(self.gates(), &self.spec().thresholds));
        warnings.extend(
            spec.configurations.iter().filter_map(|one| measure.broken_golden(one)).map(|error| chain(error)),
        );
        let orphans = orphans(measure);
        if !orphans.is_empty() {
            let shown: Vec<String> = orphans.iter().map(|path| measure.context.shown(path)).collect();
            let belong = agree(shown.len(), "belongs", "belong");
            let them = all_of(shown.iter().map(String::as_str));
            warnings.push(format!("{them} {belong} to no configuration of the spec"));
        }
        Report {
            history: self.history(),
            spec: measure.context.shown(&spec.path),
            spec_sha256: Some(spec.sha256.clone()),
            rerun: measure.context.rerun(&spec.path),
            confidence: spec.statistics.confidence.level(),
            collection: self.decisions.collection_report(),
            metrics: spec.metrics.iter().map(ToString::to_string).collect(),
            depth_because: spec.depth_because.as_ref().map(ToString::to_string),
            titles: self.titles_in(&configurations, &gates),
            configurations,
            cut_short: spec.cut_short().map(ToString::to_string).collect(),
            blessings: self.blessings(),
            gates,
            gates_in_spec: self.gates().len(),
            warnings: warnings.into_iter().map(|text| Warning::new("benchmark", text)).collect(),
            ..Report::blank(self.name())
        }
    }

    /// Configurations about which no gate can fail, which the spec may not mean.
    fn ungated(&self) -> Option<String> {
        if self.of_suite {
            return None;
        }
        if self.gates().is_empty() {
            return Some(format!("there is no gate, so nothing can fail; {}", self.spec().gate_to_add()));
        }
        if self.gates().iter().all(|gate| gate.level == Level::Advisory) {
            return Some("every gate is advisory: no score can fail the build".to_owned());
        }
        let gated = self.gates().iter().flat_map(|gate| self.configurations_of(gate));
        let gated: BTreeSet<&str> = gated.map(|one| one.name.as_str()).collect();
        let names = self.spec().configurations.iter().map(|one| one.name.as_str());
        let ungated: Vec<&str> = names.filter(|name| !gated.contains(name)).collect();
        let them = agree(ungated.len(), "it", "them");
        (!ungated.is_empty())
            .then(|| format!("no gate is on {}: nothing about {them} can fail the build", all_of(ungated)))
    }

    /// The titles of the documents that rankings of these configurations and movements of these gates name, as far as they
    /// have been read.
    fn titles_in(
        &self,
        configurations: &[ConfigurationReport],
        gates: &[GateReport],
    ) -> BTreeMap<String, String> {
        let Some(all) = self.measure().titles_so_far() else { return BTreeMap::new() };
        let measured = configurations.iter().filter_map(|configuration| match &configuration.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Error(_) | Outcome::NotAsked => None,
        });
        let rankings = measured.flat_map(|measured| &measured.queries).flat_map(|query| {
            let blessed = query.golden.iter();
            query.ranking.iter().chain(blessed.filter_map(|blessed| blessed.ranking.as_ref()))
        });
        let named = rankings.flat_map(|ranking| ranking.iter().map(|ranked| &ranked.document));
        let moved = gates.iter().flat_map(|gate| gate.finding.moved_documents());
        let mut titles = BTreeMap::new();
        for id in named.chain(moved) {
            if !titles.contains_key(id)
                && let Some(title) = all.get(id)
            {
                titles.insert(id.clone(), title.clone());
            }
        }
        titles
    }

    /// Reads the titles of all documents, once in this test run, for messages to show them.
    pub(crate) fn read_titles(&self) {
        self.measure().read_titles();
    }

    /// Where the page of the report is once it was written, as messages show it.
    pub fn page(&self) -> String {
        self.measure().context.page(self.name())
    }

    /// Writes what was answered and the renderings of the report, each file whole or not at all.
    pub(crate) fn write_reports(&self) -> Result<()> {
        let measure = self.measure();
        write_recorded_runs(measure)?;
        // The processes of one test run take turns, and each renders what is known when it comes on.
        let lock = |shared: &crate::cache::Cache| shared.lock(&measure.key("report"));
        let _turn = measure.context.cache.as_ref().map(lock).transpose()?;
        measure.read_titles();
        write_files(&measure.context.output, &self.report())
    }
}
