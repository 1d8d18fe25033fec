//! A limit that every query has to keep: which do not, and what a clean run leaves open.

use crate::Result;
use crate::collection::Query;
use crate::evaluation::Evaluation;
use crate::gate::broken_limit;
use crate::metric::Metric;
use crate::model::Mover;
use crate::report::number::percent;
use crate::stats::Confidence;
use crate::words::{agree, counted};

/// What a limit on every query came to.
#[derive(Default)]
pub(super) struct EveryQuery {
    /// The queries that break it.
    pub breaking: Vec<Mover>,
    /// How many queries break it, or what a clean run leaves open.
    pub note: String,
}

/// Holds each query in each of its passes against the limits.
pub(super) fn every_query(
    evaluation: &Evaluation,
    metric: &Metric,
    [min, max]: [Option<f64>; 2],
    confidence: Confidence,
) -> Result<EveryQuery> {
    let mut breaking = Vec::new();
    for (query, values) in evaluation.values_of_passes(metric)?.into_iter().enumerate() {
        let broken = |value: &f64| broken_limit(*value, min, max).is_some();
        let farthest = values.iter().copied().reduce(if max.is_some() { f64::max } else { f64::min });
        if let Some(farthest) = farthest.filter(|_| values.iter().any(broken)) {
            let Query { id, text, .. } = &evaluation.queries()[query];
            breaking.push(Mover {
                query: id.clone(),
                text: text.clone(),
                before: None,
                after: farthest,
                documents: Vec::new(),
            });
        }
    }
    let answered = evaluation.queries().len() - evaluation.unanswered().len();
    let note = match (breaking.is_empty(), largest_share(answered, confidence)) {
        (false, _) => {
            let verb = agree(breaking.len(), "breaks", "break");
            format!("{} {verb} it:", counted(breaking.len(), "query", "queries"))
        }
        (true, Some(share)) => format!(
            "None of the {} with results breaks it. Up to {} of queries like these could all the same ({} confidence, \
             Clopper-Pearson).",
            counted(answered, "query", "queries"),
            percent(round_up(share)),
            percent(confidence.level())
        ),
        (true, None) => "No query has a result, so none could break it.".to_owned(),
    };
    Ok(EveryQuery { breaking, note })
}

/// A share with two significant digits, never less than it is.
fn round_up(share: f64) -> f64 {
    let digits = 10_f64.powi(1 - share.log10().floor() as i32);
    ((share * digits).ceil() / digits).min(1.0)
}

/// The largest share of queries that could break a limit although none of so many did: 1 - (1 - confidence)^(1/queries), the
/// upper end of Clopper and Pearson's one-sided interval.
fn largest_share(queries: usize, confidence: Confidence) -> Option<f64> {
    (queries > 0).then(|| -((1.0 - confidence.level()).ln() / queries as f64).exp_m1())
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
