//! Deciding gates: one function for each kind takes what it needs from the cache, and returns its finding.

mod advice;
mod bless;
mod configuration;
mod coverage;
mod decision;
mod segments;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::Result;
use crate::gate::{Gate, GateKind};
use crate::gates::comparison::family::Families;
use crate::measure::Measure;
use crate::model::{GateReport, Verdict};
use crate::order;

use self::configuration::Slot;
pub(crate) use self::coverage::lower_in_spec;
pub(crate) use self::decision::{Decided, Decision};

/// What was decided of a benchmark so far.
pub(crate) struct Decisions {
    pub(crate) measure: Measure,
    /// Whether the segments that the spec names are there.
    segments: OnceLock<Result<()>>,
    pub(crate) families: Families,
    /// By configuration.
    slots: BTreeMap<String, Slot>,
    decided: Decided,
}

impl Decisions {
    pub(super) fn new(measure: Measure) -> Self {
        let spec = &measure.spec;
        Self {
            segments: OnceLock::new(),
            families: Families::new(spec),
            slots: order::map(spec.configurations.iter().map(|one| (one.name.clone(), Slot::default()))),
            decided: Decided::default(),
            measure,
        }
    }

    /// Decides the gate at a position of the spec.
    pub(super) fn decide(&self, index: usize) -> GateReport {
        let report = self.decision(&self.measure.spec.gates[index]);
        self.decided.keep(&self.measure.context, &|what| self.measure.key(what), index, &report);
        report
    }

    /// What comes of the gate at a position of the spec, without its being one of those that were decided.
    pub(super) fn report_of(&self, index: usize) -> GateReport {
        let decided = self.decided.here().get(&index).cloned();
        decided.unwrap_or_else(|| self.decision(&self.measure.spec.gates[index]))
    }

    /// Whether any gate was decided in this process.
    pub(super) fn any(&self) -> bool {
        !self.decided.here().is_empty()
    }

    /// Whether any was that judges this configuration.
    pub(super) fn any_on(&self, configuration: &str) -> bool {
        self.decided.here().values().any(|gate| gate.configuration == configuration)
    }

    /// The verdicts so far, those of the test run's other processes included, in the spec's order.
    pub(super) fn verdicts(&self) -> Vec<GateReport> {
        self.decided.everywhere(&self.measure.context, &|what| self.measure.key(what))
    }

    /// Decides a gate, and adds what has changed and what to do next.
    fn decision(&self, gate: &Gate) -> GateReport {
        let decision = Decision::catch(|| {
            let configuration = self.measure.configuration(&gate.configuration)?;
            // Of the whole spec, and so once: there may be thousands of gates.
            self.segments.get_or_init(|| self.check_segments()).clone()?;
            match &gate.kind {
                GateKind::Threshold(one) => self.threshold(configuration, one),
                GateKind::Comparison(one) => self.comparison(one),
                GateKind::Latency(one) => self.latency(configuration, one),
                GateKind::Snapshot(_) => self.snapshot(configuration),
                GateKind::Deterministic(one) => self.deterministic(configuration, one),
            }
        });
        let verdict = decision.verdict.at(gate.level);
        let inputs_changed = match (&decision.coverage, verdict) {
            // What was measured, and is too little, may be explained by what has changed.
            (Some(_), Verdict::Error) => self.inputs_changed(gate, Verdict::Failed),
            (_, verdict) => self.inputs_changed(gate, verdict),
        };
        let advice = match verdict {
            Verdict::Passed => Vec::new(),
            _ => self.advice(gate, &decision),
        };
        let file = self.measure.context.shown(&self.measure.spec.path);
        decision.report(gate, &file, (inputs_changed, advice))
    }
}
