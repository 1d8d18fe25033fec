//! Whether the verdict of a gate agrees with the numbers beside it.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::GateContent;
use super::check::{Inconsistency, inconsistency};
use super::evidence::{
    BoundsContent, ComparisonContent, DeterministicContent, LatencyContent, OverlapContent, SnapshotContent,
    SuiteContent, SuiteThresholdContent, ThresholdContent, undecided,
};
use super::numbers::{ROUNDING, Ranges, is_same, slack};
use crate::model::{EvidenceReport, Verdict};

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

/// What tells whether a decision rests on the scores of all judged queries.
#[derive(Deserialize)]
struct Basis {
    metric: String,
    segment: Option<IgnoredAny>,
    corrected: Option<IgnoredAny>,
    calibrated: Option<IgnoredAny>,
    answers: Option<IgnoredAny>,
}

impl GateContent {
    pub(super) fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let Some(finding) = &self.finding else { return Ok(()) };
        let at = format!("{at}/finding");
        let failed = |error: serde_json::Error| inconsistency(&at, error.to_string());
        let Kind { kind } = serde_json::from_str(finding.get()).map_err(failed)?;
        let text = finding.get();
        let shown = match kind.as_str() {
            "threshold" => {
                let finding: ThresholdContent = serde_json::from_str(text).map_err(failed)?;
                finding.check(&at, ranges)?;
                finding.shown()
            }
            "comparison" => {
                let finding: ComparisonContent = serde_json::from_str(text).map_err(failed)?;
                finding.check(&at, ranges)?;
                finding.shown(self.verdict)
            }
            // The others hold no number that is said elsewhere.
            "bounds" => serde_json::from_str::<BoundsContent>(text).map_err(failed)?.shown(),
            "overlap" => serde_json::from_str::<OverlapContent>(text).map_err(failed)?.shown(),
            "latency" => serde_json::from_str::<LatencyContent>(text).map_err(failed)?.shown(),
            "snapshot" => serde_json::from_str::<SnapshotContent>(text).map_err(failed)?.shown(),
            "deterministic" => serde_json::from_str::<DeterministicContent>(text).map_err(failed)?.shown(),
            "suite" => serde_json::from_str::<SuiteContent>(text).map_err(failed)?.shown(self.verdict),
            "suite-threshold" => serde_json::from_str::<SuiteThresholdContent>(text).map_err(failed)?.shown(),
            "undecided" => undecided(),
            // One of a later version.
            _ => return Ok(()),
        };
        // What needs a judgment that cannot be had is skipped, and a suite with a collection of which that is true.
        let may_skip = matches!(kind.as_str(), "undecided" | "suite" | "suite-threshold");
        if self.verdict == Verdict::Skipped && may_skip {
            return Ok(());
        }
        if let Some((key, why)) = shown.contradiction(self.verdict, self.advisory) {
            return Err(inconsistency(&format!("{at}/{key}"), why));
        }
        self.check_evidence(&at, &kind)
    }

    /// A gate that passes rests on enough; a suite has more than one share that is needed.
    fn check_evidence(&self, at: &str, kind: &str) -> Result<(), Inconsistency> {
        let evidence = self.evidence.as_ref().filter(|_| !kind.starts_with("suite"));
        let evidence = evidence.and_then(|text| serde_json::from_str::<EvidenceReport>(text.get()).ok());
        match evidence.filter(|evidence| self.verdict == Verdict::Passed && !evidence.is_enough()) {
            Some(evidence) => {
                let (share, at_least) = (evidence.share(), evidence.at_least);
                let message = format!(
                    "the gate passed on a share of {share} of what it rests on, and needs {at_least}"
                );
                Err(inconsistency(&at.replace("/finding", "/evidence"), message))
            }
            None => Ok(()),
        }
    }
}

impl GateContent {
    /// Whether it was decided by scores of a metric that each judged query has. Those by a model's judgments and those of
    /// answers stand elsewhere, and of a segment all may be known where some other query lacks something.
    pub(super) fn needs_scores_of(&self, configuration: &str, metric: &str) -> bool {
        let Some(finding) =
            self.finding.as_ref().filter(|_| self.configuration.as_deref() == Some(configuration))
        else {
            return false;
        };
        let kind = serde_json::from_str::<Kind>(finding.get()).map(|Kind { kind }| kind);
        if !kind.is_ok_and(|kind| kind == "threshold" || kind == "comparison") {
            return false;
        }
        serde_json::from_str::<Basis>(finding.get()).is_ok_and(|basis| {
            let is_elsewhere = [basis.segment, basis.corrected, basis.calibrated, basis.answers];
            basis.metric == metric && is_elsewhere.iter().all(Option::is_none)
        })
    }
}

impl ThresholdContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        if self.corrected.is_none() && self.calibrated.is_none() {
            self.measured.check_values(&format!("{at}/measured"), ranges)?;
        }
        self.measured.check_intervals(&format!("{at}/measured"))?;
        if let Some((held, expected)) =
            self.held.zip(self.expected()).filter(|(one, other)| !is_same(*one, *other))
        {
            let message = format!("it is {held}, and `measured` has {expected} there");
            return Err(inconsistency(&format!("{at}/held"), message));
        }
        Ok(())
    }
}

impl ComparisonContent {
    fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let Self { wins, ties, losses, units, .. } = *self;
        if wins.checked_add(ties).and_then(|some| some.checked_add(losses)) != Some(units) {
            let message = format!("{wins} wins, {ties} ties and {losses} losses are not {units} units");
            return Err(inconsistency(&format!("{at}/units"), message));
        }
        let ps = [
            ("p_two_sided", self.p_two_sided),
            ("p_greater", self.p_greater),
            ("p_less", self.p_less),
            ("p_deciding", self.p_deciding),
            ("p_adjusted", self.p_adjusted),
        ];
        for (key, p) in ps {
            if !(0.0..=1.0 + ROUNDING).contains(&p) {
                return Err(inconsistency(
                    &format!("{at}/{key}"),
                    format!("{p} is no p-value: they lie between 0 and 1"),
                ));
            }
        }
        if self.corrected.is_some() || self.calibrated.is_some() {
            return Ok(());
        }
        for (key, mean) in [("baseline_mean", self.baseline_mean), ("candidate_mean", self.candidate_mean)] {
            ranges.check_value(|| format!("{at}/{key}"), &self.metric, mean, "")?;
        }
        let (difference, expected) = (self.difference, self.candidate_mean - self.baseline_mean);
        if (difference - expected).abs() > slack(self.candidate_mean, self.baseline_mean) {
            let message = format!("it is {difference}, and the means differ by {expected}");
            return Err(inconsistency(&format!("{at}/difference"), message));
        }
        Ok(())
    }
}
