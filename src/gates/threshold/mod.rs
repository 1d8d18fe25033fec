//! Limits on metrics.

pub(crate) mod decide;
pub(crate) mod keys;
