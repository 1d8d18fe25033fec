//! Everything about a family of comparisons in one call.

mod claims;
mod compare;
mod measure;
mod numbers;
mod question;
#[cfg(test)]
mod tests;
mod verdict;
mod warnings;

pub use self::compare::{compare, compare_scores};
pub use self::numbers::{BootstrapSummary, Comparison};
pub use self::question::Question;
