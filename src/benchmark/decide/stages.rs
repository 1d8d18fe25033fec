//! Stages of pipelines: their ceilings, and how a difference falls to them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::analysis::{Pair, StepCeilings, ideal_runs, stage_parts};
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::gate::{Baseline, Comparison, Unjudged};
use crate::metric::Metric;
use crate::model::{CeilingReport, Measured, StageParts, StageReport, StepReport};
use crate::order::SmallMap;
use crate::spec::Configuration;
use crate::{Error, Result};

use super::Decisions;

/// The ceilings of a configuration so far, by the first stage of a step and by what it is of: today's answers or a blessed run.
pub(super) type Ceilings = Mutex<SmallMap<(String, Option<String>), Result<Arc<Evaluation>>>>;

impl Decisions {
    /// Of which configuration another one is a stage.
    pub(super) fn stage_report(configuration: &Configuration) -> Option<StageReport> {
        let of = configuration.stage.as_ref()?;
        Some(StageReport { of: of.configuration.clone(), name: of.stage.clone() })
    }

    /// What each step of a pipeline allows, once it has been measured.
    pub(super) fn step_reports(&self, configuration: &Configuration) -> Vec<StepReport> {
        let is_measured = matches!(self.cache.measured_so_far(configuration), Some(Ok(_)));
        let steps = configuration.stages.steps().iter().filter(|_| is_measured);
        let report = |stages: &Vec<String>| {
            let ceiling = self.ceiling(configuration, stages, None).ok()?;
            let value = |metric: &Metric| {
                let value = ceiling.findable(metric).and_then(|()| ceiling.value(metric)).ok()?;
                Some(CeilingReport { metric: metric.to_string(), value })
            };
            let metrics = self.metrics_with_ceiling();
            Some(StepReport { stages: stages.clone(), ceilings: metrics.filter_map(value).collect() })
        };
        steps.filter_map(report).collect()
    }

    fn metrics_with_ceiling(&self) -> impl Iterator<Item = &Metric> {
        self.cache.spec.metrics.iter().filter(|metric| metric.is_highest_by_grade())
    }

    /// Adds to the queries of a stage what its step allows; nothing to those of another configuration.
    pub(super) fn add_ceilings(&self, configuration: &Configuration, measured: &mut Measured) {
        let Some(of) = &configuration.stage else { return };
        let Ok(pipeline) = self.cache.configuration(&of.configuration) else { return };
        let step = pipeline.stages.steps().iter().find(|stages| stages.contains(&of.stage));
        let Some(ceiling) = step.and_then(|stages| self.ceiling(pipeline, stages, None).ok()) else { return };
        for metric in self.metrics_with_ceiling() {
            let Ok(scores) = ceiling.findable(metric).and_then(|()| ceiling.scores(metric)) else { continue };
            for query in &mut measured.queries {
                // Queries stand in the order of their ids.
                let at = ceiling.queries().binary_search_by(|one| one.id.cmp(&query.id));
                if let Ok(at) = at {
                    query.ceilings.insert(metric.to_string(), scores[at]);
                }
            }
        }
    }

    /// How the difference of a comparison falls to the steps of the candidate's pipeline; `None` where it has none, or where the
    /// difference is not one of scores alone.
    pub(crate) fn stage_parts(
        &self,
        comparison: &Comparison,
        pair: &Pair,
        metric: &Metric,
    ) -> Result<Option<StageParts>> {
        let is_plain = comparison.unjudged == Unjudged::Zero;
        let candidate = self.cache.configuration(&comparison.candidate)?;
        let (pipeline, steps) = self.steps_before(candidate)?;
        if steps.is_empty() || !is_plain || !metric.is_highest_by_grade() {
            return Ok(None);
        }
        let other = match &comparison.baseline {
            Baseline::Configuration(name) => {
                let (other, their_steps) = self.steps_before(self.cache.configuration(name)?)?;
                if their_steps != steps {
                    return Ok(None);
                }
                (other, None)
            }
            blessed => (pipeline, Some(blessed)),
        };
        let mut ceilings = Vec::with_capacity(steps.len());
        for stages in steps {
            let baseline = match other {
                (other, None) => Ok(self.ceiling(other, stages, None)?),
                (other, Some(blessed)) => self.blessed_ceiling(other, stages, (blessed, pair))?,
            };
            match baseline {
                Ok(baseline) => ceilings.push(StepCeilings {
                    stages: stages.clone(),
                    candidate: self.ceiling(pipeline, stages, None)?.as_ref().clone(),
                    baseline: baseline.as_ref().clone(),
                }),
                Err(missing) => return Ok(Some(StageParts { parts: Vec::new(), missing: Some(missing) })),
            }
        }
        let parts = stage_parts(pair, metric, &ceilings, self.cache.spec.statistics.confidence)?;
        Ok(Some(StageParts { parts, missing: None }))
    }

    /// The pipeline that a configuration is the end or a stage of, and the steps before that.
    fn steps_before<'a>(
        &'a self,
        configuration: &'a Configuration,
    ) -> Result<(&'a Configuration, &'a [Vec<String>])> {
        let Some(of) = &configuration.stage else { return Ok((configuration, configuration.stages.steps())) };
        let pipeline = self.cache.configuration(&of.configuration)?;
        let steps = pipeline.stages.steps();
        let own = steps.iter().position(|stages| stages.contains(&of.stage)).unwrap_or(0);
        Ok((pipeline, &steps[..own]))
    }

    /// The same of a blessed run, or what is missing for it.
    fn blessed_ceiling(
        &self,
        pipeline: &Configuration,
        stages: &[String],
        (blessed, pair): (&Baseline, &Pair),
    ) -> Result<std::result::Result<Arc<Evaluation>, String>> {
        for stage in stages {
            let name = format!("{}@{stage}", pipeline.name);
            let golden = self.blessed(self.cache.configuration(&name)?, blessed.tag())?;
            let Some(golden) = golden else {
                return Ok(Err(format!(
                    "no run of {} was blessed together with {}; the next blessing keeps one",
                    Quoted(&name),
                    pipeline.name
                )));
            };
            let lacking = pair.queries().iter().filter(|query| !golden.asked.contains(&query.id));
            let lacking: Vec<String> = lacking.map(|query| Quoted(&query.id).to_string()).collect();
            if let Some(first) = lacking.first() {
                let count = lacking.len();
                return Ok(Err(format!(
                    "the blessed run of {} lacks {count} queries, such as {first}",
                    Quoted(&name)
                )));
            }
        }
        self.ceiling(pipeline, stages, Some(blessed)).map(Ok)
    }

    /// The documents of a step in the order of their grades, judged; made once.
    fn ceiling(
        &self,
        pipeline: &Configuration,
        stages: &[String],
        blessed: Option<&Baseline>,
    ) -> Result<Arc<Evaluation>> {
        let first = stages.first().cloned().unwrap_or_default();
        let mut known = self.slot(pipeline).ceilings.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let mut rankings = Vec::with_capacity(stages.len());
            for stage in stages {
                let stage = self.cache.configuration(&format!("{}@{stage}", pipeline.name))?;
                rankings.push(match blessed {
                    None => self.cache.measurement(stage)?.evaluation.clone(),
                    Some(blessed) => {
                        let golden = self.blessed(stage, blessed.tag())?;
                        let missing =
                            || Error::invalid(format!("no run of {} was blessed", Quoted(&stage.name)));
                        golden.ok_or_else(missing)?.evaluation.clone()
                    }
                });
            }
            let stage = self.cache.configuration(&format!("{}@{first}", pipeline.name))?;
            let runs = ideal_runs(&rankings.iter().collect::<Vec<_>>())?;
            self.cache.evaluate(stage, runs).map(Arc::new)
        };
        known.get_or_insert_with((first.clone(), blessed.map(ToString::to_string)), make).clone()
    }
}
