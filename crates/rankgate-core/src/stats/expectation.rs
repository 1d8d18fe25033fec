//! What a comparison may be expected to show, and the one-sided claims that this comes down to.

use super::Direction;
use super::differences::is_score;
use crate::{Error, Result};

/// What a team expects of a candidate against a baseline. Limits are mean differences in the metric's own
/// units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expectation {
    /// No drop larger than `margin` is shown.
    NoRegression {
        /// The largest drop that is forgiven; at least 0.
        margin: f64,
    },
    /// It is shown that the candidate is not worse by `margin`.
    NonInferiority {
        /// How much worse would be too much; above 0.
        margin: f64,
    },
    /// A gain of at least `margin` is shown.
    Improvement {
        /// The gain that is required; at least 0.
        margin: f64,
    },
    /// It is shown that the candidate is neither worse nor better by `margin`.
    Equivalence {
        /// How much of a difference would be too much; above 0.
        margin: f64,
    },
}

impl Default for Expectation {
    /// No regression at all.
    fn default() -> Self {
        Self::NoRegression { margin: 0.0 }
    }
}

/// That the mean difference is greater, or less, than `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// The mean difference compared with.
    pub null: f64,
    /// The side of it that is claimed.
    pub direction: Direction,
}

impl Expectation {
    /// The margin; nothing where it is 0.
    pub fn limit(&self) -> Option<f64> {
        Some(self.margin()).filter(|margin| *margin > 0.0)
    }

    fn margin(&self) -> f64 {
        let (Self::NoRegression { margin }
        | Self::NonInferiority { margin }
        | Self::Improvement { margin }
        | Self::Equivalence { margin }) = *self;
        margin
    }

    /// Whether its p-values are adjusted for the other questions of the family. Claims that must all hold
    /// (non-inferiority, equivalence) are not.
    pub fn is_corrected(&self) -> bool {
        match self {
            Self::NoRegression { .. } | Self::Improvement { .. } => true,
            Self::NonInferiority { .. } | Self::Equivalence { .. } => false,
        }
    }

    /// The claims that decide it: first those it passes on, then those it fails on.
    pub fn claims(&self) -> Vec<Claim> {
        let above = |null| Claim { null, direction: Direction::Greater };
        let below = |null| Claim { null, direction: Direction::Less };
        match *self {
            Self::NoRegression { .. } => vec![below(0.0)],
            Self::NonInferiority { margin } => vec![above(-margin), below(-margin)],
            Self::Improvement { margin } => vec![above(margin), below(0.0)],
            Self::Equivalence { margin } => {
                vec![above(-margin), below(margin), below(-margin), above(margin)]
            }
        }
    }

    /// The power that each claim in the candidate's favour needs for the expectation to have this one: of two that must both
    /// be shown each may be missed half as often.
    ///
    /// ```
    /// use rankgate::stats::Expectation;
    ///
    /// assert_eq!(Expectation::NonInferiority { margin: 0.02 }.power_of_claim(0.8), 0.8);
    /// assert_eq!(Expectation::Equivalence { margin: 0.02 }.power_of_claim(0.8), 0.9);
    /// ```
    pub fn power_of_claim(&self, power: f64) -> f64 {
        if self.is_two_sided() { f64::midpoint(1.0, power) } else { power }
    }

    fn is_two_sided(&self) -> bool {
        matches!(self, Self::Equivalence { .. })
    }

    /// Whether a claim is one that it passes on: in the candidate's favour.
    pub(super) fn hopes_for(&self, claim: Claim) -> bool {
        let claims = self.claims();
        claims[..claims.len() / 2].contains(&claim)
    }

    /// The claim of one direction whose p-value is adjusted for the family: against 0, or of a gain against
    /// the smallest worth having.
    pub(super) fn corrected(&self, direction: Direction) -> Claim {
        let null = match (*self, direction) {
            (Self::Improvement { margin }, Direction::Greater) => margin,
            (Self::Improvement { .. }, Direction::Less)
            | (
                Self::NoRegression { .. } | Self::NonInferiority { .. } | Self::Equivalence { .. },
                Direction::Greater | Direction::Less,
            ) => 0.0,
        };
        Claim { null, direction }
    }

    /// The mean differences that are tested beside 0.
    pub(super) fn nulls(&self) -> Vec<f64> {
        match *self {
            Self::NonInferiority { margin } => vec![-margin],
            Self::Equivalence { margin } => vec![-margin, margin],
            Self::Improvement { margin } if margin > 0.0 => vec![margin],
            Self::NoRegression { .. } | Self::Improvement { .. } => Vec::new(),
        }
    }

    /// # Errors
    ///
    /// When the limit is not in its range.
    pub(super) fn check(&self) -> Result<()> {
        let margin = self.margin();
        // Nothing is smaller than a margin of 0.
        let least = match self {
            Self::NoRegression { .. } | Self::Improvement { .. } => "at least",
            Self::NonInferiority { .. } | Self::Equivalence { .. } => "above",
        };
        if is_score(margin) && (margin > 0.0 || (margin == 0.0 && least == "at least")) {
            return Ok(());
        }
        Err(Error::invalid(format!("a margin is {least} 0, not {margin}")))
    }
}
