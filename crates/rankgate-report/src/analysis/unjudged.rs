//! How much unjudged documents can change a difference.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::gate::Unjudged;
use crate::metric::{JudgedRanking, Metric};
use crate::stats::Differences;
use crate::{Error, Result, threads};

use super::assumed::{Assumed, Pass};
use super::pair::Pair;
use crate::model::UnjudgedReport;

/// Which end of the difference is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Lowest,
    Highest,
}

/// What the unjudged documents of a query are taken for.
#[derive(Clone, Copy)]
enum Reading {
    Extreme(End),
    NoneRelevant,
}

/// One query, as the baseline and the candidate rank it. A value by itself has no baseline, and that scores 0.
pub(super) struct QuerySides<'a> {
    baseline: Vec<Pass<'a>>,
    candidate: Vec<Pass<'a>>,
    /// How many unjudged documents both sides have within the cutoff.
    documents: usize,
}

impl<'a> QuerySides<'a> {
    pub(super) fn new(
        [baseline, candidate]: [Option<&'a Evaluation>; 2],
        (index, query): (usize, &Query),
        cutoff: usize,
    ) -> Result<Self> {
        let mut known = HashMap::default();
        let mut passes = |side: Option<&'a Evaluation>| match side {
            Some(side) => unjudged_of(side, (index, query), cutoff, &mut known),
            None => Ok(Vec::new()),
        };
        let (baseline, candidate) = (passes(baseline)?, passes(candidate)?);
        Ok(Self { baseline, candidate, documents: known.len() })
    }

    /// The scores of the baseline and of the candidate at this end of their difference; `None` where nothing bounds it.
    pub(super) fn scores_at(&self, end: End, assumed: &Assumed<'_>) -> Result<Option<[f64; 2]>> {
        let Self { baseline, candidate, documents } = self;
        match end {
            End::Lowest => assumed.lowest([baseline, candidate], *documents),
            End::Highest => {
                let found = assumed.lowest([candidate, baseline], *documents)?;
                Ok(found.map(|[candidate, baseline]| [baseline, candidate]))
            }
        }
    }

    fn scores_in(&self, reading: Reading, assumed: &Assumed<'_>) -> Result<Option<[f64; 2]>> {
        match reading {
            Reading::Extreme(end) => self.scores_at(end, assumed),
            Reading::NoneRelevant => {
                assumed.none_relevant([&self.baseline, &self.candidate], self.documents).map(Some)
            }
        }
    }
}

/// The last rank that the metric looks at in any of these rankings: without a cutoff, or below a shorter list, their last.
pub(super) fn last_rank(metric: &Metric, sides: &[&Evaluation]) -> usize {
    let longest = sides.iter().map(|side| side.longest()).max().unwrap_or(0);
    metric.cutoff().map_or(longest, |cutoff| cutoff.min(longest))
}

/// Whether a document without a grade can be given one for this metric.
pub(super) fn takes_grades(metric: &Metric) -> bool {
    let needed = metric.requirements();
    needed.relevance && !needed.documents && !needed.subtopics
}

impl Pair {
    /// The differences that a gate is decided on.
    ///
    /// # Errors
    /// A metric that cannot be computed, or unjudged documents that cannot get grades where the spec demands it.
    pub(crate) fn decided_on(&self, metric: &Metric, unjudged: Unjudged) -> Result<Differences> {
        match unjudged {
            Unjudged::Zero => self.differences(metric),
            Unjudged::Worst if !self.holds_unjudged(self.last_rank(metric)) => self.differences(metric),
            Unjudged::Worst => match self.read_as(metric, [Reading::Extreme(End::Lowest)])? {
                Some([worst]) => Ok(worst),
                None => Err(Error::invalid(format!(
                    "`unjudged: worst` does not go with {metric}: nothing bounds what unjudged documents could make of it"
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
    pub(crate) fn unjudged(&self, metric: &Metric) -> Result<Option<UnjudgedReport>> {
        if !self.holds_unjudged(self.last_rank(metric)) {
            return Ok(None);
        }
        let readings = [Reading::Extreme(End::Lowest), Reading::NoneRelevant, Reading::Extreme(End::Highest)];
        let Some([lowest, as_zero, highest]) = self.read_as(metric, readings)? else { return Ok(None) };
        Ok(Some(UnjudgedReport {
            grade: self.highest_grade(),
            lowest: lowest.mean(),
            as_zero: as_zero.mean(),
            highest: highest.mean(),
        }))
    }

    /// The last rank that the metric looks at on either side.
    fn last_rank(&self, metric: &Metric) -> usize {
        last_rank(metric, &[&self.baseline, &self.candidate])
    }

    /// The grade that a document has at best.
    fn highest_grade(&self) -> i32 {
        let relevant = self.candidate.judged(0).map_or(1, |ranking| ranking.relevant_from());
        self.candidate.collection().qrels().max_grade().max(relevant).max(1)
    }

    /// The differences in each reading; the extreme ones are those where each query's is lowest, or highest, over all that its unjudged documents could be: each not
    /// relevant, or of the highest grade. A document has one grade, whichever side returns it, and counts among what there is
    /// to find.
    fn read_as<const N: usize>(
        &self,
        metric: &Metric,
        readings: [Reading; N],
    ) -> Result<Option<[Differences; N]>> {
        let sides = [&self.baseline, &self.candidate];
        let cutoff = self.last_rank(metric);
        if !takes_grades(metric) || !sides.iter().all(|side| side.shows(cutoff)) {
            return Ok(None);
        }
        let relevant_from = self.candidate.judged(0).map_or(1, JudgedRanking::relevant_from);
        let assumed = Assumed::new(metric, cutoff, self.highest_grade(), relevant_from)?;
        let query_sides = |index: usize, query: &Query| -> Result<Option<[[f64; 2]; N]>> {
            let query_sides = QuerySides::new(sides.map(Some), (index, query), cutoff)?;
            let mut scores = [[0.0; 2]; N];
            for (scores, reading) in scores.iter_mut().zip(readings) {
                let found = query_sides.scores_in(reading, &assumed)?;
                let Some(found) = found else { return Ok(None) };
                *scores = found;
            }
            Ok(Some(scores))
        };
        let queries = self.queries();
        let scores = threads::map(queries.len(), |index| query_sides(index, &queries[index]));
        let scores: Option<Vec<[[f64; 2]; N]>> = scores.into_iter().collect::<Result<_>>()?;
        let Some(scores) = scores else { return Ok(None) };
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

/// The rankings of a query by one side, with their unjudged documents within the cutoff. `documents` numbers these on both sides.
fn unjudged_of<'a>(
    side: &'a Evaluation,
    (index, query): (usize, &Query),
    cutoff: usize,
    documents: &mut HashMap<&'a str, usize, RandomState>,
) -> Result<Vec<Pass<'a>>> {
    let mut of_pass = |pass: usize| -> Result<Pass<'a>> {
        let unknown = || Error::invalid(format!("query `{}` has no ranking in pass {pass}", query.id));
        let ranking = side.judged_in(pass, index).ok_or_else(unknown)?;
        let is_judged = |rank: usize| ranking.grade_at(rank).is_some_and(|grade| grade >= 0);
        let top = side.top(pass, &query.id, cutoff);
        let unjudged = (1..).zip(top).filter(|(rank, _)| !is_judged(*rank));
        let places = unjudged.map(|(rank, id)| {
            let next = documents.len();
            (rank, *documents.entry(id).or_insert(next))
        });
        Ok(Pass { ranking, places: places.collect() })
    };
    (0..side.passes()).map(&mut of_pass).collect()
}
