//! Runs: ranked lists, one per query; one file a format.

mod cache;
mod hit;

pub(crate) use cache::Cache;
pub use hit::Hit;
