//! The entries of a catalogue, read from YAML: everything that is wrong with a file at once, each with its line.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Entry, Remote};
use crate::error::Quoted;
use crate::mapping::{Count, Field, FromNode, Item, List, OneOrMany, Reader, Registry, Rule, mapping};
use crate::order::SmallMap;
use crate::yaml::{Node, Problem, Problems, Source, Span, Value, parse};
use crate::{Result, order};

mapping! {
    /// A benchmark.
    struct RawEntry as "a benchmark" {
        /// What it asks for, in a few words.
        "about" => about: String,
        /// How many documents are searched.
        "documents" => documents: u64,
        /// How many queries are judged.
        "queries" => queries: u64,
        /// Which judgments of a folder in the layout of BEIR.
        "split" => split: String,
        /// What must be accepted before it is fetched.
        "licence" => licence: String,
        /// Where its terms and its paper are.
        "home" => home: String,
        /// The files to fetch.
        "files" => files: List<RawRemote>,
        /// The benchmark whose documents are searched, where it has none of its own.
        "corpus-of" => corpus_of: String,
        /// The lowest grade that counts as relevant.
        "relevant-from" => relevant_from: Count<1_000_000>,
        /// Whether a retrieved document with the id of its query is taken out.
        "exclude-identical-ids" => exclude_identical_ids: bool,
        /// Published figures of BM25, by metric.
        "bm25" => bm25: Figures,
        /// Who published them.
        "bm25-source" => bm25_source: String,
        /// Whether it was fetched from its address, with all checks, by those who wrote the entry.
        "verified" => verified: bool,
    }
    rules: [
        Rule::Required("about"),
        Rule::Required("documents"),
        Rule::Required("queries"),
        Rule::Required("licence"),
        Rule::Required("home"),
        Rule::Required("files"),
    ]
}

mapping! {
    /// A file elsewhere.
    struct RawRemote as "a file" {
        /// Where it is.
        "url" => url: String,
        /// Where else.
        "mirrors" => mirrors: OneOrMany<String>,
        /// Of an archive: the folder in it that is the collection.
        "folder" => folder: String,
        /// Of any other file: what it is called in the collection.
        "name" => name: String,
        /// Its size.
        "bytes" => bytes: u64,
        /// Its MD5, in hexadecimal.
        "md5" => md5: Hexadecimal<32>,
        /// Its SHA-256, in hexadecimal.
        "sha256" => sha256: Hexadecimal<64>,
    }
    rules: [Rule::Required("url")]
}

/// Figures by metric.
struct Figures(BTreeMap<String, f64>);

impl FromNode for Figures {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping from metrics to figures");
        };
        let figure =
            |entry: &crate::yaml::Entry| Some((entry.key.text.to_string(), reader.read(&entry.value)?));
        Some(Self(order::map(entries.iter().filter_map(figure))))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "object", "additionalProperties": f64::schema()})
    }
}

/// A checksum of so many digits.
struct Hexadecimal<const DIGITS: usize>(String);

impl<const DIGITS: usize> FromNode for Hexadecimal<DIGITS> {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let text = reader.text(node, "a checksum")?;
        if text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Some(Self(text.to_owned()));
        }
        reader.refuse(node.span, "a checksum is hexadecimal, an MD5 of 32 digits, a SHA-256 of 64")
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": ["string", "number"], "pattern": format!("^[0-9A-Fa-f]{{{DIGITS}}}$")})
    }
}

/// The entries of a file, by name; none of them has the name of one that ships.
pub(super) fn read(
    source: &Arc<Source>,
    shipped: &SmallMap<String, Entry>,
) -> Result<SmallMap<String, Entry>> {
    let parsed = parse(source);
    let registry = Registry::new();
    let mut reader = Reader { registry: &registry, folder: Path::new(""), source, found: parsed.problems };
    let entries = parsed.root.and_then(|root| all(&root, shipped, &mut reader));
    match entries {
        Some(entries) if reader.found.is_empty() => Ok(entries),
        _ => Err(Problems::new(Arc::clone(source), reader.found).into()),
    }
}

fn all(
    root: &Node,
    shipped: &SmallMap<String, Entry>,
    reader: &mut Reader<'_>,
) -> Option<SmallMap<String, Entry>> {
    let Value::Map(entries) = &root.value else {
        return reader.expected(root, "a mapping from names to benchmarks");
    };
    let mut read = Vec::with_capacity(entries.len());
    for entry in entries.iter() {
        check_name(&entry.key.text, entry.key.span, shipped, reader);
        let raw: Option<RawEntry> = reader.read(&entry.value);
        let checked = raw.and_then(|raw| raw.check(entry.key.span, reader));
        read.extend(checked.map(|checked| (entry.key.text.to_string(), checked)));
    }
    Some(SmallMap::new(read))
}

fn check_name(name: &str, at: Span, shipped: &SmallMap<String, Entry>, reader: &mut Reader<'_>) {
    let is_part = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(fits)
    };
    if !name.split('/').all(is_part) {
        let message = "a name has lower-case letters, digits, `-`, `_` and `.`, in parts between `/`";
        reader.report(Problem::new(at, message));
    } else if shipped.get(name).is_some() {
        let problem = Problem::new(at, format!("a benchmark called {} ships with rankgate", Quoted(name)));
        let own = name.rsplit('/').next().unwrap_or(name);
        reader.report(problem.help(format!("give yours another name, such as `ours/{own}`")));
    }
}

impl RawEntry {
    /// The entry; `None` where something is missing, which has been reported.
    fn check(self, at: Span, reader: &mut Reader<'_>) -> Option<Entry> {
        let files = self.files.into_value()?;
        check_files(&files, at, reader);
        let count = |number: Field<u64>| number.into_value().and_then(|number| usize::try_from(number).ok());
        Some(Entry {
            about: self.about.into_value()?,
            documents: count(self.documents)?,
            queries: count(self.queries)?,
            split: self.split.into_value().unwrap_or_else(|| "test".to_owned()),
            licence: self.licence.into_value()?,
            home: self.home.into_value()?,
            files: files.items.into_iter().map(|file| file.value.check(reader)).collect::<Option<_>>()?,
            corpus_of: self.corpus_of.into_value(),
            relevant_from: self.relevant_from.into_value().map_or(1, |grade| grade.0 as i32),
            exclude_identical_ids: self.exclude_identical_ids.into_value().unwrap_or_default(),
            bm25: self.bm25.into_value().map(|figures| figures.0).unwrap_or_default(),
            bm25_source: self.bm25_source.into_value().unwrap_or_default(),
            verified: self.verified.into_value().unwrap_or_default(),
        })
    }
}

/// Checks that there is one archive, or files that hold queries and judgments.
fn check_files(files: &List<RawRemote>, at: Span, reader: &mut Reader<'_>) {
    if files.items.len() < files.written {
        return; // One of them is no file, which has been reported.
    }
    let is_archive = |file: &&Item<RawRemote>| !file.value.folder.is_absent();
    let archives = files.items.iter().filter(is_archive).count();
    if files.written == 0 || archives > 0 && files.written > 1 {
        reader.report(Problem::new(at, "it has one archive with `folder`, or files with `name`"));
    }
    if archives > 0 {
        return;
    }
    let names = || files.items.iter().filter_map(|file| file.value.name.value());
    for (begin, what) in [("queries", "queries"), ("qrels", "judgments")] {
        if files.written > 0 && !names().any(|name| name.starts_with(begin)) {
            let message = format!("none of its files is called `{begin}...`, which holds the {what}");
            reader.report(Problem::new(at, message));
        }
    }
}

impl RawRemote {
    /// The file; `None` where something is wrong, which has been reported.
    fn check(self, reader: &mut Reader<'_>) -> Option<Remote> {
        let url = self.url.field_value().map(|url| url.at)?;
        let is_path =
            |path: &str| path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\');
        let place = match (&self.folder, &self.name) {
            (Field::Given(folder), Field::Absent) if is_path(&folder.value) => None,
            (Field::Absent, Field::Given(name)) if is_path(&name.value) && !name.value.contains('/') => None,
            (Field::Broken, _) | (_, Field::Broken) => None,
            (Field::Given(folder), Field::Absent) => Some(folder.at),
            (Field::Absent, Field::Given(name)) => Some(name.at),
            _ => Some(url),
        };
        if let Some(at) = place {
            let problem = Problem::new(at, "an archive has a `folder`, any other file a `name`");
            reader.report(problem.help("both are relative, and the name has no `/`"));
        }
        let remote = Remote {
            url: self.url.into_value()?,
            mirrors: self.mirrors.into_value().map(OneOrMany::into_values).unwrap_or_default(),
            folder: self.folder.into_value(),
            name: self.name.into_value(),
            bytes: self.bytes.into_value(),
            md5: self.md5.into_value().map(|sum| sum.0),
            sha256: self.sha256.into_value().map(|sum| sum.0),
        };
        if remote.file_name().is_empty() {
            reader.report(Problem::new(url, "this address ends with no file name"));
        }
        Some(remote)
    }
}
