//! Which queries and documents explain a value: against another run where there is one, else the
//! weakest queries and where their relevant documents are.

use std::collections::HashMap;

use crate::Result;
use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::run::{Hit, Run};

use super::model::{DocumentMove, Mover, Movers};

/// Queries shown on each side, unless more are asked for.
const QUERIES: usize = 5;
/// Documents shown of one query.
const DOCUMENTS: usize = 4;
/// Scores that differ by less are the same: sums in another order.
const SAME: f64 = 1e-12;

/// The other side of a comparison.
pub(super) struct Against<'a> {
    /// What it is called in messages: `golden`, or a configuration.
    pub(super) name: &'a str,
    /// Its evaluation, over the same queries.
    pub(super) evaluation: &'a Evaluation,
}

/// Explains `metric` of `evaluation` by the queries that moved against the other side.
pub(super) fn against(evaluation: &Evaluation, other: &Against<'_>, metric: &Metric) -> Result<Movers> {
    most_moved(evaluation, other, metric, QUERIES)
}

/// The same with at most so many queries each way.
pub(super) fn most_moved(
    evaluation: &Evaluation,
    other: &Against<'_>,
    metric: &Metric,
    most: usize,
) -> Result<Movers> {
    let (after, before) = (evaluation.scores(metric)?, other.evaluation.scores(metric)?);
    let sides = Sides::new(evaluation, Some(other.evaluation), metric);
    let mut moved: Vec<(usize, f64)> = after
        .iter()
        .zip(&before)
        .map(|(after, before)| after - before)
        .enumerate()
        .filter(|(_, difference)| difference.abs() > SAME)
        .collect();
    // Queries stand in id order, and the sort is stable: ties come out by id.
    moved.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mover = |&(query, _): &(usize, f64)| sides.mover(query, Some(before[query]), after[query]);
    let worse = moved.iter().filter(|(_, difference)| *difference < 0.0).count();
    let (losses, gains) = moved.split_at(worse);
    let mut gains = gains.to_vec();
    gains.sort_by(|a, b| b.1.total_cmp(&a.1));
    Ok(Movers {
        against: Some(other.name.to_owned()),
        against_value: Some(other.evaluation.value(metric)?),
        worse,
        better: gains.len(),
        unchanged: after.len() - moved.len(),
        losses: losses.iter().take(most).map(mover).collect(),
        gains: gains.iter().take(most).map(mover).collect(),
        unjudged: unjudged(evaluation, sides.cutoff),
        against_unjudged: Some(unjudged(other.evaluation, sides.cutoff)),
        cutoff: sides.cutoff,
    })
}

/// Explains `metric` of `evaluation` by its weakest queries.
pub(crate) fn weakest(evaluation: &Evaluation, metric: &Metric) -> Result<Movers> {
    let scores = evaluation.scores(metric)?;
    let sides = Sides::new(evaluation, None, metric);
    let best = *metric.range().end();
    let mut weak: Vec<usize> = (0..scores.len()).filter(|&query| scores[query] < best).collect();
    weak.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    Ok(Movers {
        losses: weak.iter().take(QUERIES).map(|&query| sides.mover(query, None, scores[query])).collect(),
        unjudged: unjudged(evaluation, sides.cutoff),
        cutoff: sides.cutoff,
        ..Movers::default()
    })
}

/// Unjudged documents inside the cutoff, over all queries.
fn unjudged(evaluation: &Evaluation, cutoff: usize) -> usize {
    let of = |query: usize| {
        evaluation.judged(query).map_or(0, |ranking| {
            let shown = ranking.len().min(cutoff);
            shown - ranking.judged_at(shown)
        })
    };
    (0..evaluation.queries().len()).map(of).sum()
}

/// The runs on both sides, to look documents up in.
struct Sides<'a> {
    queries: &'a [Query],
    evaluation: &'a Evaluation,
    before: Option<&'a Run>,
    after: Option<&'a Run>,
    cutoff: usize,
    relevant_from: i32,
}

impl<'a> Sides<'a> {
    fn new(evaluation: &'a Evaluation, other: Option<&'a Evaluation>, metric: &Metric) -> Self {
        let after = evaluation.run(0);
        let before = other.and_then(|other| other.run(0));
        let both = [after, before].into_iter().flatten();
        let deepest = both.flat_map(|run| run.iter().map(|(_, hits)| hits.len())).max().unwrap_or(0);
        Self {
            queries: evaluation.queries(),
            evaluation,
            before,
            after,
            cutoff: metric.cutoff().unwrap_or(deepest).max(1),
            relevant_from: evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from()),
        }
    }

    fn mover(&self, query: usize, before: Option<f64>, after: f64) -> Mover {
        let query = &self.queries[query];
        Mover {
            query: query.id.clone(),
            text: query.text.clone(),
            before,
            after,
            documents: self.documents(&query.id),
        }
    }

    /// The judged documents that explain a query's score. With another side: those that moved into,
    /// out of or within the cutoff. Without: the relevant ones, wherever they are.
    fn documents(&self, query: &str) -> Vec<DocumentMove> {
        let Some(judgments) = self.evaluation.collection().judgments(query) else { return Vec::new() };
        let (from, to) = (ranks(self.before, query), ranks(self.after, query));
        let inside = |rank: Option<usize>| rank.is_some_and(|rank| rank <= self.cutoff);
        let mut moves: Vec<DocumentMove> = judgments
            .iter()
            .map(|(document, grade)| DocumentMove {
                document: document.to_owned(),
                grade: Some(grade),
                from: from.get(document).copied(),
                to: to.get(document).copied(),
            })
            .filter(|moved| match self.before {
                Some(_) => moved.from != moved.to && (inside(moved.from) || inside(moved.to)),
                None => moved.grade.is_some_and(|grade| grade >= self.relevant_from),
            })
            .collect();
        // Those that count most first; the sort is stable, and judgments stand in the order of ids.
        let weight = |moved: &DocumentMove| match self.before {
            Some(_) => self.weight(moved),
            None => f64::from(moved.grade.unwrap_or(0)),
        };
        moves.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        moves.truncate(DOCUMENTS);
        moves
    }
}

impl Sides<'_> {
    /// How much a document's move weighs: its grade times the difference that the move makes to a
    /// reader who loses interest as nDCG says, and sees nothing beyond the cutoff. A document that is
    /// not relevant weighs a little, for the place that it takes.
    fn weight(&self, moved: &DocumentMove) -> f64 {
        let seen = |rank: Option<usize>| match rank {
            Some(rank) if rank <= self.cutoff => 1.0 / (rank as f64 + 1.0).log2(),
            _ => 0.0,
        };
        let grade = f64::from(moved.grade.unwrap_or(0)).max(0.25);
        grade * (seen(moved.from) - seen(moved.to)).abs()
    }
}

/// Rank by document of one query.
fn ranks<'r>(run: Option<&'r Run>, query: &str) -> HashMap<&'r str, usize> {
    let hits: &[Hit] = run.and_then(|run| run.ranking(query)).unwrap_or_default();
    hits.iter().map(|hit| hit.id.as_str()).zip(1..).collect()
}
