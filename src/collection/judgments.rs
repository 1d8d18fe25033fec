//! One query's judged documents.

use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The documents that were judged for one query, with their grades.
///
/// A grade above 0 says relevant and how much, 0 judged and not relevant. A negative grade says
/// that the document was in the pool but not judged; metrics treat it as unjudged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgments {
    by_document: HashMap<Box<str>, Judgment, RandomState>,
}

/// A grade, and a mark of where it comes from.
#[derive(Clone, Copy, Debug)]
struct Judgment {
    grade: i32,
    mark: Mark,
}

/// Which of the files of judgments a grade comes from, and which line of it: 8 and 24 bits, since there may be
/// many millions of them. No file is 0; a line beyond 24 bits is not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(u32);

impl Mark {
    /// As many files can be told apart.
    pub(super) const FILES: usize = (1 << 8) - 1;
    const LINE: u64 = (1 << 24) - 1;

    /// A line of the only file; `None` where there is no file.
    fn of_line(line: Option<u64>) -> Self {
        let known = |line: u64| if line <= Self::LINE { line as u32 } else { 0 };
        Self(line.map_or(0, |line| 1 << 24 | known(line)))
    }

    /// The number of the file, counted from 0.
    pub(super) fn file(self) -> Option<usize> {
        (self.0 >> 24).checked_sub(1).map(|file| file as usize)
    }

    /// The line, counted from 1.
    pub(super) fn line(self) -> Option<u64> {
        Some(u64::from(self.0) & Self::LINE).filter(|line| *line > 0)
    }

    /// The same where so many other files stand first.
    fn behind(self, files: usize) -> Self {
        self.file().map_or(self, |_| Self(self.0 + ((files as u32) << 24)))
    }
}

/// Two judgments are the same when they say the same, wherever it was written.
impl PartialEq for Judgment {
    fn eq(&self, other: &Self) -> bool {
        self.grade == other.grade
    }
}

/// The same document judged a second time.
pub(super) struct JudgedTwice {
    /// The line of the first judgment, where it came from a file.
    pub(super) first_line: Option<u64>,
}

impl Judgments {
    /// The grade of a document, or `None` where nobody judged it.
    #[must_use]
    pub fn grade(&self, document: &str) -> Option<i32> {
        self.by_document.get(document).map(|judgment| judgment.grade)
    }

    /// Every judged document with its grade, ordered by document id (bytes); sorts at each call.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, i32)> + DoubleEndedIterator {
        let mut judged: Vec<(&str, i32)> = self.unordered().collect();
        judged.sort_unstable();
        judged.into_iter()
    }

    /// Every judged document with its grade, in no order: for what is ordered afterwards.
    pub(crate) fn unordered(&self) -> impl Iterator<Item = (&str, i32)> + Clone {
        self.by_document.iter().map(|(document, judgment)| (&**document, judgment.grade))
    }

    /// Every grade, from the highest to the lowest; sorts at each call.
    pub fn grades(&self) -> impl ExactSizeIterator<Item = i32> + DoubleEndedIterator {
        let mut grades: Vec<i32> = self.by_document.values().map(|judgment| judgment.grade).collect();
        grades.sort_unstable_by(|a, b| b.cmp(a));
        grades.into_iter()
    }

    /// How many documents were judged.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_document.len()
    }

    /// Whether no document was judged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_document.is_empty()
    }

    pub(super) fn insert(
        &mut self,
        document: &str,
        grade: i32,
        line: Option<u64>,
    ) -> Result<(), JudgedTwice> {
        match self.by_document.entry(document.into()) {
            Entry::Occupied(first) => Err(JudgedTwice { first_line: first.get().mark.line() }),
            Entry::Vacant(slot) => {
                slot.insert(Judgment { grade, mark: Mark::of_line(line) });
                Ok(())
            }
        }
    }

    /// Adds what is judged here only now, whose files come after so many.
    pub(super) fn merge(&mut self, more: Self, files: usize) {
        for (document, Judgment { grade, mark }) in more.by_document {
            self.by_document.entry(document).or_insert(Judgment { grade, mark: mark.behind(files) });
        }
    }

    /// Where a document's judgment comes from.
    pub(super) fn mark(&self, document: &str) -> Option<Mark> {
        self.by_document.get(document).map(|judgment| judgment.mark)
    }

    /// The first line that judged anything for this query.
    pub(super) fn first_line(&self) -> Option<u64> {
        self.by_document.values().filter_map(|judgment| judgment.mark.line()).min()
    }
}
