//! Benchmarks by name: what there is, and what makes figures on it comparable.
//!
//! No data ships with the crate. `rankgate fetch` gets a benchmark into the [folder of data](Data), where specs find it
//! by `collection: {benchmark: beir/scifact}`; a test never fetches anything.

mod place;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

pub use self::place::Data;
use crate::error::Quoted;
use crate::yaml::nearest;
use crate::{Error, ErrorKind, Result};

/// The variable that names a file with more benchmarks, in the format of the crate's own.
pub const VARIABLE: &str = "RANKGATE_CATALOGUE";

/// The benchmarks that ship with the crate.
const SHIPPED: &str = include_str!("benchmarks.yaml");

/// The benchmarks that have a name.
#[derive(Clone, Debug)]
pub struct Catalogue(BTreeMap<String, Entry>);

/// A benchmark.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Entry {
    /// What it asks for, in a few words.
    pub about: String,
    /// How many documents are searched.
    pub documents: usize,
    /// How many queries are judged.
    pub queries: usize,
    /// Which judgments of a folder in the layout of BEIR.
    #[serde(default = "test")]
    pub split: String,
    /// What must be accepted before it is fetched.
    pub licence: String,
    /// Where its terms and its paper are.
    pub home: String,
    /// What is fetched.
    pub files: Vec<Remote>,
    /// The benchmark whose documents are searched, where it has none of its own.
    #[serde(default)]
    pub corpus_of: Option<String>,
    /// The lowest grade that counts as relevant.
    #[serde(default = "one")]
    pub relevant_from: i32,
    /// Whether a retrieved document with the id of its query is taken out.
    #[serde(default)]
    pub exclude_identical_ids: bool,
    /// Published figures of BM25, by metric.
    #[serde(default)]
    pub bm25: BTreeMap<String, f64>,
    /// Who published them.
    #[serde(default)]
    pub bm25_source: String,
    /// Whether it was fetched from its address, with all checks, by those who wrote the entry.
    #[serde(default)]
    pub verified: bool,
}

/// A file elsewhere.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Remote {
    /// Where it is.
    pub url: String,
    /// Where else.
    #[serde(default)]
    pub mirrors: Vec<String>,
    /// Of an archive: the folder in it that is the collection.
    #[serde(default)]
    pub folder: Option<String>,
    /// Of any other file: what it is called in the collection.
    #[serde(default)]
    pub name: Option<String>,
    /// Its size.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Its MD5, in hexadecimal.
    #[serde(default)]
    pub md5: Option<String>,
    /// Its SHA-256, in hexadecimal.
    #[serde(default)]
    pub sha256: Option<String>,
}

fn test() -> String {
    "test".to_owned()
}

fn one() -> i32 {
    1
}

impl Catalogue {
    /// The crate's own benchmarks and those of the file that the variable `RANKGATE_CATALOGUE` names.
    ///
    /// # Errors
    /// A file that cannot be read, is no catalogue, or gives a name of the crate's own to another benchmark: a spec that
    /// names it would be judged by other data wherever the variable is set.
    pub fn read() -> Result<Self> {
        let mut all = parse(Path::new("src/catalogue/benchmarks.yaml"), SHIPPED)?;
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let path = Path::new(&path);
            let text =
                std::fs::read_to_string(path).map_err(|error| Error::io("cannot read", path, error))?;
            let more = parse(path, &text)?;
            all = with_more(all, path, more)?;
        }
        Ok(Self(all))
    }

    /// The benchmark of this name.
    ///
    /// # Errors
    /// A name that there is not; it says which is near.
    pub fn find(&self, name: &str) -> Result<&Entry> {
        self.0.get(name).ok_or_else(|| {
            let near = nearest(name, self.0.keys().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("there is no benchmark {}{near}", Quoted(name));
            Error::with_kind(ErrorKind::Missing, message)
        })
    }

    /// All of them, by name: those called so, or, of `beir/cqadupstack`, those below it.
    pub fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Entry)> {
        let is_it = move |one: &str| {
            one == name || one.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')) || name.is_empty()
        };
        self.0.iter().map(|(name, entry)| (name.as_str(), entry)).filter(move |(one, _)| is_it(one))
    }
}

/// Entries of both, which share no name.
fn with_more(
    mut all: BTreeMap<String, Entry>,
    path: &Path,
    more: BTreeMap<String, Entry>,
) -> Result<BTreeMap<String, Entry>> {
    if let Some(name) = more.keys().find(|name| all.contains_key(*name)) {
        let message = format!(
            "{}: a benchmark of this name ships with rankgate; give yours another, such as `ours/{}`",
            Quoted(name),
            name.rsplit('/').next().unwrap_or(name)
        );
        return Err(Error::in_file(path, message));
    }
    all.extend(more);
    Ok(all)
}

fn parse(path: &Path, text: &str) -> Result<BTreeMap<String, Entry>> {
    let all: BTreeMap<String, Entry> =
        serde_yaml::from_str(text).map_err(|error| Error::in_file(path, error.to_string()))?;
    for (name, entry) in &all {
        entry.check(name).map_err(|message| Error::in_file(path, format!("{}: {message}", Quoted(name))))?;
    }
    Ok(all)
}

impl Entry {
    fn check(&self, name: &str) -> Result<(), String> {
        let part = |part: &str| {
            let fits =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
            !part.is_empty() && !part.starts_with('.') && part.bytes().all(fits)
        };
        if !name.split('/').all(part) {
            return Err(
                "a name has lower-case letters, digits, `-`, `_` and `.`, in parts between `/`".into()
            );
        }
        let archives = self.files.iter().filter(|file| file.folder.is_some()).count();
        if self.files.is_empty() || archives > 1 || archives == 1 && self.files.len() > 1 {
            return Err("it has one archive with `folder`, or files with `name`".into());
        }
        for file in &self.files {
            let is_name = |name: &str| {
                name.split('/').all(|part| !matches!(part, "" | "." | "..")) && !name.contains('\\')
            };
            match (&file.folder, &file.name) {
                (Some(folder), None) if is_name(folder) => {}
                (None, Some(name)) if is_name(name) && !name.contains('/') => {}
                _ => return Err(format!("{}: an archive has a `folder`, any other file a `name`", file.url)),
            }
            if file.file_name().is_empty() {
                return Err(format!("{}: its address ends with no file name", file.url));
            }
            for (sum, digits) in [(&file.md5, 32), (&file.sha256, 64)] {
                let is_sum =
                    |sum: &String| sum.len() == digits && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !sum.as_ref().is_none_or(is_sum) {
                    return Err(format!(
                        "{}: a checksum is hexadecimal, an MD5 of 32 digits, a SHA-256 of 64",
                        file.url
                    ));
                }
            }
        }
        if archives == 0 {
            for (begin, what) in [("queries", "queries"), ("qrels", "judgments")] {
                if !self
                    .files
                    .iter()
                    .any(|file| file.name.as_ref().is_some_and(|name| name.starts_with(begin)))
                {
                    return Err(format!("none of its files is called `{begin}...`, which holds the {what}"));
                }
            }
        }
        Ok(())
    }

    /// The files without which it is not there.
    fn needed(&self) -> Vec<String> {
        if self.files.iter().any(|file| file.folder.is_some()) {
            let names = ["corpus.jsonl", "queries.jsonl"].map(str::to_owned).into_iter();
            return names.chain([format!("qrels/{}.tsv", self.split)]).collect();
        }
        self.files.iter().filter_map(|file| file.name.clone()).collect()
    }

    /// The name of the file of queries or judgments, where the benchmark is no archive.
    #[must_use]
    pub fn file(&self, begin: &str) -> Option<&str> {
        self.files.iter().filter_map(|file| file.name.as_deref()).find(|name| name.starts_with(begin))
    }
}

impl Remote {
    /// What the file is called where it is.
    #[must_use]
    pub fn file_name(&self) -> &str {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        path.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// Whether somebody published a checksum of it.
    #[must_use]
    pub fn has_checksum(&self) -> bool {
        self.md5.is_some() || self.sha256.is_some()
    }
}

/// A number of bytes for people: `17 kB`, `2.8 MB`, `1.1 GB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_can_be_read_and_is_whole() {
        let all = Catalogue::read().unwrap();
        let names: Vec<&str> = all.below("").map(|(name, _)| name).collect();
        assert_eq!(names.len(), 28);
        // BEIR's own list: https://github.com/beir-cellar/beir/wiki/Datasets-available
        for (name, documents, queries, md5) in [
            ("beir/msmarco", 8_841_823, 6_980, "444067daf65d982533ea17ebd59501e4"),
            ("beir/nq", 2_681_468, 3_452, "d4d3d2e48787a744b6f6e691ff534307"),
            ("beir/scifact", 5_183, 300, "5f7d1de60b170fc8027bb7898e2efca1"),
            ("beir/nfcorpus", 3_633, 323, "a89dba18a62ef92f7d323ec890a0d38d"),
        ] {
            let entry = all.find(name).unwrap();
            assert_eq!((entry.documents, entry.queries), (documents, queries), "{name}");
            assert_eq!(entry.files[0].md5.as_deref(), Some(md5), "{name}");
        }
        // BEIR counts them as one of 13,145 queries and 457,199 documents.
        let (queries, documents) =
            all.below("beir/cqadupstack").fold((0, 0), |(queries, documents), (_, one)| {
                (queries + one.queries, documents + one.documents)
            });
        assert_eq!((queries, documents), (13_145, 457_199));
        for (name, entry) in all.below("") {
            let known = entry.files.iter().all(|file| file.bytes.is_some() && file.md5.is_some());
            assert!(known, "{name}: a size and a checksum of each file are published");
            assert!(!entry.bm25_source.contains("Elasticsearch"), "{name}");
        }
        // What is published of a benchmark goes with the judging that the entry asks for: the query's own document is left out.
        assert_eq!(all.find("beir/arguana").unwrap().bm25["nDCG@10"], 0.414);
        let split = |name: &str| all.find(name).unwrap().split.clone();
        assert_eq!([split("beir/msmarco"), split("beir/scifact")], ["dev", "test"]);
        for (name, entry) in all.below("") {
            assert_eq!(entry.exclude_identical_ids, ["beir/arguana", "beir/quora"].contains(&name), "{name}");
            assert_eq!(entry.bm25.is_empty(), entry.bm25_source.is_empty(), "{name}");
            for metric in entry.bm25.keys() {
                metric.parse::<crate::metric::Metric>().unwrap();
            }
            if let Some(other) = &entry.corpus_of {
                assert_eq!(all.find(other).unwrap().documents, entry.documents, "{name}");
            }
        }
        let error = all.find("beir/scifacts").unwrap_err().to_string();
        assert_eq!(error, "there is no benchmark `beir/scifacts`; did you mean `beir/scifact`?");
    }

    #[test]
    fn a_name_that_ships_is_given_to_no_other_benchmark() {
        let entry = |name: &str| {
            let text = format!(
                "{name}: {{about: a, documents: 1, queries: 1, licence: l, home: h, files: [{{url: 'http://a/x.zip', \
                 folder: x}}]}}\n"
            );
            parse(Path::new("more.yaml"), &text).unwrap()
        };
        let shipped = || parse(Path::new("own.yaml"), SHIPPED).unwrap();
        let number = shipped().len();
        let with = |name| with_more(shipped(), Path::new("more.yaml"), entry(name));
        assert_eq!(with("ours/scifact").unwrap().len(), number + 1);
        assert_eq!(
            with("beir/scifact").unwrap_err().to_string(),
            "more.yaml: `beir/scifact`: a benchmark of this name ships with rankgate; give yours another, such as \
             `ours/scifact`"
        );
    }

    #[test]
    fn an_entry_that_cannot_be_fetched_or_leaves_its_folder_is_refused() {
        let entry = |name: &str, files: &str| {
            let text = format!(
                "{name}: {{about: a, documents: 1, queries: 1, licence: l, home: h, files: [{files}]}}\n"
            );
            parse(Path::new("more.yaml"), &text).unwrap_err().to_string()
        };
        for (name, files, expected) in [
            ("../x", "{url: 'http://a/x.zip', folder: x}", "a name has lower-case letters"),
            ("x", "", "it has one archive"),
            ("x", "{url: 'http://a/x.zip', folder: ../x}", "an archive has a `folder`"),
            ("x", "{url: 'http://a/x.zip', name: a/b}", "an archive has a `folder`"),
            ("x", "{url: 'http://a/', folder: x}", "ends with no file name"),
            ("x", "{url: 'http://a/x.zip', folder: x, md5: 12}", "a checksum is hexadecimal"),
            ("x", "{url: 'http://a/q', name: queries.tsv}", "none of its files is called `qrels...`"),
            ("x", "{url: 'http://a/q', folders: x}", "unknown field"),
        ] {
            let error = entry(name, files);
            assert!(error.starts_with("more.yaml: ") && error.contains(expected), "{error}");
        }
    }
}
