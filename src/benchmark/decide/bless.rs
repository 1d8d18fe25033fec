//! Blessing: golden files written, with the changes that this accepts; or refused.

use std::path::Path;
use std::sync::Arc;

use crate::analysis::{Golden, broken_threshold, ranking};
use crate::error::{Error, chain};
use crate::gate::{Gate, Level, deciding_value};
use crate::golden::{Bless, GoldenRun, write_atomically};
use crate::metric::Metric;
use crate::output::Written;
use crate::report::internal::{number::score, polarity::words};
use crate::spec::Configuration;
use crate::stats::ROUNDING;
use crate::{Evaluation, Result};

use super::Decisions;
use crate::measure::{Measurement, write_beside};
use crate::model::{Blessing, CoverageCount, CoverageReport, Covered, Row};

impl Decisions {
    /// The blessed run with today's judgments, read once; `None` where nothing was blessed. Where golden files are
    /// to be written, this is what was measured.
    pub(crate) fn blessed(&self, configuration: &Configuration) -> Result<Option<Arc<Golden>>> {
        if self.measure.context.bless.on {
            self.bless_run(configuration)?;
        }
        self.measure.golden(configuration)
    }

    /// Blesses every configuration that was measured in this process, where blessing is on.
    ///
    /// # Errors
    /// The first file that cannot be written; the others are.
    pub(crate) fn bless_measured(&self) -> Result<()> {
        if !self.measure.context.bless.on {
            return Ok(());
        }
        let spec = &self.measure.spec;
        let bless = |configuration: &Configuration| {
            self.bless_run(configuration)?;
            if spec.snapshot { self.bless_snapshot(configuration).map(drop) } else { Ok(()) }
        };
        let measured = |one: &&Configuration| {
            let measured = self.measure.measured_here(one);
            // who has no score at all is an error, and says so by itself.
            measured.is_some_and(|one| one.as_ref().is_ok_and(|one| self.has_scores(one)))
        };
        let blessed: Vec<Result<()>> = spec.configurations.iter().filter(measured).map(bless).collect();
        blessed.into_iter().collect()
    }

    /// The result of blessing so far, by any process of the test run: by configuration, in the spec's
    /// order.
    pub(crate) fn blessings(&self) -> Vec<Blessing> {
        let measure = &self.measure;
        let of = |configuration: &Configuration| {
            let slot = self.slot(configuration);
            let mut blessing = match slot.blessed.get() {
                Some(blessed) => blessed.clone().ok()?,
                None => measure.made_elsewhere(&measure.key_of("blessed", configuration))?,
            };
            let snapshot: Option<Row> = match slot.snapped.get() {
                Some(snapped) => snapped.clone().ok().flatten(),
                None => measure.made_elsewhere(&measure.key_of("snapped", configuration)).flatten(),
            };
            blessing.files.extend(snapshot);
            Some(blessing)
        };
        match measure.context.bless.on {
            true => measure.spec.configurations.iter().filter_map(of).collect(),
            false => Vec::new(),
        }
    }

    /// Writes the configuration's blessed run, once in this test run. The report reads it, so that this
    /// must not need the report.
    fn bless_run(&self, configuration: &Configuration) -> Result<Blessing> {
        let key = self.measure.key_of("blessed", configuration);
        let once = || self.measure.share_once(&key, || self.write_golden(configuration));
        self.slot(configuration).blessed.get_or_init(once).clone()
    }

    /// Writes the configuration's metric report, once in this test run; `None` where blessing is refused.
    pub(crate) fn bless_snapshot(&self, configuration: &Configuration) -> Result<Option<Row>> {
        let key = self.measure.key_of("snapped", configuration);
        let once = || self.measure.share_once(&key, || self.write_snapshot(configuration));
        self.slot(configuration).snapped.get_or_init(once).clone()
    }

    /// Writes the configuration's run, unless blocking thresholds fail; lists the changes that this accepts. A configuration
    /// without a blessed run has nothing to lose, and is written even if its thresholds fail.
    fn write_golden(&self, configuration: &Configuration) -> Result<Blessing> {
        let measurement = self.measure.measurement(configuration)?;
        let Bless { force, accept_loss, .. } = &self.measure.context.bless;
        self.check_scores(&measurement).map_err(|error| {
            let (name, why) = (&configuration.name, chain(&error));
            Error::with_kind(error.kind(), format!("{}: {name} is not blessed: {why}", self.measure.name()))
        })?;
        let path = self.measure.blessed_path(configuration)?;
        // What cannot be read is no run to compare with, and is there all the same.
        let before = self.measure.golden_before_asking(configuration).ok().flatten();
        let mut blessing = self.change(configuration, &measurement, before.as_deref());
        let collection = self.measure.collection()?;
        let inputs = self.measure.inputs(configuration, collection)?;
        let mut golden = GoldenRun::new(&configuration.name, &measurement.evaluation, inputs, collection)?;
        // What was accepted with a ranking stays accepted as long as that stands.
        let there = GoldenRun::read(&path).ok().flatten().filter(|there| there.answers_as(&golden));
        golden.loss_accepted = *accept_loss || there.is_some_and(|there| there.loss_accepted);
        let refused = is_blessed(&path) && !blessing.failing.is_empty();
        blessing.refused = (refused || blessing.shortage.is_some()) && !force;
        if blessing.refused {
            return Ok(blessing);
        }
        let written = write_atomically(&path, &golden.to_bytes()?)?;
        blessing.files.push(self.golden_file(&path, written)?);
        if let Some((path, written)) = write_beside(&path, &measurement.evaluation)? {
            blessing.files.push(self.golden_file(&path, written)?);
        }
        Ok(blessing)
    }

    /// Writes the configuration's metric report, unless its run was refused.
    fn write_snapshot(&self, configuration: &Configuration) -> Result<Option<Row>> {
        if self.bless_run(configuration)?.refused {
            return Ok(None);
        }
        let snapshot = self.snapshot_of(configuration)?;
        let written = snapshot.bless()?;
        self.golden_file(&snapshot.path(), written).map(Some)
    }

    /// Whether blessing would be refused: a blocking threshold fails, and there is something to lose.
    pub(crate) fn refuses(&self, configuration: &Configuration) -> bool {
        let blessed = self.measure.blessed_path(configuration).is_ok_and(|path| is_blessed(&path));
        blessed && !self.failing(configuration).is_empty()
    }

    /// That comparisons would not take this run, since too few queries are answered.
    fn shortage(&self, configuration: &Configuration, evaluation: &Evaluation) -> Option<CoverageReport> {
        let (of, unanswered) = (evaluation.queries().len(), evaluation.unanswered());
        // What was answered with nothing was asked, unless everything was.
        let missing = if unanswered.len() == of { unanswered } else { evaluation.absent() };
        let side = Some(configuration.name.as_str());
        let counts = vec![CoverageCount::without(Covered::Answered, side, of, missing.into_iter())];
        let at_least = self.measure.spec.coverage.unwrap_or(CoverageReport::NEEDED);
        let report = CoverageReport { at_least, counts };
        (!report.is_enough()).then_some(report)
    }

    /// A file as reports show it; a large one is one to think about before it is committed.
    fn golden_file(&self, path: &Path, written: Written) -> Result<Row> {
        let metadata = std::fs::metadata(path).map_err(|error| Error::io("cannot read", path, error))?;
        let large = Some(metadata.len()).filter(|bytes| *bytes > 1_000_000);
        let remark = large.map_or_else(String::new, |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
        Ok(Row { remark, ..Row::new(&self.measure.context.shown(path), written.to_string()) })
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
        let change = |metric: &Metric| {
            let (now, then) = match metric.requirements().unanswerable {
                false => (now.clone(), then.cloned()),
                true => (now.for_metric(metric)?, then.and_then(|then| then.for_metric(metric).ok())),
            };
            let (now, then) = (&now, then.as_ref());
            let scores = then.map(|then| Ok::<_, Error>((then.scores(metric)?, now.scores(metric)?)));
            let (before, after) = scores.transpose()?.unwrap_or_default();
            let count = |moved: fn(f64) -> bool| {
                before.iter().zip(&after).filter(|(before, after)| moved(*after - *before)).count()
            };
            let name = metric.to_string();
            let before = then.map(|then| then.value(metric)).transpose()?;
            let before = before.map_or_else(String::new, |before| score(&name, before) + " -> ");
            let value = before + &score(&name, now.value(metric)?);
            let (lower, higher) = (count(|moved| moved < -ROUNDING), count(|moved| moved > ROUNDING));
            let [fell, rose] = words(metric.polarity());
            let remark = format!("{lower} queries {fell}, {higher} {rose}");
            let remark = if lower + higher > 0 { remark } else { String::new() };
            Ok::<_, Error>(Row { remark, ..Row::new(&name, value) })
        };
        let differs = |then: &Evaluation, query: &str| {
            let (now, then) = (ranking(now, 0, query), ranking(then, 0, query));
            !now.iter().map(|hit| &hit.id).eq(then.iter().map(|hit| &hit.id))
        };
        let queries = then.map_or(&[][..], |then| then.queries());
        Blessing {
            configuration: configuration.name.clone(),
            refused: false,
            files: Vec::new(),
            shortage: self.shortage(configuration, &measurement.evaluation),
            failing: self.failing(configuration),
            inputs: before.map_or(Vec::new(), |golden| golden.changed.clone()),
            // One that cannot be computed is told of by the gates that need it.
            metrics: self.measure.spec.metrics.iter().map(change).filter_map(Result::ok).collect(),
            queries: queries.len(),
            moved: queries.iter().filter(|query| then.is_some_and(|then| differs(then, &query.id))).count(),
        }
    }

    /// The blocking thresholds that a configuration does not keep, whichever gates were selected. One that
    /// cannot be decided is not kept.
    pub(crate) fn failing(&self, configuration: &Configuration) -> Vec<Row> {
        let own = |gate: &&Gate| gate.configuration == configuration.name && gate.level == Level::Blocking;
        let failing = |gate: &Gate| {
            let (threshold, metric) = gate.kind.limit()?;
            let threshold = &self.measure.spec.thresholds[threshold];
            // What golden runs say of the collection does not count: blessing is what mends it.
            let coverage = self.coverage_of_threshold(configuration, threshold, metric, false);
            let is_enough = coverage.is_ok_and(|report| report.is_none_or(|report| report.is_enough()));
            let decided = self.held(configuration, threshold, metric).ok().filter(|_| is_enough);
            let kept = decided.as_ref().is_some_and(|(_, _, verdict)| !verdict.fails());
            let held = decided.and_then(|(_, one, _)| {
                deciding_value(threshold.bound, one.value, one.limits(), one.worst(threshold.max))
            });
            let limits = [threshold.min, threshold.max];
            let name = metric.to_string();
            (!kept).then(|| broken_threshold(&gate.name, &name, threshold.bound, held, limits))
        };
        self.measure.spec.gates.iter().filter(own).filter_map(failing).collect()
    }
}

/// Whether a run was blessed, or the report that stands beside it.
fn is_blessed(run: &Path) -> bool {
    run.exists() || run.with_extension("snap").exists()
}
