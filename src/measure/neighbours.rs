//! The true nearest neighbours of the queries, read once; those that a reference finds are filled in when it was asked.

use crate::error::Quoted;
use crate::evaluation::Truth;
use crate::neighbours::Neighbours;
use crate::run::Run;
use crate::spec::{Configuration, NeighboursPlan};
use crate::words::counted;
use crate::{Error, Result};

use super::Measure;

/// The true neighbours, for every evaluation of this benchmark; where a file has them, they are read.
pub(super) fn truth(measure: &Measure) -> Option<Truth> {
    let plan = measure.spec.neighbours.as_ref()?;
    if let NeighboursPlan::File(path) = plan {
        measure.truth.fill(|| {
            let queries = measure.collection()?.queries();
            let truth = Neighbours::read(&path.resolve()?, queries)?;
            checked_truth(measure, among_documents(measure, truth)?)
        });
    }
    Some(measure.truth.clone())
}

/// Takes what the reference ranked for the truth, of so many results where it was asked for them. Known already, it stays
/// what it is.
pub(super) fn set_truth(measure: &Measure, reference: &str, run: &Run, asked: Option<usize>) {
    measure.truth.fill(|| checked_truth(measure, Neighbours::from_reference(reference, run, asked)?));
}

pub(super) fn is_reference(measure: &Measure, configuration: &Configuration) -> bool {
    let plan = measure.spec.neighbours.as_ref();
    plan.and_then(NeighboursPlan::reference) == Some(configuration.name.as_str())
}

/// Measures the configuration that knows the true neighbours before any other whose metrics need them.
pub(super) fn measure_reference(measure: &Measure, configuration: &Configuration) {
    let name = measure.spec.neighbours.as_ref().and_then(NeighboursPlan::reference);
    let Some(reference) = name.and_then(|name| measure.spec.configuration(name)) else { return };
    if !is_reference(measure, configuration)
        && let Err(failure) = measure.measurement(reference)
    {
        let kind = Error::from(failure.clone()).kind();
        let message = format!("the reference {} was not measured: {failure}", Quoted(&reference.name));
        measure.truth.fill(|| Err(Error::with_kind(kind, message)));
    }
}

/// Refuses neighbours that no index finds, since the corpus does not have them.
fn among_documents(measure: &Measure, truth: Neighbours) -> Result<Neighbours> {
    let collection = measure.collection()?;
    let Some(ids) = collection.corpus_ids()? else { return Ok(truth.unchecked()) };
    truth.check_ids(collection.queries(), ids)?;
    Ok(truth)
}

fn checked_truth(measure: &Measure, truth: Neighbours) -> Result<Neighbours> {
    let queries = measure.collection()?.queries();
    let k = deepest_neighbour(measure);
    let is_of_file = measure.spec.neighbours.as_ref().is_some_and(|plan| plan.reference().is_none());
    truth.check_depth(queries, k).map_err(|error| match is_of_file {
        true => Error::invalid(format!(
            "{error}: write {k} of each; where filters leave fewer, name the configuration that searches exactly (`reference`)"
        )),
        false => error,
    })?;
    Ok(truth)
}

pub(super) fn needs_neighbours(measure: &Measure) -> bool {
    measure.spec.metrics.iter().any(|metric| metric.requirements().neighbours)
}

/// How many true neighbours the spec's metrics look at.
fn deepest_neighbour(measure: &Measure) -> usize {
    let needing = measure.spec.metrics.iter().filter(|metric| metric.requirements().neighbours);
    needing.filter_map(crate::metric::Metric::cutoff).max().unwrap_or(0)
}

/// What should be known before a count of true neighbours is believed.
pub(super) fn truth_warnings(measure: &Measure) -> impl Iterator<Item = String> {
    let truth = measure.truth.get().and_then(Result::ok);
    let unseen_ties = truth.filter(|truth| !truth.has_distances()).map(|truth| {
        format!(
            "{} names neighbours without distances: a document that ties with the last of them counts as a miss",
            truth.name()
        )
    });
    let cut_ties = truth.and_then(|truth| cut_ties(measure, truth));
    let unchecked = truth.filter(|truth| truth.is_unchecked()).map(|truth| {
        format!(
            "{}: no documents are known here, so a neighbour that is none counts as a miss: add documents to the collection",
            truth.name()
        )
    });
    unseen_ties.into_iter().chain(cut_ties).chain(unchecked)
}

/// What to say where neighbours end with one that ties with the k-th: what ties beyond it is a miss.
fn cut_ties(measure: &Measure, truth: &Neighbours) -> Option<String> {
    let queries = measure.collection().ok()?.queries();
    let counting = measure.spec.metrics.iter().filter(|metric| metric.requirements().neighbours);
    let ends = |k: usize| Some((k, truth.ends_in_ties(queries, k))).filter(|(_, count)| *count > 0);
    let (k, count) = counting.filter_map(crate::metric::Metric::cutoff).filter_map(ends).max()?;
    let of_queries = counted(count, "query", "queries");
    Some(format!(
        "{}: the neighbours of {of_queries} end with one that is as near as neighbour {k}: a document beyond it that ties \
         counts as a miss: have more of each there",
        truth.name()
    ))
}
