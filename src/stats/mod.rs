//! Paired tests, intervals and corrections: pure functions on slices of scores.
//!
//! Nothing here reads a file or knows what a query is. A *unit* is whatever is paired: usually one
//! query, sometimes a group of queries that belong together.

mod confidence;
mod differences;
mod distribution;
mod fixed;
mod mean_interval;
mod permutation;
mod stream;
mod sum;

pub use self::confidence::Confidence;
pub use self::differences::Differences;
pub use self::mean_interval::{Interval, IntervalKind, MeanInterval, NoInterval, mean_interval};
pub use self::permutation::{Direction, Engine, PermutationOptions, PermutationTest, permutation_test};
pub use self::stream::Stream;
pub use self::sum::{mean, sum};
