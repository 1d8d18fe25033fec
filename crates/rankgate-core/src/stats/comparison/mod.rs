//! Everything about a family of comparisons in one call.

mod compare;
mod measure;
mod numbers;
mod question;
mod second;
mod verdict;
mod warnings;

pub use self::compare::{compare, compare_scores};
pub use self::numbers::{BootstrapSummary, Comparison};
pub use self::question::{ComparisonSettings, DecidingTest, Question};
pub use self::warnings::{FEW_FOR_RARE, unseen_share};
