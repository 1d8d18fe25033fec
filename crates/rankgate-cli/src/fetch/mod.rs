//! Benchmarks are fetched: downloaded, checked, unpacked, counted, and only then there.
//!
//! Only `rankgate fetch` asks a network for data; a test never does.

mod catalogue;
mod data;
mod download;
mod unpack;

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use rankgate::{Error, ErrorKind, Result, collection};
use rankgate_core::internal::content_hash::bytes_sha256;
use rankgate_core::internal::{error, words};

pub(crate) use self::catalogue::{Catalogue, Entry, Remote, size};
use self::collection::{Collection, Corpus};
pub(crate) use self::data::Data;
use self::error::chain;
use self::words::counted;

/// The work that is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// Another process fetches.
    Waiting,
    /// So many bytes of a file have come.
    Downloading { file: &'a str, host: &'a str, done: u64, total: Option<u64> },
    /// A file's checksums are compared.
    Checking { file: &'a str },
    /// An archive is unpacked.
    Unpacking { file: &'a str },
    /// Documents and queries are counted.
    Counting,
}

/// How benchmarks are fetched.
pub(crate) struct Fetch<'a> {
    pub(crate) catalogue: &'a Catalogue,
    /// The folder of data.
    pub(crate) data: &'a Data,
    /// Whether one that is there is fetched again.
    pub(crate) again: bool,
    pub(crate) observer: &'a dyn Fn(Step<'_>),
}

/// How the names of folders begin that are not complete.
const NEW: &str = ".rankgate-new-";

impl Fetch<'_> {
    /// Fetches benchmarks one after another, unless they are there, and passes the folder of each to `then`. An archive that
    /// several of them are a part of is downloaded once. A file of the same name in [`Data::downloads`] is taken instead of
    /// the network's.
    ///
    /// # Errors
    /// The first benchmark that fails; those after it are not fetched.
    pub(crate) fn fetch_all(&self, names: &[&str], mut then: impl FnMut(&str, &Path)) -> Result<()> {
        let downloads = self.data.downloads();
        fs::create_dir_all(&downloads)
            .map_err(|error| Error::output("cannot make folder", &downloads, error))?;
        // One process at a time: the next finds what the first fetched.
        let _lock = self.lock(&downloads.join(".lock"))?;
        let mut complete: HashMap<String, PathBuf> = HashMap::new();
        let mut fetched = Ok(());
        for name in names {
            fetched = self.one(name, &mut complete);
            if fetched.is_err() {
                break;
            }
            then(name, &self.data.folder(name));
        }
        // Files that somebody put into the folder stay.
        complete.values().filter(|path| is_ours(path)).for_each(|path| drop(fs::remove_file(path)));
        fetched
    }

    fn lock(&self, path: &Path) -> Result<File> {
        let failed = |error| Error::output("cannot lock", path, error);
        let file = File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => (self.observer)(Step::Waiting),
        }
        file.lock().map_err(failed)?;
        Ok(file)
    }

    fn one(&self, name: &str, complete: &mut HashMap<String, PathBuf>) -> Result<()> {
        let entry = self.catalogue.find(name)?;
        if self.data.has(name) && !self.again {
            return self.data.complete_folder(self.catalogue, name).map(drop);
        }
        let folder = self.data.folder(name);
        let parent = folder.parent().unwrap_or(&folder);
        let failed = |error| Error::output("cannot write", &folder, error);
        fs::create_dir_all(parent).map_err(failed)?;
        // Of a process that was killed.
        for entry in fs::read_dir(parent).map_err(failed)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(NEW) {
                drop(fs::remove_dir_all(entry.path()));
            }
        }
        let new = tempfile::Builder::new().prefix(NEW).tempdir_in(parent).map_err(failed)?;
        let files = self.fill(name, entry, new.path(), complete)?;
        Data::record(new.path(), files)?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::rename(new.keep(), &folder).map_err(failed)
    }

    /// Puts the files of a benchmark into a folder, and counts what they hold; gives their names.
    fn fill(
        &self,
        name: &str,
        entry: &Entry,
        folder: &Path,
        complete: &mut HashMap<String, PathBuf>,
    ) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for remote in &entry.files {
            let path = match complete.get(&remote.url) {
                Some(path) => path.clone(),
                None => self.get(name, remote)?,
            };
            complete.insert(remote.url.clone(), path.clone());
            let placed = self.place(remote, &path, folder);
            names.extend(placed.map_err(|error| refused(name, folder, error))?);
        }
        (self.observer)(Step::Counting);
        count(entry, folder).map_err(|error| refused(name, folder, error))?;
        Ok(names)
    }

    /// A file of a benchmark: the user's, if there is one, else downloaded.
    fn get(&self, benchmark: &str, remote: &Remote) -> Result<PathBuf> {
        let (folder, file) = (self.data.downloads(), remote.file_name());
        let given = [folder.join(benchmark).join(file), folder.join(file)];
        if let Some(path) = given.into_iter().find(|path| path.is_file()) {
            (self.observer)(Step::Checking { file });
            download::check(remote, &path)?;
            return Ok(path);
        }
        // Another address may end in the same name.
        let hash = bytes_sha256([remote.url.as_bytes(), b""]);
        let path = folder.join(format!("{file}-{}{PART}", &hash[..8]));
        download::download(remote, &path, self.observer)?;
        Ok(path)
    }

    /// Puts what a file holds into a folder; gives the names of what is there now.
    fn place(&self, remote: &Remote, path: &Path, folder: &Path) -> Result<Vec<String>> {
        if let Some(within) = &remote.folder {
            (self.observer)(Step::Unpacking { file: remote.file_name() });
            return unpack::unpack(path, within, folder);
        }
        let name = remote.name.as_deref().unwrap_or_else(|| remote.file_name());
        let target = folder.join(name);
        fs::copy(path, &target).map_err(|error| Error::output("cannot write", &target, error))?;
        Ok(vec![name.to_owned()])
    }
}

/// How the names of files end that this program downloads.
const PART: &str = ".part";

fn is_ours(path: &Path) -> bool {
    path.to_string_lossy().ends_with(PART)
}

fn refused(name: &str, folder: &Path, error: Error) -> Error {
    // The folder is gone when this is read.
    let why = chain(&error).replace(&format!("{}{MAIN_SEPARATOR}", folder.display()), "");
    Error::with_kind(error.kind(), format!("the files of {name} are refused, and none is kept: {why}"))
}

/// Compares what came with what the catalogue says.
fn count(entry: &Entry, folder: &Path) -> Result<()> {
    let compare = |found: usize, [one, many]: [&str; 2], expected: usize| {
        let message = || format!("it holds {}, and should hold {expected}", counted(found, one, many));
        if found == expected { Ok(()) } else { Err(Error::in_file(folder, message())) }
    };
    let collection = match entry.corpus_of {
        Some(_) => {
            let file = |begin: &str| folder.join(entry.file(begin).unwrap_or(begin));
            // Judged queries without a text are refused.
            Collection::trec(file("queries"), file("qrels"), None::<&Path>)?
        }
        None => {
            let mut documents = 0;
            for document in Corpus::open(folder.join("corpus.jsonl"))?.documents()? {
                document?;
                documents += 1;
            }
            compare(documents, ["document", "documents"], entry.documents)?;
            Collection::beir(folder, &entry.split)?
        }
    };
    compare(collection.qrels().queries().len(), ["judged query", "judged queries"], entry.queries)
}
