//! What comparisons of run files rest on: a query that a file lacks may never have been asked.

use std::sync::Arc;

use crate::Result;
use crate::gate::{Evidence, Expect, Expectation};
use crate::metric::Metric;
use crate::model::{EvidenceKind, EvidenceReport, ExpectedBy};

use super::evidence::{Answered, Basis, Worst, judged_of, missing_of};
use super::pair::Pair;
use super::whole_lists::WholeLists;

/// What is not complete of two files over the judged queries; `None` where everything is. Judgments that are pinned are
/// whole.
///
/// # Errors
/// A share that is none; a metric that cannot be computed.
pub fn compared_files(
    whole: &Arc<Pair>,
    metric: &Metric,
    evidence: Evidence,
    (expect, pinned): (Option<Expectation>, bool),
) -> Result<Option<EvidenceReport>> {
    let pair = &*whole.for_metric(metric)?;
    let mut basis = Basis::of_collection(pair.candidate.collection(), evidence.queries, pinned);
    basis.metric = Some(metric);
    // What is expected of a candidate is a gate. Judgments that were cut leave queries that both runs answer.
    if expect.is_some() && evidence.queries.is_none() && !pinned && basis.counts.is_empty() {
        let there = pair.candidate.collection().queries().len();
        let unjudged = pair.candidate.unjudged_queries().min(pair.baseline.unjudged_queries());
        basis.counts.extend(judged_of(there, there + unjudged, (ExpectedBy::Runs, None), Vec::new()));
        basis.unscored = unjudged;
    }
    basis.lists = Some(match expect {
        Some(Expectation::Overlap { cutoff, .. }) => WholeLists::overlap(cutoff, evidence),
        _ => WholeLists::scored(metric, evidence),
    });
    if metric.is_column() {
        basis.unscored += pair.unpaired;
        for (name, side) in
            [(&whole.candidate_name, &whole.candidate), (&whole.baseline_name, &whole.baseline)]
        {
            let (lacking, of) = side.lacking(metric)?;
            if !lacking.is_empty() {
                basis.counts.push(missing_of(EvidenceKind::Answered, Some(name), of, lacking.into_iter()));
            }
        }
    } else {
        basis.count_unpaired(pair);
    }
    // Queries without a relevant document may have been left out, as asked.
    basis.needs_relevant = metric.needs_relevance();
    let sides = [(&pair.candidate_name, &pair.candidate), (&pair.baseline_name, &pair.baseline)];
    basis.sides =
        sides.map(|(name, evaluation)| Answered { name, evaluation, foreign_documents: None }).into();
    basis.worst = Some(match expect.map(|expect| expect.kind()) {
        Some(Expect::Equivalence) => Worst::Furthest,
        _ => Worst::Lowest,
    });
    basis.count(evidence.share())
}
