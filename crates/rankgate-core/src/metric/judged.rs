//! `Judged@k`: how much of what was retrieved is known.
//!
//! Judged documents in the top k, over min(k, n), n being the number of documents retrieved; 0 when
//! n = 0. From 0 to 1. A negative grade is a judgment, as in `ir_measures`, whose name this is.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::Parameters;
use super::requirements::Requirements;

pub(super) static JUDGED: Definition = Definition {
    patterns: &["Judged@k"],
    at: CutoffKind::OptionalCutoff,
    requirements: Requirements::NONE,
    ..Definition::new("Judged", "judged share of the retrieved top k", judged_share)
};

fn judged_share(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    match parameters.depth().min(ranking.len()) {
        0 => 0.0,
        k => ranking.judged_at(k) as f64 / k as f64,
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            ("Judged@2", "1 - 0 -1", &[2], 0.5),
            ("Judged@3", "1 - 0 -1", &[2], 2.0 / 3.0),
            ("Judged@10", "1 - 0 -1", &[2], 0.75), // of the four retrieved
            ("Judged@10", "0 0", &[], 1.0),
            ("Judged@10", "", &[1], 0.0),
        ]);
    }
}
