//! One query's judged documents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use foldhash::fast::FixedState;

/// The documents that were judged for one query, with their grades.
///
/// A grade above 0 says relevant and how much, 0 or below judged and not relevant.
#[derive(Clone, Default)]
pub struct Judgments(HashMap<Box<str>, Judgment, FixedState>);

/// A grade, and a mark of where it comes from.
#[derive(Clone, Copy)]
struct Judgment {
    grade: i32,
    mark: Mark,
}

/// Which of the files of judgments a grade comes from, and which line of it: 8 and 24 bits, since there may be
/// many millions of them. No file is 0; a line beyond 24 bits is not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(u32);

impl Mark {
    /// The largest number of files.
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

/// Judgments are the same when they say the same, wherever it was written.
impl PartialEq for Judgments {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.unordered().all(|(id, grade)| other.grade(id) == Some(grade))
    }
}

impl fmt::Debug for Judgments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The same document judged a second time.
pub(super) struct JudgedTwice {
    /// The line of the first judgment, where it came from a file.
    pub(super) first_line: Option<u64>,
}

impl Judgments {
    /// The grade of a document, or `None` where it is unjudged.
    pub fn grade(&self, document: &str) -> Option<i32> {
        self.0.get(document).map(|judged| judged.grade)
    }

    /// Every judged document with its grade, ordered by document id (bytes); sorts at each call.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, i32)> + DoubleEndedIterator {
        let mut judged: Vec<(&str, i32)> = self.unordered().collect();
        judged.sort_unstable();
        judged.into_iter()
    }

    /// Every grade, from the highest to the lowest; sorts at each call.
    pub fn grades(&self) -> impl ExactSizeIterator<Item = i32> + DoubleEndedIterator {
        let mut grades: Vec<i32> = self.0.values().map(|judged| judged.grade).collect();
        grades.sort_unstable();
        grades.into_iter().rev()
    }

    /// How many documents were judged.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no document was judged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(
        &mut self,
        document: &str,
        grade: i32,
        line: Option<u64>,
    ) -> Result<(), JudgedTwice> {
        match self.0.entry(document.into()) {
            Entry::Occupied(first) => Err(JudgedTwice { first_line: first.get().mark.line() }),
            Entry::Vacant(free) => {
                free.insert(Judgment { grade, mark: Mark::of_line(line) });
                Ok(())
            }
        }
    }

    /// Raises the grade of a judged document to at least this one.
    pub(super) fn raise(&mut self, document: &str, grade: i32) {
        if let Some(judged) = self.0.get_mut(document) {
            judged.grade = judged.grade.max(grade);
        }
    }

    /// Adds what is judged here only now, whose files come after so many. What is known already stays.
    pub(super) fn merge(&mut self, more: &Self, files: usize) {
        for (document, Judgment { grade, mark }) in &more.0 {
            let judged = Judgment { grade: *grade, mark: mark.behind(files) };
            self.0.entry(document.clone()).or_insert(judged);
        }
    }

    /// Where a document's judgment comes from.
    pub(super) fn mark(&self, document: &str) -> Option<Mark> {
        self.0.get(document).map(|judged| judged.mark)
    }

    /// The first line that judged anything for this query.
    pub(super) fn first_line(&self) -> Option<u64> {
        self.0.values().filter_map(|judged| judged.mark.line()).min()
    }
}

#[doc(hidden)]
impl Judgments {
    /// Every judged document with its grade, in no order: for callers that sort afterwards.
    pub fn unordered(&self) -> impl Iterator<Item = (&str, i32)> + Clone {
        self.0.iter().map(|(id, judged)| (&**id, judged.grade))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_judgment_tells_the_line_of_the_first() {
        let mut judgments = Judgments::default();
        for (line, document) in (1..).zip(["b", "", "ab", "a"]) {
            assert!(judgments.insert(document, line, Some(line as u64)).is_ok());
        }
        assert_eq!(judgments.insert("ab", 9, Some(9)).err().and_then(|twice| twice.first_line), Some(3));
        assert_eq!(judgments.iter().collect::<Vec<_>>(), [("", 2), ("a", 4), ("ab", 3), ("b", 1)]);
        assert_eq!((judgments.first_line(), judgments.mark("a").and_then(Mark::line)), (Some(1), Some(4)));
        assert_eq!(format!("{judgments:?}"), r#"{"": 2, "a": 4, "ab": 3, "b": 1}"#);
    }

    #[test]
    fn what_was_known_before_stays_when_more_is_merged() {
        let of = |judged: &[(&str, i32)]| {
            let mut judgments = Judgments::default();
            judged.iter().for_each(|(id, grade)| assert!(judgments.insert(id, *grade, Some(7)).is_ok()));
            judgments
        };
        let mut both = of(&[("a", 1), ("b", 2)]);
        both.merge(&of(&[("c", 0), ("a", 3)]), 1);
        assert_eq!(both, of(&[("c", 0), ("b", 2), ("a", 1)]));
        assert_ne!(both, of(&[("c", 0), ("b", 2), ("a", 3)]));
        assert_ne!(both, of(&[("c", 0), ("b", 2), ("d", 1)]));
        let files = ["a", "b", "c"].map(|id| both.mark(id).and_then(Mark::file));
        assert_eq!(files, [Some(0), Some(0), Some(1)]);
    }
}
