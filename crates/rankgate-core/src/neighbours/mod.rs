//! The true nearest neighbours of a benchmark's queries, from a file or from what exact search ranked.

mod rows;
mod truth;

pub use truth::Neighbours;
