//! Asking retrievers in turns, one thing after the other, and how long each answer takes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::ask::{batch_size, call, checked, failed_on, timed_out};
use super::wait::next_message;
use super::{Failure, FailureCause, Retriever};
use crate::collection::Query;

/// Some queries that one of several retrievers is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Which of them.
    pub(crate) who: usize,
    /// The queries, by position.
    pub(crate) queries: Range<usize>,
}

/// How long that took, and what came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Took {
    pub(crate) time: Duration,
    /// Results of all its queries together.
    pub(crate) results: usize,
}

/// What is asked in turns.
pub(crate) struct Turns {
    /// Each with the time that a query may take, where that is kept here.
    pub(crate) retrievers: Vec<(Arc<dyn Retriever>, Option<Duration>)>,
    pub(crate) queries: Arc<[Query]>,
    pub(crate) depth: usize,
    pub(crate) turns: Vec<Turn>,
}

type TurnResult = Result<Took, (usize, FailureCause)>;

impl Turns {
    /// Asks them on a thread of their own: a retriever that does not come back in time is left behind. `watch` is told
    /// whenever something was answered.
    ///
    /// # Errors
    /// The first query that is not answered, with the retriever's position.
    pub(crate) fn ask(self, watch: &dyn Fn()) -> Result<Vec<Took>, (usize, Box<Failure>)> {
        let this = Arc::new(self);
        let (sender, receiver) = mpsc::channel();
        let theirs = Arc::clone(&this);
        let started = thread::Builder::new().name("rankgate-time".to_owned()).spawn(move || {
            theirs.work(&sender);
            // The retrievers go first, as when they are asked at once.
            drop(theirs);
            drop(sender);
        });
        match started {
            Ok(thread) => {
                let took = this.collect(&receiver, watch)?;
                // It has nothing to do any more: nobody else holds the retrievers after that.
                drop(thread.join());
                Ok(took)
            }
            Err(error) => {
                let cause = FailureCause::Setup(format!("cannot start a thread: {error}"));
                Err((0, Box::new(Failure::of_all(cause, this.queries.len()))))
            }
        }
    }

    fn work(&self, sender: &Sender<TurnResult>) {
        for turn in &self.turns {
            let asked = self.turn(turn);
            let over = asked.is_err();
            if sender.send(asked).is_err() || over {
                return;
            }
        }
    }

    fn turn(&self, turn: &Turn) -> TurnResult {
        let retriever = self.retrievers[turn.who].0.as_ref();
        let queries = &self.queries[turn.queries.clone()];
        let size = batch_size(retriever).map_err(|cause| (turn.queries.start, cause))?;
        let batches = || queries.chunks(size);
        let mut returned = Vec::with_capacity(queries.len());
        let at = Instant::now();
        batches().for_each(|batch| returned.push(call(retriever, batch, self.depth)));
        let time = at.elapsed();
        // Whether they can be ranked is looked at while no clock runs.
        let answers =
            batches().zip(returned).flat_map(|(batch, returned)| checked(batch, self.depth, returned));
        let mut results = 0;
        for (position, answer) in (turn.queries.start..).zip(answers) {
            results += answer.map_err(|none| (position, none.cause))?.hits.len();
        }
        Ok(Took { time, results })
    }

    fn collect(
        &self,
        answers: &Receiver<TurnResult>,
        watch: &dyn Fn(),
    ) -> Result<Vec<Took>, (usize, Box<Failure>)> {
        let mut took = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            let count = u32::try_from(turn.queries.len()).unwrap_or(u32::MAX);
            let limit = self.retrievers[turn.who].1;
            let whole = limit.map(|limit| limit.saturating_mul(count));
            let asked = next_message(answers, whole.and_then(|whole| Instant::now().checked_add(whole)));
            let late = || (turn.queries.start, timed_out(limit));
            let asked = match asked {
                Ok(Ok(one)) if whole.is_some_and(|whole| one.time > whole) => Err(late()),
                Ok(asked) => asked,
                Err(RecvTimeoutError::Timeout) => Err(late()),
                Err(RecvTimeoutError::Disconnected) => Err((
                    turn.queries.start,
                    FailureCause::Panic("the thread that asks has ended".to_owned()),
                )),
            };
            took.push(asked.map_err(|(position, cause)| {
                (turn.who, Box::new(failed_on(&self.queries[position], cause, 1, self.queries.len())))
            })?);
            watch();
        }
        Ok(took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retriever::retriever_fn;
    use crate::run::Hit;

    fn ask_turns(
        limit: Option<Duration>,
        turns: &[(usize, Range<usize>)],
    ) -> Result<Vec<Took>, (usize, Box<Failure>)> {
        let one = retriever_fn(|_: &Query, _| Ok(vec![Hit::new("d", 1.0)]));
        let other = retriever_fn(|query: &Query, _| match &*query.id {
            "q1" => Err("connection refused".into()),
            "q2" => {
                thread::park();
                Ok(vec![])
            }
            _ => Ok(vec![]),
        });
        let retrievers: Vec<(Arc<dyn Retriever>, Option<Duration>)> =
            vec![(Arc::new(one), None), (Arc::new(other), limit)];
        let queries = (0..4).map(|i| Query::new(format!("q{i}"), format!("text {i}"))).collect();
        let turns = turns.iter().map(|(who, queries)| Turn { who: *who, queries: queries.clone() }).collect();
        Turns { retrievers, queries, depth: 10, turns }.ask(&|| ())
    }

    #[test]
    fn answers_stand_in_the_order_of_the_turns() {
        let took = ask_turns(None, &[(0, 0..1), (1, 0..1), (0, 1..4), (1, 3..4)]).unwrap();
        assert_eq!(took.iter().map(|one| one.results).collect::<Vec<_>>(), [1, 0, 3, 0]);
    }

    #[test]
    fn who_fails_is_told_with_the_query_and_nothing_is_asked_any_more() {
        let (who, failure) = ask_turns(None, &[(0, 1..2), (1, 1..2), (1, 2..3)]).unwrap_err();
        assert_eq!(
            (who, failure.to_string().as_str()),
            (1, "query `q1`: connection refused\nits text: `text 1`")
        );
    }

    #[test]
    fn one_that_hangs_is_left_behind() {
        let limit = Some(Duration::from_millis(30));
        let (who, failure) = ask_turns(limit, &[(1, 0..1), (1, 2..3)]).unwrap_err();
        assert_eq!(
            (who, failure.to_string().as_str()),
            (1, "query `q2`: no answer within 30 ms to `text 2`")
        );
    }
}
