//! Gates on comparisons: what the family's answer means for one gate.

use super::ComparisonGate;
use super::family::unblessed;
use crate::Result;
use crate::benchmark::decide::{Decision, Decisions};
use crate::error::Quoted;
use crate::gate::{Comparison, Inconclusive};
use crate::metric::Metric;

use crate::analysis::{Pair, compare_rankings, list_changes};
use crate::model::{ComparisonFinding, CoverageCount, Verdict, Warning};

impl Decisions {
    /// Decides one gate of a comparison; without a metric, by the rankings alone.
    pub(crate) fn comparison(&self, gate: &ComparisonGate) -> Result<Decision> {
        let (spec, metric) = (&self.measure.spec, gate.metric.as_ref());
        let comparison = &spec.comparisons[gate.comparison];
        let against_golden = comparison.baseline.is_blessed();
        let candidate = self.measure.configuration(&comparison.candidate)?;
        let measured = self.measure.measurement(candidate).is_ok();
        if against_golden && measured && self.blessed(candidate)?.is_none() {
            let reason = unblessed(&comparison.candidate).to_string();
            return Ok(Decision::undecided(reason).acceptable(true));
        }
        let pair = self.pair_of(gate.comparison, metric)?;
        let decision = match metric {
            None => {
                let (verdict, finding) =
                    compare_rankings(&pair, comparison.expect, spec.statistics.confidence)?;
                Decision::new(verdict, finding)
            }
            Some(metric) => {
                let (verdict, mut finding) = self.family(gate.comparison).of(gate.comparison, metric)?;
                let lost = lost_scores(&*self.pair(gate.comparison)?, metric)?;
                finding.warnings.splice(0..0, lost.into_iter().chain(self.warnings_of(comparison)));
                let golden = if against_golden { self.blessed(candidate)? } else { None };
                finding.warnings.extend(lists_changed(&pair, golden.and_then(|golden| golden.depth)));
                let (ours, theirs) = (pair.candidate.passes(), pair.baseline.passes());
                if against_golden && theirs == 1 && ours > 1 {
                    finding.warnings.push(golden_of_one(ours));
                }
                Decision::new(at_least_advisory(comparison, verdict, &mut finding), finding)
            }
        };
        let coverage = self.coverage_of_comparison(gate.comparison, metric)?;
        Ok(decision.acceptable(against_golden).covered(coverage))
    }

    /// What should be known of either side before its scores are believed.
    fn warnings_of(&self, comparison: &Comparison) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for name in comparison.configurations() {
            let measured =
                self.measure.configuration(name).ok().and_then(|one| self.measure.measurement(one).ok());
            let said = measured.iter().flat_map(|measured| &measured.warnings);
            warnings.extend(said.map(|warning| Warning::of_side(name, warning)));
        }
        warnings
    }
}

/// That the candidate has scores for fewer queries: those left out may be the very ones that it got worse on.
fn lost_scores(pair: &Pair, metric: &Metric) -> Result<Option<Warning>> {
    let ((ours, of), (theirs, _)) = (pair.candidate.lacking(metric)?, pair.baseline.lacking(metric)?);
    let lost: Vec<String> =
        ours.iter().filter(|id| !theirs.contains(id)).map(|id| Quoted(id).to_string()).collect();
    let named = lost.iter().take(CoverageCount::NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if lost.len() > CoverageCount::NAMED { ", ..." } else { "" };
    Ok((ours.len() > theirs.len()).then(|| {
        let text = format!(
            "{metric} has a value for {} of {of} queries, and for {} of {} ({named}{more}). Answers that decline have none, and the \
             difference is that of the others: compare `FalseRefusal` as well",
            of - ours.len(),
            of - theirs.len(),
            pair.baseline_name
        );
        Warning::of_side(&pair.candidate_name, &text)
    }))
}

/// That the lists of all queries differ in one way, which no score has to show.
fn lists_changed(pair: &Pair, depth: Option<usize>) -> Option<Warning> {
    let changes = list_changes(&pair.candidate, &pair.baseline, depth)?;
    if !changes.of_all {
        return None;
    }
    let how = changes.shapes.join("; ");
    let text = format!("{} answers in another way than {}: {how}", pair.candidate_name, pair.baseline_name);
    Some(Warning::new("lists-changed", text))
}

/// The verdict, which fails nothing if it is inconclusive and the spec has `inconclusive: warn`.
pub(crate) fn at_least_advisory(
    comparison: &Comparison,
    verdict: Verdict,
    finding: &mut ComparisonFinding,
) -> Verdict {
    if verdict != Verdict::Inconclusive || comparison.inconclusive != Inconclusive::Warn {
        return verdict;
    }
    let reason = finding.reason;
    let text =
        format!("inconclusive ({reason}); it fails nothing because the spec says `inconclusive: warn`");
    finding.warnings.insert(0, Warning::new("fails-nothing", text));
    Verdict::Advisory
}

/// That the blessed run is one ranking of each query, and the candidate the mean of so many.
fn golden_of_one(repeats: usize) -> Warning {
    let text = format!(
        "the blessed run holds one ranking of each query, and the mean of {repeats} is compared with it: where answers vary by \
         chance, an unchanged retriever fails far more often than it should; blessed today it would hold all {repeats}"
    );
    Warning::new("golden-of-one", text)
}
