//! What to do about a gate that does not pass, and what has changed since it was blessed.

use crate::gate::{Baseline, Gate};

use super::Decisions;
use crate::model::{Advice, Input, Verdict};

impl Decisions {
    /// Inputs that changed since the gate's configuration was blessed: not a fault of the retriever.
    pub(super) fn inputs_changed(&self, gate: &Gate, verdict: Verdict) -> Vec<Input> {
        // What was not measured is not explained by what has changed.
        if verdict == Verdict::Errored {
            return Vec::new();
        }
        // What was blessed explains what broke a limit, and has no part in one that holds.
        let explains = gate.kind.limit().is_some() && verdict != Verdict::Passed;
        let configuration = self.cache.configuration(&gate.configuration).ok();
        let golden = configuration
            .filter(|_| explains || self.looks_back(gate))
            .and_then(|configuration| self.golden(configuration).ok().flatten());
        golden.map_or_else(Vec::new, |golden| golden.changed.clone())
    }

    /// Whether a gate is decided by golden files.
    fn looks_back(&self, gate: &Gate) -> bool {
        gate.kind.held_against(&self.cache.spec.comparisons) == Some(&Baseline::Golden)
    }

    pub(super) fn advice(&self, gate: &Gate, acceptable: bool) -> Vec<Advice> {
        let mut advice = Vec::new();
        let mut push = |purpose: String, action: String| advice.push(Advice { purpose, action });
        let configuration =
            self.cache.configuration(&gate.configuration).ok().filter(|_| self.looks_back(gate));
        let broken = configuration.filter(|one| self.cache.broken_golden(one).is_some());
        if let Some(path) = broken.and_then(|one| self.cache.golden_path(one, "run").ok()) {
            let checkout = format!("git checkout -- {}", self.cache.context.shown(&path));
            push("restore the golden run".into(), checkout);
        }
        if acceptable || broken.is_some() {
            for (name, renaming) in configuration.map(|one| self.cache.renamings(one)).unwrap_or_default() {
                push(format!("if it was called {name} before"), renaming);
            }
            let locally = if self.cache.context.bless.ci { " (run locally, then commit)" } else { "" };
            // Blessing would be refused.
            let refused =
                self.cache.configuration(&gate.configuration).is_ok_and(|one| !self.failing(one).is_empty());
            let when = if refused { ", once its thresholds hold" } else { "" };
            push(
                format!("accept the new report and ranking{when}{locally}"),
                self.cache.context.accept.clone(),
            );
        }
        if self.cache.context.reports {
            push("full report".into(), self.cache.context.page(self.cache.name()));
        }
        advice
    }
}
