//! Inferred average precision: `infAP`, for judgments that are a random sample of a pool.
//!
//! The qrels hold the whole pool: judged documents with their grade, those that the sample left out
//! with a negative one. The precision at a relevant document at rank k is estimated as
//!
//! 1/k + (k - 1)/k * d/(k - 1) * (r + e)/(r + s + 2 e)
//!
//! with, among the documents above it, d in the pool, r judged relevant, s judged non-relevant, and
//! e = 1e-5 against 0/0; at rank 1 it is 1. infAP is the sum over the relevant documents retrieved,
//! over R, the relevant documents judged. From 0 to 1; 0 where R = 0. Where the whole pool is judged
//! it is AP but for e.
//!
//! Sources: Yilmaz & Aslam, "Estimating Average Precision with Incomplete and Imperfect Judgments",
//! CIKM 2006; `trec_eval` 10, `m_infap.c`, with its e.

use super::definition::Definition;
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};

pub(super) static INF_AP: Definition = Definition {
    patterns: &["infAP"],
    parameters: &[Parameter::Rel],
    needs: Some("sampled judgments"),
    ..Definition::new(
        "infAP",
        "average precision estimated from sampled judgments",
        inferred_average_precision,
    )
};

const EPSILON: f64 = 0.00001;

fn inferred_average_precision(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let rel = parameters.rel(ranking).max(0);
    let relevant = ranking.relevant(rel);
    if relevant == 0 {
        return 0.0;
    }
    let (mut pool, mut hits, mut misses) = (0.0, 0.0, 0.0);
    let mut sum = 0.0;
    for found in ranking.top(usize::MAX) {
        if found.grade >= rel {
            let rank = found.rank() as f64;
            sum += match found.rank() - 1 {
                0 => 1.0,
                above => {
                    let above = above as f64;
                    let relevant_share = (hits + EPSILON) / (hits + misses + 2.0 * EPSILON);
                    1.0 / rank + above / rank * (pool / above) * relevant_share
                }
            };
            hits += 1.0;
        } else if found.grade >= 0 {
            misses += 1.0;
        }
        pool += 1.0;
    }
    sum / relevant as f64
}

#[cfg(test)]
mod tests {
    use crate::metric::tests::table::check;

    const E: f64 = 0.00001;

    #[test]
    fn worked_values() {
        check(&[
            ("infAP", "1", &[], 1.0),
            // nothing above is in the pool
            ("infAP", "- - 1", &[], 1.0 / 3.0),
            // above rank 3: one relevant, one not; above rank 1: nothing
            ("infAP", "1 0 1", &[1], (1.0 + 1.0 / 3.0 + 2.0 / 3.0 * (1.0 + E) / (2.0 + 2.0 * E)) / 3.0),
            // above rank 3: two of the pool, neither judged, so that e alone says one half
            ("infAP", "-1 -1 1", &[], 1.0 / 3.0 + 2.0 / 3.0 * 0.5),
            // above rank 3: one of the pool, judged non-relevant, and one outside it
            ("infAP", "0 - 1", &[], 1.0 / 3.0 + 2.0 / 3.0 * 0.5 * E / (1.0 + 2.0 * E)),
            ("infAP(rel=2)", "1 2", &[], 0.5 + 0.5 * E / (1.0 + 2.0 * E)),
            ("infAP", "0 -1", &[0], 0.0),
            ("infAP", "", &[1], 0.0),
        ]);
    }

    #[test]
    fn values_of_trec_eval() {
        // pytrec_eval-terrier 0.5.11 on these rankings, with one more grade 1 that was not retrieved
        check(&[
            ("infAP", "-1 0 1 - 2", &[1], 0.277_779_999_955_556_4),
            ("infAP", "- 0 1 - 2", &[1], 0.244_445_555_533_333_8),
            ("infAP", "-2 -1 1 - 2", &[1], 0.488_886_888_928_888_2),
        ]);
    }
}
