//! What a retriever hands to a model that answers: `ContextRelevance@k`, `ContextShare@k`, `ContextAP@k`.
//!
//! All three are functions of the judgments of the first k documents and divide by what their names do not say:
//!
//! - `ContextRelevance@k` = sum of min(grade, 3) / 3 over the top k, divided by **k**. Grades are those of TREC's deep
//!   learning tracks, 0 to 3; what was not judged counts as 0.
//! - `ContextShare@k` = relevant documents in the top k, divided by **k**: `P@k` under the name that it has beside
//!   answers. Other tools call `ContextAP@k` context precision, which is why this is not called that.
//! - `ContextAP@k` = the mean of the precision at each relevant document of the top k, divided by the **relevant documents
//!   that are in the top k**: what ragas calls context precision. It is 1 for one relevant document at rank 1, however much
//!   was missed; `AP@k` divides by all relevant documents.
//!
//! Nothing retrieved is 0. Source of the third: ragas 0.2, `ContextPrecision._calculate_average_precision`, which leaves out
//! contexts whose verdict failed; here they count as not relevant, and a gate's verdict is bounded over them.

use super::definition::{CutoffKind, Definition};
use super::judged_ranking::JudgedRanking;
use super::parameters::{Parameter, Parameters};
use super::precision::precision;

/// The highest grade.
const HIGHEST: i32 = 3;

pub(super) static RELEVANCE: Definition =
    Definition::new("ContextRelevance", "mean grade / 3 of k contexts", relevance)
        .written(&["ContextRelevance@k"])
        .at(CutoffKind::Cutoff)
        .of_contexts();

pub(super) static SHARE: Definition =
    Definition::new("ContextShare", "relevant share of k contexts", precision)
        .written(&["ContextShare@k"])
        .at(CutoffKind::Cutoff)
        .parameters(&[Parameter::Rel])
        .of_contexts();

pub(super) static AVERAGE: Definition =
    Definition::new("ContextAP", "mean of the precision at each relevant one of k contexts", average)
        .written(&["ContextAP@k"])
        .at(CutoffKind::Cutoff)
        .parameters(&[Parameter::Rel])
        .of_contexts();

fn relevance(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let k = parameters.depth();
    let grades = (1..=k.min(ranking.len())).filter_map(|rank| ranking.grade_at(rank));
    let sum: i32 = grades.map(|grade| grade.clamp(0, HIGHEST)).sum();
    f64::from(sum) / f64::from(HIGHEST) / k as f64
}

fn average(ranking: &JudgedRanking, parameters: &Parameters) -> f64 {
    let (rel, mut hits, mut sum) = (parameters.rel(ranking), 0_u32, 0.0);
    for rank in 1..=parameters.depth().min(ranking.len()) {
        if ranking.grade_at(rank).is_some_and(|grade| grade >= rel) {
            hits += 1;
            sum += f64::from(hits) / rank as f64;
        }
    }
    if hits == 0 { 0.0 } else { sum / f64::from(hits) }
}

#[cfg(test)]
mod tests {
    use crate::metric::table::check;

    #[test]
    fn worked_values() {
        // all by hand
        check(&[
            ("ContextRelevance@4", "3 0 - 2", &[1], 5.0 / 12.0),
            ("ContextRelevance@2", "3 0 - 2", &[1], 0.5),
            ("ContextRelevance@5", "3", &[], 0.2), // of five, one was retrieved
            ("ContextRelevance@1", "7", &[], 1.0),
            ("ContextRelevance@2", "-1 1", &[], 1.0 / 6.0),
            ("ContextShare@4", "1 0 - 2", &[1], 0.5),
            ("ContextShare(rel=2)@4", "1 0 - 2", &[1], 0.25),
            ("ContextAP@4", "1 0 - 2", &[1], 0.75), // (1/1 + 2/4) / 2: what was missed does not count
            ("ContextAP@3", "1 0 - 2", &[1], 1.0),
            ("ContextAP(rel=2)@4", "1 0 - 2", &[1], 0.25),
            ("ContextAP@5", "0 1", &[1, 1], 0.5), // (1/2) / 1: neither by k nor by the three that are relevant
            ("ContextAP@3", "0 - 0", &[2], 0.0),
            ("ContextRelevance@3", "0 - 0", &[2], 0.0),
        ]);
    }

    #[test]
    fn an_empty_retrieval_is_zero() {
        check(&[
            ("ContextRelevance@5", "", &[3], 0.0),
            ("ContextShare@5", "", &[3], 0.0),
            ("ContextAP@5", "", &[3], 0.0),
        ]);
    }
}
