//! The rankings of an evaluation, and scores that were computed of them.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use super::pass_rankings::PassRankings;
use crate::Result;
use crate::metric::{JudgedRanking, Metric};

/// One run over all queries.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) held: PassRankings,
    pub(super) judged: Vec<Arc<JudgedRanking>>,
}

/// One run or several over all queries. They never change: other rankings are other passes.
#[derive(Clone, Debug)]
pub(super) struct Passes {
    all: Arc<[Pass]>,
    /// A report asks for the same ones many times.
    scores: Arc<Mutex<Vec<Scored>>>,
}

/// Each query's score by a metric.
type Scored = (Metric, Arc<[f64]>);

/// Metrics whose scores are kept: the most recent ones.
const HELD: usize = 16;

impl Passes {
    /// The scores by a metric that looks at these rankings alone.
    pub(super) fn scores(
        &self,
        metric: &Metric,
        compute: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let held = || self.scores.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().iter().find(|(known, _)| known == metric).map(|(_, scores)| Arc::clone(scores));
        if let Some(scores) = known {
            return Ok(scores.to_vec());
        }
        let scores = compute()?;
        let mut held = held();
        if held.len() == HELD {
            held.remove(0);
        }
        held.push((metric.clone(), scores.as_slice().into()));
        Ok(scores)
    }
}

impl FromIterator<Pass> for Passes {
    fn from_iter<I: IntoIterator<Item = Pass>>(passes: I) -> Self {
        Self { all: passes.into_iter().collect(), scores: Arc::default() }
    }
}

impl Deref for Passes {
    type Target = [Pass];

    fn deref(&self) -> &[Pass] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn scores_are_computed_once_until_others_were_asked_for() {
        let passes: Passes = std::iter::empty().collect();
        let metric = |cutoff: usize| format!("P@{cutoff}").parse::<Metric>().unwrap();
        let scores =
            |cutoff: usize, computed: f64| passes.scores(&metric(cutoff), || Ok(vec![computed])).unwrap();
        assert_eq!((scores(1, 0.5), scores(1, 0.25)), (vec![0.5], vec![0.5]));
        let failed = passes.clone().scores(&metric(2), || Err(Error::invalid("no"))).unwrap_err();
        assert_eq!(failed.to_string(), "no");
        for cutoff in 2..=HELD + 1 {
            assert_eq!(scores(cutoff, 0.75), [0.75]);
        }
        assert_eq!((scores(1, 0.25), scores(HELD + 1, 1.0)), (vec![0.25], vec![0.75]));
    }
}
