//! What the numbers of a finding come to, whatever the verdict beside it says.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::MetricContent;
use super::numbers::slack;
use crate::model::{Bound, Expect, Limit, SnapshotState, Standing, Verdict};
use crate::stats::{Evidence, Expectation, LatencyReason, Outcome, Reason, decide};

/// What the numbers of a finding come to.
#[derive(Debug, PartialEq)]
pub(super) enum Demand {
    /// They let the gate pass, or say nothing of it.
    Kept,
    /// The gate does not hold: the key of the number, and why.
    Broken(&'static str, String),
    /// They do not decide it: the key, and why.
    Open(&'static str, String),
}

impl Demand {
    /// The first of these that does not let the gate pass; what is broken comes before what is open.
    fn first(all: impl IntoIterator<Item = Self>) -> Self {
        let worse = |worst: Self, one: Self| match (&worst, &one) {
            (Self::Kept, _) | (Self::Open(..), Self::Broken(..)) => one,
            _ => worst,
        };
        all.into_iter().fold(Self::Kept, worse)
    }

    /// The same where something else decides: what looks broken is open.
    fn undecided_if(self, is_undecided: bool) -> Self {
        match self {
            Self::Broken(key, why) if is_undecided => Self::Open(key, why),
            other => other,
        }
    }

    /// The same where a model's judgments may leave a gate open: then nothing is broken yet.
    fn while_open(self, is_open: bool) -> Self {
        match self.undecided_if(is_open) {
            Self::Kept if is_open => Self::Open("open", "its model's judgments leave it open".to_owned()),
            other => other,
        }
    }

    fn broken_if(is_broken: bool, key: &'static str, why: impl FnOnce() -> String) -> Self {
        if is_broken { Self::Broken(key, why()) } else { Self::Kept }
    }

    fn open_if(is_open: bool, key: &'static str, why: impl FnOnce() -> String) -> Self {
        if is_open { Self::Open(key, why()) } else { Self::Kept }
    }

    /// Why a gate of this verdict cannot have these numbers, if it cannot: the key, and a sentence.
    ///
    /// Of what fails nothing alone this can be said: a gate that failed may lack more than its numbers show.
    pub(super) fn contradiction(
        &self,
        verdict: Verdict,
        is_advisory: bool,
    ) -> Option<(&'static str, String)> {
        let (key, why, only_warns) = match self {
            Self::Kept => return None,
            Self::Broken(key, why) => (key, why, is_advisory),
            // What is open fails nothing where the spec says so.
            Self::Open(key, why) => (key, why, true),
        };
        let what = match verdict {
            Verdict::Passed => "passed",
            Verdict::Reported => "expects nothing",
            Verdict::Skipped => "was skipped",
            Verdict::Advisory if !only_warns => "warns alone",
            Verdict::Advisory | Verdict::Failed | Verdict::Inconclusive | Verdict::Errored => return None,
        };
        Some((key, format!("the gate {what}, and {why}")))
    }
}

/// What people make of a model's judgments; it is read for what keeps the gate open.
#[derive(Deserialize)]
pub(super) struct JudgedContent {
    open: Option<IgnoredAny>,
}

fn is_open(judged: &[&Option<JudgedContent>]) -> bool {
    judged.iter().filter_map(|one| one.as_ref()).any(|one| one.open.is_some())
}

#[derive(Deserialize)]
pub(super) struct ThresholdContent {
    pub(super) min: Option<f64>,
    pub(super) max: Option<f64>,
    pub(super) bound: Bound,
    pub(super) held: Option<f64>,
    broken: Option<Limit>,
    to_min: Option<LimitContent>,
    to_max: Option<LimitContent>,
    pub(super) measured: MetricContent,
    /// What people correct may lie beyond what a metric can be.
    pub(super) corrected: Option<JudgedContent>,
    pub(super) calibrated: Option<JudgedContent>,
    pub(super) every_query: Option<EveryQueryContent>,
}

#[derive(Deserialize)]
struct LimitContent {
    held: Option<Standing>,
}

#[derive(Deserialize)]
pub(super) struct EveryQueryContent {
    pub(super) worst: f64,
    #[serde(default)]
    queries: Vec<IgnoredAny>,
}

/// Whether a value keeps its limits; one that is its limit but for rounding does.
fn is_kept(value: f64, min: Option<f64>, max: Option<f64>) -> bool {
    let is_below = min.is_some_and(|min| value < min - slack(value, min));
    let is_above = max.is_some_and(|max| value > max + slack(value, max));
    !is_below && !is_above
}

/// Where a whole interval is to its limits.
fn held_interval(
    key: &'static str,
    interval: Option<[f64; 2]>,
    min: Option<f64>,
    max: Option<f64>,
) -> Demand {
    let Some([low, high]) = interval else {
        return Demand::Open(key, "there is no interval to hold against its limit".to_owned());
    };
    let said = || format!("[{low}, {high}] is not within its limit");
    // Both ends are beyond the same limit, or one of them is.
    let is_beyond = !is_kept(high, min, None) || !is_kept(low, None, max);
    let is_within = is_kept(low, min, max) && is_kept(high, min, max);
    Demand::first([Demand::broken_if(is_beyond, key, said), Demand::open_if(!is_within, key, said)])
}

impl ThresholdContent {
    /// The value that the limits apply to, as its numbers have it.
    pub(super) fn expected(&self) -> Option<f64> {
        match self.bound {
            Bound::Mean => Some(self.measured.value),
            Bound::Lower => self.measured.interval.map(|[low, _]| low),
            Bound::Upper => self.measured.interval.map(|[_, high]| high),
            Bound::EveryQuery => self.every_query.as_ref().map(|report| report.worst),
        }
    }

    pub(super) fn shown(&self) -> Demand {
        let Self { min, max, corrected, calibrated, .. } = self;
        let by_value = match self.held.or_else(|| self.expected()) {
            Some(held) => {
                Demand::broken_if(!is_kept(held, *min, *max) || self.broken.is_some(), "held", || {
                    format!("{held} breaks its limit")
                })
            }
            None => Demand::Open("held", "there is no value to hold against its limit".to_owned()),
        };
        let beyond = |to: &Option<LimitContent>, side| to.as_ref().is_some_and(|to| to.held == Some(side));
        // Of what people correct the whole interval decides.
        let is_judged = corrected.is_some() || calibrated.is_some();
        let by_interval = match is_judged {
            true => held_interval("measured/interval", self.measured.interval, *min, *max),
            false => Demand::Kept,
        };
        let breaking = self.every_query.as_ref().map_or(0, |every| every.queries.len());
        let by_value = Demand::first([
            by_value,
            Demand::broken_if(beyond(&self.to_min, Standing::Below), "to_min", || {
                "its value is below the limit".to_owned()
            }),
            Demand::broken_if(beyond(&self.to_max, Standing::Above), "to_max", || {
                "its value is above the limit".to_owned()
            }),
        ]);
        Demand::first([
            by_value.undecided_if(is_judged),
            Demand::broken_if(breaking > 0, "every_query", || {
                format!("its limit is broken by {breaking} queries")
            }),
            by_interval,
        ])
        .while_open(is_open(&[corrected, calibrated]))
    }
}

#[derive(Deserialize)]
pub(super) struct ComparisonContent {
    pub(super) units: usize,
    pub(super) wins: usize,
    pub(super) ties: usize,
    pub(super) losses: usize,
    pub(super) baseline_mean: f64,
    pub(super) candidate_mean: f64,
    pub(super) difference: f64,
    pub(super) metric: String,
    pub(super) p_two_sided: f64,
    pub(super) p_greater: f64,
    pub(super) p_less: f64,
    pub(super) p_deciding: f64,
    pub(super) p_adjusted: f64,
    expect: Option<Expect>,
    limit: Option<f64>,
    reason: Option<Reason>,
    #[serde(default)]
    claims: Vec<ClaimContent>,
    pub(super) corrected: Option<JudgedContent>,
    pub(super) calibrated: Option<JudgedContent>,
}

#[derive(Deserialize)]
struct ClaimContent {
    evidence: Evidence,
}

impl ComparisonContent {
    /// What is expected of the scores; where nothing is, nothing can be passed or failed.
    fn expectation(&self) -> Option<Expectation> {
        let limit = self.limit.unwrap_or(0.0);
        Some(match self.expect? {
            Expect::NoRegression => Expectation::NoRegression { tolerance: limit },
            Expect::NonInferiority => Expectation::NonInferiority { margin: limit },
            Expect::Improvement => Expectation::Improvement { min_gain: limit },
            Expect::Equivalence => Expectation::Equivalence { margin: limit },
            Expect::Identical | Expect::Overlap => return None,
        })
    }

    pub(super) fn shown(&self, verdict: Verdict) -> Demand {
        let Some(expectation) = self.expectation() else {
            return Demand::open_if(verdict == Verdict::Passed && self.reason.is_some(), "expect", || {
                "nothing was expected".to_owned()
            });
        };
        let by_reason = self.reason.map_or(Demand::Kept, |reason| {
            let why = || format!("its reason is `{reason}`");
            match outcome_of(reason, &expectation) {
                Outcome::Passed => Demand::Kept,
                Outcome::Failed => Demand::Broken("reason", why()),
                Outcome::Inconclusive => Demand::Open("reason", why()),
            }
        });
        let evidence: Vec<Evidence> = self.claims.iter().map(|claim| claim.evidence).collect();
        let by_claims = match evidence.len() == expectation.claims().len() {
            // Nothing is known of these claims.
            false => Demand::Kept,
            true => {
                let is_identical = self.reason == Some(Reason::Identical);
                let why = |outcome: &str| format!("its claims come to `{outcome}`");
                match decide(&expectation, &evidence, self.difference, is_identical).0 {
                    Outcome::Passed => Demand::Kept,
                    Outcome::Failed => Demand::Broken("claims", why("failed")),
                    Outcome::Inconclusive => Demand::Open("claims", why("inconclusive")),
                }
            }
        };
        let is_otherwise = self.reason == Some(Reason::Identical) && self.wins + self.losses > 0;
        Demand::first([
            by_reason,
            by_claims,
            Demand::open_if(is_otherwise, "reason", || {
                format!("rankings with {} wins and {} losses are not identical", self.wins, self.losses)
            }),
        ])
        .while_open(is_open(&[&self.corrected, &self.calibrated]))
    }
}

/// What a reason comes to, as [`decide`] gives it.
fn outcome_of(reason: Reason, expectation: &Expectation) -> Outcome {
    let is_regression = matches!(expectation, Expectation::NoRegression { .. });
    match reason {
        Reason::Shown | Reason::WithinTolerance => Outcome::Passed,
        Reason::Refuted => Outcome::Failed,
        Reason::Identical if matches!(expectation, Expectation::Improvement { .. }) => Outcome::Inconclusive,
        Reason::Identical => Outcome::Passed,
        // No drop is shown.
        Reason::NothingShown | Reason::TestsDisagree if is_regression => Outcome::Passed,
        // One of a later version shows nothing here.
        _ => Outcome::Inconclusive,
    }
}

#[derive(Deserialize)]
pub(super) struct BoundsContent {
    baseline: Option<IgnoredAny>,
    min: Option<f64>,
    max: Option<f64>,
    lowest: Option<BoundContent>,
    highest: Option<BoundContent>,
    open: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct BoundContent {
    interval: Option<[f64; 2]>,
    verdict: Verdict,
}

impl BoundsContent {
    pub(super) fn shown(&self) -> Demand {
        let bound = |key: &'static str, bound: &Option<BoundContent>| {
            let Some(BoundContent { interval, verdict }) = bound else {
                return Demand::Open(key, "there is no such bound".to_owned());
            };
            let said = || format!("this bound comes to `{verdict}`");
            let by_verdict = match verdict {
                Verdict::Passed => Demand::Kept,
                Verdict::Failed => Demand::Broken(key, said()),
                _ => Demand::Open(key, said()),
            };
            // Of a comparison the limit is one of the difference, whose claims the verdict has.
            let by_interval = match self.baseline.is_some() {
                true => Demand::Kept,
                false => held_interval(key, *interval, self.min, self.max),
            };
            Demand::first([by_verdict, by_interval])
        };
        // One bound may break a limit that the other keeps.
        let both = [bound("lowest", &self.lowest), bound("highest", &self.highest)];
        let both = match both {
            [Demand::Broken(..), Demand::Broken(key, why)] => [Demand::Broken(key, why), Demand::Kept],
            both => both.map(|one| match one {
                Demand::Broken(key, why) => Demand::Open(key, why),
                one => one,
            }),
        };
        Demand::first(both).while_open(self.open.is_some())
    }
}

#[derive(Deserialize)]
pub(super) struct OverlapContent {
    expect: Expect,
    min: Option<f64>,
    to_min: Option<Standing>,
    likeness: LikenessContent,
    #[serde(default)]
    differing: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct LikenessContent {
    overlap: f64,
    identical: usize,
    queries: usize,
}

impl OverlapContent {
    pub(super) fn shown(&self) -> Demand {
        let LikenessContent { overlap, identical, queries } = self.likeness;
        match (self.expect, self.min) {
            (Expect::Overlap, None) => Demand::Open("min", "there is no limit to hold it against".to_owned()),
            (_, Some(min)) => {
                let is_below = !is_kept(overlap, Some(min), None) || self.to_min == Some(Standing::Below);
                Demand::broken_if(is_below, "likeness", || format!("an overlap of {overlap} is below {min}"))
            }
            (_, None) => {
                let differ = identical < queries || !self.differing.is_empty();
                Demand::broken_if(differ, "likeness", || {
                    format!("{identical} of {queries} queries rank the same")
                })
            }
        }
    }
}

#[derive(Deserialize)]
pub(super) struct LatencyContent {
    max_ms: Option<f64>,
    reason: LatencyReason,
    interval: Option<[f64; 2]>,
}

impl LatencyContent {
    pub(super) fn shown(&self) -> Demand {
        let why = || format!("its reason is `{}`", self.reason);
        let by_reason = match self.reason {
            LatencyReason::Within => Demand::Kept,
            LatencyReason::Beyond => Demand::Broken("reason", why()),
            _ => Demand::Open("reason", why()),
        };
        // A ratio is decided by its p-values.
        let by_interval = match self.max_ms {
            Some(max) => held_interval("interval", self.interval, None, Some(max)),
            None => Demand::Kept,
        };
        Demand::first([by_reason, by_interval])
    }
}

#[derive(Deserialize)]
pub(super) struct SnapshotContent {
    state: SnapshotState,
}

impl SnapshotContent {
    pub(super) fn shown(&self) -> Demand {
        match self.state {
            SnapshotState::Same | SnapshotState::Blessed => Demand::Kept,
            SnapshotState::Differs => Demand::Broken("state", "what was blessed differs".to_owned()),
            SnapshotState::Missing => Demand::Broken("state", "nothing was blessed".to_owned()),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct DeterministicContent {
    differing: Vec<IgnoredAny>,
    builds: Option<BuildsContent>,
}

#[derive(Deserialize)]
struct BuildsContent {
    repeated: Option<RepeatedContent>,
}

#[derive(Deserialize)]
struct RepeatedContent {
    differing: Vec<IgnoredAny>,
}

impl DeterministicContent {
    pub(super) fn shown(&self) -> Demand {
        let repeated = self.builds.as_ref().and_then(|builds| builds.repeated.as_ref());
        let by_builds = repeated.map_or(0, |repeated| repeated.differing.len());
        let said = |differing: usize| format!("{differing} queries were answered in two ways");
        Demand::first([
            Demand::broken_if(!self.differing.is_empty(), "differing", || said(self.differing.len())),
            Demand::broken_if(by_builds > 0, "builds", || said(by_builds)),
        ])
    }
}

#[derive(Deserialize)]
struct UnmetContent {
    gates: Vec<UnmetGateContent>,
}

#[derive(Deserialize)]
struct UnmetGateContent {
    gate: String,
    verdict: Verdict,
}

impl UnmetContent {
    /// A suite's gate is no better than those of its collections.
    fn shown(unmet: &Option<Self>) -> Demand {
        let gates = unmet.iter().flat_map(|unmet| &unmet.gates);
        Demand::first(gates.map(|one| {
            let said = || format!("{} came to `{}`", one.gate, one.verdict);
            match one.verdict {
                verdict if verdict.is_ok() => Demand::Kept,
                Verdict::Failed | Verdict::Errored => Demand::Broken("unmet", said()),
                _ => Demand::Open("unmet", said()),
            }
        }))
    }
}

#[derive(Deserialize)]
pub(super) struct SuiteContent {
    pub(super) whole: ComparisonContent,
    outcome: Outcome,
    harm_at_most: Option<HarmContent>,
    unmet: Option<UnmetContent>,
}

#[derive(Deserialize)]
struct HarmContent {
    verdict: Verdict,
}

impl SuiteContent {
    pub(super) fn shown(&self, verdict: Verdict) -> Demand {
        let said = || format!("its mean comes to `{}`", self.outcome);
        // Where nothing was expected, the outcome is that of a gain.
        let by_outcome = match self.outcome {
            _ if self.whole.expect.is_none() => Demand::Kept,
            Outcome::Passed => Demand::Kept,
            Outcome::Failed => Demand::Broken("outcome", said()),
            Outcome::Inconclusive => Demand::Open("outcome", said()),
        };
        let harm = self.harm_at_most.as_ref().map_or(Demand::Kept, |harm| {
            let said = || format!("what each collection may lose comes to `{}`", harm.verdict);
            match harm.verdict {
                Verdict::Passed => Demand::Kept,
                Verdict::Failed => Demand::Broken("harm_at_most", said()),
                _ => Demand::Open("harm_at_most", said()),
            }
        });
        Demand::first([self.whole.shown(verdict), by_outcome, harm, UnmetContent::shown(&self.unmet)])
    }
}

#[derive(Deserialize)]
pub(super) struct SuiteThresholdContent {
    pub(super) whole: ThresholdContent,
    unmet: Option<UnmetContent>,
}

impl SuiteThresholdContent {
    pub(super) fn shown(&self) -> Demand {
        Demand::first([self.whole.shown(), UnmetContent::shown(&self.unmet)])
    }
}

/// What is said of a gate that could not be decided.
pub(super) fn undecided() -> Demand {
    Demand::Open("reason", "it could not be decided".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::content::GateContent;
    use crate::content::numbers::Ranges;

    fn check(verdict: &str, advisory: bool, finding: &Value) -> Result<(), String> {
        let gate = json!({"verdict": verdict, "advisory": advisory, "finding": finding});
        let gate: GateContent = serde_json::from_value(gate).unwrap();
        gate.check("/gates/0", &mut Ranges::default()).map_err(|wrong| wrong.to_string())
    }

    fn with(finding: &Value, changes: &Value) -> Value {
        let mut changed = finding.clone();
        for (key, value) in changes.as_object().unwrap() {
            changed[key] = value.clone();
        }
        changed
    }

    fn threshold() -> Value {
        json!({"kind": "threshold", "metric": "nDCG@10", "min": 0.4, "bound": "mean", "held": 0.5,
            "measured": {"metric": "nDCG@10", "value": 0.5, "interval": [0.45, 0.9]}})
    }

    fn comparison() -> Value {
        json!({"kind": "comparison", "metric": "nDCG@10", "units": 2, "wins": 1, "ties": 0, "losses": 1,
            "baseline_mean": 0.5, "candidate_mean": 0.5, "difference": 0.0, "p_two_sided": 1.0, "p_greater": 1.0,
            "p_less": 1.0, "p_deciding": 1.0, "p_adjusted": 1.0, "expect": "no-regression",
            "reason": "nothing-shown", "claims": [{"evidence": "not-shown"}]})
    }

    /// Of each kind a finding with which a gate passes, and changes after which it breaks its demand, or leaves it open.
    /// What each comes to is the table in `stats::decide` for comparisons, and what the words say for the others.
    fn cases() -> Vec<(Value, Vec<(Value, &'static str)>)> {
        let overlap = json!({"kind": "overlap", "expect": "overlap", "min": 0.9, "to_min": "above",
            "likeness": {"overlap": 0.95, "identical": 3, "queries": 4}, "differing": [{"query": "q"}]});
        let identical = json!({"kind": "overlap", "expect": "identical",
            "likeness": {"overlap": 1.0, "identical": 4, "queries": 4}, "differing": []});
        let latency =
            json!({"kind": "latency", "max_ms": 20.0, "reason": "within", "interval": [10.0, 20.0]});
        let bounds = json!({"kind": "bounds", "min": 0.4,
            "lowest": {"value": 0.5, "interval": [0.4, 0.6], "verdict": "passed"},
            "highest": {"value": 0.7, "interval": [0.6, 0.8], "verdict": "passed"}});
        let deterministic = json!({"kind": "deterministic", "differing": [],
            "builds": {"repeated": {"differing": []}}});
        let suite = json!({"kind": "suite", "whole": comparison(), "outcome": "passed",
            "harm_at_most": {"limit": 0.1, "verdict": "passed"}});
        let suite_threshold = json!({"kind": "suite-threshold", "whole": threshold()});
        let unmet = |verdict: &str| json!({"unmet": {"without": "passed", "gates": [{"gate": "g", "verdict": verdict}]}});
        let evidence =
            |words: &[&str]| -> Value { words.iter().map(|word| json!({"evidence": word})).collect() };
        vec![
            (
                threshold(),
                vec![
                    (json!({"min": 0.6}), "broken"),
                    (json!({"max": 0.3}), "broken"),
                    // What is held is taken from what was measured, where it is left out.
                    (json!({"min": 0.6, "held": null}), "broken"),
                    (json!({"bound": "lower", "held": 0.45, "min": 0.46}), "broken"),
                    (json!({"bound": "lower", "held": null, "min": 0.46}), "broken"),
                    (json!({"broken": "min"}), "broken"),
                    (json!({"to_min": {"held": "below", "value": "below"}}), "broken"),
                    (json!({"to_max": {"held": "above", "value": "above"}}), "broken"),
                    (json!({"bound": "every-query", "held": 0.1, "every_query": {"worst": 0.1}}), "broken"),
                    (json!({"bound": "every-query", "held": null, "every_query": {"worst": 0.1}}), "broken"),
                    (
                        json!({"bound": "every-query", "held": 0.5, "every_query": {"worst": 0.5, "queries": [{}]}}),
                        "broken",
                    ),
                    (json!({"bound": "every-query", "held": null}), "open"),
                    (json!({"corrected": {"open": "unjudged"}}), "open"),
                    (json!({"calibrated": {"open": "unseen-class"}}), "open"),
                    // The whole interval has to keep it.
                    (json!({"corrected": {}, "min": 0.46}), "open"),
                    (json!({"calibrated": {}, "min": null, "max": 0.4, "held": null}), "broken"),
                    // A value below its limit whose interval reaches it, and one that people have not judged to the end.
                    (json!({"corrected": {}, "min": 0.6, "broken": "min"}), "open"),
                    (json!({"corrected": {"open": "few-drawn"}, "min": 0.95, "broken": "min"}), "open"),
                ],
            ),
            (
                comparison(),
                vec![
                    (json!({"reason": "refuted"}), "broken"),
                    (json!({"reason": "too-few-builds"}), "open"),
                    (json!({"reason": "monte-carlo-undecided"}), "open"),
                    (json!({"reason": "identical"}), "open"),
                    (json!({"expect": "improvement"}), "open"),
                    (json!({"expect": "improvement", "reason": "gain-too-small", "limit": 0.1}), "open"),
                    (
                        json!({"expect": "non-inferiority", "limit": 0.1, "reason": "shown",
                        "claims": evidence(&["not-shown", "not-shown"])}),
                        "open",
                    ),
                    (
                        json!({"expect": "equivalence", "limit": 0.1, "reason": "shown",
                        "claims": evidence(&["shown", "not-shown", "shown", "not-shown"])}),
                        "broken",
                    ),
                    // A drop of 0.25 is shown, and 0.2 of it is tolerated.
                    (
                        json!({"limit": 0.2, "claims": evidence(&["shown"]), "reason": "within-tolerance",
                        "candidate_mean": 0.25, "difference": -0.25}),
                        "broken",
                    ),
                    (json!({"corrected": {"open": "unjudged"}}), "open"),
                    (json!({"corrected": {"open": "unjudged"}, "reason": "refuted"}), "open"),
                ],
            ),
            (
                overlap,
                vec![
                    (json!({"min": 0.96, "to_min": null}), "broken"),
                    (json!({"to_min": "below"}), "broken"),
                    (json!({"min": null}), "open"),
                ],
            ),
            (
                identical,
                vec![
                    (json!({"likeness": {"overlap": 1.0, "identical": 3, "queries": 4}}), "broken"),
                    (json!({"differing": [{"query": "q"}]}), "broken"),
                ],
            ),
            (
                latency,
                vec![
                    (json!({"reason": "beyond"}), "broken"),
                    (json!({"reason": "noise"}), "open"),
                    (json!({"max_ms": 9.0}), "broken"),
                    (json!({"max_ms": 19.0}), "open"),
                    (json!({"interval": null}), "open"),
                ],
            ),
            (
                bounds,
                vec![
                    (json!({"open": "unjudged"}), "open"),
                    (json!({"lowest": null}), "open"),
                    (json!({"min": 0.5}), "open"),
                    (json!({"min": 0.9}), "broken"),
                    (json!({"highest": {"value": 0.7, "interval": [0.6, 0.8], "verdict": "failed"}}), "open"),
                ],
            ),
            (
                json!({"kind": "snapshot", "file": "x", "state": "same"}),
                vec![(json!({"state": "differs"}), "broken"), (json!({"state": "missing"}), "broken")],
            ),
            (
                deterministic,
                vec![
                    (json!({"differing": [{"query": "q"}]}), "broken"),
                    (json!({"builds": {"repeated": {"differing": [{"query": "q"}]}}}), "broken"),
                ],
            ),
            (
                suite,
                vec![
                    (json!({"outcome": "failed"}), "broken"),
                    (json!({"outcome": "inconclusive"}), "open"),
                    (json!({"harm_at_most": {"limit": 0.1, "verdict": "failed"}}), "broken"),
                    (json!({"whole": with(&comparison(), &json!({"reason": "refuted"}))}), "broken"),
                    (unmet("failed"), "broken"),
                    (unmet("inconclusive"), "open"),
                ],
            ),
            (
                suite_threshold,
                vec![
                    (json!({"whole": with(&threshold(), &json!({"min": 0.6}))}), "broken"),
                    (unmet("errored"), "broken"),
                    (unmet("skipped"), "open"),
                ],
            ),
        ]
    }

    #[test]
    fn no_gate_passes_on_numbers_that_break_its_demand() {
        for (finding, changes) in cases() {
            let kind = finding["kind"].as_str().unwrap();
            assert_eq!(check("passed", false, &finding), Ok(()), "{kind}");
            for (change, comes_to) in changes {
                let changed = with(&finding, &change);
                let told = |verdict: &str, advisory| check(verdict, advisory, &changed);
                let said = told("passed", false).expect_err(&format!("{kind} {change}"));
                assert!(
                    said.starts_with("/gates/0/finding/") && said.contains("the gate passed, and "),
                    "{said}"
                );
                for verdict in ["failed", "inconclusive", "errored"] {
                    assert_eq!(told(verdict, false), Ok(()), "{kind} {change}");
                }
                assert!(told("reported", false).is_err(), "{kind} {change}");
                assert_eq!(told("skipped", false).is_err(), !kind.starts_with("suite"), "{kind} {change}");
                // Only what is open is a warning where its level does not say so.
                assert_eq!(told("advisory", false).is_err(), comes_to == "broken", "{kind} {change}");
                assert_eq!(told("advisory", true), Ok(()), "{kind} {change}");
            }
        }
    }

    #[test]
    fn what_nobody_decided_does_not_pass() {
        let undecided = json!({"kind": "undecided", "reason": "no documents"});
        for (verdict, is_taken) in
            [("passed", false), ("reported", false), ("errored", true), ("skipped", true), ("advisory", true)]
        {
            assert_eq!(check(verdict, false, &undecided).is_ok(), is_taken, "{verdict}");
        }
        // What nobody expects is reported; it cannot have passed.
        let told = with(&comparison(), &json!({"expect": null, "reason": "refuted", "claims": []}));
        assert_eq!(check("reported", false, &told), Ok(()));
        assert!(check("passed", false, &told).is_err());
    }

    /// One of two queries is there, and nine in ten are needed.
    #[test]
    fn a_gate_that_passes_rests_on_enough() {
        let told = |verdict: &str, at_least: f64| {
            let evidence = json!({"at_least": at_least, "counts": [{"kind": "judged", "there": 1, "of": 2}]});
            let gate = json!({"verdict": verdict, "finding": threshold(), "evidence": evidence});
            let gate: GateContent = serde_json::from_value(gate).unwrap();
            gate.check("/gates/0", &mut Ranges::default()).map_err(|wrong| wrong.to_string())
        };
        let said = "/gates/0/evidence: the gate passed on a share of 0.5 of what it rests on, and needs 0.9";
        assert_eq!(told("passed", 0.9), Err(said.to_owned()));
        assert_eq!((told("passed", 0.5), told("errored", 0.9)), (Ok(()), Ok(())));
    }
}
