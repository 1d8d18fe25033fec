//! Whether the verdict of a gate agrees with the numbers beside it.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::check::{Inconsistency, inconsistency};
use super::numbers::{ROUNDING, Ranges, is_same, slack};
use super::{GateContent, MetricContent};
use crate::model::{Bound, Limit, Verdict};

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

#[derive(Deserialize)]
struct ThresholdContent {
    min: Option<f64>,
    max: Option<f64>,
    bound: Bound,
    held: Option<f64>,
    broken: Option<Limit>,
    measured: MetricContent,
    /// What people correct may lie beyond what a metric can be.
    corrected: Option<IgnoredAny>,
    calibrated: Option<IgnoredAny>,
    every_query: Option<EveryQueryContent>,
}

#[derive(Deserialize)]
struct EveryQueryContent {
    worst: f64,
}

#[derive(Deserialize)]
struct ComparisonContent {
    units: usize,
    wins: usize,
    ties: usize,
    losses: usize,
    baseline_mean: f64,
    candidate_mean: f64,
    difference: f64,
    metric: String,
    p_two_sided: f64,
    p_greater: f64,
    p_less: f64,
    p_deciding: f64,
    p_adjusted: f64,
    corrected: Option<IgnoredAny>,
    calibrated: Option<IgnoredAny>,
}

impl GateContent {
    pub(super) fn check(&self, at: &str, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        let Some(finding) = &self.finding else { return Ok(()) };
        let at = format!("{at}/finding");
        let failed = |error: serde_json::Error| inconsistency(&at, error.to_string());
        let Kind { kind } = serde_json::from_str(finding.get()).map_err(failed)?;
        match kind.as_str() {
            "threshold" => {
                let finding: ThresholdContent = serde_json::from_str(finding.get()).map_err(failed)?;
                finding.check(&at, self.verdict, ranges)
            }
            "comparison" => {
                let finding: ComparisonContent = serde_json::from_str(finding.get()).map_err(failed)?;
                finding.check(&at, ranges)
            }
            // The others hold nothing that is said elsewhere, or are of a later version.
            _ => Ok(()),
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
    fn check(&self, at: &str, verdict: Verdict, ranges: &mut Ranges) -> Result<(), Inconsistency> {
        if self.corrected.is_none() && self.calibrated.is_none() {
            self.measured.check_values(&format!("{at}/measured"), ranges)?;
        }
        self.measured.check_intervals(&format!("{at}/measured"))?;
        let Some(held) = self.held else { return Ok(()) };
        let expected = match self.bound {
            Bound::Mean => Some(self.measured.value),
            Bound::Lower => self.measured.interval.map(|[low, _]| low),
            Bound::Upper => self.measured.interval.map(|[_, high]| high),
            Bound::EveryQuery => self.every_query.as_ref().map(|report| report.worst),
        };
        if let Some(expected) = expected.filter(|expected| !is_same(held, *expected)) {
            let message = format!("it is {held}, and `measured` has {expected} there");
            return Err(inconsistency(&format!("{at}/held"), message));
        }
        // A value that is its limit but for rounding keeps it.
        let is_below = self.min.is_some_and(|min| held < min - slack(held, min));
        let is_above = self.max.is_some_and(|max| held > max + slack(held, max));
        if verdict == Verdict::Passed && (is_below || is_above || self.broken.is_some()) {
            let message = format!("the gate passed, and {held} breaks its limit");
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
