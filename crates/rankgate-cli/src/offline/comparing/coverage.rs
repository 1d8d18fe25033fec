//! Coverage of two run files: a query that a file lacks may never have been asked.

use std::sync::Arc;

use crate::offline::Result;
use crate::offline::analysis::{Answered, Basis, CompleteLists, Pair};
use crate::offline::gate::Expectation;
use crate::offline::metric::Metric;
use crate::offline::model::{CoverageCount, CoverageReport, Covered};

/// What is not complete of two files over the judged queries; `None` where everything is.
///
/// # Errors
/// A share that is none; a metric that cannot be computed.
pub(super) fn compared_files(
    whole: &Arc<Pair>,
    metric: &Metric,
    min_coverage: f64,
    expect: Option<Expectation>,
) -> Result<Option<CoverageReport>> {
    let pair = &*whole.for_metric(metric)?;
    let mut basis = Basis::of_collection(pair.candidate.collection());
    // What is expected of a candidate is a gate. Judgments that were cut leave queries that both runs answer.
    let unjudged = pair.candidate.unjudged_queries().min(pair.baseline.unjudged_queries());
    if expect.is_some() && basis.counts.is_empty() && unjudged > 0 {
        let there = pair.candidate.collection().queries().len();
        basis.counts.push(CoverageCount::new(Covered::Judged, there, there + unjudged));
    }
    basis.lists = Some(match expect {
        Some(Expectation::Overlap { cutoff, .. }) => CompleteLists::overlap(cutoff),
        _ => CompleteLists::scored(metric),
    });
    if metric.is_column() {
        basis.count_unscored(&whole.candidate_name, &whole.candidate, metric)?;
        basis.count_unscored(&whole.baseline_name, &whole.baseline, metric)?;
    } else {
        basis.count_unpaired(pair);
    }
    // Queries without a relevant document may have been left out, as asked.
    basis.needs_relevant = metric.needs_relevance();
    let sides = [(&pair.candidate_name, &pair.candidate), (&pair.baseline_name, &pair.baseline)];
    basis.sides =
        sides.map(|(name, evaluation)| Answered { name, evaluation, foreign_documents: None }).into();
    basis.count(min_coverage)
}
