//! What a value is to its limits, and the queries that explain it.

use crate::Result;
use crate::evaluation::{Estimate, Evaluation};
use crate::gate::{Bound, Limit, broken_limit, deciding_value};
use crate::metric::Metric;
use crate::model::{Movers, Row, ThresholdFinding};
use crate::report::number::score;
use crate::stats::Confidence;
use crate::words::{agree, counted};

use super::every_query::{EveryQuery, every_query};
use super::golden::Golden;
use super::measured::metric_report;
use super::movers::{self, Extreme};

/// What there is to say of a metric that is held to limits: its value, where that is to them, and the queries
/// that explain it. Segment and warnings are for those to add who know them.
pub fn threshold(
    evaluation: &Evaluation,
    metric: &Metric,
    estimate: &Estimate,
    (bound, confidence): (Bound, Confidence),
    [min, max]: [Option<f64>; 2],
    golden: Option<&Golden>,
) -> Result<ThresholdFinding> {
    let (movers, note) = match bound {
        Bound::EveryQuery => {
            let EveryQuery { breaking, note } = every_query(evaluation, metric, [min, max], confidence)?;
            let (losses, gains) = if max.is_some() { (Vec::new(), breaking) } else { (breaking, Vec::new()) };
            (Movers { worse: losses.len(), better: gains.len(), losses, gains, ..Movers::default() }, note)
        }
        Bound::Mean | Bound::Lower | Bound::Upper => {
            (explain(evaluation, golden, metric, broken(estimate, bound, max))?, String::new())
        }
    };
    Ok(ThresholdFinding {
        metric: metric.to_string(),
        segment: None,
        min,
        max,
        bound,
        held: deciding_value(bound, estimate.value, estimate.limits(), estimate.worst(max)),
        queries: estimate.queries,
        unanswered: evaluation.unanswered().len(),
        warnings: Vec::new(),
        measured: metric_report(metric, estimate),
        note,
        collections: Vec::new(),
        movers,
    })
}

/// A threshold that is not kept, by its gate: `nDCG@10 0.2200 < 0.3000`.
pub fn broken_threshold(
    gate: &str,
    metric: &str,
    bound: Bound,
    held: Option<f64>,
    [min, max]: [Option<f64>; 2],
) -> Row {
    let of = match bound {
        Bound::Mean => String::new(),
        Bound::Lower | Bound::Upper => format!("{bound} bound of "),
        Bound::EveryQuery => "a query's ".to_owned(),
    };
    let seen = match held {
        None => "is not known".to_owned(),
        Some(held) => match (broken_limit(held, min, max), min, max) {
            (Some(Limit::Min), Some(min), _) => format!("{} < {}", score(metric, held), score(metric, min)),
            (Some(Limit::Max), _, Some(max)) => format!("{} > {}", score(metric, held), score(metric, max)),
            (Some(_) | None, ..) => score(metric, held),
        },
    };
    let remark = if held.is_some() { "it fails" } else { "it could not be decided" };
    Row { remark: remark.to_owned(), ..Row::new(gate, format!("{of}{metric} {seen}")) }
}

/// What to know where a value may be no larger, and is as small as it is for want of results.
pub fn held_down(evaluation: &Evaluation, metric: &Metric, max: Option<f64>) -> Option<String> {
    if metric.is_best_low() || metric.is_column() {
        // Nothing at all is what it counts.
        return None;
    }
    let nothing = evaluation.answered_with_nothing().len();
    (max.is_some() && nothing > 0).then(|| {
        let queries = counted(evaluation.queries().len(), "query", "queries");
        format!("there is no result for {nothing} of the {queries}: they score 0, and `max` holds the easier by that")
    })
}

/// That queries without an answer are left out of what holds whether a document answers or not: of what is returned.
pub fn left_out(evaluation: &Evaluation, metric: &Metric) -> Option<String> {
    let needs = metric.requirements();
    if needs.relevance || metric.is_of_silence() {
        return None;
    }
    let queries = evaluation.asked_beside().count();
    (queries > 0).then(|| {
        let (them, are) =
            (counted(queries, "unanswerable query", "unanswerable queries"), agree(queries, "is", "are"));
        format!("{them} {are} left out: {metric} says nothing of what they return")
    })
}

/// The queries with the lowest scores.
pub fn lowest(evaluation: &Evaluation, metric: &Metric) -> Result<Movers> {
    movers::extreme(evaluation, metric, Extreme::Lowest)
}

/// The end at which the queries are that break a limit: the low one, unless it is `max` that is broken.
fn broken(estimate: &Estimate, bound: Bound, max: Option<f64>) -> Extreme {
    match deciding_value(bound, estimate.value, estimate.limits(), estimate.worst(max))
        .and_then(|held| broken_limit(held, None, max))
    {
        Some(_) => Extreme::Highest,
        None => Extreme::Lowest,
    }
}

/// The queries that explain a value: against what was blessed where that moved, else those at one end.
fn explain(
    evaluation: &Evaluation,
    golden: Option<&Golden>,
    metric: &Metric,
    end: Extreme,
) -> Result<Movers> {
    // Queries that nobody asked that day have not moved.
    // What cannot be scored today, such as documents that are no longer in the corpus, explains nothing.
    let shared = golden.filter(|_| !metric.is_best_low()).and_then(|golden| golden.shared(evaluation));
    if let Some((ours, theirs)) = shared.filter(|(_, theirs)| theirs.scores(metric).is_ok()) {
        let mut moved = movers::against(&ours, ("golden", &theirs), metric, movers::QUERIES)?;
        if moved.worse + moved.better > 0 {
            // Means over other queries than the gate's do not stand beside its value.
            if ours.queries().len() < evaluation.queries().len() {
                moved.against_value = None;
            }
            return Ok(moved);
        }
    }
    movers::extreme(evaluation, metric, end)
}
