//! Whether asking twice gives the same rankings.

pub(crate) mod decide;
