//! Asking: pair by pair, several at once, within a budget, and each answer kept at once.

mod budget;
mod journal;
mod pace;
mod program;
#[cfg(feature = "http")]
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rankgate::internal::Secrets;
use rankgate::internal::judge::{matches_request, merged, shown_sha256};
use rankgate::judge::{Answer, Completion, Description, Item, Pair, Request, State, Usage, sha256};

use crate::error::chain;
use crate::judge::Judge;
use crate::stats::Stream;
use crate::{Error, Result};

use budget::{Account, Cost, Reserved, ReservedQuestion};
pub use budget::{Budget, Prices, expected_tokens};
pub use journal::Journal;
use pace::Pace;
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
            account: Account::new(self.budget, longest.and_then(|(_, most)| most.as_u64())),
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
            let (done, pairs) = {
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
                (told.done, self.pairs.len())
            };
            let (requests, tokens, cost) = self.account.so_far();
            (self.asking.watch)(Progress {
                done,
                pairs,
                requests,
                tokens,
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

/// So many of these items, chosen by hashes of their ids: the same ones of the same items, whoever asks.
pub(crate) fn drawn_items(items: &[Item], count: usize) -> BTreeSet<[&str; 2]> {
    let key = |item: &&Item| sha256(format!("{}\n{}", item.query, item.document).as_bytes());
    let mut all: Vec<&Item> = items.iter().collect();
    all.sort_by_cached_key(key);
    all.into_iter().take(count).map(|item| [item.query.as_str(), item.document.as_str()]).collect()
}

/// Characters of what a model wrote that are kept: it goes into a file that is committed and read by people.
const ANALYSIS: usize = 4_000;

/// A text, or as much of it as is kept.
fn bounded(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(ANALYSIS) {
        text.truncate(end);
        text += " [...]";
    }
    text
}

/// One item of all answers to a pair: their median where most of them are grades, an abstention where not.
pub(crate) fn together(judge: &str, pair: &Pair, answers: Vec<ReceivedAnswer>) -> Option<Item> {
    let several = answers.len() > 1;
    let mut grades: Vec<u8> = answers.iter().filter_map(|told| told.answer.grade).collect();
    grades.sort_unstable();
    let grade = match several {
        false => grades.first().copied(),
        true if 2 * grades.len() > answers.len() => grades.get((grades.len() - 1) / 2).copied(),
        true => None,
    };
    let counted: Option<Vec<[u64; 2]>> = answers
        .iter()
        .map(|told| told.usage.map(|usage| [usage.prompt_tokens, usage.completion_tokens]))
        .collect();
    let tokens = counted.map(|all| all.iter().fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]));
    let all = if several { answers.iter().map(|told| told.answer.grade).collect() } else { Vec::new() };
    // The words are those of an answer that says as much.
    let claims = merged(&answers.iter().map(|told| told.answer.claims.as_ref()).collect::<Vec<_>>());
    let said = |told: &ReceivedAnswer| {
        told.answer.grade == grade && told.answer.claims.is_some() == claims.is_some()
    };
    let spoken = answers.iter().position(said).unwrap_or(0);
    let ReceivedAnswer { answer, served, .. } = answers.into_iter().nth(spoken)?;
    Some(Item {
        analysis: bounded(answer.analysis),
        claims: claims.clone(),
        confidence: answer.confidence,
        document: pair.document.id.clone(),
        document_sha256: shown_sha256(&pair.document.text),
        grade,
        grades: all,
        judge: judge.to_owned(),
        query: pair.query.id.clone(),
        query_sha256: shown_sha256(&pair.query.text),
        served,
        state: match grade {
            Some(_) => State::Graded,
            None if claims.is_some() => State::Graded,
            None if several => State::Abstained,
            None => answer.state,
        },
        tokens,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Document, Query};
    use crate::tests::description;

    fn pairs(count: usize) -> Vec<Pair> {
        let pair = |at| Pair {
            query: Query::new(format!("q{}", at / 3), "asked"),
            document: Document::new(format!("d{at}"), "text"),
        };
        (0..count).map(pair).collect()
    }

    /// Somebody who answers each pair as the function says, by its document and how often it was asked.
    struct Scripted<F>(F, Mutex<BTreeMap<String, usize>>);

    impl<F: Fn(&str, usize) -> JudgeReply + Sync> JudgeBackend for Scripted<F> {
        fn ask(&self, pair: &Pair) -> JudgeReply {
            let times = {
                let mut all = self.1.lock().unwrap();
                let times = all.entry(pair.document.id.clone()).or_default();
                *times += 1;
                *times
            };
            (self.0)(&pair.document.id, times)
        }
        fn size(&self, _: &Pair) -> u64 {
            300
        }
    }

    fn answered(answer: Answer) -> JudgeReply {
        JudgeReply::Answered(ReceivedAnswer { answer, usage: None, written: 30, served: Some("m-1".into()) })
    }

    fn run_with(
        judge: &Description,
        budget: Budget,
        count: usize,
        said: impl Fn(&str, usize) -> JudgeReply + Sync,
    ) -> (Tally, Vec<Item>) {
        let kept = Mutex::new(Vec::new());
        let keep = |item| {
            kept.lock().unwrap().push(item);
            Ok(())
        };
        let asking = Asking { judge, budget, concurrency: 4, keep: &keep, watch: &|_| {} };
        let tally = asking.run(&Scripted(said, Mutex::default()), &pairs(count)).unwrap();
        let mut kept = kept.into_inner().unwrap();
        kept.sort_by_key(|item| (item.query.clone(), item.document.clone()));
        (tally, kept)
    }

    #[test]
    fn busy_servers_change_no_grade() {
        let grade = |document: &str| Answer::graded(document.len() as u8 % 4);
        let judge = description();
        let (plain, expected) =
            run_with(&judge, Budget::default(), 12, |document, _| answered(grade(document)));
        let busy = |document: &str, times| match (document, times) {
            ("d1" | "d5" | "d7", 1..3) => {
                JudgeReply::Later { why: "busy".into(), wish: Some(Duration::ZERO), spent: false }
            }
            _ => answered(grade(document)),
        };
        let (tally, kept) = run_with(&judge, Budget::default(), 12, busy);
        assert_eq!((kept, &tally.states), (expected, &plain.states));
        assert_eq!((plain.requests, tally.requests, tally.served["m-1"]), (12, 18, 12));
        assert!(tally.is_complete());
    }

    #[test]
    fn what_is_no_answer_is_asked_once_more_and_then_kept_as_such() {
        let odd = |document: &str, times| match (document, times) {
            ("d0", 1) | ("d1", _) => {
                answered(Answer { state: State::Unparseable, ..Answer::abstained() }.because("3"))
            }
            _ => answered(Answer::graded(1)),
        };
        let (tally, kept) = run_with(&description(), Budget::default(), 3, odd);
        assert_eq!(
            kept.iter().map(|item| item.state).collect::<Vec<_>>(),
            [State::Graded, State::Unparseable, State::Graded]
        );
        assert_eq!((tally.requests, tally.formless, kept[1].analysis.as_str()), (5, 3, "3"));
    }

    #[test]
    fn nobody_answers_and_nobody_asks_on() {
        let (tally, kept) =
            run_with(&description(), Budget::default(), 90, |_, _| JudgeReply::Never("no".into()));
        assert!(kept.is_empty() && (5..9).contains(&tally.failed), "{tally:?}");
        assert_eq!(tally.stopped.unwrap(), "5 questions in a row have no answer; the last: no");
        let (tally, kept) =
            run_with(&description(), Budget::default(), 90, |_, _| JudgeReply::Stop("401".into()));
        assert!(kept.is_empty() && tally.requests <= 4 && tally.stopped.unwrap() == "401");
        // One question that nobody answers is not the end.
        let one = |document: &str, _| {
            if document == "d3" { JudgeReply::Never("no".into()) } else { answered(Answer::graded(1)) }
        };
        let (tally, kept) = run_with(&description(), Budget::default(), 9, one);
        assert_eq!((kept.len(), tally.failed, tally.stopped.as_ref()), (8, 1, None));
        assert_eq!(tally.first_failure.unwrap(), ["q1", "d3", "no"]);
        let hour = Duration::from_secs(3600);
        let (tally, _) = run_with(&description(), Budget::default(), 9, |_, _| JudgeReply::Later {
            why: "429".into(),
            wish: Some(hour),
            spent: false,
        });
        assert_eq!(tally.stopped.unwrap(), "429, and wishes to be asked again after 3600 s");
    }

    fn formless(state: State) -> JudgeReply {
        answered(Answer { state, ..Answer::abstained() })
    }

    #[test]
    fn a_judge_that_never_answers_in_form_is_asked_ten_questions() {
        for state in [State::Unparseable, State::Truncated, State::Empty, State::Refused] {
            let (tally, kept) = run_with(&description(), Budget::default(), 1351, |_, _| formless(state));
            // Those under way when the tenth came are kept as well; what is unparseable is asked once more.
            assert!((10..14).contains(&kept.len()), "{}", kept.len());
            let each = if state == State::Unparseable { 2 } else { 1 };
            assert_eq!(tally.requests, each * kept.len() as u64);
            assert_eq!(tally.repeated, (each - 1) * kept.len() as u64);
            let stopped = tally.stopped.clone().unwrap();
            assert!(stopped.contains("questions in a row have no valid answer"), "{stopped}");
            assert!(stopped.ends_with(&state.to_string()) && !tally.is_complete(), "{stopped}");
        }
        // Nine, and then one that is of the form, are no reason; nor are refusals once anything else came.
        let now_and_then = |document: &str, _| match document[1..].parse::<usize>().unwrap() % 10 {
            9 => answered(Answer::graded(1)),
            _ => formless(State::Empty),
        };
        let one_by_one = |said: &(dyn Fn(&str, usize) -> JudgeReply + Sync), count| {
            let judge = description();
            let asking = Asking {
                judge: &judge,
                budget: Budget::default(),
                concurrency: 1,
                keep: &|_| Ok(()),
                watch: &|_| {},
            };
            asking.run(&Scripted(said, Mutex::default()), &pairs(count)).unwrap()
        };
        assert_eq!(one_by_one(&now_and_then, 200).stopped, None);
        let refusals = |document: &str, _| match document {
            "d0" => answered(Answer::graded(1)),
            _ => formless(State::Refused),
        };
        assert_eq!(one_by_one(&refusals, 200).stopped, None);
    }

    #[test]
    fn a_busy_server_is_asked_six_times_for_all_answers_to_a_question() {
        let judge = Description { samples: 3, ..description() };
        let later = || JudgeReply::Later { why: "429".into(), wish: Some(Duration::ZERO), spent: false };
        // Busy twice before each answer: the third never comes.
        let (tally, kept) = run_with(&judge, Budget::default(), 1, |_, times| match times % 3 {
            0 => answered(Answer::graded(1)),
            _ => later(),
        });
        assert_eq!((tally.requests, tally.repeated, tally.failed, kept.len()), (8, 5, 1, 0));
        assert_eq!(tally.first_failure.unwrap()[2], "429 (after 6 tries)");
    }

    #[test]
    fn what_a_model_writes_is_kept_up_to_a_bound() {
        let long = "ä".repeat(ANALYSIS + 1);
        let (_, kept) = run_with(&description(), Budget::default(), 2, |document, _| {
            answered(Answer::graded(1).because(if document == "d0" {
                long.clone()
            } else {
                "ä".repeat(ANALYSIS)
            }))
        });
        assert_eq!(kept[0].analysis, "ä".repeat(ANALYSIS) + " [...]");
        assert_eq!(kept[1].analysis, "ä".repeat(ANALYSIS));
    }

    #[test]
    fn a_budget_is_kept_to_the_request() {
        let budget = Budget { requests: Some(7), ..Budget::default() };
        let (tally, kept) = run_with(&description(), budget, 20, |_, _| answered(Answer::graded(1)));
        assert_eq!((tally.requests, kept.len(), tally.uncounted, tally.tokens), (7, 7, 7, [700, 70]));
        assert_eq!(tally.stopped.unwrap(), "the budget of 7 requests is used up");
    }

    /// Each answer that was paid for is in an item, wherever the budget ends.
    #[test]
    fn a_budget_ends_between_questions_and_keeps_what_was_paid_for() {
        let unparseable = || answered(Answer { state: State::Unparseable, ..Answer::abstained() });
        for most in 0..8 {
            let budget = Budget { requests: Some(most), ..Budget::default() };
            // Each question takes two requests, and with an odd budget the last has one of them.
            let (tally, kept) = run_with(&description(), budget, 9, |_, times| match times {
                1 => unparseable(),
                _ => answered(Answer::graded(1)),
            });
            let graded = kept.iter().filter(|item| item.state == State::Graded).count() as u64;
            let formless = kept.len() as u64 - graded;
            assert_eq!((2 * graded + formless, tally.requests), (most, most), "{kept:?}");
            // Three answers to each question: none is begun that the budget does not reach the end of.
            let judge = Description { samples: 3, ..description() };
            let (tally, kept) = run_with(&judge, budget, 9, |_, _| answered(Answer::graded(1)));
            assert_eq!((kept.len() as u64, tally.requests), (most / 3, most / 3 * 3));
            assert!(tally.stopped.unwrap().contains(&format!("the budget of {most}")));
        }
        // Another question ends the run while this one has one answer of three: it gets the others.
        let judge = Description { samples: 3, ..description() };
        let (_, kept) = run_with(&judge, Budget::default(), 4, |document, _| match document {
            "d0" => answered(Answer::graded(1)),
            _ => JudgeReply::Stop("401".into()),
        });
        assert!(kept.iter().all(|item| item.grades.len() == 3));
        // What is of no form is kept as such where the server breaks before it is asked once more.
        for broken in [
            || JudgeReply::Never("500".into()),
            || JudgeReply::Stop("401".into()),
            || JudgeReply::Later { why: "429".into(), wish: Some(Duration::ZERO), spent: false },
        ] {
            let (tally, kept) = run_with(&description(), Budget::default(), 1, |_, times| match times {
                1 => unparseable(),
                _ => broken(),
            });
            assert_eq!((kept.len(), tally.failed, kept[0].state), (1, 0, State::Unparseable));
        }
    }

    #[test]
    fn of_several_answers_the_median_is_kept_and_most_must_be_grades() {
        let judge = Description { samples: 3, ..description() };
        let said = |document: &str, times: usize| {
            let answers = match document {
                "d0" => [Some(3), Some(0), Some(1)],
                "d1" => [None, Some(2), Some(1)],
                _ => [None, Some(3), None],
            };
            answered(
                answers[times - 1].map_or_else(Answer::abstained, Answer::graded).because(format!("{times}")),
            )
        };
        let (tally, kept) = run_with(&judge, Budget::default(), 3, said);
        let of: Vec<_> = kept
            .iter()
            .map(|item| (item.state, item.grade, item.grades.as_slice(), item.analysis.as_str()))
            .collect();
        assert_eq!(of[0], (State::Graded, Some(1), &[Some(3), Some(0), Some(1)][..], "3"));
        assert_eq!(of[1], (State::Graded, Some(1), &[None, Some(2), Some(1)][..], "3"));
        assert_eq!(of[2], (State::Abstained, None, &[None, Some(3), None][..], "1"));
        assert_eq!(tally.requests, 9);
    }

    #[test]
    fn ones_own_judge_grades_on_the_scale_or_not_at_all() {
        let own = |query: &Query, document: &Document| match &*document.id {
            "d0" => Ok(Answer::graded(3).because(format!("{} {}", query.text, document.text))),
            "d1" => Ok(Answer::graded(4)),
            "d2" => panic!("oh"),
            "d3" => Ok(Answer { grade: Some(2), ..Answer::abstained() }),
            _ => Err("down".into()),
        };
        let said: Vec<JudgeReply> = pairs(5).iter().map(|pair| Own(&own, &description()).ask(pair)).collect();
        assert!(matches!(&said[0], JudgeReply::Answered(told) if told.answer.analysis == "asked text"));
        let why = |at: usize| match &said[at] {
            JudgeReply::Never(why) => why.clone(),
            _ => String::new(),
        };
        assert_eq!(why(1), "the judge said 4, and the highest grade is 3");
        assert!(
            why(2).starts_with("the judge panicked: oh")
                && why(3).contains("without a grade")
                && why(4) == "down"
        );
    }
}
