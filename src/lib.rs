//! Retrieval quality as something `cargo test` checks.

pub mod benchmark;
pub mod collection;
pub mod gate;
pub mod metric;
pub mod retriever;
pub mod run;
pub mod spec;
pub mod stats;

mod error;
mod golden;
mod input;
mod output;
mod panic;
mod yaml;

pub use crate::collection::{
    Collection, CollectionBuilder, CollectionSource, Corpus, Document, Qrels, Query,
};
pub use crate::error::{Error, ErrorKind};
pub use crate::run::{Hit, Order, Run};

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;
