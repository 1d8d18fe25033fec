//! Code that is not ours and ends the process.
//!
//! A test run that ends with status 0 has passed, as far as `cargo test` and CI can see: a retriever that
//! calls `exit(0)`, as code written for a command does on what it takes for an error, would pass every gate
//! that are still undecided.

use std::cell::RefCell;
use std::io::Write;
use std::process;

thread_local! {
    static INSIDE: Inside = const { Inside(RefCell::new(None)) };
}

/// What code of somebody else's this thread is inside of.
struct Inside(RefCell<Option<String>>);

/// A thread cannot end while it is inside of a call, but for a call that ends the process: then the C
/// libraries of Linux and macOS, and Windows, run the destructors of the thread that made it.
impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(what) = self.0.get_mut() {
            let mut stderr = std::io::stderr().lock();
            drop(writeln!(
                stderr,
                "error: {what} called `std::process::exit`, which would pass gates that are not decided: the \
                 process aborts instead"
            ));
            // Within an exit there is no other exit, and this one leaves a status that nobody takes for success.
            process::abort();
        }
    }
}

/// Runs `f`, which does not unwind; where it ends the process, `what` did it and the process aborts.
pub(crate) fn forbid<T>(what: impl FnOnce() -> String, f: impl FnOnce() -> T) -> T {
    // A thread whose destructors are running already asks nobody anything.
    let set = |what| INSIDE.try_with(|inside| inside.0.replace(what)).ok().flatten();
    let outer = set(Some(what()));
    let result = f();
    set(outer);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_end_as_they_please_outside() {
        let thread = std::thread::spawn(|| forbid(|| "outer".into(), || forbid(|| "inner".into(), || 7)));
        assert_eq!(thread.join().unwrap(), 7);
    }
}
