//! From p-values to verdicts.

use super::estimate::Estimate;
use super::{Basis, Claim, Expectation};
use crate::words::keywords;

/// What rounding may add to or take from a mean, or from a difference of means: sums in another order.
pub const ROUNDING: f64 = 1e-12;

/// Whether a mean is larger than another by more than what rounding may have added.
#[doc(hidden)]
pub fn exceeds(one: f64, other: f64) -> bool {
    one - other > ROUNDING
}

keywords! {
    /// What the data say to one claim.
    pub enum Evidence {
        /// The claim is shown.
        Significant = "significant",
        /// It is not, which does not show the opposite.
        NotSignificant = "not-significant",
        /// One of the two tests that it needs shows it, the other does not.
        Disputed = "disputed",
        /// The simulated p-value is too close to the level to tell.
        Undecided = "undecided",
    }
}

/// A claim with the numbers it is judged by.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct WeighedClaim {
    /// The claim.
    pub claim: Claim,
    /// The one-sided p-value of the deciding test.
    pub p: f64,
    /// The one-sided p-value of the unseen query, where the claim counts one.
    pub second: Option<f64>,
    /// Which of the two decides.
    pub basis: Basis,
    /// The p-value that decides; adjusted for the family where claims are. Held
    /// against half the error rate.
    pub p_adjusted: f64,
    /// What these come to.
    pub evidence: Evidence,
}

/// Holds a claim's adjusted p-value against a one-sided level; `tests` are the p-values of both tests, where
/// it needs two.
pub(super) fn weigh(adjusted: Estimate, tests: Option<[f64; 2]>, level: f64) -> Evidence {
    if adjusted.high <= level {
        return Evidence::Significant;
    }
    match tests {
        _ if adjusted.low <= level => Evidence::Undecided,
        Some([deciding, second]) if (deciding <= level) != (second <= level) => Evidence::Disputed,
        _ => Evidence::NotSignificant,
    }
}

keywords! {
    /// The verdict on an expectation.
    pub enum Outcome {
        /// It holds.
        Passed = "passed",
        /// It does not.
        Failed = "failed",
        /// The data do not tell.
        Inconclusive = "inconclusive",
    }
}

keywords! {
    /// What the verdict rests on.
    #[non_exhaustive]
    pub enum Reason {
        /// Both rankings are identical on every query.
        Identical = "identical" => "the rankings are identical",
        /// What was hoped for is shown.
        Significant = "significant" => "it is significant",
        /// The opposite of what was hoped for is shown.
        Refuted = "refuted" => "the opposite is significant",
        /// Nothing is shown.
        NothingSignificant = "nothing-significant" => "no significant difference either way",
        /// Of an equivalence, that one side of the margin is kept is shown, and not that the other is.
        OneSideSignificant = "one-side-significant" => "only one side of the margin is kept significantly",
        /// A drop is shown, but no larger than the margin.
        WithinMargin = "within-margin" => "a significant drop, within the margin",
        /// No gain as large as the smallest worth having is shown.
        GainTooSmall = "gain-too-small" => "no significant gain of the required size",
        /// Of the two tests that a claim in the candidate's favour needs, one shows it.
        TestsDisagree = "tests-disagree" => "only one of the two required tests is significant",
        /// The simulated p-value is too close to the level to tell.
        MonteCarloUndecided = "monte-carlo-undecided" => "the simulated p-value is too close to the level",
    }
}

#[doc(hidden)]
impl Reason {
    /// Whether more units can turn the verdict, or none is open; where not, what can is said with the verdict.
    pub fn by_units(self) -> bool {
        match self {
            Self::Identical | Self::MonteCarloUndecided => false,
            Self::Significant
            | Self::Refuted
            | Self::NothingSignificant
            | Self::OneSideSignificant
            | Self::WithinMargin
            | Self::GainTooSmall
            | Self::TestsDisagree => true,
        }
    }
}

/// A verdict with the claims it rests on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub outcome: Outcome,
    /// What it rests on.
    pub reason: Reason,
    /// The claims of the expectation, in the order of [`Expectation::claims`].
    pub claims: Vec<WeighedClaim>,
}

/// Decides an expectation from its weighed claims.
///
/// `claims` holds the claims of the expectation in the order of [`Expectation::claims`], `difference` is the
/// observed mean difference, and `identical` says whether both rankings are the same on every query.
///
/// ```
/// use rankgate::stats::{Evidence, Expectation, Outcome, decide};
///
/// let expectation = Expectation::NoRegression { margin: 0.01 };
/// let of = |evidence, difference| decide(&expectation, &[evidence], difference, false).0;
/// assert_eq!(of(Evidence::Significant, -0.02), Outcome::Failed);
/// assert_eq!(of(Evidence::Significant, -0.005), Outcome::Passed);
/// assert_eq!(of(Evidence::NotSignificant, -0.02), Outcome::Passed);
/// ```
pub fn decide(
    expectation: &Expectation,
    claims: &[Evidence],
    difference: f64,
    identical: bool,
) -> (Outcome, Reason) {
    use Evidence::{Disputed, NotSignificant, Significant, Undecided};
    if identical {
        return match expectation {
            Expectation::Improvement { .. } => (Outcome::Inconclusive, Reason::Identical),
            Expectation::NoRegression { .. }
            | Expectation::NonInferiority { .. }
            | Expectation::Equivalence { .. } => (Outcome::Passed, Reason::Identical),
        };
    }
    let open = || {
        let reason = if claims.contains(&Undecided) {
            Reason::MonteCarloUndecided
        } else if claims.contains(&Disputed) {
            Reason::TestsDisagree
        } else if claims.contains(&Significant) {
            Reason::OneSideSignificant
        } else {
            Reason::NothingSignificant
        };
        (Outcome::Inconclusive, reason)
    };
    // A difference that is exactly the limit is within it, whatever rounding makes of it.
    let drop_beyond = |margin: f64| -difference > margin + ROUNDING;
    match (*expectation, claims) {
        (Expectation::NoRegression { margin }, [drop]) => match drop {
            Significant if drop_beyond(margin) => (Outcome::Failed, Reason::Refuted),
            Significant => (Outcome::Passed, Reason::WithinMargin),
            Undecided if drop_beyond(margin) => open(),
            Undecided => (Outcome::Passed, Reason::WithinMargin),
            NotSignificant | Disputed => (Outcome::Passed, open().1),
        },
        (Expectation::Improvement { .. }, [_, Significant]) => (Outcome::Failed, Reason::Refuted),
        (Expectation::Equivalence { .. }, [Significant, Significant, _, _]) => {
            (Outcome::Passed, Reason::Significant)
        }
        (Expectation::Equivalence { .. }, [_, _, Significant, _] | [_, _, _, Significant]) => {
            (Outcome::Failed, Reason::Refuted)
        }
        (Expectation::NonInferiority { .. }, [_, Significant]) => (Outcome::Failed, Reason::Refuted),
        (Expectation::NonInferiority { .. } | Expectation::Improvement { .. }, [Significant, _]) => {
            (Outcome::Passed, Reason::Significant)
        }
        (Expectation::Improvement { margin }, [NotSignificant, _]) if margin > 0.0 => {
            (Outcome::Inconclusive, Reason::GainTooSmall)
        }
        (
            Expectation::NoRegression { .. }
            | Expectation::NonInferiority { .. }
            | Expectation::Improvement { .. }
            | Expectation::Equivalence { .. },
            _,
        ) => open(),
    }
}

#[cfg(test)]
mod tests {
    use super::Evidence::{Disputed, NotSignificant, Significant, Undecided};
    use super::*;

    #[test]
    fn claims_are_held_against_the_level() {
        let exact = Estimate::exact;
        let open = Estimate { p: 0.025, low: 0.02, high: 0.03 };
        for (bounds, tests, expected) in [
            (exact(0.025), None, Significant),
            (exact(0.0251), None, NotSignificant),
            (exact(0.02), Some([0.01, 0.02]), Significant),
            (exact(0.03), Some([0.01, 0.03]), Disputed),
            (exact(0.03), Some([0.03, 0.02]), Disputed),
            (exact(0.03), Some([0.03, 0.03]), NotSignificant),
            (exact(0.04), Some([0.01, 0.02]), NotSignificant), // in its family
            (open, None, Undecided),
            (open, Some([0.01, 0.024]), Undecided),
        ] {
            assert_eq!(weigh(bounds, tests, 0.025), expected, "{bounds:?} {tests:?}");
        }
    }

    #[test]
    fn the_table_of_expectations() {
        // what a comparison may expect: passes, fails, otherwise
        let no_regression = Expectation::NoRegression { margin: 0.01 };
        let non_inferior = Expectation::NonInferiority { margin: 0.02 };
        let improvement = Expectation::Improvement { margin: 0.01 };
        let any_gain = Expectation::Improvement { margin: 0.0 };
        let equivalence = Expectation::Equivalence { margin: 0.02 };
        let (passed, failed, open) = (Outcome::Passed, Outcome::Failed, Outcome::Inconclusive);
        for (expectation, claims, difference, outcome, reason) in [
            (no_regression, &[Significant][..], -0.02, failed, Reason::Refuted),
            (no_regression, &[Significant], -0.01, passed, Reason::WithinMargin),
            (no_regression, &[NotSignificant], -0.5, passed, Reason::NothingSignificant),
            (no_regression, &[Undecided], -0.5, open, Reason::MonteCarloUndecided),
            (no_regression, &[Undecided], -0.01, passed, Reason::WithinMargin),
            (non_inferior, &[Significant, NotSignificant], 0.0, passed, Reason::Significant),
            (non_inferior, &[NotSignificant, Significant], -0.1, failed, Reason::Refuted),
            (non_inferior, &[NotSignificant, NotSignificant], 0.0, open, Reason::NothingSignificant),
            (non_inferior, &[Disputed, NotSignificant], 0.0, open, Reason::TestsDisagree),
            (non_inferior, &[Undecided, NotSignificant], 0.0, open, Reason::MonteCarloUndecided),
            (improvement, &[Significant, NotSignificant], 0.01, passed, Reason::Significant),
            (improvement, &[NotSignificant, Significant], -0.1, failed, Reason::Refuted),
            (improvement, &[NotSignificant, NotSignificant], 0.1, open, Reason::GainTooSmall),
            (any_gain, &[NotSignificant, NotSignificant], 0.1, open, Reason::NothingSignificant),
            (improvement, &[Disputed, NotSignificant], 0.1, open, Reason::TestsDisagree),
            (
                equivalence,
                &[Significant, Significant, NotSignificant, NotSignificant],
                0.0,
                passed,
                Reason::Significant,
            ),
            (
                equivalence,
                &[NotSignificant, NotSignificant, NotSignificant, NotSignificant],
                0.0,
                open,
                Reason::NothingSignificant,
            ),
            (
                equivalence,
                &[Significant, NotSignificant, NotSignificant, NotSignificant],
                0.0,
                open,
                Reason::OneSideSignificant,
            ),
            (
                equivalence,
                &[NotSignificant, Significant, NotSignificant, NotSignificant],
                0.0,
                open,
                Reason::OneSideSignificant,
            ),
            (
                equivalence,
                &[NotSignificant, Significant, Significant, NotSignificant],
                -0.1,
                failed,
                Reason::Refuted,
            ),
            (
                equivalence,
                &[Significant, NotSignificant, NotSignificant, Significant],
                0.1,
                failed,
                Reason::Refuted,
            ),
            (
                equivalence,
                &[Significant, Undecided, NotSignificant, NotSignificant],
                0.0,
                open,
                Reason::MonteCarloUndecided,
            ),
        ] {
            let decided = decide(&expectation, claims, difference, false);
            assert_eq!(decided, (outcome, reason), "{expectation:?} {claims:?} {difference}");
        }
    }

    #[test]
    fn identical_rankings_pass_all_but_improvement() {
        let equivalence = Expectation::Equivalence { margin: 0.1 };
        for (expectation, outcome) in [
            (Expectation::default(), Outcome::Passed),
            (Expectation::NonInferiority { margin: 0.1 }, Outcome::Passed),
            (equivalence, Outcome::Passed),
            (Expectation::Improvement { margin: 0.0 }, Outcome::Inconclusive),
        ] {
            let claims = vec![NotSignificant; expectation.claims().len()];
            assert_eq!(decide(&expectation, &claims, 0.0, true), (outcome, Reason::Identical));
        }
    }
}
