//! The search of a help centre by words, by meaning and by both: what this crate is about. It knows nothing of
//! rankgate.

mod bert;
mod dense;
mod embed;
mod fuse;
mod words;

pub use dense::{Dense, Neighbours};
pub use embed::Embedder;
pub use fuse::reciprocal_ranks;
pub use words::Words;

/// Any error of this crate.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
