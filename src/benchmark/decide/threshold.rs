//! Gates on a value: a metric held to its limits.

use crate::Result;
use crate::evaluation::{Estimate, Evaluation};
use crate::finding::{self, judged_some};
use crate::gate::{Threshold, hold};
use crate::metric::Metric;
use crate::spec::Configuration;

use super::{Decision, Decisions};
use crate::model::{Finding, ThresholdFinding, Verdict};

impl Decisions {
    pub(super) fn threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<Decision> {
        let (evaluation, estimate, verdict) = self.held(configuration, threshold, metric)?;
        // What was blessed only explains: a limit is decided without it.
        let golden = self.golden(configuration).ok().flatten();
        let limits = [threshold.min, threshold.max];
        let finding = ThresholdFinding {
            segment: threshold.segment.as_ref().map(|one| [one.key.clone(), one.value.clone()]),
            cautions: self.cache.measurement(configuration)?.cautions.clone(),
            ..finding::threshold(&evaluation, metric, &estimate, threshold.bound, limits, golden.as_deref())?
        };
        Ok(Decision { verdict, acceptable: false, finding: Finding::Threshold(Box::new(finding)) })
    }

    /// What a threshold is about, and whether it is kept.
    pub(super) fn held(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<(Evaluation, Estimate, Verdict)> {
        let mut evaluation = self.cache.measurement(configuration)?.evaluation.clone();
        judged_some(&evaluation, &configuration.name, metric)?;
        if let Some(segment) = &threshold.segment {
            evaluation = evaluation.segment(&segment.key, &segment.value)?;
        }
        let estimate = evaluation.estimate(metric, self.cache.spec.statistics.confidence)?;
        let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
        Ok((evaluation, estimate, verdict))
    }
}
