//! Work on several threads, whose result depends on nothing but the work.
//!
//! All of it goes through `on_all`, which is compiled once and needs nothing but the standard library: a library's
//! machinery for parallel loops is larger than what runs in ours, and every closure would have a copy of it.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

use crate::{Error, ErrorKind, Result};

const VARIABLE: &str = "RANKGATE_THREADS";

thread_local! {
    /// On how many threads work that is begun on this one may run, where that is not as many as there are
    /// processors.
    static AT_MOST: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Threads that run at present beside those that began the work.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

static MOST_HELPERS: LazyLock<usize> = LazyLock::new(|| {
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    // Of a value that is no number the runner and the command have said so, and end.
    from_environment().ok().flatten().unwrap_or_else(processors) - 1
});

/// How many threads somebody wants, by `RANKGATE_THREADS`.
///
/// # Errors
/// A value that is no number of threads.
pub fn from_environment() -> Result<Option<usize>> {
    let Some(value) = std::env::var_os(VARIABLE) else { return Ok(None) };
    let count = value.to_str().and_then(|count| count.parse().ok()).filter(|&count| count > 0);
    let refused = || format!("{VARIABLE} is `{}`; it takes a number of threads, 1 or more", value.display());
    count.map(Some).ok_or_else(|| Error::with_kind(ErrorKind::Setup, refused()))
}

/// Does this, and all that it begins, on so many threads.
pub fn within<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    struct Before(Option<usize>);
    impl Drop for Before {
        fn drop(&mut self) {
            AT_MOST.set(self.0);
        }
    }
    let _before = Before(AT_MOST.replace(Some(threads.max(1))));
    work()
}

/// On how many threads work that is begun here may run.
pub fn most() -> usize {
    AT_MOST.get().unwrap_or(*MOST_HELPERS + 1)
}

/// What `work` makes of each number below `count`, in their order.
pub fn map<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_with(count, || (), |(), index| work(index))
}

/// The same with something that each thread makes once and uses again.
pub fn map_with<S, T: Send>(
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let mut made: Vec<Mutex<Option<T>>> = Vec::with_capacity(count);
    for _ in 0..count {
        made.push(Mutex::new(None));
    }
    on_all(count, &|next| {
        let mut state = start();
        while let Some(index) = next() {
            let done = work(&mut state, index);
            // Nobody else has this index.
            *made[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }
    });
    // Not by `collect`: its parts would be compiled for each type that is made.
    let mut all = Vec::with_capacity(count);
    for done in made {
        if let Some(done) = done.into_inner().unwrap_or_else(PoisonError::into_inner) {
            all.push(done);
        }
    }
    all
}

/// What a thread does: it asks for the next number until there is none.
type Work<'a> = dyn Fn(&mut dyn FnMut() -> Option<usize>) + Sync + 'a;

/// Runs `work` on several threads at once, each of which asks for the numbers below `count` until there is none.
///
/// Where the system refuses a thread, or as many run already as there are processors, those that there are do it
/// all. A panic of any of them is the caller's.
fn on_all(count: usize, work: &Work<'_>) {
    let taken = AtomicUsize::new(0);
    let run = || {
        let mut next = || Some(taken.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count);
        work(&mut next);
    };
    let most = AT_MOST.get().map_or(*MOST_HELPERS, |threads| threads - 1).min(count.saturating_sub(1));
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for _ in 0..most {
            let Some(helper) = Helper::wanted() else { break };
            let begin = move || {
                let _helper = helper;
                // What it begins itself it does alone: all processors have something to do.
                within(1, run);
            };
            match thread::Builder::new().spawn_scoped(scope, begin) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
        }
        run();
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// A place among the [`HELPERS`].
struct Helper;

impl Helper {
    fn wanted() -> Option<Self> {
        let most = AT_MOST.get().map_or(*MOST_HELPERS, |threads| threads.max(*MOST_HELPERS));
        let place = |helpers: usize| (helpers < most).then_some(helpers + 1);
        HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, place).ok().map(|_| Self)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        HELPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            for count in [0, 1, 2, 1000] {
                let done = within(threads, || map(count, |index| map(index % 3, |inner| index + inner)));
                let expected: Vec<Vec<usize>> =
                    (0..count).map(|index| (0..index % 3).map(|inner| index + inner).collect()).collect();
                assert_eq!(done, expected);
            }
        }
    }

    #[test]
    fn a_panic_is_passed_on_with_what_it_says() {
        let work = |index: usize| assert!(index != 5, "index {index}");
        let panic = std::panic::catch_unwind(|| within(3, || map(100, work))).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("index 5"));
        assert_eq!(within(3, || map(2, |index| index)), [0, 1]);
    }
}
