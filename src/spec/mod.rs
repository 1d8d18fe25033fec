//! Specs.
pub use crate::yaml::{Params, Problem, Problems};
