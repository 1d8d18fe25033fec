//! The metric report against what was blessed.

pub(crate) mod decide;

/// The metric report is as it was when it was blessed.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotGate;
