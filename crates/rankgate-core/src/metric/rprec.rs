//! R-precision: `Rprec`.
//!
//! Relevant documents in the top R, over R, the number of relevant documents judged for the query:
//! precision and recall at the rank where the two are equal. From 0 to 1; 0 where R = 0.
//!
//! Source: `trec_eval` 10, `m_Rprec.c`.

use super::definition::Definition;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static RPREC: Definition = Definition {
    patterns: &["Rprec"],
    parameters: &[Parameter::Rel],
    aliases: &["r_precision", "r-precision"],
    ..Definition::new("Rprec", "precision at R, the number of relevant documents", r_precision)
};

fn r_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let rel = parameters.rel(ranking);
    match ranking.relevant(rel) {
        0 => 0.0,
        relevant => ranking.hits(relevant, rel) as f64 / relevant as f64,
    }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            ("Rprec", "1 0 2 1", &[], 2.0 / 3.0),
            ("Rprec", "1 0 2 1", &[1], 0.75),
            ("Rprec", "1", &[1, 1, 1], 0.25), // fewer retrieved than R
            ("Rprec(rel=2)", "1 0 2 1", &[], 0.0),
            ("Rprec", "0", &[0], 0.0),
            ("Rprec", "", &[1], 0.0),
        ]);
    }
}
