//! The result of a gate, and the gates that were decided so far.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::chain;
use crate::gate::{Gate, Level};
use crate::measure::Context;
use crate::model::{CoverageReport, Finding, GateReport, Row, Verdict};
use crate::{Error, panic};

use super::lower_in_spec;

/// What came of a gate, before its level.
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) finding: Finding,
    /// Coverage, if it is incomplete.
    pub(crate) coverage: Option<CoverageReport>,
    /// Golden files can be blessed to accept what was seen.
    pub(crate) acceptable: bool,
}

impl Decision {
    pub(crate) fn new(verdict: Verdict, finding: impl Into<Finding>) -> Self {
        Self { verdict, finding: finding.into(), coverage: None, acceptable: false }
    }

    /// Nothing is decided, for this reason.
    pub(crate) fn undecided(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Error, Finding::undecided(reason))
    }

    /// Decides; anything that keeps the gate from being decided makes it an error.
    pub(crate) fn catch(decide: impl FnOnce() -> Result<Self, Error>) -> Self {
        let decided = panic::catch(|| decide().unwrap_or_else(|error| Self::undecided(chain(&error))));
        decided.unwrap_or_else(Self::undecided)
    }

    /// The same where golden files can be blessed to accept it.
    pub(crate) fn acceptable(self, acceptable: bool) -> Self {
        Self { acceptable, ..self }
    }

    /// The same on so much of the data: nothing is decided on too little.
    pub(crate) fn covered(self, coverage: Option<CoverageReport>) -> Self {
        match coverage {
            Some(report) if !report.is_enough() => Self {
                acceptable: report.is_behind(),
                ..Self::undecided(report.reason(lower_in_spec)).with(Some(report))
            },
            coverage => self.with(coverage),
        }
    }

    pub(crate) fn with(self, coverage: Option<CoverageReport>) -> Self {
        Self { coverage, ..self }
    }

    /// The gate's report, at its level.
    pub(crate) fn report(
        self,
        gate: &Gate,
        file: &str,
        (inputs_changed, advice): (Vec<String>, Vec<Row>),
    ) -> GateReport {
        GateReport {
            name: gate.name.clone(),
            configuration: gate.configuration.clone(),
            advisory: gate.level == Level::Advisory,
            verdict: self.verdict.at(gate.level),
            texts: None,
            place: Some(format!("{file}:{}", gate.line)),
            finding: self.finding,
            coverage: self.coverage,
            inputs_changed,
            advice,
        }
    }
}

/// The gates that were decided so far, by their positions in the spec.
#[derive(Default)]
pub(crate) struct Decided(Mutex<BTreeMap<usize, GateReport>>);

impl Decided {
    pub(crate) fn here(&self) -> MutexGuard<'_, BTreeMap<usize, GateReport>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a report, for the other processes of the test run as well.
    pub(crate) fn keep(
        &self,
        context: &Context,
        key: &dyn Fn(&str) -> String,
        index: usize,
        report: &GateReport,
    ) {
        if let Some(shared) = &context.cache {
            // Only the report that all processes share would miss it: the test itself has it.
            drop(shared.put(&key(&format!("gate-{index:06}")), &(index, report)));
        }
        self.here().insert(index, report.clone());
    }

    /// Those of all processes, in the order of the spec.
    pub(crate) fn everywhere(&self, context: &Context, key: &dyn Fn(&str) -> String) -> Vec<GateReport> {
        let mut all = self.here().clone();
        if let Some(shared) = &context.cache {
            all.extend(shared.all::<(usize, GateReport)>(&key("gate-")).unwrap_or_default());
        }
        all.into_values().collect()
    }
}
