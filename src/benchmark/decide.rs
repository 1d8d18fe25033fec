//! Deciding gates: each kind asks for what it needs, and says what it saw.

use std::collections::BTreeSet;

use crate::error::{Quoted, chain};
use crate::evaluation::{Estimate, Evaluation, nowhere};
use crate::gate::{Baseline, Bound, Gate, GateKind, Level, Segment, Threshold, broken_limit, held, hold};
use crate::golden::SnapshotVerdict;
use crate::metric::Metric;
use crate::spec::Configuration;
use crate::yaml::{all_of, nearest};
use crate::{Error, Result};

use super::baseline::Golden;
use super::carry::Benchmark;
use super::deterministic;
use super::known::judged_some;
use super::model::{
    Advice, Finding, GateReport, Input, LimitReport, Movers, Place, SnapshotFinding, SnapshotState,
    ThresholdFinding, Verdict,
};
use super::movers::{self, Against, Extreme};
use super::summarize::metric_report;

/// What came of a gate, before its level.
pub(super) struct Decision {
    pub(super) verdict: Verdict,
    pub(super) finding: Finding,
    /// Golden files can be blessed to accept what was seen.
    pub(super) acceptable: bool,
}

impl Benchmark {
    /// Decides a gate; whatever keeps it from being decided makes it errored.
    pub(super) fn decision(&self, gate: &Gate) -> GateReport {
        let decision = self.try_decide(gate).unwrap_or_else(|error| Decision {
            verdict: Verdict::Errored,
            finding: Finding::Undecided { reason: chain(&error) },
            acceptable: false,
        });
        let advisory = gate.level == Level::Advisory;
        let verdict = match decision.verdict {
            Verdict::Failed | Verdict::Inconclusive if advisory => Verdict::Advisory,
            verdict => verdict,
        };
        GateReport {
            name: gate.name.clone(),
            configuration: gate.configuration.clone(),
            advisory,
            verdict,
            place: Some(Place {
                file: self.context.shown(&self.spec.path),
                line: u64::try_from(gate.line).unwrap_or(u64::MAX),
            }),
            inputs_changed: self.inputs_changed(gate, verdict),
            advice: if verdict == Verdict::Passed {
                Vec::new()
            } else {
                self.advice(gate, decision.acceptable)
            },
            finding: decision.finding,
        }
    }

    fn try_decide(&self, gate: &Gate) -> Result<Decision> {
        let configuration = self.configuration(&gate.configuration)?;
        // Of the whole spec, and so once: there may be thousands of gates.
        let segments = self.segments.get_or_init(|| self.check_segments());
        segments.clone()?;
        match &gate.kind {
            GateKind::Threshold { threshold, metric } => {
                self.threshold(configuration, &self.spec.thresholds[*threshold], metric)
            }
            GateKind::Snapshot => self.snapshot(configuration),
            GateKind::Deterministic => self.deterministic(configuration),
            GateKind::Comparison { comparison, metric } => self.comparison(*comparison, metric.as_ref()),
        }
    }

    /// Whether some query is in each segment that a gate is on, and has each of the keys that the report is
    /// to be broken down by. Those of a collection that could not be loaded nobody knows, and that is told
    /// elsewhere.
    fn check_segments(&self) -> Result<()> {
        let Ok(collection) = self.collection() else { return Ok(()) };
        let of_gates = self.spec.thresholds.iter().map(|threshold| threshold.segment.as_ref());
        let of_gates = of_gates.chain(self.spec.comparisons.iter().map(|one| one.segment.as_ref())).flatten();
        for Segment { key, value } in of_gates {
            if !collection.queries().iter().any(|query| query.segments(key).contains(value)) {
                return Err(Error::invalid(nowhere(collection.queries(), key, value)));
            }
        }
        let keys: BTreeSet<&str> =
            collection.queries().iter().flat_map(|query| query.metadata.keys().map(String::as_str)).collect();
        let Some(unknown) = self.spec.segments.iter().find(|key| !keys.contains(key.as_str())) else {
            return Ok(());
        };
        let mut message =
            format!("`segments` names {}, which no judged query has as metadata", Quoted(unknown));
        message += &match keys.len() {
            0 => ": they have none".to_owned(),
            _ => format!(": they have {}", all_of(keys.iter().copied())),
        };
        if let Some(near) = nearest(unknown, keys.iter().copied()) {
            message += &format!("; did you mean `{near}`?");
        }
        Err(Error::invalid(message))
    }

    fn threshold(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<Decision> {
        let (evaluation, estimate, verdict) = self.held(configuration, threshold, metric)?;
        let cautions = self.measured(configuration)?.cautions.clone();
        // What was blessed only explains: a limit is decided without it.
        let golden = self.golden(configuration).ok().flatten();
        Ok(Decision {
            verdict,
            acceptable: false,
            finding: standing(ThresholdFinding {
                metric: metric.to_string(),
                segment: threshold.segment.as_ref().map(|s| [s.key.clone(), s.value.clone()]),
                min: threshold.min,
                max: threshold.max,
                to_min: None,
                to_max: None,
                bound: threshold.bound,
                held: None,
                broken: None,
                queries: estimate.queries,
                unanswered: evaluation.unanswered().len(),
                cautions,
                measured: metric_report(metric, &estimate),
                movers: explain(
                    &evaluation,
                    golden.as_deref(),
                    metric,
                    broken(&estimate, threshold.bound, threshold.max),
                )?,
            }),
        })
    }

    /// What a threshold is about, and whether it is kept.
    pub(super) fn held(
        &self,
        configuration: &Configuration,
        threshold: &Threshold,
        metric: &Metric,
    ) -> Result<(Evaluation, Estimate, Verdict)> {
        let mut evaluation = self.measured(configuration)?.evaluation.clone();
        judged_some(&evaluation, &configuration.name, metric)?;
        if let Some(segment) = &threshold.segment {
            evaluation = evaluation.segment(&segment.key, &segment.value)?;
        }
        let estimate = evaluation.estimate(metric, self.spec.statistics.confidence)?;
        let verdict = hold(threshold.bound, &estimate, threshold.min, threshold.max);
        Ok((evaluation, estimate, verdict))
    }

    fn snapshot(&self, configuration: &Configuration) -> Result<Decision> {
        let measurement = self.measured(configuration)?;
        self.spec.metrics.iter().try_for_each(|metric| measurement.evaluation.findable(metric))?;
        let snapshot = self.snapshot_of(configuration)?;
        let (verdict, state, diff) = if self.context.bless.on && self.bless_snapshot(configuration)?.is_some()
        {
            (Verdict::Passed, SnapshotState::Blessed, String::new())
        } else {
            match snapshot.verdict(self.context.site) {
                SnapshotVerdict::Same => (Verdict::Passed, SnapshotState::Same, String::new()),
                SnapshotVerdict::Missing => (Verdict::Failed, SnapshotState::Missing, String::new()),
                SnapshotVerdict::Differs(diff) => (Verdict::Failed, SnapshotState::Differs, diff),
                SnapshotVerdict::Broken(message) => {
                    return Err(Error::invalid(format!("insta could not compare the snapshot: {message}")));
                }
            }
        };
        let file = self.context.shown(&snapshot.path());
        let tied = if state == SnapshotState::Differs { self.only_ties_moved(configuration) } else { None };
        Ok(Decision {
            verdict,
            finding: Finding::Snapshot(SnapshotFinding { file, state, diff, tied }),
            acceptable: true,
        })
    }

    /// How many documents stand elsewhere among their equals, where that is all in which today's rankings
    /// differ from the blessed ones.
    fn only_ties_moved(&self, configuration: &Configuration) -> Option<usize> {
        let today = &self.measured(configuration).ok()?.evaluation;
        let golden = self.golden(configuration).ok()??;
        if !golden.changed.is_empty() || today.passes() != 1 {
            return None;
        }
        deterministic::moved_within_ties(today.queries(), golden.evaluation.run(0)?, today.run(0)?)
    }

    fn deterministic(&self, configuration: &Configuration) -> Result<Decision> {
        let measurement = self.measured(configuration)?;
        let (Some(first), Some(second)) = (measurement.evaluation.run(0), &measurement.again) else {
            return Err(Error::invalid("the configuration was asked only once"));
        };
        let finding = deterministic::compare(measurement.evaluation.queries(), first, second);
        Ok(Decision {
            verdict: if finding.differing.is_empty() { Verdict::Passed } else { Verdict::Failed },
            finding: Finding::Deterministic(finding),
            acceptable: false,
        })
    }

    /// Inputs that changed since the gate's configuration was blessed: not a fault of the retriever.
    fn inputs_changed(&self, gate: &Gate, verdict: Verdict) -> Vec<Input> {
        // What was not measured is not explained by what has changed.
        if verdict == Verdict::Errored {
            return Vec::new();
        }
        // What was blessed explains what broke a limit, and has no part in one that holds.
        let explains = matches!(gate.kind, GateKind::Threshold { .. }) && verdict != Verdict::Passed;
        let configuration = self.configuration(&gate.configuration).ok();
        let golden = configuration
            .filter(|_| explains || self.looks_back(gate))
            .and_then(|configuration| self.golden(configuration).ok().flatten());
        golden.map_or_else(Vec::new, |golden| golden.changed.clone())
    }

    /// Whether a gate is decided by golden files.
    fn looks_back(&self, gate: &Gate) -> bool {
        match &gate.kind {
            GateKind::Threshold { .. } | GateKind::Deterministic => false,
            GateKind::Snapshot => true,
            GateKind::Comparison { comparison, .. } => {
                self.spec.comparisons[*comparison].baseline == Baseline::Golden
            }
        }
    }

    fn advice(&self, gate: &Gate, acceptable: bool) -> Vec<Advice> {
        let mut advice = Vec::new();
        let mut push = |purpose: String, action: String| advice.push(Advice { purpose, action });
        let configuration = self.configuration(&gate.configuration).ok().filter(|_| self.looks_back(gate));
        let broken = configuration.filter(|one| self.broken_golden(one).is_some());
        if let Some(path) = broken.and_then(|one| self.golden_path(one, "run").ok()) {
            let checkout = format!("git checkout -- {}", self.context.shown(&path));
            push("restore the golden run".into(), checkout);
        }
        if acceptable || broken.is_some() {
            for (name, renaming) in configuration.map(|one| self.renamings(one)).unwrap_or_default() {
                push(format!("if it was called {name} before"), renaming);
            }
            let locally = if self.context.bless.ci { " (run locally, then commit)" } else { "" };
            // Blessing would be refused.
            let refused =
                self.configuration(&gate.configuration).is_ok_and(|one| !self.failing(one).is_empty());
            let when = if refused { ", once its thresholds hold" } else { "" };
            push(format!("accept the new report and ranking{when}{locally}"), self.context.accept.clone());
        }
        if self.context.reports {
            push("full report".into(), self.page());
        }
        advice
    }
}

/// The finding on a threshold, with what is held against its limits and where its numbers are to them.
pub(crate) fn standing(mut finding: ThresholdFinding) -> Finding {
    let (measured, movers) = (&finding.measured, &finding.movers);
    let against = movers.against_value.or(measured.golden);
    let held = held(finding.bound, measured.value, measured.interval);
    let to = |limit| LimitReport::of(limit, held, measured.value, measured.interval, against);
    (finding.to_min, finding.to_max) = (finding.min.map(to), finding.max.map(to));
    finding.broken = held.and_then(|held| broken_limit(held, finding.min, finding.max));
    finding.held = held;
    Finding::Threshold(Box::new(finding))
}

/// The end at which the queries are that break a limit: the low one, unless it is `max` that is broken.
pub(crate) fn broken(estimate: &Estimate, bound: Bound, max: Option<f64>) -> Extreme {
    match held(bound, estimate.value, estimate.limits()).and_then(|held| broken_limit(held, None, max)) {
        Some(_) => Extreme::Highest,
        None => Extreme::Lowest,
    }
}

/// The queries that explain a value: against what was blessed where that moved, else those at one end.
fn explain(
    evaluation: &Evaluation,
    golden: Option<&Golden>,
    metric: &Metric,
    end: Extreme,
) -> Result<Movers> {
    // Queries that nobody asked that day have not moved.
    if let Some((ours, theirs)) = golden.and_then(|golden| golden.shared(evaluation)) {
        let mut moved = movers::against(&ours, &Against { name: "golden", evaluation: &theirs }, metric)?;
        if moved.worse + moved.better > 0 {
            // Means over other queries than the gate's do not stand beside its value.
            if ours.queries().len() < evaluation.queries().len() {
                moved.against_value = None;
            }
            return Ok(moved);
        }
    }
    movers::extreme(evaluation, metric, end)
}
