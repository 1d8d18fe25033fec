//! Rank-biased precision: `RBP(p=0.8)`, `RBP(p=0.8)@k`, `RBP(p=0.8,gain=linear)`, and its residual.
//!
//! RBP = (1 - p) * sum over the ranks i of a relevant document of p^(i - 1), where the persistence p
//! (between 0 and 1, exclusive) is the probability that a reader goes on to the next rank. From 0 to 1.
//! Relevance is binary, as `ir_measures` has it where it says `rel`. With `gain=linear` or `gain=exp2` each
//! rank counts by its document's gain as a share of the largest: grade / max, or (2^grade - 1) / (2^max - 1),
//! where `max` is that of ERR: the largest grade of the collection's qrels, or `max=`, above which grades
//! count as `max`. The lowest grade that gains anything is then 1, or `rel=`. Moffat & Zobel allow any
//! relevance from 0 to 1; the shares are those of NTCIREVAL.
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

pub(super) static RBP: Definition = Definition::new(
    "RBP",
    "relevance seen by a reader who goes on to the next rank with probability p",
    rank_biased_precision,
)
.written(&["RBP(p=0.8)", "RBP(p=0.8)@k", "RBP(p=0.8,gain=linear)"])
.at(CutoffKind::OptionalCutoff)
.parameters(&[Parameter::Persistence, Parameter::Graded, Parameter::Max, Parameter::Rel])
.stems(&["rbp"], Suffix::Persistence)
.with_residual(residual);

fn rank_biased_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let p = parameters.persistence();
    let max = parameters.max.unwrap_or_else(|| ranking.max_grade());
    let (from, gain) = match parameters.graded {
        None => (parameters.rel(ranking).max(0), None),
        Some(gain) => (parameters.gains_from(), Some(gain)),
    };
    let (mut above, mut reached, mut sum) = (1, 1.0, 0.0);
    for found in ranking.top(parameters.depth()).iter().filter(|found| found.grade >= from) {
        for _ in above..found.rank() {
            reached *= p;
        }
        above = found.rank();
        sum += gain.map_or(reached, |gain| reached * gain.share(found.grade, max));
    }
    ((1.0 - p) * sum).min(1.0)
}

/// How much unjudged documents could add.
pub(super) fn residual(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let p = parameters.persistence();
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
    use crate::metric::tests::table::{check, close};

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
    fn graded_documents_count_by_their_share_of_the_best_grade() {
        // by hand: at p = 1/2 the ranks weigh 1/2, 1/4, 1/8, ...
        check(&[
            ("RBP(p=0.5,gain=linear)", "1 0 2 -", &[1], 0.375),
            ("RBP(p=0.5,gain=linear)@2", "1 0 2 -", &[1], 0.25),
            ("RBP(p=0.5,gain=linear)", "1 2", &[4], 0.25), // the scale is of what was judged
            ("RBP(p=0.5,gain=linear,max=4)", "1 2", &[], 0.25),
            ("RBP(p=0.5,gain=linear,max=1)", "1 2", &[], 0.75),
            ("RBP(p=0.5,gain=linear,max=0)", "1 2", &[], 0.0),
            ("RBP(p=0.5,gain=linear,rel=2)", "1 2", &[], 0.25),
            ("RBP(p=0.5,gain=linear,rel=0)", "0 -1", &[2], 0.0),
            ("RBP(p=0.5,gain=exp2)", "3 1", &[], 0.5 + 0.25 / 7.0),
            ("RBP(p=0.5,gain=exp2)", "", &[3], 0.0),
        ]);
        let ranking = JudgedRanking::sample("1", &[]);
        close("RBP(p=0.5,gain=linear)", &ranking, 0.5);
        close("RBP(p=0.5,gain=linear)", &ranking.clone().with_max_grade(2), 0.25);
        // What grades gain is not the benchmark's lowest relevant grade to say.
        close("RBP(p=0.5,gain=linear)", &ranking.with_max_grade(2).with_relevant_from(2), 0.25);
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
