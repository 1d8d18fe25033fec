//! Rows of queries and documents out of columns: Parquet files and streams of Arrow, and what puts rows in order that
//! are more than memory holds.

mod columns;
mod ids;
mod lists;
mod numbers;
mod pages;
mod partitions;
mod scan;
mod scores;
mod sort;
mod stream;
mod write;

pub use lists::{NeighbourList, NeighbourLists};
pub use partitions::{Partitions, Query, Sorted};
pub use scan::{Batch, Scan, Stopped};
pub use scores::ScoreColumns;
pub use sort::sort;
pub use stream::{StreamRow, stream, write_stream};
pub use write::{ROWS, Writer};
