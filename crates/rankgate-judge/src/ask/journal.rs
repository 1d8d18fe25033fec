//! The judgments file while it is written: answers are appended at once, and sorted at the end.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind as Io, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::output::{Written, write_whole};
use crate::{Error, ErrorKind, Result};
use rankgate::judge::{Description, Item, JudgmentsFile, Pair};

/// A judgments file that is being added to.
pub struct Journal {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: JudgmentsFile,
    /// Pairs to ask again: an old answer stays until a new one comes.
    before: Vec<Item>,
    /// Open, and locked against others, once something was added.
    appended: Option<File>,
}

impl Journal {
    /// Reads the file; a last line that a kill has torn is left out.
    ///
    /// # Errors
    /// A file that cannot be read, or that is none.
    pub fn open(path: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == Io::NotFound => String::new(),
            Err(error) => return Err(Error::io("cannot read", path, error)),
        };
        let file = JudgmentsFile::parse(&path.display().to_string(), &text, true)?;
        Ok(Self {
            path: path.to_owned(),
            state: Mutex::new(State { file, before: Vec::new(), appended: None }),
        })
    }

    /// The same of a file that stands beside a committed one, which is looked up as well and stays as it is.
    ///
    /// # Errors
    /// As of [`open`](Self::open), of either file.
    pub(crate) fn open_beside(path: &Path, committed: &Path) -> Result<Self> {
        let Self { path, state } = Self::open(path)?;
        let State { file, before, appended } = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let file = file.beside(JudgmentsFile::read(committed, false)?);
        Ok(Self { path, state: Mutex::new(State { file, before, appended }) })
    }

    /// The file's judgments.
    pub fn look<T>(&self, look: impl FnOnce(&JudgmentsFile) -> T) -> T {
        look(&self.state.lock().unwrap_or_else(PoisonError::into_inner).file)
    }

    /// Makes room for another answer of this judge to what is on file already. A line that comes later must not say another
    /// thing of the same, and so what is asked again leaves the file with the first answer; it comes back at the end where
    /// none has taken its place.
    pub(crate) fn ask_again(&self, judge: &str, pairs: &[Pair]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for pair in pairs {
            let before = state.file.remove(judge, &pair.query.id, &pair.document.id);
            state.before.extend(before);
        }
    }

    /// Adds an item of this judge, on the disk as well.
    ///
    /// # Errors
    /// A file that cannot be written, or that somebody else is writing.
    pub(crate) fn keep(&self, judge: &Description, item: Item) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.appended.is_none() {
            state.file.describe(judge.clone());
            // Until the new file is there the old one stays locked.
            let before = self.lock()?;
            state.appended = match write_whole(&self.path, state.file.text().as_bytes())? {
                // It is the very file that is locked.
                Written::Unchanged => before,
                Written::New | Written::Changed => self.lock()?,
            };
        }
        if let Some(file) = &mut state.appended {
            // In one piece: a kill leaves at most the beginning of a line.
            file.write_all(item.line().as_bytes())
                .map_err(|error| Error::output("cannot write", &self.path, error))?;
        }
        state.file.insert(item);
        Ok(())
    }

    /// Sorts what was added.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn finish(self) -> Result<JudgmentsFile> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        for item in state.before.drain(..) {
            if !state.file.holds(&item) {
                state.file.insert(item);
            }
        }
        if state.appended.is_some() {
            write_whole(&self.path, state.file.text().as_bytes())?;
        }
        Ok(state.file)
    }

    /// Writes another file in its place, and returns the result.
    ///
    /// # Errors
    /// As of [`keep`](Self::keep).
    pub(crate) fn replace<T>(self, other: impl FnOnce(&JudgmentsFile) -> (JudgmentsFile, T)) -> Result<T> {
        let _locked = self.lock()?;
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, said) = other(&state.file);
        write_whole(&self.path, file.text().as_bytes())?;
        Ok(said)
    }

    /// The file, to which nothing else adds as long as this is open; `None` where it is missing.
    fn lock(&self) -> Result<Option<File>> {
        let file = match File::options().append(true).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == Io::NotFound => return Ok(None),
            Err(error) => return Err(Error::output("cannot write", &self.path, error)),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {
                let message =
                    "another `rankgate judge` is writing it: wait for it, or end it; nothing is asked twice";
                Err(Error::of_file(ErrorKind::Setup, &self.path, message))
            }
            Err(TryLockError::Error(error)) => Err(Error::output("cannot lock", &self.path, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{description, item};

    #[test]
    fn what_is_answered_is_there_at_once_and_sorted_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judged/toy.jsonl");
        let judge = description();
        let id = judge.id();
        let journal = Journal::open(&path).unwrap();
        journal.keep(&judge, item(&id, "q2", "a", Some(1))).unwrap();
        journal.keep(&judge, item(&id, "q1", "a", Some(2))).unwrap();
        let killed = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = killed.lines().collect();
        assert!(lines.len() == 3 && lines[1].contains("\"q2\"") && lines[2].contains("\"q1\""), "{killed}");
        // Another one that comes now would undo what is written.
        let other = Journal::open(&path).unwrap();
        let refused = other.keep(&judge, item(&id, "q3", "a", Some(2))).unwrap_err().to_string();
        assert!(refused.contains("another `rankgate judge` is writing it"), "{refused}");
        let file = journal.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), file.text());
        assert!(file.items().map(|item| item.query.as_str()).eq(["q1", "q2"]));
        // One that is as it should be is added to by who comes next.
        let journal = Journal::open(&path).unwrap();
        journal.keep(&judge, item(&id, "q3", "a", Some(2))).unwrap();
        assert_eq!(journal.finish().unwrap().items().count(), 3);
        // Killed within a line: the rest is kept, and the torn line is gone once something is added.
        fs::write(&path, &killed[..killed.len() - 30]).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert_eq!(journal.look(|file| file.items().count()), 1);
        journal.keep(&judge, item(&id, "q3", "a", None)).unwrap();
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(JudgmentsFile::parse("a", &text, false).unwrap().items().count(), 2);
    }

    #[test]
    fn what_is_asked_again_stays_until_another_answer_comes() {
        use crate::collection::{Document, Query};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy.jsonl");
        let judge = description();
        let id = judge.id();
        let journal = Journal::open(&path).unwrap();
        for query in ["q1", "q2"] {
            journal.keep(&judge, item(&id, query, "a", None)).unwrap();
        }
        let before = journal.finish().unwrap();
        let pairs: Vec<Pair> = ["q1", "q2", "q3"]
            .map(|query| Pair { query: Query::new(query, "asked"), document: Document::new("a", "text") })
            .into();
        // Nobody answers: nothing has changed.
        let journal = Journal::open(&path).unwrap();
        journal.ask_again(&id, &pairs);
        assert_eq!(journal.finish().unwrap(), before);
        assert_eq!(fs::read_to_string(&path).unwrap(), before.text());
        // One answer comes, and then the machine stops: what is there can be read.
        let journal = Journal::open(&path).unwrap();
        journal.ask_again(&id, &pairs);
        journal.keep(&judge, item(&id, "q2", "a", Some(3))).unwrap();
        let stopped = JudgmentsFile::parse("a", &fs::read_to_string(&path).unwrap(), false).unwrap();
        assert_eq!(stopped.items().map(|item| item.grade).collect::<Vec<_>>(), [Some(3)]);
        // Or it ends as it should: the other is what it was.
        let after = journal.finish().unwrap();
        assert_eq!(after.items().map(|item| item.grade).collect::<Vec<_>>(), [None, Some(3)]);
        assert_eq!(fs::read_to_string(&path).unwrap(), after.text());
    }
}
