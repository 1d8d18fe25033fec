//! Where benchmarks lie on this machine, with sizes and checksums of their files.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rankgate::collection::{CollectionSource, file_sha256};
use rankgate::{Error, ErrorKind, Result};
use rankgate_core::internal::output::write_whole;
use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Entry, Remote, size};

/// The variable that names the folder of data.
const VARIABLE: &str = "RANKGATE_DATA";

/// The file with sizes and checksums of a fetched benchmark, beside its files.
const RECORD: &str = "rankgate.json";

/// The folder that holds fetched benchmarks: the variable `RANKGATE_DATA`, else `rankgate` in the user's folder for
/// caches.
pub(crate) struct Data {
    root: PathBuf,
}

/// The files of a fetched benchmark.
#[derive(Default, Deserialize, Serialize)]
struct Record {
    files: BTreeMap<String, FileFacts>,
}

/// Size and checksum of a file.
#[derive(Deserialize, Serialize)]
struct FileFacts {
    bytes: u64,
    sha256: String,
}

impl Data {
    /// Where the environment says.
    ///
    /// # Errors
    /// An environment that names neither that folder nor a user's.
    pub(crate) fn from_env() -> Result<Self> {
        let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || given("HOME");
        let caches = || match env::consts::OS {
            "windows" => given("LOCALAPPDATA"),
            "macos" => home().map(|home| home.join("Library/Caches")),
            _ => given("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(".cache"))),
        };
        let root = given(VARIABLE).or_else(|| caches().map(|caches| caches.join("rankgate")));
        let root = root.ok_or_else(|| {
            let message =
                format!("where benchmarks lie is not known: set the variable `{VARIABLE}` to a folder");
            Error::with_kind(ErrorKind::Setup, message)
        })?;
        Ok(Self { root })
    }

    /// The folder of a benchmark, whether it is there or not.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Where archives are looked for, and fetched to.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.root.join("downloads")
    }

    /// Whether a benchmark is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder(name).join(RECORD).is_file()
    }

    /// The files of a benchmark, as they were fetched.
    ///
    /// # Errors
    /// One that is not there, with all that it takes to get it; one whose files have another size than when they
    /// were fetched.
    pub(crate) fn source(&self, catalogue: &Catalogue, name: &str) -> Result<CollectionSource> {
        let entry = catalogue.find(name)?;
        let folder = self.complete_folder(catalogue, name)?;
        let Some(corpus_of) = &entry.corpus_of else {
            return Ok(CollectionSource::Beir { dir: folder, split: entry.split.clone() });
        };
        let corpus = self.complete_folder(catalogue, corpus_of)?.join("corpus.jsonl");
        let file = |begin: &str| folder.join(entry.file(begin).unwrap_or(begin));
        Ok(CollectionSource::Trec { queries: file("queries"), qrels: file("qrels"), corpus: Some(corpus) })
    }

    /// The collection of a spec on a benchmark, with the conventions that make figures comparable.
    pub(crate) fn in_a_spec(&self, name: &str, entry: &Entry) -> String {
        // A path in a spec is relative to the spec.
        let root = std::path::absolute(&self.root).unwrap_or_else(|_| self.root.clone());
        let root = root.display().to_string().replace('\\', "/");
        let path = |benchmark: &str, file: &str| format!("\"{root}/{benchmark}{file}\"");
        let mut keys = match &entry.corpus_of {
            None => vec![format!("beir: {}", path(name, ""))],
            Some(other) => {
                let file = |begin: &str| path(name, &format!("/{}", entry.file(begin).unwrap_or(begin)));
                let (queries, qrels) = (file("queries"), file("qrels"));
                let corpus = path(other, "/corpus.jsonl");
                vec![format!("trec: {{queries: {queries}, qrels: {qrels}, corpus: {corpus}}}")]
            }
        };
        let is_split = entry.corpus_of.is_none() && entry.split != "test";
        keys.extend(is_split.then(|| format!("split: {}", entry.split)));
        keys.extend((entry.relevant_from != 1).then(|| format!("relevant-from: {}", entry.relevant_from)));
        keys.extend(entry.exclude_identical_ids.then(|| "exclude-identical-ids: true".to_owned()));
        format!("collection: {{{}}}", keys.join(", "))
    }

    /// The folder of a benchmark that is there, with all its files, of the sizes that they had.
    ///
    /// # Errors
    /// A benchmark that is not there; all of its files that are missing or have another size.
    pub(crate) fn complete_folder(&self, catalogue: &Catalogue, name: &str) -> Result<PathBuf> {
        let entry = catalogue.find(name)?;
        let folder = self.folder(name);
        let Some(record) = Record::read(&folder)? else {
            return Err(Error::with_kind(ErrorKind::Missing, self.absent(name, entry)));
        };
        let needed = entry.needed();
        let unknown = needed.iter().filter(|file| !record.files.contains_key(*file));
        let mut faults: Vec<String> = unknown.map(|file| format!("{file} was never fetched")).collect();
        for (file, known) in &record.files {
            let path = folder.join(file);
            match fs::metadata(&path) {
                Ok(found) if found.len() == known.bytes => {}
                Ok(found) => faults.push(format!(
                    "{file} has {} bytes and had {} when it was fetched",
                    found.len(),
                    known.bytes
                )),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    faults.push(format!("{file} is missing"));
                }
                Err(error) => return Err(Error::io("cannot read", &path, error)),
            }
        }
        if faults.is_empty() {
            return Ok(folder);
        }
        let message = format!(
            "the benchmark {name} is not as it was fetched: {}\n  `rankgate fetch {name} --again` fetches it again",
            faults.join("; ")
        );
        Err(Error::of_file(ErrorKind::Missing, &folder, message))
    }

    /// Whether a benchmark is there with files missing, or of another size than they had.
    pub(crate) fn is_damaged(&self, catalogue: &Catalogue, name: &str) -> bool {
        self.has(name) && self.complete_folder(catalogue, name).is_err()
    }

    /// Compares every file of a fetched benchmark with its checksum; gives how many there are.
    ///
    /// # Errors
    /// A benchmark that is not there; files that are others than when they were fetched.
    pub(crate) fn check(&self, catalogue: &Catalogue, name: &str) -> Result<usize> {
        let folder = self.complete_folder(catalogue, name)?;
        let record = Record::read(&folder)?.unwrap_or_default();
        for (file, known) in &record.files {
            let path = folder.join(file);
            let found = file_sha256(&path)?;
            if found != known.sha256 {
                let message = format!("its sha256 is {found} and was {} when it was fetched", known.sha256);
                return Err(Error::in_file(&path, message));
            }
        }
        Ok(record.files.len())
    }

    /// Notes size and SHA-256 of files, which are named below `folder`: with this note beside them they are there as a
    /// benchmark.
    ///
    /// # Errors
    /// A file that cannot be read, a folder that cannot be written to.
    pub(crate) fn record(folder: &Path, names: impl IntoIterator<Item = String>) -> Result<()> {
        Record::write(folder, names)
    }

    /// The missing files, and the remedy.
    fn absent(&self, name: &str, entry: &Entry) -> String {
        let file = |file: &Remote| {
            let size = file.bytes.map(|bytes| format!(", {}", size(bytes))).unwrap_or_default();
            let sum = match (&file.sha256, &file.md5) {
                (Some(sum), _) => format!(", sha256 {sum}"),
                (None, Some(sum)) => format!(", md5 {sum}"),
                (None, None) => String::new(),
            };
            format!("{}{size}{sum}", file.file_name())
        };
        let files: Vec<String> = entry.files.iter().map(file).collect();
        format!(
            "the benchmark {name} is not on this machine: there is no {}\n  `rankgate fetch {name}` gets it \
             ({})\n  licence: {}\n  files fetched by other means go into {}: the same command takes them from there",
            self.folder(name).display(),
            files.join("; "),
            entry.licence,
            self.downloads().display()
        )
    }
}

impl Record {
    /// The record of the benchmark in a folder, if one is there.
    fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(RECORD);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("cannot read", &path, error)),
        };
        let record = serde_json::from_slice(&text);
        record
            .map(Some)
            .map_err(|error| Error::in_file(&path, format!("it is no record of a benchmark: {error}")))
    }

    /// Notes the files of a folder.
    fn write(folder: &Path, names: impl IntoIterator<Item = String>) -> Result<()> {
        let known = |name: String| {
            let path = folder.join(&name);
            let bytes = fs::metadata(&path).map_err(|error| Error::io("cannot read", &path, error))?.len();
            Ok((name, FileFacts { bytes, sha256: file_sha256(&path)? }))
        };
        let files = names.into_iter().map(known).collect::<Result<_>>()?;
        let text = serde_json::to_string_pretty(&Self { files });
        let text = text.map_err(|error| Error::with_kind(ErrorKind::Internal, error.to_string()))?;
        write_whole(&folder.join(RECORD), text.as_bytes()).map(drop)
    }
}
