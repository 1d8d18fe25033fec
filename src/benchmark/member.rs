//! What a suite asks of a benchmark that is one of its own.

use std::sync::Arc;

use crate::Result;
use crate::analysis::Pair;
use crate::evaluation::Evaluation;
use crate::gate::{Baseline, Comparison, Threshold};
use crate::metric::Metric;
use crate::model::CoverageReport;

use super::Benchmark;

impl Benchmark {
    /// What a configuration answered, asked now if it was not.
    ///
    /// # Errors
    /// A collection that cannot be loaded, a configuration that cannot be measured.
    pub(crate) fn evaluation_of(&self, configuration: &str) -> Result<Evaluation> {
        let configuration = self.cache().configuration(configuration)?;
        Ok(self.cache().measurement(configuration)?.evaluation.clone())
    }

    /// The same, if it was asked and answered.
    pub(crate) fn evaluation_so_far(&self, configuration: &str) -> Option<Evaluation> {
        let configuration = self.cache().configuration(configuration).ok()?;
        Some(self.cache().measured_so_far(configuration)?.ok()?.evaluation.clone())
    }

    /// The two sides of a comparison that is not the spec's own.
    ///
    /// # Errors
    /// A side that cannot be measured, or was not blessed.
    pub(crate) fn pair_of(&self, candidate: &str, baseline: &Baseline) -> Result<Arc<Pair>> {
        self.decisions.pair_between(candidate, baseline, None)
    }

    /// Incomplete coverage of a suite's limit.
    ///
    /// # Errors
    /// What was measured, or the corpus, cannot be read.
    pub(crate) fn coverage_of_limit(
        &self,
        configuration: &str,
        threshold: &Threshold,
        metric: &Metric,
        of_suite: Option<f64>,
    ) -> Result<Option<CoverageReport>> {
        let threshold = Threshold { coverage: of_suite, ..threshold.clone() };
        let configuration = self.cache().configuration(configuration)?;
        self.decisions.coverage_of_threshold(configuration, &threshold, metric, true)
    }

    /// The same of what a suite compares.
    ///
    /// # Errors
    /// As for [`coverage_of_limit`](Self::coverage_of_limit).
    pub(crate) fn coverage_of_pair(
        &self,
        comparison: &Comparison,
        metric: &Metric,
        pair: &Pair,
        of_suite: Option<f64>,
    ) -> Result<Option<CoverageReport>> {
        self.decisions.coverage_in_suite(comparison, metric, pair, of_suite)
    }
}
