//! Gates on comparisons: what the family's answer means for one gate.

use super::ComparisonGate;
use super::family::unblessed;
use crate::Result;
use crate::benchmark::decide::{Decide, Decision, Decisions};
use crate::error::Quoted;
use crate::gate::{Comparison, Inconclusive};
use crate::metric::Metric;
use crate::run::Order;
use crate::spec::{Configuration, ConfigurationSource};
use crate::stats::Reason;

use crate::analysis::{Pair, chosen_best, likeness, list_changes, verdict_of};
use crate::model::{ComparisonFinding, CoverageCount, CoverageReport, Finding, Verdict, Warning};

impl Decide for ComparisonGate {
    fn decide(&self, decisions: &Decisions, _: &Configuration) -> Result<Decision> {
        decisions.comparison(self.comparison, self.metric.as_ref())
    }

    fn coverage(&self, decisions: &Decisions, _: &Configuration) -> Result<Option<CoverageReport>> {
        decisions.coverage_of_comparison(self.comparison, self.metric.as_ref())
    }
}

impl Decisions {
    /// Decides one gate of a comparison; without a metric, by the rankings alone.
    fn comparison(&self, entry: usize, metric: Option<&Metric>) -> Result<Decision> {
        let comparison = &self.cache.spec.comparisons[entry];
        let (against_golden, tag) = (comparison.baseline.is_blessed(), comparison.baseline.tag());
        let candidate = self.cache.configuration(&comparison.candidate)?;
        if against_golden
            && self.cache.measurement(candidate).is_ok()
            && self.blessed(candidate, tag)?.is_none()
        {
            let finding = Finding::undecided(unblessed(&comparison.candidate, tag).to_string());
            return Ok(Decision { verdict: Verdict::Errored, finding, acceptable: true });
        }
        let pair = self.pair_of(entry, metric)?;
        let Some(metric) = metric else {
            let (verdict, mut finding) =
                likeness::decide(&pair, comparison, self.cache.spec.statistics.confidence)?;
            finding.read_by_score = self.read_by_score(comparison);
            let finding = Finding::Overlap(Box::new(finding));
            return Ok(Decision { verdict, finding, acceptable: against_golden });
        };
        let family = self.family(entry);
        let (question, answer) = family.answer(entry, &metric.to_string())?;
        let mut finding = question.finding(answer, &self.cache.spec.statistics)?;
        let mut verdict = verdict_of(answer.comparison.decision.outcome);
        let whole = self.pair(entry)?;
        let lost = lost_scores(&whole, metric)?;
        finding.warnings.splice(0..0, lost.into_iter().chain(self.warnings_of(comparison)));
        let depth =
            if against_golden { self.blessed(candidate, tag)?.and_then(|golden| golden.depth) } else { None };
        finding.warnings.extend(lists_changed(&pair, depth));
        let (ours, theirs) = (pair.candidate.passes(), pair.baseline.passes());
        if against_golden && theirs == 1 && ours > 1 {
            finding.warnings.push(golden_of_one(ours));
        }
        let others = family.others(&self.cache.spec, entry, metric);
        finding.warnings.extend(chosen_best(&finding, verdict, others));
        if comparison.inconclusive == Inconclusive::Warn {
            verdict = warn(verdict, &mut finding);
        }
        Ok(Decision { verdict, finding: Finding::Comparison(Box::new(finding)), acceptable: against_golden })
    }

    /// The sides that are frozen runs in the order of their scores.
    fn read_by_score(&self, comparison: &Comparison) -> Vec<String> {
        let by_score = |one: &&Configuration| {
            matches!(one.source, ConfigurationSource::Run { order: None | Some(Order::Score), .. })
                && self
                    .cache
                    .measurement(one)
                    .is_ok_and(|one| one.evaluation.run(0).is_some_and(|run| !run.is_golden()))
        };
        let sides = comparison.configurations().filter_map(|name| self.cache.spec.configuration(name));
        let sides = sides.filter(by_score);
        sides.map(|one| one.name.clone()).collect()
    }

    /// What should be known of either side before its scores are believed.
    fn warnings_of(&self, comparison: &Comparison) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for name in comparison.configurations() {
            let measured =
                self.cache.configuration(name).ok().and_then(|one| self.cache.measurement(one).ok());
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
    let how = changes.of_all()?;
    let text = format!("{} answers in another way than {}: {how}", pair.candidate_name, pair.baseline_name);
    Some(Warning::new("lists-changed", text))
}

/// Makes an inconclusive verdict advisory, so that it fails nothing.
fn warn(verdict: Verdict, finding: &mut ComparisonFinding) -> Verdict {
    if let Some(judged_only) = finding.judged_only.as_mut()
        && judged_only.verdict == Verdict::Inconclusive
    {
        judged_only.verdict = Verdict::Advisory;
    }
    if verdict != Verdict::Inconclusive {
        return verdict;
    }
    finding.warnings.insert(0, fails_nothing(finding.reason));
    Verdict::Advisory
}

/// That it is inconclusive, and fails nothing because the spec says so.
pub(crate) fn fails_nothing(reason: Reason) -> Warning {
    let text =
        format!("inconclusive ({reason}); it fails nothing because the spec says `inconclusive: warn`");
    Warning::new("fails-nothing", text)
}

/// That the blessed run is one ranking of each query, and the candidate the mean of so many.
fn golden_of_one(repeats: usize) -> Warning {
    let text = format!(
        "the blessed run holds one ranking of each query, and the mean of {repeats} is compared with it: where answers vary by \
         chance, an unchanged retriever fails far more often than it should; blessed today it would hold all {repeats}"
    );
    Warning::new("golden-of-one", text)
}
