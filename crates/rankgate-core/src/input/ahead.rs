//! Reading ahead in a thread of its own, for what takes long to make: decompressed bytes.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How much is handed over at once, and how many such pieces may wait.
const PIECE: usize = 256 << 10;
const WAITING: usize = 4;

/// What another thread reads, a little ahead.
pub(super) struct ReadAhead {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    ended: bool,
}

impl ReadAhead {
    /// Starts a thread that reads; it ends with the data, or with the reader.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(super) fn new(reader: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, pieces) = sync_channel(WAITING);
        thread::Builder::new().name("rankgate-read".into()).spawn(move || hand_over(reader, &sender))?;
        Ok(Self { pieces, piece: Vec::new(), at: 0, ended: false })
    }
}

fn hand_over(mut reader: impl Read, pieces: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let read = reader.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        // What was read before an error is not lost; an empty piece says that the end was reached.
        let last = matches!(read, Ok(0));
        let sent = if last || !piece.is_empty() { pieces.send(Ok(piece)) } else { Ok(()) };
        match read {
            Ok(_) if sent.is_ok() && !last => {}
            Err(error) => return drop(pieces.send(Err(error))),
            Ok(_) => return,
        }
    }
}

impl Read for ReadAhead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() && !self.ended {
            let ended_early = || io::Error::other("the thread that reads it has ended early");
            (self.piece, self.at) = (self.pieces.recv().map_err(|_| ended_early())??, 0);
            self.ended = self.piece.is_empty();
        }
        let rest = &self.piece[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_arrives_in_order_and_then_the_end() {
        for length in [0, 1, PIECE - 1, PIECE, 3 * PIECE + 7] {
            let bytes: Vec<u8> = (0..length).map(|index| (index / 251) as u8).collect();
            let mut found = Vec::new();
            ReadAhead::new(io::Cursor::new(bytes.clone())).unwrap().read_to_end(&mut found).unwrap();
            assert!(found == bytes, "{length}");
        }
    }

    #[test]
    fn an_error_comes_after_what_was_read_before_it() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut found = Vec::new();
        let mut reader = ReadAhead::new(io::Cursor::new(b"whole").chain(Broken)).unwrap();
        assert_eq!(reader.read_to_end(&mut found).unwrap_err().to_string(), "broken");
        assert_eq!(found, b"whole");
    }

    #[test]
    fn a_thread_that_dies_is_an_error_and_not_an_end() {
        struct Dying;
        impl Read for Dying {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("on purpose")
            }
        }
        let error = ReadAhead::new(Dying).unwrap().read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "the thread that reads it has ended early");
    }

    #[test]
    fn nobody_reading_on_ends_the_thread() {
        struct Endless {
            _alive: std::sync::mpsc::Sender<()>,
        }
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                Ok(buffer.len())
            }
        }
        let (alive, ended) = std::sync::mpsc::channel();
        let mut reader = ReadAhead::new(Endless { _alive: alive }).unwrap();
        reader.read_exact(&mut [0]).unwrap();
        drop(reader);
        // The sender is dropped with the thread.
        assert!(ended.recv().is_err());
    }
}
