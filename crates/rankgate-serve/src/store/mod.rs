//! Where everything is kept: SQLite in the folder, or PostgreSQL. Both are asked in the same words.

mod address;
mod copy;
mod migrations;
mod postgres;
mod session;
mod sqlite;
mod writer;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use copy::Copied;
pub use session::{Row, Session, StoreError, Stored, Value};

use postgres::Postgres;
use sqlite::Sqlite;
use writer::Writer;

/// Readers at a time.
const READERS: usize = 8;
/// For which one is waited for.
const BUSY: Duration = Duration::from_secs(10);

/// What the data lie in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file.
    Sqlite(PathBuf),
    /// A server, by its address (`postgres://...`).
    Postgres(String),
}

/// For how long data are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// By a server: there is one of them.
    Alone,
    /// By a command, beside a server or without one.
    Shortly,
}

/// The data of a server.
pub struct Store {
    database: Database,
    writer: Writer,
    readers: Mutex<Readers>,
    returned: Condvar,
    /// Locked as long as this stands: until all above is closed.
    _lock: Option<fs::File>,
}

#[derive(Default)]
struct Readers {
    idle: Vec<Box<dyn Session>>,
    out: usize,
}

impl Database {
    /// That of a folder, unless an address is given.
    #[must_use]
    pub fn new(folder: &Path, address: Option<&str>) -> Self {
        address.map_or_else(
            || Self::Sqlite(folder.join("rankgate.db")),
            |address| Self::Postgres(address.to_owned()),
        )
    }

    fn writing(&self, holding: Holding) -> Stored<Box<dyn Session>> {
        Ok(match (self, holding) {
            (Self::Sqlite(file), _) => Box::new(Sqlite::writing(file)?),
            (Self::Postgres(url), Holding::Alone) => Box::new(Postgres::alone(url)?),
            (Self::Postgres(url), Holding::Shortly) => Box::new(Postgres::connect(url)?),
        })
    }

    fn reading(&self) -> Stored<Box<dyn Session>> {
        Ok(match self {
            Self::Sqlite(file) => Box::new(Sqlite::reading(file)?),
            Self::Postgres(url) => Box::new(Postgres::connect(url)?),
        })
    }
}

/// Makes a folder that its owner alone looks into, where there is none.
fn own_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The lock of a folder, which ends with the process, however that ends.
fn locked(folder: &Path) -> Stored<fs::File> {
    let failed = |error| StoreError::new(format!("cannot write into {}: {error}", folder.display()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(folder.join("lock")).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            Err(StoreError::new(format!("another rankgate-serve serves {}", folder.display())))
        }
        Err(fs::TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// A reader that is out. It comes back however its work ends, a panic included.
struct Reader<'a> {
    store: &'a Store,
    /// None of one that broke.
    session: Option<Box<dyn Session>>,
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let mut readers = self.store.readers.lock().unwrap_or_else(PoisonError::into_inner);
        readers.out -= 1;
        match self.session.take() {
            // What a panic left is in the middle of something.
            Some(session) if !std::thread::panicking() => readers.idle.push(session),
            Some(_) => {}
            // One that broke is a sign that the others did.
            None => readers.idle.clear(),
        }
        drop(readers);
        self.store.returned.notify_one();
    }
}

impl Store {
    /// Opens the data, and brings tables of an earlier version up to date after a copy of them was put into `backups`
    /// in the folder.
    ///
    /// # Errors
    /// A database that cannot be opened, is being written by another server, or is of a newer version.
    pub fn open(database: Database, folder: &Path, holding: Holding) -> Stored<Self> {
        own_folder(folder)
            .map_err(|error| StoreError::new(format!("cannot make {}: {error}", folder.display())))?;
        let lock = if holding == Holding::Alone { Some(locked(folder)?) } else { None };
        let mut session = database.writing(holding)?;
        let version = migrations::version(session.as_mut())?;
        if (1..migrations::NEWEST).contains(&version) {
            let file = folder.join("backups").join(format!("before-migration-{}.db", version + 1));
            // Of an earlier try it is as good as it was.
            if !file.exists() {
                copy::backup(session.as_mut(), version, &file)?;
            }
        }
        migrations::migrate(session.as_mut(), migrations::NEWEST)?;
        let again = database.clone();
        let writer = Writer::new(session, move || again.writing(holding))
            .map_err(|error| StoreError::new(format!("cannot start a thread: {error}")))?;
        Ok(Self { database, writer, readers: Mutex::default(), returned: Condvar::new(), _lock: lock })
    }

    /// Writes, and returns when it is on the disk; blocks.
    ///
    /// # Errors
    /// Those of the job, after which nothing of it is there, and those of the database.
    pub fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut dyn Session) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        self.writer.write(job)
    }

    /// Whether the thread that writes has ended: then nothing is kept any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.writer.is_broken()
    }

    /// Reads, all of it as of one moment; blocks.
    ///
    /// # Errors
    /// Those of the job and of the database.
    pub fn read<T>(&self, job: impl FnOnce(&mut dyn Session) -> Stored<T>) -> Stored<T> {
        let mut reader = Reader { store: self, session: Some(self.reader()?) };
        let Some(session) = &mut reader.session else {
            return Err(StoreError::passing("there is no reader of the database"));
        };
        let read = session.begin_reading().and_then(|()| job(session.as_mut()));
        if session.script("ROLLBACK").is_err() || session.is_broken() {
            reader.session = None;
        }
        read
    }

    fn reader(&self) -> Stored<Box<dyn Session>> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        while readers.out >= READERS {
            let Some(left) = BUSY.checked_sub(begun.elapsed()) else {
                return Err(StoreError::passing(format!("all {READERS} readers of the database are busy")));
            };
            readers = self.returned.wait_timeout(readers, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        readers.out += 1;
        while let Some(session) = readers.idle.pop() {
            if !session.is_broken() {
                return Ok(session);
            }
        }
        drop(readers);
        self.database.reading().inspect_err(|_| {
            self.readers.lock().unwrap_or_else(PoisonError::into_inner).out -= 1;
            self.returned.notify_one();
        })
    }

    /// Takes what was deleted out of the log that SQLite writes ahead.
    ///
    /// # Errors
    /// What the database says.
    pub fn forget(&self) -> Stored<()> {
        match &self.database {
            Database::Sqlite(file) => {
                Sqlite::writing(file)?.query("PRAGMA wal_checkpoint(TRUNCATE)", &[]).map(drop)
            }
            Database::Postgres(_) => Ok(()),
        }
    }

    /// Bytes of the database's file, and those of them that nothing uses; `None` of PostgreSQL, which keeps house itself.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn space(&self) -> Stored<Option<(u64, u64)>> {
        let Database::Sqlite(file) = &self.database else { return Ok(None) };
        let mut session = Sqlite::reading(file)?;
        let mut number = |name: &str| -> Stored<u64> {
            let rows = session.query(&format!("PRAGMA {name}"), &[])?;
            Ok(rows.first().and_then(|row| u64::try_from(row.int(0)).ok()).unwrap_or(0))
        };
        let (page, all, free) = (number("page_size")?, number("page_count")?, number("freelist_count")?);
        Ok(Some((page * all, page * free)))
    }

    /// Gives back what nothing uses. Meanwhile nobody else writes. Of PostgreSQL nothing is done.
    ///
    /// # Errors
    /// A database that somebody is writing; a disk without room for a second copy.
    pub fn compact(&self) -> Stored<()> {
        let Database::Sqlite(file) = &self.database else { return Ok(()) };
        Sqlite::writing(file)?.script("VACUUM")?;
        self.forget()
    }

    /// Copies everything into a new SQLite file, as of one moment.
    ///
    /// # Errors
    /// A file that is there already or cannot be written.
    pub fn backup(&self, file: &Path) -> Stored<Copied> {
        self.read(|session| copy::backup(session, migrations::NEWEST, file))
    }

    /// Copies everything into another, empty database, and compares both sides.
    ///
    /// # Errors
    /// A database that is not empty, or differs afterwards.
    pub fn copy_to(&self, other: &Database) -> Stored<Copied> {
        let mut to = other.writing(Holding::Shortly)?;
        self.read(|session| copy::copy(session, to.as_mut(), migrations::NEWEST))
    }
}

impl Drop for Store {
    /// The writer is the last to close: then SQLite leaves one whole file, and no log beside it.
    fn drop(&mut self) {
        self.readers.get_mut().unwrap_or_else(PoisonError::into_inner).idle.clear();
    }
}
