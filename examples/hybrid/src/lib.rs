//! The search of a help centre by meaning: what this crate is about. It knows nothing of rankgate.

mod bert;
mod dense;
mod embed;
mod fuse;

pub use dense::{Dense, Neighbours};
pub use embed::Embedder;
pub use fuse::reciprocal_ranks;

/// Any error of this crate.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
