//! The one or two tests that a claim is held against.

use super::DecidingTest;
use super::verdict::Case;
use crate::stats::decision::Bounds;
use crate::stats::family::Estimate;
use crate::stats::{Claim, Differences, SecondTest, paired_score_test};

impl Case<'_> {
    /// The p-value of a claim: the larger of two where it is in the candidate's favour.
    pub(super) fn estimate(&self, claim: Claim) -> Estimate {
        let deciding = self.deciding(claim);
        self.second(claim).map_or(deciding, |(_, second)| deciding.or_larger(second))
    }

    /// The deciding test's p-value against a null that was tested. Where differences have no spread, the
    /// permutation test stands in for the bootstrap.
    pub(super) fn deciding(&self, claim: Claim) -> Estimate {
        let resampled = match self.settings.test {
            DecidingTest::Permutation => None,
            DecidingTest::Bootstrap => self.by_bootstrap(claim),
        };
        resampled.unwrap_or_else(|| self.by_permutation(claim))
    }

    /// The test that has to show a claim in the candidate's favour as well. Random signs assume a loss that is
    /// spread over all units, and pass one of exactly the margin that lies in few of them far too often.
    pub(super) fn second(&self, claim: Claim) -> Option<(SecondTest, Estimate)> {
        let differences = self.question.differences;
        if !self.question.expectation.hopes_for(claim) {
            return None;
        }
        Some(match (self.settings.test, self.by_bootstrap(claim)) {
            (DecidingTest::Permutation, _) if differences.is_binary() => {
                (SecondTest::PairedScore, Estimate::exact(score(differences, claim)))
            }
            (DecidingTest::Permutation, Some(p)) => (SecondTest::StudentisedBootstrap, p),
            (DecidingTest::Bootstrap, Some(_)) => (SecondTest::Permutation, self.by_permutation(claim)),
            // A bootstrap that refuses shows nothing.
            (_, None) => (SecondTest::StudentisedBootstrap, Estimate::exact(1.0)),
        })
    }

    fn by_permutation(&self, claim: Claim) -> Estimate {
        let unknown = Estimate { p: 1.0, bounds: Bounds { low: 0.0, high: 1.0 } };
        let test = self.measured.tests.iter().find(|test| test.null == claim.null);
        test.map_or(unknown, |test| Estimate {
            p: test.p(claim.direction),
            bounds: test.bounds(claim.direction),
        })
    }

    fn by_bootstrap(&self, Claim { null, direction }: Claim) -> Option<Estimate> {
        let bootstrap = &self.measured.bootstrap;
        Some(Estimate { p: bootstrap.p(null, direction)?, bounds: bootstrap.bounds(null, direction)? })
    }
}

/// The paired score test's p-value of binary differences.
pub(super) fn score(differences: &Differences, Claim { null, direction }: Claim) -> f64 {
    let (wins, losses) = (differences.wins(), differences.losses());
    paired_score_test(wins, losses, differences.len(), null, direction)
}
