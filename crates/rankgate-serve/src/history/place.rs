//! What the database keeps of a history.

use crate::store::{Row, Store, Stored};

/// A project, a benchmark and a configuration.
pub(super) type Place<'a> = (i64, (&'a str, &'a str));

/// These columns of a table, of one history.
pub(super) fn rows(
    store: &Store,
    (columns, table): (&str, &str),
    (project, (benchmark, configuration)): Place<'_>,
) -> Stored<Vec<Row>> {
    let sql =
        format!("SELECT {columns} FROM {table} WHERE project = $1 AND benchmark = $2 AND configuration = $3");
    store.read(|session| session.query(&sql, &[project.into(), benchmark.into(), configuration.into()]))
}
