//! All tables of one database in another: backups, and moving between SQLite and PostgreSQL.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::hash::sha256;

use super::migrations;
use super::session::{Row, Session, StoreError, Stored, Value};
use super::sqlite::Sqlite;

/// Rows of each table, and the SHA-256 of their contents: the same on both sides.
pub type Copied = BTreeMap<String, (usize, String)>;

/// Tables in an order in which referenced ones come first.
const FIRST: [&str; 5] = ["project", "token", "blob", "report", "scoring"];

/// Copies into a new file of SQLite, which is there only when it is whole.
pub(super) fn backup(from: &mut dyn Session, version: i64, file: &Path) -> Stored<Copied> {
    let failed = |error: std::io::Error| StoreError::new(format!("cannot write {}: {error}", file.display()));
    if file.exists() {
        return Err(StoreError::new(format!("{} is there already", file.display())));
    }
    if let Some(folder) = file.parent() {
        super::own_folder(folder).map_err(failed)?;
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
        let insert =
            format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), marks(columns.len()));
        let mut rows = Rows::default();
        each(from, table, columns, |row| {
            rows.count(&row);
            to.execute(&insert, &row.0).map(drop)
        })?;
        let mut there = Rows::default();
        each(to, table, columns, |row| {
            there.count(&row);
            Ok(())
        })?;
        let (rows, there) = (rows.counted(), there.counted());
        if rows != there {
            to.script("ROLLBACK")?;
            return Err(StoreError::new(format!("the table {table} is not the same on both sides")));
        }
        copied.insert(table.clone(), rows);
    }
    to.script("COMMIT")?;
    Ok(copied)
}

fn marks(number: usize) -> String {
    (1..=number).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ")
}

/// The rows of a table, one after the other; of contents, which are large, one is held at a time.
fn each(
    session: &mut dyn Session,
    table: &str,
    columns: &[String],
    mut row: impl FnMut(Row) -> Stored<()>,
) -> Stored<()> {
    let all = format!("SELECT {} FROM {table}", columns.join(", "));
    if table != "blob" {
        return session.query(&all, &[])?.into_iter().try_for_each(row);
    }
    let one = format!("{all} WHERE project = $1 AND sha256 = $2");
    for key in session.query("SELECT project, sha256 FROM blob", &[])? {
        session.query(&one, &key.0)?.into_iter().try_for_each(&mut row)?;
    }
    Ok(())
}

/// The keys of rows, which may come in any order.
#[derive(Default)]
struct Rows(Vec<[u8; 32]>);

impl Rows {
    fn count(&mut self, row: &Row) {
        let mut hash = Sha256::new();
        for value in &row.0 {
            let (kind, bytes) = match value {
                Value::Null => (0, &[][..]),
                Value::Int(number) => (1, &number.to_be_bytes()[..]),
                Value::Text(text) => (2, text.as_bytes()),
                Value::Bytes(bytes) => (3, bytes.as_slice()),
            };
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        self.0.push(hash.finalize().into());
    }

    /// How many they are, and the hash of all.
    fn counted(mut self) -> (usize, String) {
        self.0.sort_unstable();
        (self.0.len(), sha256(&self.0.concat()))
    }
}
