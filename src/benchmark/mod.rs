//! Carrying a checked spec out: retrieve, score, decide, explain.

pub mod model;
