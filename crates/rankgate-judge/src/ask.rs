//! Asking request by request within a budget, several at once; each reply is kept at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::Result;
use crate::backend::{Backend, Response};
use crate::reply::Reply;
use crate::request::Request;
use crate::settings::{Budget, Settings};

/// The wait before the first repetition; each next one is twice as long.
const FIRST: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 200 });
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(30);
/// How often a request is made.
const TRIES: u32 = 6;
/// Tokens of so many bytes, before a server has counted any.
const BYTES_A_TOKEN: u64 = 3;

/// A request without a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failed {
    /// A query that it was asked for.
    pub query: String,
    /// The task.
    pub task: String,
    /// Why there is no reply.
    pub why: String,
}

/// What asking came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Requests that were made, repetitions included.
    pub requests: u64,
    /// Tokens that were read and written, as far as the server counted them.
    pub tokens: [u64; 2],
    /// Requests without a reply.
    pub failed: Vec<Failed>,
    /// What stopped it before all was asked.
    pub stopped: Option<String>,
    /// Requests that were not made for that.
    pub left: usize,
}

impl Tally {
    /// Whether every request has a reply.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.left == 0
    }

    fn cost(&self, budget: &Budget) -> f64 {
        let of = |at: usize, price: f64| self.tokens[at] as f64 * price / 1e6;
        budget.prices.map_or(0.0, |prices| of(0, prices.read) + of(1, prices.written))
    }
}

/// Asks all requests; `tally` holds what was spent before.
pub(crate) fn ask(
    settings: &Settings,
    backend: &dyn Backend,
    requests: &[Request],
    tally: &mut Tally,
    keep: &(dyn Fn(&Request, Reply) -> Result<()> + Sync),
) -> Result<()> {
    let shared = Mutex::new((std::mem::take(tally), None));
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(request) = requests.get(at) else { return };
            one(settings, backend, request, &shared, keep);
        }
    };
    thread::scope(|scope| {
        for _ in 0..settings.concurrency().min(requests.len()) {
            scope.spawn(work);
        }
    });
    let (spent, broken) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    *tally = spent;
    broken.map_or(Ok(()), Err)
}

type Shared = Mutex<(Tally, Option<crate::Error>)>;

fn lock(shared: &Shared) -> MutexGuard<'_, (Tally, Option<crate::Error>)> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn one(
    settings: &Settings,
    backend: &dyn Backend,
    request: &Request,
    shared: &Shared,
    keep: &(dyn Fn(&Request, Reply) -> Result<()> + Sync),
) {
    let bytes = request.prompt(settings).len() as u64;
    let worst = [bytes / BYTES_A_TOKEN + 1, settings.longest()];
    let mut wait = FIRST;
    for tries in 1..=TRIES {
        {
            let (tally, broken) = &mut *lock(shared);
            if tally.stopped.is_none() {
                tally.stopped = beyond(tally, &settings.budget, worst);
            }
            if tally.stopped.is_some() || broken.is_some() {
                tally.left += 1;
                return;
            }
            // The worst case stands until the server has counted.
            tally.requests += 1;
            tally.tokens = [0, 1].map(|at| tally.tokens[at].saturating_add(worst[at]));
        }
        let response = backend.ask(request);
        let guard = &mut *lock(shared);
        let spent = match &response {
            Response::Answered(reply) => {
                let written = (reply.analysis.len() as u64 / BYTES_A_TOKEN).min(worst[1]);
                reply.tokens.unwrap_or([worst[0], written])
            }
            Response::Later { .. } | Response::Never(_) | Response::Stop(_) => [0, 0],
        };
        let tokens = guard.0.tokens;
        guard.0.tokens = [0, 1].map(|at| tokens[at].saturating_sub(worst[at]).saturating_add(spent[at]));
        let fail = |tally: &mut Tally, why: String| {
            let query = request.queries.first().cloned().unwrap_or_default();
            tally.failed.push(Failed { query, task: request.task().to_string(), why });
        };
        match response {
            Response::Answered(reply) => {
                // The lock makes the lines of the file whole.
                if let Err(error) = keep(request, reply) {
                    guard.1 = Some(error);
                }
                return;
            }
            Response::Never(why) => return fail(&mut guard.0, why),
            Response::Stop(why) => {
                guard.0.stopped.get_or_insert(why);
                guard.0.left += 1;
                return;
            }
            Response::Later { why, .. } if tries == TRIES => return fail(&mut guard.0, why),
            Response::Later { wish, .. } => wait = wish.unwrap_or(wait).min(LONGEST),
        }
        thread::sleep(wait);
        wait = (wait * 2).min(LONGEST);
    }
}

/// What the next request would exceed.
fn beyond(tally: &Tally, budget: &Budget, worst: [u64; 2]) -> Option<String> {
    if let Some(most) = budget.requests.filter(|most| tally.requests >= *most) {
        return Some(format!("the budget of {most} requests is used up"));
    }
    let most = budget.cost?;
    let with =
        Tally { tokens: [0, 1].map(|at| tally.tokens[at].saturating_add(worst[at])), ..Tally::default() };
    (with.cost(budget) > most).then(|| {
        format!("the next request might exceed the budget: {:.2} of {most:.2} are spent", tally.cost(budget))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;
    use crate::reply::{Said, State};

    struct Scripted(fn(usize) -> Response, AtomicUsize);

    impl Backend for Scripted {
        fn ask(&self, _: &Request) -> Response {
            (self.0)(self.1.fetch_add(1, Ordering::Relaxed))
        }
    }

    fn run(settings: &Settings, script: fn(usize) -> Response) -> (usize, Tally) {
        let question = |at: usize| Question::AnswerRelevance { query: format!("q{at}"), answer: "a".into() };
        let request = |at| Request { queries: vec![format!("q{at}")], questions: vec![question(at)] };
        let requests: Vec<Request> = (0..5).map(request).collect();
        let (kept, mut tally) = (AtomicUsize::new(0), Tally::default());
        let keep = |_: &Request, _: Reply| {
            kept.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let backend = Scripted(script, AtomicUsize::new(0));
        ask(settings, &backend, &requests, &mut tally, &keep).unwrap();
        (kept.into_inner(), tally)
    }

    fn good() -> Response {
        Response::Answered(Reply {
            said: Ok(vec![Said::Grade(2)]),
            analysis: "so".into(),
            tokens: Some([100, 10]),
        })
    }

    #[test]
    fn what_was_paid_is_kept_wherever_the_budget_ends() {
        let mut settings = Settings::of_model("tiny");
        settings.concurrency = Some(1);
        let (kept, tally) = run(&settings, |_| good());
        assert_eq!((kept, tally.requests, tally.tokens, tally.is_complete()), (5, 5, [500, 50], true));
        settings.budget.requests = Some(3);
        let (kept, tally) = run(&settings, |_| good());
        assert_eq!(
            (kept, tally.left, tally.stopped.as_deref()),
            (3, 2, Some("the budget of 3 requests is used up"))
        );
        settings.budget = Budget {
            cost: Some(0.0012),
            prices: Some(crate::Prices { read: 1.0, written: 1.0 }),
            requests: None,
        };
        let (kept, tally) = run(&settings, |_| good());
        assert!(kept < 5 && tally.stopped.unwrap().contains("might exceed the budget"), "{kept}");
    }

    #[test]
    fn a_busy_server_is_asked_again_and_a_bad_one_is_listed() {
        let mut settings = Settings::of_model("tiny");
        settings.concurrency = Some(1);
        let (kept, tally) = run(&settings, |at| match at {
            0 => Response::Later { why: "busy".into(), wish: Some(Duration::ZERO) },
            _ => good(),
        });
        assert_eq!((kept, tally.requests, tally.is_complete()), (5, 6, true));
        let (kept, tally) = run(&settings, |at| if at == 1 { Response::Never("no".into()) } else { good() });
        assert_eq!((kept, tally.failed.len(), tally.failed[0].query.as_str()), (4, 1, "q1"));
        let (kept, tally) = run(&settings, |at| if at == 2 { Response::Stop("down".into()) } else { good() });
        assert_eq!((kept, tally.left, tally.stopped.as_deref()), (2, 3, Some("down")));
        let prose = |_| Response::Answered(Reply::without(State::Unparseable, "I think so"));
        assert_eq!(run(&settings, prose).0, 5, "what was paid for is kept, whatever it says");
    }
}
