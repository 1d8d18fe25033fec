//! Recall: `R@k`, `SetR` and `R_cap@k`.
//!
//! With R the relevant documents judged for the query, retrieved or not:
//!
//! - `R@k` = relevant documents in the top k / R.
//! - `SetR` = relevant documents retrieved / R.
//! - `R_cap@k` = relevant documents in the top k / min(R, k), which is 1 for the best ranking
//!   possible even where R is larger than k.
//!
//! All are fractions from 0 to 1, and 0 where R = 0. References: `trec_eval` 10, `m_recall.c`,
//! `m_set_recall.c` and `m_rel_P.c` (`relative_P`, the same as `R_cap`); Thakur et al., "BEIR",
//! NeurIPS 2021, for the name `R_cap`.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static R: Definition = Definition {
    patterns: &["R@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Rel],
    aliases: &["recall"],
    stems: &["recall"],
    ..Definition::new("R", "share of the relevant that is in the top k", recall)
};

pub(super) static SET_R: Definition = Definition {
    patterns: &["SetR"],
    parameters: &[Parameter::Rel],
    aliases: &["recall", "set_recall"],
    ..Definition::new("SetR", "share of the relevant that was retrieved", recall)
};

pub(super) static R_CAP: Definition = Definition {
    patterns: &["R_cap@k"],
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Rel],
    aliases: &["recall_cap"],
    stems: &["relative_P"],
    ..Definition::new("R_cap", "recall at k over the most that k documents can hold", capped_recall)
};

pub(super) fn recall(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    share(ranking, parameters, usize::MAX)
}

fn capped_recall(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    share(ranking, parameters, parameters.depth())
}

fn share(ranking: &JudgedRanking, parameters: &Parameters, most: usize) -> f64 {
    let rel = parameters.rel(ranking);
    match ranking.relevant(rel).min(most) {
        0 => 0.0,
        possible => ranking.hits(parameters.depth(), rel) as f64 / possible as f64,
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // all by hand
        check(&[
            ("R@1", "1 0 - 2", &[1, 1], 0.25),
            ("R@10", "1 0 - 2", &[1, 1], 0.5),
            ("R(rel=2)@3", "1 0 - 2", &[2, 1], 0.0),
            ("R(rel=2)@4", "1 0 - 2", &[2, 1], 0.5),
            ("R@4", "0 - 0", &[0, -1], 0.0), // no relevant document
            ("R@4", "", &[1], 0.0),
            ("SetR", "1 0 - 2", &[1, 1], 0.5),
            ("R_cap@2", "1 2 - 2", &[1, 1], 1.0), // R@2 is 2/5
            ("R_cap@4", "1 2 - 2", &[1, 1], 0.75),
            ("R_cap@10", "1 2 - 2", &[1, 1], 0.6), // as R@10
            ("R_cap@10", "0", &[], 0.0),
        ]);
    }
}
