//! Where the rows lie: Parquet files on disks and in object stores, and how they are read without an engine.

mod names;
mod place;
mod reader;
mod scan;
mod stores;
mod table;

pub use names::Columns;
pub use place::Place;
pub(crate) use scan::{duplicates, plain_scan};
pub use stores::Stores;
pub use table::{Side, Table};
