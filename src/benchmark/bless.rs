//! Blessing: golden files written, with what is accepted by that; or refused.

use crate::gate::{Gate, GateKind, Level, broken_limit, held};
use crate::golden::GoldenRun;
use crate::output::Written;
use crate::spec::Configuration;
use crate::{Error, Result};

use super::baseline::Golden;
use super::carry::Benchmark;
use super::measure::Measurement;
use super::model::{Blessing, BrokenThreshold, GoldenFile, MetricChange};
use super::movers::SAME;
use super::pair::ranking;

impl Benchmark {
    /// Writes the configuration's run, unless blocking thresholds fail; says what is accepted with it. What
    /// was never blessed has nothing to lose, and is written whatever its thresholds say.
    pub(super) fn write_golden(&self, configuration: &Configuration) -> Result<Blessing> {
        let measurement = self.measured(configuration)?;
        let path = self.golden_path(configuration, "run")?;
        // What cannot be read is no run to compare with, and is there all the same.
        let before = self.take_kept(configuration).and_then(|kept| self.judge_golden(configuration, kept));
        let before = before.ok().flatten();
        let mut blessing = self.change(configuration, &measurement, before.as_deref());
        let blessed = [path.clone(), path.with_extension("snap")].iter().any(|file| file.exists());
        blessing.refused = blessed && !blessing.failing.is_empty() && !self.context.bless.force;
        if !blessing.refused {
            let written = self.golden_of(configuration, &measurement)?.write(&path)?;
            blessing.files.push(self.golden_file(&path, written)?);
        }
        Ok(blessing)
    }

    /// What the configuration answered, as it is blessed.
    fn golden_of(&self, configuration: &Configuration, measurement: &Measurement) -> Result<GoldenRun> {
        let collection = self.collection()?;
        let Some(run) = measurement.evaluation.shared_run(0) else {
            return Err(Error::invalid("nothing was answered, so there is nothing to bless"));
        };
        GoldenRun::new(&configuration.name, run, self.inputs(configuration, collection)?, collection)
    }

    /// Writes the configuration's metric report, unless its run was refused.
    pub(super) fn write_snapshot(&self, configuration: &Configuration) -> Result<Option<GoldenFile>> {
        if self.bless_run(configuration)?.refused {
            return Ok(None);
        }
        let snapshot = self.snapshot_of(configuration)?;
        let written = snapshot.bless()?;
        self.golden_file(&snapshot.path(), written).map(Some)
    }

    fn golden_file(&self, path: &std::path::Path, written: Written) -> Result<GoldenFile> {
        let metadata = std::fs::metadata(path).map_err(|error| Error::io("cannot read", path, error))?;
        Ok(GoldenFile { file: self.context.shown(path), written, bytes: metadata.len() })
    }

    /// What would be accepted by blessing what was measured.
    fn change(
        &self,
        configuration: &Configuration,
        measurement: &Measurement,
        before: Option<&Golden>,
    ) -> Blessing {
        let shared = before.and_then(|golden| golden.shared(&measurement.evaluation));
        let (now, then) = match &shared {
            Some((now, then)) => (now, Some(then)),
            None => (&measurement.evaluation, None),
        };
        let change = |metric: &crate::metric::Metric| {
            let scores = then.map(|then| Ok::<_, Error>((then.scores(metric)?, now.scores(metric)?)));
            let (before, after) = scores.transpose()?.unwrap_or_default();
            let count = |moved: fn(f64) -> bool| {
                before.iter().zip(&after).filter(|(before, after)| moved(*after - *before)).count()
            };
            Ok::<_, Error>(MetricChange {
                metric: metric.to_string(),
                before: then.map(|then| then.value(metric)).transpose()?,
                after: now.value(metric)?,
                worse: count(|difference| difference < -SAME),
                better: count(|difference| difference > SAME),
            })
        };
        let differs = |then: &crate::Evaluation, query: &str| {
            let (now, then) = (ranking(now, 0, query), ranking(then, 0, query));
            !now.iter().map(|hit| &hit.id).eq(then.iter().map(|hit| &hit.id))
        };
        let queries = then.map_or(&[][..], |then| then.queries());
        Blessing {
            configuration: configuration.name.clone(),
            refused: false,
            files: Vec::new(),
            failing: self.failing(configuration),
            inputs: before.map_or(Vec::new(), |golden| golden.changed.clone()),
            // One that cannot be computed is told of by the gates that need it.
            metrics: self.spec.metrics.iter().map(change).filter_map(Result::ok).collect(),
            queries: queries.len(),
            moved: queries.iter().filter(|query| then.is_some_and(|then| differs(then, &query.id))).count(),
        }
    }

    /// The blocking thresholds that a configuration does not keep, whichever gates were selected. One that
    /// cannot be decided is not kept.
    pub(super) fn failing(&self, configuration: &Configuration) -> Vec<BrokenThreshold> {
        let own = |gate: &&Gate| gate.configuration == configuration.name && gate.level == Level::Blocking;
        let failing = |gate: &Gate| {
            let GateKind::Threshold { threshold, metric } = &gate.kind else { return None };
            let threshold = &self.spec.thresholds[*threshold];
            let decided = self.held(configuration, threshold, metric).ok();
            let kept = decided.as_ref().is_some_and(|(_, _, verdict)| verdict.is_ok());
            let held = decided.and_then(|(_, one, _)| held(threshold.bound, one.value, one.limits()));
            (!kept).then(|| BrokenThreshold {
                gate: gate.name.clone(),
                metric: metric.to_string(),
                bound: threshold.bound,
                held,
                min: threshold.min,
                max: threshold.max,
                broken: held.and_then(|held| broken_limit(held, threshold.min, threshold.max)),
            })
        };
        self.gates().iter().filter(own).filter_map(failing).collect()
    }
}
