//! Limits of comparisons that no run can break.

use crate::metric::Metric;
use crate::model::Warning;
use crate::stats::{Expectation, ROUNDING};

/// What to say where an expectation puts up with all that any run could lose against a baseline of this mean.
pub(super) fn cannot_fail(
    expectation: &Expectation,
    metric: &Metric,
    (baseline, mean): (&str, f64),
) -> Option<Warning> {
    let (low, high) = metric.range().into_inner();
    let (lost, gained) = (mean - low, high - mean);
    let (limit, most) = match *expectation {
        Expectation::NoRegression { margin } => (margin, lost),
        Expectation::NonInferiority { margin } => (margin, lost),
        Expectation::Equivalence { margin } => (margin, lost.max(gained)),
        Expectation::Improvement { .. } => return None,
    };
    (limit >= most - ROUNDING).then(|| {
        let text = format!("this is no gate: no run can be more than {most:.4} worse than {baseline}, and {limit} is put up with");
        Warning::new("cannot-fail", text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_no_gate_where_it_is_all_that_a_baseline_scores() {
        let metric: Metric = "nDCG@10".parse().unwrap();
        let most = |expectation, mean| {
            let text = cannot_fail(&expectation, &metric, ("old", mean))?.text;
            text.split(' ')
                .find_map(|word| word.strip_prefix("0.")?.parse().ok().map(|digits: f64| digits / 1e4))
        };
        let no_regression = |margin| Expectation::NoRegression { margin };
        assert_eq!(most(no_regression(0.9), 0.5), Some(0.5));
        assert_eq!(most(no_regression(0.5), 0.5), Some(0.5));
        assert_eq!(most(no_regression(0.49), 0.5), None);
        // Nothing is worse than nothing.
        assert_eq!(most(no_regression(0.0), 0.0), Some(0.0));
        assert_eq!(most(Expectation::NonInferiority { margin: 0.3 }, 0.25), Some(0.25));
        assert_eq!(most(Expectation::Equivalence { margin: 0.3 }, 0.25), None);
        assert_eq!(most(Expectation::Equivalence { margin: 0.8 }, 0.25), Some(0.75));
        assert_eq!(most(Expectation::Improvement { margin: 0.0 }, 0.0), None);
    }
}
