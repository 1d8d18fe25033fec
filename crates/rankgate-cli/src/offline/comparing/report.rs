//! Compared runs as a benchmark's report has them.

use super::Comparing;
use crate::offline::Result;
use crate::offline::analysis::{Scope, collection_report, rising_scores};
use crate::offline::evaluation::{Evaluation, Judging};
use crate::offline::model::{
    ComparisonFinding, ConfigurationReport, Finding, GateReport, Outcome, Report, Verdict, Warning,
};

impl Comparing {
    /// The runs as a benchmark's report has them.
    pub(super) fn report(
        &self,
        names: &[&str],
        short: &[String],
        evaluations: &[&Evaluation],
        gates: Vec<GateReport>,
    ) -> Result<Report> {
        let mut configurations = Vec::new();
        for ((name, short), evaluation) in names.iter().zip(short).zip(evaluations) {
            let depth = evaluation.depth();
            let scope = Scope {
                metrics: &self.metrics,
                segments: &[],
                confidence: self.statistics.confidence,
                deepest: depth,
                pictured: self.pictured,
            };
            let mut measured = scope.measured(evaluation, None)?;
            let rising = rising_scores(evaluation.rising());
            measured.warnings.extend(rising.map(|text| Warning::new("side", text)));
            configurations.push(ConfigurationReport {
                name: short.clone(),
                source: format!("run {name}"),
                depth,
                repeats: evaluation.passes(),
                outcome: Outcome::Measured(Box::new(measured)),
            });
        }
        let collection = evaluations.first().map(|evaluation| {
            let relevant_from = evaluation.judged(0).map_or(1, |ranking| ranking.relevant_from());
            // Only what was left out can make the evaluated queries fewer than the judged ones.
            let skip_queries_without_relevant =
                evaluation.queries().len() < evaluation.collection().queries().len();
            let judging = Judging { relevant_from, skip_queries_without_relevant, ..Judging::default() };
            collection_report(evaluation.collection(), judging)
        });
        Ok(Report {
            confidence: self.statistics.confidence.level(),
            collection,
            metrics: self.metrics.iter().map(ToString::to_string).collect(),
            configurations,
            gates_in_spec: gates.len(),
            gates,
            ..Report::blank("compare")
        })
    }
}

/// The gate that a finding is.
pub(super) fn gate(finding: ComparisonFinding, verdict: Verdict) -> GateReport {
    let name = format!("{}-vs-{}::{}", finding.candidate, finding.baseline, finding.metric);
    let configuration = finding.candidate.clone();
    gate_report(name, configuration, verdict, Finding::Comparison(Box::new(finding)))
}

pub(super) fn gate_report(
    name: String,
    configuration: String,
    verdict: Verdict,
    finding: Finding,
) -> GateReport {
    GateReport {
        name,
        configuration,
        advisory: false,
        verdict,
        texts: None,
        place: None,
        finding,
        coverage: None,
        inputs_changed: Vec::new(),
        advice: Vec::new(),
    }
}
