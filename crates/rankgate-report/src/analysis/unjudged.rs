//! How much unjudged documents can change a difference.

use std::collections::HashMap;

use foldhash::fast::RandomState;

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

impl Favoured {
    /// Whether this side ranks a document higher that weighs so much.
    fn wins(self, weight: f64) -> bool {
        match self {
            Self::Candidate => weight > EQUAL,
            Self::Baseline => weight < -EQUAL,
        }
    }
}

/// Unjudged documents of one query.
#[derive(Default)]
struct Documents<'a> {
    known: HashMap<&'a str, usize, RandomState>,
    /// How much better the candidate ranks each than the baseline.
    weights: Vec<f64>,
}

/// A rank and which of the [`Documents`] stands there.
type QueryRank = (usize, usize);

impl Pair {
    /// The differences that a gate is decided on.
    ///
    /// # Errors
    /// A metric that cannot be computed, or unjudged documents that cannot get grades where the spec demands it.
    pub(crate) fn decided_on(
        &self,
        metric: &Metric,
        cutoff: usize,
        unjudged: Unjudged,
    ) -> Result<Differences> {
        match unjudged {
            Unjudged::Zero => self.differences(metric),
            Unjudged::Worst if !self.holds_unjudged(cutoff) => self.differences(metric),
            Unjudged::Worst => match self.favouring(metric, cutoff, [Favoured::Baseline])? {
                Some([worst]) => Ok(worst),
                None => Err(Error::invalid(format!(
                    "`unjudged: worst` does not go with {metric}: it has no grades to assume"
                ))),
            },
        }
    }

    /// Whether either side has unjudged documents down to the cutoff.
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
        let both = [Favoured::Baseline, Favoured::Candidate];
        let Some([lowest, highest]) = self.favouring(metric, cutoff, both)? else { return Ok(None) };
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

    /// The differences, were every unjudged document that the favoured side ranks higher as relevant as can be, and
    /// every other not at all. A document has one grade, whichever side returns it, and counts among what there is
    /// to find.
    fn favouring<'a, const N: usize>(
        &'a self,
        metric: &Metric,
        cutoff: usize,
        favoured: [Favoured; N],
    ) -> Result<Option<[Differences; N]>> {
        let sides = [&self.baseline, &self.candidate];
        if !metric.needs_relevance()
            || metric.needs_documents()
            || !sides.iter().all(|side| side.shows(cutoff))
        {
            return Ok(None);
        }
        let grade = self.highest_grade();
        let discounts: Vec<f64> = (2..).take(cutoff).map(|rank| 1.0 / f64::from(rank).log2()).collect();
        let of_query =
            |unjudged: &mut Documents<'a>, (index, query): (usize, &Query)| -> Result<[[f64; 2]; N]> {
                unjudged.known.clear();
                unjudged.weights.clear();
                let [baseline, candidate] = [(sides[0], -1.0), (sides[1], 1.0)].map(|(side, sign)| {
                    unjudged.weigh(side, (index, query), &discounts, sign / side.passes() as f64)
                });
                let mut scores = [[0.0; 2]; N];
                for (scores, favoured) in scores.iter_mut().zip(favoured) {
                    let relevant: Vec<bool> =
                        unjudged.weights.iter().map(|weight| favoured.wins(*weight)).collect();
                    for ((score, side), places) in scores.iter_mut().zip(sides).zip([&baseline, &candidate]) {
                        *score = assumed(side, metric, (index, query), places, &relevant, grade)?;
                    }
                }
                Ok(scores)
            };
        let queries = self.queries();
        let score = |unjudged: &mut Documents<'a>, index: usize| of_query(unjudged, (index, &queries[index]));
        let scores = threads::map_with(queries.len(), Documents::default, score);
        let scores: Vec<[[f64; 2]; N]> = scores.into_iter().collect::<Result<_>>()?;
        let differences = |at: usize| {
            let side = |side: usize| scores.iter().map(|both| both[at][side]).collect::<Vec<f64>>();
            let differences = match self.candidate.groups() {
                None => Differences::new(&side(0), &side(1)),
                Some(groups) => Differences::grouped(&side(0), &side(1), groups),
            };
            Ok(differences?.within(&metric.range()))
        };
        let bounds: Vec<Differences> = (0..N).map(differences).collect::<Result<_>>()?;
        Ok(bounds.try_into().ok())
    }
}

impl<'a> Documents<'a> {
    /// Adds what the places of unjudged documents are worth, as discounted gain weighs them; returns those of each
    /// pass, with their ranks in ascending order.
    fn weigh(
        &mut self,
        side: &'a Evaluation,
        (index, query): (usize, &Query),
        discounts: &[f64],
        sign: f64,
    ) -> Vec<Vec<QueryRank>> {
        let mut of_pass = |pass: usize| {
            let ranking = side.judged_in(pass, index);
            let judged =
                |rank| ranking.and_then(|ranking| ranking.grade_at(rank)).is_some_and(|grade| grade >= 0);
            let top = side.top(pass, &query.id, discounts.len());
            self.known.reserve(top.len());
            let mut places = Vec::with_capacity(top.len());
            for ((discount, id), rank) in discounts.iter().zip(top).zip(1..) {
                if !judged(rank) {
                    let document = *self.known.entry(id).or_insert(self.weights.len());
                    if document == self.weights.len() {
                        self.weights.push(0.0);
                    }
                    self.weights[document] += sign * discount;
                    places.push((rank, document));
                }
            }
            places
        };
        (0..side.passes()).map(&mut of_pass).collect()
    }
}

/// The score of a query, were these documents judged to have this grade.
fn assumed(
    side: &Evaluation,
    metric: &Metric,
    (index, query): (usize, &Query),
    places: &[Vec<QueryRank>],
    is_relevant: &[bool],
    grade: i32,
) -> Result<f64> {
    let relevant = is_relevant.iter().filter(|is_relevant| **is_relevant).count();
    let of_pass = |pass: usize| -> Result<f64> {
        let unknown = || Error::invalid(format!("query `{}` has no ranking in pass {pass}", query.id));
        let ranking = side.judged_in(pass, index).ok_or_else(unknown)?;
        if relevant == 0 {
            return metric.try_compute(ranking);
        }
        let held = places[pass].iter().filter(|(_, document)| is_relevant[*document]);
        let ranks: Vec<usize> = held.map(|(rank, _)| *rank).collect();
        metric.try_compute(&ranking.assuming(&ranks, relevant, grade))
    };
    let scores: Vec<f64> = (0..side.passes()).map(of_pass).collect::<Result<_>>()?;
    stats::mean(&scores)
}
