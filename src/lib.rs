//! Retrieval quality as something `cargo test` checks.

pub mod collection;
pub mod metric;
pub mod run;
pub mod stats;

mod error;
mod input;
mod output;

pub use crate::collection::{
    Collection, CollectionBuilder, CollectionSource, Corpus, Document, Qrels, Query,
};
pub use crate::error::{Error, ErrorKind};
pub use crate::run::{Hit, Order, Run};

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;
