//! Rows of queries and documents out of columns: Parquet files and streams of Arrow, and what puts rows in order that
//! are more than memory holds.

mod columns;
mod ids;
mod numbers;
mod partitions;
mod scan;
mod scores;
mod sort;
mod stream;
mod write;

pub(crate) use partitions::{Partitions, Query, Sorted};
pub(crate) use scan::{Batch, Scan, Stopped};
pub(crate) use scores::ScoreColumns;
pub(crate) use sort::sort;
pub(crate) use stream::{StreamRow, stream, write_stream};
pub(crate) use write::{ROWS, Writer};
