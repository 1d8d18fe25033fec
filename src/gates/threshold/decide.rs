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

use crate::model::{
    BoundsFinding, CalibratedReport, CorrectedReport, EvidenceReport, Finding, ThresholdFinding, Verdict,
};

/// What a threshold is about, and whether it is kept.
pub(crate) struct HeldThreshold {
    pub(crate) evaluation: Evaluation,
    pub(crate) estimate: Estimate,
    pub(crate) verdict: Verdict,
    /// What should be known before the value is believed.
    pub(crate) cautions: Vec<String>,
    /// Where the value rests on a model's judgments, what people make of them.
    pub(crate) corrected: Option<CorrectedReport>,
    /// Where it rests on errors that the model made elsewhere, what is said of these.
    pub(crate) calibrated: Option<CalibratedReport>,
    /// Where people have not judged all that it takes, what it lies between: then the estimate is none.
    pub(crate) bounds: Option<Box<BoundsFinding>>,
}

impl HeldThreshold {
    pub(crate) fn new(evaluation: Evaluation, estimate: Estimate, threshold: &Threshold) -> Self {
        let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
        Self::with_verdict(evaluation, estimate, verdict)
    }

    /// One that something else decided than the estimate's interval.
    pub(crate) fn with_verdict(evaluation: Evaluation, estimate: Estimate, verdict: Verdict) -> Self {
        Self {
            evaluation,
            estimate,
            verdict,
            cautions: Vec::new(),
            corrected: None,
            calibrated: None,
            bounds: None,
        }
    }
}

impl Decide for ThresholdGate {
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision> {
        decisions.threshold(configuration, &decisions.cache.spec.thresholds[self.threshold], &self.metric)
    }

    fn evidence(
        &self,
        decisions: &Decisions,
        configuration: &Configuration,
    ) -> Result<Option<EvidenceReport>> {
        let threshold = &decisions.cache.spec.thresholds[self.threshold];
        decisions.evidence_of_threshold(configuration, threshold, &self.metric, true)
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
        // What was blessed only explains: a limit is decided without it, and a model did not judge it.
        let golden = match threshold.judged {
            None => self.golden(configuration).ok().flatten(),
            Some(_) => None,
        };
        let limits = [threshold.min, threshold.max];
        let mut cautions = held.cautions;
        if threshold.judged.is_none() {
            let measurement = self.cache.measurement(configuration)?;
            cautions.extend(measurement.cautions.iter().cloned());
            let cut = cut_lists(measurement.evaluation.cut(), std::slice::from_ref(metric));
            cautions.extend(cut.map(|cut| cut.to_string()));
            cautions.extend(self.one_rate_alone(configuration, metric));
            cautions.extend(analysis::held_down(&held.evaluation, metric, threshold.max));
            cautions.extend(analysis::left_out(&held.evaluation, metric));
        }
        let segment = threshold.segment.as_ref().map(|one| [one.key.clone(), one.value.clone()]);
        if let Some(bounds) = held.bounds {
            let bounds = BoundsFinding {
                segment,
                min: threshold.min,
                max: threshold.max,
                cautions,
                unanswered: held.evaluation.unanswered().len(),
                movers: analysis::lowest(&held.evaluation, metric)?,
                ..*bounds
            };
            let bounds = self.with_claims(bounds, metric, &configuration.name, threshold.segment.as_ref())?;
            let finding = Finding::Bounds(Box::new(bounds));
            return Ok(Decision { verdict: held.verdict, acceptable: false, finding });
        }
        let mut finding = ThresholdFinding {
            segment,
            cautions,
            ..analysis::threshold(
                &held.evaluation,
                metric,
                &held.estimate,
                (threshold.bound, self.cache.spec.statistics.confidence),
                limits,
                golden.as_deref(),
            )?
        };
        if (held.corrected.is_some() || held.calibrated.is_some()) && held.verdict != Verdict::Failed {
            // The interval is held against it, not the value.
            finding.broken = None;
        }
        (finding.corrected, finding.calibrated) = (held.corrected, held.calibrated);
        if metric.is_of_answers() {
            let sides = (configuration.name.as_str(), None);
            finding.answers =
                self.tell_claims(metric, sides, threshold.segment.as_ref(), &mut finding.movers)?.pop();
        }
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
        let mut evaluation = match metric.is_of_answers() {
            true => self.cache.answer_files(metric)?.side(&configuration.name)?.evaluation.clone(),
            false => self.cache.measurement(configuration)?.evaluation.for_metric(metric)?,
        };
        if let Some(segment) = &threshold.segment {
            evaluation = evaluation.segment(&segment.key, &segment.value)?;
        }
        if let Some(judged) = threshold.judged {
            return self.judged_threshold(&configuration.name, evaluation, threshold, metric, judged);
        }
        judged_some(&evaluation, &configuration.name, metric)?;
        let made = evaluation.queries().iter().all(Query::is_synthetic);
        if made && threshold.min.is_some() && threshold.level == Level::Blocking {
            return Err(Error::invalid(
                "all of its queries were made from documents (`origin: synthetic`), and a `min` on these can only advise: \
                 write `level: advisory` beside it, or compare two configurations",
            ));
        }
        let estimate = evaluation.estimate(metric, self.cache.spec.statistics.confidence)?;
        Ok(HeldThreshold::new(evaluation, estimate, threshold))
    }
}
