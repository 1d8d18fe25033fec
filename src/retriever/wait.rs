//! Waiting for an answer.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

/// The next message, if it comes before the deadline.
pub(super) fn next_message<T>(
    messages: &Receiver<T>,
    deadline: Option<Instant>,
) -> Result<T, RecvTimeoutError> {
    match deadline {
        Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
        None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}
