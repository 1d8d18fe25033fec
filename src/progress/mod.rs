//! Events of long work, for observers.
//!
//! Watching changes no result. [`Standalone::observer`](crate::standalone::Standalone::observer) takes an [`Observer`];
//! under `cargo test` [`Lines`] watch.

mod lines;

use std::time::Duration;

pub use lines::Lines;

/// Work that takes long enough to be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// What is done, such as `helpdesk: asking bm25`: no two pieces of work that go on at a time have the same words.
    pub what: String,
    /// How much there is to do, and what one unit of it and several are called; `None` for work without units.
    pub units: Option<(usize, [&'static str; 2])>,
    /// How long it may take, if there is a limit.
    pub limit: Option<Duration>,
}

/// What happens to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It begins.
    Started,
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
/// let observer = |work: &Work, event: Event| {
///     if event == Event::Started {
///         eprintln!("{}", work.what);
///     }
/// };
/// let work = Work { what: "helpdesk: asking bm25".into(), units: Some((2, ["query", "queries"])), limit: None };
/// observer.observe(&work, Event::Started);
/// ```
pub trait Observer: Send + Sync {
    /// Takes notice of an event.
    fn observe(&self, work: &Work, event: Event);
}

impl<F: Fn(&Work, Event) + Send + Sync> Observer for F {
    fn observe(&self, work: &Work, event: Event) {
        self(work, event);
    }
}

/// Work under way: it is over when this is dropped.
pub(crate) struct Watched<'a> {
    observer: Option<&'a dyn Observer>,
    work: Work,
}

impl<'a> Watched<'a> {
    /// Work without units.
    pub(crate) fn start(observer: Option<&'a dyn Observer>, what: String) -> Self {
        Self::of(observer, Work { what, units: None, limit: None })
    }

    /// Work of so many units.
    pub(crate) fn units(
        observer: Option<&'a dyn Observer>,
        what: String,
        units: usize,
        called: [&'static str; 2],
    ) -> Self {
        Self::of(observer, Work { what, units: Some((units, called)), limit: None })
    }

    /// Any work.
    pub(crate) fn of(observer: Option<&'a dyn Observer>, work: Work) -> Self {
        let watched = Self { observer, work };
        watched.tell(Event::Started);
        watched
    }

    pub(crate) fn advance(&self, units: usize) {
        self.tell(Event::Advanced(units));
    }

    fn tell(&self, event: Event) {
        if let Some(observer) = self.observer {
            observer.observe(&self.work, event);
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
        let observer = |_: &Work, event| events.lock().unwrap().push(event);
        let left: Result<(), ()> = (|| {
            let watched = Watched::units(Some(&observer), "asking".to_owned(), 3, ["query", "queries"]);
            watched.advance(2);
            Err(())?;
            watched.advance(1);
            Ok(())
        })();
        assert_eq!(left, Err(()));
        let events = events.into_inner().unwrap();
        assert_eq!(events, [Event::Started, Event::Advanced(2), Event::Ended]);
        Watched::start(None, "asking".to_owned()).advance(1);
    }
}
