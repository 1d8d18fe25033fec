//! The rule that decides, and nothing beside it: what simulations ask thousands of times.

use super::{
    Bootstrap, Claim, ComparisonSettings, DecidingTest, Differences, Evidence, Expectation, Outcome,
    PermutationOptions, SecondTest, Stream, decide, paired_score_test, permutation_test,
};
use crate::Result;

/// What [`compare`](super::compare) would decide on these differences asked alone, without the numbers beside
/// the verdict. Simulated p-values are taken as they are: one too close to the level to tell is not looked into.
///
/// # Errors
///
/// When the limit or the number of resamples is out of range.
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
pub fn outcome(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
    stream: &Stream,
) -> Result<Outcome> {
    expectation.check()?;
    let mut rule = Rule {
        differences,
        level: settings.confidence.tail(),
        test: settings.test,
        resamples: settings.bootstrap_resamples,
        options: PermutationOptions { stream: stream.for_name("signs"), ..settings.permutation.clone() },
        stream: stream.for_name("bootstrap"),
        bootstrap: None,
    };
    let claims = expectation.claims();
    let hoped = |claim: &Claim| expectation.hopes_for(*claim);
    let decided = |evidence: &[Evidence]| decide(&expectation, evidence, differences.mean(), false).0;
    let mut evidence = vec![Evidence::NotShown; claims.len()];
    for (claim, evidence) in claims.iter().zip(&mut evidence).filter(|(claim, _)| hoped(claim)) {
        if rule.shows_by_both(*claim)? {
            *evidence = Evidence::Shown;
        }
    }
    // What is shown to hold needs nothing else to be asked.
    if evidence.contains(&Evidence::Shown) && decided(&evidence) == Outcome::Passed {
        return Ok(Outcome::Passed);
    }
    for (claim, evidence) in claims.iter().zip(&mut evidence).filter(|(claim, _)| !hoped(claim)) {
        if rule.shows(*claim)? {
            *evidence = Evidence::Shown;
        }
    }
    Ok(decided(&evidence))
}

struct Rule<'a> {
    differences: &'a Differences,
    level: f64,
    test: DecidingTest,
    resamples: u64,
    options: PermutationOptions,
    stream: Stream,
    /// Drawn where it is needed first.
    bootstrap: Option<Bootstrap>,
}

impl Rule<'_> {
    fn shows_by_both(&mut self, claim: Claim) -> Result<bool> {
        if !self.permutation_shows(claim)? {
            return Ok(false);
        }
        if self.test.second(self.differences.is_binary()) == SecondTest::PairedScore {
            let (wins, losses) = (self.differences.wins(), self.differences.losses());
            let p = paired_score_test(wins, losses, self.differences.len(), claim.null, claim.direction);
            return Ok(p <= self.level);
        }
        Ok(self.resampled(claim)?.is_some_and(|p| p <= self.level))
    }

    fn shows(&mut self, claim: Claim) -> Result<bool> {
        let resampled = match self.test {
            DecidingTest::Permutation => None,
            DecidingTest::Bootstrap => self.resampled(claim)?,
        };
        resampled.map_or_else(|| self.permutation_shows(claim), |p| Ok(p <= self.level))
    }

    fn permutation_shows(&self, claim: Claim) -> Result<bool> {
        let test = permutation_test(self.differences, claim.null, &self.options)?;
        Ok(test.p(claim.direction) <= self.level)
    }

    fn resampled(&mut self, claim: Claim) -> Result<Option<f64>> {
        let bootstrap = match self.bootstrap.take() {
            Some(bootstrap) => bootstrap,
            None => Bootstrap::new(self.differences, self.resamples, &self.stream)?,
        };
        Ok(self.bootstrap.insert(bootstrap).p(claim.null, claim.direction))
    }
}
