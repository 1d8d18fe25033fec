//! Benchmarks are fetched: downloaded, checked, unpacked, counted, and only then there.
//!
//! Nothing but `rankgate fetch` asks a network for data; a test never does. What is cut off is
//! gone on with; what has another checksum than was published, leaves its folder or holds another number of documents
//! is refused, and nothing of it stays.

mod checksum;
mod content;
mod download;
mod downloads;
mod staging;
mod unpack;

use std::fs;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::Duration;

use self::checksum::Note;
use self::downloads::Downloads;
use self::staging::Staging;

use rankgate::catalogue::{Catalogue, Data, Entry, Remote};
use rankgate::internal::{http, parse_address};
use rankgate::{Error, ErrorKind, Result, collection};
use rankgate_core::internal::{content_hash, error, output, words};

use self::collection::{Collection, Corpus};
use self::error::chain;
use self::words::counted;

/// What is being done, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
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
pub(crate) struct Fetch<'a> {
    /// The benchmarks that there are.
    pub(crate) catalogue: &'a Catalogue,
    /// Where they go.
    pub(crate) data: &'a Data,
    /// The address of a folder that holds the files, asked before their own addresses.
    pub(crate) mirror: Option<String>,
    /// Whether one that is there is fetched anew.
    pub(crate) again: bool,
    /// Whether archives stay after they were unpacked.
    pub(crate) keep: bool,
    /// How long a server may send nothing before it is asked again, from where it was; by default [`Fetch::STALL`].
    pub(crate) stall: Duration,
    /// Somebody who watches.
    pub(crate) observer: &'a dyn Fn(Step<'_>),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// The folder that holds it.
    pub(crate) folder: PathBuf,
    /// Whether it was there before.
    pub(crate) was_there: bool,
    /// Files that no checksum is published for, each with its SHA-256 as it came.
    pub(crate) unchecked: Vec<(String, String)>,
}

impl Fetch<'_> {
    /// How long a server may send nothing, where nobody says otherwise.
    pub(crate) const STALL: Duration = Duration::from_secs(30);

    /// Fetches benchmarks one after another, unless they are there, and tells each to `then`. One that searches the documents of another
    /// ([`Entry::corpus_of`]) needs that one as well. An archive that several of them have a part of is downloaded once.
    ///
    /// A file of the same name in [`Data::downloads`], or in the benchmark's folder there, is taken instead of the
    /// network's.
    ///
    /// # Errors
    /// Of the first benchmark that fails; those after it are not fetched. A name that there is not; one that is there with files
    /// missing; a file that cannot be had from anywhere, with all that was tried; one that is not what it should be; a folder that
    /// cannot be written to.
    pub(crate) fn fetch_all(&self, names: &[&str], mut then: impl FnMut(&str, Fetched)) -> Result<()> {
        let entries: Vec<&Entry> =
            names.iter().map(|name| self.catalogue.find(name)).collect::<Result<_>>()?;
        let mut downloads = Downloads::new(self);
        for (index, (name, entry)) in names.iter().zip(&entries).enumerate() {
            then(name, self.one(name, entry, &mut downloads)?);
            for remote in &entry.files {
                let again = |later: &&Entry| later.files.iter().any(|file| file.url == remote.url);
                if !entries[index + 1..].iter().any(again) {
                    downloads.release(remote)?;
                }
            }
        }
        Ok(())
    }

    fn one(&self, name: &str, entry: &Entry, downloads: &mut Downloads<'_>) -> Result<Fetched> {
        let folder = self.data.folder(name);
        let staging = Staging::enter(&folder, || (self.observer)(Step::Waiting))?;
        if self.data.has(name) && !self.again {
            self.data.complete_folder(self.catalogue, name)?;
            return Ok(Fetched { folder, was_there: true, unchecked: Vec::new() });
        }
        let new = staging.begin()?;
        let mut names = Vec::new();
        let mut unchecked = Vec::new();
        for remote in &entry.files {
            let found = downloads.get(name, remote)?;
            let note = Note::new(self.data, name, remote);
            if let Some(sha256) = found.sha256 {
                let first = note.check(&found.path, &sha256);
                first.map_err(|error| self.refused(name, entry, new, downloads, error))?;
                unchecked.push((note, remote, sha256));
            }
            let placed = self.place(remote, &found.path, new);
            names.extend(placed.map_err(|error| self.refused(name, entry, new, downloads, error))?);
        }
        (self.observer)(Step::Counting);
        count(entry, new).map_err(|error| self.refused(name, entry, new, downloads, error))?;
        Data::record(new, names)?;
        // Only what was looked through is what later ones are compared with.
        for (note, remote, sha256) in &unchecked {
            note.write(remote, sha256)?;
        }
        staging.finish()?;
        let unchecked =
            unchecked.into_iter().map(|(_, remote, sha256)| (remote.file_name().to_owned(), sha256));
        Ok(Fetched { folder, was_there: false, unchecked: unchecked.collect() })
    }

    /// What does not hold what it should is not there the next time.
    fn refused(
        &self,
        name: &str,
        entry: &Entry,
        new: &Path,
        downloads: &mut Downloads<'_>,
        error: Error,
    ) -> Error {
        // A full disk says nothing of the file.
        if error.kind() == ErrorKind::Internal {
            return error;
        }
        entry.files.iter().for_each(|remote| downloads.refuse(remote));
        // The folder is gone when this is read.
        let why = chain(&error).replace(&format!("{}{MAIN_SEPARATOR}", new.display()), "");
        Error::with_kind(
            error.kind(),
            format!("what came of {name} is refused, and nothing of it stays: {why}"),
        )
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
        Some(_) => {
            let file = |begin: &str| folder.join(entry.file(begin).unwrap_or(begin));
            // Judged queries without a text are refused.
            let collection = Collection::trec(file("queries"), file("qrels"), None::<&Path>)?;
            collection.qrels().queries().len()
        }
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

/// An error that keeps a file from being had.
fn unavailable(message: String) -> Error {
    Error::with_kind(ErrorKind::Missing, message)
}
