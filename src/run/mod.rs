//! Runs: ranked lists, one per query; one file a format.

mod hit;

pub use hit::Hit;
