//! What to say beside a verdict.

use super::verdict::Case;
use crate::Result;
use crate::stats::{
    Claim, CorrectedMean, Decision, Direction, Evidence, Reason, Robustness, Warning, WeighedClaim,
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
        let mut warnings = Vec::new();
        if self.question.identical {
            return Ok(warnings);
        }
        if units < FEW {
            warnings.push(Warning::FewUnits { units });
        }
        if !self.settings.verdict_only {
            warnings.extend(self.deciding_unit(decision)?);
        }
        warnings.extend(self.strict_doubt(decision));
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
            let towards = |value: f64| direction.sign() * value;
            let largest = shifted.iter().enumerate().max_by(|a, b| towards(*a.1).total_cmp(&towards(*b.1)));
            let Some((unit, rest)) =
                largest.and_then(|(unit, _)| Some((unit, self.question.differences.without(unit)?)))
            else {
                continue;
            };
            let p = self.p_without(&rest, claim.claim)?;
            // In its family the p-value grows as it did with the unit.
            let with = self.estimate(claim.claim).p;
            let p = if with > 0.0 { (p * claim.p_adjusted / with).min(1.0) } else { p };
            if p > level {
                return Ok(Some(Warning::OneUnitDecides { unit, p: two_sided(p) }));
            }
        }
        Ok(None)
    }

    /// Whether a claim counts no unseen query, or one of a typical loss and would not be shown with one that loses all that it
    /// can.
    fn strict_doubt(&self, decision: &Decision) -> Option<Warning> {
        let (rule, differences) = (self.rule(), self.question.differences);
        let is_hoped = |claim: &&WeighedClaim| {
            claim.evidence == Evidence::Significant && self.question.expectation.hopes_for(claim.claim)
        };
        let mut hoped = decision.claims.iter().filter(is_hoped);
        let claim = match rule.robustness {
            Robustness::Strict => return None,
            Robustness::None => return hoped.next().map(|_| Warning::NoUnseenQuery),
            Robustness::Standard => hoped.find(|claim| claim.claim.direction == Direction::Greater)?,
        };
        let weighed =
            rule.weighed(differences, Direction::Greater, Robustness::Strict, self.question.stream)?;
        let p = weighed.p(claim.claim.null);
        let (typical, most) = (differences.typical_loss(), differences.largest_loss());
        (p > self.settings.confidence.tail()).then(|| Warning::TypicalLoss { typical, most, p: two_sided(p) })
    }
}
