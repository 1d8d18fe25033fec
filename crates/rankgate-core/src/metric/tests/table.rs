//! What the tables of worked values in the metrics' files share.

use crate::metric::{JudgedRanking, Metric};

/// Checks rows of metric, ranking, grades that were not retrieved, expected value; see
/// [`JudgedRanking::sample`] for how a ranking is written.
pub(in crate::metric) fn check(rows: &[(&str, &str, &[i32], f64)]) {
    for (metric, ranked, missed, expected) in rows {
        close(metric, &JudgedRanking::sample(ranked, missed), *expected);
    }
}

/// Checks one value to a relative error of 1e-12. A value of 0 is exact, and never -0.
pub(in crate::metric) fn close(metric: &str, ranking: &JudgedRanking, expected: f64) {
    let value = metric.parse::<Metric>().unwrap().compute(ranking);
    let near = (value - expected).abs() <= 1e-12 * expected.abs();
    assert!(near && value.is_sign_positive(), "{metric} of {ranking:?} is {value}, not {expected}");
}
