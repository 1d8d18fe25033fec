//! A limit that every query has to keep: which do not, by which documents, and what a clean run leaves open.

use super::movers::counted_moves;
use crate::Result;
use crate::evaluation::{Estimate, Evaluation};
use crate::gate::broken_limit;
use crate::metric::Metric;
use crate::model::{DocumentMove, EveryQueryReport, Mover};
use crate::order::SmallMap;
use crate::stats::Confidence;

/// Holds each query in each of its passes against the limits; `None` where there is no query.
pub(super) fn every_query(
    evaluation: &Evaluation,
    metric: &Metric,
    estimate: &Estimate,
    [min, max]: [Option<f64>; 2],
    confidence: Confidence,
) -> Result<Option<EveryQueryReport>> {
    let Some(worst) = estimate.worst(max) else { return Ok(None) };
    let mut breaking = Vec::new();
    for (query, values) in evaluation.values_of_passes(metric)?.into_iter().enumerate() {
        let broken = |value: &f64| broken_limit(*value, min, max).is_some();
        if values.iter().any(broken) {
            let farthest = values.iter().copied().reduce(if max.is_some() { f64::max } else { f64::min });
            breaking.push(mover(evaluation, metric, query, farthest.unwrap_or(worst))?);
        }
    }
    let answered = evaluation.queries().len() - evaluation.unanswered().len();
    let attribute = metric.requirements().attribute;
    Ok(Some(EveryQueryReport {
        worst,
        answered,
        largest_share: breaking.is_empty().then(|| largest_share(answered, confidence)).flatten(),
        attribute: attribute.and_then(|name| Some(evaluation.collection().attribute(name).ok()?.to_string())),
        queries: breaking,
    }))
}

/// The largest share of queries that could break a limit although none of so many did: 1 - (1 - confidence)^(1/queries), the
/// upper end of Clopper and Pearson's one-sided interval.
fn largest_share(queries: usize, confidence: Confidence) -> Option<f64> {
    (queries > 0).then(|| -((1.0 - confidence.level()).ln() / queries as f64).exp_m1())
}

/// A query with every document that is counted in any of its passes, at its best rank.
fn mover(evaluation: &Evaluation, metric: &Metric, query: usize, after: f64) -> Result<Mover> {
    let mut documents: SmallMap<String, DocumentMove> = SmallMap::default();
    for pass in 0..evaluation.passes() {
        for moved in counted_moves(evaluation, metric, pass, query)? {
            let known = documents.get_or_insert_with(moved.document.clone(), || moved.clone());
            known.to = known.to.min(moved.to);
        }
    }
    let mut documents = Vec::from_iter(documents.into_iter().map(|(_, moved)| moved));
    crate::order::sort_by(&mut documents, |a, b| a.to.cmp(&b.to));
    let asked = &evaluation.queries()[query];
    Ok(Mover {
        query: asked.id.clone(),
        text: asked.text.clone(),
        metadata: evaluation.compared_metadata(metric, query),
        before: None,
        after,
        documents,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_run_leaves_a_share_open() {
        // 1 - .05^(1/n), with Python's decimal to 30 digits; the rule of three says 3/n.
        let confidence = Confidence::default();
        for (queries, expected) in [
            (1, 0.95),
            (10, 0.258_865_550_893_052_3),
            (59, 0.049_507_609_888_226_95),
            (1000, 0.002_991_249_545_095_296),
        ] {
            let share = largest_share(queries, confidence).unwrap();
            assert!((share - expected).abs() < 1e-12, "{queries}: {share}");
        }
        assert_eq!(largest_share(0, confidence), None);
    }
}
