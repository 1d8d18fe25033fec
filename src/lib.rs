//! Retrieval quality as something `cargo test` checks.

pub mod benchmark;
pub mod collection;
pub mod gate;
pub mod harness;
pub mod metric;
pub mod report;
pub mod retriever;
pub mod run;
pub mod spec;
pub mod stats;

mod assertion;
mod error;
mod evaluation;
mod golden;
mod input;
mod output;
mod panic;
mod standalone;
mod yaml;

pub use crate::collection::{
    Collection, CollectionBuilder, CollectionSource, Corpus, Document, Qrels, Query,
};
pub use crate::error::{Error, ErrorKind};
pub use crate::evaluation::{Estimate, Evaluation, IntoMetric, Judging, evaluate};
pub use crate::retriever::{BoxError, Retriever, Setup, retriever_fn};
pub use crate::run::{Hit, Order, Run};

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[doc(hidden)]
pub mod __private {
    //! What the macros of this crate expand to.
    pub use crate::golden::Site;
    pub use insta;
}
