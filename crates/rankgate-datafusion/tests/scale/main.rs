//! Tables of any size, split and shuffled in any way, by any engine: the same bits, or an error.

mod bits;
mod cluster;
mod command;
mod errors;
mod rows;
mod s3;
mod seal;
mod state;
