//! Compatibility: `Compat(p=0.95)`.
//!
//! The rank-biased overlap of the ranking with the ideal ranking that is most like it, over that of the ideal with itself:
//!
//! sum over depths d of p^(d - 1) |both in the first d| / d, over the same of min(d, R) / d
//!
//! The ideal has the R documents of a grade above 0 by grade, of one grade as the ranking has them, those that were not
//! retrieved last. Depths go to the end of the longer of the two. From 0 to 1; 0 where R = 0.
//!
//! Source: Clarke, Vtyurina and Smucker, "Assessing Top-k Preferences", TOIS 2021, with its code `compatibility.py` as
//! ir_measures has it.

use super::definition::Definition;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static COMPAT: Definition = Definition {
    is_of_length: true,
    patterns: &["Compat(p=0.95)"],
    parameters: &[Parameter::Depth],
    aliases: &["compatibility"],
    needs: Some("grades"),
    ..Definition::new(
        "Compat",
        "rank-biased overlap with the ideal ranking that is most like it",
        compatibility,
    )
};

fn compatibility(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let ideal = ideal(ranking);
    if ideal.is_empty() {
        return 0.0;
    }
    let depth = ranking.len().max(ideal.len());
    // A document is in both from the depth on at which both have it.
    let mut entering = vec![0_usize; depth + 1];
    for (place, rank) in (1..).zip(&ideal) {
        if let Some(rank) = rank {
            entering[place.max(*rank)] += 1;
        }
    }
    let (mut weight, mut both, mut score, mut best) = (1.0, 0, 0.0, 0.0);
    for (d, entered) in entering.into_iter().enumerate().skip(1) {
        both += entered;
        score += weight * both as f64 / d as f64;
        best += weight * d.min(ideal.len()) as f64 / d as f64;
        weight *= parameters.depth_persistence.get();
    }
    (score / best).min(1.0)
}

/// The ranks of the relevant documents in the ideal order, `None` of those that were not retrieved.
fn ideal(ranking: &JudgedRanking) -> Vec<Option<usize>> {
    let relevant = || ranking.grades().iter().copied().take_while(|grade| *grade > 0);
    let mut ideal = Vec::with_capacity(relevant().count());
    let mut grades: Vec<i32> = relevant().collect();
    grades.dedup();
    for grade in grades {
        let all = relevant().filter(|one| *one == grade).count();
        let found = ranking.top(usize::MAX).iter().filter(|found| found.grade == grade);
        let end = ideal.len() + all;
        ideal.extend(found.map(|found| Some(found.rank())));
        ideal.resize(end, None);
    }
    ideal
}

#[cfg(test)]
mod tests {
    use crate::metric::JudgedRanking;
    use crate::metric::tests::table::{check, close};

    #[test]
    fn worked_values() {
        // By hand, with p = 0.5. Ideal 2 1: best is 1 + 1/2.
        check(&[
            ("Compat(p=0.5)", "2 1", &[], 1.0),
            // Nothing at depth 1, both at depth 2.
            ("Compat(p=0.5)", "1 2", &[], 0.5 / 1.5),
            // One of two from depth 1 on.
            ("Compat(p=0.5)", "2 0", &[1], (1.0 + 0.5 * 0.5) / 1.5),
            // At depth 3 there are still two that count.
            ("Compat(p=0.5)", "0 2 1", &[], (0.5 * 0.5 + 0.25 * 2.0 / 3.0) / (1.5 + 0.25 * 2.0 / 3.0)),
            // Of one grade the ideal is as the ranking is.
            ("Compat", "1 1 1", &[], 1.0),
            ("Compat", "- 0 -1", &[], 0.0),
            ("Compat", "", &[1], 0.0),
        ]);
        close("compatibility(p=0.95)", &JudgedRanking::sample("3 2 1", &[]), 1.0);
        assert_eq!("Compat".parse::<crate::metric::Metric>().unwrap().to_string(), "Compat(p=0.95)");
    }
}
