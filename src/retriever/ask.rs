//! Asking a retriever all queries of a collection: in parallel, under a time limit, keeping what
//! went wrong with the query it went wrong on.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::collection::Query;
use crate::order;
use crate::panic;

use super::answer::check;
use super::in_line::{NoAnswer, NotReached};
use super::limit::TEXT;
use super::{Answers, BoxError, Failure, FailureCause, Latency, Response, Retriever};
use crate::error::{Quoted, chain};
use crate::model::Row;

/// After so many failed queries the rest is not asked: no gate can be decided any more, and a
/// service that is down should not be asked ten thousand times.
const ENOUGH_FAILURES: usize = 20;

/// How a retriever is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asking {
    /// Results kept per query; at least 1.
    pub depth: usize,
    /// Queries, or batches, in flight at once; `None`: one per processor.
    pub concurrency: Option<NonZeroUsize>,
    /// Time for one query; `None`: as long as it takes.
    pub timeout: Option<Duration>,
    /// How often all queries are asked; at least 1.
    pub passes: NonZeroUsize,
}

impl Asking {
    /// Each query once, as many at once as there are processors, without a time limit.
    #[must_use]
    pub fn to_depth(depth: usize) -> Self {
        Self { depth, concurrency: None, timeout: None, passes: NonZeroUsize::MIN }
    }
}

/// Asks on threads of their own: one that does not come back in time is left behind, and its
/// configuration with it. `watch` gets the number of queries answered since the last call.
pub(crate) fn ask(
    retriever: &Arc<dyn Retriever>,
    queries: &Arc<[Query]>,
    asking: Asking,
    watch: &dyn Fn(usize),
) -> Result<Answers, Failure> {
    passes(queries, asking, || {
        let shared = Shared::new(retriever.as_ref(), queries, asking);
        let shared = Arc::new(shared.map_err(|cause| Failure::of_all(cause, queries.len()))?);
        let (sender, receiver) = mpsc::channel();
        for number in 0..shared.threads {
            let (theirs, asked) = (Arc::clone(retriever), Arc::clone(queries));
            let (all, sender) = (Arc::clone(&shared), sender.clone());
            let started = thread::Builder::new().name(format!("rankgate-ask-{number}")).spawn(move || {
                work(theirs.as_ref(), &asked, &all, &sender);
                // The retriever goes first: once all senders are gone nobody else holds it, and
                // what it holds, such as a process, ends with the caller's.
                drop(theirs);
                drop(sender);
            });
            if let Err(error) = started {
                shared.stop.store(true, Ordering::Relaxed);
                let cause = FailureCause::Setup(format!("cannot start a thread: {error}"));
                return Err(Failure::of_all(cause, queries.len()));
            }
        }
        drop(sender);
        collect(queries, &shared, &receiver, watch)
    })
    .and_then(|answers| with_said(answers, retriever.as_ref(), queries.len()))
}

/// Asks a borrowed retriever; there is no time limit, since borrowed threads cannot be left behind.
pub(crate) fn ask_borrowed(
    retriever: &dyn Retriever,
    queries: &[Query],
    asking: Asking,
    watch: &dyn Fn(usize),
) -> Result<Answers, Failure> {
    let asking = Asking { timeout: None, ..asking };
    passes(queries, asking, || {
        let shared = Shared::new(retriever, queries, asking);
        let shared = shared.map_err(|cause| Failure::of_all(cause, queries.len()))?;
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..shared.threads {
                let (shared, sender) = (&shared, sender.clone());
                let work = move || work(retriever, queries, shared, &sender);
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    shared.stop.store(true, Ordering::Relaxed);
                    let cause = FailureCause::Setup(format!("cannot start a thread: {error}"));
                    return Err(Failure::of_all(cause, queries.len()));
                }
            }
            drop(sender);
            collect(queries, &shared, &receiver, watch)
        })
    })
    .and_then(|answers| with_said(answers, retriever, queries.len()))
}

/// The same with what was answered beside the rankings.
fn with_said(answers: Answers, retriever: &dyn Retriever, queries: usize) -> Result<Answers, Failure> {
    let said = guarded("take_answers", || retriever.take_answers());
    let said = said.map_err(|cause| Failure::of_all(cause, queries))?;
    Ok(Answers { said, ..answers })
}

/// One pass: a response and a time per query.
type Pass = (Vec<Response>, Vec<Duration>);

fn passes(
    queries: &[Query],
    asking: Asking,
    once: impl Fn() -> Result<Pass, Failure>,
) -> Result<Answers, Failure> {
    let mut passes = Vec::with_capacity(asking.passes.get());
    let mut scores: Vec<Vec<BTreeMap<String, f64>>> = Vec::with_capacity(asking.passes.get());
    let mut times = Vec::with_capacity(queries.len() * asking.passes.get());
    let mut warning = None;
    for _ in 0..asking.passes.get() {
        let (mut responses, took) = once()?;
        warning = warning.or_else(|| rising_scores(queries, &responses));
        scores.push(responses.iter_mut().map(|one| std::mem::take(&mut one.scores)).collect());
        passes.push(responses.into_iter().map(|one| one.hits).collect());
        times.extend(took);
    }
    if scores.iter().flatten().all(BTreeMap::is_empty) {
        scores.clear();
    }
    Ok(Answers {
        passes,
        scores,
        latency: Latency::from_times(&times),
        said: BTreeMap::new(),
        warnings: warning.into_iter().collect(),
        build_ms: 0,
    })
}

/// The sentence about scores that rise along a list: a forgotten sort, a distance in place of a score, a flipped comparator.
fn rising_scores(queries: &[Query], responses: &[Response]) -> Option<String> {
    let first = responses.iter().position(|one| one.rose)?;
    let rising = responses.iter().filter(|one| one.rose).count();
    Some(format!(
        "scores rise along the list in {rising} of {} answers, first in that to {}: documents are ranked by score, highest \
         first. Return no scores if the order of the list counts",
        responses.len(),
        Quoted(&queries[first].id)
    ))
}

/// What the threads of one pass share.
struct Shared {
    depth: usize,
    timeout: Option<Duration>,
    batch_size: usize,
    batches: usize,
    threads: usize,
    next: AtomicUsize,
    failed: AtomicUsize,
    stop: AtomicBool,
}

impl Shared {
    fn new(retriever: &dyn Retriever, queries: &[Query], asking: Asking) -> Result<Self, FailureCause> {
        let batch_size = batch_size(retriever)?;
        let batches = queries.len().div_ceil(batch_size);
        let wanted = asking.concurrency.or_else(|| thread::available_parallelism().ok());
        Ok(Self {
            depth: asking.depth,
            timeout: asking.timeout,
            batch_size,
            batches,
            threads: wanted.map_or(1, NonZeroUsize::get).min(batches),
            next: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        })
    }

    fn batch<'q>(&self, queries: &'q [Query], number: usize) -> &'q [Query] {
        let start = number * self.batch_size;
        &queries[start..(start + self.batch_size).min(queries.len())]
    }
}

/// How many queries a retriever likes to get at once.
///
/// # Errors
/// A panic: one query at a time is not how its author wants it asked.
pub(crate) fn batch_size(retriever: &dyn Retriever) -> Result<usize, FailureCause> {
    guarded("batch_size", || retriever.batch_size()).map(|size| size.max(1))
}

/// Calls a method of a retriever that is asked no query by it; a panic in it says where it was.
fn guarded<T>(method: &str, call: impl FnOnce() -> T) -> Result<T, FailureCause> {
    panic::catch(call).map_err(|message| FailureCause::Panic(format!("{message}, in `{method}`")))
}

enum Event {
    Started { batch: usize, at: Instant },
    Answered { batch: usize, took: Duration, answers: Vec<Checked> },
}

/// The life of one asking thread: take the next batch, ask, check, hand over.
fn work(retriever: &dyn Retriever, queries: &[Query], shared: &Shared, events: &Sender<Event>) {
    while !shared.stop.load(Ordering::Relaxed) {
        let batch = shared.next.fetch_add(1, Ordering::Relaxed);
        if batch >= shared.batches {
            return;
        }
        let asked = shared.batch(queries, batch);
        let at = Instant::now();
        if events.send(Event::Started { batch, at }).is_err() {
            return;
        }
        let answers = answer(retriever, asked, shared.depth);
        let took = at.elapsed();
        let failed = answers.iter().filter(|answer| answer.is_err()).count();
        if shared.failed.fetch_add(failed, Ordering::Relaxed) + failed >= ENOUGH_FAILURES {
            shared.stop.store(true, Ordering::Relaxed);
        }
        if events.send(Event::Answered { batch, took, answers }).is_err() {
            return;
        }
    }
}

fn answer(retriever: &dyn Retriever, asked: &[Query], depth: usize) -> Vec<Checked> {
    checked(asked, depth, call(retriever, asked, depth))
}

/// What a retriever returns, or the words that it panics with.
pub(super) type Returned = Result<Vec<Result<Response, BoxError>>, String>;

/// Asks, and does nothing else that takes time.
pub(super) fn call(retriever: &dyn Retriever, asked: &[Query], depth: usize) -> Returned {
    let ask = || match asked {
        [query] => vec![retriever.respond(query, depth)],
        _ => retriever.respond_batch(asked, depth),
    };
    panic::catch(ask)
}

/// A checked answer to a query.
pub(super) type Checked = Result<Response, NoAnswer>;

/// One checked answer for each of the queries.
pub(super) fn checked(asked: &[Query], depth: usize, answers: Returned) -> Vec<Checked> {
    let failed = |cause: FailureCause| asked.iter().map(|_| Err(NoAnswer::new(cause.clone()))).collect();
    match answers {
        Err(message) => failed(FailureCause::Panic(message)),
        Ok(answers) if answers.len() != asked.len() => {
            failed(FailureCause::BatchSize(asked.len(), answers.len()))
        }
        Ok(answers) => answers
            .into_iter()
            .map(|answer| match answer {
                Ok(response) => check(response, depth).map_err(NoAnswer::new),
                Err(error) => {
                    let cause = FailureCause::Error(chain(error.as_ref()));
                    Err(match error.is::<NotReached>() {
                        true => NoAnswer::in_line(cause),
                        false => NoAnswer::new(cause),
                    })
                }
            })
            .collect(),
    }
}

/// Gathers the events of one pass until all is answered, too much has failed or time is up.
fn collect(
    queries: &[Query],
    shared: &Shared,
    events: &Receiver<Event>,
    watch: &dyn Fn(usize),
) -> Result<Pass, Failure> {
    let mut responses = vec![Response::default(); queries.len()];
    let mut times = vec![Duration::ZERO; queries.len()];
    let mut failures: Vec<(usize, NoAnswer)> = Vec::new();
    let mut in_flight: HashMap<usize, Instant> = HashMap::new();
    let mut asked = 0;
    loop {
        let overdue = earliest(&in_flight, queries, shared);
        match next_message(events, overdue.map(|(_, deadline)| deadline)) {
            Ok(Event::Started { batch, at }) => {
                in_flight.insert(batch, at);
            }
            Ok(Event::Answered { batch, took, answers }) => {
                in_flight.remove(&batch);
                watch(answers.len());
                asked += answers.len();
                let first = batch * shared.batch_size;
                let share = took / u32::try_from(answers.len()).unwrap_or(u32::MAX).max(1);
                // An answer that came too late is too late, even when this thread was slower still.
                let limit = shared.timeout.and_then(|t| t.checked_mul(u32::try_from(answers.len()).ok()?));
                let late = limit.is_some_and(|limit| took > limit);
                for (index, answer) in (first..).zip(answers) {
                    times[index] = share;
                    match answer {
                        Ok(_) if late => failures.push((index, NoAnswer::new(timed_out(shared.timeout)))),
                        Ok(response) => responses[index] = response,
                        Err(none) => failures.push((index, none)),
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                shared.stop.store(true, Ordering::Relaxed);
                if let Some((batch, _)) = overdue {
                    asked += shared.batch(queries, batch).len();
                    failures.push((batch * shared.batch_size, NoAnswer::new(timed_out(shared.timeout))));
                }
                break;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if failures.is_empty() {
        return Ok((responses, times));
    }
    Err(failure(queries, failures, asked))
}

/// The failure of a pass in which these queries got no answer, `asked` of all having been asked.
fn failure(queries: &[Query], mut failures: Vec<(usize, NoAnswer)>, asked: usize) -> Failure {
    order::sort_by_key(&mut failures, |(index, none)| (none.is_in_line, *index));
    let is_own = |(_, none): &&(usize, NoAnswer)| !none.is_in_line;
    // Where all of them stood in line, what they waited for had failed before: the first of them says it.
    let failed = failures.iter().take_while(is_own).count().max(1);
    let asked = asked - (failures.len() - failed);
    failures.truncate(failed);
    let (first, cause) = &failures[0];
    // A batch may be thousands of queries.
    let list = failures.iter().take(ENOUGH_FAILURES).map(|(index, none)| {
        let own = if none.cause == cause.cause { String::new() } else { none.cause.to_string() };
        let remark = own.lines().next().unwrap_or_default().to_owned();
        Row { remark, ..Row::new(&queries[*index].id, beginning(&queries[*index])) }
    });
    Failure {
        stopped_after: (asked < queries.len()).then_some(asked),
        queries: list.collect(),
        ..failed_on(&queries[*first], cause.cause.clone(), failed, queries.len())
    }
}

/// The failure of a query, one of so many that failed of so many.
pub(super) fn failed_on(query: &Query, cause: FailureCause, failed: usize, of: usize) -> Failure {
    let is_late = matches!(cause, FailureCause::TimedOut(_));
    let late = is_late.then(|| Box::new(Quoted(&beginning(query)).to_string()));
    let own = Row::new(&query.id, beginning(query));
    Failure { query: Some(query.id.clone()), failed, late, queries: vec![own], ..Failure::of_all(cause, of) }
}

/// The beginning of a query's text, as failures show it.
fn beginning(query: &Query) -> String {
    query.text.chars().take(TEXT).collect()
}

pub(super) fn timed_out(timeout: Option<Duration>) -> FailureCause {
    let limit = timeout.unwrap_or_default().as_millis();
    FailureCause::TimedOut(u64::try_from(limit).unwrap_or(u64::MAX))
}

/// The batch whose time is up first, and when.
fn earliest(
    in_flight: &HashMap<usize, Instant>,
    queries: &[Query],
    shared: &Shared,
) -> Option<(usize, Instant)> {
    let timeout = shared.timeout?;
    in_flight
        .iter()
        .filter_map(|(&batch, &at)| {
            let queries = u32::try_from(shared.batch(queries, batch).len()).ok()?;
            Some((batch, at.checked_add(timeout.checked_mul(queries)?)?))
        })
        .min_by_key(|&(batch, deadline)| (deadline, batch))
}

/// The next message, if it comes before the deadline.
fn next_message<T>(messages: &Receiver<T>, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
    match deadline {
        Some(deadline) => messages.recv_timeout(deadline.saturating_duration_since(Instant::now())),
        None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
    }
}
