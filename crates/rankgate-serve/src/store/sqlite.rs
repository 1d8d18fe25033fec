//! SQLite, within the process.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as Own, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, ToSql};

use super::session::{Row, Session, StoreError, Stored, Value, check_texts};

pub(super) struct Sqlite(Connection);

impl Sqlite {
    /// A connection that writes, and makes the file where there is none.
    ///
    /// A commit is on the disk when it is answered (`synchronous = FULL`); readers do not wait for it (WAL). What is
    /// deleted is written over.
    ///
    /// An empty file is no database that nobody wrote to yet: what was in it is gone, by a full disk or a copy that broke off.
    pub(super) fn writing(file: &Path) -> Stored<Self> {
        if is_empty(file) {
            return Err(StoreError::new(format!(
                "{} is empty, and held data or was to: put a backup in its place, or delete it to begin anew",
                file.display()
            )));
        }
        own(file).map_err(|error| StoreError::new(format!("cannot write {}: {error}", file.display())))?;
        let connection = Connection::open(file)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        let wal = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                   PRAGMA secure_delete = ON;";
        connection.execute_batch(wal)?;
        Ok(Self(connection))
    }

    pub(super) fn reading(file: &Path) -> Stored<Self> {
        let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(Self(connection))
    }
}

/// Whether a file is there with nothing in it, nor in the log that SQLite writes ahead.
fn is_empty(file: &Path) -> bool {
    let bytes = |file: &Path| std::fs::metadata(file).map(|file| file.len());
    let mut ahead = file.as_os_str().to_owned();
    ahead.push("-wal");
    bytes(file).is_ok_and(|bytes| bytes == 0) && bytes(Path::new(&ahead)).unwrap_or(0) == 0
}

/// Makes a file that its owner alone reads and writes; one that is there becomes such a file, where that can be said of
/// it. What SQLite puts beside it has the same rights.
#[cfg(unix)]
fn own(file: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let made = std::fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file);
    let mode = match made {
        Ok(file) => file.metadata()?.permissions().mode(),
        // A file that may be read alone: opening it says what is wrong.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => return Err(error),
    };
    if mode & 0o077 != 0 {
        // Some file systems know no rights.
        drop(std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)));
    }
    Ok(())
}

#[cfg(not(unix))]
fn own(_: &Path) -> std::io::Result<()> {
    Ok(())
}

fn bind(statement: &mut Statement<'_>, values: &[Value]) -> Stored<()> {
    check_texts(values)?;
    for (place, value) in values.iter().enumerate() {
        if let Some(index) = statement.parameter_index(&format!("${}", place + 1))? {
            statement.raw_bind_parameter(index, value)?;
        }
    }
    Ok(())
}

impl Session for Sqlite {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Stored<u64> {
        let mut statement = self.0.prepare(sql)?;
        bind(&mut statement, values)?;
        Ok(statement.raw_execute()? as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Stored<Vec<Row>> {
        let mut statement = self.0.prepare(sql)?;
        bind(&mut statement, values)?;
        let columns = statement.column_count();
        let (mut rows, mut found) = (statement.raw_query(), Vec::new());
        while let Some(row) = rows.next()? {
            let value = |column| {
                Ok(match row.get_ref(column)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Int(number),
                    ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
                    ValueRef::Real(_) => {
                        return Err(StoreError::new("the database has a number that is not whole"));
                    }
                })
            };
            found.push(Row((0..columns).map(value).collect::<Stored<_>>()?));
        }
        Ok(found)
    }

    fn script(&mut self, sql: &str) -> Stored<()> {
        Ok(self.0.execute_batch(sql)?)
    }

    fn begin(&mut self) -> Stored<()> {
        self.script("BEGIN IMMEDIATE")
    }

    fn begin_reading(&mut self) -> Stored<()> {
        self.script("BEGIN")
    }

    fn tables(&mut self) -> Stored<Vec<(String, Vec<String>)>> {
        let names =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut tables = Vec::new();
        for row in self.query(names, &[])? {
            let columns =
                self.query("SELECT name FROM pragma_table_info($1) ORDER BY cid", &[row.text(0).into()])?;
            tables.push((row.text(0).to_owned(), columns.iter().map(|row| row.text(0).to_owned()).collect()));
        }
        Ok(tables)
    }

    fn faults(&mut self) -> Stored<Vec<String>> {
        let pages = self.query("PRAGMA integrity_check", &[])?;
        let mut faults: Vec<String> = pages
            .iter()
            .map(|row| row.text(0))
            .filter(|said| *said != "ok")
            .map(|said| format!("SQLite: {said}"))
            .collect();
        for row in self.query("PRAGMA foreign_key_check", &[])? {
            faults.push(format!(
                "SQLite: row {} of {} refers to a row of {} that is not there",
                row.int(1),
                row.text(0),
                row.text(2)
            ));
        }
        Ok(faults)
    }

    fn is_broken(&self) -> bool {
        false
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Own::Null),
            Self::Int(number) => ToSqlOutput::Owned(Own::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        let public = match error.sqlite_error() {
            Some(error) => format!("SQLite: {}", rusqlite::ffi::code_to_str(error.extended_code)),
            None => "SQLite: the database was not asked as it can be; the server's log tells more".to_owned(),
        };
        Self {
            message: format!("SQLite: {error}"),
            public: Some(public),
            is_passing: matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)),
            is_invalid: false,
            is_full: matches!(
                code,
                Some(
                    ErrorCode::DiskFull
                        | ErrorCode::ReadOnly
                        | ErrorCode::SystemIoFailure
                        | ErrorCode::CannotOpen
                )
            ),
        }
    }
}
