//! What gates and reports say of a configuration as a whole.

use std::sync::OnceLock;

use crate::Result;
use crate::analysis::{Scope, collection_report};
use crate::error::chain;
use crate::retriever::{Failure, FailureCause};
use crate::spec::Configuration;

use super::Decisions;
use crate::measure::Measurement;
use crate::model::{
    Blessing, CollectionReport, ConfigurationHistory, ConfigurationReport, Outcome, Row, Warning,
};

/// What was made of one configuration, once.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) blessed: OnceLock<Result<Blessing>>,
    pub(super) snapped: OnceLock<Result<Option<Row>>>,
    report: OnceLock<ConfigurationReport>,
    history: OnceLock<ConfigurationHistory>,
}

impl Decisions {
    pub(super) fn slot(&self, configuration: &Configuration) -> &Slot {
        &self.slots[&configuration.name]
    }

    /// The collection in numbers, if it has been loaded.
    pub(crate) fn collection_report(&self) -> Option<CollectionReport> {
        let collection = self.measure.collection_so_far()?;
        Some(CollectionReport {
            documents: self.measure.corpus_so_far().map(|facts| facts.documents),
            ..collection_report(collection, self.measure.judging())
        })
    }

    /// The configuration's part of the report; made once it has been measured, and then kept.
    pub(crate) fn configuration_report(&self, configuration: &Configuration) -> ConfigurationReport {
        let report = |outcome| ConfigurationReport {
            name: configuration.name.clone(),
            source: configuration.source.to_string(),
            depth: self.measure.spec.depth,
            repeats: configuration.repeats,
            outcome,
        };
        match self.measure.measured_so_far(configuration) {
            Some(measured) => {
                let outcome = || match measured {
                    Ok(measurement) => self.outcome(configuration, &measurement),
                    Err(failure) => Outcome::Error(failure),
                };
                self.slot(configuration).report.get_or_init(|| report(outcome())).clone()
            }
            None => report(Outcome::NotAsked),
        }
    }

    /// What places the configuration in a history; made once it has been measured, and then kept.
    pub(crate) fn history_of(
        &self,
        configuration: &Configuration,
        make: impl FnOnce() -> Option<ConfigurationHistory>,
    ) -> Option<ConfigurationHistory> {
        let kept = &self.slot(configuration).history;
        kept.get().cloned().or_else(|| make().map(|made| kept.get_or_init(|| made).clone()))
    }

    /// What the report says of configurations, with rankings where they are pictured.
    fn scope(&self, pictured: bool) -> Scope<'_> {
        let spec = &self.measure.spec;
        Scope {
            metrics: &spec.metrics,
            segments: &spec.segments,
            confidence: spec.statistics.confidence,
            deepest: spec.depth,
            pictured,
        }
    }

    /// Whether the report can say all that was measured: else nothing of the configuration is blessed.
    ///
    /// # Errors
    /// A metric of the spec that cannot be computed of it.
    pub(super) fn check_scores(&self, measurement: &Measurement) -> Result<()> {
        self.scope(false).measured(&measurement.evaluation, None).map(drop)
    }

    /// Whether a metric of the spec at least can be computed of it.
    pub(super) fn has_scores(&self, measurement: &Measurement) -> bool {
        self.scope(false).measured_in_part(&measurement.evaluation, None).is_ok()
    }

    fn outcome(&self, configuration: &Configuration, measurement: &Measurement) -> Outcome {
        // What was blessed is shown beside what is measured; that it cannot be read is said by the
        // gates that need it.
        let golden = self.blessed(configuration).ok().flatten();
        match self.scope(true).measured_in_part(&measurement.evaluation, golden.as_deref()) {
            Ok(mut measured) => {
                measured.warnings.extend(measurement.warnings.iter().map(|text| Warning::new("side", text)));
                Outcome::Measured(Box::new(measured))
            }
            Err(error) => Outcome::Error(Failure::of_all(
                FailureCause::Error(chain(&error)),
                measurement.evaluation.queries().len(),
            )),
        }
    }
}
