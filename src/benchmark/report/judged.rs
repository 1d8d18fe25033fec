//! Two values of one metric, beside each other: by people's judgments, and as gates have it that rest on a model's as well.

use crate::gate::{Comparison, GateKind, Judged, Segment};
use crate::measure::judge_id;
use crate::model::{ConfigurationReport, Finding, GateReport, JudgedValue, MetricReport, Outcome};
use crate::spec::Spec;

/// Puts what gates have of a metric beside what people's judgments alone say of it.
pub(super) fn beside(configurations: &mut [ConfigurationReport], gates: &[GateReport], spec: &Spec) {
    for gate in gates {
        let Some(planned) = spec.gates.iter().find(|one| one.name == gate.name) else { continue };
        match &planned.kind {
            GateKind::Threshold { threshold, metric } => {
                let threshold = &spec.thresholds[*threshold];
                let Some(how) = threshold.judged else { continue };
                if let Some(value) = of_threshold(&gate.finding, how, spec) {
                    let of = (gate.configuration.as_str(), threshold.segment.as_ref());
                    put(configurations, of, &metric.to_string(), value);
                }
            }
            GateKind::Comparison { comparison, metric: Some(metric) } => {
                let comparison = &spec.comparisons[*comparison];
                for (name, value) in of_comparison(&gate.finding, comparison, spec) {
                    put(configurations, (&name, comparison.segment.as_ref()), &metric.to_string(), value);
                }
            }
            GateKind::Comparison { metric: None, .. }
            | GateKind::Snapshot
            | GateKind::Deterministic
            | GateKind::Latency { .. } => {}
        }
    }
}

fn of_threshold(finding: &Finding, how: Judged, spec: &Spec) -> Option<JudgedValue> {
    match finding {
        Finding::Threshold(finding) => Some(JudgedValue {
            how,
            judge: judge(spec, finding.corrected.as_ref().map(|one| one.judge.as_str()))?,
            value: Some(finding.measured.value),
            interval: finding.measured.interval,
            bounds: None,
        }),
        Finding::Bounds(finding) => Some(JudgedValue {
            how,
            judge: finding.judge.clone(),
            value: None,
            interval: None,
            bounds: finding.lowest.zip(finding.highest).map(|(low, high)| [low.value, high.value]),
        }),
        _ => None,
    }
}

/// The means of both sides, where both are configurations that were compared over all of their queries.
fn of_comparison(finding: &Finding, comparison: &Comparison, spec: &Spec) -> Vec<(String, JudgedValue)> {
    let (Some(how), Finding::Comparison(finding)) = (comparison.judged, finding) else { return Vec::new() };
    let Some(judge) = judge(spec, finding.corrected.as_ref().map(|one| one.judge.as_str())) else {
        return Vec::new();
    };
    if finding.unpaired > 0 {
        return Vec::new();
    }
    let of =
        |value| JudgedValue { how, judge: judge.clone(), value: Some(value), interval: None, bounds: None };
    let candidate = (finding.candidate.clone(), of(finding.candidate_mean));
    let baseline = (finding.baseline.clone(), of(finding.baseline_mean));
    let blessed = comparison.baseline.is_blessed();
    std::iter::once(candidate).chain((!blessed).then_some(baseline)).collect()
}

/// What judgments of documents call the judge.
fn judge(spec: &Spec, known: Option<&str>) -> Option<String> {
    let own = || spec.judge.as_ref().and_then(|plan| judge_id(plan).ok());
    known.map(str::to_owned).or_else(own)
}

/// Puts a value beside people's, once; one with an interval before one without.
fn put(
    configurations: &mut [ConfigurationReport],
    (name, segment): (&str, Option<&Segment>),
    metric: &str,
    value: JudgedValue,
) {
    let Some(configuration) = configurations.iter_mut().find(|one| one.name == name) else { return };
    let Outcome::Measured(measured) = &mut configuration.outcome else { return };
    let rows = match segment {
        None => Some(&mut measured.metrics),
        Some(Segment { key, value, .. }) => measured
            .segments
            .iter_mut()
            .find(|one| one.key == *key && one.value == *value)
            .map(|one| &mut one.metrics),
    };
    let Some(row) = rows.and_then(|rows| rows.iter_mut().find(|row| row.metric == metric)) else { return };
    put_beside(row, value);
}

fn put_beside(row: &mut MetricReport, value: JudgedValue) {
    match row.judged.iter_mut().find(|one| one.how == value.how && one.judge == value.judge) {
        Some(there) if there.interval.is_none() && there.bounds.is_none() => *there = value,
        Some(_) => {}
        None => row.judged.push(value),
    }
}
