//! A candidate against a baseline.

pub(crate) mod decide;
pub(crate) mod family;
pub(crate) mod keys;
pub(crate) mod pairs;
