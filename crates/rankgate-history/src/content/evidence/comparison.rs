//! What a comparison demands of a difference, its reason and its claims.

use serde::Deserialize;

use super::{Demand, JudgedContent, is_open};
use crate::model::{Expect, Verdict};
use crate::stats::{Evidence, Expectation, Outcome, Reason, decide};

#[derive(Deserialize)]
pub(in crate::content) struct ComparisonContent {
    pub(in crate::content) units: usize,
    pub(in crate::content) wins: usize,
    pub(in crate::content) ties: usize,
    pub(in crate::content) losses: usize,
    pub(in crate::content) baseline_mean: f64,
    pub(in crate::content) candidate_mean: f64,
    pub(in crate::content) difference: f64,
    pub(in crate::content) metric: String,
    pub(in crate::content) p_two_sided: f64,
    pub(in crate::content) p_greater: f64,
    pub(in crate::content) p_less: f64,
    pub(in crate::content) p_deciding: f64,
    pub(in crate::content) p_adjusted: f64,
    pub(super) expect: Option<Expect>,
    limit: Option<f64>,
    reason: Option<Reason>,
    #[serde(default)]
    claims: Vec<ClaimContent>,
    pub(in crate::content) corrected: Option<JudgedContent>,
    pub(in crate::content) calibrated: Option<JudgedContent>,
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

    pub(in crate::content) fn shown(&self, verdict: Verdict) -> Demand {
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
