//! Retrieval quality as something `cargo test` checks.

pub mod benchmark;
pub mod collection;
pub mod metric;
pub mod report;
pub mod retriever;
pub mod run;
pub mod stats;

mod error;
mod golden;
mod panic;

pub use crate::collection::Query;
pub use crate::error::{Error, ErrorKind};
pub use crate::run::Hit;

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;
