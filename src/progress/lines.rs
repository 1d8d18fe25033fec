//! Lines on standard error about work that takes long.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::words::counted;

use super::{Event, Observer, Work};

/// When the first line is written about work that goes on, and by which factor the next ones are later: at 2 s, 6 s,
/// 18 s, 54 s, 162 s.
const FIRST: Duration = Duration::from_secs(2);
const NEXT: u32 = 3;
/// How often work is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Writes lines about work that takes longer than two seconds: what it is, how long it may take, how far it is.
///
/// They go to standard error, fewer and fewer of them the longer it takes. Quick work says nothing, unless
/// [`with_starts`](Self::with_starts) was called.
#[derive(Clone)]
pub struct Lines(Arc<State>);

struct State {
    starts: bool,
    first: Duration,
    write: fn(&str),
    open: Mutex<Open>,
}

/// Work under way.
#[derive(Default)]
struct Open {
    work: BTreeMap<String, Running>,
    /// Whether a thread looks at it.
    watched: bool,
}

struct Running {
    work: Work,
    start: Instant,
    done: usize,
    /// How long it has been under way when the next line is due.
    due: Duration,
    /// Whether a line was written.
    told: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

impl Lines {
    /// About long work alone.
    pub fn new() -> Self {
        Self::writing(stderr, false, FIRST)
    }

    /// The same, written elsewhere.
    #[doc(hidden)]
    pub fn written_by(write: fn(&str)) -> Self {
        Self::writing(write, false, FIRST)
    }

    /// Also says when work that has units begins and ends.
    pub fn with_starts(self) -> Self {
        Self::writing(self.0.write, true, self.0.first)
    }

    fn writing(write: fn(&str), starts: bool, first: Duration) -> Self {
        Self(Arc::new(State { starts, first, write, open: Mutex::default() }))
    }
}

impl Observer for Lines {
    fn observe(&self, work: &Work, event: Event) {
        let state = &self.0;
        let mut open = state.lock();
        match event {
            Event::Started => {
                if let (true, Some((of, unit))) = (state.starts, work.units) {
                    (state.write)(&format!("{}: {}", work.what, counted(of, unit[0], unit[1])));
                }
                let (start, due) = (Instant::now(), state.first);
                let running = Running { work: work.clone(), start, done: 0, due, told: false };
                open.work.insert(work.what.clone(), running);
                state.watch(&mut open);
            }
            Event::Advanced(units) => {
                if let Some(running) = open.work.get_mut(&work.what) {
                    running.done += units;
                }
            }
            Event::Ended => {
                if let Some(running) = open.work.remove(&work.what)
                    && (state.starts || running.told)
                    && let Some(line) = running.so_far()
                {
                    (state.write)(&line);
                }
            }
        }
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread that looks after what is overdue, as long as there is any work.
    fn watch(self: &Arc<Self>, open: &mut Open) {
        if open.watched {
            return;
        }
        let own = Arc::clone(self);
        let look = move || {
            loop {
                thread::sleep(LOOK.min(own.first));
                let mut open = own.lock();
                if open.work.is_empty() {
                    open.watched = false;
                    return;
                }
                for running in open.work.values_mut() {
                    if let Some(line) = running.overdue(running.start.elapsed()) {
                        (own.write)(&line);
                    }
                }
            }
        };
        // Without the thread there are no lines, and the work is done all the same.
        open.watched = thread::Builder::new().name("rankgate-lines".to_owned()).spawn(look).is_ok();
    }
}

impl Running {
    /// The line that is due after so long, if one is.
    fn overdue(&mut self, passed: Duration) -> Option<String> {
        if passed < self.due {
            return None;
        }
        self.due = passed * NEXT;
        self.told = true;
        let so_far = self.so_far();
        let limit = self.work.limit.map_or(String::new(), |limit| format!(", {} at most", time(limit)));
        Some(match so_far {
            None => format!("{}: {} so far{limit}", self.work.what, time(passed)),
            Some(units) => format!("{units} in {}{}", time(passed), self.left(passed).unwrap_or_default()),
        })
    }

    /// How far work with units is.
    fn so_far(&self) -> Option<String> {
        let (of, unit) = self.work.units?;
        Some(format!("{}: {} of {}", self.work.what, self.done, counted(of, unit[0], unit[1])))
    }

    /// How long the rest takes where it goes on like this.
    fn left(&self, passed: Duration) -> Option<String> {
        let rest = self.work.units?.0.checked_sub(self.done).filter(|_| self.done > 0)?;
        Some(format!(", about {} left", time(passed.mul_f64(rest as f64 / self.done as f64))))
    }
}

/// A time in whole seconds, of long ones in minutes.
fn time(time: Duration) -> String {
    match time.as_secs_f64().round() {
        seconds if seconds < 120.0 => format!("{seconds} s"),
        seconds => format!("{} min", (seconds / 60.0).round()),
    }
}

fn stderr(line: &str) {
    drop(writeln!(io::stderr().lock(), "{line}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(what: &str, units: usize) -> Work {
        Work { what: what.to_owned(), units: Some((units, ["query", "queries"])), limit: None }
    }

    fn lines(work: Work, seen: &[(u64, usize)]) -> Vec<String> {
        let mut running = Running { work, start: Instant::now(), done: 0, due: FIRST, told: false };
        let line = |&(seconds, done): &(u64, usize)| {
            running.done = done;
            running.overdue(Duration::from_secs(seconds))
        };
        seen.iter().filter_map(line).collect()
    }

    #[test]
    fn work_without_units_is_told_with_its_limit_and_less_and_less_often() {
        let what = "helpdesk: building mine".to_owned();
        let work = Work { what, units: None, limit: Some(Duration::from_secs(300)) };
        let seen: Vec<(u64, usize)> = (0..300).map(|second| (second, 0)).collect();
        let of = |time: &str| format!("helpdesk: building mine: {time} so far, 5 min at most");
        assert_eq!(lines(work.clone(), &seen), ["2 s", "6 s", "18 s", "54 s", "3 min"].map(of));
        let unlimited = lines(Work { limit: None, ..work }, &[(1, 0), (60, 0)]);
        assert_eq!(unlimited, ["helpdesk: building mine: 60 s so far"]);
    }

    #[test]
    fn work_with_units_is_told_with_what_is_left() {
        assert_eq!(
            lines(asking("helpdesk: asking mine", 5832), &[(1, 50), (2, 73), (3, 100), (9, 5000)]),
            [
                "helpdesk: asking mine: 73 of 5832 queries in 2 s, about 3 min left",
                "helpdesk: asking mine: 5000 of 5832 queries in 9 s, about 1 s left",
            ]
        );
        let line = "helpdesk: asking mine: 0 of 1 query in 2 s";
        assert_eq!(lines(asking("helpdesk: asking mine", 1), &[(2, 0)]), [line]);
    }

    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn quick_work_says_nothing_and_long_work_does_while_it_goes_on() {
        let write: fn(&str) = |line| WRITTEN.lock().unwrap().push(line.to_owned());
        let written = |contains: &str| WRITTEN.lock().unwrap().iter().any(|line| line.contains(contains));
        let (quick, long, said) = (asking("quick", 2), asking("long", 2), asking("said", 2));
        let lines = Lines::writing(write, false, Duration::from_secs(3600));
        lines.observe(&quick, Event::Started);
        lines.observe(&quick, Event::Advanced(2));
        lines.observe(&quick, Event::Ended);
        let lines = Lines::writing(write, false, Duration::from_millis(1));
        lines.observe(&long, Event::Started);
        while !written("long: 0 of 2 queries in 0 s") {
            thread::yield_now();
        }
        lines.observe(&long, Event::Ended);
        assert!(written("long: 0 of 2 queries") && !written("quick"));
        let lines = Lines::writing(write, false, Duration::from_secs(3600)).with_starts();
        lines.observe(&said, Event::Started);
        lines.observe(&said, Event::Ended);
        assert!(written("said: 2 queries") && written("said: 0 of 2 queries"));
    }
}
