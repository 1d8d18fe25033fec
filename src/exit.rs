//! Code that is not ours and ends the process.
//!
//! A test run that ends with status 0 has passed, as far as `cargo test` and CI can see: a retriever that
//! calls `exit(0)`, as code written for a command does on what it takes for an error, would pass every gate
//! that is still undecided. So an exit aborts the process: on a thread that is inside of code whose name is known,
//! and on any thread as long as a test run goes on.

use std::cell::RefCell;
use std::io::Write;
use std::process;
#[cfg(unix)]
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

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
            abort(what);
        }
    }
}

/// Ends the process with a status that nobody takes for success: within an exit there is no other exit.
fn abort(what: &str) -> ! {
    let mut stderr = std::io::stderr().lock();
    drop(writeln!(
        stderr,
        "error: {what} called `std::process::exit`, which would pass gates that are not decided: the \
         process aborts instead"
    ));
    process::abort();
}

/// Runs `f`; where it ends the process, `what` did it and the process aborts.
pub(crate) fn forbid<T>(what: impl FnOnce() -> String, f: impl FnOnce() -> T) -> T {
    // Also after a panic: a thread that ends by it has ended no process.
    let _outer = Outer(set(Some(what())));
    f()
}

/// What the thread was inside of before, and is again.
struct Outer(Option<String>);

impl Drop for Outer {
    fn drop(&mut self) {
        set(self.0.take());
    }
}

/// A thread whose destructors are running already asks nobody anything.
fn set(what: Option<String>) -> Option<String> {
    INSIDE.try_with(|inside| inside.0.replace(what)).ok().flatten()
}

/// How many test runs go on, and the process that runs them: a child that a retriever forks may end as it pleases.
static RUNS: AtomicUsize = AtomicUsize::new(0);
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// A test run whose gates are not decided. As long as it lives, an exit aborts the process, whichever thread calls it.
pub(crate) struct Undecided(());

impl Undecided {
    pub(crate) fn start() -> Self {
        PROCESS.store(process::id(), Ordering::Relaxed);
        RUNS.fetch_add(1, Ordering::SeqCst);
        #[cfg(unix)]
        at_exit();
        Self(())
    }
}

impl Drop for Undecided {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Has an exit looked at. On Windows an exit calls nobody: there only the thread that makes it is seen.
#[cfg(unix)]
fn at_exit() {
    #[expect(unsafe_code, reason = "the standard library tells nobody of an exit; C's does")]
    mod c {
        use std::ffi::c_int;

        // It takes any function that may run at any time, as this type says: that makes it safe to call.
        unsafe extern "C" {
            pub(super) safe fn atexit(call: extern "C" fn()) -> c_int;
        }
    }
    extern "C" fn exits() {
        if RUNS.load(Ordering::SeqCst) > 0 && PROCESS.load(Ordering::Relaxed) == process::id() {
            let thread = std::thread::current();
            abort(&match thread.name() {
                Some(name) => format!("a retriever or a metric, on the thread `{name}`,"),
                None => "a retriever or a metric".to_owned(),
            });
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where there is no room for one more function, the thread is looked at all the same.
        let _ = c::atexit(exits);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside() -> Option<String> {
        INSIDE.with(|inside| inside.0.borrow().clone())
    }

    #[test]
    fn threads_end_as_they_please_outside() {
        let thread = std::thread::spawn(|| forbid(|| "outer".into(), || forbid(|| "inner".into(), || 7)));
        assert_eq!(thread.join().unwrap(), 7);
    }

    #[test]
    fn after_a_panic_a_thread_is_outside_again() {
        let panicked = crate::panic::catch(|| forbid(|| "a metric".into(), || panic!("no such field")));
        assert!(panicked.is_err());
        assert_eq!(inside(), None);
        let within = forbid(
            || "outer".into(),
            || {
                forbid(|| "inner".into(), || ());
                inside()
            },
        );
        assert_eq!(within.as_deref(), Some("outer"));
    }
}
