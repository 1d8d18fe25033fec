//! Paired tests, intervals and corrections: pure functions on slices of scores.
//!
//! Nothing here reads a file or knows what a query is. A *unit* is whatever is paired: usually one
//! query, sometimes a group of queries that belong together.
//!
//! [`compare_scores`] compares two lists of scores with one expectation. Its parts work alone as well:
//! [`permutation_test`], [`mean_interval`], [`adjust`], [`detectable_difference`].
//!
//! Results are the same on any number of threads: sums are exact or taken in a fixed order, and random numbers depend
//! only on a name and a position.

mod basis;
mod bootstrap;
mod comparison;
mod confidence;
mod corrected;
mod correction;
mod decision;
mod differences;
mod direction;
mod distribution;
mod estimate;
mod expectation;
mod extremes;
mod fixed;
mod interval;
mod latency;
mod mean_interval;
mod permutation;
mod power;
mod quantile;
mod settings;
mod several;
mod stream;
mod student;
mod sum;
mod unseen;
mod warning;

pub use self::comparison::{Comparison, compare_scores};
pub use self::confidence::Confidence;
pub use self::correction::{Correction, adjust};
pub use self::decision::{Decision, Evidence, Outcome, Reason, WeighedClaim};
pub use self::direction::Direction;
pub use self::expectation::{Claim, Expectation};
pub use self::interval::{Interval, NoInterval};
pub use self::mean_interval::{IntervalKind, MeanInterval, mean_interval};
pub use self::permutation::{Engine, PermutationOptions, PermutationTest, permutation_test};
pub use self::power::{detectable_difference, queries_needed};
pub use self::sum::mean;
pub use self::warning::Warning;

// For the gates and the command.
#[doc(hidden)]
pub use self::{
    basis::Basis,
    bootstrap::Bootstrap,
    comparison::{BootstrapSummary, Question, compare},
    corrected::CorrectedMean,
    decision::{ROUNDING, decide, exceeds},
    differences::Differences,
    latency::{HeldLatency, LatencyReason, held_ratio, held_time},
    mean_interval::grouped_mean_interval,
    permutation::{dual_interval, fewest_units},
    quantile::Quantile,
    settings::{ComparisonSettings, DecidingTest},
    stream::{Stream, StreamRng},
    student::PairedT,
    sum::{ExactSum, sum},
    unseen::{Robustness, UNSEEN_DRAWS, unseen_tail},
};
