//! BM25 built in: full-text search over a collection's own documents, in memory, on tantivy.

mod analysis;
mod documents;
mod index;
mod params;
mod words;

#[cfg(test)]
mod tests;

pub use index::Bm25;
pub use params::{Bm25Params, Tokenizer};
pub use words::{Language, StopWords};
