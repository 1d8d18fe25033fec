//! Gates on a value: a metric held to its limits.

use super::ThresholdGate;
use crate::analysis::{self, cut_lists, judged_some};
use crate::benchmark::decide::{Decision, Decisions};
use crate::collection::Query;
use crate::error::Quoted;
use crate::evaluation::{Estimate, Evaluation, hold};
use crate::gate::{Level, Threshold};
use crate::metric::Metric;
use crate::model::{ThresholdFinding, Verdict, Warning};
use crate::spec::Configuration;
use crate::{Error, Result};

impl Decisions {
    pub(crate) fn threshold(&self, configuration: &Configuration, gate: &ThresholdGate) -> Result<Decision> {
        let (spec, metric) = (&self.measure.spec, &gate.metric);
        let threshold = &spec.thresholds[gate.threshold];
        let (evaluation, estimate, verdict) = self.held(configuration, threshold, metric)?;
        let (bound, limits) = ((threshold.bound, spec.statistics.confidence), [threshold.min, threshold.max]);
        let measurement = self.measure.measurement(configuration)?;
        let cut = cut_lists(measurement.evaluation.cut(), std::slice::from_ref(metric));
        let mut warnings: Vec<Warning> =
            measurement.warnings.iter().map(|text| Warning::new("side", text)).collect();
        for (kind, text) in [
            (Warning::CUT_LISTS, cut),
            ("one-rate-alone", self.one_rate_alone(configuration, metric)),
            ("held-down", analysis::held_down(&evaluation, metric, threshold.max)),
            ("left-out", analysis::left_out(&evaluation, metric)),
            ("people", analysis::people_warning(&evaluation, metric)?),
        ] {
            warnings.extend(text.map(|text| Warning::new(kind, text)));
        }
        // What was blessed only explains: a limit is decided without it.
        let golden = self.blessed(configuration).ok().flatten();
        let finding = ThresholdFinding {
            segment: threshold.segment.as_ref().map(|one| [one.key.clone(), one.value.clone()]),
            warnings,
            ..analysis::threshold(&evaluation, metric, &estimate, bound, limits, golden.as_deref())?
        };
        let coverage = self.coverage_of_threshold(configuration, threshold, metric, true)?;
        Ok(Decision::new(verdict, finding).covered(coverage))
    }

    /// What to know where false answers are limited and false silences are not, or the other way round.
    fn one_rate_alone(&self, configuration: &Configuration, metric: &Metric) -> Option<String> {
        let counterpart = metric.counterpart()?;
        let limits_other = |threshold: &Threshold| {
            threshold.configurations.contains(&configuration.name)
                && threshold.max.is_some()
                && threshold.metrics.iter().any(|other| other.is_counterpart_of(metric))
        };
        (!self.measure.spec.thresholds.iter().any(limits_other)).then(|| {
            format!(
                "no gate limits {} of {}: a system that {} passes this gate",
                counterpart.metric,
                Quoted(&configuration.name),
                counterpart.useless
            )
        })
    }

    /// What a threshold is about, its value, and whether it is kept.
    pub(crate) fn held(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<(Evaluation, Estimate, Verdict)> {
        let mut evaluation = self.measure.measurement(configuration)?.evaluation.for_metric(metric)?;
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
        let estimate = evaluation.estimate(metric, self.measure.spec.statistics.confidence)?;
        let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
        Ok((evaluation, estimate, verdict))
    }
}
