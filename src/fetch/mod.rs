//! Benchmarks are fetched: downloaded, checked, unpacked, counted, and only then there.
//!
//! Nothing but `rankgate fetch`, and whoever calls this, asks a network for data; a test never does. What is cut off is
//! gone on with; what has another checksum than was published, leaves its folder or holds another number of documents
//! is refused, and nothing of it stays.

mod checksum;
mod download;
mod unpack;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::catalogue::{Catalogue, Data, Entry, Record, Remote};
use crate::collection::{Collection, Corpus, Qrels};
use crate::words::counted;
use crate::{Error, ErrorKind, Result};

/// What is being done, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Another process fetches the same.
    Waiting,
    /// So many bytes of a file have come, of so many where that is known.
    Downloading {
        /// The file.
        file: &'a str,
        /// The host that it comes from.
        host: &'a str,
        /// Bytes that are here.
        done: u64,
        /// Bytes that there are.
        total: Option<u64>,
    },
    /// A file's checksums are compared.
    Checking {
        /// The file.
        file: &'a str,
    },
    /// An archive is unpacked.
    Unpacking {
        /// The archive.
        file: &'a str,
    },
    /// Documents and queries are counted.
    Counting,
}

/// How benchmarks are fetched.
pub struct Fetch<'a> {
    /// The benchmarks that there are.
    pub catalogue: &'a Catalogue,
    /// Where they go.
    pub data: &'a Data,
    /// The address of a folder that holds the files, asked before their own addresses.
    pub mirror: Option<String>,
    /// Whether one that is there is fetched anew.
    pub again: bool,
    /// Whether archives stay after they were unpacked.
    pub keep: bool,
    /// Somebody who watches.
    pub observer: &'a dyn Fn(Step<'_>),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// The folder that holds it.
    pub folder: PathBuf,
    /// Whether it was there before.
    pub was_there: bool,
    /// Files that nobody published a checksum of, each with its SHA-256 as it came.
    pub unchecked: Vec<(String, String)>,
}

impl Fetch<'_> {
    /// Fetches a benchmark, unless it is there. One that searches the documents of another
    /// ([`Entry::corpus_of`]) needs that one as well.
    ///
    /// A file of the same name in [`Data::downloads`] is taken instead of the network's.
    ///
    /// # Errors
    /// A name that there is not; a file that cannot be had from anywhere, with all that was tried; one that is not what
    /// it should be; a folder that cannot be written to.
    pub fn fetch(&self, name: &str) -> Result<Fetched> {
        let entry = self.catalogue.find(name)?;
        let folder = self.data.folder(name);
        let parent = folder.parent().unwrap_or(&folder).to_owned();
        make(&parent)?;
        let _lock = self.lock(&parent, &folder)?;
        if self.data.has(name) && !self.again {
            return Ok(Fetched { folder, was_there: true, unchecked: Vec::new() });
        }
        make(&self.data.downloads())?;
        let temporary = tempfile::Builder::new().prefix(".rankgate-").tempdir_in(&parent);
        let temporary = temporary.map_err(|error| Error::output("cannot make folder in", &parent, error))?;
        let mut unchecked = Vec::new();
        let mut names = Vec::new();
        let mut ours = Vec::new();
        for remote in &entry.files {
            let (path, downloaded) = self.file(remote, &mut unchecked)?;
            names.extend(self.place(remote, &path, temporary.path())?);
            ours.extend(downloaded.then_some(path));
        }
        (self.observer)(Step::Counting);
        count(entry, temporary.path())?;
        Record::write(temporary.path(), names)?;
        replace(temporary.path(), &folder)?;
        if !self.keep {
            for path in ours {
                fs::remove_file(&path).map_err(|error| Error::output("cannot remove", &path, error))?;
            }
        }
        Ok(Fetched { folder, was_there: false, unchecked })
    }

    /// One process fetches a benchmark at a time.
    fn lock(&self, parent: &Path, folder: &Path) -> Result<File> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(format!(".{name}.lock"));
        let failed = |error| Error::output("cannot lock", &path, error);
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                (self.observer)(Step::Waiting);
                file.lock().map_err(failed)?;
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(file)
    }

    /// A file that is as it should be, and whether it was downloaded just now.
    fn file(&self, remote: &Remote, unchecked: &mut Vec<(String, String)>) -> Result<(PathBuf, bool)> {
        let file = remote.file_name();
        let path = self.data.downloads().join(file);
        let downloaded = !path.is_file();
        let part = self.data.downloads().join(format!("{file}.part"));
        if downloaded {
            download::download(remote, self.mirror.as_deref(), &part, self.observer)?;
        }
        let found = if downloaded { &part } else { &path };
        (self.observer)(Step::Checking { file });
        match checksum::check(remote, found, &self.data.downloads()) {
            Ok(None) => {}
            Ok(Some(sha256)) => unchecked.push((file.to_owned(), sha256)),
            Err(error) => {
                if downloaded {
                    // What is wrong is not gone on with.
                    drop(fs::remove_file(&part));
                }
                return Err(error);
            }
        }
        if downloaded {
            fs::rename(&part, &path).map_err(|error| Error::output("cannot write", &path, error))?;
        }
        Ok((path, downloaded))
    }

    /// Puts what a file holds into a folder; gives the names of what is there now.
    fn place(&self, remote: &Remote, path: &Path, folder: &Path) -> Result<Vec<String>> {
        match (&remote.folder, &remote.name) {
            (Some(within), _) => {
                (self.observer)(Step::Unpacking { file: remote.file_name() });
                unpack::unpack(path, within, folder)
            }
            (None, name) => {
                let name = name.as_deref().unwrap_or_else(|| remote.file_name());
                let target = folder.join(name);
                fs::copy(path, &target).map_err(|error| Error::output("cannot write", &target, error))?;
                Ok(vec![name.to_owned()])
            }
        }
    }
}

/// Compares what came with what the catalogue says.
fn count(entry: &Entry, folder: &Path) -> Result<()> {
    let differs = |found: usize, what: [&str; 2], expected: usize| {
        let message = format!("it holds {}, and should hold {expected}", counted(found, what[0], what[1]));
        Err(Error::in_file(folder, message))
    };
    let judged = match entry.corpus_of {
        Some(_) => Qrels::read(folder.join(entry.file("qrels").unwrap_or("qrels")))?.queries().len(),
        None => {
            let mut documents = 0;
            for document in Corpus::open(folder.join("corpus.jsonl"))?.documents()? {
                document?;
                documents += 1;
            }
            if documents != entry.documents {
                return differs(documents, ["document", "documents"], entry.documents);
            }
            Collection::beir(folder, &entry.split)?.qrels().queries().len()
        }
    };
    if judged == entry.queries {
        Ok(())
    } else {
        differs(judged, ["judged query", "judged queries"], entry.queries)
    }
}

/// Puts a folder in the place of another, or of none.
fn replace(new: &Path, folder: &Path) -> Result<()> {
    let failed = |error| Error::output("cannot replace", folder, error);
    if folder.exists() {
        let parent = folder.parent().unwrap_or(folder);
        let aside = tempfile::Builder::new().prefix(".rankgate-").tempdir_in(parent).map_err(failed)?;
        let old = aside.path().join("old");
        fs::rename(folder, &old).map_err(failed)?;
        // What was there goes with its folder, unless nothing comes in its place.
        return fs::rename(new, folder).map_err(|error| {
            drop(fs::rename(&old, folder));
            failed(error)
        });
    }
    fs::rename(new, folder).map_err(failed)
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| Error::output("cannot make folder", folder, error))
}

/// An error that keeps a file from being had.
fn unavailable(message: String) -> Error {
    Error::of(ErrorKind::Missing, message)
}
