//! Adding judgments to the file that holds the others.

mod judged_text;
mod new_judgments;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use rankgate::{Qrels, Source};
use rankgate_core::internal::{input::is_comment, order, output::replace_file};

pub use self::new_judgments::NewJudgments;
use super::collection::{Collection, CollectionSource, Query, beir_judgments};
use super::error::Quoted;
use super::{Error, Result};

/// What came of adding judgments.
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// A judgment that there is something to say of.
#[derive(Clone, Debug, PartialEq, Eq)]
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
/// A document that has another grade already (the message names both lines), a query or document that
/// the collection does not have, a grade below 0 where the collection has none, a collection without a file of judgments, a file that
/// cannot be read or written.
pub fn add_judgments(source: &CollectionSource, new: &NewJudgments, into: Option<&Path>) -> Result<Merged> {
    let file = match (judgments_file(source), into) {
        (Err(error), None) => return Err(error),
        (file, _) => file.ok(),
    };
    // People's grades may differ from a model's.
    let by_people = match source {
        CollectionSource::Judged { collection, judgments, .. } => CollectionSource::Judged {
            collection: collection.clone(),
            judgments: judgments.clone(),
            model: None,
            sample: None,
        },
        other => other.clone(),
    };
    let collection = by_people.load()?;
    check_ids(&collection, new)?;
    let changed = changed(&collection, new)?;
    let target = into.or(file.as_deref()).unwrap_or(Path::new(""));
    let base = Some(target).filter(|target| target.exists()).or(file.as_deref());
    let text = match base {
        Some(base) => Source::from(base).text()?,
        None => "query-id\tcorpus-id\tscore\n".to_owned(),
    };
    let name = base.unwrap_or(target);
    let read = |text: &str| Qrels::parse(&name.display().to_string(), text.as_bytes());
    let there = read(&text)?;
    if new.qrels.has_subtopics() {
        return Err(Error::in_file(
            target,
            "the new judgments are by subtopic: add lines to this file by hand",
        ));
    }
    // A file in place of the collection's stands for itself; one beside others must agree with them.
    let mut known = if into.is_some() && file.is_some() { Qrels::new() } else { collection.qrels().clone() };
    known.merge(there.clone())?;
    let added = unknown_to(&known, new, &changed)?;
    check_negative([collection.qrels(), &there], new, &added)?;
    let highest = highest([collection.qrels(), &there]);
    let above = added.iter().filter(|(.., grade)| *grade > highest);
    if !added.is_empty() || !target.exists() {
        let after = with_more(name, &text, &added)?;
        // What is written is what will be read.
        if read(&after).map_or(0, |after| after.len()) != there.len() + added.len() {
            return Err(Error::in_file(
                name,
                "the judgments do not fit into the columns of this file: add them by hand",
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
    })
}

/// The file for new judgments.
fn judgments_file(source: &CollectionSource) -> Result<PathBuf> {
    let inside = |what: &str| {
        Err(Error::invalid(format!(
            "the judgments stand in {what}, which is left as it is: name the file of the new ones beside it, as \
             `judgments:` of the `collection:`"
        )))
    };
    match source {
        CollectionSource::Trec { qrels, .. } => Ok(qrels.clone()),
        CollectionSource::Judged { collection, judgments, .. } => {
            judgments.last().map_or_else(|| judgments_file(collection), |last| Ok(last.clone()))
        }
        CollectionSource::Json { path } => inside(&path.display().to_string()),
        CollectionSource::Spans { spans, .. } => Err(Error::in_file(
            spans,
            "judgments are of spans here, and new ones are of documents: add spans to this file",
        )),
        CollectionSource::Inline(_) => inside("the spec itself (`inline`)"),
        CollectionSource::Beir { dir, split } => beir_judgments(dir, split),
        _ => inside("no file of their own"),
    }
}

/// The first line with data.
fn data(text: &str) -> Option<&str> {
    text.lines().find(|line| !is_comment(line) && !line.trim().is_empty())
}

/// A text with more lines, which end as its own do.
fn with_more(path: &Path, before: &str, added: &[Judged<'_>]) -> Result<String> {
    let first = data(before).unwrap_or_default();
    let line = serde_json::from_str::<Map<String, Value>>(first).ok();
    let is_json =
        line.and_then(|line| line.get("query").map(|id| !id.is_object() && !id.is_array())).unwrap_or(false);
    if first.starts_with('{') && !is_json {
        return Err(Error::in_file(path, "this is one JSON object, to which no lines can be added"));
    }
    let end = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = before.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text += end;
    }
    for (query, document, grade) in added {
        text += &match (is_json, first.matches('\t').count()) {
            (true, _) => {
                let (query, document) = (json!(query), json!(document));
                format!("{{\"query\": {query}, \"document\": {document}, \"grade\": {grade}}}")
            }
            (false, 2) => format!("{query}\t{document}\t{grade}"),
            _ => format!("{query} 0 {document} {grade}"),
        };
        text += end;
    }
    Ok(text)
}

/// That a grade from elsewhere is another than the one that is there.
fn told_otherwise(there: &Qrels, (query, document, grade): Judged<'_>) -> String {
    let before = there.grade(query, document).unwrap_or_default();
    let at = there.origin(query, document).map(|at| format!(" in {at}")).unwrap_or_default();
    let (query, document) = (Quoted(query), Quoted(document));
    format!("document {document} of query {query} has grade {grade} here and {before}{at}")
}

/// Everything that is judged must be there: a slip in an id would be a judgment that no retriever can meet.
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

fn judgments(new: &NewJudgments) -> impl Iterator<Item = Judged<'_>> {
    let each = new.qrels.iter();
    each.flat_map(|(query, judged)| judged.iter().map(move |(document, grade)| (query, document, grade)))
}

/// An error that names the first few lines of which there is something to say, if there are any.
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
fn unknown_to<'a>(
    there: &Qrels,
    new: &'a NewJudgments,
    changed: &HashSet<Judged<'_>>,
) -> Result<Vec<Judged<'a>>> {
    refuse(new, |one| {
        let (query, document, grade) = one;
        let other = there.grade(query, document).is_some_and(|before| before != grade);
        (other && !changed.contains(&one)).then(|| told_otherwise(there, one))
    })?;
    let is_new = |one: &Judged<'_>| there.grade(one.0, one.1).is_none() && !changed.contains(one);
    Ok(judgments(new).filter(is_new).collect())
}

impl NewJudgments {
    /// The judgments, if all are of today's texts.
    ///
    /// # Errors
    /// One whose query or document is another text today, with its line.
    pub fn of_todays_texts(self, collection: &Collection) -> Result<Qrels> {
        let changed = in_order(&self, changed(collection, &self)?.into_iter());
        let Some(NewJudgment { place, query, document, .. }) = changed.first() else { return Ok(self.qrels) };
        Err(Error::invalid(format!(
            "{place}: document {} of query {} is another text today than the one that was graded, as are {} of {} grades: take the \
             lines out, and grade today's texts",
            Quoted(document),
            Quoted(query),
            changed.len(),
            self.len()
        )))
    }
}

/// Those whose query or document is another text today than the one that was judged.
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

/// Where a collection has no grade below 0, one is a slip.
fn check_negative(there: [&Qrels; 2], new: &NewJudgments, added: &[Judged<'_>]) -> Result<()> {
    if there.into_iter().flat_map(grades).any(|grade| grade < 0) {
        return Ok(());
    }
    refuse(new, |one| {
        (one.2 < 0 && added.contains(&one)).then(|| {
            format!(
                "document {} has grade {}, and no judgment of the collection is below 0: `null` leaves it for later",
                Quoted(one.1),
                one.2
            )
        })
    })
}

/// The highest grade that there is, at least that of the guidelines.
fn highest(there: [&Qrels; 2]) -> i32 {
    there.into_iter().flat_map(grades).fold(HIGHEST, i32::max)
}

fn grades(qrels: &Qrels) -> impl Iterator<Item = i32> {
    qrels.iter().flat_map(|(_, judged)| judged.grades())
}

/// As they stand in the file.
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
