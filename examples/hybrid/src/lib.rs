//! The search of a help centre by words and by meaning: what this crate is about. It knows nothing of
//! rankgate.

mod bert;
mod cache;
mod dense;
mod embed;
mod fuse;
mod words;

pub use cache::VectorCache;
pub use dense::{Dense, Neighbours};
pub use embed::Embedder;
pub use fuse::fuse;
pub use words::Words;

/// Any error of this crate.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
