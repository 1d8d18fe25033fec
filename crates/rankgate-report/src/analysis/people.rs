//! How far people stand behind a value that a model's grades are in.

use crate::evaluation::{Evaluation, People};
use crate::metric::Metric;
use crate::scores::LEAST_PEOPLE;
use crate::{Error, Result};

/// Refuses a limit on a value that people do not correct.
pub fn check_people(evaluation: &Evaluation, metric: &Metric) -> Result<()> {
    let People::TooFew(graded) = evaluation.people(metric)? else { return Ok(()) };
    Err(Error::invalid(format!(
        "{metric} rests on a judge alone, and a limit on that can only advise: write `level: advisory` beside it, compare two \
         configurations, or let people grade {LEAST_PEOPLE} drawn queries, who have graded {graded} (`rankgate judge sample`)"
    )))
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
