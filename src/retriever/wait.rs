//! Waiting for those who ask.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::threads;

/// How often it is looked whether anyone still waits for the whole.
const LOOK: Duration = Duration::from_millis(100);

/// The next message, if it comes before the deadline. Nothing is waited for on behalf of somebody who gave up.
pub(super) fn next_message<T>(
    messages: &Receiver<T>,
    deadline: Option<Instant>,
) -> Result<T, RecvTimeoutError> {
    loop {
        threads::go_on();
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match messages.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
            Err(RecvTimeoutError::Timeout) if left.is_none_or(|left| left > LOOK) => {}
            message => return message,
        }
    }
}
