//! Expected reciprocal rank: `ERR`, `ERR@k`.
//!
//! The expectation of 1 / rank at which a reader who goes down the ranking is satisfied, each
//! document satisfying with probability r = (2^grade - 1) / 2^max:
//!
//! sum over the ranks i (<= k) of r_i / i * product over the ranks j < i of (1 - r_j)
//!
//! `max` is the largest grade of the scale: the largest in the collection's qrels, which is handed
//! in beside the judged ranking, or `max=`. A grade above `max=` counts as `max`. Unjudged documents
//! and negative grades satisfy nobody. From 0 to 1; 0 where max = 0.
//!
//! `nERR` is ERR over that of the ideal ranking: all the query's judged documents by grade, retrieved or not, cut at k as
//! well. From 0 to 1; 0 where no document has a grade above 0.
//!
//! Source: Chapelle et al., "Expected Reciprocal Rank for Graded Relevance", CIKM 2009. The reference
//! implementation, `gdeval`, knows max = 4 and numeric query ids only.

use super::definition::{CutoffKind, Definition};
use super::gain::power_of_two;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static ERR: Definition = Definition {
    patterns: &["ERR@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Max],
    needs: Some("grades"),
    ..Definition::new("ERR", "expected 1 / rank at which a reader is satisfied", expected_reciprocal_rank)
};

pub(super) static NERR: Definition = Definition {
    patterns: &["nERR@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Max],
    needs: Some("grades"),
    ..Definition::new("nERR", "ERR / that of the ideal ranking", normalised)
};

fn expected_reciprocal_rank(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let max = parameters.max.unwrap_or_else(|| ranking.max_grade());
    let found = ranking.top(parameters.depth()).iter();
    expected(found.map(|found| (found.rank(), found.grade)), max)
}

fn normalised(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let max = parameters.max.unwrap_or_else(|| ranking.max_grade());
    let ideal = (1..=parameters.depth()).zip(ranking.grades().iter().copied());
    match expected(ideal, max) {
        ideal if ideal > 0.0 => (expected_reciprocal_rank(ranking, parameters) / ideal).min(1.0),
        _ => 0.0,
    }
}

/// Of ranks and grades, by rank.
fn expected(ranked: impl Iterator<Item = (usize, i32)>, max: i32) -> f64 {
    let mut unsatisfied = 1.0;
    let mut expected = 0.0;
    for (rank, grade) in ranked.filter(|(_, grade)| *grade > 0) {
        let satisfies = satisfaction(grade.min(max), max);
        expected += unsatisfied * satisfies / rank as f64;
        unsatisfied *= 1.0 - satisfies;
    }
    expected.min(1.0)
}

/// (2^grade - 1) / 2^max, without forming powers that overflow.
fn satisfaction(grade: i32, max: i32) -> f64 {
    power_of_two(i64::from(grade) - i64::from(max)) - power_of_two(-i64::from(max))
}

#[cfg(test)]
mod tests {
    use crate::metric::JudgedRanking;
    use crate::metric::tests::table::{check, close};

    #[test]
    fn worked_values() {
        check(&[
            // r = 7/8, 3/8: 7/8 + 1/2 * 1/8 * 3/8; by hand
            ("ERR@10", "3 2", &[], 115.0 / 128.0),
            ("ERR@1", "3 2", &[], 0.875),
            ("ERR", "- 0 3", &[], 0.875 / 3.0),
            // r = 7/16, 3/16
            ("ERR(max=4)@10", "3 2", &[], 7.0 / 16.0 + 0.5 * 9.0 / 16.0 * 3.0 / 16.0),
            // grades above max= count as max: r = 3/4, 3/4
            ("ERR(max=2)@10", "3 2", &[], 0.75 + 0.5 * 0.25 * 0.75),
            ("ERR(max=0)@10", "3 2", &[], 0.0),
            ("ERR@10", "-1 1", &[], 0.25), // r = 1/2 at rank 2
            ("ERR@10", "0 -1", &[], 0.0),  // no positive grade, max = 0
            ("ERR@10", "", &[3], 0.0),
        ]);
    }

    #[test]
    fn the_scale_is_the_collections() {
        let ranking = JudgedRanking::sample("1", &[]);
        close("ERR@10", &ranking, 0.5);
        close("ERR@10", &ranking.with_max_grade(3), 0.125);
    }

    #[test]
    fn any_grade_gives_a_probability() {
        close("ERR@10", &JudgedRanking::sample("2147483647 5", &[]), 1.0);
        close("ERR@10", &JudgedRanking::sample("5 2147483647", &[]), 0.5);
    }
}
