//! What to do about a gate that does not pass, and what has changed since it was blessed.

use std::path::Path;

use crate::gate::{Baseline, Gate};
use crate::git::Git;
use crate::input::holds_conflict;
use crate::measure::renamings;

use super::{Decision, Decisions};
use crate::model::{Finding, Row, Verdict, Warning};

impl Decisions {
    /// Inputs that changed since the gate's configuration was blessed: not a fault of the retriever.
    pub(super) fn inputs_changed(&self, gate: &Gate, verdict: Verdict) -> Vec<String> {
        // What was not measured is not explained by what has changed.
        if verdict == Verdict::Error {
            return Vec::new();
        }
        // What was blessed explains what broke a limit, and has no part in one that holds.
        let explains = gate.kind.limit().is_some() && verdict != Verdict::Passed;
        let configuration = self.measure.configuration(&gate.configuration).ok();
        let golden = configuration
            .filter(|_| explains || self.looks_back(gate).is_some())
            .and_then(|configuration| self.blessed(configuration).ok().flatten());
        golden.map_or_else(Vec::new, |golden| golden.changed.clone())
    }

    /// What was blessed that a gate is decided by.
    fn looks_back(&self, gate: &Gate) -> Option<&Baseline> {
        gate.kind.held_against(self.measure.spec.entries()).filter(|baseline| baseline.is_blessed())
    }

    /// What would tell a loss from good documents that nobody judged; nothing where the verdict is the same without these.
    fn pool_advice(&self, finding: &Finding) -> Option<Row> {
        if let Finding::Comparison(finding) = finding
            && !finding.warnings.iter().any(|warning| warning.kind == Warning::UNJUDGED_DECIDE)
        {
            return None;
        }
        let (spec, cutoff) = (&self.measure.spec, finding.more_unjudged_within()?);
        // Spans are judged in documents, which `rankgate pool` is not about.
        if spec.collection.has_passages() {
            return None;
        }
        let shown = self.measure.context.shown(&spec.path);
        let action = format!("rankgate pool {shown} -k {cutoff} --page pool.html");
        Some(Row::new("judge the unjudged documents", action))
    }

    /// What to do about a gate that does not pass.
    pub(super) fn advice(&self, gate: &Gate, decision: &Decision) -> Vec<Row> {
        let mut advice: Vec<Row> = self.pool_advice(&decision.finding).into_iter().collect();
        let acceptable = decision.acceptable;
        let mut push = |purpose: String, action: String| advice.push(Row::new(&purpose, action));
        let blessed = self.looks_back(gate);
        let configuration =
            self.measure.configuration(&gate.configuration).ok().filter(|_| blessed.is_some());
        let broken = configuration.filter(|one| self.measure.broken_golden(one).is_some());
        if let Some(path) = broken.and_then(|one| self.measure.blessed_path(one).ok()) {
            let shown = self.measure.context.shown(&path);
            // Between the two sides of a merge git restores neither. Once both are committed it has forgotten which is which.
            if holds_conflict(&path) && is_committed(&path) {
                push(
                    "find a commit whose golden run is whole".into(),
                    format!("git log --oneline -- {shown}"),
                );
                push("and take that".into(), format!("git checkout COMMIT -- {shown}"));
            } else if holds_conflict(&path) {
                push("keep this branch's golden run".into(), format!("git checkout --ours -- {shown}"));
                push("or the merged branch's".into(), format!("git checkout --theirs -- {shown}"));
            } else {
                push("restore the golden run".into(), format!("git checkout -- {shown}"));
            }
        }
        if acceptable || broken.is_some() {
            for (name, renaming) in configuration.map(|one| renamings(&self.measure, one)).unwrap_or_default()
            {
                push(format!("if it was called {name} before"), renaming);
            }
            let locally = if self.measure.context.bless.ci { " (run locally, then commit)" } else { "" };
            let accept = &self.measure.context.accept;
            let missing =
                configuration.is_some_and(|one| self.blessed(one).is_ok_and(|blessed| blessed.is_none()));
            let what = if missing { "create the golden files" } else { "accept the new report and ranking" };
            let own = self.measure.configuration(&gate.configuration);
            let refused = own.is_ok_and(|one| self.refuses(one));
            let when = if refused { ", once its thresholds hold" } else { "" };
            push(format!("{what}{when}{locally}"), accept.command());
        }
        if self.measure.context.reports {
            push("full report".into(), self.measure.context.page(self.measure.name()));
        }
        advice
    }
}

/// Whether the conflict in a file was added or committed; not where git cannot say.
fn is_committed(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(Path::new("."));
    Git::around(folder).and_then(|git| git.is_unmerged(path)).is_ok_and(|unmerged| !unmerged)
}
