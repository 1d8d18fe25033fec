//! Dropping a retriever: its destructor is code of the user's as well, and may panic or never come back.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::FailureCause;
use super::wait::next_message;
use crate::panic;

/// Drops what is the last to hold a retriever, on a thread of its own that is left behind where it takes longer than
/// the limit.
///
/// # Errors
/// A destructor that panics, or takes too long.
pub(crate) fn release<T: Send + 'static>(held: T, limit: Option<Duration>) -> Result<(), FailureCause> {
    let (sender, receiver) = mpsc::channel();
    let release = move || {
        let dropped = panic::catch(|| drop(held));
        drop(sender.send(dropped));
    };
    let started = thread::Builder::new().name("rankgate-drop".to_owned()).spawn(release);
    started.map_err(|error| FailureCause::Setup(format!("cannot start a thread: {error}")))?;
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    match next_message(&receiver, deadline) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(message)) => Err(FailureCause::Panic(format!("{message}, when it was dropped"))),
        Err(RecvTimeoutError::Timeout) => {
            let limit = limit.unwrap_or_default().as_secs_f64();
            Err(FailureCause::Error(format!("it was dropped, which did not end within {limit} s")))
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(FailureCause::Panic("the thread that drops it has ended".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OnDrop(fn());

    impl Drop for OnDrop {
        fn drop(&mut self) {
            (self.0)();
        }
    }

    #[test]
    fn a_destructor_is_waited_for_and_left_behind_when_it_hangs() {
        let release = |held, limit| release(OnDrop(held), limit).map_err(|cause| cause.to_string());
        assert_eq!(release(|| thread::sleep(Duration::from_millis(20)), None), Ok(()));
        let hangs = release(thread::park, Some(Duration::from_millis(500))).unwrap_err();
        assert_eq!(hangs, "it was dropped, which did not end within 0.5 s");
        let panics = release(|| panic!("still in use"), None).unwrap_err();
        assert!(panics.starts_with("panicked: still in use ("), "{panics}");
        assert!(panics.ends_with("), when it was dropped"), "{panics}");
    }
}
