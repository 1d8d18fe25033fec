//! Threads that cannot be started: an error where it can still be told, since rayon panics.

use std::error::Error as _;
use std::sync::OnceLock;

use crate::{Error, Result};

/// Starts the threads that everything here computes on, unless they run already.
///
/// # Errors
/// Threads that the system refuses: a limit of processes, or of memory.
pub(crate) fn start() -> Result<()> {
    static REFUSED: OnceLock<Option<String>> = OnceLock::new();
    let refused = REFUSED.get_or_init(|| {
        // Without a source, somebody else has started them.
        let error = rayon::ThreadPoolBuilder::new().build_global().err()?;
        error.source().map(ToString::to_string)
    });
    match refused {
        None => Ok(()),
        Some(why) => {
            Err(Error::invalid(format!("cannot start threads: {why}; `ulimit -u` may allow too few")))
        }
    }
}
