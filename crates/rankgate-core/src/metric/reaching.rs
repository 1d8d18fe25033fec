//! The share of queries that reach a value: `nDCG@10>=0.5`.

use super::metric::Metric;
use crate::error::Quoted;
use crate::{Error, Result};

/// What parts the metric from the value that a query has to reach.
pub(super) const SIGN: &str = ">=";
/// How far below the value a score may be: a mean of fractions misses what it is by less, and what is typed by none.
const ROUNDING: f64 = 1e-9;

/// # Errors
/// A value that every query reaches, or that none can; a metric that is such a share itself.
pub(super) fn check(metric: &Metric, at_least: f64) -> Result<()> {
    let range = metric.range();
    if metric.at_least.is_some() {
        return Err(Error::invalid(format!(
            "{metric} is 0 or 1 for a query: a second value says nothing more"
        )));
    }
    // Also what is not a number.
    if !(at_least > *range.start() && at_least <= *range.end() && at_least.is_finite()) {
        let (low, high) = (range.start(), range.end());
        let message =
            format!("{metric}{SIGN}{at_least}: a value above {low} and at most {high} was expected");
        return Err(Error::invalid(message));
    }
    Ok(())
}

/// A number that sorts as the value does.
pub(super) fn sort_key(at_least: f64) -> u64 {
    let bits = at_least.to_bits();
    if at_least.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

/// 1 where a score reaches the value, else 0. A score that is no number stays what it is, so that it is refused.
pub(super) fn indicator(score: f64, at_least: f64) -> f64 {
    if score.is_nan() { score } else { f64::from(score >= at_least - ROUNDING) }
}

/// `nDCG@10>=0.5` as the metric's name and the value; `None` where no value is written.
///
/// # Errors
/// A value that is no number.
pub(super) fn split(text: &str) -> Result<Option<(&str, f64)>> {
    let Some((metric, value)) = text.split_once(SIGN) else { return Ok(None) };
    match value.trim().parse() {
        Ok(value) => Ok(Some((metric.trim(), value))),
        Err(_) => {
            Err(Error::invalid(format!("metric {}: {} is no number", Quoted(text), Quoted(value.trim()))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::judged_ranking::JudgedRanking;
    use super::super::registry::MetricRegistry;
    use super::*;

    fn metric(text: &str) -> Metric {
        text.parse().unwrap()
    }

    #[test]
    fn a_query_counts_where_it_reaches_the_value() {
        // Of three relevant documents the first two ranks hold none, one, two: R@2 is 0, 1/3 and 2/3.
        let ranking = |grades: [i32; 2]| JudgedRanking::new(grades.map(Some).to_vec(), vec![1, 1, 1]);
        let scores = |name: &str| {
            [[0, 0], [0, 1], [1, 1]].map(|grades| metric(name).try_compute(&ranking(grades)).unwrap())
        };
        assert_eq!(scores("R@2>=0.5"), [0.0, 0.0, 1.0]);
        assert_eq!(scores("R@2>=0.3333333333"), [0.0, 1.0, 1.0], "a third, as far as it was typed");
        assert_eq!(scores("R@2>=0.334"), [0.0, 0.0, 1.0]);
        // A count reaches what is no share, and is a share itself.
        assert_eq!(scores("num_ret >= 2"), [1.0, 1.0, 1.0]);
        assert_eq!(scores("num_ret>=3"), [0.0, 0.0, 0.0]);
        let count = metric("num_ret>=2");
        assert!(!count.is_count() && count.is_binary() && !count.is_best_high() && !count.needs_relevance());
    }

    #[test]
    fn it_is_named_sorted_and_compared_by_metric_and_value() {
        assert_eq!(metric(" ndcg_cut_10 >= .50 ").to_string(), "nDCG@10>=0.5");
        assert_eq!(metric("nDCG@10>=0.5"), metric("ndcg@10>=5e-1"));
        assert!(metric("nDCG@10") < metric("nDCG@10>=0.5"), "beside the metric itself");
        assert!(
            metric("nDCG@10>=0.5") < metric("nDCG@10>=0.75")
                && metric("nDCG@10>=0.75") < metric("AP>=0.1").max(metric("RBP"))
        );
        let reached = metric("RR(rel=2)@10>=0.5");
        assert_eq!((reached.cutoff(), reached.range(), reached.is_best_high()), (Some(10), 0.0..=1.0, true));
        assert_eq!((reached.base().to_string().as_str(), reached.at_least), ("RR(rel=2)@10", Some(0.5)));
    }

    #[test]
    fn a_metric_of_ones_own_may_be_reached_as_well() {
        let mut metrics = MetricRegistry::new();
        metrics
            .register(Metric::custom("Clicks@3", 0.0..=30.0, |ranking| ranking.len() as f64 * 10.0).unwrap())
            .unwrap();
        let reached = metrics.parse("clicks@3>=20").unwrap();
        assert_eq!((reached.to_string().as_str(), reached.definition().is_none()), ("Clicks@3>=20", true));
        let two = JudgedRanking::new(vec![Some(1), None], vec![1]);
        assert_eq!(reached.try_compute(&two).unwrap(), 1.0);
        // What leaves its range is an error and no miss.
        let four = JudgedRanking::new(vec![None; 4], vec![1]);
        assert!(reached.try_compute(&four).unwrap_err().to_string().contains("Clicks@3 is 40"));
    }

    #[test]
    fn what_no_query_or_each_one_reaches_is_refused() {
        for (text, expected) in [
            ("nDCG@10>=0", "a value above 0 and at most 1"),
            ("nDCG@10>=1.5", "a value above 0 and at most 1"),
            ("nDCG@10>=NaN", "a value above 0 and at most 1"),
            ("num_ret>=inf", "a value above 0"),
            ("nDCG@10>=half", "`half` is no number"),
            ("nDCG@10>=", "`` is no number"),
            ("nDCG@10>=0.5>=0.5", "is no number"),
            ("nDGC@10>=0.5", "did you mean `nDCG@10`"),
            (">=0.5", "expected a name"),
        ] {
            let error = text.parse::<Metric>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
