//! The F measure: `F1@k`, `F(beta=b)@k`, `SetF`.
//!
//! The weighted harmonic mean of precision and recall, ((1 + b²) P R) / (b² P + R), from 0 to 1;
//! recall counts beta times as much as precision. At a cutoff P is `P@k` and R is `R@k`, in `SetF`
//! they are `SetP` and `SetR`. 0 without hits. Beta is from 0 (precision alone) to 1000 and 1 where
//! the name does not say.
//!
//! Sources: van Rijsbergen, "Information Retrieval", 1979, chapter 7; `trec_eval` 10, `m_set_F.c`,
//! whose parameter is the square of beta.

use super::definition::{CutoffKind, Definition, Suffix};
use super::parameters::Parameter;
use super::precision::{precision, set_precision};
use super::recall::recall;

pub(super) static F: Definition = Definition {
    patterns: &["F1@k", "F(beta=b)@k"],
    at_beta_one: Some("F1"),
    at: CutoffKind::Cutoff,
    parameters: &[Parameter::Beta, Parameter::Rel],
    aliases: &["F1", "f_beta"],
    ..Definition::new("F", "weighted harmonic mean of P@k and R@k", |ranking, parameters| {
        harmonic_mean(precision(ranking, parameters), recall(ranking, parameters), parameters.beta.get())
    })
};

pub(super) static SET_F: Definition = Definition {
    is_of_length: true,
    patterns: &["SetF", "SetF(beta=b)"],
    parameters: &[Parameter::Beta, Parameter::Rel],
    aliases: &["F1", "F", "f_beta", "set_F"],
    stems: &["set_F"],
    suffix: Suffix::BetaSquared,
    ..Definition::new("SetF", "weighted harmonic mean of SetP and SetR", |ranking, parameters| {
        harmonic_mean(set_precision(ranking, parameters), recall(ranking, parameters), parameters.beta.get())
    })
};

fn harmonic_mean(precision: f64, recall: f64, beta: f64) -> f64 {
    if precision == 0.0 {
        return 0.0;
    }
    let squared = beta * beta;
    (1.0 + squared) * precision * recall / (squared * precision + recall)
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        // P = 2/5, R = 2/3 except where said; by hand
        let ranked = "- 0 1 2 -";
        check(&[
            ("F1@5", ranked, &[1], 0.5),
            ("F(beta=2)@5", ranked, &[1], 10.0 / 17.0), // 5 * 4/15 / (8/5 + 2/3)
            ("F(beta=0.5)@5", ranked, &[1], 10.0 / 23.0), // 1.25 * 4/15 / (1/10 + 2/3)
            ("F(beta=0)@5", ranked, &[1], 0.4),
            ("F1@10", ranked, &[1], 4.0 / 13.0),      // P = 1/5
            ("F1(rel=2)@5", ranked, &[1], 1.0 / 3.0), // P = 1/5, R = 1
            ("F1@2", ranked, &[1], 0.0),
            ("F1@2", "", &[], 0.0),
            ("SetF", ranked, &[1], 0.5),
            ("SetF(beta=2)", ranked, &[1], 10.0 / 17.0),
            ("SetF", "1 1", &[], 1.0),
            ("SetF", "", &[1], 0.0),
        ]);
    }

    #[test]
    fn the_parameter_of_trec_eval_is_the_square_of_beta() {
        // set_F.0.25 as pytrec_eval-terrier 0.5.11 gives it for this ranking
        check(&[("set_F.0.25", "- 0 1 2 -", &[1], 0.434_782_608_695_652_16)]);
    }
}
