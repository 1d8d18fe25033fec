//! Lines on standard error about work that takes long.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Excerpt;
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
    start: Instant,
    units: Option<usize>,
    done: usize,
    /// How long it has been under way when the next line is due.
    due: Duration,
    /// Whether a line was written.
    told: bool,
    kind: Kind,
}

/// What a line says of work.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Goes on until it ends: "helpdesk: building words".
    Task { task: String, limit: Option<Duration> },
    /// Somebody is waited for.
    Hello { program: String, limit: Duration },
    /// Work with units: the verb, and the unit's name.
    Units { doing: String, done: String, unit: [&'static str; 2] },
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

    /// Also says when a configuration is asked, and when it has answered.
    pub fn with_starts(self) -> Self {
        Self::writing(self.0.write, true, self.0.first)
    }

    fn writing(write: fn(&str), starts: bool, first: Duration) -> Self {
        Self(Arc::new(State { starts, first, write, open: Mutex::default() }))
    }
}

impl Observer for Lines {
    fn observe(&self, work: Work<'_>, event: Event) {
        let Some(kind) = kind_of(work) else { return };
        let state = &self.0;
        let name = format!("{work:?}");
        let mut open = state.lock();
        match event {
            Event::Started(units) => {
                if let (true, Some(line)) = (state.starts, kind.start(units)) {
                    (state.write)(&line);
                }
                let (start, due) = (Instant::now(), state.first);
                open.work.insert(name, Running { start, units, done: 0, due, told: false, kind });
                state.watch(&mut open);
            }
            Event::Advanced(units) => {
                if let Some(running) = open.work.get_mut(&name) {
                    running.done += units;
                }
            }
            Event::Ended => {
                if let Some(running) = open.work.remove(&name)
                    && (state.starts || running.told)
                    && let Some(line) = running.end()
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
        let so_far = time(passed);
        Some(match &self.kind {
            Kind::Task { task, limit: None } => format!("{task}: {so_far} so far"),
            Kind::Task { task, limit: Some(limit) } => {
                format!("{task}: {so_far} so far, {} at most", time(*limit))
            }
            Kind::Hello { program, limit } => {
                format!("waiting for {program} to say hello: {so_far} so far, {} at most", time(*limit))
            }
            Kind::Units { done, unit, .. } => {
                let of = self.units.unwrap_or_default();
                let units = format!("{} of {}", self.done, counted(of, unit[0], unit[1]));
                match left(passed, self.done, of) {
                    Some(left) => format!("{done}: {units} in {so_far}, about {} left", time(left)),
                    None => format!("{done}: {units} in {so_far}"),
                }
            }
        })
    }

    /// The line where its end is reported.
    fn end(&self) -> Option<String> {
        match (&self.kind, self.units) {
            (Kind::Units { done, unit, .. }, Some(of)) => {
                Some(format!("{done}: {} of {}", self.done, counted(of, unit[0], unit[1])))
            }
            _ => None,
        }
    }
}

impl Kind {
    /// The line where its start is reported.
    fn start(&self, units: Option<usize>) -> Option<String> {
        match (self, units) {
            (Self::Units { doing, unit, .. }, Some(of)) => {
                Some(format!("{doing}: {}", counted(of, unit[0], unit[1])))
            }
            _ => None,
        }
    }
}

fn kind_of(work: Work<'_>) -> Option<Kind> {
    let task = |task: String| Some(Kind::Task { task, limit: None });
    let units = |doing, done, unit| Some(Kind::Units { doing, done, unit });
    match work {
        // Its parts speak for themselves.
        Work::Deciding { .. } => None,
        Work::Loading { benchmark } => task(format!("{benchmark}: reading queries and judgments")),
        Work::Reading { benchmark } => task(format!("{benchmark}: reading documents")),
        Work::Building { benchmark, configuration, limit, .. } => {
            Some(Kind::Task { task: format!("{benchmark}: building {configuration}"), limit })
        }
        Work::Starting { program, limit } => {
            Some(Kind::Hello { program: Excerpt(program, 200).to_string(), limit })
        }
        Work::Asking { benchmark, configuration, .. } => units(
            format!("{benchmark}: asking {configuration}"),
            format!("{benchmark}: asked {configuration}"),
            ["query", "queries"],
        ),
        Work::Evaluating { test } => units(
            format!("{test}: asking the retriever"),
            format!("{test}: asked the retriever"),
            ["query", "queries"],
        ),
        Work::Timing { benchmark, configuration, baseline } => {
            let who = baseline.map_or(String::new(), |baseline| format!(" in turns with {baseline}"));
            units(
                format!("{benchmark}: timing {configuration}{who}"),
                format!("{benchmark}: timed {configuration}{who}"),
                ["answer", "answers"],
            )
        }
        Work::Comparing { benchmark, comparisons } => {
            let comparisons = counted(comparisons, "comparison", "comparisons");
            task(format!("{benchmark}: resampling {comparisons}"))
        }
    }
}

/// How long the rest takes where it goes on like this.
fn left(passed: Duration, done: usize, of: usize) -> Option<Duration> {
    let rest = of.checked_sub(done).filter(|_| done > 0)?;
    Some(passed.mul_f64(rest as f64 / done as f64))
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

    fn lines(work: Work<'_>, units: Option<usize>, seen: &[(u64, usize)]) -> Vec<String> {
        let kind = kind_of(work).unwrap();
        let start = Instant::now();
        let mut running = Running { start, units, done: 0, due: FIRST, told: false, kind };
        let line = |&(seconds, done): &(u64, usize)| {
            running.done = done;
            running.overdue(Duration::from_secs(seconds))
        };
        seen.iter().filter_map(line).collect()
    }

    #[test]
    fn a_program_that_says_nothing_is_told_with_the_limit_and_less_and_less_often() {
        let work = Work::Starting { program: "python3 se\u{1b}rver.py", limit: Duration::from_secs(300) };
        let seen: Vec<(u64, usize)> = (0..300).map(|second| (second, 0)).collect();
        let of = |time: &str| {
            format!("waiting for `python3 se\\u{{1b}}rver.py` to say hello: {time} so far, 5 min at most")
        };
        assert_eq!(lines(work, None, &seen), ["2 s", "6 s", "18 s", "54 s", "3 min"].map(of));
    }

    #[test]
    fn answers_that_are_timed_are_told_with_what_is_left() {
        let work = Work::Timing { benchmark: "helpdesk", configuration: "mine", baseline: Some("bm25") };
        assert_eq!(
            lines(work, Some(5832), &[(1, 50), (2, 73), (3, 100), (9, 5000)]),
            [
                "helpdesk: timed mine in turns with bm25: 73 of 5832 answers in 2 s, about 3 min left",
                "helpdesk: timed mine in turns with bm25: 5000 of 5832 answers in 9 s, about 1 s left",
            ]
        );
        let work = Work::Asking { benchmark: "helpdesk", configuration: "mine" };
        let line = "helpdesk: asked mine: 0 of 1 query in 2 s";
        assert_eq!(lines(work, Some(1), &[(2, 0)]), [line]);
        let building = |limit| Work::Building { benchmark: "helpdesk", configuration: "mine", limit };
        assert_eq!(lines(building(None), None, &[(1, 0), (60, 0)]), ["helpdesk: building mine: 60 s so far"]);
        let within = lines(building(Some(Duration::from_secs(300))), None, &[(1, 0), (60, 0)]);
        assert_eq!(within, ["helpdesk: building mine: 60 s so far, 5 min at most"]);
    }

    static WRITTEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn quick_work_says_nothing_and_long_work_does_while_it_goes_on() {
        let write: fn(&str) = |line| WRITTEN.lock().unwrap().push(line.to_owned());
        let written = |contains: &str| WRITTEN.lock().unwrap().iter().any(|line| line.contains(contains));
        let work = |configuration| Work::Asking { benchmark: "toy", configuration };
        let quick = Lines::writing(write, false, Duration::from_secs(3600));
        quick.observe(work("quick"), Event::Started(Some(2)));
        quick.observe(work("quick"), Event::Advanced(2));
        quick.observe(work("quick"), Event::Ended);
        let long = Lines::writing(write, false, Duration::from_millis(1));
        long.observe(work("long"), Event::Started(Some(2)));
        while !written("toy: asked long: 0 of 2 queries in 0 s") {
            thread::yield_now();
        }
        long.observe(work("long"), Event::Ended);
        assert!(written("toy: asked long: 0 of 2 queries") && !written("quick"));
        let said = Lines::writing(write, false, Duration::from_secs(3600)).with_starts();
        said.observe(work("said"), Event::Started(Some(2)));
        said.observe(work("said"), Event::Ended);
        assert!(written("toy: asking said: 2 queries") && written("toy: asked said: 0 of 2 queries"));
    }
}
