//! Paired tests, intervals and corrections: pure functions on slices of scores.
//!
//! Nothing here reads a file or knows what a query is. A *unit* is whatever is paired: usually one
//! query, sometimes a group of queries that belong together.

mod confidence;
mod distribution;
mod mean_interval;
mod sum;

pub use self::confidence::Confidence;
pub use self::mean_interval::{Interval, IntervalKind, MeanInterval, NoInterval, mean_interval};
pub use self::sum::{mean, sum};
