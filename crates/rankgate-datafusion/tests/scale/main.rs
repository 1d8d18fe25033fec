//! Tables of any size, split and shuffled in any way, by any engine: the same bits, or an error.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod bits;
mod cluster;
mod command;
mod errors;
mod rows;
mod s3;
mod seal;
mod state;
