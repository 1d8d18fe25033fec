//! Internal to [rankgate](https://docs.rs/rankgate), which exports it as `rankgate::retriever::Bm25`: full-text search over
//! a collection's own documents, in memory.

mod documents;
mod index;
mod params;
mod tokens;

#[cfg(test)]
mod tests;

pub use index::Bm25;
pub use params::{Bm25Params, Tokenizer};
pub use tokens::Language;
#[doc(hidden)]
pub use tokens::is_without_spaces;

use rankgate_core::internal::{error, words};
use rankgate_core::{Error, Result, collection, run};
