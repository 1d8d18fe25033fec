//! The metrics of a spec at other cutoffs: where in the ranking a configuration gains and loses.

use crate::Result;
use crate::evaluation::Evaluation;
use crate::metric::Metric;
use crate::model::Curve;

/// One curve for each metric with a cutoff; several cutoffs of one metric share a curve.
///
/// A metric of the user's own has no curve: its function was registered for its cutoff only.
pub(super) fn curves(evaluation: &Evaluation, metrics: &[Metric], depth: usize) -> Result<Vec<Curve>> {
    let mut curves: Vec<Curve> = Vec::new();
    let is_curve = |metric: &&Metric| {
        metric.definition().is_some() && metric.cutoff().is_some() && !metric.is_best_low()
    };
    for metric in metrics.iter().filter(is_curve).filter(|metric| evaluation.findable(metric).is_ok()) {
        let name = metric.to_string();
        let Some((family, _)) = name.rsplit_once('@') else { continue };
        if curves.iter().any(|curve| curve.0 == family) {
            continue;
        }
        let at = |cutoff: usize| -> Result<Option<(usize, f64)>> {
            let metric: Metric = format!("{family}@{cutoff}").parse()?;
            // Nobody asked for these cutoffs: where truth ends above one, the curve ends as well.
            if !evaluation.knows_neighbours(&metric) {
                return Ok(None);
            }
            Ok(Some((cutoff, evaluation.value(&metric)?)))
        };
        let points = cutoffs(metrics, depth).into_iter().filter_map(|cutoff| at(cutoff).transpose());
        let points = points.collect::<Result<_>>()?;
        curves.push((family.to_owned(), points));
    }
    Ok(curves)
}

/// 1, 2, 3, 5 and 10 times powers of ten below the depth, the depth, and every cutoff in use.
fn cutoffs(metrics: &[Metric], depth: usize) -> Vec<usize> {
    let decades = std::iter::successors(Some(1_usize), |decade| decade.checked_mul(10));
    let regular = decades.flat_map(|decade| {
        // Beyond 10 a curve hardly bends, and marks would crowd.
        let steps: &[usize] = if decade == 1 { &[1, 2, 3, 5] } else { &[1, 2, 5] };
        steps.iter().map(move |step| step.saturating_mul(decade))
    });
    let mut cutoffs: Vec<usize> = regular.take_while(|&cutoff| cutoff < depth).collect();
    cutoffs.extend(metrics.iter().filter_map(Metric::cutoff).filter(|&cutoff| cutoff <= depth));
    cutoffs.push(depth);
    cutoffs.sort_unstable();
    cutoffs.dedup();
    cutoffs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
    use crate::evaluation::Truth;
    use crate::neighbours::Neighbours;
    use crate::run::{Hit, Run};

    #[test]
    fn cutoffs_are_round_numbers_the_depth_and_those_in_use() {
        let metric: Metric = "P@7".parse().unwrap();
        assert_eq!(cutoffs(&[metric], 120), [1, 2, 3, 5, 7, 10, 20, 50, 100, 120]);
        assert_eq!(cutoffs(&[], 1), [1]);
        assert_eq!(cutoffs(&[], 1000).last(), Some(&1000));
    }

    #[test]
    fn a_curve_ends_where_truth_does() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one"), [("d1", 1)]);
        let collection = builder.build().unwrap();
        let ranked = |ids: &[&str]| {
            let hits = ids.iter().zip([9.0, 8.0, 7.0, 6.0, 5.0]).map(|(id, score)| Hit::new(*id, score));
            Run::from_rankings([("q1", hits.collect::<Vec<_>>())]).unwrap()
        };
        // Three true neighbours, as a reference that was asked for three has them.
        let exact = Neighbours::from_reference("exact", &ranked(&["d1", "d2", "d3"]), Some(3)).unwrap();
        let truth = Truth::default();
        truth.fill(|| Ok(exact));
        let run = ranked(&["d1", "d9", "d2", "d8", "d7"]);
        let evaluation = Evaluation::of_run(&collection, run).unwrap().with_depth(5).with_truth(Some(truth));
        let curves = curves(&evaluation, &["NN@3".parse().unwrap()], 5).unwrap();
        // By hand: d1; d1 of d1 and d2; d1 and d2 of three. The depth, 5, is beyond the truth.
        assert_eq!(curves[0].1, [(1, 1.0), (2, 0.5), (3, 2.0 / 3.0)]);
    }

    #[test]
    fn one_curve_a_family_with_the_metrics_own_values() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one"), [("d1", 2), ("d2", 1)]);
        let collection = builder.build().unwrap();
        let hits = vec![Hit::new("d9", 3.0), Hit::new("d1", 2.0), Hit::new("d2", 1.0)];
        let run = Run::from_rankings([("q1", hits)]).unwrap();
        let evaluation = Evaluation::of_run(&collection, run).unwrap().with_depth(10);
        let metrics = ["R@5", "R@10", "AP", "nDCG(gain=exp2)@10"].map(|name| name.parse().unwrap());
        let curves = curves(&evaluation, &metrics, 10).unwrap();
        let names: Vec<&str> = curves.iter().map(|curve| curve.0.as_str()).collect();
        assert_eq!(names, ["R", "nDCG(gain=exp2)"]);
        assert_eq!(curves[0].1, [(1, 0.0), (2, 0.5), (3, 1.0), (5, 1.0), (10, 1.0)]);
    }
}
