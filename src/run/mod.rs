//! Runs: ranked lists, one per query; one file a format.

mod cache;
mod hit;
mod order;
#[expect(clippy::module_inception, reason = "the file is named after its type, like the others")]
mod run;

pub(crate) use cache::Cache;
pub use hit::Hit;
pub use order::Order;
pub use run::{Run, check_ranking, tied_scores};
