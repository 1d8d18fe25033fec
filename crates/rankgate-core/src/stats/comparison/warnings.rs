//! What to say beside a verdict.

use super::verdict::Case;
use crate::Result;
use crate::stats::permutation::smallest_p;
use crate::stats::{
    Claim, Decision, Direction, Evidence, Outcome, PermutationTest, Planned, Reason, SecondTest, Warning,
};

/// Fewer units than this are worth a warning.
const FEW: usize = 25;

/// So many units or fewer need not hold one of the rare losses that a claim would fail by.
pub const FEW_FOR_RARE: usize = 50;

/// The share of all units that so many which do not show a thing leave open, with 95% confidence: the rule of three
/// (Hanley and Lippman-Hand 1983).
pub fn unseen_share(units: usize) -> f64 {
    (3.0 / units as f64).min(1.0)
}

/// One unit with more than this share of all differences is worth a warning.
const DOMINANT: f64 = 0.3;

/// What is told is two-sided, whatever a claim is.
fn two_sided(p: f64) -> f64 {
    (2.0 * p).min(1.0)
}

impl Case<'_> {
    pub(super) fn warnings(&self, decision: &Decision, planned: Option<Planned>) -> Result<Vec<Warning>> {
        let differences = self.question.differences;
        let units = differences.len();
        let (level, alpha) = (self.settings.confidence.tail(), self.settings.confidence.alpha());
        let mut warnings = Vec::new();
        if self.question.identical {
            if smallest_p(units as f64) > level {
                warnings.push(Warning::IdenticalOnFew { units });
            }
            return Ok(warnings);
        }
        let claimed = |test: &&PermutationTest| decision.claims.iter().any(|c| c.claim.null == test.null);
        let most_units = self.measured.tests.iter().filter(claimed).max_by_key(|test| test.nonzero);
        if let Some(test) = most_units.filter(|test| test.smallest_p() > level) {
            let smallest_p = two_sided(test.smallest_p());
            let (null, others) = (test.null, test.nonzero);
            warnings.push(Warning::NothingCanBeShown { smallest_p, level: alpha, null, others });
        }
        if units < FEW {
            warnings.push(Warning::FewUnits { units });
        }
        if let Some(Planned { effect: Some(limit), detectable: Some(detectable), units: needed, .. }) =
            planned
            && detectable > limit
            && self.question.expectation.limit().is_some()
        {
            warnings.push(Warning::Underpowered { detectable, limit, needed });
        }
        if planned.is_some_and(|planned| planned.exhausted) {
            warnings.push(Warning::NoPlan);
        }
        warnings.extend(self.dominant_unit());
        if self.settings.planned && !self.settings.verdict_only {
            warnings.extend(self.deciding_unit(decision)?);
        }
        if decision.outcome == Outcome::Passed {
            let at_most = unseen_share(units);
            if differences.losses() == 0 {
                warnings.push(Warning::UnseenLosses { at_most });
            } else if decision.reason == Reason::Shown && units <= FEW_FOR_RARE {
                warnings.push(Warning::RareLosses { at_most });
            }
        }
        let refused = |second| matches!(second, Some((SecondTest::StudentisedBootstrap, _)));
        let spreadless = self.measured.t.is_some_and(|t| t.effect().is_none());
        if spreadless && decision.claims.iter().any(|claim| refused(claim.second)) {
            warnings.push(Warning::NoSpread);
        }
        if let (Reason::WithinTolerance, Some(tolerance)) =
            (decision.reason, self.question.expectation.limit())
        {
            warnings.push(Warning::DropWithinTolerance { tolerance });
        }
        if decision.claims.iter().any(|claim| claim.evidence == Evidence::Disputed) {
            warnings.push(Warning::TestsDisagree);
        }
        if let Some(open) = decision.claims.iter().find(|claim| claim.evidence == Evidence::Undecided) {
            let by_bootstrap = match open.second {
                Some((SecondTest::StudentisedBootstrap, p)) => p > open.p,
                Some((SecondTest::Permutation, p)) => p <= open.p,
                Some((SecondTest::PairedScore, _)) => false,
                None => self.settings.test.resamples(),
            };
            let permuted = || self.measured.tests.iter().filter_map(|test| test.resamples).max().unwrap_or(0);
            let resamples = if by_bootstrap { self.measured.bootstrap.resamples() } else { permuted() };
            warnings.push(Warning::MonteCarloUndecided { resamples });
        }
        Ok(warnings)
    }

    fn dominant_unit(&self) -> Option<Warning> {
        let units = &self.question.differences.fixed().units;
        let total: i64 = units.iter().map(|unit| unit.abs()).sum();
        let (unit, largest) = units.iter().enumerate().max_by_key(|(_, unit)| unit.abs())?;
        let share = largest.abs() as f64 / total as f64;
        (total > 0 && share > DOMINANT).then_some(Warning::OneUnitDominates { unit, share })
    }

    /// Whether leaving out the largest difference in the verdict's direction leaves its claim unshown.
    fn deciding_unit(&self, decision: &Decision) -> Result<Option<Warning>> {
        if !matches!(decision.reason, Reason::Shown | Reason::Refuted) {
            return Ok(None);
        }
        let level = self.settings.confidence.tail();
        for claim in decision.claims.iter().filter(|claim| claim.evidence == Evidence::Shown) {
            let Claim { null, direction } = claim.claim;
            let shifted = self.question.differences.shifted(null);
            let towards = |value: f64| if direction == Direction::Greater { value } else { -value };
            let largest = shifted.iter().enumerate().max_by(|a, b| towards(*a.1).total_cmp(&towards(*b.1)));
            let Some((unit, rest)) =
                largest.and_then(|(unit, _)| Some((unit, self.question.differences.without(unit)?)))
            else {
                continue;
            };
            let p = self.p_without(&rest, claim.claim)?;
            // In its family the p-value grows as it did with the unit.
            let with = claim.second.map_or(claim.p, |(_, second)| claim.p.max(second));
            let with = with.max(claim.builds.unwrap_or(0.0));
            let p = if with > 0.0 { (p * claim.p_adjusted / with).min(1.0) } else { p };
            if p > level {
                return Ok(Some(Warning::OneUnitDecides { unit, p: two_sided(p) }));
            }
        }
        Ok(None)
    }
}
