//! The metric report against what was blessed.

pub(crate) mod decide;
