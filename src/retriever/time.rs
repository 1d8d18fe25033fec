//! Asking retrievers in turns, one thing after the other, and how long each answer takes.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ask::{batch_size, call, checked, failed_on, timed_out};
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

impl Turns {
    /// Asks them on this thread; `watch` is called whenever something was answered. All have answered within their limits
    /// before, so that a time that is up shows once the answer is there.
    ///
    /// # Errors
    /// The first query that is not answered, or too late, with the retriever's position.
    pub(crate) fn ask(&self, watch: &dyn Fn()) -> Result<Vec<Took>, (usize, Box<Failure>)> {
        let mut took = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            took.push(self.turn(turn).map_err(|(position, cause)| {
                (turn.who, Box::new(failed_on(&self.queries[position], cause, 1, self.queries.len())))
            })?);
            watch();
        }
        Ok(took)
    }

    fn turn(&self, turn: &Turn) -> Result<Took, (usize, FailureCause)> {
        let (retriever, limit) = &self.retrievers[turn.who];
        let queries = &self.queries[turn.queries.clone()];
        let size = batch_size(retriever.as_ref()).map_err(|cause| (turn.queries.start, cause))?;
        let batches = || queries.chunks(size);
        let mut returned = Vec::with_capacity(queries.len());
        let at = Instant::now();
        batches().for_each(|batch| returned.push(call(retriever.as_ref(), batch, self.depth)));
        let time = at.elapsed();
        let count = u32::try_from(queries.len()).unwrap_or(u32::MAX);
        if limit.is_some_and(|limit| time > limit.saturating_mul(count)) {
            return Err((turn.queries.start, timed_out(*limit)));
        }
        // Whether they can be ranked is looked at while no clock runs.
        let answers =
            batches().zip(returned).flat_map(|(batch, returned)| checked(batch, self.depth, returned));
        let mut results = 0;
        for (position, answer) in (turn.queries.start..).zip(answers) {
            results += answer.map_err(|none| (position, none.cause))?.hits.len();
        }
        Ok(Took { time, results })
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
                std::thread::sleep(Duration::from_millis(50));
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
    fn an_answer_after_its_time_is_a_failure() {
        let limit = Some(Duration::from_millis(30));
        let (who, failure) = ask_turns(limit, &[(1, 0..1), (1, 2..3)]).unwrap_err();
        assert_eq!(
            (who, failure.to_string().as_str()),
            (1, "query `q2`: no answer within 30 ms to `text 2`")
        );
    }
}
