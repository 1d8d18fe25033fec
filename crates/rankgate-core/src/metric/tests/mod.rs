//! What holds for every metric, and how tables of worked values are checked.

mod properties;
pub(super) mod table;
