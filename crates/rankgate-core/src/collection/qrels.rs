//! Judgments: which documents are relevant to which query, and how much.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::collection::Judgments;
use crate::collection::judgments::{JudgedTwice, Mark};
use crate::collection::subtopics::Subtopics;
use crate::content_hash::Content;
use crate::error::Quoted;
use crate::metric::SubtopicJudgments;
use crate::{Error, Result};

/// Relevance judgments: query id, document id, grade.
///
/// ```
/// # fn main() -> rankgate::Result<()> {
/// let mut qrels = rankgate::Qrels::new();
/// qrels.insert("q1", "refunds-3", 3)?;
/// qrels.insert("q1", "address-1", 0)?;
///
/// assert_eq!(qrels.grade("q1", "refunds-3"), Some(3));
/// assert_eq!(qrels.grade("q1", "never-judged"), None);
/// assert!(qrels.insert("q1", "refunds-3", 1).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Qrels {
    by_query: BTreeMap<String, Judgments>,
    max_grade: i32,
    /// What was judged by subtopic.
    subtopics: Subtopics,
    /// The files that they come from, as the marks of judgments count them.
    files: Vec<PathBuf>,
}

/// Judgments are the same when they say the same, wherever it was written.
impl PartialEq for Qrels {
    fn eq(&self, other: &Self) -> bool {
        self.by_query == other.by_query && self.subtopics.judgments() == other.subtopics.judgments()
    }
}

/// Where a judgment comes from; shown as `test.tsv:3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin<'a> {
    /// The file, or what it was called when it was read.
    pub file: &'a Path,
    /// The line, counted from 1, of the first 16 million.
    pub line: Option<u64>,
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

impl Qrels {
    /// No judgments.
    pub fn new() -> Self {
        Self::default()
    }

    /// No judgments yet of a file.
    #[doc(hidden)]
    pub fn of_file(path: &Path) -> Self {
        Self { files: vec![path.to_owned()], ..Self::default() }
    }

    /// Adds the judgments of other files. Each judgment goes on telling [where it comes from](Self::origin).
    ///
    /// # Errors
    ///
    /// A document that has another grade for a query; the message names both places. More than 255 files.
    ///
    /// ```
    /// use rankgate::{Qrels, Source};
    ///
    /// let mut qrels = Qrels::parse("first.qrels", b"q1 0 d1 2\n")?;
    /// qrels.merge(Qrels::parse("pooled.qrels", b"q1 0 d1 2\nq1 0 d2 0\n")?)?;
    /// assert_eq!(qrels.grade("q1", "d2"), Some(0));
    /// assert_eq!(qrels.origin("q1", "d2").unwrap().to_string(), "pooled.qrels:2");
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn merge(&mut self, more: Self) -> Result<()> {
        self.join(more, false)
    }

    /// Adds the judgments of documents that are not judged here; the others stay.
    pub(super) fn add_unjudged(&mut self, more: Self) -> Result<()> {
        self.join(more, true)
    }

    fn join(&mut self, more: Self, may_differ: bool) -> Result<()> {
        if self.is_empty() {
            *self = more;
            return Ok(());
        }
        let files = self.files.len();
        if files + more.files.len() > Mark::FILES {
            return Err(Error::invalid(format!("judgments of more than {} files", Mark::FILES)));
        }
        let by_subtopic = self.has_subtopics() && more.has_subtopics();
        if by_subtopic {
            self.add_subtopics(&more)?;
        } else {
            // The second column of many collections counts rounds of judging, which further judgments need not do.
            self.subtopics = Subtopics::default();
        }
        for (query, judged) in more.iter().filter(|_| !may_differ && !by_subtopic) {
            let Some(known) = self.judgments(query) else { continue };
            let differs =
                |(document, grade): &(&str, i32)| known.grade(document).is_some_and(|g| g != *grade);
            if let Some((document, grade)) = judged.iter().find(differs) {
                let told = self.told_otherwise(query, document, grade);
                let at = more.origin(query, document).map(|at| format!("{at}: ")).unwrap_or_default();
                return Err(Error::invalid(format!("{at}{told}")));
            }
        }
        for (query, judged) in more.by_query {
            let own = self.by_query.entry(query).or_default();
            own.merge(&judged, files);
            if by_subtopic {
                judged.unordered().for_each(|(document, grade)| own.raise(document, grade));
            }
        }
        self.max_grade = self.max_grade.max(more.max_grade);
        self.files.extend(more.files);
        Ok(())
    }

    fn add_subtopics(&mut self, more: &Self) -> Result<()> {
        for (query, document, subtopic, grade) in more.subtopics.iter() {
            let known = self.subtopics.add(query, document, subtopic, grade);
            if let Some(known) = known.filter(|known| *known != grade) {
                let (query, document, subtopic) = (Quoted(query), Quoted(document), Quoted(subtopic));
                return Err(Error::invalid(format!(
                    "document {document} has grade {grade} for subtopic {subtopic} of query {query} here and {known} before"
                )));
            }
        }
        Ok(())
    }

    /// Leaves out all other queries.
    pub(super) fn keep_queries(&mut self, queries: &HashSet<String>) {
        self.by_query.retain(|query, _| queries.contains(query));
    }

    /// Takes over the highest grade of others, if it is higher.
    pub(super) fn on_scale_of(&mut self, other: &Self) {
        self.max_grade = self.max_grade.max(other.max_grade);
    }

    /// That a grade from elsewhere is another than the one that is here.
    fn told_otherwise(&self, query: &str, document: &str, grade: i32) -> String {
        let before = self.grade(query, document).unwrap_or_default();
        let at = self.origin(query, document).map(|at| format!(" in {at}")).unwrap_or_default();
        let (query, document) = (Quoted(query), Quoted(document));
        format!("document {document} of query {query} has grade {grade} here and {before}{at}")
    }

    /// Where the judgment of a document for a query comes from; `None` where it comes from no file, or nobody
    /// judged it.
    pub fn origin(&self, query: &str, document: &str) -> Option<Origin<'_>> {
        let mark = self.judgments(query)?.mark(document)?;
        Some(Origin { file: self.files.get(mark.file()?)?, line: mark.line() })
    }

    /// Adds one judgment.
    ///
    /// # Errors
    ///
    /// An empty id, or a document that has been judged for this query already, whatever the grade.
    pub fn insert(&mut self, query: &str, document: &str, grade: i32) -> Result<()> {
        if query.is_empty() {
            return Err(Error::invalid(format!(
                "a judgment of document {} names no query",
                Quoted(document)
            )));
        }
        if document.is_empty() {
            return Err(Error::invalid(format!("a judgment for query {} names no document", Quoted(query))));
        }
        self.insert_from_line(query, document, grade, None).map_err(|_| {
            let (query, document) = (Quoted(query), Quoted(document));
            Error::invalid(format!("document {document} is judged twice for query {query}"))
        })
    }

    /// Adds one judgment that was read from a line; neither id is empty.
    pub(super) fn insert_from_line(
        &mut self,
        query: &str,
        document: &str,
        grade: i32,
        line: Option<u64>,
    ) -> Result<(), JudgedTwice> {
        let judgments = match self.by_query.get_mut(query) {
            Some(judgments) => judgments,
            None => self.by_query.entry(query.to_owned()).or_default(),
        };
        judgments.insert(document, grade, line)?;
        self.max_grade = self.max_grade.max(grade);
        Ok(())
    }

    /// Adds one judgment that was read from a line with a subtopic of its query; a document's own grade is the highest of
    /// those. Where all lines have the same subtopic, it says nothing.
    pub(super) fn insert_of_subtopic(
        &mut self,
        (query, subtopic): (&str, &str),
        document: &str,
        grade: i32,
        line: Option<u64>,
    ) -> Result<(), JudgedTwice> {
        let by_query = &self.by_query;
        let so_far = || {
            let each =
                by_query.iter().flat_map(|(query, judged)| judged.unordered().map(move |one| (query, one)));
            each.map(|(query, (document, grade))| (query.as_str(), document, grade)).collect()
        };
        if !self.subtopics.see(subtopic, so_far) {
            return self.insert_from_line(query, document, grade, line);
        }
        if self.subtopics.add(query, document, subtopic, grade).is_some() {
            let mark = self.judgments(query).and_then(|judged| judged.mark(document));
            return Err(JudgedTwice { first_line: mark.and_then(Mark::line) });
        }
        match self.by_query.get_mut(query) {
            Some(judged) if judged.grade(document).is_some() => judged.raise(document, grade),
            _ => return self.insert_from_line(query, document, grade, line),
        }
        self.max_grade = self.max_grade.max(grade);
        Ok(())
    }

    /// Whether documents were judged by subtopic: some query has several.
    pub fn has_subtopics(&self) -> bool {
        self.subtopics.judgments().is_some()
    }

    /// The judgments of a query by subtopic; `None` where no query was judged so.
    pub fn subtopics(&self, query: &str) -> Option<SubtopicJudgments> {
        self.subtopics.for_query(query)
    }

    /// SHA-256 of all judgments, in lower-case hexadecimal: of what they say, so that reordered
    /// lines or compression change nothing.
    pub fn sha256(&self) -> String {
        let mut content = Content::new("judgments");
        for (query, judgments) in self.iter() {
            content.text(query);
            content.count(judgments.len());
            for (document, grade) in judgments.iter() {
                content.text(document);
                content.bytes(&grade.to_le_bytes());
            }
        }
        for (query, document, subtopic, grade) in self.subtopics.iter() {
            [query, document, subtopic].iter().for_each(|text| content.text(text));
            content.bytes(&grade.to_le_bytes());
        }
        content.finish()
    }

    /// Query, document, subtopic and grade of all judgments by subtopic, in the order of ids.
    #[doc(hidden)]
    pub fn by_subtopic(&self) -> impl Iterator<Item = (&str, &str, &str, i32)> {
        self.subtopics.iter()
    }

    /// The grade of a document for a query, or `None` where nobody judged it.
    pub fn grade(&self, query: &str, document: &str) -> Option<i32> {
        self.judgments(query)?.grade(document)
    }

    /// The judged queries, ordered by id (bytes).
    pub fn queries(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.by_query.keys().map(String::as_str)
    }

    /// What was judged for a query, or `None` where nothing was.
    pub fn judgments(&self, query: &str) -> Option<&Judgments> {
        self.by_query.get(query)
    }

    /// Every judged query with its judgments, ordered by query id (bytes).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Judgments)> + DoubleEndedIterator {
        self.by_query.iter().map(|(query, judgments)| (query.as_str(), judgments))
    }

    /// The highest grade; 0 where nothing is judged or no grade is above 0.
    pub fn max_grade(&self) -> i32 {
        self.max_grade
    }

    /// How many judgments there are, over all queries.
    pub fn len(&self) -> usize {
        self.by_query.values().map(Judgments::len).sum()
    }

    /// Whether there is no judgment at all.
    pub fn is_empty(&self) -> bool {
        self.by_query.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qrels(judgments: &[(&str, &str, i32)]) -> Qrels {
        let mut qrels = Qrels::new();
        for (query, document, grade) in judgments {
            qrels.insert(query, document, *grade).unwrap();
        }
        qrels
    }

    #[test]
    fn queries_and_documents_come_out_in_byte_order() {
        let qrels = qrels(&[("q2", "b", 1), ("q10", "x", 0), ("q2", "a", 2), ("q2", "Z", -1)]);
        assert_eq!(qrels.queries().collect::<Vec<_>>(), ["q10", "q2"]);
        let judgments = qrels.judgments("q2").unwrap();
        assert_eq!(judgments.iter().collect::<Vec<_>>(), [("Z", -1), ("a", 2), ("b", 1)]);
        assert_eq!(judgments.grades().collect::<Vec<_>>(), [2, 1, -1]);
        assert_eq!((qrels.len(), judgments.len(), qrels.max_grade()), (4, 3, 2));
    }

    #[test]
    fn insertion_order_does_not_matter() {
        let one = [("q1", "a", 1), ("q2", "b", 2)];
        let other = [("q2", "b", 2), ("q1", "a", 1)];
        assert_eq!(qrels(&one), qrels(&other));
    }

    #[test]
    fn a_second_judgment_of_a_pair_is_an_error_even_when_the_grades_agree() {
        let mut qrels = qrels(&[("q1", "a", 1)]);
        let error = qrels.insert("q1", "a", 1).unwrap_err();
        assert_eq!(error.to_string(), "document `a` is judged twice for query `q1`");
        assert!(qrels.insert("", "a", 1).is_err() && qrels.insert("q1", "", 1).is_err());
    }

    #[test]
    fn the_highest_grade_of_negative_grades_is_0() {
        assert_eq!(Qrels::new().max_grade(), 0);
        assert_eq!(qrels(&[("q1", "a", -2)]).max_grade(), 0);
    }
}
