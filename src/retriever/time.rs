//! Asking retrievers in turns, one thing after the other, and how long each answer takes.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::{AddAssign, Range};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::ask::{batch_size, call, checked, failed_on, timed_out};
use super::wait::next_message;
use super::{Failure, FailureCause, Retriever};
use crate::collection::Query;
use crate::json::as_json;
use crate::run::Hit;

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
    /// How its answers stand to those that are scored.
    pub(crate) likeness: Likeness,
}

/// What an answer is known by once its results are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sketch {
    results: usize,
    /// A hash of their ids in their order; none where a view of other ids is scored.
    ids: Option<u64>,
}

impl Sketch {
    /// Of a ranking as it is returned.
    pub(crate) fn of(hits: &[Hit]) -> Self {
        let mut hasher = DefaultHasher::new();
        hits.iter().for_each(|hit| hit.id.hash(&mut hasher));
        Self { results: hits.len(), ids: Some(hasher.finish()) }
    }

    /// Of a ranking whose ids are not those that are returned.
    pub(crate) fn of_view(hits: &[Hit]) -> Self {
        Self { results: hits.len(), ids: None }
    }
}

/// How timed answers stand to the scored answers to the same queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Likeness {
    /// Answers of which a scored one is known.
    pub(crate) compared: usize,
    /// Of them, those that have fewer results.
    pub(crate) shorter: usize,
    /// Of them, those that rank otherwise, the shorter ones included.
    pub(crate) other: usize,
}

as_json!(struct Likeness { compared, shorter, other });

impl Likeness {
    fn of(timed: Sketch, scored: Option<Sketch>) -> Self {
        let Some(scored) = scored else { return Self::default() };
        let is_shorter = timed.results < scored.results;
        let is_other = is_shorter || timed.ids.zip(scored.ids).is_some_and(|(timed, scored)| timed != scored);
        Self { compared: 1, shorter: usize::from(is_shorter), other: usize::from(is_other) }
    }
}

impl AddAssign for Likeness {
    fn add_assign(&mut self, more: Self) {
        self.compared += more.compared;
        self.shorter += more.shorter;
        self.other += more.other;
    }
}

/// What is asked in turns.
pub(crate) struct Turns {
    /// Each with the time that a query may take, where that is kept here.
    pub(crate) retrievers: Vec<(Arc<dyn Retriever>, Option<Duration>)>,
    /// By retriever and query, the answer that is scored, as far as one is known.
    pub(crate) scored: Vec<Vec<Option<Sketch>>>,
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
        let (mut results, mut likeness) = (0, Likeness::default());
        for (position, answer) in (turn.queries.start..).zip(answers) {
            let hits = answer.map_err(|none| (position, none.cause))?.hits;
            results += hits.len();
            let scored = self.scored.get(turn.who).and_then(|all| *all.get(position)?);
            likeness += Likeness::of(Sketch::of(&hits), scored);
        }
        Ok(Took { time, results, likeness })
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
        let scored = vec![vec![Some(Sketch::of(&[Hit::new("d", 2.0)])); 3]];
        Turns { retrievers, scored, queries, depth: 10, turns }.ask(&|| ())
    }

    /// Of query `q3` no scored answer is known, and of the second retriever none at all.
    #[test]
    fn timed_answers_are_held_against_the_scored_ones() {
        let took = ask_turns(None, &[(0, 0..4), (1, 3..4)]).unwrap();
        let likeness = |compared, shorter, other| Likeness { compared, shorter, other };
        assert_eq!(took[0].likeness, likeness(3, 0, 0));
        assert_eq!(took[1].likeness, likeness(0, 0, 0));
        let (one, turned) =
            ([Hit::new("d", 2.0), Hit::new("e", 1.0)], [Hit::new("e", 2.0), Hit::new("d", 1.0)]);
        let of = |timed: &[Hit], scored| Likeness::of(Sketch::of(timed), Some(scored));
        assert_eq!(of(&one, Sketch::of(&one)), likeness(1, 0, 0));
        assert_eq!(of(&turned, Sketch::of(&one)), likeness(1, 0, 1));
        assert_eq!(of(&one[..1], Sketch::of(&one)), likeness(1, 1, 1));
        assert_eq!(of(&one, Sketch::of(&one[..1])), likeness(1, 0, 1));
        assert_eq!(of(&turned, Sketch::of_view(&one)), likeness(1, 0, 0));
        assert_eq!(of(&[], Sketch::of_view(&one)), likeness(1, 1, 1));
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
