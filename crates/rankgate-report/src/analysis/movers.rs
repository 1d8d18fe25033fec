//! Which queries and documents explain a value: against another run where there is one, else the
//! weakest queries and where their relevant documents are.

use crate::Result;
use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::order;
use crate::run::Hit;
use crate::stats::ROUNDING;

use super::pair::ranking;
use crate::model::{DocumentMove, Mover, Movers};

/// Queries shown on each side by default.
pub(super) const QUERIES: usize = 5;
/// Documents shown of a query that has no answer.
const RETURNED: usize = 1;
/// Documents shown of one query.
const DOCUMENTS: usize = 4;

/// Explains `metric` of `evaluation` by the queries that moved against the other side, at most so many each way.
/// The other side is named as messages call it, `golden` or a configuration, and is over the same queries.
pub fn against(
    evaluation: &Evaluation,
    (name, other): (&str, &Evaluation),
    metric: &Metric,
    most: usize,
) -> Result<Movers> {
    let (after, before) = (evaluation.scores(metric)?, other.scores(metric)?);
    let sides = Sides::new(evaluation, Some(other), metric);
    let mut moved: Vec<(usize, f64)> = after
        .iter()
        .zip(&before)
        .map(|(after, before)| after - before)
        .enumerate()
        .filter(|(_, difference)| difference.abs() > ROUNDING)
        .collect();
    // Queries stand in id order, and the sort is stable: ties come out by id.
    order::sort_by(&mut moved, |a, b| a.1.total_cmp(&b.1));
    let worse = moved.iter().filter(|(_, difference)| *difference < 0.0).count();
    let (losses, gains) = moved.split_at(worse);
    let mut gains = gains.to_vec();
    order::sort_by(&mut gains, |a, b| b.1.total_cmp(&a.1));
    let movers = |moved: &[(usize, f64)], extreme: Extreme| {
        let mover =
            |&(query, _): &(usize, f64)| sides.mover(query, Some(before[query]), after[query], extreme);
        moved.iter().take(most).map(mover).collect()
    };
    Ok(Movers {
        against: Some(name.to_owned()),
        against_value: Some(other.value(metric)?),
        worse,
        better: gains.len(),
        unchanged: after.len() - moved.len(),
        losses: movers(losses, Extreme::Lowest),
        gains: movers(&gains, Extreme::Highest),
        unjudged: sides.unjudged(evaluation),
        against_unjudged: Some(sides.unjudged(other)),
        ..sides.described()?
    })
}

/// Explains `metric` of `evaluation` by the queries at one end: the weakest, or where an upper limit is
/// broken, those that raise the value most.
pub(super) fn extreme(evaluation: &Evaluation, metric: &Metric, extreme: Extreme) -> Result<Movers> {
    let scores = evaluation.scores(metric)?;
    let sides = Sides::new(evaluation, None, metric);
    let range = metric.range();
    let mut chosen: Vec<usize> = (0..scores.len())
        .filter(|&query| match extreme {
            Extreme::Lowest => scores[query] < *range.end(),
            Extreme::Highest => scores[query] > *range.start(),
        })
        .collect();
    let by_score = |a: usize, b: usize| match extreme {
        Extreme::Lowest => scores[a].total_cmp(&scores[b]),
        Extreme::Highest => scores[b].total_cmp(&scores[a]),
    };
    if metric.is_of_silence() {
        // Where all scores are the same: what a score threshold is furthest from cutting first.
        let best = |&query: &usize| {
            let mover = sides.mover(query, None, scores[query], extreme);
            (query, mover.documents.first().and_then(|one| one.score).unwrap_or(f64::NEG_INFINITY))
        };
        let mut scored: Vec<(usize, f64)> = chosen.iter().map(best).collect();
        order::sort_by(&mut scored, |a, b| by_score(a.0, b.0).then_with(|| b.1.total_cmp(&a.1)));
        chosen = scored.into_iter().map(|(query, _)| query).collect();
    } else {
        order::sort_by(&mut chosen, |&a, &b| by_score(a, b));
    }
    let mover = |&query: &usize| sides.mover(query, None, scores[query], extreme);
    let shown: Vec<Mover> = chosen.iter().take(QUERIES).map(mover).collect();
    let (losses, gains) = match extreme {
        Extreme::Lowest => (shown, Vec::new()),
        Extreme::Highest => (Vec::new(), shown),
    };
    Ok(Movers { losses, gains, unjudged: sides.unjudged(evaluation), ..sides.described()? })
}

/// The end at which the queries stand that explain a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    Lowest,
    Highest,
}

/// One side, and which of its passes.
type InPass<'a> = (&'a Evaluation, usize);

/// The two sides, to look documents up in.
struct Sides<'a> {
    evaluation: &'a Evaluation,
    other: Option<&'a Evaluation>,
    metric: &'a Metric,
    cutoff: usize,
    relevant_from: i32,
}

impl<'a> Sides<'a> {
    fn new(evaluation: &'a Evaluation, other: Option<&'a Evaluation>, metric: &'a Metric) -> Self {
        let deepest = [Some(evaluation), other].into_iter().flatten().map(Evaluation::longest).max();
        Self {
            evaluation,
            other,
            metric,
            cutoff: metric.cutoff().or(deepest).unwrap_or(0).max(1),
            relevant_from: evaluation.judged(0).map_or(1, |ranking| metric.relevant_from(ranking)),
        }
    }

    /// What there is to say of the sides as a whole.
    fn described(&self) -> Result<Movers> {
        let asked_often = |side: &Evaluation| side.passes() > 1;
        Ok(Movers {
            judged: match counts_judgments(self.metric) {
                false => None,
                true => Some(self.evaluation.value(Metric::judged_at(self.cutoff))?),
            },
            cutoff: self.cutoff,
            repeated: asked_often(self.evaluation) || self.other.is_some_and(asked_often),
            ..Movers::default()
        })
    }

    /// Unjudged documents inside the cutoff, over all queries, where judgments count; the mean over passes, rounded.
    fn unjudged(&self, side: &Evaluation) -> usize {
        if !counts_judgments(self.metric) {
            return 0;
        }
        let passes = side.passes().max(1);
        let all = (0..passes).flat_map(|pass| (0..side.queries().len()).map(move |query| (pass, query)));
        let unjudged = all.filter_map(|(pass, query)| side.judged_in(pass, query)).map(|ranking| {
            let shown = ranking.len().min(self.cutoff);
            shown - ranking.judged_at(shown)
        });
        (unjudged.sum::<usize>() + passes / 2) / passes
    }

    fn mover(&self, query: usize, before: Option<f64>, after: f64, extreme: Extreme) -> Mover {
        // Of several passes the one that shows what the mean moved by, against one that is like its mean.
        let own = self.pass_by(self.evaluation, query, |score| match extreme {
            Extreme::Lowest => score,
            Extreme::Highest => -score,
        });
        let theirs = self.other.map(|other| {
            let pass = self.pass_by(other, query, |score| (score - before.unwrap_or(score)).abs());
            (other, pass)
        });
        let ours = (self.evaluation, own);
        let Query { id, text, .. } = &self.evaluation.queries()[query];
        let documents = if self.metric.requirements().unanswerable {
            returned(ours, id)
        } else if counts_judgments(self.metric) {
            self.documents(id, theirs, ours)
        } else {
            Vec::new()
        };
        Mover { query: id.clone(), text: text.clone(), before, after, documents }
    }

    /// The pass in which a query's score is least by `weight`; of several the first.
    fn pass_by(&self, side: &Evaluation, query: usize, weight: impl Fn(f64) -> f64) -> usize {
        let score = |pass| side.score_in(self.metric, pass, query).and_then(Result::ok).unwrap_or(0.0);
        (0..side.passes()).min_by(|&a, &b| weight(score(a)).total_cmp(&weight(score(b)))).unwrap_or(0)
    }

    /// The judged documents that explain a query's score. With another side: those that moved into,
    /// out of or within the cutoff. Without: the relevant ones, wherever they are.
    fn documents(&self, query: &str, before: Option<InPass<'a>>, after: InPass<'a>) -> Vec<DocumentMove> {
        let Some(judgments) = self.evaluation.collection().judgments(query) else { return Vec::new() };
        let ranks = |(side, pass): InPass<'a>| side.ranks(pass, query, judgments);
        let (from, to) = (before.map(ranks).unwrap_or_default(), ranks(after));
        let inside = |rank: Option<usize>| rank.is_some_and(|rank| rank <= self.cutoff);
        let excludes = self.evaluation.identical_ids().is_some();
        let mut moves: Vec<DocumentMove> = judgments
            .iter()
            .map(|(document, grade)| DocumentMove {
                document: document.to_owned(),
                grade: Some(grade),
                from: from.get(document).copied(),
                to: to.get(document).copied(),
                excluded: (excludes && document == query).then_some(true),
                ..DocumentMove::default()
            })
            .filter(|moved| match before {
                Some(_) => moved.from != moved.to && (inside(moved.from) || inside(moved.to)),
                None => moved.grade.is_some_and(|grade| grade >= self.relevant_from),
            })
            .collect();
        // Those that count most first; the sort is stable, and judgments stand in the order of ids.
        let weight = |moved: &DocumentMove| match before {
            Some(_) => self.weight(moved),
            None => f64::from(moved.grade.unwrap_or(0)),
        };
        order::sort_by(&mut moves, |a, b| weight(b).total_cmp(&weight(a)));
        moves.truncate(DOCUMENTS);
        moves
    }

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

/// Whether judgments say anything of it, so that unjudged documents are worth a word.
fn counts_judgments(metric: &Metric) -> bool {
    !metric.is_column() && !metric.is_best_low()
}

/// The first documents that were returned for a query that has no answer, with their scores.
fn returned((side, pass): InPass<'_>, query: &str) -> Vec<DocumentMove> {
    let returned = |(place, hit): (usize, &Hit)| DocumentMove {
        document: hit.id.clone(),
        grade: side.collection().grade(query, &hit.id),
        score: Some(hit.score),
        to: Some(place + 1),
        ..DocumentMove::default()
    };
    ranking(side, pass, query).iter().take(RETURNED).enumerate().map(returned).collect()
}
