//! The kinds of gates, a folder each: `keys.rs` reads what a spec demands, and `decide.rs` says what came of it.
//!
//! Specs know the keys, and whoever carries them out the decisions: each file is of the room that it serves.

pub(crate) mod comparison;
pub(crate) mod deterministic;
pub(crate) mod latency;
pub(crate) mod snapshot;
pub(crate) mod threshold;
