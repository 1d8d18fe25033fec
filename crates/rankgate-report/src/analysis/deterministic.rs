//! Whether asking twice gives the same rankings.

use std::collections::HashMap;

use crate::collection::Query;
use crate::run::{Hit, Run};
use crate::words::counted;

use crate::model::{DeterministicFinding, Disagreement};

/// How a second build is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// A program is started.
    Start,
    /// In a process that serves both builds.
    InProcess,
    /// By the test itself.
    Here,
}

impl Build {
    fn twice(self) -> &'static str {
        match self {
            Self::Start => "started twice",
            Self::InProcess => "built twice in one process",
            Self::Here => "built twice",
        }
    }
}

/// Compares two answers to each query: the same documents in the same order. `build` says how the second one was built, unless
/// one build gave both.
pub fn compare(queries: &[Query], [first, second]: [&Run; 2], build: Option<Build>) -> DeterministicFinding {
    let differing: Vec<Disagreement> = queries
        .iter()
        .filter_map(|query| {
            let one = first.ranking(&query.id).unwrap_or_default();
            let two = second.ranking(&query.id).unwrap_or_default();
            disagreement(query, one, two)
        })
        .collect();
    DeterministicFinding {
        queries: queries.len(),
        diagnosis: if differing.is_empty() { Vec::new() } else { diagnosis(&differing, build) },
        differing,
        built: build.map(|build| build.twice().to_owned()),
        one_build: None,
        warnings: Vec::new(),
    }
}

/// What most likely makes the answers differ, of one build or of two.
fn diagnosis(differing: &[Disagreement], build: Option<Build>) -> Vec<String> {
    let tied = differing.iter().filter(|one| one.tied).count();
    let ties = match build {
        None | Some(Build::InProcess) => "break ties by a stable key, such as the document id",
        Some(Build::Start) => {
            "break ties by a stable key, such as the document id. A set of Python's has another order in every process \
             (the second one got another PYTHONHASHSEED)"
        }
        Some(Build::Here) => {
            "break ties by a stable key, such as the document id. A `HashMap` has another order in every build"
        }
    };
    let other = match build {
        None => {
            "look for unseeded randomness, results merged in the order in which threads finish, and \
             an index that changes while it is asked"
        }
        Some(_) => {
            "look for unseeded randomness, an index that several threads fill in the order in which they finish, and \
             sums over maps or sets, whose order is another every time"
        }
    };
    let cause = if build == Some(Build::Start) { "starting" } else { "building" };
    let by_build = build
        .map(|_| format!("Asked twice, the first one ranks the same: the difference comes from {cause} it."));
    let by_scores = if tied == differing.len() {
        format!("The documents that changed places have equal scores: {ties}.")
    } else if tied == 0 {
        format!(
            "The documents that changed places have different scores, so ties are not the cause: {other}."
        )
    } else {
        format!(
            "In {} the documents that changed places have equal scores: {ties}. In the others the scores \
             differ: {other}.",
            counted(tied, "query", "queries")
        )
    };
    by_build.into_iter().chain([by_scores]).collect()
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
            tied,
        };
        let told = |tied: &[bool], build| {
            diagnosis(&tied.iter().map(|&tied| one(tied)).collect::<Vec<_>>(), build).join(" ")
        };
        let (ties, chance) = ("break ties by a stable key", "look for unseeded randomness");
        assert!(told(&[false], None).ends_with("an index that changes while it is asked."));
        let some = told(&[true, false, true], None);
        assert!(
            some.starts_with("In 2 queries the documents") && some.contains(ties) && some.contains(chance)
        );
        for (build, cause, hint) in [
            (Build::Start, "comes from starting it", "PYTHONHASHSEED"),
            (Build::Here, "comes from building it", "A `HashMap` has another order in every build"),
            (Build::InProcess, "comes from building it", "such as the document id."),
        ] {
            let told = told(&[true], Some(build));
            assert!(told.contains(cause) && told.contains(hint), "{told}");
        }
        assert_eq!(Build::InProcess.twice(), "built twice in one process");
    }
}
