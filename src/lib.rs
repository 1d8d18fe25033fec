//! Retrieval quality as something `cargo test` checks.

pub mod metric;
pub mod stats;

mod error;

pub use crate::error::{Error, ErrorKind};

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;
