//! The columns of a file that are read.

use std::path::Path;

use arrow_schema::Schema;

use crate::Result;
use crate::input::{TableColumns, TableSide, Tables};

/// Finds them by the names that were told, or else by the usual ones.
pub(super) fn find(schema: &Schema, side: TableSide, tables: &Tables, path: &Path) -> Result<TableColumns> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    tables.columns().find(&names, side, path)
}

/// The places, ascending and each once.
pub(super) fn places(columns: &TableColumns) -> Vec<usize> {
    let TableColumns { query, document, score, rank, grade } = *columns;
    let mut places: Vec<usize> =
        [Some(query), Some(document), score, rank, grade].into_iter().flatten().collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The same columns where only those of some places are left.
pub(super) fn among(columns: TableColumns, places: &[usize]) -> TableColumns {
    let at = |place: usize| places.iter().position(|one| *one == place).unwrap_or(place);
    TableColumns {
        query: at(columns.query),
        document: at(columns.document),
        score: columns.score.map(at),
        rank: columns.rank.map(at),
        grade: columns.grade.map(at),
    }
}
