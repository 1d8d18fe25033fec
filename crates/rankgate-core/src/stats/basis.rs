//! Which tests a claim rests on.

use super::extremes::Extremes;
use super::unseen::{Robustness, WeighedMean};
use super::{Claim, ComparisonSettings, DecidingTest, Differences, Direction, Expectation, Stream};
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// Whose p-value decides a claim.
    #[non_exhaustive]
    pub enum Basis {
        /// That of the deciding test: the permutation test, or the bootstrap.
        Test = "test",
        /// That of the unseen query alone.
        UnseenQuery = "unseen-query",
        /// The larger of the two: both have to show it.
        Both = "both",
    }
}

/// What decides the claims of an expectation.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimRule {
    pub(super) expectation: Expectation,
    pub(super) test: DecidingTest,
    pub(super) robustness: Robustness,
}

impl ClaimRule {
    pub(super) fn new(expectation: Expectation, settings: &ComparisonSettings) -> Self {
        let ComparisonSettings { test, robustness, .. } = *settings;
        Self { expectation, test, robustness }
    }

    /// # Errors
    ///
    /// When strict robustness is asked for scores without a range.
    pub(super) fn check(&self, differences: &Differences) -> Result<()> {
        if self.robustness == Robustness::Strict && differences.largest_loss().is_none() {
            return Err(Error::invalid(
                "`robustness: strict` needs scores that have a lower and an upper end",
            ));
        }
        Ok(())
    }

    /// Whose p-value decides a claim.
    ///
    /// A claim in the candidate's favour counts an unseen query. Against a margin that alone decides: signs about a shifted
    /// mean assume a loss that is spread over all queries. The bootstrap does not assume it.
    pub(super) fn basis(&self, claim: Claim) -> Basis {
        let both = match self.robustness {
            Robustness::None => false,
            Robustness::Standard => self.expectation.hopes_for(claim),
            Robustness::Strict => true,
        };
        let shifted = self.expectation.hopes_for(claim) && claim.null != 0.0;
        match (both, self.test) {
            (false, _) => Basis::Test,
            (true, DecidingTest::Permutation) if shifted => Basis::UnseenQuery,
            (true, DecidingTest::Permutation | DecidingTest::Bootstrap) => Basis::Both,
        }
    }

    /// How much a query of the unseen unit speaks against claims of this direction; nothing where scores do not say it.
    ///
    /// A gain is lost with a query that the baseline answers; of a candidate that must not be better either, with one that it
    /// alone answers; a drop is undone by a query that gains what the baseline lacks.
    pub(super) fn against(
        &self,
        extremes: &Extremes,
        direction: Direction,
        robustness: Robustness,
    ) -> Option<f64> {
        let both_sides = matches!(self.expectation, Expectation::Equivalence { .. });
        match (robustness, direction) {
            (Robustness::Strict, _) => extremes.width(),
            (Robustness::Standard | Robustness::None, Direction::Greater) => Some(extremes.loss()),
            (Robustness::Standard | Robustness::None, Direction::Less) if both_sides => {
                Some(extremes.candidate_only())
            }
            (Robustness::Standard | Robustness::None, Direction::Less) => Some(extremes.gain()),
        }
    }

    /// The mean difference over all weighings of the units and of one that was not seen, at its worst for claims of this
    /// direction; nothing where scores do not say how bad that is.
    pub(super) fn weighed<'a>(
        &self,
        differences: &'a Differences,
        direction: Direction,
        robustness: Robustness,
        stream: &Stream,
    ) -> Option<WeighedMean<'a>> {
        let worst = |extremes: &Extremes| Some(-self.against(extremes, direction, robustness)?);
        let worst: Option<Vec<f64>> = differences.extremes.iter().map(worst).collect();
        Some(WeighedMean::new(differences, direction, &worst?, &stream.for_name("unseen")))
    }
}

impl Differences {
    /// The one-sided p-value of a claim that one more query leaves, at the worst that it can be: one on which an average
    /// point of score rests, or one that loses all that it can ([`Robustness::Strict`]). Nothing where scores do not say
    /// how bad that is.
    ///
    /// Of several collections together the same stream gives the same draws.
    ///
    /// ```
    /// use rankgate::stats::{Claim, Differences, Direction, Robustness, Stream, unseen_tail};
    ///
    /// let differences = Differences::new(&[0.5, 1.0, 0.0], &[0.75, 1.0, 0.5])?;
    /// let gain = Claim { null: 0.0, direction: Direction::Greater };
    /// let p = differences.unseen_p(gain, Robustness::Standard, &Stream::new(1)).unwrap();
    /// // (.25 + 1 + 1) / (.5 + 1 + 1) is what an unseen query loses, itself among them
    /// assert_eq!(p, unseen_tail(&[0.25, 0.0, 0.5], -2.25 / 2.5, 0.0)?);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn unseen_p(&self, claim: Claim, robustness: Robustness, stream: &Stream) -> Option<f64> {
        let rule = ClaimRule::new(Expectation::default(), &ComparisonSettings::default());
        Some(rule.weighed(self, claim.direction, robustness, stream)?.p(claim.null))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_rest_on_what_the_expectation_and_the_keys_say() {
        use Basis::{Both, Test, UnseenQuery};
        let gain = Expectation::Improvement { margin: 0.0 };
        let large_gain = Expectation::Improvement { margin: 0.01 };
        let margin = Expectation::NonInferiority { margin: 0.02 };
        let alike = Expectation::Equivalence { margin: 0.02 };
        let regression = Expectation::default();
        let (permutation, bootstrap) = (DecidingTest::Permutation, DecidingTest::Bootstrap);
        for (expectation, test, robustness, expected) in [
            (gain, permutation, Robustness::Standard, &[Both, Test][..]),
            (gain, permutation, Robustness::None, &[Test, Test]),
            (gain, permutation, Robustness::Strict, &[Both, Both]),
            (gain, bootstrap, Robustness::Standard, &[Both, Test]),
            (large_gain, permutation, Robustness::Standard, &[UnseenQuery, Test]),
            (large_gain, bootstrap, Robustness::Standard, &[Both, Test]),
            (margin, permutation, Robustness::Strict, &[UnseenQuery, Both]),
            (margin, permutation, Robustness::None, &[Test, Test]),
            (alike, permutation, Robustness::Standard, &[UnseenQuery, UnseenQuery, Test, Test]),
            (regression, permutation, Robustness::Standard, &[Test]),
            (regression, permutation, Robustness::Strict, &[Both]),
        ] {
            let rule = ClaimRule { expectation, test, robustness };
            let found: Vec<Basis> = expectation.claims().into_iter().map(|claim| rule.basis(claim)).collect();
            assert_eq!(found, expected, "{rule:?}");
        }
    }

    #[test]
    fn what_has_no_end_cannot_be_bounded() {
        let open = Differences::new(&[0.5, 3.0], &[1.0, 1.0]).unwrap();
        let closed = open.clone().within(&(0.0..=3.0));
        let settings = ComparisonSettings { robustness: Robustness::Strict, ..ComparisonSettings::default() };
        let rule = ClaimRule::new(Expectation::default(), &settings);
        assert!(rule.check(&open).is_err() && rule.check(&closed).is_ok());
    }
}
