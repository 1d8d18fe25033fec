//! What to say beside a verdict.

use super::DecidingTest;
use super::verdict::{Case, t_p};
use crate::Result;
use crate::stats::decision::SMALL_SAMPLE;
use crate::stats::{
    Bootstrap, Claim, Decision, Direction, Engine, Evidence, Outcome, PairedT, PermutationOptions,
    PermutationTest, Reason, Warning, permutation_test,
};

/// Fewer units than this are worth a warning.
const FEW: usize = 25;

/// One unit with more than this share of all differences is worth a warning.
const DOMINANT: f64 = 0.3;

/// Counting the sign vectors of more units than this takes milliseconds.
const LONG_COUNT: u32 = 32;

/// What is told is two-sided, whatever a claim is.
fn two_sided(p: f64) -> f64 {
    (2.0 * p).min(1.0)
}

impl Case<'_> {
    pub(super) fn warnings(
        &self,
        decision: &Decision,
        detectable: Option<f64>,
        needed: Option<u64>,
    ) -> Result<Vec<Warning>> {
        let differences = self.question.differences;
        let units = differences.len();
        let (level, alpha) = (self.settings.confidence.tail(), self.settings.confidence.alpha());
        let mut warnings = Vec::new();
        if self.question.identical {
            if 0.5f64.powi(units as i32) > level {
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
        if let (Some(detectable), Some(limit)) = (detectable, self.question.expectation.limit())
            && detectable > limit
        {
            warnings.push(Warning::Underpowered { detectable, limit, needed });
        }
        warnings.extend(self.dominant_unit());
        warnings.extend(self.deciding_unit(decision)?);
        if differences.losses() == 0 && decision.outcome == Outcome::Passed {
            warnings.push(Warning::UnseenLosses { at_most: (3.0 / units as f64).min(1.0) });
        }
        let spreadless = self.measured.t.is_some_and(|t| t.effect().is_none() && t.mean != 0.0);
        if spreadless && units < SMALL_SAMPLE {
            warnings.push(Warning::NoSpread);
        }
        let evidence = |wanted| decision.claims.iter().any(|claim| claim.evidence == wanted);
        if evidence(Evidence::Disputed) {
            warnings.push(Warning::TestsDisagree);
        }
        if evidence(Evidence::Undecided) {
            let resamples = match self.settings.test {
                DecidingTest::Permutation => {
                    self.measured.tests.iter().filter_map(|test| test.resamples).max().unwrap_or(0)
                }
                DecidingTest::Bootstrap => self.measured.bootstrap.resamples(),
            };
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
            let resampled = match self.settings.test {
                DecidingTest::Permutation => None,
                DecidingTest::Bootstrap => {
                    let stream = self.question.stream.named("bootstrap");
                    Bootstrap::new(&rest, self.settings.bootstrap_resamples, &stream)?.p(null, direction)
                }
            };
            let p = match resampled {
                Some(p) => p,
                None => {
                    let options = PermutationOptions {
                        engine: self.quick_engine(null),
                        most_resamples: 0,
                        ..self.options.clone()
                    };
                    permutation_test(&rest, null, &options)?.p(direction)
                }
            };
            // In its family the p-value grows as it did with the unit.
            let p = if claim.p > 0.0 { (p * claim.p_adjusted / claim.p).min(1.0) } else { p };
            let p_t = claim.p_t.map_or(0.0, |_| t_p(PairedT::new(&rest), null, direction));
            let p = p.max(p_t);
            if p > level {
                return Ok(Some(Warning::OneUnitDecides { unit, p: two_sided(p) }));
            }
        }
        Ok(None)
    }

    /// A warning is not worth a long exact count.
    fn quick_engine(&self, null: f64) -> Option<Engine> {
        let test = self.measured.tests.iter().find(|test| test.null == null)?;
        let long = test.engine == Engine::ExactCount && test.nonzero > LONG_COUNT;
        if long { Some(Engine::MonteCarlo) } else { self.options.engine }
    }
}
