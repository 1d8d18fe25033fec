//! Deciding gates: each kind asks the cache for what it needs, and says what it saw.

mod advice;
mod bless;
mod configuration;
mod coverage;
mod segments;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::Result;
use crate::error::chain;
use crate::gate::{Gate, GateKind, Level};
use crate::gates::comparison::family::Families;
use crate::gates::kinds;
use crate::order::SmallMap;
use crate::panic;
use crate::spec::Configuration;

use self::configuration::Slot;
pub(crate) use self::coverage::lower_in_spec;
use crate::measure::Cache;
use crate::model::{CoverageReport, Finding, GateReport, Place, Verdict};

/// What was decided of a benchmark so far.
pub(crate) struct Decisions {
    pub(crate) cache: Cache,
    /// Whether the segments that the spec names are there.
    segments: OnceLock<Result<()>>,
    pub(crate) families: Families,
    /// By configuration.
    slots: SmallMap<String, Slot>,
    /// By the position of the gate in the spec.
    decided: Mutex<SmallMap<usize, GateReport>>,
}

/// What came of a gate, before its level.
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    pub(crate) finding: Finding,
    /// Golden files can be blessed to accept what was seen.
    pub(crate) acceptable: bool,
}

/// How gates of a kind are decided.
pub(crate) trait Decide {
    /// What comes of the gate on a configuration.
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision>;

    /// Incomplete coverage; nothing for kinds that show missing data by themselves.
    fn coverage(&self, _: &Decisions, _: &Configuration) -> Result<Option<CoverageReport>> {
        Ok(None)
    }
}

macro_rules! decision_of {
    ($($(#[$about:meta])* $name:ident($demand:ty),)+) => {
        /// How a gate is decided, by its kind.
        fn decision_of(kind: &GateKind) -> &dyn Decide {
            match kind {
                $(GateKind::$name(gate) => gate,)+
            }
        }
    };
}
kinds!(decision_of);

impl Decisions {
    pub(super) fn new(cache: Cache) -> Self {
        let spec = &cache.spec;
        Self {
            segments: OnceLock::new(),
            families: Families::new(spec),
            slots: SmallMap::new(spec.configurations.iter().map(|one| (one.name.clone(), Slot::default()))),
            decided: Mutex::default(),
            cache,
        }
    }

    /// Decides the gate at a position of the spec.
    pub(super) fn decide(&self, index: usize) -> GateReport {
        let report = self.decision(&self.cache.spec.gates[index]);
        if let Some(shared) = &self.cache.context.cache {
            // Only the report that all processes share would miss it: the test itself has it.
            drop(shared.put(&self.cache.key(&format!("gate-{index:06}")), &(index, &report)));
        }
        self.decided().insert(index, report.clone());
        report
    }

    /// What comes of the gate at a position of the spec, without its being one of those that were decided.
    pub(super) fn report_of(&self, index: usize) -> GateReport {
        let decided = self.decided().get(&index).cloned();
        decided.unwrap_or_else(|| self.decision(&self.cache.spec.gates[index]))
    }

    fn decided(&self) -> MutexGuard<'_, SmallMap<usize, GateReport>> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any gate was decided in this process.
    pub(super) fn any(&self) -> bool {
        !self.decided().is_empty()
    }

    /// Whether any was that judges this configuration.
    pub(super) fn any_on(&self, configuration: &str) -> bool {
        self.decided().values().any(|gate| gate.configuration == configuration)
    }

    /// The verdicts so far, those of the test run's other processes included, in the spec's order.
    pub(super) fn verdicts(&self) -> Vec<GateReport> {
        let mut verdicts = self.decided().clone();
        if let Some(shared) = &self.cache.context.cache {
            let elsewhere = shared.all::<(usize, GateReport)>(&self.cache.key("gate-"));
            verdicts.extend(elsewhere.unwrap_or_default());
        }
        verdicts.into_iter().map(|(_, verdict)| verdict).collect()
    }

    /// Decides a gate; anything that keeps it from being decided makes it errored.
    fn decision(&self, gate: &Gate) -> GateReport {
        let undecided =
            |verdict, message| Decision { verdict, finding: Finding::undecided(message), acceptable: false };
        let decided = panic::catch(|| {
            self.try_decide(gate).unwrap_or_else(|error| undecided(Verdict::Errored, chain(&error)))
        });
        let decision = decided.unwrap_or_else(|message| undecided(Verdict::Errored, message));
        let (decision, coverage) = self.with_coverage(gate, decision);
        let decided = decision.verdict;
        let verdict = decided.at(gate.level);
        GateReport {
            name: gate.name.clone(),
            configuration: gate.configuration.clone(),
            advisory: gate.level == Level::Advisory,
            verdict,
            place: Some(Place {
                file: self.cache.context.shown(&self.cache.spec.path),
                line: u64::try_from(gate.line).unwrap_or(u64::MAX),
            }),
            inputs_changed: match (&coverage, verdict) {
                // What was measured, and is too little, may be explained by what has changed.
                (Some(_), Verdict::Errored) => self.inputs_changed(gate, Verdict::Failed),
                (_, verdict) => self.inputs_changed(gate, verdict),
            },
            coverage,
            advice: if verdict == Verdict::Passed {
                Vec::new()
            } else {
                let mut advice: Vec<_> = self.pool_advice(&decision.finding, decided).into_iter().collect();
                advice.extend(self.advice(gate, decision.acceptable));
                advice
            },
            finding: decision.finding,
        }
    }

    fn try_decide(&self, gate: &Gate) -> Result<Decision> {
        let configuration = self.cache.configuration(&gate.configuration)?;
        // Of the whole spec, and so once: there may be thousands of gates.
        let segments = self.segments.get_or_init(|| self.check_segments());
        segments.clone()?;
        decision_of(&gate.kind).decide(self, configuration)
    }
}
