//! Precision: `P@k` and `SetP`.
//!
//! - `P@k` = relevant documents in the top k / k. It divides by k even when fewer were retrieved.
//! - `SetP` = relevant documents retrieved / documents retrieved; 0 when nothing was retrieved.
//!
//! Both are fractions from 0 to 1. Reference: `trec_eval` 10, `m_P.c` and `m_set_P.c`.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static P: Definition = Definition {
    patterns: &["P@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Rel],
    aliases: &["precision"],
    stems: &["P"],
    ..Definition::new("P", "relevant share of the top k", precision)
};

pub(super) static SET_P: Definition = Definition {
    is_of_length: true,
    patterns: &["SetP"],
    parameters: &[Parameter::Rel],
    aliases: &["precision", "set_P"],
    ..Definition::new("SetP", "relevant share of all retrieved", set_precision)
};

pub(super) fn precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let k = parameters.depth();
    ranking.hits(k, parameters.rel(ranking)) as f64 / k as f64
}

pub(super) fn set_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    if ranking.is_empty() {
        return 0.0;
    }
    ranking.hits(ranking.len(), parameters.rel(ranking)) as f64 / ranking.len() as f64
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // all by hand
        check(&[
            ("P@1", "1 0 - 2", &[1], 1.0),
            ("P@3", "1 0 - 2", &[1], 1.0 / 3.0),
            ("P@4", "1 0 - 2", &[1], 0.5),
            ("P@10", "1 0 - 2", &[1], 0.2), // four retrieved, still out of ten
            ("P(rel=2)@4", "1 0 - 2", &[1], 0.25),
            ("P(rel=0)@4", "1 0 - 2", &[1], 0.75),
            ("P@5", "", &[1], 0.0),
            ("P@5", "0 -1", &[], 0.0),
            ("SetP", "1 0 - 2", &[1], 0.5),
            ("SetP(rel=3)", "1 0 - 2", &[1], 0.0),
            ("SetP", "", &[1], 0.0),
        ]);
    }
}
