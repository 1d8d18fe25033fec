//! Adding judgments to the file that holds the others.
//!
//! Most tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::collection::qrels_format::QrelsFormat;
use crate::collection::{
    Collection, CollectionSource, NewJudgments, Qrels, Query, beir, beir_folder, file_sha256, trec,
};
use crate::error::Quoted;
use crate::input::Source;
use crate::order;
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
    /// Judgments of another text than today's, which were left out.
    pub changed: Vec<NewJudgment>,
    /// Those that were added with a grade above 3 and above every grade that the collection has.
    pub above_scale: Vec<NewJudgment>,
    /// The SHA-256 of the file's bytes, as pins give it.
    pub sha256: String,
}

/// A judgment that there is something to say of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewJudgment {
    /// The file and line.
    pub place: String,
    /// The query's id.
    pub query: String,
    /// The document's id.
    pub document: String,
    /// The grade.
    pub grade: i32,
}

/// The highest grade of the guidelines of a pool.
const HIGHEST: i32 = 3;

/// Of many mistakes so many are shown.
const SHOWN: usize = 5;

/// A judgment: query, document and grade.
type Judged<'a> = (&'a str, &'a str, i32);

impl CollectionSource {
    /// Adds judgments to the collection's last file of judgments, as lines like its own; the lines that are there
    /// stay as they are. With `into` they go into another file: one that exists is added to, one that does not
    /// becomes a copy of the collection's with the new ones added. At any moment the file holds the old
    /// judgments or the new ones; nothing is written where nothing is new.
    ///
    /// A judgment that says its text, as those of a pool do, is left out where query or document is another text now.
    ///
    /// A collection in one JSON file has no such file, and `into` becomes one, to be named beside it.
    ///
    /// # Errors
    ///
    /// A document that has another grade already (the message names both lines), a query or document that
    /// the collection does not have, a grade below 0 where the collection has none, a collection without a file of judgments, a file that
    /// cannot be read or written.
    #[inline]
    pub fn add_judgments(&self, new: &NewJudgments, into: Option<&Path>) -> Result<Merged> {
        let file = match (self.judgments_file(), into) {
            (Err(error), None) => return Err(error),
            (file, _) => file.ok(),
        };
        let (file, its_format) = file.unzip();
        let collection = self.load()?;
        check_ids(&collection, new)?;
        let changed = changed(&collection, new)?;
        let target = into.or(file.as_deref()).unwrap_or(Path::new(""));
        let base = Some(target).filter(|target| target.exists()).or(file.as_deref());
        let text = match base {
            Some(base) => Source::from(base).text()?,
            None => format!("{}\n", beir::HEADER),
        };
        let name = base.unwrap_or(target);
        let its_format = its_format.flatten().filter(|_| base == file.as_deref());
        let format = its_format.unwrap_or_else(|| QrelsFormat::detect(text.trim_start().as_bytes()));
        let read =
            |text: &str| (format.read)(Source::bytes(&name.display().to_string(), text.as_bytes()).open()?);
        let there = read(&text)?;
        let of_file = beir::is_by_subtopic(text.trim_start());
        if of_file || new.qrels.has_subtopics() {
            let (whose, path) = if of_file { ("its judgments", name) } else { ("the new judgments", target) };
            return Err(Error::in_file(
                path,
                format!("{whose} are by subtopic: add lines to this file by hand"),
            ));
        }
        // A file in place of the collection's stands for itself; one beside others must agree with them.
        let mut known =
            if into.is_some() && file.is_some() { Qrels::new() } else { collection.qrels().clone() };
        known.merge(there.clone())?;
        let added = unknown_to(&known, new, &changed)?;
        check_negative([collection.qrels(), &there], new, &added)?;
        let highest = highest([collection.qrels(), &there]);
        let above = added.iter().filter(|(.., grade)| *grade > highest);
        if !added.is_empty() || !target.exists() {
            let after = with_more(name, &text, &format, &added)?;
            // What is written is what will be read.
            if read(&after)?.len() != there.len() + added.len() {
                return Err(Error::in_file(
                    name,
                    "the judgments cannot be added to this file: add them by hand",
                ));
            }
            replace_file(target, |output| output.bytes(after.as_bytes()))?;
        }
        Ok(Merged {
            path: target.to_owned(),
            added: added.len(),
            known: new.len() - added.len() - changed.len(),
            above_scale: in_order(new, above.copied()),
            changed: in_order(new, changed.into_iter()),
            sha256: file_sha256(target)?,
        })
    }

    /// The file for new judgments, and its format where its beginning does not show it.
    #[inline]
    fn judgments_file(&self) -> Result<(PathBuf, Option<QrelsFormat>)> {
        let inside = |what: &str| {
            Err(Error::invalid(format!(
                "the judgments stand in {what}, which is left as it is: name the file of the new ones beside it, as \
                 `judgments:` of the `collection:`"
            )))
        };
        match self {
            Self::Beir { dir, split } => Ok((beir_folder::Files::find(dir, split)?.qrels, Some(beir::QRELS))),
            Self::Trec { qrels, .. } => Ok((qrels.clone(), Some(trec::QRELS))),
            Self::Judged { collection, judgments } => {
                judgments.last().map_or_else(|| collection.judgments_file(), |last| Ok((last.clone(), None)))
            }
            Self::Jsonl { path } | Self::Json { path } => inside(&path.display().to_string()),
            Self::Spans { spans, .. } => Err(Error::in_file(
                spans,
                "judgments are of spans here, and new ones are of documents: add spans to this file",
            )),
            Self::Inline(_) => inside("the spec itself (`inline`)"),
        }
    }
}

/// A text with more lines, which end as its own do.
#[inline]
fn with_more(path: &Path, before: &str, format: &QrelsFormat, added: &[Judged<'_>]) -> Result<String> {
    let no_lines = || Error::in_file(path, "this is one JSON object, to which no lines can be added");
    let line = format.line.ok_or_else(no_lines)?;
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = before.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text += end;
    }
    for (query, document, grade) in added {
        text += &line(query, document, *grade)?;
        text += end;
    }
    Ok(text)
}

/// Everything that is judged must be there: a slip in an id would be a judgment that no retriever can meet.
#[inline]
fn check_ids(collection: &Collection, new: &NewJudgments) -> Result<()> {
    let unjudged = collection.without_judgments();
    let is_query = |id: &str| {
        collection.query(id).is_some() || unjudged.binary_search_by(|query| query.id.as_str().cmp(id)).is_ok()
    };
    refuse(new, |(query, ..)| {
        (!is_query(query)).then(|| format!("the collection has no query {}", Quoted(query)))
    })?;
    // With such a judgment the collection could not be read again.
    refuse(new, |(query, document, grade)| {
        let is_marked = grade > 0 && collection.query(query).is_some_and(Query::is_unanswerable);
        is_marked.then(|| {
            let (query, document) = (Quoted(query), Quoted(document));
            format!(
                "query {query} is marked as unanswerable, and document {document} has grade {grade} for it: take out the mark \
                 or the judgment"
            )
        })
    })?;
    let Ok(corpus) = collection.corpus() else { return Ok(()) };
    let mut missing: HashSet<&str> = judgments(new).map(|(_, document, _)| document).collect();
    for document in corpus.documents()? {
        if missing.is_empty() {
            break;
        }
        missing.remove(document?.id.as_str());
    }
    refuse(new, |(_, document, _)| {
        missing.contains(document).then(|| format!("the collection has no document {}", Quoted(document)))
    })
}

#[inline]
fn judgments(new: &NewJudgments) -> impl Iterator<Item = Judged<'_>> {
    let each = new.qrels.iter();
    each.flat_map(|(query, judged)| judged.iter().map(move |(document, grade)| (query, document, grade)))
}

/// An error that names the first few lines of which there is something to say, if there are any.
#[inline]
fn refuse(new: &NewJudgments, why: impl Fn(Judged<'_>) -> Option<String>) -> Result<()> {
    let wrong = judgments(new).filter_map(|one| Some((new.qrels.origin(one.0, one.1)?, why(one)?)));
    let mut wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() {
        return Ok(());
    }
    order::sort_by_key(&mut wrong, |(at, _)| at.line);
    let mut all: Vec<String> = wrong.iter().take(SHOWN).map(|(at, why)| format!("{at}: {why}")).collect();
    if let more @ 1.. = wrong.len().saturating_sub(SHOWN) {
        all.push(format!("and {more} more such lines"));
    }
    Err(Error::invalid(all.join("\n")))
}

/// What the file does not hold yet, by query and document, of texts that are the same today.
#[inline]
fn unknown_to<'a>(
    there: &Qrels,
    new: &'a NewJudgments,
    changed: &HashSet<Judged<'_>>,
) -> Result<Vec<Judged<'a>>> {
    refuse(new, |one| {
        let (query, document, grade) = one;
        let other = there.grade(query, document).is_some_and(|before| before != grade);
        (other && !changed.contains(&one)).then(|| there.told_otherwise(query, document, grade))
    })?;
    let is_new = |one: &Judged<'_>| there.grade(one.0, one.1).is_none() && !changed.contains(one);
    Ok(judgments(new).filter(is_new).collect())
}

/// Those whose query or document is another text today than the one that was judged.
#[inline]
fn changed<'a>(collection: &Collection, new: &'a NewJudgments) -> Result<HashSet<Judged<'a>>> {
    let mut changed = HashSet::new();
    let mut by_document: HashMap<&str, Vec<Judged<'a>>> = HashMap::new();
    let unjudged = collection.without_judgments();
    for one in judgments(new) {
        let (id, document, _) = one;
        let Some([query, _]) = new.judged_texts(id, document) else { continue };
        let of_today = collection.query(id).or_else(|| unjudged.iter().find(|query| query.id == id));
        if of_today.is_some_and(|asked| !query.is_any_of(&[&asked.text])) {
            changed.insert(one);
        }
        by_document.entry(document).or_default().push(one);
    }
    let Ok(corpus) = collection.corpus() else { return Ok(changed) };
    if by_document.is_empty() {
        return Ok(changed);
    }
    for document in corpus.documents()? {
        let document = document?;
        let shown = document.title.as_ref().map(|title| format!("{title}\n{}", document.text));
        let texts = [shown.as_deref().unwrap_or(&document.text), &document.text];
        for one in by_document.remove(document.id.as_str()).into_iter().flatten() {
            if new.judged_texts(one.0, one.1).is_some_and(|[_, judged]| !judged.is_any_of(&texts)) {
                changed.insert(one);
            }
        }
        if by_document.is_empty() {
            break;
        }
    }
    Ok(changed)
}

/// Grades below 0 mean that a document was looked at and not judged. Where a collection has none, one is a slip.
#[inline]
fn check_negative(there: [&Qrels; 2], new: &NewJudgments, added: &[Judged<'_>]) -> Result<()> {
    if there.into_iter().flat_map(grades).any(|grade| grade < 0) {
        return Ok(());
    }
    refuse(new, |one| {
        (one.2 < 0 && added.contains(&one)).then(|| {
            format!(
                "grade {} says that document {} was looked at and not judged, and no judgment of the collection is below 0: \
                 `null` leaves it for later",
                one.2,
                Quoted(one.1)
            )
        })
    })
}

/// The highest grade that there is, at least that of the guidelines.
#[inline]
fn highest(there: [&Qrels; 2]) -> i32 {
    there.into_iter().flat_map(grades).fold(HIGHEST, i32::max)
}

#[inline]
fn grades(qrels: &Qrels) -> impl Iterator<Item = i32> {
    qrels.iter().flat_map(|(_, judged)| judged.grades())
}

/// As they stand in the file.
#[inline]
fn in_order<'a>(new: &NewJudgments, all: impl Iterator<Item = Judged<'a>>) -> Vec<NewJudgment> {
    let placed = |(query, document, grade): Judged<'a>| {
        let origin = new.qrels.origin(query, document)?;
        let place = origin.to_string();
        let one = NewJudgment { place, query: query.to_owned(), document: document.to_owned(), grade };
        Some((origin.line, one))
    };
    let mut all: Vec<(Option<u64>, NewJudgment)> = all.filter_map(placed).collect();
    order::sort_by_key(&mut all, |(line, _)| *line);
    all.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

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

        fn source(&self, more: &[&str]) -> CollectionSource {
            let path = |name: &str| self.0.path().join(name);
            let collection = CollectionSource::Trec {
                queries: path("topics.tsv"),
                qrels: path("a.qrels"),
                corpus: Some(path("corpus.tsv")),
            };
            let judgments = more.iter().map(|name| path(name)).collect();
            CollectionSource::Judged { collection: Box::new(collection), judgments }
        }

        fn add(&self, lines: &[Judged<'_>], into: Option<&str>) -> Result<Merged, String> {
            let here = format!("{}/", self.0.path().display());
            let into = into.map(|name| self.0.path().join(name));
            self.source(&[])
                .add_judgments(&new(lines), into.as_deref())
                .map_err(|error| error.to_string().replace(&here, ""))
        }
    }

    fn new(lines: &[Judged<'_>]) -> NewJudgments {
        let line = |(query, document, grade): &Judged<'_>| {
            format!("{{\"query\": \"{query}\", \"document\": \"{document}\", \"grade\": {grade}}}\n")
        };
        let text: String = lines.iter().map(line).collect();
        NewJudgments::read(Source::bytes("new.jsonl", text.as_bytes())).unwrap()
    }

    #[test]
    fn judgments_by_subtopic_are_added_by_hand() {
        let files = Files::new("q1 0 d1 2\n");
        files.write("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"x\"}\n");
        fs::create_dir(files.0.path().join("qrels")).unwrap();
        files.write("qrels/test.tsv", "query-id\tcorpus-id\tscore\tsubtopic\nq1\td1\t1\ta\n");
        let beir = CollectionSource::Beir { dir: files.0.path().to_owned(), split: "test".to_owned() };
        let error = beir.add_judgments(&new(&[("q1", "d3", 1)]), None).unwrap_err().to_string();
        assert!(error.ends_with("its judgments are by subtopic: add lines to this file by hand"), "{error}");
        let text = "{\"query\": \"q1\", \"document\": \"d2\", \"grade\": 1, \"subtopic\": \"a\"}\n\
                    {\"query\": \"q1\", \"document\": \"d2\", \"grade\": 1, \"subtopic\": \"b\"}\n";
        let new = NewJudgments::read(Source::bytes("new.jsonl", text.as_bytes())).unwrap();
        let error = files.source(&[]).add_judgments(&new, None).unwrap_err().to_string();
        assert!(error.contains("the new judgments are by subtopic"), "{error}");
    }

    #[test]
    fn lines_stay_as_they_are_and_new_ones_follow_in_order() {
        let files = Files::new("# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 -2");
        let merged =
            files.add(&[("q2", "d3", 1), ("q1", "d3", -1), ("q1", "d1", 2), ("q2", "d1", 3)], None).unwrap();
        assert_eq!((merged.added, merged.known), (3, 1));
        assert_eq!(
            files.read("a.qrels"),
            "# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 -2\r\nq1 0 d3 -1\r\nq2 0 d1 3\r\nq2 0 d3 1\r\n"
        );
        assert_eq!(merged.sha256, file_sha256(files.0.path().join("a.qrels")).unwrap());
    }

    #[test]
    fn a_judgment_of_another_text_is_left_out() {
        let files = Files::new("q1 0 d1 2\n");
        let line = |document: &str, query_text: &str, document_text: &str| {
            json!({"query": "q1", "query_text": query_text, "document": document, "document_text": document_text, "grade": 1})
                .to_string()
        };
        // d1 has another grade already, which one of another text does not contradict.
        let lines = [
            line("d2", "one", " b\n"),
            line("d1", "one", "z"),
            line("d3", "two", "c"),
            "{\"query\": \"q2\", \"document\": \"d3\", \"grade\": 0}".to_owned(),
        ];
        let new = NewJudgments::read(Source::bytes("new.jsonl", lines.join("\n").as_bytes())).unwrap();
        let merged = files.source(&[]).add_judgments(&new, None).unwrap();
        assert_eq!((merged.added, merged.known), (2, 0));
        let changed: Vec<_> = merged.changed.iter().map(|one| (&*one.place, &*one.document)).collect();
        assert_eq!(changed, [("new.jsonl:2", "d1"), ("new.jsonl:3", "d3")]);
        assert_eq!(files.read("a.qrels"), "q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 0\n");
    }

    #[test]
    fn a_grade_off_the_scale_is_told() {
        let above = |qrels: &str, grade: i32| {
            let merged = Files::new(qrels).add(&[("q1", "d2", grade)], None).unwrap();
            merged.above_scale.iter().map(|one| format!("{} {}", one.place, one.grade)).collect::<Vec<_>>()
        };
        // The guidelines go to 3, and collections may go further.
        assert_eq!(above("q1 0 d1 1\n", 3), [""; 0]);
        assert_eq!(above("q1 0 d1 1\n", 4), ["new.jsonl:1 4"]);
        assert_eq!(above("q1 0 d1 10\n", 10), [""; 0]);
        assert_eq!(above("q1 0 d1 10\n", 99), ["new.jsonl:1 99"]);
        let files = Files::new("q1 0 d1 1\n");
        assert_eq!(
            files.add(&[("q1", "d2", -1)], None).unwrap_err(),
            "new.jsonl:1: grade -1 says that document `d2` was looked at and not judged, and no judgment of the collection is \
             below 0: `null` leaves it for later"
        );
        assert_eq!(files.read("a.qrels"), "q1 0 d1 1\n");
        let files = Files::new("q1 0 d1 -1\n");
        assert_eq!(files.add(&[("q1", "d2", -2)], None).unwrap().added, 1);
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
    fn an_unanswerable_query_gets_no_relevant_document() {
        let files = Files::new("q1 0 d1 2\n");
        files.write("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"a\"}\n{\"_id\": \"q2\", \"text\": \"b\", \"metadata\": {\"answerable\": false}}\n");
        fs::create_dir(files.0.path().join("qrels")).unwrap();
        let text = "query-id\tcorpus-id\tscore\nq1\td1\t1\n";
        files.write("qrels/test.tsv", text);
        let beir = CollectionSource::Beir { dir: files.0.path().to_owned(), split: "test".to_owned() };
        let error = beir.add_judgments(&new(&[("q1", "d2", 1), ("q2", "d1", 1)]), None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "new.jsonl:2: query `q2` is marked as unanswerable, and document `d1` has grade 1 for it: take out the mark or the \
             judgment"
        );
        assert_eq!(files.read("qrels/test.tsv"), text);
        // That a document has nothing to do with it may be said.
        assert_eq!(beir.add_judgments(&new(&[("q2", "d1", 0)]), None).unwrap().added, 1);
        assert_eq!(beir.load().unwrap().unanswerable().len(), 1);
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
    fn a_file_beside_the_others_is_added_to_and_agrees_with_them() {
        let files = Files::new("q1 0 d1 2\n");
        for (text, added) in [
            ("", "q1 0 d3 1\n"),
            ("q1\td2\t0\n", "q1\td3\t1\n"),
            (
                "{\"query\": \"q1\", \"document\": \"d2\", \"note\": \"x\", \"grade\": 0}\n",
                "{\"query\": \"q1\", \"document\": \"d3\", \"grade\": 1}\n",
            ),
        ] {
            files.write("more", text);
            let merged =
                files.source(&["more"]).add_judgments(&new(&[("q1", "d3", 1), ("q1", "d1", 2)]), None);
            assert_eq!(merged.map(|merged| (merged.added, merged.known)).unwrap(), (1, 1));
            assert_eq!(files.read("more"), format!("{text}{added}"));
            let collection = files.source(&["more"]).load().unwrap();
            assert_eq!(collection.qrels().grade("q1", "d3"), Some(1));
            let error = files.source(&["more"]).add_judgments(&new(&[("q1", "d1", 1)]), None).unwrap_err();
            assert!(
                error.to_string().ends_with(
                    "has grade 1 here and 2 in PATH/a.qrels:1"
                        .replace("PATH", &files.0.path().display().to_string())
                        .as_str()
                ),
                "{error}"
            );
        }
        files.write("more", "{\"q1\": {\"d2\": 1}}");
        let error = files.source(&["more"]).add_judgments(&new(&[("q1", "d3", 1)]), None).unwrap_err();
        assert!(
            error.to_string().ends_with("this is one JSON object, to which no lines can be added"),
            "{error}"
        );
    }

    #[test]
    fn files_that_contradict_each_other_are_an_error_that_names_both_lines() {
        let files = Files::new("q1 0 d1 2\nq2 0 d1 1\n");
        files.write("b.tsv", "q2\td1\t1\nq1\td1\t0\n");
        files.write("c.tsv", "q9\td1\t0\n");
        let here = format!("{}/", files.0.path().display());
        let said = |more: &[&str]| files.source(more).load().unwrap_err().to_string().replace(&here, "");
        assert_eq!(
            said(&["b.tsv"]),
            "b.tsv:2: document `d1` of query `q1` has grade 0 here and 2 in a.qrels:1"
        );
        assert_eq!(said(&["c.tsv"]), "c.tsv:1: judgment of a query that the collection does not have: `q9`");
    }

    #[test]
    fn judgments_inside_a_json_file_are_left_as_they_are() {
        let files = Files::new("");
        let text = "{\"queries\": [\n{\"id\": \"q1\", \"text\": \"a\", \"relevant\": [\"d1\"]},\n\
                    {\"id\": \"q2\", \"text\": \"b\"}\n], \"docs\": {\"d1\": \"\", \"d2\": \"\"}}";
        files.write("a.json", text);
        let path = |name: &str| files.0.path().join(name);
        let inside = CollectionSource::Json { path: path("a.json") };
        let new = new(&[("q1", "d1", 1), ("q2", "d2", 2)]);
        let error = inside.add_judgments(&new, None).unwrap_err().to_string();
        assert!(
            error.ends_with("name the file of the new ones beside it, as `judgments:` of the `collection:`")
        );
        assert_eq!(inside.add_judgments(&new, Some(&path("b.tsv"))).unwrap().added, 1);
        assert_eq!(files.read("b.tsv"), "query-id\tcorpus-id\tscore\nq2\td2\t2\n");
        assert_eq!(files.read("a.json"), text);
        assert_eq!(inside.load().unwrap().warnings(), ["1 of 2 queries has no judgments: `q2`"]);
        let judged =
            CollectionSource::Judged { collection: Box::new(inside), judgments: vec![path("b.tsv")] };
        let collection = judged.load().unwrap();
        assert_eq!((collection.queries().len(), collection.warnings().len()), (2, 0));
        assert_eq!(judged.files().unwrap().into_keys().collect::<Vec<_>>(), ["a.json", "b.tsv"]);
    }

    #[test]
    fn judgments_in_a_spec_are_refused() {
        let new = NewJudgments::read(Source::bytes("new.jsonl", b"")).unwrap();
        let collection =
            Collection::parse_json("a.json", br#"[{"id": "q", "text": "t", "relevant": ["d"]}]"#);
        let error = CollectionSource::Inline(collection.unwrap()).add_judgments(&new, None).unwrap_err();
        assert!(error.to_string().contains("`inline`"), "{error}");
    }
}
