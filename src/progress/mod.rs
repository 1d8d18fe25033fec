//! Events of long work, for observers.
//!
//! Watching changes no result. An [`Observer`] is handed to
//! [`Standalone::observer`](crate::standalone::Standalone::observer); under `cargo test` [`Lines`] watch.

mod lines;

use std::time::Duration;

pub use lines::Lines;

/// Work that takes long enough to be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Work<'a> {
    /// Gates are decided, with all work that they need; a unit is a gate.
    Deciding {
        /// The benchmark's name.
        benchmark: &'a str,
    },
    /// Queries and judgments are read; not measured in units.
    Loading {
        /// The benchmark's name.
        benchmark: &'a str,
    },
    /// The documents are read and hashed; not measured in units.
    Reading {
        /// The benchmark's name.
        benchmark: &'a str,
    },
    /// A retriever is built, or a frozen run is read; not measured in units.
    Building {
        /// The benchmark's name.
        benchmark: &'a str,
        /// The configuration's.
        configuration: &'a str,
        /// How long it may take, where it is built by a process that runs already.
        limit: Option<Duration>,
    },
    /// A program was started and has to say hello; not measured in units.
    Starting {
        /// The command, as it is shown.
        program: &'a str,
        /// How long it may take.
        limit: Duration,
    },
    /// A retriever is asked; a unit is a query, counted as often as it is asked.
    Asking {
        /// The benchmark's name.
        benchmark: &'a str,
        /// The configuration's.
        configuration: &'a str,
    },
    /// A retriever in Rust is asked without a spec; a unit is a query.
    Evaluating {
        /// The name of the thread: that of the test under `cargo test`.
        test: &'a str,
    },
    /// Answers are timed, and nothing else is asked meanwhile; a unit is an answer.
    Timing {
        /// The benchmark's name.
        benchmark: &'a str,
        /// The configuration's.
        configuration: &'a str,
        /// That of the configuration that is asked in turns with it.
        baseline: Option<&'a str>,
    },
    /// A family of comparisons is resampled; not measured in units.
    Comparing {
        /// The benchmark's name.
        benchmark: &'a str,
        /// How many comparisons it has.
        comparisons: usize,
    },
}

/// What happens to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// It begins, with so many units to do where that is known.
    Started(Option<usize>),
    /// So many more units are done.
    Advanced(usize),
    /// It ended, with any result.
    Ended,
}

/// An observer: notified of each event when it happens, on the thread on which it happens.
///
/// Any function of work and event is one. It should return quickly.
///
/// ```
/// use rankgate::progress::{Event, Observer, Work};
///
/// let observer = |work: Work<'_>, event: Event| {
///     if let (Work::Asking { configuration, .. }, Event::Started(Some(queries))) = (work, event) {
///         eprintln!("asking {configuration} {queries} queries");
///     }
/// };
/// let work = Work::Asking { benchmark: "helpdesk", configuration: "bm25" };
/// observer.observe(work, Event::Started(Some(2)));
/// ```
pub trait Observer: Send + Sync {
    /// Takes notice of an event.
    fn observe(&self, work: Work<'_>, event: Event);
}

impl<F: Fn(Work<'_>, Event) + Send + Sync> Observer for F {
    fn observe(&self, work: Work<'_>, event: Event) {
        self(work, event);
    }
}

/// Work under way: it is over when this is dropped.
pub(crate) struct Watched<'a> {
    observer: Option<&'a dyn Observer>,
    work: Work<'a>,
}

impl<'a> Watched<'a> {
    pub(crate) fn start(observer: Option<&'a dyn Observer>, work: Work<'a>, units: Option<usize>) -> Self {
        let watched = Self { observer, work };
        watched.tell(Event::Started(units));
        watched
    }

    pub(crate) fn advance(&self, units: usize) {
        self.tell(Event::Advanced(units));
    }

    fn tell(&self, event: Event) {
        if let Some(observer) = self.observer {
            observer.observe(self.work, event);
        }
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.tell(Event::Ended);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn work_ends_however_it_is_left() {
        let events = Mutex::new(Vec::new());
        let observer = |_: Work<'_>, event| events.lock().unwrap().push(event);
        let work = Work::Asking { benchmark: "toy", configuration: "words" };
        let left: Result<(), ()> = (|| {
            let watched = Watched::start(Some(&observer), work, Some(3));
            watched.advance(2);
            Err(())?;
            watched.advance(1);
            Ok(())
        })();
        assert_eq!(left, Err(()));
        let events = events.into_inner().unwrap();
        assert_eq!(events, [Event::Started(Some(3)), Event::Advanced(2), Event::Ended]);
        Watched::start(None, work, None).advance(1);
    }
}
