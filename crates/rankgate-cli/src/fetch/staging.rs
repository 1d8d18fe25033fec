//! A benchmark's folder appears as a whole: it is made beside its place, and takes it when it is complete.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::{Error, Result};

/// How the names of folders begin that are being made, and of those that make room.
const NEW: &str = ".rankgate-new-";
const OLD: &str = ".rankgate-old-";

/// The right to make a benchmark's folder, which one process has at a time.
pub(super) struct Staging {
    folder: PathBuf,
    new: PathBuf,
    old: PathBuf,
    _lock: File,
}

impl Staging {
    /// Waits for the right, and calls `waiting` where another process has it.
    ///
    /// Removes leftovers of a killed process in this folder, and in its neighbours where nothing makes them now.
    pub(super) fn enter(folder: &Path, waiting: impl FnOnce()) -> Result<Self> {
        let parent = folder.parent().unwrap_or(folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        make(parent)?;
        let lock = lock(&lock_of(parent, &name), waiting)?;
        let (new, old) = (parent.join(format!("{NEW}{name}")), parent.join(format!("{OLD}{name}")));
        recover(&new, &old, folder)?;
        clear_neighbours(parent, &name);
        Ok(Self { folder: folder.to_owned(), new, old, _lock: lock })
    }

    /// An empty folder to put files into.
    pub(super) fn begin(&self) -> Result<&Path> {
        remove(&self.new)?;
        make(&self.new)?;
        Ok(&self.new)
    }

    /// Puts what was made in its place.
    pub(super) fn finish(&self) -> Result<()> {
        let failed = |error| Error::output("cannot replace", &self.folder, error);
        if self.folder.exists() {
            fs::rename(&self.folder, &self.old).map_err(failed)?;
        }
        if let Err(error) = fs::rename(&self.new, &self.folder) {
            drop(fs::rename(&self.old, &self.folder));
            return Err(failed(error));
        }
        remove(&self.old)
    }
}

/// What was made for nothing goes.
impl Drop for Staging {
    fn drop(&mut self) {
        drop(remove(&self.new));
    }
}

/// Opens a file and locks it, alone.
pub(super) fn lock(path: &Path, waiting: impl FnOnce()) -> Result<File> {
    let failed = |error| Error::output("cannot lock", path, error);
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            waiting();
            file.lock().map_err(failed)?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    Ok(file)
}

pub(super) fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::output("cannot make folder", folder, error))
}

fn lock_of(parent: &Path, name: &str) -> PathBuf {
    parent.join(format!(".{name}.lock"))
}

/// Clears what a killed process left; a folder that it had moved aside, and put nothing in its place, comes back.
fn recover(new: &Path, old: &Path, folder: &Path) -> Result<()> {
    if old.exists() && !folder.exists() {
        fs::rename(old, folder).map_err(|error| Error::output("cannot replace", folder, error))?;
    }
    remove(old)?;
    remove(new)
}

/// Clears what killed processes left of other benchmarks; what cannot be cleared now is the next one's.
fn clear_neighbours(parent: &Path, own: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_prefix(NEW).or_else(|| name.strip_prefix(OLD)) else { continue };
        if name == own {
            continue;
        }
        let Ok(file) = File::options().write(true).open(lock_of(parent, name)) else { continue };
        if file.try_lock().is_ok() {
            let place = |begin: &str| parent.join(format!("{begin}{name}"));
            drop(recover(&place(NEW), &place(OLD), &parent.join(name)));
        }
    }
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::output("cannot remove", folder, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_and_what_it_moved_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str, text: &str| {
            fs::create_dir_all(at(name)).unwrap();
            fs::write(at(name).join("file"), text).unwrap();
        };
        for name in ["a", "b", "c"] {
            put(&format!("{NEW}{name}"), "half");
            fs::write(at(&format!(".{name}.lock")), "").unwrap();
        }
        put(&format!("{OLD}b"), "whole");
        // Somebody makes c right now.
        let busy = lock(&at(".c.lock"), || ()).unwrap();
        let staging = Staging::enter(&at("a"), || panic!("nobody makes it")).unwrap();
        assert!(!at(".rankgate-new-a").exists() && !at(".rankgate-new-b").exists());
        assert!(!at(".rankgate-old-b").exists() && at(".rankgate-new-c").exists());
        assert_eq!(fs::read_to_string(at("b").join("file")).unwrap(), "whole");
        drop(busy);
        fs::write(staging.begin().unwrap().join("file"), "first").unwrap();
        staging.finish().unwrap();
        fs::write(staging.begin().unwrap().join("file"), "second").unwrap();
        staging.finish().unwrap();
        staging.begin().unwrap();
        drop(staging);
        assert_eq!(fs::read_to_string(at("a").join("file")).unwrap(), "second");
        assert!(!at(".rankgate-new-a").exists() && !at(".rankgate-old-a").exists());
    }
}
