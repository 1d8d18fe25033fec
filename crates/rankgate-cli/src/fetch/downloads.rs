//! Files from elsewhere: each is downloaded once, for all benchmarks that have a part of it, and in all processes.
//!
//! What is not complete is called `NAME-HASH.part`, after the hash of its address, and is gone on with. What is complete
//! and was looked at is called `NAME-HASH.whole`, and goes when nobody needs it any more. Files called `NAME` are the user's.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::content_hash::bytes_sha256;
use super::{Error, Result};
use super::{Fetch, Step, checksum, content, download, staging};
use rankgate::catalogue::Remote;

/// The files that one call of [`Fetch`] has, by their addresses.
pub(super) struct Downloads<'a> {
    fetch: &'a Fetch<'a>,
    have: BTreeMap<String, Download>,
}

/// A file that is as it should be.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Its SHA-256, where nobody published a checksum.
    pub(super) sha256: Option<String>,
}

struct Download {
    found: Found,
    /// Locked as long as it is needed; `None` where the file is the user's.
    users: Option<File>,
}

impl<'a> Downloads<'a> {
    pub(super) fn new(fetch: &'a Fetch<'a>) -> Self {
        Self { fetch, have: BTreeMap::new() }
    }

    /// A file of a benchmark: the user's, where there is one, else as it was downloaded, now or before.
    ///
    /// # Errors
    /// A file that cannot be had from anywhere, or the user's if it is another than it should be.
    pub(super) fn get(&mut self, benchmark: &str, remote: &Remote) -> Result<Found> {
        if let Some(download) = self.have.get(&remote.url) {
            return Ok(download.found.clone());
        }
        let folder = self.fetch.data.downloads();
        staging::make(&folder)?;
        let (file, own) = (remote.file_name(), folder.join(benchmark));
        let given = [own.join(file), folder.join(file)].into_iter().find(|path| path.is_file());
        let download = match given {
            Some(path) => {
                let sha256 = self.look(remote, &path)?;
                Download { found: Found { path, sha256 }, users: None }
            }
            None => self.download(remote)?,
        };
        let found = download.found.clone();
        self.have.insert(remote.url.clone(), download);
        Ok(found)
    }

    fn download(&self, remote: &Remote) -> Result<Download> {
        let place = |end: &str| self.place(remote, end);
        // Whoever removes the file has this lock alone, so that it stays as long as somebody needs it.
        let users_path = place("users.lock");
        let failed = |error| Error::output("cannot lock", &users_path, error);
        let users = File::options().create(true).truncate(false).write(true).open(&users_path);
        let users = users.map_err(failed)?;
        users.lock_shared().map_err(failed)?;
        let (part, path) = (place("part"), place("whole"));
        let _lock = staging::lock(&place("lock"), || (self.fetch.observer)(Step::Waiting))?;
        let before = if path.is_file() { self.look(remote, &path).ok() } else { None };
        let sha256 = match before {
            Some(sha256) => sha256,
            None => {
                let look = |part: &Path| self.look(remote, part);
                let Fetch { mirror, stall, observer, .. } = self.fetch;
                let sha256 = download::download(remote, mirror.as_deref(), *stall, &part, &look, observer)?;
                fs::rename(&part, &path).map_err(|error| Error::output("cannot write", &path, error))?;
                sha256
            }
        };
        Ok(Download { found: Found { path, sha256 }, users: Some(users) })
    }

    /// Looks whether a file is what it should be; gives its SHA-256 where nobody published a checksum.
    fn look(&self, remote: &Remote, path: &Path) -> Result<Option<String>> {
        (self.fetch.observer)(Step::Checking { file: remote.file_name() });
        let name =
            if remote.folder.is_some() { "archive.zip" } else { remote.name.as_deref().unwrap_or_default() };
        content::check(path, name)?;
        checksum::check(remote, path)
    }

    /// A file that was found wrong when it was read does not stay, unless it is the user's.
    pub(super) fn refuse(&mut self, remote: &Remote) {
        if let Some(Download { found, users: Some(_) }) = self.have.remove(&remote.url) {
            drop(fs::remove_file(found.path));
        }
    }

    /// Nobody here needs a file any more.
    pub(super) fn release(&mut self, remote: &Remote) -> Result<()> {
        let Some(Download { found: Found { path, .. }, users: Some(users) }) = self.have.remove(&remote.url)
        else {
            return Ok(());
        };
        if self.fetch.keep {
            let kept = self.fetch.data.downloads().join(remote.file_name());
            let linked = fs::hard_link(&path, &kept).or_else(|_| fs::copy(&path, &kept).map(drop));
            linked.map_err(|error| Error::output("cannot write", &kept, error))?;
        }
        drop(users.unlock());
        match users.try_lock() {
            Ok(()) => fs::remove_file(&path).map_err(|error| Error::output("cannot remove", &path, error)),
            // Another process needs it, and removes it.
            Err(_) => Ok(()),
        }
    }

    /// What belongs to an address, which may end as another one does.
    fn place(&self, remote: &Remote, end: &str) -> PathBuf {
        let hash = bytes_sha256([remote.url.as_bytes(), b""]);
        let dot = if end.ends_with("lock") { "." } else { "" };
        self.fetch.data.downloads().join(format!("{dot}{}-{}.{end}", remote.file_name(), &hash[..8]))
    }
}
