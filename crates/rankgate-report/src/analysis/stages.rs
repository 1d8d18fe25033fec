//! What the stages of a pipeline allow, and which of them a difference falls to.

use std::collections::BTreeSet;

use crate::collection::{Collection, Query};
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::StagePart;
use crate::run::{Hit, Run, score_by_order};
use crate::stats::{Confidence, Differences, PairedT};
use crate::{Error, Result, order};

use super::pair::Pair;

/// By pass, the documents of stages that run side by side, ordered as a perfect reranker would: by grade, the highest first, and
/// those that nobody judged last, as they came.
///
/// # Errors
/// Stages that were judged while they were read.
pub fn ideal_runs(stages: &[&Evaluation]) -> Result<Vec<Run>> {
    let passes = stages.iter().map(|stage| stage.passes()).min().unwrap_or(0);
    let ideal = |pass: usize| {
        let gone = || Error::invalid("a run that was judged while it was read has no order to change");
        let runs: Option<Vec<&Run>> = stages.iter().map(|stage| stage.run(pass)).collect();
        let runs = runs.ok_or_else(gone)?;
        let queries = stages.iter().flat_map(|stage| stage.queries());
        let queries: BTreeSet<&str> = queries.map(|query| query.id.as_str()).collect();
        let mut rankings = Vec::with_capacity(queries.len());
        for query in queries {
            let lists: Vec<&[Hit]> = runs.iter().filter_map(|run| run.ranking(query)).collect();
            // A query without any list was not asked.
            if let (false, Some(stage)) = (lists.is_empty(), stages.first()) {
                rankings.push((query.to_owned(), by_grade(stage.collection(), query, &lists)?));
            }
        }
        Run::from_rankings(rankings)
    };
    (0..passes).map(ideal).collect()
}

/// The documents of all lists, each once, by grade. Where judgments are of spans, a passage that adds nothing to those above it
/// counts as not relevant.
fn by_grade(collection: &Collection, query: &str, lists: &[&[Hit]]) -> Result<Vec<Hit>> {
    let mut seen = std::collections::HashSet::new();
    let mut ids: Vec<&str> = Vec::new();
    for hit in lists.iter().copied().flatten() {
        if seen.insert(hit.id.as_str()) {
            ids.push(&hit.id);
        }
    }
    let descending = |grade: Option<i32>| std::cmp::Reverse(grade.unwrap_or(-1).max(-1));
    order::sort_by_key(&mut ids, |id| descending(collection.grade(query, id)));
    if let Some(evidence) = collection.evidence() {
        let (grades, _) = evidence.judge(query, ids.iter().copied())?;
        let mut graded: Vec<(Option<i32>, &str)> = grades.into_iter().zip(ids).collect();
        order::sort_by_key(&mut graded, |(grade, _)| descending(*grade));
        ids = graded.into_iter().map(|(_, id)| id).collect();
    }
    Ok(ids.into_iter().enumerate().map(|(position, id)| Hit::new(id, score_by_order(position))).collect())
}

/// The ceilings of a step of the pipeline: of the baseline, then of the candidate.
pub struct StepCeilings {
    /// The stages of the step.
    pub stages: Vec<String>,
    /// Their documents ordered ideally, over at least the queries of the pair.
    pub baseline: Evaluation,
    pub candidate: Evaluation,
}

/// The scores of both sides by query, and the stages that they are the ceilings of.
type StepScores = ([Vec<f64>; 2], Vec<String>);

/// The difference of a pair in a metric, split among the steps of the pipeline and the ranking behind them.
///
/// The first part is the difference of the first ceilings, each further one that of how much a step's ceiling lies above the one
/// before, and the last that of how far the scores lie below the last ceilings. For every query they add up to its difference.
///
/// # Errors
/// A ceiling that lacks a query of the pair; a metric that cannot be computed.
pub fn stage_parts(
    pair: &Pair,
    metric: &Metric,
    steps: &[StepCeilings],
    confidence: Confidence,
) -> Result<Vec<StagePart>> {
    let over_pair = |evaluation: &Evaluation| {
        let queries = pair.queries();
        let belongs = |query: &Query| queries.binary_search_by(|one| one.id.cmp(&query.id)).is_ok();
        let kept = evaluation.keeping(belongs).filter(|kept| kept.queries().len() == queries.len());
        kept.ok_or_else(|| Error::invalid("a stage lacks queries of the comparison"))?.scores(metric)
    };
    let mut before = [vec![0.0; pair.queries().len()], vec![0.0; pair.queries().len()]];
    let mut parts = Vec::with_capacity(steps.len() + 1);
    let of_step = |step: &StepCeilings| -> Result<StepScores> {
        Ok(([over_pair(&step.baseline)?, over_pair(&step.candidate)?], step.stages.clone()))
    };
    let last = ([pair.baseline.scores(metric)?, pair.candidate.scores(metric)?], Vec::new());
    for step in steps.iter().map(of_step).chain([Ok(last)]) {
        let (reached, stages) = step?;
        let gained = |side: usize| -> Vec<f64> {
            reached[side].iter().zip(&before[side]).map(|(reached, before)| reached - before).collect()
        };
        parts.push(part(stages, &gained(0), &gained(1), pair.candidate.groups(), confidence)?);
        before = reached;
    }
    Ok(parts)
}

fn part(
    stages: Vec<String>,
    baseline: &[f64],
    candidate: &[f64],
    groups: Option<&[String]>,
    confidence: Confidence,
) -> Result<StagePart> {
    let differences = match groups {
        None => Differences::new(baseline, candidate)?,
        Some(groups) => Differences::grouped(baseline, candidate, groups)?,
    };
    let interval = PairedT::new(&differences).and_then(|test| test.interval(confidence).ok());
    Ok(StagePart {
        stages,
        baseline: differences.baseline_mean(),
        candidate: differences.candidate_mean(),
        difference: differences.mean(),
        interval: interval.map(|interval| [interval.low, interval.high]),
    })
}
