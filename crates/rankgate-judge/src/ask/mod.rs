//! Asking: pair by pair, several at once, within a budget, and each answer kept at once.

mod budget;
mod items;
mod journal;
mod jury;
mod pace;
mod program;
#[cfg(feature = "http")]
mod server;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::chain;
use crate::judge::Judge;
use crate::stats::Stream;
use crate::{Error, Result};
pub(crate) use budget::Earlier;
use budget::{Account, Cost, Reserved, ReservedQuestion};
use pace::Pace;
use rankgate::internal::Secrets;
use rankgate::internal::judge::matches_request;
use rankgate::judge::{Answer, Completion, Description, Item, Pair, Request, State, Usage};

pub use budget::{Budget, Prices, expected_tokens};
pub(crate) use items::{drawn_items, together};
pub use journal::Journal;
pub(crate) use jury::jury_item;
pub(crate) use program::OwnProgram;
#[cfg(feature = "http")]
pub(crate) use server::{Address, Server};

/// So often one question is asked at most where the server is busy or broken.
const TRIES: u32 = 6;
/// After so many questions in a row that nobody answers, the next ones are not asked.
const IN_A_ROW: u32 = 5;
/// After so many questions in a row to which no answer is of the form that was asked for, the next ones are not asked:
/// every one of them would be paid for.
const FORMLESS_IN_A_ROW: u32 = 10;
/// A server that wishes to be left alone for longer is asked another day.
const LONGEST_WISH: Duration = Duration::from_secs(10 * 60);

/// What came of one request.
pub(crate) enum JudgeReply {
    /// An answer, whatever it is worth.
    Answered(ReceivedAnswer),
    /// No answer now; after what time there may be one, and whether tokens may have been spent.
    #[cfg_attr(not(any(feature = "http", test)), expect(dead_code, reason = "services alone say so"))]
    Later { why: String, wish: Option<Duration>, spent: bool },
    /// No answer to this question.
    Never(String),
    /// No answer to any question.
    Stop(String),
}

/// An answer with what a server says of it.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedAnswer {
    pub(crate) answer: Answer,
    pub(crate) usage: Option<Usage>,
    /// Bytes that were written, thoughts included.
    pub(crate) written: u64,
    pub(crate) served: Option<String>,
}

impl ReceivedAnswer {
    /// What a server made of a request.
    pub(crate) fn from_completion(judge: &Description, request: &Request, completion: Completion) -> Self {
        let answer = completion.answer_to(judge, request);
        Self { answer, usage: completion.usage(), written: completion.written(), served: completion.model }
    }
}

impl ReceivedAnswer {
    /// The same with what must not be repeated hidden: it goes into a file that is committed.
    pub(crate) fn without(self, secrets: &Secrets) -> Self {
        let hide = |text: &str| secrets.hide(text);
        let mut answer = Answer { analysis: hide(&self.answer.analysis), ..self.answer };
        for text in answer.claims.iter_mut().flatten().filter_map(|claim| claim.text.as_mut()) {
            *text = hide(text);
        }
        Self { answer, served: self.served.as_deref().map(hide), ..self }
    }
}

/// Whoever is asked.
pub(crate) trait JudgeBackend: Sync {
    /// Asks once.
    fn ask(&self, pair: &Pair) -> JudgeReply;

    /// Bytes of the prompt, where there is one.
    fn size(&self, pair: &Pair) -> u64;
}

/// A judge from Rust.
pub(crate) struct Own<'a>(pub(crate) &'a dyn Judge, pub(crate) &'a Description);

impl JudgeBackend for Own<'_> {
    fn ask(&self, pair: &Pair) -> JudgeReply {
        let (form, most) = (self.1.form, self.1.scale[1]);
        let said = crate::panic::catch(|| self.0.grade(&pair.query, &pair.document));
        match said {
            Ok(Ok(Answer { grade: Some(grade), .. })) if grade > most => {
                JudgeReply::Never(format!("the judge said {grade}, and the highest grade is {most}"))
            }
            Ok(Ok(answer))
                if (answer.state == State::Graded) != (answer.grade.is_some() || answer.claims.is_some()) =>
            {
                JudgeReply::Never("the judge's answer is graded without a grade, or has one and is not".to_owned())
            }
            Ok(Ok(answer)) if !matches_request(form, &pair.document, answer.claims.as_deref()) => JudgeReply::Never(
                "the judge's answer is not a list of exactly what was asked about, or is one where none was asked for".to_owned(),
            ),
            Ok(Ok(answer)) => JudgeReply::Answered(ReceivedAnswer { answer, usage: None, written: 0, served: None }),
            Ok(Err(error)) => JudgeReply::Never(chain(error.as_ref())),
            Err(message) => JudgeReply::Never(format!("the judge panicked: {message}")),
        }
    }

    fn size(&self, _: &Pair) -> u64 {
        0
    }
}

/// How far asking has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Pairs that are answered or given up.
    pub done: usize,
    /// Pairs in all.
    pub pairs: usize,
    /// Requests, repetitions included.
    pub requests: u64,
    /// Tokens read and written.
    pub tokens: [u64; 2],
    /// Answers whose tokens the server did not count, or counted as none: they are counted from bytes.
    pub uncounted: usize,
    /// What they cost, where prices are known.
    pub cost: Option<f64>,
    /// For how long it has been asked.
    pub elapsed: Duration,
}

impl Progress {
    /// For how long it will be asked on, at the pace so far.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let left = self.pairs.saturating_sub(self.done) as f64;
        (self.done > 0).then(|| self.elapsed.mul_f64(left / self.done as f64))
    }
}

/// What came of asking.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tally {
    /// Pairs that were to be asked.
    pub pairs: usize,
    /// How many answers are in which state.
    pub states: BTreeMap<State, usize>,
    /// Requests, repetitions included.
    pub requests: u64,
    /// Those of them that repeated another: after a busy server, or an answer that was none.
    pub repeated: u64,
    /// Tokens read and written.
    pub tokens: [u64; 2],
    /// Answers whose tokens the server did not count, or counted as none: they are counted from bytes.
    pub uncounted: usize,
    /// What they cost, where prices are known.
    pub cost: Option<f64>,
    /// Pairs without an answer: how many, and the first with why.
    pub failed: usize,
    /// The first of them: query, document, why.
    pub first_failure: Option<[String; 3]>,
    /// Why the rest was not asked.
    pub stopped: Option<String>,
    /// Answers that were not of the form that was asked for, those included that were of it when asked once more.
    pub formless: usize,
    /// The models that answered, as their servers say, and how many answers each gave.
    pub served: BTreeMap<String, usize>,
}

impl Tally {
    /// Whether every pair has an answer now.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.stopped.is_none() && self.failed == 0
    }
}

/// How it is asked.
pub(crate) struct Asking<'a> {
    pub(crate) judge: &'a Description,
    pub(crate) budget: Budget,
    pub(crate) earlier: Earlier,
    pub(crate) concurrency: usize,
    /// Where each item goes at once.
    pub(crate) keep: &'a (dyn Fn(Item) -> Result<()> + Sync),
    pub(crate) watch: &'a (dyn Fn(Progress) + Sync),
}

impl Asking<'_> {
    /// Asks all pairs.
    ///
    /// # Errors
    /// An answer that cannot be kept.
    pub(crate) fn run(&self, asked: &dyn JudgeBackend, pairs: &[Pair]) -> Result<Tally> {
        let longest = self
            .judge
            .parameters
            .iter()
            .find(|(name, _)| matches!(&***name, "max-tokens" | "max-completion-tokens"));
        let run = Run {
            asking: self,
            asked,
            pairs,
            id: self.judge.id(),
            account: Account::new(self.budget, longest.and_then(|(_, most)| most.as_u64()))
                .after(self.earlier),
            pace: Pace::new(),
            jitter: Stream::new(u64::from(std::process::id())),
            next: AtomicUsize::new(0),
            in_a_row: AtomicU32::new(0),
            formless_in_a_row: AtomicU32::new(0),
            start: Instant::now(),
            told: Mutex::new(RunState::default()),
        };
        thread::scope(|scope| {
            for _ in 0..self.concurrency.clamp(1, pairs.len().max(1)) {
                scope.spawn(|| run.work());
            }
        });
        let (requests, tokens, cost) = run.account.so_far();
        let RunState { tally, broken, .. } = run.told.into_inner().unwrap_or_else(PoisonError::into_inner);
        match broken {
            Some(error) => Err(error),
            None => Ok(Tally { pairs: pairs.len(), requests, tokens, cost, ..tally }),
        }
    }
}

struct Run<'a> {
    asking: &'a Asking<'a>,
    asked: &'a dyn JudgeBackend,
    pairs: &'a [Pair],
    id: String,
    account: Account,
    pace: Pace,
    jitter: Stream,
    next: AtomicUsize,
    in_a_row: AtomicU32,
    formless_in_a_row: AtomicU32,
    start: Instant,
    told: Mutex<RunState>,
}

/// How far a question has come that several answers are wanted to.
#[derive(Default)]
struct Question {
    /// How often nobody answered: a busy server is asked so often for all answers to one question.
    tries: u32,
    /// Whether there is an answer to it.
    is_paid: bool,
    reserved: Option<ReservedQuestion>,
}

#[derive(Default)]
struct RunState {
    tally: Tally,
    done: usize,
    broken: Option<Error>,
}

impl Run<'_> {
    fn state(&self) -> std::sync::MutexGuard<'_, RunState> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_stopped(&self) -> bool {
        let told = self.state();
        told.broken.is_some() || told.tally.stopped.is_some()
    }

    /// The first reason is the one that is told.
    fn stop(&self, why: String) {
        self.state().tally.stopped.get_or_insert(why);
    }

    /// The life of one thread.
    fn work(&self) {
        while !self.has_stopped() {
            let Some(pair) = self.pairs.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let kept = self.answers(pair).and_then(|answers| together(&self.id, pair, answers)).map(|item| {
                let (state, served) = (item.state, item.served.clone());
                (self.asking.keep)(item).map(|()| (state, served))
            });
            let (done, pairs, uncounted) = {
                let mut told = self.state();
                match kept {
                    Some(Ok((state, served))) => {
                        *told.tally.states.entry(state).or_default() += 1;
                        self.see_form(state, &mut told.tally);
                        if let Some(served) = served {
                            *told.tally.served.entry(served).or_default() += 1;
                        }
                    }
                    Some(Err(error)) => drop(told.broken.get_or_insert(error)),
                    None => {}
                }
                told.done += 1;
                (told.done, self.pairs.len(), told.tally.uncounted)
            };
            let (requests, tokens, cost) = self.account.so_far();
            (self.asking.watch)(Progress {
                done,
                pairs,
                requests,
                tokens,
                uncounted,
                cost,
                elapsed: self.start.elapsed(),
            });
        }
    }

    /// Stops where nobody answers in the form that is asked for. A refusal is about what was asked: it says that of a
    /// judge only as long as nothing else came.
    fn see_form(&self, state: State, tally: &mut Tally) {
        let formless = match state {
            State::Graded | State::Abstained => {
                self.formless_in_a_row.store(0, Ordering::Relaxed);
                return;
            }
            State::Refused if tally.states.keys().any(|one| *one != State::Refused) => return,
            State::Refused | State::Unparseable | State::Truncated | State::Empty => {
                self.formless_in_a_row.fetch_add(1, Ordering::Relaxed) + 1
            }
        };
        if formless >= FORMLESS_IN_A_ROW {
            tally.stopped.get_or_insert_with(|| {
                format!("{formless} questions in a row have no valid answer; the last answer is {state}")
            });
        }
    }

    /// All answers to one question; nothing where one of them is missing.
    fn answers(&self, pair: &Pair) -> Option<Vec<ReceivedAnswer>> {
        let samples = self.asking.judge.samples.max(1);
        let mut question = Question::default();
        let answers = (0..samples).map(|at| self.answer(pair, samples - at, &mut question)).collect();
        if let Some(reserved) = question.reserved {
            self.account.release(&reserved);
        }
        answers
    }

    /// One answer to one question, to which so many are missing; nothing where there is none.
    fn answer(&self, pair: &Pair, missing: u32, question: &mut Question) -> Option<ReceivedAnswer> {
        let jitter = self.jitter.for_name(&pair.query.id).for_name(&pair.document.id);
        // An answer that is of no form: what is kept where no other comes.
        let (mut asked, mut formless) = (0_u64, None);
        loop {
            let jitter = jitter.for_name(&question.tries.to_string());
            // What was paid for is not given up between two requests of a question.
            let give_up =
                || if question.is_paid { self.state().broken.is_some() } else { self.has_stopped() };
            if !self.pace.wait(&jitter, give_up) {
                return formless;
            }
            let reserved = match self.reserve(pair, asked > 0, missing, question) {
                Ok(reserved) => reserved,
                Err(why) => {
                    self.stop(why);
                    return formless;
                }
            };
            asked += 1;
            if asked > 1 {
                self.state().tally.repeated += 1;
            }
            match self.asked.ask(pair) {
                JudgeReply::Answered(told) => {
                    let cost = Cost::Answered { usage: told.usage, written: told.written };
                    if !self.account.settle(reserved, cost) {
                        self.state().tally.uncounted += 1;
                    }
                    self.in_a_row.store(0, Ordering::Relaxed);
                    question.is_paid = true;
                    if told.answer.state == State::Unparseable {
                        self.state().tally.formless += 1;
                        if formless.is_none() {
                            formless = Some(told);
                            continue;
                        }
                    }
                    return Some(told);
                }
                JudgeReply::Later { why, wish, spent } => {
                    self.account.settle(reserved, if spent { Cost::Perhaps } else { Cost::Nothing });
                    question.tries += 1;
                    if let Some(wish) = wish.filter(|wish| *wish > LONGEST_WISH) {
                        self.stop(format!("{why}, and wishes to be asked again after {} s", wish.as_secs()));
                        return formless;
                    }
                    if question.tries >= TRIES {
                        let why = format!("{why} (after {} tries)", question.tries);
                        return formless.or_else(|| self.fail(pair, why));
                    }
                    self.pace.back_off(question.tries, wish, &jitter);
                }
                JudgeReply::Never(why) => {
                    self.account.settle(reserved, Cost::Nothing);
                    return formless.or_else(|| self.fail(pair, why));
                }
                JudgeReply::Stop(why) => {
                    self.account.settle(reserved, Cost::Nothing);
                    self.stop(why);
                    return formless;
                }
            }
        }
    }

    /// Room in the budget for the next request: for all that a question needs before its first one, for a repetition
    /// alone where one is repeated.
    fn reserve(
        &self,
        pair: &Pair,
        is_repeated: bool,
        missing: u32,
        question: &mut Question,
    ) -> std::result::Result<Reserved, String> {
        let bytes = self.asked.size(pair);
        if is_repeated {
            return self.account.take(bytes);
        }
        if let Some(next) = question.reserved.as_mut().and_then(|reserved| self.account.next(reserved)) {
            return Ok(next);
        }
        let reserved = self.account.take_all(bytes, u64::from(missing))?;
        Ok(question.reserved.insert(reserved).of_one)
    }

    /// Counts a question without an answer.
    fn fail<T>(&self, pair: &Pair, why: String) -> Option<T> {
        let failed = self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        let mut told = self.state();
        told.tally.failed += 1;
        if failed >= IN_A_ROW {
            told.tally.stopped.get_or_insert_with(|| {
                format!("{failed} questions in a row have no answer; the last: {why}")
            });
        }
        let failure = || [pair.query.id.clone(), pair.document.id.clone(), why];
        told.tally.first_failure.get_or_insert_with(failure);
        None
    }
}
