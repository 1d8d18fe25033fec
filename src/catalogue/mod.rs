//! Benchmarks by name: what there is, and what makes figures on it comparable.
//!
//! No data ships with the crate. `rankgate fetch` gets a benchmark into the [folder of data](Data), where specs find it
//! by `collection: {benchmark: beir/scifact}`; a test never fetches anything.

mod entries;
mod place;

use std::collections::BTreeMap;
use std::path::Path;

pub use self::place::Data;
use crate::error::Quoted;
use crate::order::SmallMap;
use crate::yaml::{Source, nearest};
use crate::{Error, ErrorKind, Result};

/// The variable that names a file with more benchmarks, in the format of the crate's own.
pub const VARIABLE: &str = "RANKGATE_CATALOGUE";

/// The benchmarks that ship with the crate.
const SHIPPED: &str = include_str!("benchmarks.yaml");

/// The benchmarks that have a name.
#[derive(Clone, Debug)]
pub struct Catalogue(SmallMap<String, Entry>);

/// A benchmark.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// What it asks for, in a few words.
    pub about: String,
    /// How many documents are searched.
    pub documents: usize,
    /// How many queries are judged.
    pub queries: usize,
    /// Which judgments of a folder in the layout of BEIR.
    pub split: String,
    /// What must be accepted before it is fetched.
    pub licence: String,
    /// Where its terms and its paper are.
    pub home: String,
    /// The files to fetch.
    pub files: Vec<Remote>,
    /// The benchmark whose documents are searched, where it has none of its own.
    pub corpus_of: Option<String>,
    /// The lowest grade that counts as relevant.
    pub relevant_from: i32,
    /// Whether a retrieved document with the id of its query is taken out.
    pub exclude_identical_ids: bool,
    /// Published figures of BM25, by metric.
    pub bm25: BTreeMap<String, f64>,
    /// Who published them.
    pub bm25_source: String,
    /// Whether it was fetched from its address, with all checks, by those who wrote the entry.
    pub verified: bool,
}

/// A file elsewhere.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Remote {
    /// Where it is.
    pub url: String,
    /// Where else.
    pub mirrors: Vec<String>,
    /// Of an archive: the folder in it that is the collection.
    pub folder: Option<String>,
    /// Of any other file: what it is called in the collection.
    pub name: Option<String>,
    /// Its size.
    pub bytes: Option<u64>,
    /// Its MD5, in hexadecimal.
    pub md5: Option<String>,
    /// Its SHA-256, in hexadecimal.
    pub sha256: Option<String>,
}

impl Catalogue {
    /// The crate's own benchmarks and those of the file that the variable `RANKGATE_CATALOGUE` names.
    ///
    /// # Errors
    /// A file that cannot be read, is no catalogue, or gives a name of the crate's own to another benchmark: a spec that
    /// names it would be judged by other data wherever the variable is set.
    pub fn read() -> Result<Self> {
        let source = Source::new("src/catalogue/benchmarks.yaml", SHIPPED)?;
        let mut all = entries::read(&source, &SmallMap::default())?;
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let more = entries::read(&Source::read(Path::new(&path))?, &all)?;
            all.extend(more);
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

impl Entry {
    /// The files without which it is not there.
    fn needed(&self) -> Vec<String> {
        if self.files.iter().any(|file| file.folder.is_some()) {
            let names = ["corpus.jsonl", "queries.jsonl"].map(str::to_owned).into_iter();
            return names.chain([format!("qrels/{}.tsv", self.split)]).collect();
        }
        self.files.iter().filter_map(|file| file.name.clone()).collect()
    }

    /// The name of the file of queries or judgments, where the benchmark is no archive.
    pub fn file(&self, begin: &str) -> Option<&str> {
        self.files.iter().filter_map(|file| file.name.as_deref()).find(|name| name.starts_with(begin))
    }
}

impl Remote {
    /// A file of which nothing but its address is known.
    ///
    /// ```
    /// let mut remote = rankgate::catalogue::Remote::new("https://data.example.org/helpdesk.zip?v=2");
    /// remote.folder = Some("helpdesk".to_owned());
    /// assert_eq!(remote.file_name(), "helpdesk.zip");
    /// ```
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        Self { url, mirrors: Vec::new(), folder: None, name: None, bytes: None, md5: None, sha256: None }
    }

    /// What the file is called where it is.
    pub fn file_name(&self) -> &str {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        path.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// Whether somebody published a checksum of it.
    pub fn has_checksum(&self) -> bool {
        self.md5.is_some() || self.sha256.is_some()
    }
}

/// A number of bytes for people: `17 kB`, `2.8 MB`, `1.1 GB`.
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

    fn entries_of(text: &str) -> Result<SmallMap<String, Entry>> {
        let shipped = Catalogue::read()?;
        entries::read(&Source::new("more.yaml", text)?, &shipped.0)
    }

    fn entry(name: &str, files: &str) -> String {
        format!("{name}: {{about: a, documents: 1, queries: 1, licence: l, home: h, files: [{files}]}}\n")
    }

    const ARCHIVE: &str = "{url: 'http://a/x.zip', folder: x}";

    #[test]
    fn a_name_that_ships_is_given_to_no_other_benchmark() {
        assert_eq!(entries_of(&entry("ours/scifact", ARCHIVE)).unwrap().iter().len(), 1);
        let error = entries_of(&entry("beir/scifact", ARCHIVE)).unwrap_err().to_string();
        assert!(
            error.starts_with("a benchmark called `beir/scifact` ships with rankgate\n --> more.yaml:1:1\n"),
            "{error}"
        );
        assert!(error.ends_with("= help: give yours another name, such as `ours/scifact`"), "{error}");
    }

    #[test]
    fn an_entry_that_cannot_be_fetched_or_leaves_its_folder_is_refused() {
        for (name, files, expected) in [
            ("../x", ARCHIVE, "1:1 a name has lower-case letters"),
            ("x", "", "1:1 it has one archive"),
            (
                "x",
                "{url: 'http://a/x.zip', folder: x}, {url: 'http://a/y.zip', name: y}",
                "1:1 it has one archive",
            ),
            ("x", "{url: 'http://a/x.zip', folder: ../x}", "1:102 an archive has a `folder`"),
            ("x", "{url: 'http://a/x.zip', name: a/b}", "1:100 an archive has a `folder`"),
            ("x", "{url: 'http://a/x.zip'}", "1:76 an archive has a `folder`"),
            ("x", "{url: 'http://a/', folder: x}", "1:76 this address ends with no file name"),
            ("x", "{url: 'http://a/x.zip', folder: x, md5: 12}", "1:110 a checksum is hexadecimal"),
            ("x", "{url: 'http://a/q', name: queries.tsv}", "1:1 none of its files is called `qrels...`"),
            ("x", "{url: 'http://a/x.zip', folders: x}", "1:94 unknown key `folders` in a file"),
            ("x", "{folder: x}", "1:70 a file needs `url`"),
        ] {
            let error = entries_of(&entry(name, files)).unwrap_err();
            let found = error
                .yaml_problems()
                .unwrap()
                .iter()
                .map(|one| format!("{}:{} {}", one.line(), one.column(), one.message()));
            let found: Vec<String> = found.collect();
            assert!(found.iter().any(|found| found.starts_with(expected)), "{expected}: {found:#?}");
        }
    }

    #[test]
    fn everything_that_is_wrong_with_a_file_is_said_at_once() {
        let text = "x: {documents: many, queries: 1, licence: l, home: h, files: []}\ny: 1\n";
        let error = entries_of(text).unwrap_err();
        let found: Vec<_> =
            error.yaml_problems().unwrap().iter().map(|one| (one.line(), one.message())).collect();
        assert_eq!(
            found,
            [
                (1, "it has one archive with `folder`, or files with `name`"),
                (1, "a benchmark needs `about`"),
                (1, "expected a whole number of 0 or more, found `many`"),
                (2, "expected a benchmark, which is a mapping, found `1`"),
            ]
        );
        let error = entries_of("").unwrap_err().to_string();
        assert!(error.starts_with("expected a mapping from names to benchmarks, found nothing\n"), "{error}");
    }
}
