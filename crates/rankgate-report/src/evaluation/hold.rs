//! Whether an estimate keeps its limits.

use crate::gate::{Bound, Verdict, broken_limit, deciding_value};

use super::Estimate;

/// Whether an estimate keeps its limits.
///
/// Limits compare with the value, or one end of its interval; where there is no interval nothing
/// is decided.
pub fn hold(bound: Bound, estimate: &Estimate, min: Option<f64>, max: Option<f64>) -> Verdict {
    match deciding_value(bound, estimate.value, estimate.limits(), estimate.worst(max))
        .map(|held| broken_limit(held, min, max))
    {
        None => Verdict::Inconclusive,
        Some(None) => Verdict::Passed,
        Some(Some(_)) => Verdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::stats::Confidence;

    fn estimate(scores: &[f64]) -> Estimate {
        let metric: Metric = "nDCG@10".parse().unwrap();
        Estimate::new(&metric, scores, None, Confidence::default()).unwrap()
    }

    #[test]
    fn a_limit_is_kept_by_the_number_it_is_about() {
        // With one more query at 0, or at 1, these leave [0.2300, 0.8544]: `unseen_query` of tests/peers/differential.py.
        let spread = estimate(&[0.4, 0.5, 0.7, 0.8]);
        let single = Estimate::new(&"DCG@10".parse().unwrap(), &[0.6], None, Confidence::default()).unwrap();
        use Bound::{Lower, Mean, Upper};
        for (estimate, bound, min, max, expected) in [
            (&spread, Mean, Some(0.6), None, Verdict::Passed),
            (&spread, Mean, Some(0.61), None, Verdict::Failed),
            (&spread, Mean, None, Some(0.6), Verdict::Passed),
            (&spread, Mean, None, Some(0.59), Verdict::Failed),
            (&spread, Mean, Some(0.5), Some(0.59), Verdict::Failed),
            (&spread, Lower, Some(0.2301), None, Verdict::Failed),
            (&spread, Lower, Some(0.23), None, Verdict::Passed),
            (&spread, Upper, None, Some(0.8543), Verdict::Failed),
            (&spread, Upper, None, Some(0.8544), Verdict::Passed),
            // 0.1 and 0.7 are 0.39999999999999997 on the average of floats; 0.4 by hand.
            (&estimate(&[0.1, 0.7]), Mean, Some(0.4), None, Verdict::Passed),
            (&single, Lower, Some(0.0), None, Verdict::Inconclusive),
            (&single, Mean, Some(0.6), None, Verdict::Passed),
            (&single, Mean, Some(f64::NAN), None, Verdict::Failed),
        ] {
            assert_eq!(hold(bound, estimate, min, max), expected, "{bound} {min:?} {max:?}");
        }
    }
}
