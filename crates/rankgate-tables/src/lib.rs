//! Runs, judgments and scores out of Parquet files, and scores into them.
//!
//! A table is one file, or all files of a folder as engines write them. It is read whole into memory, its rows in any
//! order; tables of more rows are for DataFusion or Spark, which write tables of scores.

mod column;
mod columns;
mod file;
mod files;
mod judgments;
mod run;
mod scores;
mod values;

pub use columns::{ColumnNames, Role, TableColumns, TableSide};
pub use files::files;
pub use judgments::read_judgments;
pub use run::read_run;
pub use scores::{read_scores, write_scores};

/// The most rows that a table is read with.
pub const MOST_ROWS: u64 = 50_000_000;
