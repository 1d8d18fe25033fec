//! Gates on golden files: the metric report against what was blessed.

use crate::analysis::{Golden, deterministic, largest_loss, list_changes};
use crate::benchmark::decide::{Decision, Decisions};
use crate::evaluation::Evaluation;
use crate::golden::{Snapshot, SnapshotVerdict, refuse_output};
use crate::report::internal::snapshot_of;
use crate::spec::Configuration;
use crate::{Error, ErrorKind, Result};

use crate::model::{CoverageReport, Report, SnapshotFinding, SnapshotState, Verdict};

impl Decisions {
    pub(crate) fn snapshot(&self, configuration: &Configuration) -> Result<Decision> {
        let measurement = self.measure.measurement(configuration)?;
        self.measure.spec.metrics.iter().try_for_each(|metric| measurement.evaluation.findable(metric))?;
        let snapshot = self.snapshot_of(configuration)?;
        let (verdict, state, diff) =
            if self.measure.context.bless.on && self.bless_snapshot(configuration)?.is_some() {
                (Verdict::Passed, SnapshotState::Blessed, String::new())
            } else {
                refuse_output(&snapshot.path(), &self.measure.context.output)?;
                let verdict = snapshot.verdict();
                if self.measure.context.site.is_some() {
                    snapshot.note_reference();
                    // A CI machine has nobody who reviews it. Where it cannot be written the verdict stands all the same.
                    if !self.measure.context.bless.ci {
                        drop(snapshot.leave_pending(&verdict));
                    }
                }
                match verdict {
                    SnapshotVerdict::Same => (Verdict::Passed, SnapshotState::Same, String::new()),
                    SnapshotVerdict::Missing => (Verdict::Error, SnapshotState::Missing, String::new()),
                    SnapshotVerdict::Differs(diff) => (Verdict::Failed, SnapshotState::Differs, diff),
                    SnapshotVerdict::Broken(message) => {
                        return Err(Error::invalid(message));
                    }
                }
            };
        let file = self.measure.context.shown(&snapshot.path());
        let mut finding = SnapshotFinding { diff, ..SnapshotFinding::new(file, state) };
        if state == SnapshotState::Differs {
            self.explain_by_rankings(configuration, &mut finding);
        }
        // Results of no document of the corpus are shown, and make no error.
        let foreign = measurement.foreign_documents.count(&configuration.name);
        let coverage = foreign.map(|count| CoverageReport { at_least: 0.0, counts: vec![count] });
        Ok(Decision::new(verdict, finding).acceptable(true).with(coverage))
    }

    /// Adds what the blessed run beside the report tells of the difference. What it cannot tell leaves the verdict as it is.
    fn explain_by_rankings(&self, configuration: &Configuration, finding: &mut SnapshotFinding) {
        let (Ok(measurement), Ok(golden)) =
            (self.measure.measurement(configuration), self.blessed(configuration))
        else {
            return;
        };
        let Some(golden) = golden else {
            finding.without_run = true;
            return;
        };
        finding.tied = only_ties_moved(&measurement.evaluation, &golden);
        if let Some((now, before)) = golden.shared(&measurement.evaluation) {
            let changes = list_changes(&now, &before, golden.depth);
            finding.lists =
                changes.map_or_else(Vec::new, |one| std::iter::once(one.order).chain(one.shapes).collect());
            if let Some((metric, value, movers)) = largest_loss(&self.measure.spec.metrics, &now, &before) {
                (finding.metric, finding.value, finding.movers) = (Some(metric), Some(value), Some(movers));
            }
        }
    }

    /// What the report says of a configuration, as it is kept under `golden/`.
    pub(crate) fn snapshot_of(&self, configuration: &Configuration) -> Result<Snapshot> {
        let measure = &self.measure;
        let nothing =
            || Error::with_kind(ErrorKind::Internal, "there is no measurement to take a snapshot of");
        // The report counts the documents where they were read, and not everything that was selected reads
        // them.
        measure.corpus()?;
        let report = Report {
            collection: self.collection_report(),
            configurations: vec![self.configuration_report(configuration)],
            ..Report::blank(measure.name())
        };
        Ok(Snapshot {
            folder: measure.golden_folder()?,
            name: configuration.name.clone(),
            description: format!("{}: {}", measure.name(), configuration.source),
            input_file: measure.context.input_file(&measure.spec.path),
            source: measure.context.source.clone(),
            text: snapshot_of(&report, &configuration.name).ok_or_else(nothing)?,
            blessed: measure.before_asking(configuration).snapshot.clone(),
        })
    }
}

/// How many documents stand elsewhere among their equals, where that is all in which today's rankings differ from the
/// blessed ones.
fn only_ties_moved(today: &Evaluation, golden: &Golden) -> Option<usize> {
    if !golden.changed.is_empty() || today.passes() != 1 || golden.evaluation.passes() != 1 {
        return None;
    }
    deterministic::moved_within_ties(today.queries(), golden.evaluation.run(0)?, today.run(0)?)
}
