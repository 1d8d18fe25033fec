//! Work for callers: how much of it at a time, for whom, in how much memory, and until when.
//!
//! A request that waits holds a place of its caller and the bytes of its body. Whoever goes leaves both, and ends what was
//! begun for them.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};
use rankgate_offline::unless_given_up;
use tokio::sync::{OwnedSemaphorePermit as Permit, Semaphore};
use tokio::time::timeout;

use crate::access::Caller;
use crate::body::Received;
use crate::limits::Limits;
use crate::problem::{Answer, Problem};
use crate::server::{App, blocking};

/// Requests of one caller that have a body, arriving or waiting or being computed.
const REQUESTS: usize = 128;
/// Callers that are remembered while they have nothing to do.
const CALLERS: usize = 10_000;
/// Memory that a byte takes while it is read: measured at up to 33 where judgments are of a few bytes each.
const OF_BYTE: usize = 32;
/// The same of files that were sent before, which are of runs and judgments as people have them: measured at 4 to 5.
const OF_KEPT: usize = 8;
/// Memory that a query of a run takes besides while it is scored: measured at up to 500.
const OF_QUERY: usize = 512;
/// Memory that one score takes, of one query by one metric: measured at up to 11.
const OF_SCORE: usize = 16;
/// The wait before memory is asked for again by what was begun.
const AGAIN: Duration = Duration::from_millis(10);

/// What all callers share.
pub(crate) struct Work {
    /// Whatever is computed has one of these.
    all: Arc<Semaphore>,
    /// Evaluations and comparisons have one of these as well: fewer, so that pushes go on beside them.
    long: Arc<Semaphore>,
    /// KiB of what is computed.
    memory: Arc<Semaphore>,
    /// KiB of bodies, and of answers that are as large: whoever takes no answer holds up no body.
    bodies: Arc<Semaphore>,
    answers: Arc<Semaphore>,
    callers: Mutex<HashMap<String, Arc<Own>>>,
    waiting: AtomicUsize,
    limits: Limits,
}

/// What one caller has of it.
struct Own {
    requests: Arc<Semaphore>,
    /// Of what is computed, whatever it is: less than all of it.
    any: Arc<Semaphore>,
    long: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
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

/// What is being computed, and what it may take.
pub(crate) struct Bounds {
    work: Arc<Work>,
    given_up: Arc<AtomicBool>,
    /// Turns and memory.
    held: Mutex<Vec<Permit>>,
    /// Bytes that were sent before.
    kept: AtomicUsize,
}

/// One that waits, as long as it does.
struct Waits<'a> {
    all: &'a AtomicUsize,
    _own: Permit,
}

impl<'a> Waits<'a> {
    fn begin(all: &'a AtomicUsize, own: Permit) -> Self {
        all.fetch_add(1, Ordering::Relaxed);
        Self { all, _own: own }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Says that nobody waits any more, when it goes.
struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn kib(bytes: usize) -> usize {
    bytes.div_ceil(1 << 10)
}

/// As many permits as that, and no more than a semaphore counts.
fn permits(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.clamp(1, Semaphore::MAX_PERMITS)))
}

fn busy(detail: impl Into<String>) -> Problem {
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

    fn own(&self, caller: &str) -> Arc<Own> {
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
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Turns are a few permits of other semaphores, and are counted as so many KiB.
        let own: usize = held.iter().map(Permit::num_permits).sum();
        let wanted = kib(bytes).min(kib(limits.memory).saturating_sub(own));
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

/// Waits for a permit, as long as anyone is to wait.
async fn turn(of: &Arc<Semaphore>, number: usize, limits: &Limits) -> Answer<Permit> {
    let taken = timeout(limits.queue, Arc::clone(of).acquire_many_owned(permits(number))).await;
    let taken = taken.map_err(|_| {
        busy(format!("other requests were being computed for {} seconds", limits.queue.as_secs()))
    })?;
    taken.map_err(|_| busy("the server is being stopped"))
}

/// Does what keeps processors busy: only so much at a time, and less than all of it for one caller.
pub(crate) async fn computing<T: Send + 'static>(
    app: &App,
    caller: String,
    job: impl FnOnce(&App) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let limits = &app.settings.limits;
    let one = [turn(&app.work.own(&caller).any, 1, limits).await?, turn(&app.work.all, 1, limits).await?];
    blocking(app, move |app| {
        let _one = one;
        job(app)
    })
    .await
}

/// The same for somebody who reads what is kept: it ends when they go.
pub(crate) async fn computing_read<T: Send + 'static>(
    app: &App,
    caller: String,
    job: impl FnOnce(&App) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let limits = &app.settings.limits;
    let one = vec![turn(&app.work.own(&caller).any, 1, limits).await?, turn(&app.work.all, 1, limits).await?];
    until_gone(app, one, move |app, _| job(app)).await
}

/// The same with a body, for which there has to be memory.
pub(crate) async fn computing_body<T: Send + 'static>(
    app: &App,
    caller: String,
    body: Received,
    job: impl FnOnce(&App, Received) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let (body, memory) = with_memory(app, body).await?;
    computing(app, caller, move |app| {
        let _memory = memory;
        job(app, body)
    })
    .await
}

/// The memory that a body takes while it is read.
async fn with_memory(app: &App, body: Received) -> Answer<(Received, Permit)> {
    let (body, bytes) = if body.is_gzipped() {
        blocking(app, move |_| body.decoded_length().map(|length| (body, length))).await?
    } else {
        let length = body.decoded_length()?;
        (body, length)
    };
    Ok((body, memory(app, bytes).await?))
}

/// The memory that so many bytes take while they are read.
async fn memory(app: &App, bytes: usize) -> Answer<Permit> {
    let limits = &app.settings.limits;
    turn(&app.work.memory, kib(bytes.saturating_mul(OF_BYTE)).min(kib(limits.memory) / 2), limits).await
}

/// A caller's turn among their own long work and that of all, with the memory that so many bytes take.
async fn long_turn(
    app: &App,
    caller: &Caller,
    memory: impl Future<Output = Answer<Permit>>,
) -> Answer<Vec<Permit>> {
    let (work, limits) = (&app.work, &app.settings.limits);
    let own = work.own(&caller.key());
    let waits = Arc::clone(&own.waiting).try_acquire_owned().map_err(|_| {
        let detail = format!("{} of your requests wait already to be computed", limits.waiting);
        Problem::new(StatusCode::TOO_MANY_REQUESTS, detail)
    })?;
    let _waits = Waits::begin(&work.waiting, waits);
    let mut turns = vec![turn(&own.long, 1, limits).await?, turn(&work.long, 1, limits).await?];
    turns.extend([memory.await?, turn(&work.all, 1, limits).await?]);
    Ok(turns)
}

/// The same with a body.
async fn body_turn(app: &App, caller: &Caller, body: Received) -> Answer<(Vec<Permit>, Received)> {
    let mut read = None;
    let memory = async {
        let (body, memory) = with_memory(app, body).await?;
        read = Some(body);
        Ok(memory)
    };
    let turns = long_turn(app, caller, memory).await?;
    let body = read.ok_or_else(|| busy("the body is gone"))?;
    Ok((turns, body))
}

/// Carries out a spec of the server's own: so many at a time for one caller, until they go, however long it takes.
pub(crate) async fn computing_benchmark<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    body: Received,
    job: impl FnOnce(&App, Received) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let (turns, body) = body_turn(app, caller, body).await?;
    until_gone(app, turns, move |app, _| job(app, body)).await
}

/// Evaluates or compares: so much at a time for one caller, until they go, until its time has passed, and in as much
/// memory as it says that it needs.
pub(crate) async fn computing_long<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    body: Received,
    job: impl FnOnce(&App, Received, &Bounds) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let (turns, body) = body_turn(app, caller, body).await?;
    in_time(app, until_gone(app, turns, move |app, bounds| job(app, body, bounds))).await
}

/// The same of so many bytes that are kept.
pub(crate) async fn computing_kept<T: Send + 'static>(
    app: &App,
    caller: &Caller,
    bytes: usize,
    job: impl FnOnce(&App) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let turns = long_turn(app, caller, memory(app, bytes)).await?;
    in_time(app, until_gone(app, turns, move |app, _| job(app))).await
}

/// Gives up what takes longer than anything may.
async fn in_time<T>(app: &App, computed: impl Future<Output = Answer<T>>) -> Answer<T> {
    let limit = app.settings.limits.compute;
    let computed = timeout(limit, computed).await;
    computed.map_err(|_| {
        let detail = format!(
            "it was not computed within {} seconds, which is the limit of this server: send fewer queries, metrics or runs",
            limit.as_secs()
        );
        busy(detail)
    })?
}

/// Computes until nobody waits for it any more, which is looked at between its parts.
async fn until_gone<T: Send + 'static>(
    app: &App,
    turns: Vec<Permit>,
    job: impl FnOnce(&App, &Bounds) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let given_up = Arc::new(AtomicBool::new(false));
    let _gone = GiveUp(Arc::clone(&given_up));
    let bounds = Bounds {
        work: Arc::clone(&app.work),
        given_up: Arc::clone(&given_up),
        held: Mutex::new(turns),
        kept: AtomicUsize::new(0),
    };
    blocking(app, move |app| {
        // What it holds goes when it ends, which may be after its caller went.
        let done = unless_given_up(&given_up, || job(app, &bounds));
        done.unwrap_or_else(|| Err(busy("it was given up")))
    })
    .await
}

/// What is kept, as it is answered: it holds room as a body that is sent here does, until it was taken.
pub(crate) struct StoredBody {
    bytes: Full<Bytes>,
    _room: Room,
}

impl HttpBody for StoredBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.bytes).poll_frame(context)
    }

    fn size_hint(&self) -> SizeHint {
        self.bytes.size_hint()
    }
}

/// Reads so many bytes that are kept, when there is room for them.
pub(crate) async fn stored_body(
    app: &App,
    caller: &Caller,
    bytes: usize,
    read: impl FnOnce(&App) -> Answer<Vec<u8>> + Send + 'static,
) -> Answer<Body> {
    let mut room = Room { is_answer: true, ..app.work.room(&caller.key())? };
    room.grow(bytes)?;
    let bytes = blocking(app, read).await?;
    Ok(Body::new(StoredBody { bytes: Full::new(bytes.into()), _room: room }))
}
