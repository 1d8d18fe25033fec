//! Work for callers: when its turn comes, and until when it is done.
//!
//! A client that leaves frees its place, and ends the work begun for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::http::StatusCode;
use rankgate_offline::unless_given_up;
use tokio::sync::{OwnedSemaphorePermit as Permit, Semaphore};
use tokio::time::timeout;

use crate::access::Caller;
use crate::app::{App, blocking};
use crate::body::Received;
use crate::limits::Limits;
use crate::problem::{Answer, Problem};
use crate::work::{Bounds, OF_BYTE, busy, kib, permits};

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

/// Gives the work up when it is dropped.
struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
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

/// The same for a caller who only reads: the work ends when the caller goes.
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

/// Computes until its caller goes; the work looks for that between its parts.
async fn until_gone<T: Send + 'static>(
    app: &App,
    turns: Vec<Permit>,
    job: impl FnOnce(&App, &Bounds) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let given_up = Arc::new(AtomicBool::new(false));
    let _gone = GiveUp(Arc::clone(&given_up));
    let bounds = Bounds::new(&app.work, &given_up, turns);
    blocking(app, move |app| {
        // What it holds goes when it ends, which may be after its caller went.
        let done = unless_given_up(&given_up, || job(app, &bounds));
        done.unwrap_or_else(|| {
            app.counts.given_up.fetch_add(1, Ordering::Relaxed);
            Err(busy("it was given up"))
        })
    })
    .await
}
