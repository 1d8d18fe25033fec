//! What documents that nobody judged can make of a difference.

use std::collections::HashMap;

use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::gate::Unjudged;
use crate::metric::Metric;
use crate::stats::{self, Differences};
use crate::{Error, Result, threads};

use super::pair::Pair;
use crate::model::UnjudgedReport;

/// Rank weights that differ by less are the same.
const EQUAL: f64 = 1e-12;

/// The side that is better off with the grades that unjudged documents are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Favoured {
    Candidate,
    Baseline,
}

/// Documents of one query that nobody judged, by how much better the candidate ranks them than the baseline.
type Weights<'a> = HashMap<&'a str, f64>;

impl Pair {
    /// The differences that a gate is decided on.
    ///
    /// # Errors
    /// A metric that cannot be computed, or whose documents cannot be given grades where that is asked for.
    pub(crate) fn decided_on(
        &self,
        metric: &Metric,
        cutoff: usize,
        unjudged: Unjudged,
    ) -> Result<Differences> {
        match unjudged {
            Unjudged::Zero => self.differences(metric),
            Unjudged::Worst if !self.holds_unjudged(cutoff) => self.differences(metric),
            Unjudged::Worst => self.favouring(metric, cutoff, Favoured::Baseline)?.ok_or_else(|| {
                Error::invalid(format!(
                    "`unjudged: worst` does not go with {metric}: it has no grades to assume"
                ))
            }),
        }
    }

    /// Whether either side has documents down to the cutoff that nobody judged.
    pub(crate) fn holds_unjudged(&self, cutoff: usize) -> bool {
        self.candidate.holds_unjudged(cutoff) || self.baseline.holds_unjudged(cutoff)
    }

    /// How far unjudged documents can move the difference; `None` where there are none, or no grades for them.
    ///
    /// # Errors
    /// A metric that cannot be computed.
    pub(crate) fn unjudged(&self, metric: &Metric, cutoff: usize) -> Result<Option<UnjudgedReport>> {
        if !self.holds_unjudged(cutoff) {
            return Ok(None);
        }
        let bound = |favoured| self.favouring(metric, cutoff, favoured);
        let (Some(lowest), Some(highest)) = (bound(Favoured::Baseline)?, bound(Favoured::Candidate)?) else {
            return Ok(None);
        };
        Ok(Some(UnjudgedReport {
            grade: self.highest_grade(),
            lowest: lowest.mean(),
            as_zero: self.differences(metric)?.mean(),
            highest: highest.mean(),
        }))
    }

    /// The grade that a document has at best.
    fn highest_grade(&self) -> i32 {
        let relevant = self.candidate.judged(0).map_or(1, |ranking| ranking.relevant_from());
        self.candidate.collection().qrels().max_grade().max(relevant).max(1)
    }

    /// The differences, were every unjudged document that one side ranks higher as relevant as can be, and every
    /// other not at all. A document has one grade, whichever side returns it, and counts among what there is to find.
    fn favouring(&self, metric: &Metric, cutoff: usize, favoured: Favoured) -> Result<Option<Differences>> {
        let sides = [&self.baseline, &self.candidate];
        if !metric.needs_relevance()
            || metric.needs_documents()
            || !sides.iter().all(|side| side.shows(cutoff))
        {
            return Ok(None);
        }
        let grade = self.highest_grade();
        let of_query = |(index, query): (usize, &Query)| -> Result<[f64; 2]> {
            let mut weights = Weights::new();
            for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
                weigh(side, query, cutoff, sign / side.passes() as f64, &mut weights);
            }
            weights.retain(|_, weight| match favoured {
                Favoured::Candidate => *weight > EQUAL,
                Favoured::Baseline => *weight < -EQUAL,
            });
            let [before, after] =
                sides.map(|side| assumed(side, metric, (index, query), cutoff, &weights, grade));
            Ok([before?, after?])
        };
        let queries = self.queries();
        let scores = threads::map(queries.len(), |index| of_query((index, &queries[index])));
        let scores: Vec<[f64; 2]> = scores.into_iter().collect::<Result<_>>()?;
        let side = |at: usize| scores.iter().map(|both| both[at]).collect::<Vec<f64>>();
        let (before, after) = (side(0), side(1));
        match self.candidate.groups() {
            None => Differences::new(&before, &after),
            Some(groups) => Differences::grouped(&before, &after, groups),
        }
        .map(Some)
    }
}

/// Adds what the places of unjudged documents are worth, as discounted gain weighs them.
fn weigh<'a>(side: &'a Evaluation, query: &Query, cutoff: usize, sign: f64, weights: &mut Weights<'a>) {
    let judgments = side.collection().judgments(&query.id);
    let judged =
        |id: &str| judgments.and_then(|judgments| judgments.grade(id)).is_some_and(|grade| grade >= 0);
    for pass in 0..side.passes() {
        for (rank, id) in (1_u32..).zip(side.top(pass, &query.id, cutoff)).filter(|(_, id)| !judged(id)) {
            *weights.entry(id).or_default() += sign / f64::from(rank + 1).log2();
        }
    }
}

/// The score of a query, were these documents judged to have this grade.
fn assumed(
    side: &Evaluation,
    metric: &Metric,
    (index, query): (usize, &Query),
    cutoff: usize,
    relevant: &Weights<'_>,
    grade: i32,
) -> Result<f64> {
    let of_pass = |pass: usize| -> Result<f64> {
        let unknown = || Error::invalid(format!("query `{}` has no ranking in pass {pass}", query.id));
        let ranking = side.judged_in(pass, index).ok_or_else(unknown)?;
        if relevant.is_empty() {
            return metric.try_compute(ranking);
        }
        let top = (1..).zip(side.top(pass, &query.id, cutoff));
        let ranks: Vec<usize> =
            top.filter(|(_, id)| relevant.contains_key(id)).map(|(rank, _)| rank).collect();
        metric.try_compute(&ranking.assuming(&ranks, relevant.len(), grade))
    };
    let scores: Vec<f64> = (0..side.passes()).map(of_pass).collect::<Result<_>>()?;
    stats::mean(&scores)
}
