//! Threads that cannot be started: an error where it can still be told, since rayon panics.

use std::error::Error as _;
use std::sync::OnceLock;

use crate::{Error, ErrorKind, Result};

/// Starts the threads that everything here computes on, unless they run already.
///
/// # Errors
/// Threads that the system refuses: a limit of processes, or of memory.
pub(crate) fn start() -> Result<()> {
    static STARTED: OnceLock<Result<()>> = OnceLock::new();
    let start = || {
        let refused = rayon::ThreadPoolBuilder::new().build_global().err();
        // Without a source, somebody else has started them.
        match refused.as_ref().and_then(|error| error.source()) {
            None => Ok(()),
            Some(why) => {
                let message = format!("cannot start threads: {why}; `ulimit -u` may allow too few");
                Err(Error::of(ErrorKind::Setup, message))
            }
        }
    };
    STARTED.get_or_init(start).clone()
}
