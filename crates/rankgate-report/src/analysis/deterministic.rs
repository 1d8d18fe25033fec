//! Whether asking twice gives the same rankings.

use std::collections::HashMap;

use crate::collection::Query;
use crate::run::{Hit, Run};

use crate::model::{DeterministicFinding, Disagreement};

/// Compares two answers to each query: the same documents in the same order.
pub fn compare(queries: &[Query], first: &Run, second: &Run) -> DeterministicFinding {
    let differing = queries
        .iter()
        .filter_map(|query| {
            let one = first.ranking(&query.id).unwrap_or_default();
            let two = second.ranking(&query.id).unwrap_or_default();
            disagreement(query, one, two)
        })
        .collect();
    DeterministicFinding { queries: queries.len(), differing, builds: None }
}

/// How many documents stand elsewhere, where all that differs between two answers to each query is the order
/// of documents with equal scores; `None` where more does, or nothing.
pub fn moved_within_ties(queries: &[Query], first: &Run, second: &Run) -> Option<usize> {
    let mut moved = 0;
    for query in queries {
        let one = first.ranking(&query.id).unwrap_or_default();
        let two = second.ranking(&query.id).unwrap_or_default();
        if !only_ties_moved(&scored(one), &scored(two)) {
            return None;
        }
        moved += one.iter().zip(two).filter(|(one, two)| one.id != two.id).count();
    }
    (moved > 0).then_some(moved)
}

/// Where two answers to a query part, if they do.
pub fn disagreement(query: &Query, one: &[Hit], two: &[Hit]) -> Option<Disagreement> {
    let [ids, other_ids] = [one, two].map(|hits| hits.iter().map(|hit| hit.id.as_str()));
    parting(query, ids, other_ids, || only_ties_moved(&scored(one), &scored(two)))
}

fn scored(hits: &[Hit]) -> Vec<(&str, f64)> {
    hits.iter().map(|hit| (hit.id.as_str(), hit.score)).collect()
}

/// The same of ids in the order of ranks; where they differ, `tied` says whether only ties moved.
pub fn parting<'a>(
    query: &Query,
    mut one: impl Iterator<Item = &'a str>,
    mut two: impl Iterator<Item = &'a str>,
    tied: impl FnOnce() -> bool,
) -> Option<Disagreement> {
    let differing = |rank| match [one.next(), two.next()] {
        [one, two] if one != two => Some(Some((rank, [one, two]))),
        [None, _] => Some(None),
        _ => None,
    };
    let (rank, documents) = (1..).find_map(differing)??;
    Some(Disagreement {
        query: query.id.clone(),
        text: query.text.clone(),
        rank,
        documents: documents.map(|id| id.map(str::to_owned)),
        tied: tied(),
    })
}

/// Whether all that changed is the order of documents with equal scores: the same ranks tie in both answers, and a document
/// stands among the same equals in both. A document may fall off the end among its equals. What the scores are does not
/// matter: a golden run says which documents tie, and keeps no scores.
pub fn only_ties_moved(one: &[(&str, f64)], two: &[(&str, f64)]) -> bool {
    let (one_groups, two_groups) = (tie_groups(one), tie_groups(two));
    let last = one_groups.last().copied();
    let groups: HashMap<&str, usize> =
        one.iter().map(|(id, _)| *id).zip(one_groups.iter().copied()).collect();
    let stays = |((id, _), group): (&(&str, f64), &usize)| match groups.get(id) {
        Some(other) => other == group,
        None => Some(*group) == last,
    };
    one_groups == two_groups && two.iter().zip(&two_groups).all(stays)
}

/// Which of the runs of equal scores each rank belongs to, from 0.
fn tie_groups(hits: &[(&str, f64)]) -> Vec<usize> {
    let mut group = 0;
    let starts = |rank: usize| rank > 0 && hits[rank].1 != hits[rank - 1].1;
    (0..hits.len())
        .map(|rank| {
            group += usize::from(starts(rank));
            group
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(hits: &[(&str, f64)]) -> Run {
        Run::from_rankings([("q1", hits.iter().map(|&(id, score)| Hit::new(id, score)).collect())]).unwrap()
    }

    #[test]
    fn the_first_difference_is_named_and_ties_are_diagnosed() {
        let queries = [Query::new("q1", "alpha")];
        let base = [("a", 3.0), ("b", 2.0), ("c", 2.0)];
        for (other, expected) in [
            (&[("a", 3.0), ("b", 2.0), ("c", 2.0)][..], None),
            (&[("a", 3.0), ("c", 2.0), ("b", 2.0)], Some((2, true))),
            (&[("a", 3.0), ("b", 2.0), ("z", 2.0)], Some((3, true))),
            (&[("b", 3.0), ("a", 2.0), ("c", 2.0)], Some((1, false))),
            (&[("a", 3.0), ("b", 2.0)], Some((3, false))),
            // Other scores with the same ties: a golden run keeps no others.
            (&[("a", 2.0), ("c", 1.0), ("b", 1.0)], Some((2, true))),
            (&[("z", 3.0), ("b", 2.0), ("c", 2.0)], Some((1, false))),
            (&[("a", 3.0), ("c", 2.0), ("b", 1.0)], Some((2, false))),
        ] {
            let finding = compare(&queries, &run(&base), &run(other));
            let seen = finding.differing.first().map(|found| (found.rank, found.tied));
            assert_eq!(seen, expected, "{other:?}");
        }
    }
}
