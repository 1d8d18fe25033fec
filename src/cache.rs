//! Answers shared by the processes of one test run.
//!
//! A runner that starts one process per test would otherwise build every index once per gate. The
//! key is the test run, never the corpus or the configuration: the retriever's code is what is
//! under test, so nothing may outlive the run that asked for it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hmac_sha256::Hash as Sha256;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::order;
use crate::{Error, Result};

/// Folders of earlier test runs are removed once they are this old: a run that still goes on after
/// that long asks again, which costs time and nothing else.
const KEPT: Duration = Duration::from_secs(6 * 60 * 60);

/// One test binary in one test run.
#[derive(Clone, Debug)]
pub(crate) struct TestRun {
    /// What the runner calls the run.
    pub(crate) id: String,
    /// What distinguishes the binary from the others of the run, such as its path: those of a workspace may
    /// have benchmarks of one name, which are not the same benchmark.
    pub(crate) binary: Vec<u8>,
    /// How often the runner has started this test, which it may start again when it fails.
    pub(crate) attempt: u32,
}

/// A folder that belongs to one test binary in one test run.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    attempt: u32,
}

impl Cache {
    /// The cache of a test run below `runs`; folders of runs long past are removed.
    pub(crate) fn open(runs: &Path, run: &TestRun) -> Result<Self> {
        let id: String = run.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let digest = Sha256::hash(&run.binary);
        let binary: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let this = Self { folder: runs.join(format!("{id}-{binary}")), attempt: run.attempt };
        if !this.folder.is_dir() {
            prune(runs);
        }
        this.make_folder()?;
        Ok(this)
    }

    fn make_folder(&self) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(|e| Error::output("cannot make folder", &self.folder, e))
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
        // What cannot be read back is made anew: it is only a cache.
        if let Some(value) = self.peek(key) {
            return Ok(value);
        }
        let value = make();
        self.put(key, &value)?;
        Ok(value)
    }

    /// As [`get_or_make`](Self::get_or_make), but a failure is kept for the tests that are started for the
    /// first time only: where the runner starts a test again, it is made again, once for all of them.
    pub(crate) fn get_or_retry<T, E>(
        &self,
        key: &str,
        make: impl Fn() -> Result<T, E>,
    ) -> Result<Result<T, E>>
    where
        Result<T, E>: Serialize + DeserializeOwned,
    {
        let mut value = self.get_or_make(key, &make)?;
        for attempt in 2.. {
            let key = format!("{key}+{attempt}");
            if value.is_ok() || (attempt > self.attempt && !self.holds(&key)) {
                break;
            }
            value = self.get_or_make(&key, &make)?;
        }
        Ok(value)
    }

    /// Keeps a value under `key`, whole or not at all.
    pub(crate) fn put<T: Serialize>(&self, key: &str, value: &T) -> Result<()> {
        let path = self.folder.join(format!("{key}.json"));
        let io = |e| Error::output("cannot write", &path, e);
        self.make_folder()?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(io)?;
        let json = serde_json::to_string(value).map_err(|e| io(e.into()))?;
        file.write_all(json.as_bytes()).map_err(io)?;
        file.persist(&path).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// The value under `key`, where a process of this run has made it.
    pub(crate) fn peek<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.folder.join(format!("{key}.json"))).ok()?).ok()
    }

    /// Whether there is a value under `key`.
    pub(crate) fn holds(&self, key: &str) -> bool {
        self.folder.join(format!("{key}.json")).is_file()
    }

    /// Every value whose key starts with `prefix`, in the order of the keys.
    pub(crate) fn all<T: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<T>> {
        self.make_folder()?;
        let entries =
            fs::read_dir(&self.folder).map_err(|e| Error::output("cannot read folder", &self.folder, e))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .filter(|path| path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix)))
            .collect();
        order::sort(&mut paths);
        Ok(paths.iter().filter_map(|path| serde_json::from_slice(&fs::read(path).ok()?).ok()).collect())
    }

    /// Holds the lock of `key` until the returned file is dropped.
    pub(crate) fn lock(&self, key: &str) -> Result<File> {
        // Somebody's clock may have said that this run is long past.
        self.make_folder()?;
        let path = self.folder.join(format!("{key}.lock"));
        let io = |e| Error::output("cannot lock", &path, e);
        let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(io)?;
        file.lock().map_err(io)?;
        Ok(file)
    }
}

/// Removes leftovers of old runs. A folder that cannot be removed stays: it does no harm.
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

    fn open(runs: &Path, id: &str, binary: &str, attempt: u32) -> Cache {
        Cache::open(runs, &TestRun { id: id.into(), binary: binary.into(), attempt }).unwrap()
    }

    #[test]
    fn a_failure_is_made_again_once_for_each_time_that_tests_are_started_again() {
        let runs = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        let ask = |attempt| {
            let make = || match made.fetch_add(1, Ordering::SeqCst) {
                enough @ 2.. => Ok(enough),
                few => Err(few),
            };
            open(runs.path(), "1", "a", attempt).get_or_retry("k", make).unwrap()
        };
        let seen = [1, 1, 2, 1, 2, 3, 1, 2, 3].map(ask);
        assert_eq!(seen, [Err(0), Err(0), Err(1), Err(1), Err(1), Ok(2), Ok(2), Ok(2), Ok(2)]);
    }

    #[test]
    fn a_value_is_made_once_however_many_ask() {
        let runs = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let cache = open(runs.path(), "run/1", "a", 1);
                    let value = cache.get_or_make("bm25", || made.fetch_add(1, Ordering::SeqCst) + 41);
                    assert_eq!(value.unwrap(), 41);
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn runs_share_nothing_and_neither_do_the_binaries_of_one_run() {
        let runs = tempfile::tempdir().unwrap();
        for (run, binary, expected) in [("1", "a", 1), ("2", "a", 2), ("1", "b", 3), ("1", "a", 1)] {
            let cache = open(runs.path(), run, binary, 1);
            assert_eq!(cache.get_or_make("k", || expected).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_torn_or_nobody_here_has_written_is_made_anew() {
        let runs = tempfile::tempdir().unwrap();
        let cache = open(runs.path(), "1", "a", 1);
        for found in ["[1, 2", "", "\0\0\0\0", "{\"other\": \"version\"}", "[1, 2] [", "[\"a\"]"] {
            fs::write(cache.folder.join("k.json"), found).unwrap();
            assert_eq!(cache.get_or_make("k", || vec![3]).unwrap(), [3], "{found}");
            assert_eq!(cache.get_or_make("k", || vec![4]).unwrap(), [3], "{found}");
        }
    }

    #[test]
    fn runs_long_past_are_removed_and_a_clock_that_jumps_does_no_harm() {
        let runs = tempfile::tempdir().unwrap();
        let of = |run| open(runs.path(), run, "a", 1);
        let dated = |cache: &Cache, at| File::open(&cache.folder).unwrap().set_modified(at).unwrap();
        let (now, hour) = (SystemTime::now(), Duration::from_secs(60 * 60));
        let [past, epoch, future, fresh] = ["past", "epoch", "future", "fresh"].map(of);
        dated(&past, now - 7 * hour);
        dated(&epoch, SystemTime::UNIX_EPOCH);
        dated(&future, now + 1000 * hour);
        assert_eq!(epoch.get_or_make("k", || 1).unwrap(), 1);
        dated(&epoch, SystemTime::UNIX_EPOCH);
        of("next");
        let there = [&past, &epoch, &future, &fresh].map(|cache| cache.folder.is_dir());
        assert_eq!(there, [false, false, true, true]);
        // Who still goes on asks again.
        assert_eq!(epoch.get_or_make("k", || 2).unwrap(), 2);
        assert_eq!(past.all::<i32>("k").unwrap(), [0; 0]);
        past.put("k", &3).unwrap();
        assert_eq!(past.all::<i32>("k").unwrap(), [3]);
    }

    #[test]
    fn values_are_listed_by_prefix_in_order() {
        let runs = tempfile::tempdir().unwrap();
        let cache = open(runs.path(), "1", "a", 1);
        for (key, value) in [("gate-2", 2), ("gate-1", 1), ("other", 3)] {
            cache.put(key, &value).unwrap();
        }
        assert_eq!(cache.all::<i32>("gate-").unwrap(), [1, 2]);
    }
}
