//! Limits on the time that answers take.

pub(crate) mod decide;
pub(crate) mod keys;
