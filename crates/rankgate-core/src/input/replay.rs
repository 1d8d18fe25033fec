//! A pipe that can be read a second time: what was read of it is copied, to a temporary file where it is long.

use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::SpooledTempFile;

use crate::input::Input;
use crate::{Error, Result};

/// As many bytes of the copy stay in memory.
const IN_MEMORY: usize = if cfg!(test) { 1 << 10 } else { 8 << 20 };

/// What gives an input once more that was [copied](Input::copied).
pub struct Replay<'a> {
    path: PathBuf,
    action: &'static str,
    shared: Shared<'a>,
}

/// A reader, and a copy of all that was read of it.
struct Copied<'a> {
    reader: Box<dyn Read + Send + 'a>,
    copy: SpooledTempFile,
}

#[derive(Clone)]
struct Shared<'a>(Arc<Mutex<Copied<'a>>>);

impl<'a> Shared<'a> {
    fn lock(&self) -> MutexGuard<'_, Copied<'a>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Input<'a> {
    /// The same input, and what gives it once more after this one has been dropped. Of what was looked at in advance
    /// nothing is lost.
    pub fn copied(mut self) -> (Self, Replay<'a>) {
        let head = self.head.split_off(self.at);
        let reader = Box::new(io::Cursor::new(head).chain(self.rest));
        let copy = tempfile::spooled_tempfile(IN_MEMORY);
        let shared = Shared(Arc::new(Mutex::new(Copied { reader, copy })));
        let replay = Replay { path: self.path.clone(), action: self.action, shared: shared.clone() };
        let rest = Box::new(First(shared));
        (Self { path: self.path, head: Vec::new(), at: 0, rest, action: self.action }, replay)
    }
}

impl<'a> Replay<'a> {
    /// From the beginning: the copy, and then the unread rest.
    ///
    /// # Errors
    /// When the temporary file cannot be gone back in.
    pub fn again(self) -> Result<Input<'a>> {
        let Self { path, action, shared } = self;
        shared.lock().copy.rewind().map_err(|error| Error::io(action, &path, error))?;
        let rest = Box::new(Second { shared, copy_ended: false });
        Ok(Input { path, head: Vec::new(), at: 0, rest, action })
    }
}

/// The first reading, which makes the copy.
struct First<'a>(Shared<'a>);

impl Read for First<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut both = self.0.lock();
        let count = both.reader.read(buffer)?;
        both.copy.write_all(&buffer[..count]).map_err(|error| {
            let said = format!("no room for a copy in a temporary file (TMPDIR says where): {error}");
            io::Error::new(error.kind(), said)
        })?;
        Ok(count)
    }
}

/// The second reading.
struct Second<'a> {
    shared: Shared<'a>,
    copy_ended: bool,
}

impl Read for Second<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut both = self.shared.lock();
        if !self.copy_ended {
            let count = both.copy.read(buffer)?;
            self.copy_ended = count == 0 && !buffer.is_empty();
            if !self.copy_ended {
                return Ok(count);
            }
        }
        both.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use crate::input::Source;

    #[test]
    fn what_was_read_comes_again_and_then_the_rest() {
        for length in [0, 10, 1 << 10, 10_000] {
            let text: String = (0..length).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
            for read in [0, 1, 100, length] {
                let mut input = Source::stream("a pipe", text.as_bytes()).open().unwrap();
                input.peek(50).unwrap();
                let (mut first, replay) = input.copied();
                let mut found = Vec::new();
                first.fill(&mut found, read).unwrap();
                assert_eq!(found, text.as_bytes()[..read.min(length)]);
                drop(first);
                assert!(replay.again().unwrap().text().unwrap() == text, "{read} of {length}");
            }
        }
    }
}
