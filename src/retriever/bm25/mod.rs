//! BM25 built in: full-text search over a collection's own documents, in memory.

mod documents;
mod index;
mod params;
mod tokens;

#[cfg(test)]
mod tests;

pub use index::Bm25;
pub use params::{Bm25Params, Tokenizer};
pub use tokens::Language;
pub(crate) use tokens::is_without_spaces;
