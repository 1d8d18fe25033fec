//! The p-values that a claim is held against.

use super::verdict::Case;
use crate::Result;
use crate::stats::basis::{Basis, ClaimRule};
use crate::stats::estimate::Estimate;
use crate::stats::{
    Bootstrap, Claim, CorrectedMean, DecidingTest, Differences, Direction, Engine, PermutationOptions,
    permutation_test,
};

/// A warning is not worth all resamples of more units than this, of which one seldom decides.
const LARGE: usize = 1_000;
const QUICK_RESAMPLES: u64 = 1_999;

/// Counting the sign vectors of more units than this takes milliseconds.
const LONG_COUNT: u32 = 32;

impl Case<'_> {
    pub(super) fn rule(&self) -> ClaimRule {
        self.question.rule(self.settings)
    }

    /// Whose p-value decides a claim.
    pub(super) fn basis(&self, claim: Claim) -> Basis {
        match (self.second(claim), self.rule().basis(claim)) {
            (None, _) => Basis::Test,
            // A bootstrap without a spread says nothing of a margin, where signs do not stand in for it.
            (Some(_), Basis::Both) if claim.null != 0.0 && self.by_bootstrap(claim).is_none() => {
                Basis::UnseenQuery
            }
            (Some(_), basis) => basis,
        }
    }

    /// The p-value of a claim.
    pub(super) fn estimate(&self, claim: Claim) -> Estimate {
        let second = || self.second(claim).map_or_else(|| self.deciding(claim), Estimate::exact);
        match self.basis(claim) {
            Basis::Test => self.deciding(claim),
            Basis::UnseenQuery => second(),
            Basis::Both => self.deciding(claim).or_larger(second()),
        }
    }

    /// The deciding test's p-value against a null that was tested. Where differences have no spread, the
    /// permutation test stands in for the bootstrap.
    pub(super) fn deciding(&self, claim: Claim) -> Estimate {
        if let Some(corrected) = self.question.corrected {
            return Estimate::exact(match corrected.standard_error {
                0.0 => self.without_spread(corrected, claim),
                _ => corrected.p(claim.null, claim.direction),
            });
        }
        let resampled = match self.settings.test {
            DecidingTest::Permutation => None,
            DecidingTest::Bootstrap => self.by_bootstrap(claim),
        };
        resampled.unwrap_or_else(|| self.by_permutation(claim))
    }

    /// Of drawn units that are all alike, by the signs of them alone. They say nothing in the candidate's favour where no unseen
    /// query is counted beside them.
    fn without_spread(&self, corrected: &CorrectedMean, claim: Claim) -> f64 {
        let beyond = match claim.direction {
            Direction::Greater => corrected.value > claim.null,
            Direction::Less => corrected.value < claim.null,
        };
        let drawn = i32::try_from(corrected.drawn).unwrap_or(i32::MAX);
        let counts = !self.question.expectation.hopes_for(claim) || self.second(claim).is_some();
        if beyond && counts { 0.5_f64.powi(drawn) } else { 1.0 }
    }

    /// What an unseen query leaves of a claim, where it counts one.
    pub(super) fn second(&self, claim: Claim) -> Option<f64> {
        self.measured.unseen.tests.iter().find(|(tested, _)| *tested == claim).map(|(_, p)| *p)
    }

    /// The p-value of a claim on the differences without a unit.
    pub(super) fn p_without(&self, rest: &Differences, claim: Claim) -> Result<f64> {
        let Claim { null, direction } = claim;
        let resampled = || -> Result<Option<f64>> {
            let stream = self.question.stream.for_name("bootstrap");
            let resamples = self.settings.bootstrap_resamples;
            let resamples = if rest.len() > LARGE { resamples.min(QUICK_RESAMPLES) } else { resamples };
            Ok(Bootstrap::new(rest, resamples, &stream)?.p(null, direction))
        };
        let flipped = || -> Result<f64> {
            let engine = self.quick_engine(null);
            let options = PermutationOptions { engine, most_resamples: 0, ..self.options.clone() };
            Ok(permutation_test(rest, null, &options)?.p(direction))
        };
        let deciding = || match self.settings.test {
            DecidingTest::Permutation => flipped(),
            DecidingTest::Bootstrap => resampled()?.map_or_else(flipped, Ok),
        };
        // What an average point of score rests on hardly depends on one unit.
        let rule = self.rule();
        let weighed = rule.weighed(rest, direction, rule.robustness, self.question.stream);
        let unseen = weighed.map_or(1.0, |weighed| weighed.p(null));
        Ok(match self.basis(claim) {
            Basis::Test => deciding()?,
            Basis::UnseenQuery => unseen,
            Basis::Both => deciding()?.max(unseen),
        })
    }

    /// A warning is not worth a long exact count.
    fn quick_engine(&self, null: f64) -> Option<Engine> {
        let test = self.measured.tests.iter().find(|test| test.null == null)?;
        let long = test.engine == Engine::ExactCount && test.nonzero > LONG_COUNT;
        if long { Some(Engine::MonteCarlo) } else { self.options.engine }
    }

    fn by_permutation(&self, claim: Claim) -> Estimate {
        let unknown = Estimate { p: 1.0, low: 0.0, high: 1.0 };
        let test = self.measured.tests.iter().find(|test| test.null == claim.null);
        test.map_or(unknown, |test| test.estimate(claim.direction))
    }

    pub(super) fn by_bootstrap(&self, Claim { null, direction }: Claim) -> Option<Estimate> {
        self.measured.bootstrap.estimate(null, direction)
    }
}
