//! Comparisons in which unjudged documents count against the candidate.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::collection::Query;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::gate::Unjudged;
use crate::metric::{JudgedRanking, Metric};
use crate::stats::Differences;
use crate::{Error, ErrorKind, Result, threads};

use super::pair::Pair;

/// The unjudged documents of a query, each with the best rank that it has in any pass of a side.
type Ranks<'a> = HashMap<&'a str, usize, RandomState>;

impl Pair {
    /// The differences that a gate is decided on.
    ///
    /// # Errors
    /// A metric that cannot be computed, or unjudged documents that cannot get grades where the spec demands it.
    pub(crate) fn decided_on(&self, metric: &Metric, unjudged: Unjudged) -> Result<Differences> {
        let sides = [&self.baseline, &self.candidate];
        let longest = sides.iter().map(|side| side.longest()).max().unwrap_or(0);
        let cutoff = metric.cutoff().map_or(longest, |cutoff| cutoff.min(longest));
        match unjudged {
            Unjudged::Zero => self.differences(metric),
            Unjudged::Worst if !self.holds_unjudged(cutoff) => self.differences(metric),
            Unjudged::Worst => self.at_worst(metric, cutoff),
        }
    }

    /// Whether either side has unjudged documents down to the cutoff.
    pub(crate) fn holds_unjudged(&self, cutoff: usize) -> bool {
        self.candidate.holds_unjudged(cutoff) || self.baseline.holds_unjudged(cutoff)
    }

    /// The differences if an unjudged document has the highest grade where the baseline ranks it above the candidate, and
    /// is not relevant otherwise. A query for which that is better than no relevant document counts without.
    fn at_worst(&self, metric: &Metric, cutoff: usize) -> Result<Differences> {
        let needed = metric.requirements();
        let sides = [&self.baseline, &self.candidate];
        if !needed.relevance
            || needed.documents
            || needed.subtopics
            || !sides.iter().all(|side| side.shows(cutoff))
        {
            let message =
                format!("`unjudged: worst` does not go with {metric}: its documents take no grades");
            return Err(Error::invalid(message));
        }
        let relevant_from = self.candidate.judged(0).map_or(1, JudgedRanking::relevant_from);
        let grade = self.candidate.collection().qrels().max_grade().max(relevant_from).max(1);
        let of_query = |(index, query): (usize, &Query)| -> Result<[f64; 2]> {
            let [before, after] = sides.map(|side| unjudged_of(side, (index, query), cutoff));
            let favours_baseline =
                |id: &str| before.get(id).is_some_and(|rank| after.get(id).is_none_or(|other| rank < other));
            let relevant = before.keys().filter(|id| favours_baseline(id)).count();
            let score = |side: &Evaluation, relevant: usize| -> Result<f64> {
                let mut sum = 0.0;
                for pass in 0..side.passes() {
                    let top = (1..).zip(side.top(pass, &query.id, cutoff));
                    let ranks =
                        top.filter(|(_, id)| relevant > 0 && favours_baseline(id)).map(|(rank, _)| rank);
                    let ranks: Vec<usize> = ranks.collect();
                    let none = || {
                        Error::with_kind(
                            ErrorKind::Internal,
                            format!("query {} has no ranking in pass {pass}", Quoted(&query.id)),
                        )
                    };
                    let ranking = side.judged_in(pass, index).ok_or_else(none)?;
                    sum += metric.try_compute(&ranking.assuming(&ranks, relevant, grade))?;
                }
                Ok(sum / side.passes() as f64)
            };
            let scores =
                |relevant: usize| Ok::<_, Error>([score(sides[0], relevant)?, score(sides[1], relevant)?]);
            let (with, without) = (scores(relevant)?, scores(0)?);
            Ok(if with[1] - with[0] < without[1] - without[0] { with } else { without })
        };
        let queries = self.queries();
        let scores = threads::map(queries.len(), |index| of_query((index, &queries[index])));
        let scores: Vec<[f64; 2]> = scores.into_iter().collect::<Result<_>>()?;
        let side = |side: usize| scores.iter().map(|both| both[side]).collect::<Vec<f64>>();
        let differences = match self.candidate.groups() {
            None => Differences::new(&side(0), &side(1)),
            Some(groups) => Differences::grouped(&side(0), &side(1), groups),
        };
        Ok(differences?.within(&metric.range()))
    }
}

/// The unjudged documents that a side ranks within the cutoff.
fn unjudged_of<'a>(side: &'a Evaluation, (index, query): (usize, &Query), cutoff: usize) -> Ranks<'a> {
    let mut ranks = Ranks::default();
    for pass in 0..side.passes() {
        let ranking = side.judged_in(pass, index);
        let is_judged = |rank: usize| ranking.is_some_and(|ranking| ranking.grade_at(rank).is_some());
        let top = (1..).zip(side.top(pass, &query.id, cutoff));
        for (rank, id) in top.filter(|(rank, _)| !is_judged(*rank)) {
            let best = ranks.entry(id).or_insert(rank);
            *best = rank.min(*best);
        }
    }
    ranks
}
