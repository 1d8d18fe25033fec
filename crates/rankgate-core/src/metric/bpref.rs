//! Binary preference: `Bpref`.
//!
//! Of the pairs of a relevant and a judged non-relevant document, the share that the ranking has
//! the right way round; unjudged documents are passed over. With R relevant and N judged
//! non-relevant documents:
//!
//! 1/R * sum over the retrieved relevant documents of 1 - min(n, R) / min(N, R)
//!
//! where n is the number of judged non-relevant documents ranked above, and the term is 1 where
//! n = 0. That guard is what keeps qrels with positives only (N = 0) from giving 0/0. Negative
//! grades are unjudged. From 0 to 1; 0 where R = 0.
//!
//! Sources: Buckley & Voorhees, "Retrieval Evaluation with Incomplete Information", SIGIR 2004;
//! `trec_eval` 10, `m_bpref.c`, which takes the minimum of N and R since version 8.

use super::definition::Definition;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static BPREF: Definition = Definition {
    patterns: &["Bpref"],
    parameters: &[Parameter::Rel],
    needs: Some("judged non-relevant documents"),
    ..Definition::new("Bpref", "share of judged pairs ranked the right way round", binary_preference)
};

fn binary_preference(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let rel = parameters.rel(ranking).max(0);
    let relevant = ranking.relevant(rel);
    let pairs = ranking.non_relevant(rel).min(relevant) as f64;
    let mut above = 0;
    let mut sum = 0.0;
    for found in ranking.top(usize::MAX) {
        if found.grade >= rel {
            sum += if above == 0 { 1.0 } else { 1.0 - above.min(relevant) as f64 / pairs };
        } else if found.grade >= 0 {
            above += 1;
        }
    }
    if relevant == 0 { 0.0 } else { sum / relevant as f64 }
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    #[test]
    fn worked_values() {
        check(&[
            // R = 3, N = 2: terms 1, 1 - 1/2, 1 - 2/2; by hand
            ("Bpref", "1 0 - 2 0 1", &[], 0.5),
            // R = 2, N = 4: terms 1 - 1/2, 1 - min(3, 2)/2
            ("Bpref", "0 1 0 0 1", &[0], 0.25),
            // a relevant document that was not retrieved counts in R
            ("Bpref", "1 0", &[1], 0.5),
            // positives only: every term is 1, unjudged documents notwithstanding
            ("Bpref", "- 1 - 1", &[1], 2.0 / 3.0),
            // a negative grade is unjudged, not judged non-relevant
            ("Bpref", "-1 1", &[0], 1.0),
            ("Bpref(rel=2)", "1 2", &[], 0.0),
            ("Bpref(rel=0)", "0 1", &[], 1.0),
            ("Bpref", "0 -", &[0], 0.0),
            ("Bpref", "", &[1, 0], 0.0),
        ]);
    }
}
