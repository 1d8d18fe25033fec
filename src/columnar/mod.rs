//! Rows of queries and documents out of columns: Parquet files and streams of Arrow, and what puts rows in order that
//! are more than memory holds.

mod columns;
mod ids;
mod numbers;
mod partitions;
mod scan;

pub(crate) use columns::Side;
pub(crate) use partitions::{Partitions, Query, Sorted};
pub(crate) use scan::{Batch, Scan, Stopped};
