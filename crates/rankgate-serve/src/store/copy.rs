//! All tables of one database in another: backups, and moving between SQLite and PostgreSQL.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::migrations;
use super::session::{Row, Session, StoreError, Stored, Value};
use super::sqlite::Sqlite;

/// Rows of each table, and the SHA-256 of their contents: the same on both sides.
pub type Copied = BTreeMap<String, (usize, String)>;

/// Tables in an order in which what is referred to comes first.
const FIRST: [&str; 5] = ["project", "token", "blob", "report", "scoring"];

/// Copies into a new file of SQLite, which is there only when it is whole.
pub(super) fn backup(from: &mut dyn Session, version: i64, file: &Path) -> Stored<Copied> {
    let failed = |error: std::io::Error| StoreError::new(format!("cannot write {}: {error}", file.display()));
    if file.exists() {
        return Err(StoreError::new(format!("{} is there already", file.display())));
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let part = file.with_extension("part");
    drop(fs::remove_file(&part));
    let copied = {
        let mut to = Sqlite::writing(&part)?;
        let copied = copy(from, &mut to, version)?;
        // One file, without another beside it.
        to.script("PRAGMA journal_mode = DELETE")?;
        copied
    };
    fs::rename(&part, file).map_err(failed)?;
    Ok(copied)
}

/// Copies into an empty database, which is rolled back to what it was unless both sides are equal.
pub(super) fn copy(from: &mut dyn Session, to: &mut dyn Session, version: i64) -> Stored<Copied> {
    if migrations::version(to)? != 0 {
        return Err(StoreError::new("the database that is to be copied to is not empty"));
    }
    migrations::migrate(to, version)?;
    let mut tables = from.tables()?;
    tables.retain(|(name, _)| name != "migration");
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    tables.sort_by_key(|(name, _)| place(name));
    to.begin()?;
    // What the migrations themselves put there comes from the other side too.
    to.execute("DELETE FROM counter", &[])?;
    let mut copied = Copied::new();
    for (table, columns) in &tables {
        let (listed, marks) = (columns.join(", "), marks(columns.len()));
        let insert = format!("INSERT INTO {table} ({listed}) VALUES ({marks})");
        let rows = rows(from, table, columns)?;
        let counted = (rows.len(), sha256(&rows));
        for row in rows {
            to.execute(&insert, &row.0)?;
        }
        if self::rows(to, table, columns).map(|rows| (rows.len(), sha256(&rows)))? != counted {
            to.script("ROLLBACK")?;
            return Err(StoreError::new(format!("the table {table} is not the same on both sides")));
        }
        copied.insert(table.clone(), counted);
    }
    to.script("COMMIT")?;
    Ok(copied)
}

fn marks(number: usize) -> String {
    (1..=number).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ")
}

/// The rows of a table in an order that does not depend on the database.
fn rows(session: &mut dyn Session, table: &str, columns: &[String]) -> Stored<Vec<Row>> {
    let mut rows = session.query(&format!("SELECT {} FROM {table}", columns.join(", ")), &[])?;
    rows.sort_by_cached_key(|row| sha256(std::slice::from_ref(row)));
    Ok(rows)
}

fn sha256(rows: &[Row]) -> String {
    let mut hash = Sha256::new();
    for value in rows.iter().flat_map(|row| &row.0) {
        let (kind, bytes) = match value {
            Value::Null => (0, Vec::new()),
            Value::Int(number) => (1, number.to_be_bytes().to_vec()),
            Value::Text(text) => (2, text.as_bytes().to_vec()),
            Value::Bytes(bytes) => (3, bytes.clone()),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(&bytes);
    }
    crate::hash::hex(&hash.finalize())
}
