//! Rank-biased precision: `RBP(p=0.8)`, `RBP(p=0.8)@k`, and its residual.
//!
//! RBP = (1 - p) * sum over the ranks i of a relevant document of p^(i - 1), where the persistence p
//! (between 0 and 1, exclusive) is the probability that a reader goes on to the next rank. From 0 to 1.
//! Relevance is binary, as `ir_measures` has it where it says `rel`.
//!
//! Unjudged documents count as not relevant; the residual is how much larger RBP could be if they, and
//! everything below the end of the ranking, were as relevant as can be:
//!
//! p^n + (1 - p) * sum over the unjudged ranks i <= n of p^(i - 1), n = documents retrieved, or the
//! cutoff where that is smaller
//!
//! Negative grades are unjudged. Where p is not written it is 0.8, as in `ir_measures`; `trec_eval`
//! takes 0.9, so that reports always show it.
//!
//! Source: Moffat & Zobel, "Rank-Biased Precision for Measurement of Retrieval Effectiveness", ACM
//! TOIS 27, 2008. `trec_eval` 10 is no reference here: `m_rbp.c` compares with variables it never set.

use super::definition::{CutoffKind, Definition, Suffix};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static RBP: Definition = Definition {
    patterns: &["RBP(p=0.8)", "RBP(p=0.8)@k"],
    at: CutoffKind::OptionalCutoff,
    parameters: &[Parameter::Persistence, Parameter::Rel],
    stems: &["rbp"],
    suffix: Suffix::Persistence,
    residual: Some(residual),
    ..Definition::new(
        "RBP",
        "relevance seen by a reader who goes on to the next rank with probability p",
        rank_biased_precision,
    )
};

fn rank_biased_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let p = parameters.persistence.get();
    let from = parameters.rel(ranking).max(0);
    let (mut above, mut reached, mut sum) = (1, 1.0, 0.0);
    for found in ranking.top(parameters.depth()).iter().filter(|found| found.grade >= from) {
        for _ in above..found.rank() {
            reached *= p;
        }
        above = found.rank();
        sum += reached;
    }
    ((1.0 - p) * sum).min(1.0)
}

/// How much unjudged documents could add.
pub(super) fn residual(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let p = parameters.persistence.get();
    let end = parameters.depth().min(ranking.len());
    let mut judged =
        ranking.top(end).iter().filter(|found| found.grade >= 0).map(|found| found.rank()).peekable();
    let mut reached = 1.0;
    let mut unjudged = 0.0;
    for rank in 1..=end {
        if judged.next_if_eq(&rank).is_none() {
            unjudged += reached;
        }
        reached *= p;
    }
    (reached + (1.0 - p) * unjudged).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // by hand: at p = 1/2 the ranks weigh 1/2, 1/4, 1/8, ...
        check(&[
            ("RBP(p=0.5)", "1 0 2 -", &[1], 0.625),
            ("RBP(p=0.5)@2", "1 0 2 -", &[1], 0.5),
            ("RBP(p=0.5, rel=2)", "1 0 2 -", &[1], 0.125),
            ("RBP", "- 1", &[], 0.16), // 0.2 * 0.8
            ("rbp.80", "- 1", &[], 0.16),
            ("RBP(p=0.9)", "", &[1], 0.0),
            ("RBP(p=0.9)", "0 0", &[], 0.0),
        ]);
    }

    #[test]
    fn a_persistence_is_between_0_and_1() {
        for name in ["RBP(p=0)", "RBP(p=0.0)", "RBP(p=1)", "RBP(p=1.5)"] {
            assert!(name.parse::<Metric>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_residual_is_the_weight_of_what_is_not_known() {
        // by hand, at p = 1/2
        for (metric, ranked, expected) in [
            ("RBP(p=0.5)", "", 1.0),             // nothing is known
            ("RBP(p=0.5)", "- - -", 1.0),        // nothing is known either
            ("RBP(p=0.5)", "1 0", 0.25),         // all but what comes after
            ("RBP(p=0.5)", "1 - 0 -1", 0.375),   // 1/4 + 1/16 + 1/16 after
            ("RBP(p=0.5)@2", "1 - 0 -1", 0.5),   // 1/4 + 1/4 after
            ("RBP(p=0.5)@9", "1 - 0 -1", 0.375), // cut beyond the end
        ] {
            let metric: Metric = metric.parse().unwrap();
            let signals = metric.signals(&JudgedRanking::sample(ranked, &[]));
            assert_eq!(signals.residual, Some(expected), "{metric} of {ranked:?}");
        }
    }
}
