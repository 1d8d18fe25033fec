//! Reciprocal rank: `RR`, `RR@k`.
//!
//! 1 / rank of the first relevant document, from 0 to 1; 0 if none was retrieved within the cutoff.
//! Its mean over queries is MRR.
//!
//! Sources: Kantor & Voorhees, "The TREC-5 Confusion Track", Information Retrieval 2, 2000;
//! `trec_eval` 10, `m_recip_rank.c`.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static RR: Definition = Definition {
    patterns: &["RR", "RR@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Rel],
    aliases: &["mrr", "recip_rank", "reciprocal_rank"],
    ..Definition::new("RR", "1 / rank of the first relevant document", reciprocal_rank)
};

fn reciprocal_rank(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    match ranking.first_relevant_rank(parameters.rel(ranking)) {
        Some(rank) if rank <= parameters.depth() => 1.0 / rank as f64,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            ("RR", "0 - -1 1 2", &[], 0.25),
            ("RR@4", "0 - -1 1 2", &[], 0.25),
            ("RR@3", "0 - -1 1 2", &[], 0.0),
            ("RR(rel=2)", "0 - -1 1 2", &[], 0.2),
            ("RR", "2", &[], 1.0),
            ("RR", "0 0", &[1], 0.0),
            ("RR", "", &[1], 0.0),
        ]);
    }
}
