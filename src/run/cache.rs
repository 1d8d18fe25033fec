//! Answers shared by the processes of one test run.
//!
//! A runner that starts one process per test would otherwise build every index once per gate. The
//! key is the test run, never the corpus or the configuration: the retriever's code is what is
//! under test, so nothing may outlive the run that asked for it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Folders of earlier test runs are removed once they are this old: a run that still goes on after
/// that long asks again, which costs time and nothing else.
const KEPT: Duration = Duration::from_secs(6 * 60 * 60);

/// A folder that belongs to one test run.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// The cache of test run `run_id` below `runs`; folders of runs long past are removed.
    pub(crate) fn open(runs: &Path, run_id: &str) -> Result<Self> {
        let id: String = run_id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let folder = runs.join(id);
        if !folder.is_dir() {
            prune(runs);
        }
        fs::create_dir_all(&folder).map_err(|e| Error::io("cannot make folder", &folder, e))?;
        Ok(Self { folder })
    }

    /// The value under `key`: read where a process of this run has made it, made and kept otherwise.
    ///
    /// While one process makes it the others wait. A process that dies releases its lock, and the
    /// next one makes the value.
    pub(crate) fn get_or_make<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        make: impl FnOnce() -> T,
    ) -> Result<T> {
        let _lock = self.lock(key)?;
        let path = self.folder.join(format!("{key}.json"));
        // What cannot be read back is made anew: it is only a cache.
        if let Some(value) = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(value);
        }
        let value = make();
        self.put(key, &value)?;
        Ok(value)
    }

    /// Keeps a value under `key`, whole or not at all.
    pub(crate) fn put<T: Serialize>(&self, key: &str, value: &T) -> Result<()> {
        let path = self.folder.join(format!("{key}.json"));
        let io = |e| Error::io("cannot write", &path, e);
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(io)?;
        serde_json::to_writer(std::io::BufWriter::new(&mut file), value).map_err(|e| io(e.into()))?;
        file.persist(&path).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// Whether there is a value under `key`.
    pub(crate) fn holds(&self, key: &str) -> bool {
        self.folder.join(format!("{key}.json")).is_file()
    }

    /// Every value whose key starts with `prefix`, in the order of the keys.
    pub(crate) fn all<T: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<T>> {
        let entries =
            fs::read_dir(&self.folder).map_err(|e| Error::io("cannot read folder", &self.folder, e))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .filter(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix)))
            .collect();
        paths.sort();
        Ok(paths.iter().filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect())
    }

    /// Holds the lock of `key` until the returned file is dropped.
    pub(crate) fn lock(&self, key: &str) -> Result<File> {
        let path = self.folder.join(format!("{key}.lock"));
        let io = |e| Error::io("cannot lock", &path, e);
        let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(io)?;
        file.lock().map_err(io)?;
        Ok(file)
    }
}

/// Removes what runs long past have left. Whatever cannot be removed stays: it is in nobody's way.
fn prune(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.filter_map(|entry| entry.ok()) {
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|at| {
            // A clock that was set back makes folders of the future, which are not old.
            SystemTime::now().duration_since(at).ok()
        });
        if age.is_some_and(|age| age > KEPT) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_value_is_made_once_however_many_ask() {
        let runs = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = Cache::open(runs.path(), "run/1").unwrap();
                    let value = cache.get_or_make("bm25", || made.fetch_add(1, Ordering::SeqCst) + 41);
                    assert_eq!(value.unwrap(), 41);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn runs_share_nothing() {
        let runs = tempfile::tempdir().unwrap();
        for (run, expected) in [("1", 1), ("2", 2), ("1", 1)] {
            let cache = Cache::open(runs.path(), run).unwrap();
            assert_eq!(cache.get_or_make("k", || expected).unwrap(), expected);
        }
    }

    #[test]
    fn a_torn_value_is_made_anew() {
        let runs = tempfile::tempdir().unwrap();
        let cache = Cache::open(runs.path(), "1").unwrap();
        fs::write(cache.folder.join("k.json"), "[1, 2").unwrap();
        assert_eq!(cache.get_or_make("k", || vec![3]).unwrap(), [3]);
    }

    #[test]
    fn values_are_listed_by_prefix_in_order() {
        let runs = tempfile::tempdir().unwrap();
        let cache = Cache::open(runs.path(), "1").unwrap();
        for (key, value) in [("gate-2", 2), ("gate-1", 1), ("other", 3)] {
            cache.put(key, &value).unwrap();
        }
        assert_eq!(cache.all::<i32>("gate-").unwrap(), [1, 2]);
    }
}
