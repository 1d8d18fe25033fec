//! Measurements with which of their answers decline, where a metric of the spec counts that.

use std::sync::Arc;

use super::{Cache, Measurement};
use crate::metric::Metric;
use crate::retriever::Failure;
use crate::spec::Configuration;

impl Cache {
    /// The configuration's measurement, made once in this test run.
    pub(crate) fn measurement(&self, configuration: &Configuration) -> Result<Arc<Measurement>, Failure> {
        let counts_refusals = |metric: &Metric| metric.requirements().refusals;
        if !configuration.answers_queries() || !self.spec.metrics.iter().any(counts_refusals) {
            return self.raw_measurement(configuration);
        }
        let with_refusals = || {
            let measured = self.raw_measurement(configuration)?;
            let refusals = self.refusals(configuration, &measured);
            let measured = Measurement::clone(&measured);
            let evaluation = measured.evaluation.with_refusals(refusals);
            Ok(Arc::new(Measurement { evaluation, ..measured }))
        };
        self.slot(configuration).with_refusals.get_or_init(with_refusals).clone()
    }

    /// The same, if this process has made it; of a stage, if this process has asked its configuration.
    pub(crate) fn measured_here_with_stages(
        &self,
        configuration: &Configuration,
    ) -> Option<Result<Arc<Measurement>, Failure>> {
        self.measured_here(self.asked_configuration(configuration))?;
        Some(self.measurement(configuration))
    }

    /// The same, if some process of the test run has asked it.
    pub(crate) fn measured_so_far(
        &self,
        configuration: &Configuration,
    ) -> Option<Result<Arc<Measurement>, Failure>> {
        let answered = || self.is_answered(configuration).then(|| self.measurement(configuration));
        self.measured_here_with_stages(configuration).or_else(answered)
    }
}
