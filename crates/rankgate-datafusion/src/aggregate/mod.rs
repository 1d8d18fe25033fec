//! The functions that SQL gets.

mod collect_once;
mod exact_mean;
mod groups;
mod options;
mod query_result;
mod rank_eval;
mod rows;

pub use collect_once::CollectOnce;
pub use exact_mean::ExactMean;
pub use options::{DEFAULT_METRICS, Options, Unscorable};
pub use query_result::{SealedResult, read_results};
pub use rank_eval::RankEval;
