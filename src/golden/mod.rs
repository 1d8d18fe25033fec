//! What was blessed: the metric report of each configuration as an insta snapshot, and its run, from
//! which baselines and movements are computed.
//!
//! This folder is all that knows insta. Golden files are written to a temporary name and renamed, so
//! that a process killed at any moment leaves the old file or the new one.

mod bless;
mod diff;
mod place;
mod snapshot;

pub use bless::IGNORED;
pub(crate) use bless::{Bless, VARIABLE, write_atomically};
pub(crate) use place::refuse_output;
pub use snapshot::Site;
pub(crate) use snapshot::{Snapshot, SnapshotVerdict};

pub(crate) use rankgate_report::internal::golden::{GoldenRun, Inputs};
