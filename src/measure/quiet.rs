//! Locks among processes: times are taken while nothing else is asked.

use std::fs::{self, File};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::error::chain;
use crate::retriever::{Failure, FailureCause};
use crate::{Error, Result};

use super::Cache;

/// Shared by all that ask retrievers; exclusive while times are taken.
static ASKING: RwLock<()> = RwLock::new(());
/// The same among the processes that share a folder for reports.
const FILE: &str = ".latency.lock";

/// A lock in this process, and one among processes.
pub(super) type Alone = (RwLockWriteGuard<'static, ()>, Option<File>);
pub(super) type AmongOthers = (RwLockReadGuard<'static, ()>, Option<File>);

/// Why no retriever runs where the lock cannot be had.
pub(super) fn unlocked(error: Error) -> Failure {
    Failure::of_all(FailureCause::Setup(chain(&error)), 0)
}

impl Cache {
    /// Waits until no times are taken, in this process and, where the spec has latency gates, in the other ones.
    pub(super) fn among_others(&self) -> Result<AmongOthers> {
        let here = ASKING.read().unwrap_or_else(PoisonError::into_inner);
        let file = if self.spec.latency.is_empty() { None } else { self.lock_file(FILE, File::lock_shared)? };
        Ok((here, file))
    }

    /// Waits until no retriever runs.
    pub(super) fn alone(&self) -> Result<Alone> {
        let here = ASKING.write().unwrap_or_else(PoisonError::into_inner);
        Ok((here, self.lock_file(FILE, File::lock)?))
    }

    /// `None` where nothing is written.
    fn lock_file(&self, name: &str, lock: fn(&File) -> std::io::Result<()>) -> Result<Option<File>> {
        let folder = &self.context.output;
        if folder.as_os_str().is_empty() {
            return Ok(None);
        }
        let path = folder.join(name);
        let io = |error| Error::output("cannot lock", &path, error);
        fs::create_dir_all(folder).map_err(io)?;
        let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(io)?;
        lock(&file).map_err(io)?;
        Ok(Some(file))
    }
}
