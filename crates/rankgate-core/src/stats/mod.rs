//! Paired tests, intervals and corrections: pure functions on slices of scores.
//!
//! Nothing here reads a file or knows what a query is. A *unit* is whatever is paired: usually one
//! query, sometimes a group of queries that belong together.
//!
//! [`compare_scores`] answers for one metric of two configurations, [`compare`] for a family of them. What they
//! are made of can be used alone: [`permutation_test`], [`Bootstrap`], [`dual_interval`], [`PairedT`],
//! [`adjust`], [`mean_interval`], [`unseen_tail`]. `Differences::joined` puts several collections together.
//!
//! Every result is the same on any number of threads: sums are exact integers or are taken in a fixed order,
//! and random numbers depend on a name and a position alone (see [`Stream`]).

mod basis;
mod bootstrap;
mod bounds;
mod builds;
mod comparison;
mod confidence;
mod corrected;
mod correction;
mod decision;
mod differences;
mod direction;
mod distribution;
mod expectation;
mod extremes;
mod family;
mod fixed;
mod interval;
mod latency;
mod mean_interval;
mod permutation;
mod power;
mod quantile;
mod rule;
mod settings;
mod several;
mod stream;
mod student;
mod sum;
mod unseen;
mod warning;

pub use self::basis::Basis;
pub use self::bootstrap::{Bootstrap, BootstrapInterval};
pub use self::builds::Builds;
pub use self::comparison::{BootstrapSummary, Comparison, Question, compare, compare_scores};
pub use self::confidence::Confidence;
pub use self::corrected::CorrectedMean;
pub use self::correction::{Correction, adjust};
pub use self::decision::{Decision, Evidence, Outcome, Reason, WeighedClaim, decide};
pub use self::differences::Differences;
pub use self::direction::Direction;
pub use self::expectation::{Claim, Expectation};
pub use self::interval::{Interval, NoInterval};
pub use self::latency::{HeldLatency, LatencyReason, held_ratio, held_time};
pub use self::mean_interval::{IntervalKind, MeanInterval, grouped_mean_interval, mean_interval};
pub use self::permutation::{Engine, PermutationOptions, PermutationTest, dual_interval, permutation_test};
pub use self::power::{detectable_difference, queries_needed};
pub use self::quantile::Quantile;
pub use self::rule::outcome;
pub use self::settings::{ComparisonSettings, DecidingTest};
pub use self::stream::{Stream, StreamRng};
pub use self::student::PairedT;
pub use self::sum::{ExactSum, mean, sum};
#[doc(hidden)]
pub use self::unseen::UNSEEN_DRAWS;
pub use self::unseen::{Robustness, unseen_limits, unseen_tail};
pub use self::warning::Warning;
#[doc(hidden)]
pub use self::{
    decision::{ROUNDING, exceeds},
    permutation::fewest_units,
};
