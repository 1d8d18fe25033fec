//! The rule that decides, and nothing beside it: what simulations ask thousands of times.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use super::basis::{Basis, ClaimRule};
use super::{
    Bootstrap, Claim, ComparisonSettings, DecidingTest, Differences, Evidence, Expectation, Outcome,
    PermutationOptions, Stream, decide, permutation_test,
};
use crate::Result;

/// What [`compare`](super::compare) would decide on these differences asked alone, without the numbers beside
/// the verdict. Simulated p-values are taken as they are: one too close to the level to tell is not looked into.
///
/// # Errors
///
/// When the limit or the number of resamples is out of range, or strict robustness needs scores with a range.
///
/// ```
/// use rankgate::stats::{ComparisonSettings, Differences, Expectation, Outcome, Stream, outcome};
///
/// let differences = Differences::new(&[0.5; 9], &[0.4, 0.3, 0.4, 0.2, 0.4, 0.1, 0.4, 0.3, 0.2])?;
/// let settings = ComparisonSettings::default();
/// let decided = outcome(&differences, Expectation::default(), &settings, &Stream::new(1))?;
/// assert_eq!(decided, Outcome::Failed);
/// # Ok::<(), rankgate::Error>(())
/// ```
#[inline]
pub fn outcome(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
    stream: &Stream,
) -> Result<Outcome> {
    expectation.check()?;
    let claim_rule = ClaimRule::new(expectation, settings);
    claim_rule.check(differences)?;
    let mut rule = Rule {
        differences,
        claim_rule,
        level: settings.confidence.tail(),
        resamples: settings.bootstrap_resamples,
        options: PermutationOptions { stream: stream.for_name("signs"), ..settings.permutation.clone() },
        stream: *stream,
        bootstrap: None,
    };
    let claims = expectation.claims();
    let decided = |evidence: &[Evidence]| decide(&expectation, evidence, differences.mean(), false).0;
    let mut evidence = vec![Evidence::NotSignificant; claims.len()];
    for hoped in [true, false] {
        for (claim, evidence) in claims.iter().zip(&mut evidence) {
            if expectation.hopes_for(*claim) == hoped && rule.shows(*claim)? {
                *evidence = Evidence::Significant;
            }
        }
        // What is shown to hold needs nothing else to be asked.
        if evidence.contains(&Evidence::Significant) && decided(&evidence) == Outcome::Passed {
            break;
        }
    }
    Ok(decided(&evidence))
}

struct Rule<'a> {
    differences: &'a Differences,
    claim_rule: ClaimRule,
    level: f64,
    resamples: u64,
    options: PermutationOptions,
    stream: Stream,
    /// Drawn where it is needed first.
    bootstrap: Option<Bootstrap>,
}

impl Rule<'_> {
    #[inline]
    fn shows(&mut self, claim: Claim) -> Result<bool> {
        // The unseen query first: it costs less.
        match self.claim_rule.basis(claim) {
            Basis::Test => self.test_shows(claim),
            Basis::UnseenQuery => Ok(self.unseen_shows(claim)),
            Basis::Both => Ok(self.unseen_shows(claim) && self.test_shows(claim)?),
        }
    }

    #[inline]
    fn unseen_shows(&self, claim: Claim) -> bool {
        let ClaimRule { robustness, .. } = self.claim_rule;
        let weighed = self.claim_rule.weighed(self.differences, claim.direction, robustness, &self.stream);
        weighed.is_some_and(|weighed| weighed.p(claim.null) <= self.level)
    }

    #[inline]
    fn test_shows(&mut self, claim: Claim) -> Result<bool> {
        let resampled = match self.claim_rule.test {
            DecidingTest::Permutation => None,
            DecidingTest::Bootstrap => self.resampled(claim)?,
        };
        if let Some(p) = resampled {
            return Ok(p <= self.level);
        }
        // Where the bootstrap refuses, the unseen query decides a margin alone.
        if self.claim_rule.basis(claim) == Basis::Both && claim.null != 0.0 {
            return Ok(true);
        }
        let test = permutation_test(self.differences, claim.null, &self.options)?;
        Ok(test.p(claim.direction) <= self.level)
    }

    #[inline]
    fn resampled(&mut self, claim: Claim) -> Result<Option<f64>> {
        let bootstrap = match self.bootstrap.take() {
            Some(bootstrap) => bootstrap,
            None => Bootstrap::new(self.differences, self.resamples, &self.stream.for_name("bootstrap"))?,
        };
        Ok(self.bootstrap.insert(bootstrap).p(claim.null, claim.direction))
    }
}
