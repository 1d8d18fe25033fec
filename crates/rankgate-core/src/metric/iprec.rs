//! Interpolated precision at a level of recall: `IPrec@recall`.
//!
//! The largest precision at any rank where recall has reached the level: with c = x R rounded to the
//! nearest integer (halves up), the maximum of i / rank_i over the retrieved relevant documents from
//! the c-th on; 0 if fewer than c were retrieved. The level x is from 0 to 1. From 0 to 1; 0 where
//! R = 0.
//!
//! Source: `trec_eval` 10, `m_iprec_at_recall.c`. Version 9, and with it `pytrec_eval`, rounds up
//! from a tenth, c = floor(x R + 0.9), and gives other values.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static IPREC: Definition = Definition {
    patterns: &["IPrec@recall"],
    at: CutoffKind::Recall,
    parameters: &[Parameter::Rel],
    stems: &["iprec_at_recall"],
    ..Definition::new("IPrec", "best precision from a level of recall on", interpolated_precision)
};

fn interpolated_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let rel = parameters.rel(ranking);
    let from = (parameters.recall.get() * ranking.relevant(rel) as f64).round() as usize;
    let precisions = (1..).zip(ranking.relevant_ranks(rel)).map(|(hits, rank)| f64::from(hits) / rank as f64);
    precisions.skip(from.saturating_sub(1)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // relevant at ranks 2, 3, 8 of R = 5: precision 1/2, 2/3, 3/8; by hand
        let ranked = "- 1 1 0 0 - - 2";
        check(&[
            ("IPrec@0", ranked, &[1, 1], 2.0 / 3.0),
            ("IPrec@0.2", ranked, &[1, 1], 2.0 / 3.0),
            ("IPrec@0.4", ranked, &[1, 1], 2.0 / 3.0),
            ("IPrec@0.49", ranked, &[1, 1], 2.0 / 3.0), // 2.45 rounds to 2, where version 9 took 3
            ("IPrec@0.5", ranked, &[1, 1], 0.375),      // 2.5 rounds to 3
            ("IPrec@0.6", ranked, &[1, 1], 0.375),
            ("IPrec@0.7", ranked, &[1, 1], 0.0), // 3.5 rounds to 4, and 3 were retrieved
            ("IPrec@1", ranked, &[1, 1], 0.0),
            ("IPrec(rel=2)@1", ranked, &[1, 1], 0.125),
            ("IPrec@0", "0", &[], 0.0),
            ("IPrec@0", "", &[1], 0.0),
        ]);
    }
}
