//! Gates on a value: a metric held to its limits.

use super::ThresholdGate;
use crate::analysis::{self, cut_lists, judged_some};
use crate::benchmark::decide::{Decide, Decision, Decisions};
use crate::collection::Query;
use crate::error::Quoted;
use crate::evaluation::{Estimate, Evaluation, hold};
use crate::gate::{Level, Threshold};
use crate::metric::Metric;
use crate::spec::Configuration;
use crate::{Error, Result};

use crate::model::{CoverageReport, Finding, ThresholdFinding, Verdict};

/// What a threshold is about, and whether it is kept.
pub(crate) struct HeldThreshold {
    pub(crate) evaluation: Evaluation,
    pub(crate) estimate: Estimate,
    pub(crate) verdict: Verdict,
}

impl Decide for ThresholdGate {
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision> {
        decisions.threshold(configuration, &decisions.cache.spec.thresholds[self.threshold], &self.metric)
    }

    fn coverage(
        &self,
        decisions: &Decisions,
        configuration: &Configuration,
    ) -> Result<Option<CoverageReport>> {
        let threshold = &decisions.cache.spec.thresholds[self.threshold];
        decisions.coverage_of_threshold(configuration, threshold, &self.metric, true)
    }
}

impl Decisions {
    fn threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<Decision> {
        let held = self.hold_threshold(configuration, threshold, metric)?;
        // What was blessed only explains: a limit is decided without it.
        let golden = self.golden(configuration).ok().flatten();
        let measurement = self.cache.measurement(configuration)?;
        let mut warnings = measurement.warnings.clone();
        let cut = cut_lists(measurement.evaluation.cut(), std::slice::from_ref(metric));
        warnings.extend(cut.map(|cut| cut.to_string()));
        warnings.extend(self.one_rate_alone(configuration, metric));
        warnings.extend(analysis::held_down(&held.evaluation, metric, threshold.max));
        warnings.extend(analysis::left_out(&held.evaluation, metric));
        warnings.extend(analysis::people_warning(&held.evaluation, metric)?);
        let bound = (threshold.bound, self.cache.spec.statistics.confidence);
        let limits = [threshold.min, threshold.max];
        warnings.extend(analysis::one_more_grade(&held.evaluation, metric, bound, limits)?);
        let finding = ThresholdFinding {
            segment: threshold.segment.as_ref().map(|one| [one.key.clone(), one.value.clone()]),
            warnings,
            ..analysis::threshold(&held.evaluation, metric, &held.estimate, bound, limits, golden.as_deref())?
        };
        let finding = Finding::Threshold(Box::new(finding));
        Ok(Decision { verdict: held.verdict, acceptable: false, finding })
    }

    /// What to know where false answers are limited and false silences are not, or the other way round.
    fn one_rate_alone(&self, configuration: &Configuration, metric: &Metric) -> Option<String> {
        let counterpart = metric.counterpart()?;
        let limits_other = |threshold: &Threshold| {
            threshold.configurations.contains(&configuration.name)
                && threshold.max.is_some()
                && threshold.metrics.iter().any(|other| other.is_counterpart_of(metric))
        };
        (!self.cache.spec.thresholds.iter().any(limits_other)).then(|| {
            format!(
                "no gate limits {} of {}: a system that {} passes this gate",
                counterpart.metric,
                Quoted(&configuration.name),
                counterpart.useless
            )
        })
    }

    /// What a threshold is about, and whether it is kept.
    pub(crate) fn hold_threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<HeldThreshold> {
        let mut evaluation = self.cache.measurement(configuration)?.evaluation.for_metric(metric)?;
        if let Some(segment) = &threshold.segment {
            evaluation = evaluation.segment(&segment.key, &segment.value)?;
        }
        judged_some(&evaluation, &configuration.name, metric)?;
        let made = evaluation.queries().iter().all(Query::is_synthetic);
        if made && threshold.min.is_some() && threshold.level == Level::Blocking {
            return Err(Error::invalid(
                "all of its queries were made from documents (`origin: synthetic`), and a `min` on these can only advise: \
                 write `level: advisory` beside it, or compare two configurations",
            ));
        }
        if threshold.level == Level::Blocking {
            analysis::check_people(&evaluation, metric)?;
        }
        let estimate = evaluation.estimate(metric, self.cache.spec.statistics.confidence)?;
        let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
        Ok(HeldThreshold { evaluation, estimate, verdict })
    }
}
