//! Discounted cumulative gain and its normalised form: `nDCG`, `nDCG@k`, `DCG@k`.
//!
//! - `DCG` = sum over the ranks i (<= k) of gain_i / log2(i + 1). The gain is the grade, or with
//!   `gain=exp2` 2^grade - 1; unjudged documents and negative grades gain 0. At least 0, unbounded.
//! - `nDCG` = DCG / ideal DCG, from 0 to 1. The ideal ranks all judged documents of positive grade,
//!   retrieved or not, by descending grade, and is cut at the same k. Where the ideal is 0, nDCG is 0.
//!
//! Both ignore the benchmark's lowest relevant grade. Only a `rel` written on them counts: grades
//! below it gain 0 in the ranking and in the ideal.
//!
//! Sources: Järvelin & Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques", ACM TOIS 20,
//! 2002; Burges et al., "Learning to Rank Using Gradient Descent", ICML 2005, for the exponential
//! gain; `trec_eval` 10, `m_ndcg.c` and `m_ndcg_cut.c`, whose discount is 1 at the first rank as here.

use super::definition::{CutoffKind, Definition, Values};
use super::gain::{discount, power_of_two};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static NDCG: Definition = Definition {
    patterns: &["nDCG", "nDCG@k", "nDCG(gain=exp2)@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Gain, Parameter::Rel],
    stems: &["ndcg_cut"],
    needs: Some("grades"),
    ..Definition::new("nDCG", "discounted gain over that of the ideal ranking", ndcg)
};

pub(super) static DCG: Definition = Definition {
    patterns: &["DCG@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Gain, Parameter::Rel],
    stems: &["dcg"],
    needs: Some("grades"),
    values: Values::UNBOUNDED,
    ..Definition::new("DCG", "discounted gain", dcg)
};

fn ndcg(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let ideal = ranking.ideal(parameters.gain, parameters.gains_from(), parameters.depth());
    if ideal == 0.0 {
        return 0.0;
    }
    // Rounding can leave a nearly ideal ranking one unit in the last place above the ideal.
    (scaled_dcg(ranking, parameters) / ideal).min(1.0)
}

/// DCG of the ranking.
fn dcg(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    scaled_dcg(ranking, parameters) * scale(ranking, parameters)
}

fn scale(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    power_of_two(parameters.gain.scale(ranking.best_grade()).into())
}

fn scaled_dcg(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let (gain, scale) = (parameters.gain, parameters.gain.scale(ranking.best_grade()));
    let from = parameters.gains_from().max(1);
    let mut sum = 0.0;
    for found in ranking.top(parameters.depth()).iter().filter(|found| found.grade >= from) {
        sum += gain.for_grade(found.grade, scale) / discount(found.rank());
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::metric::tests::table::{check, close};

    #[test]
    fn worked_values() {
        let l3 = 3f64.log2();
        check(&[
            // 3 + 2/2 + 1/log2(6) over 3 + 2/log2(3) + 1/2; by hand
            ("nDCG@5", "3 0 2 0 1", &[], (4.0 + 1.0 / 6f64.log2()) / (3.5 + 2.0 / l3)),
            ("DCG@5", "3 0 2 0 1", &[], 4.0 + 1.0 / 6f64.log2()),
            ("DCG@2", "3 0 2 0 1", &[], 3.0),
            ("nDCG@2", "1 2", &[], (1.0 + 2.0 / l3) / (2.0 + 1.0 / l3)),
            ("nDCG@2", "1 -", &[2, 2], 1.0 / (2.0 + 2.0 / l3)), // the ideal is of what was judged
            ("nDCG", "1", &[1, 1], 1.0 / (1.5 + 1.0 / l3)),     // and is not cut at what was retrieved
            ("nDCG", "2 1 - 0", &[], 1.0),
            ("nDCG", "-2 1", &[-1], 1.0 / l3), // negative grades gain nothing
            ("nDCG(rel=2)", "1 2", &[1, 2], (2.0 / l3) / (2.0 + 2.0 / l3)),
            ("nDCG(gain=exp2, rel=2)@5", "1 2 3", &[], (3.0 / l3 + 3.5) / (7.0 + 3.0 / l3)),
            ("nDCG(rel=4)", "1 2 3", &[], 0.0),
            ("nDCG", "0 -1", &[0], 0.0),
            ("nDCG@10", "", &[1], 0.0),
            ("DCG", "", &[1], 0.0),
        ]);
    }

    #[test]
    fn numbers_that_teaching_material_gets_wrong() {
        // metric, ranking, value to three decimals by hand, and the value to be found in print
        for (metric, ranked, expected, wrong) in [
            ("DCG(gain=exp2)@5", "3 2 0 1 2", 10.484, "-"),
            ("DCG(gain=exp2)@5", "3 2 2 1 0", 10.823, "-"), // the ideal
            ("nDCG(gain=exp2)@5", "3 2 0 1 2", 0.969, "1.0"),
            ("nDCG@5", "3 0 2 0 1", 0.921, "0.876"),
            ("nDCG(gain=exp2)@5", "3 0 2 0 1", 0.946, "0.876"),
        ] {
            let value = metric.parse::<Metric>().unwrap().compute(&JudgedRanking::sample(ranked, &[]));
            assert!((value - expected).abs() < 0.0005, "{metric} of {ranked} is {value}, not {wrong}");
        }
    }

    #[test]
    fn the_benchmarks_lowest_relevant_grade_does_not_change_gains() {
        let ranking = JudgedRanking::sample("1 2", &[]);
        let metric: Metric = "nDCG".parse().unwrap();
        assert_eq!(metric.compute(&ranking.clone().with_relevant_from(2)), metric.compute(&ranking));
    }

    #[test]
    fn grades_too_large_for_an_exponential_gain_still_compare() {
        // the gains are as 1 to 1/2, whatever the power of two they are multiplied by
        let l3 = 3f64.log2();
        close(
            "nDCG(gain=exp2)",
            &JudgedRanking::sample("4999 5000", &[]),
            (0.5 + 1.0 / l3) / (1.0 + 0.5 / l3),
        );
        close("nDCG(gain=exp2)", &JudgedRanking::sample("2147483647", &[]), 1.0);
        // 2^1000 - 1, which is 2^1000 to all digits
        let exponential: Metric = "DCG(gain=exp2)".parse().unwrap();
        assert_eq!(exponential.compute(&JudgedRanking::sample("1000", &[])), 2f64.powi(1000));
    }
}
