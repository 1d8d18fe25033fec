//! The columns of a file that are read.

use std::path::Path;

use arrow_schema::Schema;

use crate::Result;
use crate::input::{TableColumns, TableSide, Tables};

/// Finds them by the names that were given, or else by the usual ones.
pub(super) fn find(schema: &Schema, side: TableSide, tables: &Tables, path: &Path) -> Result<TableColumns> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    tables.columns().find(&names, side, path)
}
