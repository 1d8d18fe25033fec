//! Benchmarks by name: what there is, and what makes figures on it comparable. No data ships with the command.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rankgate::spec::{Params, Problems};
use rankgate::{Error, ErrorKind, Result};
use rankgate_core::internal::error::Quoted;
use rankgate_core::internal::yaml::{Source, nearest, parse};
use serde::Deserialize;

/// The variable that names a file with more benchmarks, in the format of the command's own.
const VARIABLE: &str = "RANKGATE_CATALOGUE";

/// The benchmarks that ship with the command.
const SHIPPED: &str = include_str!("benchmarks.yaml");

/// The benchmarks that have a name.
pub(crate) struct Catalogue(BTreeMap<String, Entry>);

/// A benchmark.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Entry {
    /// What it asks for, in a few words.
    pub(crate) about: String,
    /// How many documents are searched.
    pub(crate) documents: usize,
    /// How many queries are judged.
    pub(crate) queries: usize,
    /// Which judgments of a folder in the layout of BEIR.
    #[serde(default = "test")]
    pub(crate) split: String,
    /// What must be accepted before it is fetched.
    pub(crate) licence: String,
    /// Where its terms and its paper are.
    pub(crate) home: String,
    /// The files to fetch.
    pub(crate) files: Vec<Remote>,
    /// The benchmark whose documents are searched, where it has none of its own.
    pub(crate) corpus_of: Option<String>,
    /// The lowest grade that counts as relevant.
    #[serde(default = "one")]
    pub(crate) relevant_from: i32,
    /// Whether a retrieved document with the id of its query is taken out.
    #[serde(default)]
    pub(crate) exclude_identical_ids: bool,
    /// Published figures of BM25, by metric.
    #[serde(default)]
    pub(crate) bm25: BTreeMap<String, f64>,
    /// Who published them.
    #[serde(default)]
    pub(crate) bm25_source: String,
    /// Whether it was fetched from its address, with all checks, by those who wrote the entry.
    #[serde(default)]
    pub(crate) verified: bool,
}

/// A file elsewhere.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remote {
    /// Where it is.
    pub(crate) url: String,
    /// Where else.
    #[serde(default)]
    pub(crate) mirrors: Vec<String>,
    /// Of an archive: the folder in it that is the collection.
    pub(crate) folder: Option<String>,
    /// Of any other file: what it is called in the collection.
    pub(crate) name: Option<String>,
    /// Its size.
    pub(crate) bytes: Option<u64>,
    /// Its MD5, in hexadecimal.
    pub(crate) md5: Option<String>,
    /// Its SHA-256, in hexadecimal.
    pub(crate) sha256: Option<String>,
}

fn test() -> String {
    "test".to_owned()
}

fn one() -> i32 {
    1
}

impl Catalogue {
    /// The command's own benchmarks and those of the file that the variable `RANKGATE_CATALOGUE` names.
    ///
    /// # Errors
    /// A file that cannot be read, is no catalogue, or gives a name of the command's own to another benchmark.
    pub(crate) fn read() -> Result<Self> {
        let mut all = entries(&Source::new("benchmarks.yaml", SHIPPED)?, &BTreeMap::new())?;
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let more = entries(&Source::read(Path::new(&path))?, &all)?;
            all.extend(more);
        }
        Ok(Self(all))
    }

    /// The benchmark of this name.
    ///
    /// # Errors
    /// A name that there is not; it says which is near.
    pub(crate) fn find(&self, name: &str) -> Result<&Entry> {
        self.0.get(name).ok_or_else(|| {
            let near = nearest(name, self.0.keys().map(String::as_str));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("there is no benchmark {}{near}", Quoted(name));
            Error::with_kind(ErrorKind::Missing, message)
        })
    }

    /// All of them, by name: those called so, or, of `beir/cqadupstack`, those below it.
    pub(crate) fn below<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Entry)> {
        let is_it = move |one: &str| {
            one == name || one.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')) || name.is_empty()
        };
        self.0.iter().map(|(name, entry)| (name.as_str(), entry)).filter(move |(one, _)| is_it(one))
    }
}

/// The entries of a file, by name; none of them has the name of one that ships.
fn entries(source: &Arc<Source>, shipped: &BTreeMap<String, Entry>) -> Result<BTreeMap<String, Entry>> {
    let parsed = parse(source);
    let root = match parsed.root {
        Some(root) if parsed.problems.is_empty() => root,
        _ => return Err(Problems::new(Arc::clone(source), parsed.problems).into()),
    };
    let entries: BTreeMap<String, Entry> =
        Params::new(Arc::clone(source), root.span, Some(root)).deserialize()?;
    let failed = |why: String| Error::in_file(Path::new(source.name()), why);
    if entries.is_empty() {
        return Err(failed("it has no benchmark".to_owned()));
    }
    for (name, entry) in &entries {
        if shipped.contains_key(name) {
            let own = name.rsplit('/').next().unwrap_or(name);
            return Err(failed(format!(
                "a benchmark called {} ships with rankgate: give yours another name, such as `ours/{own}`",
                Quoted(name)
            )));
        }
        entry.check(name).map_err(|why| failed(format!("benchmark {}: {why}", Quoted(name))))?;
    }
    Ok(entries)
}

impl Entry {
    /// Why it cannot be fetched, or would leave its folder, if so.
    fn check(&self, name: &str) -> Result<(), String> {
        let is_part = |part: &str| {
            let fits =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
            !part.is_empty() && !part.starts_with('.') && part.bytes().all(fits)
        };
        if !name.split('/').all(is_part) {
            return Err(
                "a name has lower-case letters, digits, `-`, `_` and `.`, in parts between `/`".into()
            );
        }
        let archives = self.files.iter().filter(|file| file.folder.is_some()).count();
        if self.files.is_empty() || archives > 0 && self.files.len() > 1 {
            return Err("it has one archive with `folder`, or files with `name`".to_owned());
        }
        for file in &self.files {
            file.check()?;
        }
        for (begin, what) in [("queries", "queries"), ("qrels", "judgments")] {
            if archives == 0 && self.file(begin).is_none() {
                return Err(format!("none of its files is called `{begin}...`, which holds the {what}"));
            }
        }
        Ok(())
    }

    /// The files without which it is not there.
    pub(super) fn needed(&self) -> Vec<String> {
        if self.files.iter().any(|file| file.folder.is_some()) {
            let names = ["corpus.jsonl", "queries.jsonl"].map(str::to_owned).into_iter();
            return names.chain([format!("qrels/{}.tsv", self.split)]).collect();
        }
        self.files.iter().filter_map(|file| file.name.clone()).collect()
    }

    /// The name of the file of queries or judgments, where the benchmark is no archive.
    pub(crate) fn file(&self, begin: &str) -> Option<&str> {
        self.files.iter().filter_map(|file| file.name.as_deref()).find(|name| name.starts_with(begin))
    }
}

impl Remote {
    /// A file of which nothing but its address is known.
    #[cfg(test)]
    pub(crate) fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        Self { url, mirrors: Vec::new(), folder: None, name: None, bytes: None, md5: None, sha256: None }
    }

    fn check(&self) -> Result<(), String> {
        let is_path =
            |path: &str| path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\');
        let is_placed = match (&self.folder, &self.name) {
            (Some(folder), None) => is_path(folder),
            (None, Some(name)) => is_path(name) && !name.contains('/'),
            (Some(_), Some(_)) | (None, None) => false,
        };
        let url = &self.url;
        if !is_placed {
            return Err(format!(
                "{url}: an archive has a `folder`, any other file a `name`: both are relative, and the name has no `/`"
            ));
        }
        if self.file_name().is_empty() {
            return Err(format!("{url}: this address ends with no file name"));
        }
        let is_sum = |sum: &Option<String>, digits: usize| {
            sum.as_ref()
                .is_none_or(|sum| sum.len() == digits && sum.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        match is_sum(&self.md5, 32) && is_sum(&self.sha256, 64) {
            true => Ok(()),
            false => Err(format!("{url}: a checksum is hexadecimal, an MD5 of 32 digits, a SHA-256 of 64")),
        }
    }

    /// What the file is called where it is.
    pub(crate) fn file_name(&self) -> &str {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        path.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// Whether somebody published a checksum of it.
    pub(crate) fn has_checksum(&self) -> bool {
        self.md5.is_some() || self.sha256.is_some()
    }
}

/// A number of bytes for people: `17 kB`, `2.8 MB`, `1.1 GB`.
pub(crate) fn size(bytes: u64) -> String {
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
                metric.parse::<rankgate::metric::Metric>().unwrap();
            }
            if let Some(other) = &entry.corpus_of {
                assert_eq!(all.find(other).unwrap().documents, entry.documents, "{name}");
            }
        }
        let error = all.find("beir/scifacts").err().unwrap().to_string();
        assert_eq!(error, "there is no benchmark `beir/scifacts`; did you mean `beir/scifact`?");
    }

    fn entries_of(text: &str) -> Result<BTreeMap<String, Entry>> {
        entries(&Source::new("more.yaml", text)?, &Catalogue::read()?.0)
    }

    fn entry(name: &str, files: &str) -> String {
        format!("{name}: {{about: a, documents: 1, queries: 1, licence: l, home: h, files: [{files}]}}\n")
    }

    const ARCHIVE: &str = "{url: 'http://a/x.zip', folder: x}";

    #[test]
    fn a_name_that_ships_is_given_to_no_other_benchmark() {
        assert_eq!(entries_of(&entry("ours/scifact", ARCHIVE)).unwrap().len(), 1);
        let error = entries_of(&entry("beir/scifact", ARCHIVE)).err().unwrap().to_string();
        assert_eq!(
            error,
            "more.yaml: a benchmark called `beir/scifact` ships with rankgate: give yours another name, such as `ours/scifact`"
        );
    }

    #[test]
    fn an_entry_that_cannot_be_fetched_or_leaves_its_folder_is_refused() {
        for (name, files, expected) in [
            ("../x", ARCHIVE, "a name has lower-case letters"),
            ("x", "", "it has one archive"),
            (
                "x",
                "{url: 'http://a/x.zip', folder: x}, {url: 'http://a/y.zip', name: y}",
                "it has one archive",
            ),
            ("x", "{url: 'http://a/x.zip', folder: ../x}", "an archive has a `folder`"),
            ("x", "{url: 'http://a/x.zip', name: a/b}", "an archive has a `folder`"),
            ("x", "{url: 'http://a/x.zip'}", "an archive has a `folder`"),
            ("x", "{url: 'http://a/', folder: x}", "this address ends with no file name"),
            ("x", "{url: 'http://a/x.zip', folder: x, md5: 12}", "a checksum is hexadecimal"),
            ("x", "{url: 'http://a/q', name: queries.tsv}", "none of its files is called `qrels...`"),
            ("x", "{url: 'http://a/x.zip', folders: x}", "unknown key `folders`\n --> more.yaml:1:94\n"),
            ("x", "{folder: x}", "`url`"),
        ] {
            let error = entries_of(&entry(name, files)).err().unwrap().to_string();
            assert!(error.contains(expected) && error.contains("more.yaml"), "{expected}: {error}");
        }
        for (text, expected) in [
            ("", "it has no benchmark"),
            ("y: 1\n", "--> more.yaml:1:4"),
            ("x: {documents: many, queries: 1, licence: l, home: h, files: []}\n", "--> more.yaml:1:16"),
        ] {
            let error = entries_of(text).err().unwrap().to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
