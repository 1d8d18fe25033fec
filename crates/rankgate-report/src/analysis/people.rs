//! How far people stand behind a value that a model's grades are in.

use crate::evaluation::{Evaluation, People};
use crate::gate::Bound;
use crate::metric::Metric;
use crate::scores::LEAST_PEOPLE;
use crate::stats::{Confidence, CorrectedMean};
use crate::words::counted;
use crate::{Error, Result};

/// Refuses a limit on a value that people do not correct.
pub fn check_people(evaluation: &Evaluation, metric: &Metric) -> Result<()> {
    let People::TooFew(graded) = evaluation.people(metric)? else { return Ok(()) };
    Err(Error::invalid(format!(
        "{metric} rests on a judge alone, and a limit on that can only advise: write `level: advisory` beside it, compare two \
         configurations, or let people grade {LEAST_PEOPLE} drawn queries, who have graded {graded} (`rankgate judge sample`)"
    )))
}

/// The warning about a limit on a corrected mean that one more graded query could break: one with the lowest score, or the highest.
pub fn one_more_grade(
    evaluation: &Evaluation,
    metric: &Metric,
    (bound, confidence): (Bound, Confidence),
    [min, max]: [Option<f64>; 2],
) -> Result<Option<String>> {
    let (low, high) = metric.range().into_inner();
    let (limit, end) = match bound {
        Bound::Lower => (min, low),
        Bound::Upper => (max, high),
        Bound::Mean | Bound::EveryQuery => return Ok(None),
    };
    let (Some(limit), Some(corrected)) = (limit, evaluation.corrected(metric)?) else { return Ok(None) };
    let limit_of = |corrected: &CorrectedMean| {
        let interval = corrected.interval(confidence).ok()?;
        Some(if bound == Bound::Lower { interval.low - limit } else { limit - interval.high })
    };
    let more = corrected.with_one_more(end - corrected.value).filter(|_| end.is_finite());
    let (Some(now), Some(then)) = (limit_of(&corrected), more.as_ref().and_then(limit_of)) else {
        return Ok(None);
    };
    Ok((now >= 0.0 && then < 0.0).then(|| {
        format!(
            "it rests on the {} that people graded: with one more that scores {end}, the limit of {limit} is broken by {:.4}",
            counted(corrected.drawn, "query", "queries"),
            -then
        )
    }))
}

/// The warning about a value that a model's grades are in.
pub fn people_warning(evaluation: &Evaluation, metric: &Metric) -> Result<Option<String>> {
    let queries = evaluation.queries().len();
    Ok(match evaluation.people(metric)? {
        People::NotNeeded => None,
        People::Sample(graded) => Some(format!(
            "a judge gave {metric} of {queries} queries, and people graded {graded} of them: the value and its interval are corrected \
             by people"
        )),
        People::TooFew(_) => Some(format!("{metric} rests on the judge alone")),
    })
}
