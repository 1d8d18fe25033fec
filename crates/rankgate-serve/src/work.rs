//! Room for the work of callers: how much of it at a time, for whom, and in how much memory.
//!
//! A request that waits holds a place of its caller and the bytes of its body.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit as Permit, Semaphore};

use crate::limits::Limits;
use crate::problem::{Answer, Problem};

/// Requests of one caller that have a body, arriving or waiting or being computed.
const REQUESTS: usize = 128;
/// Callers that are remembered while they have nothing to do.
const CALLERS: usize = 10_000;
/// Memory that a byte takes while it is read: measured at up to 33 where judgments are of a few bytes each.
pub(crate) const OF_BYTE: usize = 32;
/// The same of files that were sent before, which are of runs and judgments as people have them: measured at 4 to 5.
const OF_KEPT: usize = 8;
/// Memory that a query takes with the judgments or the ranking that it has: measured at up to 800.
const OF_OWN: usize = 800;
/// The same of each of its rows.
const OF_ROW: usize = 100;
/// Memory that a query of a run takes besides while it is scored: measured at up to 500.
const OF_QUERY: usize = 512;
/// Memory that one score takes, of one query by one metric: measured at up to 11.
const OF_SCORE: usize = 16;
/// The wait before running work requests memory again.
const AGAIN: Duration = Duration::from_millis(10);

/// What all callers share.
pub(crate) struct Work {
    /// Every computation has one of these.
    pub(crate) all: Arc<Semaphore>,
    /// Evaluations and comparisons have one of these as well: fewer, so that pushes go on beside them.
    pub(crate) long: Arc<Semaphore>,
    /// KiB of computations.
    pub(crate) memory: Arc<Semaphore>,
    /// KiB of bodies, and of answers that are as large: a client that takes no answer holds up no body.
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
    callers: Mutex<HashMap<String, Arc<Own>>>,
    pub(crate) waiting: AtomicUsize,
    limits: Limits,
}

/// What one caller has of it.
pub(crate) struct Own {
    requests: Arc<Semaphore>,
    /// The share of one computation: less than all of it.
    pub(crate) any: Arc<Semaphore>,
    pub(crate) long: Arc<Semaphore>,
    pub(crate) waiting: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

/// A caller's place for a request, and the room of its body.
pub(crate) struct Room {
    work: Arc<Work>,
    own: Arc<Own>,
    _place: Permit,
    bytes: usize,
    /// Of the caller's own room, and of all.
    held: [Option<Permit>; 2],
    /// Whether it is an answer's.
    is_answer: bool,
}

/// A computation, and the memory that it may take.
pub(crate) struct Bounds {
    work: Arc<Work>,
    given_up: Arc<AtomicBool>,
    /// Turns and memory.
    held: Mutex<Vec<Permit>>,
    /// Bytes that were sent before.
    kept: AtomicUsize,
    /// Memory of the judgments and rankings of the request.
    rows: AtomicUsize,
}

pub(crate) fn kib(bytes: usize) -> usize {
    bytes.div_ceil(1 << 10)
}

/// As many permits as that, and no more than a semaphore counts.
pub(crate) fn permits(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS)))
}

pub(crate) fn busy(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
}

impl Work {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        let at_once = limits.at_once.max(1);
        Arc::new(Self {
            all: semaphore(at_once),
            long: semaphore(at_once.saturating_sub(1)),
            memory: semaphore(kib(limits.memory)),
            bodies: semaphore(kib(limits.bodies)),
            answers: semaphore(kib(limits.bodies)),
            callers: Mutex::default(),
            waiting: AtomicUsize::new(0),
            limits,
        })
    }

    /// What a caller has of it.
    pub(crate) fn own(&self, caller: &str) -> Arc<Own> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CALLERS {
            callers.retain(|_, own| Arc::strong_count(own) > 1);
        }
        let own = callers.entry(caller.to_owned()).or_insert_with(|| {
            let limits = &self.limits;
            Arc::new(Own {
                requests: semaphore(REQUESTS),
                any: semaphore(limits.at_once.saturating_sub(1)),
                long: semaphore((limits.at_once / 2).max(1)),
                waiting: semaphore(limits.waiting),
                // Half of the room is left to others, and one body of the largest size has room.
                bodies: semaphore(kib(limits.bodies / 2).max(kib(limits.body))),
                answers: semaphore(kib(limits.bodies / 2).max(kib(limits.body))),
            })
        });
        Arc::clone(own)
    }

    /// How much is being computed, and waits for it.
    pub(crate) fn load(&self) -> (usize, usize) {
        let at_once = self.limits.at_once.max(1);
        (at_once - self.all.available_permits().min(at_once), self.waiting.load(Ordering::Relaxed))
    }

    /// A caller's place for one more request.
    pub(crate) fn room(self: &Arc<Self>, caller: &str) -> Answer<Room> {
        let own = self.own(caller);
        let place = Arc::clone(&own.requests).try_acquire_owned().map_err(|_| {
            Problem::new(
                StatusCode::TOO_MANY_REQUESTS,
                format!("{REQUESTS} of your requests are not answered yet"),
            )
        })?;
        Ok(Room {
            work: Arc::clone(self),
            own,
            _place: place,
            bytes: 0,
            held: [None, None],
            is_answer: false,
        })
    }

    /// The same for an answer that is read from kept data.
    pub(crate) fn answer_room(self: &Arc<Self>, caller: &str) -> Answer<Room> {
        Ok(Room { is_answer: true, ..self.room(caller)? })
    }
}

impl Room {
    /// Takes room for more bytes of the body.
    pub(crate) fn grow(&mut self, bytes: usize) -> Answer<()> {
        let more = permits(kib(self.bytes + bytes) - kib(self.bytes));
        self.bytes += bytes;
        let (own, all, what) = if self.is_answer {
            (&self.own.answers, &self.work.answers, "answers that were not taken yet")
        } else {
            (&self.own.bodies, &self.work.bodies, "bodies that were sent")
        };
        for (place, of) in [own, all].into_iter().enumerate() {
            let taken = Arc::clone(of).try_acquire_many_owned(more);
            let whose = if place == 0 { "your" } else { "all" };
            let taken = taken.map_err(|_| busy(format!("{whose} {what} leave no room for this one")))?;
            match &mut self.held[place] {
                Some(held) => held.merge(taken),
                none => *none = Some(taken),
            }
        }
        Ok(())
    }
}

impl Bounds {
    /// Of work that has these turns, until it is given up.
    pub(crate) fn new(work: &Arc<Work>, given_up: &Arc<AtomicBool>, turns: Vec<Permit>) -> Self {
        Self {
            work: Arc::clone(work),
            given_up: Arc::clone(given_up),
            held: Mutex::new(turns),
            kept: AtomicUsize::new(0),
            rows: AtomicUsize::new(0),
        }
    }

    /// Takes memory for the scores of queries by metrics, of so many runs, before they are computed.
    pub(crate) fn scores(&self, queries: usize, metrics: usize, runs: usize) -> Answer<()> {
        let (limits, number) = (&self.work.limits, queries.saturating_mul(metrics).saturating_mul(runs));
        if number > limits.scores {
            let detail = format!(
                "{queries} queries by {metrics} metrics of {runs} {} are {number} scores: at most {} are computed for a request",
                if runs == 1 { "run" } else { "runs" },
                limits.scores
            );
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        let of_queries = queries.saturating_mul(runs).saturating_mul(OF_QUERY);
        self.take(number.saturating_mul(OF_SCORE).saturating_add(of_queries))
    }

    /// Takes memory for judgments or rankings before they are read, as far as all of them take more than what the body took.
    pub(crate) fn rows(&self, queries: usize, rows: usize) -> Answer<()> {
        let earlier = self.rows.fetch_add(memory_of_rows(queries, rows), Ordering::Relaxed);
        let bytes = earlier.saturating_add(memory_of_rows(queries, rows));
        checked_memory(&self.work.limits, bytes)?;
        let own = self.held_kib() << 10;
        if bytes > own { self.take(bytes - own) } else { Ok(()) }
    }

    /// How much memory there is for a request.
    pub(crate) fn limits(&self) -> &Limits {
        &self.work.limits
    }

    /// Turns are a few permits of other semaphores, and are counted as so many KiB.
    fn held_kib(&self) -> usize {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().map(Permit::num_permits).sum()
    }

    /// Takes memory for a file that was sent before.
    pub(crate) fn take_stored(&self, bytes: usize) -> Answer<()> {
        let most = self.work.limits.body;
        if self.kept.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > most {
            let detail = format!(
                "the files that it names have more than {most} bytes, which is the limit of this server"
            );
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
        }
        self.take(bytes.saturating_mul(OF_KEPT))
    }

    fn take(&self, bytes: usize) -> Answer<()> {
        let limits = &self.work.limits;
        let wanted = kib(bytes).min(kib(limits.memory).saturating_sub(self.held_kib()));
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        // Others that were begun may wait for this one's memory: it is not waited for without an end.
        while begun.elapsed() < limits.queue && !self.given_up.load(Ordering::Relaxed) {
            if let Ok(taken) = Arc::clone(&self.work.memory).try_acquire_many_owned(permits(wanted)) {
                held.push(taken);
                return Ok(());
            }
            std::thread::sleep(AGAIN);
        }
        Err(busy("other requests have the memory that this one needs"))
    }
}

/// Queries beyond so many are refused whatever they have.
pub(crate) fn most_queries(limits: &Limits) -> usize {
    limits.memory / OF_OWN
}

/// Memory that judgments or rankings take.
pub(crate) fn memory_of_rows(queries: usize, rows: usize) -> usize {
    queries.saturating_mul(OF_OWN).saturating_add(rows.saturating_mul(OF_ROW))
}

/// Refuses what takes more memory than there is for all.
pub(crate) fn checked_memory(limits: &Limits, bytes: usize) -> Answer<()> {
    if bytes <= limits.memory {
        return Ok(());
    }
    let detail = format!(
        "its judgments and rankings take {} MiB or more, and this server computes in {} MiB",
        bytes >> 20,
        limits.memory >> 20
    );
    Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail))
}
