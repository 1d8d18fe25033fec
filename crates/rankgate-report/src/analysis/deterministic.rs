//! Whether asking twice gives the same rankings.

use std::collections::HashMap;

use crate::collection::Query;
use crate::run::{Hit, Run};
use crate::words::counted;

use crate::model::{DeterministicFinding, Disagreement};

/// Compares two answers to each query: the same documents in the same order. `built` says how the second one was built, such as
/// `started twice`, unless one build gave both.
pub fn compare(queries: &[Query], [first, second]: [&Run; 2], built: Option<&str>) -> DeterministicFinding {
    let answers = |query: &Query| [first, second].map(|run| run.ranking(&query.id).unwrap_or_default());
    let parted = |query: &Query| {
        let [one, two] = answers(query);
        disagreement(query, one, two)
    };
    let differing: Vec<Disagreement> = queries.iter().filter_map(parted).collect();
    DeterministicFinding {
        queries: queries.len(),
        diagnosis: if differing.is_empty() { Vec::new() } else { diagnosis(&differing, built.is_some()) },
        differing,
        built: built.map(str::to_owned),
        one_build: None,
        warnings: Vec::new(),
    }
}

/// What most likely makes the answers differ, of one build or of two.
fn diagnosis(differing: &[Disagreement], by_build: bool) -> Vec<String> {
    const TIES: &str = "break ties by a stable key, such as the document id";
    const OTHER: &str = "look for unseeded randomness, results merged in the order in which threads finish, and \
                         an index that changes while it is asked";
    const BUILDS: &str = "Asked twice, the first build ranks the same: the difference comes from the second one. A `HashMap` \
                          has another order in every build, and a Python set with every PYTHONHASHSEED.";
    let tied = differing.iter().filter(|one| one.tied).count();
    let by_scores = match tied {
        0 => format!(
            "The documents that changed places have different scores, so ties are not the cause: {OTHER}."
        ),
        all if all == differing.len() => {
            format!("The documents that changed places have equal scores: {TIES}.")
        }
        some => format!(
            "In {} the documents that changed places have equal scores: {TIES}. In the others the scores \
             differ: {OTHER}.",
            counted(some, "query", "queries")
        ),
    };
    by_build.then(|| BUILDS.to_owned()).into_iter().chain([by_scores]).collect()
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
        overlap: None,
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
            let finding = compare(&queries, [&run(&base), &run(other)], None);
            let seen = finding.differing.first().map(|found| (found.rank, found.tied));
            assert_eq!(seen, expected, "{other:?}");
        }
    }

    #[test]
    fn the_cause_is_ties_or_chance_and_of_builds_their_order() {
        let one = |tied| Disagreement {
            query: "q1".to_owned(),
            text: String::new(),
            rank: 1,
            documents: [None, None],
            overlap: None,
            tied,
        };
        let told = |tied: &[bool], by_build| {
            diagnosis(&tied.iter().map(|&tied| one(tied)).collect::<Vec<_>>(), by_build).join(" ")
        };
        let (ties, chance) = ("break ties by a stable key", "look for unseeded randomness");
        assert!(told(&[false], false).ends_with("an index that changes while it is asked."));
        let some = told(&[true, false, true], false);
        assert!(
            some.starts_with("In 2 queries the documents") && some.contains(ties) && some.contains(chance)
        );
        let builds = told(&[true], true);
        assert!(builds.contains("comes from the second one. A `HashMap` has another order in every build"));
    }
}
