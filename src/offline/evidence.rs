//! What comparisons of run files rest on: a query that a file lacks may never have been asked.

use crate::Result;
use crate::finding::{Answered, Basis, Empty, Pair, Worst, judged_of};
use crate::gate::{Evidence, Expect, Expectation};
use crate::metric::Metric;
use crate::model::{EvidenceCount, EvidenceKind, EvidenceReport, ExpectedBy};

/// What is not complete of two files over the judged queries; `None` where everything is.
///
/// # Errors
/// A metric that cannot be computed.
pub(super) fn compared_files(
    pair: &Pair,
    metric: &Metric,
    evidence: Evidence,
    expect: Option<Expectation>,
) -> Result<Option<EvidenceReport>> {
    let mut basis = Basis { metric: Some(metric), ..Basis::default() };
    let all = pair.candidate.collection().queries().len();
    let by = (ExpectedBy::Spec, None);
    if let Some(count) = evidence.queries.and_then(|of| judged_of(all, of, by, Vec::new())) {
        basis.unscored = count.of - count.there;
        basis.counts.push(count);
    }
    if pair.unpaired > 0 {
        let there = pair.queries().len();
        basis.unscored += pair.unpaired;
        basis.counts.push(EvidenceCount {
            kind: EvidenceKind::Paired,
            collection: None,
            side: Some(pair.baseline_name.clone()),
            by: None,
            there,
            of: there + pair.unpaired,
            missing: Vec::new(),
        });
    }
    // Queries without a relevant document may have been left out, as asked.
    basis.needs_relevant = metric.needs_relevance();
    let sides = [(&pair.candidate_name, &pair.candidate), (&pair.baseline_name, &pair.baseline)];
    basis.sides = sides
        .map(|(name, evaluation)| Answered { name, evaluation, empty: Empty::Missing, strangers: None })
        .into();
    basis.worst = Some(match expect.map(|expect| expect.kind()) {
        Some(Expect::Equivalence) => Worst::Furthest,
        _ => Worst::Lowest,
    });
    basis.count(evidence.share())
}
