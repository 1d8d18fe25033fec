//! The last lines of a program's standard error.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many lines are kept: an exception of Python with its calls, and not a whole log.
const LINES: usize = 16;
/// So many bytes of a line are kept.
const LINE: usize = 2000;

/// The last lines that a program wrote to standard error, at a cost that does not depend on how much
/// it writes.
#[derive(Default)]
pub(super) struct Tail {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<LineStart>,
    line: LineStart,
    ended: bool,
}

/// The beginning of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct LineStart {
    bytes: Vec<u8>,
    pub(super) cut: bool,
}

impl LineStart {
    fn push(&mut self, bytes: &[u8]) {
        let room = LINE - self.bytes.len();
        self.cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end().to_owned()
    }
}

impl Tail {
    /// Reads until the end, always: a program must not block because nobody reads what it says.
    pub(super) fn drain(&self, mut from: impl Read) {
        let mut block = vec![0; 16 << 10];
        loop {
            match from.read(&mut block) {
                Ok(0) => break,
                Ok(length) => self.lock().push(&block[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.lock().ended = true;
        self.ended.notify_all();
    }

    /// The last lines, blank ones left out, after waiting up to `patience` for the end.
    pub(super) fn lines(&self, patience: Duration) -> Vec<LineStart> {
        let state = self.ended.wait_timeout_while(self.lock(), patience, |state| !state.ended);
        let state = state.unwrap_or_else(PoisonError::into_inner).0;
        let lines = state.lines.iter().chain([&state.line]).filter(|line| !line.text().is_empty());
        let lines: Vec<LineStart> = lines.cloned().collect();
        lines[lines.len().saturating_sub(LINES)..].to_vec()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        let mut parts = bytes.split(|&byte| byte == b'\n');
        self.line.push(parts.next().unwrap_or_default());
        for part in parts {
            let line = std::mem::take(&mut self.line);
            if !line.bytes.trim_ascii().is_empty() {
                self.lines.push_back(line);
            }
            if self.lines.len() > LINES {
                self.lines.pop_front();
            }
            self.line.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(text: &[u8]) -> Vec<String> {
        let tail = Tail::default();
        tail.drain(text);
        tail.lines(Duration::MAX).iter().map(LineStart::text).collect()
    }

    #[test]
    fn the_last_lines_are_kept() {
        assert!(tail(b"").is_empty());
        assert_eq!(tail(b"a\r\n\n \nb"), ["a", "b"]);
        assert_eq!(tail(b"\xff!\n"), ["\u{fffd}!"]);
        let many: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let kept = tail(many.as_bytes());
        assert_eq!(kept.len(), LINES);
        assert_eq!(kept[LINES - 1], "line 9999");
    }

    #[test]
    fn of_a_long_line_the_beginning_is_kept() {
        let tail = Tail::default();
        tail.drain([vec![b'x'; 100_000], b"\nend".to_vec()].concat().as_slice());
        let lines = tail.lines(Duration::MAX);
        assert_eq!(lines[0].text(), "x".repeat(LINE));
        assert!(lines[0].cut && !lines[1].cut);
        assert_eq!(lines[1].text(), "end");
    }
}
