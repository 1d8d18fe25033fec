//! Whether an index finds what exact search finds: `NN@k`.
//!
//! `NN@k` = documents among the first k that are as near as the true k-th neighbour, each id counted once, over k. Where
//! fewer than k documents can be found at all, as under a filter, it is over their number. A document that ties with the
//! k-th neighbour counts: which of the two exact search lists first is chance. 0 where nothing is returned.
//!
//! Source: Aumüller, Bernhardsson and Faithfull, ANN-Benchmarks, Information Systems 87, 2020, definition of recall by
//! distances. Unlike its code, an id that comes twice counts once. Where truth has no distances, ids alone are compared.

mod truth;

pub use self::truth::TrueNeighbours;

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;

use super::definition::{CutoffKind, Definition};
use super::parameters::Parameters;
use super::ranked_query::RankedQuery;
use super::requirements::Requirements;
use crate::{Error, Result};

pub(super) static NN: Definition = Definition {
    requirements: Requirements { neighbours: true, ..Requirements::DOCUMENTS },
    patterns: &["NN@k"],
    at: CutoffKind::Cutoff,
    aliases: &["ann_recall", "knn_recall"],
    ..Definition::of_documents("NN", "share of the k true nearest neighbours that are in the top k", share)
};

/// The true neighbours among which k are looked for, at least one.
fn sought<'a>(asked: &RankedQuery<'a>, parameters: &Parameters) -> Result<(&'a TrueNeighbours, usize)> {
    let k = parameters.depth();
    let missing = || Error::invalid("the true nearest neighbours are not known here");
    let truth = asked.true_neighbours().ok_or_else(missing)?;
    match truth.len() {
        0 => Err(Error::invalid(
            "no document can be a neighbour of it, so that none can be missed: leave it out",
        )),
        len if len < k && !truth.is_whole() => {
            let message = format!("{len} true neighbours are known and {k} are needed");
            Err(Error::invalid(message))
        }
        len => Ok((truth, len.min(k))),
    }
}

fn share(asked: &RankedQuery<'_>, parameters: &Parameters) -> Result<f64> {
    let (truth, sought) = sought(asked, parameters)?;
    let known: HashMap<&str, Option<f64>, RandomState> = truth.iter().collect();
    let top = asked.documents().iter().map(|document| document.id).take(parameters.depth());
    let found: BTreeSet<&str> =
        top.filter(|id| truth.is_among(sought, id, known.get(id).copied().flatten())).collect();
    Ok(found.len() as f64 / sought as f64)
}

#[cfg(test)]
mod tests {
    use crate::Result;
    use crate::metric::{JudgedRanking, Metric, RankedQuery, TrueNeighbours};

    fn truth(neighbours: &[(&str, f64)]) -> TrueNeighbours {
        let neighbours = neighbours.iter().map(|(id, distance)| ((*id).to_owned(), *distance));
        TrueNeighbours::new(neighbours).unwrap()
    }

    fn scored(metric: &str, truth: &TrueNeighbours, returned: &[&'static str]) -> Result<f64> {
        let asked = RankedQuery::new(returned.iter().copied());
        metric.parse::<Metric>()?.compute_of_query(&asked.with_neighbours(truth))
    }

    #[test]
    fn nn_counts_ties_by_distance_once_each() {
        let tied = truth(&[("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 2.0), ("e", 3.0)]);
        // all by hand
        for (returned, at_two, at_three) in [
            (&["a", "b", "c"][..], 1.0, 1.0),
            // c and d are as near as b, which comes first by id alone.
            (&["a", "c", "d"], 1.0, 1.0),
            (&["c", "d", "a"], 1.0, 1.0),
            (&["a", "e", "d"], 0.5, 2.0 / 3.0),
            // each once, however often it is returned
            (&["c", "c", "c"], 0.5, 1.0 / 3.0),
            (&["x", "e", "y"], 0.0, 0.0),
            (&[], 0.0, 0.0),
            (&["a"], 0.5, 1.0 / 3.0),
            // Beyond the cutoff nothing counts.
            (&["e", "x", "a", "b"], 0.0, 1.0 / 3.0),
        ] {
            assert_eq!(scored("NN@2", &tied, returned).unwrap(), at_two, "{returned:?}");
            assert_eq!(scored("NN@3", &tied, returned).unwrap(), at_three, "{returned:?}");
        }
        // A tie at the first rank does not let what is farther away count: not groups of equal distances.
        let early = truth(&[("a", 1.0), ("b", 1.0), ("c", 5.0), ("d", 9.0)]);
        assert_eq!(scored("NN@2", &early, &["c", "a"]).unwrap(), 0.5);
        // By ids alone nobody knows what ties.
        let by_rank = TrueNeighbours::by_rank(["a", "b", "c"].map(str::to_owned)).unwrap();
        assert_eq!(scored("NN@2", &by_rank, &["a", "c"]).unwrap(), 0.5);
    }

    #[test]
    fn distances_that_differ_by_rounding_do_not_tie() {
        let near = truth(&[("a", 1.0), ("b", 2.0), ("c", 2.0 + 5e-7)]);
        assert_eq!(scored("NN@2", &near, &["a", "c"]).unwrap(), 0.5);
    }

    #[test]
    fn small_inner_products_do_not_tie() {
        // Neighbours by inner products of 3e-8, 2e-8 and 1e-8: as distances these are negative, and no rounding.
        let near = truth(&[("a", -3e-8), ("b", -2e-8), ("c", -1e-8)]);
        assert_eq!(scored("NN@2", &near, &["a", "c"]).unwrap(), 0.5);
    }

    #[test]
    fn copies_of_one_point_are_not_recall() {
        // ann-benchmarks compares distances and no ids: ten times the nearest point would be ten of ten.
        let ten: Vec<(String, f64)> = (0..10).map(|i| (format!("p{i}"), f64::from(i))).collect();
        let ten = TrueNeighbours::new(ten).unwrap();
        assert_eq!(scored("NN@10", &ten, &["p0"; 10]).unwrap(), 0.1);
        // Other ids at the same place are other documents.
        let copies = truth(&[("p0", 0.0), ("p1", 0.0), ("p2", 0.0), ("p3", 4.0)]);
        assert_eq!(scored("NN@2", &copies, &["p1", "p2"]).unwrap(), 1.0);
    }

    #[test]
    fn under_a_filter_all_that_there_is_can_be_found() {
        let three = truth(&[("a", 1.0), ("b", 2.0), ("c", 3.0)]);
        let error = scored("NN@5", &three, &["a"]).unwrap_err().to_string();
        assert_eq!(error, "NN@5: 3 true neighbours are known and 5 are needed");
        let whole = three.whole();
        assert_eq!(scored("NN@5", &whole, &["a", "c", "b"]).unwrap(), 1.0);
        // What the filter excludes is no candidate, however near.
        assert_eq!(scored("NN@5", &whole, &["x", "a"]).unwrap(), 1.0 / 3.0);
        let none = truth(&[]).whole();
        assert!(
            scored("NN@5", &none, &["a"]).unwrap_err().to_string().contains("no document can be a neighbour")
        );
    }

    #[test]
    fn a_ranking_alone_has_no_neighbours() {
        let metric: Metric = "ann_recall@10".parse().unwrap();
        assert_eq!((metric.to_string().as_str(), metric.cutoff()), ("NN@10", Some(10)));
        assert!(metric.requirements().neighbours && metric.is_best_high() && !metric.needs_relevance());
        let error = metric.try_compute(&JudgedRanking::new(vec![], vec![])).unwrap_err().to_string();
        assert_eq!(error, "NN@10 needs the true nearest neighbours: a spec names them under `ground-truth`");
        let asked = RankedQuery::new(["a"]);
        assert!(metric.compute_of_query(&asked).unwrap_err().to_string().contains("not known here"));
        let reached: Metric = "NN@10>=0.8".parse().unwrap();
        assert!(reached.requirements().neighbours && reached.is_best_high());
    }

    #[test]
    fn truth_that_cannot_be_is_refused() {
        let of = |neighbours: Vec<(String, f64)>| TrueNeighbours::new(neighbours).unwrap_err().to_string();
        assert_eq!(of(vec![("a".into(), f64::NAN)]), "the distance of `a` is NaN");
        assert_eq!(of(vec![("a".into(), f64::INFINITY)]), "the distance of `a` is inf");
        assert_eq!(
            of(vec![("a".into(), 1.0), ("b".into(), 2.0), ("a".into(), 3.0)]),
            "`a` is a neighbour twice"
        );
        let twice = TrueNeighbours::by_rank(["a", "a"].map(str::to_owned)).unwrap_err().to_string();
        assert_eq!(twice, "`a` is a neighbour twice");
    }
}
