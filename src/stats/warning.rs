//! What to say beside a verdict.

use std::fmt;

use serde::Serialize;

/// Something that a reader of a verdict should know. Units are given by their position.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// So few units differ that no data could have shown anything.
    NothingCanBeShown {
        /// The smallest one-sided p-value that so many units could give.
        smallest_p: f64,
        /// The one-sided level it would have had to reach.
        level: f64,
    },
    /// The rankings are identical, on so few units that this proves little.
    IdenticalOnFew {
        /// How many units there are.
        units: usize,
    },
    /// There are fewer than 25 units.
    FewUnits {
        /// How many there are.
        units: usize,
    },
    /// The smallest difference that these units could show is larger than the limit that was asked about.
    Underpowered {
        /// The minimum detectable effect.
        detectable: f64,
        /// The tolerance, margin or smallest gain.
        limit: f64,
        /// About how many units would show a difference of the limit's size.
        needed: Option<u64>,
    },
    /// One unit carries over 30% of the total absolute difference.
    OneUnitDominates {
        /// Its position.
        unit: usize,
        /// Its share.
        share: f64,
    },
    /// The verdict rests on one unit: without it the claim is not shown.
    OneUnitDecides {
        /// Its position.
        unit: usize,
        /// The one-sided p-value without it, adjusted as the verdict's.
        p: f64,
    },
    /// No unit lost; there may still be losses among others like these.
    UnseenLosses {
        /// The share of units that could lose, with 95% confidence (rule of three).
        at_most: f64,
    },
    /// The permutation and the t test disagree, and a small sample needs both for a claim.
    TestsDisagree,
    /// The simulated p-value is too close to the level to tell on which side the exact one lies.
    MonteCarloUndecided {
        /// After so many resamples.
        resamples: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NothingCanBeShown { smallest_p, level } => write!(
                f,
                "too few queries differ to show anything: the smallest possible p is {smallest_p:.3}, \
                 the level {level}"
            ),
            Self::IdenticalOnFew { units } => {
                write!(f, "identical on {units} queries, which is too few to prove much")
            }
            Self::FewUnits { units } => write!(f, "only {units} queries"),
            Self::Underpowered { detectable, limit, needed } => {
                write!(f, "underpowered: differences below {detectable:.4} cannot be relied on to show")?;
                match needed {
                    Some(needed) => write!(f, "; {limit} needs about {needed} queries"),
                    None => Ok(()),
                }
            }
            Self::OneUnitDominates { share, .. } => {
                write!(f, "one query carries {:.0}% of the total difference", 100.0 * share)
            }
            Self::OneUnitDecides { p, .. } => {
                write!(f, "the verdict rests on one query: without it p is {p:.3}")
            }
            Self::UnseenLosses { at_most } => {
                write!(f, "no query lost, but up to {:.1}% of queries like these may", 100.0 * at_most)
            }
            Self::TestsDisagree => f.write_str("the permutation and the t test disagree"),
            Self::MonteCarloUndecided { resamples } => {
                write!(f, "the p-value is too close to the level to tell after {resamples} resamples")
            }
        }
    }
}
