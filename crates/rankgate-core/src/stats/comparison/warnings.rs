//! What to say beside a verdict.

use super::verdict::Case;
use crate::Result;
use crate::stats::basis::Basis;
use crate::stats::{
    Claim, CorrectedMean, Decision, Direction, Evidence, Outcome, PermutationTest, Reason, Robustness,
    Warning, WeighedClaim,
};

/// Fewer units than this are worth a warning.
const FEW: usize = 25;

/// What is told is two-sided, whatever a claim is.
fn two_sided(p: f64) -> f64 {
    (2.0 * p).min(1.0)
}

impl Case<'_> {
    pub(super) fn warnings(&self, decision: &Decision) -> Result<Vec<Warning>> {
        let differences = self.question.differences;
        let units = differences.len();
        let (level, alpha) = (self.settings.confidence.tail(), self.settings.confidence.alpha());
        let mut warnings = Vec::new();
        if self.question.identical {
            return Ok(warnings);
        }
        // What the unseen query or the bootstrap decides may show what no permutation of so few queries can.
        let by_signs = |claim: &WeighedClaim| {
            let is_resampled = self.settings.test.resamples() && self.by_bootstrap(claim.claim).is_some();
            claim.basis != Basis::UnseenQuery && !is_resampled
        };
        let claimed = |test: &&PermutationTest| {
            let at_null = || decision.claims.iter().filter(|claim| claim.claim.null == test.null);
            at_null().any(by_signs) && !at_null().any(|claim| claim.evidence == Evidence::Significant)
        };
        let most_units = self.measured.tests.iter().filter(claimed).max_by_key(|test| test.nonzero);
        if let Some(test) = most_units.filter(|test| test.smallest_p() > level) {
            let smallest_p = two_sided(test.smallest_p());
            let (null, others) = (test.null, test.nonzero);
            warnings.push(Warning::NothingCanBeSignificant { smallest_p, level: alpha, null, others });
        }
        if units < FEW {
            warnings.push(Warning::FewUnits { units });
        }
        if !self.settings.verdict_only {
            warnings.extend(self.deciding_unit(decision)?);
        }
        warnings.extend(self.unseen_query(decision));
        if let (Reason::WithinMargin, Some(margin)) = (decision.reason, self.question.expectation.limit()) {
            warnings.push(Warning::DropWithinMargin { margin });
        }
        // An open verdict gives it as its reason.
        let is_open = decision.outcome == Outcome::Inconclusive;
        if !is_open && decision.claims.iter().any(|claim| claim.evidence == Evidence::Disputed) {
            warnings.push(Warning::TestsDisagree);
        }
        if decision.claims.iter().any(|claim| claim.evidence == Evidence::Undecided) {
            let permuted = || self.measured.tests.iter().filter_map(|test| test.resamples).max().unwrap_or(0);
            let by_bootstrap = self.settings.test.resamples();
            let resamples = if by_bootstrap { self.measured.bootstrap.resamples() } else { permuted() };
            warnings.push(Warning::MonteCarloUndecided { resamples });
        }
        Ok(warnings)
    }

    /// Whether one more unit that people grade could undo a claim in the candidate's favour.
    pub(super) fn one_more_loss(&self, corrected: &CorrectedMean, decision: &Decision) -> Vec<Warning> {
        let differences = self.question.differences;
        let hopeful = decision.claims.iter().find_map(|claim| {
            let hoped =
                self.question.expectation.hopes_for(claim.claim) && claim.evidence == Evidence::Significant;
            let (loss, apart) = match claim.claim.direction {
                Direction::Greater => (differences.typical_loss(), -differences.typical_loss()),
                Direction::Less => (differences.candidate_only(), differences.candidate_only()),
            };
            let p =
                corrected.with_one_more(apart).filter(|_| hoped)?.p(claim.claim.null, claim.claim.direction);
            let undone = p > self.settings.confidence.tail();
            undone.then_some(Warning::OneMoreLoss { loss, units: corrected.drawn, p: two_sided(p) })
        });
        hopeful.into_iter().collect()
    }

    /// Whether leaving out the largest difference in the verdict's direction leaves its claim unshown.
    fn deciding_unit(&self, decision: &Decision) -> Result<Option<Warning>> {
        if !matches!(decision.reason, Reason::Significant | Reason::Refuted) {
            return Ok(None);
        }
        let level = self.settings.confidence.tail();
        for claim in decision.claims.iter().filter(|claim| claim.evidence == Evidence::Significant) {
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
            let with = self.of_queries(claim.claim).p.max(claim.builds.unwrap_or(0.0));
            let p = if with > 0.0 { (p * claim.p_adjusted / with).min(1.0) } else { p };
            if p > level {
                return Ok(Some(Warning::OneUnitDecides { unit, p: two_sided(p) }));
            }
        }
        Ok(None)
    }

    /// What an unseen query means for what is claimed: that a claim counts one that loses a typical amount, or none at all,
    /// and that a drop counts none.
    fn unseen_query(&self, decision: &Decision) -> Vec<Warning> {
        let (rule, differences) = (self.rule(), self.question.differences);
        let level = self.settings.confidence.tail();
        let shown = |claim: &&WeighedClaim| claim.evidence == Evidence::Significant;
        let p = |claim: &WeighedClaim, robustness| {
            let weighed = rule.weighed(differences, claim.claim.direction, robustness, self.question.stream);
            weighed.map(|weighed| weighed.p(claim.claim.null))
        };
        let mut warnings = Vec::new();
        for claim in decision.claims.iter().filter(shown) {
            let warning = match (self.question.expectation.hopes_for(claim.claim), rule.robustness) {
                (true, Robustness::None) => Some(Warning::NoUnseenQuery),
                (true, Robustness::Strict) => None,
                (true, Robustness::Standard) => {
                    let bounded = p(claim, Robustness::Strict);
                    // A score can gain as much as it can lose.
                    let most = differences.largest_loss();
                    bounded.filter(|p| *p > level).map(two_sided).map(|p| match claim.claim.direction {
                        Direction::Greater => {
                            Warning::TypicalLoss { typical: differences.typical_loss(), most, p }
                        }
                        Direction::Less => {
                            Warning::TypicalGain { typical: differences.candidate_only(), most, p }
                        }
                    })
                }
                (false, _) if claim.second.is_some() || claim.claim.direction == Direction::Greater => None,
                (false, _) => {
                    let undone = p(claim, Robustness::Standard).is_some_and(|p| p > level);
                    undone.then(|| Warning::UnseenGain {
                        gain: differences.typical_gain(),
                        units: differences.len() + 1,
                    })
                }
            };
            // Both sides of an equivalence say the same.
            warnings.extend(warning.filter(|warning| !warnings.contains(warning)));
        }
        warnings
    }
}
