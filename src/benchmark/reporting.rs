//! Everything that is known of a benchmark, put into the report's model.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::chain;
use crate::gate::{Baseline, Gate, GateKind};
use crate::retriever::{Failure, FailureCause};
use crate::spec::Configuration;
use crate::words::agree;
use crate::yaml::all_of;

use super::carry::Benchmark;
use super::measure::{Measurement, judging};
use super::model::{ConfigurationReport, Outcome, Report, SCHEMA};
use super::summarize::{Scope, collection_report};

impl Benchmark {
    /// Everything that is known by now.
    #[must_use]
    pub fn report(&self) -> Report {
        let configurations: Vec<ConfigurationReport> =
            self.spec.configurations.iter().map(|one| self.configuration_report(one)).collect();
        let collection = self.loaded_collection().map(|collection| {
            let mut report = collection_report(collection, judging(&self.spec));
            report.documents = self.known_corpus().map(|facts| facts.documents);
            report
        });
        let mut warnings: Vec<String> =
            self.loaded_collection().map(|collection| collection.warnings().to_vec()).unwrap_or_default();
        warnings.extend(self.known_corpus().and_then(|facts| facts.warning.clone()));
        warnings.extend(self.ungated());
        warnings.extend(
            self.spec
                .configurations
                .iter()
                .filter_map(|one| self.broken_golden(one))
                .map(|error| chain(error)),
        );
        let orphans: Vec<String> = self.orphans().iter().map(|path| self.context.shown(path)).collect();
        if !orphans.is_empty() {
            let belong = agree(orphans.len(), "belongs", "belong");
            warnings.push(format!(
                "{} {belong} to no configuration of the spec",
                all_of(orphans.iter().map(String::as_str))
            ));
        }
        Report {
            schema: SCHEMA,
            benchmark: self.name().to_owned(),
            description: self.spec.description.clone(),
            spec: self.context.shown(&self.spec.path),
            spec_sha256: Some(self.spec.sha256.clone()),
            error: None,
            confidence: self.spec.statistics.confidence.level(),
            collection,
            metrics: self.spec.metrics.iter().map(ToString::to_string).collect(),
            depth_because: self.spec.depth_because.as_ref().map(ToString::to_string),
            titles: self.titles_in(&configurations),
            configurations,
            cut_short: self.spec.cut_short().map(ToString::to_string).collect(),
            blessings: self.blessings(),
            gates: self.verdicts(),
            gates_in_spec: self.gates().len(),
            warnings,
        }
    }

    fn configuration_report(&self, configuration: &Configuration) -> ConfigurationReport {
        let report = |outcome| ConfigurationReport {
            name: configuration.name.clone(),
            source: configuration.source.to_string(),
            depth: self.spec.depth,
            repeats: configuration.repeats,
            outcome,
        };
        match (self.known(configuration), &configuration.ignore) {
            (Some(known), _) => self.reported(configuration, || report(self.outcome(configuration, known))),
            (None, Some(reason)) => report(Outcome::Ignored(reason.clone())),
            (None, None) => report(Outcome::NotAsked),
        }
    }

    fn outcome(&self, configuration: &Configuration, known: Result<Arc<Measurement>, Failure>) -> Outcome {
        let measurement = match known {
            Ok(measurement) => measurement,
            Err(failure) => return Outcome::Errored(failure),
        };
        // What was blessed is shown beside what is measured; that it cannot be read is said by the
        // gates that need it.
        let golden = self.golden(configuration).ok().flatten();
        match self.scope().measured(&measurement.evaluation, golden.as_deref()) {
            Ok(mut measured) => {
                measured.cautions.extend(measurement.cautions.iter().cloned());
                Outcome::Measured(Box::new(measured))
            }
            Err(error) => Outcome::Errored(Failure::of_all(
                FailureCause::Error(chain(&error)),
                measurement.evaluation.queries().len(),
            )),
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

    /// Configurations that no gate looks at, which the spec may not mean.
    fn ungated(&self) -> Option<String> {
        if self.gates().is_empty() {
            return Some(format!("there is no gate, so nothing can fail; {}", self.spec.gate_to_add()));
        }
        let gated: BTreeSet<&str> = self
            .gates()
            .iter()
            .flat_map(|gate| self.configurations_of(gate))
            .map(|one| one.name.as_str())
            .collect();
        let names = self.spec.configurations.iter().map(|one| one.name.as_str());
        let ungated: Vec<&str> = names.filter(|name| !gated.contains(name)).collect();
        let them = agree(ungated.len(), "it", "them");
        (!ungated.is_empty())
            .then(|| format!("no gate is on {}: nothing about {them} can fail the build", all_of(ungated)))
    }

    /// The configurations that a gate judges or compares with.
    pub fn configurations_of<'a>(&'a self, gate: &'a Gate) -> impl Iterator<Item = &'a Configuration> {
        let baseline = match &gate.kind {
            GateKind::Comparison { comparison, .. } => match &self.spec.comparisons[*comparison].baseline {
                Baseline::Configuration(name) => Some(name.as_str()),
                Baseline::Golden => None,
            },
            _ => None,
        };
        [Some(gate.configuration.as_str()), baseline]
            .into_iter()
            .flatten()
            .filter_map(|name| self.spec.configuration(name))
    }
}
