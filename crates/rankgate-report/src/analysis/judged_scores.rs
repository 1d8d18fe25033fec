//! Scores of single queries under a model's judgments, and under people's where they judged them.

use std::collections::BTreeMap;

use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::JudgedScore;
use crate::{Result, order};

use super::judges::Judges;

/// The score of each query: by the model, in both readings of what it gave no grade, and by people, of the drawn queries of
/// which they judged all that the metric looks at.
///
/// # Errors
/// A metric that cannot be computed.
pub fn judged_scores(
    judges: &Judges,
    evaluation: &Evaluation,
    metric: &Metric,
) -> Result<BTreeMap<String, JudgedScore>> {
    let queries = evaluation.queries();
    let cutoff = metric.cutoff().unwrap_or_else(|| evaluation.depth());
    let [lowest, highest] = [&judges.by_model[0], &judges.by_model[1]]
        .map(|collection| evaluation.rejudged(collection)?.scores(metric));
    let (lowest, highest) = (lowest?, highest?);
    let is_whole = |query: &crate::collection::Query| {
        let graded = |document: &str| judges.by_people.qrels().grade(&query.id, document).is_some();
        let of_pass = |pass| evaluation.top(pass, &query.id, cutoff).into_iter().all(graded);
        judges.drawn.contains(&query.id) && (0..evaluation.passes()).all(of_pass)
    };
    let people = match evaluation.keeping(is_whole) {
        Some(drawn) => {
            let scores = drawn.rejudged(&judges.by_people)?.scores(metric)?;
            order::map(drawn.queries().iter().map(|query| query.id.clone()).zip(scores))
        }
        None => BTreeMap::new(),
    };
    let score = |((query, model), highest): ((&crate::collection::Query, f64), f64)| {
        let at_most = (highest != model).then_some(highest);
        (query.id.clone(), JudgedScore { model, at_most, people: people.get(&query.id).copied() })
    };
    Ok(order::map(queries.iter().zip(lowest).zip(highest).map(score)))
}
