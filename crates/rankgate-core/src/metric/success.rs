//! `Success@k`, also known as hit rate.
//!
//! 1 if any relevant document is in the top k, else 0. Reference: `trec_eval` 10, `m_success.c`.

use super::definition::{CutoffKind, Definition, Values};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static SUCCESS: Definition = Definition {
    patterns: &["Success@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Rel],
    aliases: &["hit_rate", "hit", "hr"],
    stems: &["success"],
    values: Values::ZeroOrOne,
    ..Definition::new("Success", "1 if a relevant document is in the top k, else 0", success)
};

fn success(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    match ranking.first_relevant_rank(parameters.rel(ranking)) {
        Some(rank) if rank <= parameters.depth() => 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            ("Success@2", "0 - 1 2", &[], 0.0),
            ("Success@3", "0 - 1 2", &[], 1.0),
            ("Success@10", "0 - 1 2", &[], 1.0),
            ("Success(rel=2)@3", "0 - 1 2", &[], 0.0),
            ("Success@10", "", &[1], 0.0),
        ]);
    }
}
