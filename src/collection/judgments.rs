//! One query's judged documents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::NonZeroU32;

use foldhash::fast::RandomState;

/// The documents that were judged for one query, with their grades.
///
/// A grade above 0 says relevant and how much, 0 judged and not relevant. A negative grade says
/// that the document was in the pool but not judged; metrics treat it as unjudged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgments {
    by_document: HashMap<Box<str>, Judgment, RandomState>,
}

/// A grade and, for error messages, the line that it was read from.
#[derive(Clone, Copy, Debug)]
struct Judgment {
    grade: i32,
    line: Option<NonZeroU32>,
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
    pub(crate) fn unordered(&self) -> impl Iterator<Item = (&str, i32)> {
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
            Entry::Occupied(first) => {
                Err(JudgedTwice { first_line: first.get().line.map(|line| line.get().into()) })
            }
            Entry::Vacant(slot) => {
                let line = line.and_then(|line| NonZeroU32::new(u32::try_from(line).ok()?));
                slot.insert(Judgment { grade, line });
                Ok(())
            }
        }
    }

    /// The line that a document's judgment was read from, where it came from a file.
    pub(super) fn line(&self, document: &str) -> Option<u64> {
        self.by_document.get(document)?.line.map(|line| line.get().into())
    }

    /// The first line that judged anything for this query.
    pub(super) fn first_line(&self) -> Option<u64> {
        self.by_document.values().filter_map(|judgment| judgment.line).min().map(|line| line.get().into())
    }
}
