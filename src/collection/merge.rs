//! Adding judgments to the file that holds the others.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::collection::json_edit::{self, Added};
use crate::collection::new_judgments::NewJudgment;
use crate::collection::{Collection, CollectionSource, NewJudgments, Qrels, beir, file_sha256, trec};
use crate::error::Quoted;
use crate::input::Source;
use crate::output::replace_file;
use crate::{Error, Result};

/// What came of adding judgments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// The file that holds the judgments now.
    pub path: PathBuf,
    /// Judgments that were added.
    pub added: usize,
    /// Judgments that stood there already.
    pub known: usize,
    /// The SHA-256 of the file's bytes, as pins give it.
    pub sha256: String,
}

/// Of many mistakes so many are shown.
const SHOWN: usize = 5;

/// How a file holds judgments.
#[derive(Clone, Copy)]
enum Format {
    Beir,
    Trec,
    Json,
    Jsonl,
}

impl CollectionSource {
    /// Adds judgments to the collection's file of judgments, in its own format; the lines that are there stay
    /// as they are. With `into` they go into another file: one that exists is added to, one that does not
    /// becomes a copy of the collection's with the new ones added. At any moment the file holds the old
    /// judgments or the new ones; nothing is written where nothing is new.
    ///
    /// # Errors
    ///
    /// A document that has another grade already (the message names both lines), a query or document that
    /// the collection does not have, an inline collection, a file that cannot be read or written.
    pub fn add_judgments(&self, new: &NewJudgments, into: Option<&Path>) -> Result<Merged> {
        let (file, format) = self.judgments_file()?;
        let collection = self.load()?;
        check_ids(&collection, new)?;
        let target = into.unwrap_or(&file);
        let base = if target.exists() { target } else { &file };
        let text = Source::file(base).text()?;
        let format = if base == file { format } else { format.of_another(&text) };
        let name = base.display().to_string();
        let qrels = format.read(&name, text.as_bytes())?;
        let added = unknown_to(&qrels, base, new)?;
        let count: usize = added.values().map(BTreeMap::len).sum();
        if count > 0 || !target.exists() {
            let after = format.add(base, &text, &added)?;
            // What is written is what will be read.
            if format.read(&name, after.as_bytes())?.len() != qrels.len() + count {
                return Err(Error::in_file(
                    base,
                    "the judgments cannot be added to this file: add them by hand",
                ));
            }
            replace_file(target, |output| output.bytes(after.as_bytes()))?;
        }
        Ok(Merged {
            path: target.to_owned(),
            added: count,
            known: new.len() - count,
            sha256: file_sha256(target)?,
        })
    }

    fn judgments_file(&self) -> Result<(PathBuf, Format)> {
        match self {
            Self::Beir { dir, split } => Ok((beir::Files::find(dir, split)?.qrels, Format::Beir)),
            Self::Trec { qrels, .. } => Ok((qrels.clone(), Format::Trec)),
            Self::Jsonl { path } => Ok((path.clone(), Format::Jsonl)),
            Self::Json { path } => Ok((path.clone(), Format::Json)),
            Self::Inline(_) => Err(Error::invalid(
                "the judgments stand in the spec itself (`inline`): add them there by hand, or move the collection \
                 into files",
            )),
        }
    }
}

impl Format {
    /// The format of another file in the place of one in this format.
    fn of_another(self, text: &str) -> Self {
        let line = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("# "));
        match self {
            Self::Json | Self::Jsonl => self,
            _ if line.unwrap_or_default().matches('\t').count() == 2 => Self::Beir,
            _ => Self::Trec,
        }
    }

    /// The judgments of a text, with their lines.
    fn read(self, name: &str, bytes: &[u8]) -> Result<Qrels> {
        match self {
            Self::Beir => Qrels::parse_beir_tsv(name, bytes),
            Self::Trec => Qrels::parse_trec(name, bytes),
            Self::Json => Ok(Collection::parse_json(name, bytes)?.qrels().clone()),
            Self::Jsonl => Ok(Collection::parse_jsonl(name, bytes)?.qrels().clone()),
        }
    }

    /// The text with more judgments.
    fn add(self, path: &Path, before: &str, added: &Added<'_>) -> Result<String> {
        match self {
            Self::Json => json_edit::add_to_file(path, before, added),
            Self::Jsonl => json_edit::add_to_lines(path, before, added),
            Self::Beir | Self::Trec => self.add_lines(before, added),
        }
    }

    /// The text with more lines, which end as its own do.
    fn add_lines(self, before: &str, added: &Added<'_>) -> Result<String> {
        let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let mut text = before.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text += end;
        }
        for (query, judged) in added {
            for (document, grade) in judged {
                let (check, line): (fn(&str) -> Result<()>, String) = match self {
                    Self::Trec => (trec::check_column, format!("{query} 0 {document} {grade}{end}")),
                    _ => (beir::check_column, format!("{query}\t{document}\t{grade}{end}")),
                };
                check(query)?;
                check(document)?;
                text += &line;
            }
        }
        Ok(text)
    }
}

/// Everything that is judged must be there: a slip in an id would be a judgment that no retriever can meet.
fn check_ids(collection: &Collection, new: &NewJudgments) -> Result<()> {
    let unjudged = collection.without_judgments();
    let is_query = |id: &str| {
        collection.query(id).is_some() || unjudged.binary_search_by(|query| query.id.as_str().cmp(id)).is_ok()
    };
    let no_query = |one: &&NewJudgment| !is_query(&one.query);
    refuse(new, new.iter().filter(no_query), |one| {
        format!("the collection has no query {}", Quoted(&one.query))
    })?;
    let Ok(corpus) = collection.corpus() else { return Ok(()) };
    let mut missing: HashSet<&str> = new.iter().map(|one| one.document.as_str()).collect();
    for document in corpus.documents()? {
        if missing.is_empty() {
            break;
        }
        missing.remove(document?.id.as_str());
    }
    let no_document = |one: &&NewJudgment| missing.contains(one.document.as_str());
    refuse(new, new.iter().filter(no_document), |one| {
        format!("the collection has no document {}", Quoted(&one.document))
    })
}

/// An error that names the first few lines, if there are any.
fn refuse<'a>(
    new: &NewJudgments,
    lines: impl Iterator<Item = &'a NewJudgment>,
    why: impl Fn(&NewJudgment) -> String,
) -> Result<()> {
    let path = new.path().display();
    let mut all: Vec<String> = lines.map(|one| format!("{path}:{}: {}", one.line, why(one))).collect();
    if all.is_empty() {
        return Ok(());
    }
    if let more @ 1.. = all.len().saturating_sub(SHOWN) {
        all.truncate(SHOWN);
        all.push(format!("and {more} more such lines"));
    }
    Err(Error::invalid(all.join("\n")))
}

/// What the file does not hold yet, by query and document.
fn unknown_to<'a>(qrels: &Qrels, file: &Path, new: &'a NewJudgments) -> Result<Added<'a>> {
    let other =
        |one: &&NewJudgment| qrels.grade(&one.query, &one.document).is_some_and(|grade| grade != one.grade);
    refuse(new, new.iter().filter(other), |one| {
        let before = qrels.grade(&one.query, &one.document).unwrap_or_default();
        let line = qrels.judgments(&one.query).and_then(|judged| judged.line(&one.document));
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let (query, document) = (Quoted(&one.query), Quoted(&one.document));
        format!(
            "document {document} of query {query} has grade {} here and {before} in {}{line}",
            one.grade,
            file.display()
        )
    })?;
    let mut added = Added::new();
    for one in new.iter().filter(|one| qrels.grade(&one.query, &one.document).is_none()) {
        added.entry(&one.query).or_default().insert(&one.document, one.grade);
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Files(tempfile::TempDir);

    impl Files {
        fn new(qrels: &str) -> Self {
            let files = Self(tempfile::tempdir().unwrap());
            files.write("topics.tsv", "q1\tone\nq2\ttwo\n");
            files.write("corpus.tsv", "d1\ta\nd2\tb\nd3\tc\n");
            files.write("a.qrels", qrels);
            files
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).unwrap();
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.0.path().join(name)).unwrap()
        }

        fn add(&self, lines: &[(&str, &str, i32)], into: Option<&str>) -> Result<Merged, String> {
            let path = |name: &str| self.0.path().join(name);
            let source = CollectionSource::Trec {
                queries: path("topics.tsv"),
                qrels: path("a.qrels"),
                corpus: Some(path("corpus.tsv")),
            };
            let line = |(query, document, grade): &(&str, &str, i32)| {
                format!("{{\"query\": \"{query}\", \"document\": \"{document}\", \"grade\": {grade}}}\n")
            };
            let text: String = lines.iter().map(line).collect();
            let new = NewJudgments::parse("new.jsonl", text.as_bytes()).unwrap();
            let here = format!("{}/", self.0.path().display());
            source
                .add_judgments(&new, into.map(path).as_deref())
                .map_err(|error| error.to_string().replace(&here, ""))
        }
    }

    #[test]
    fn lines_stay_as_they_are_and_new_ones_follow_in_order() {
        let files = Files::new("# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 0");
        let merged =
            files.add(&[("q2", "d3", 1), ("q1", "d3", -1), ("q1", "d1", 2), ("q2", "d1", 3)], None).unwrap();
        assert_eq!((merged.added, merged.known), (3, 1));
        assert_eq!(
            files.read("a.qrels"),
            "# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 0\r\nq1 0 d3 -1\r\nq2 0 d1 3\r\nq2 0 d3 1\r\n"
        );
        assert_eq!(merged.sha256, file_sha256(files.0.path().join("a.qrels")).unwrap());
    }

    #[test]
    fn what_is_there_is_never_changed() {
        let files = Files::new("q1 0 d1 2\n");
        let error = files.add(&[("q1", "d2", 1), ("q1", "d1", 0)], None).unwrap_err();
        assert_eq!(error, "new.jsonl:2: document `d1` of query `q1` has grade 0 here and 2 in a.qrels:1");
        assert_eq!(files.read("a.qrels"), "q1 0 d1 2\n");
    }

    #[test]
    fn a_slip_in_an_id_is_an_error() {
        let files = Files::new("q1 0 d1 2\n");
        for (line, message) in [
            (("q3", "d1", 1), "new.jsonl:1: the collection has no query `q3`"),
            (("q1", "d4", 1), "new.jsonl:1: the collection has no document `d4`"),
        ] {
            assert_eq!(files.add(&[line], None).unwrap_err(), message);
        }
        let many: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|id| ("q1", id, 1)).into();
        assert!(files.add(&many, None).unwrap_err().ends_with("`e`\nand 2 more such lines"));
    }

    #[test]
    fn another_file_is_made_or_added_to() {
        let files = Files::new("q1 0 d1 2\n");
        files.add(&[("q2", "d2", 1)], Some("b.qrels")).unwrap();
        assert_eq!(files.read("b.qrels"), "q1 0 d1 2\nq2 0 d2 1\n");
        assert_eq!(files.read("a.qrels"), "q1 0 d1 2\n");
        files.write("c.tsv", "query-id\tcorpus-id\tscore\nq1\td3\t1\n");
        let merged = files.add(&[("q1", "d3", 1), ("q2", "d2", 1)], Some("c.tsv")).unwrap();
        assert_eq!((merged.added, merged.known), (1, 1));
        assert_eq!(files.read("c.tsv"), "query-id\tcorpus-id\tscore\nq1\td3\t1\nq2\td2\t1\n");
    }

    #[test]
    fn json_is_added_to_where_the_judgments_are() {
        let files = Files::new("");
        let path = files.0.path().join("a.json");
        let source = CollectionSource::Json { path: path.clone() };
        files.write("a.json", "{\"queries\": [\n{\"id\": \"q1\", \"text\": \"a\", \"relevant\": [\"d1\"]}\n], \"docs\": {\"d1\": \"\", \"d2\": \"\"}}");
        let new = |grade: i32| {
            let text = format!("{{\"query\": \"q1\", \"document\": \"d2\", \"grade\": {grade}}}");
            NewJudgments::parse("new.jsonl", text.as_bytes()).unwrap()
        };
        assert_eq!(source.add_judgments(&new(2), None).unwrap().added, 1);
        assert!(
            files.read("a.json").contains("\"relevant\": {\"d1\": 1, \"d2\": 2}}\n"),
            "{}",
            files.read("a.json")
        );
        let error = source.add_judgments(&new(1), None).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "has grade 1 here and 2 in PATH:2".replace("PATH", path.to_str().unwrap()).as_str()
            ),
            "{error}"
        );
    }

    #[test]
    fn judgments_in_a_spec_are_refused() {
        let new = NewJudgments::parse("new.jsonl", b"").unwrap();
        let collection =
            Collection::parse_json("a.json", br#"[{"id": "q", "text": "t", "relevant": ["d"]}]"#);
        let error = CollectionSource::Inline(collection.unwrap()).add_judgments(&new, None).unwrap_err();
        assert!(error.to_string().contains("`inline`"), "{error}");
    }
}
