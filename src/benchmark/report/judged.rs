//! Two values of one metric, beside each other: by people's judgments, and as gates have it that rest on a model's as well.

use std::collections::BTreeSet;

use crate::Result;
use crate::analysis::judged_scores;
use crate::benchmark::decide::Decisions;
use crate::gate::Segment;
use crate::measure::judge_id;
use crate::metric::Metric;
use crate::model::{
    ConfigurationReport, GateReport, JudgedValue, Measured, MetricReport, Outcome, ValueByJudge,
};
use crate::spec::Spec;

/// Puts what gates have of a metric beside what people's judgments alone say of it.
pub(super) fn beside(configurations: &mut [ConfigurationReport], gates: &[GateReport], spec: &Spec) {
    for gate in gates {
        let Some(planned) = spec.gates.iter().find(|one| one.name == gate.name) else { continue };
        let kind = planned.kind.kind();
        let (Some(how), Some(metric)) = (kind.judged(spec.entries()), kind.metric()) else { continue };
        for value in gate.finding.values_by_judge() {
            let Some(judge) = judge(spec, value.judge) else { continue };
            let name = value.configuration.unwrap_or(&gate.configuration);
            let ValueByJudge { value, interval, bounds, .. } = value;
            let value = JudgedValue { how, judge, value, interval, bounds };
            put(configurations, (name, kind.segment(spec.entries())), &metric.to_string(), value);
        }
    }
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

impl Decisions {
    /// Puts the scores of single queries beside those by people's judgments alone, under each metric of a gate that rests on a
    /// model's and was decided.
    pub(in crate::benchmark) fn score_judged_queries(
        &self,
        configurations: &mut [ConfigurationReport],
        gates: &[GateReport],
    ) {
        let (spec, mut done) = (&self.cache.spec, BTreeSet::new());
        for gate in gates.iter().filter(|gate| gate.finding.undecided_reason().is_none()) {
            let Some(planned) = spec.gates.iter().find(|one| one.name == gate.name) else { continue };
            let kind = planned.kind.kind();
            let (Some(_), Some(metric)) = (kind.judged(spec.entries()), kind.metric()) else { continue };
            for configuration in spec.configurations_of(planned) {
                let Some(report) = configurations.iter_mut().find(|one| one.name == configuration.name)
                else {
                    continue;
                };
                let Outcome::Measured(measured) = &mut report.outcome else { continue };
                if done.insert((configuration.name.clone(), metric.to_string())) {
                    // That something of it cannot be read is said by the gate.
                    drop(self.score_judged_queries_of(measured, &configuration.name, metric));
                }
            }
        }
    }

    fn score_judged_queries_of(&self, measured: &mut Measured, name: &str, metric: &Metric) -> Result<()> {
        let files = self.cache.judged_files_of(Some(metric))?;
        let evaluation = match metric.is_of_answers() {
            true => self.cache.answer_files(metric)?.side(name)?.evaluation.clone(),
            false => self.cache.measurement(self.cache.configuration(name)?)?.evaluation.clone(),
        };
        let mut scores = judged_scores(&files.judges, &evaluation, metric)?;
        for query in &mut measured.queries {
            if let Some(score) = scores.remove(&query.id) {
                query.judged.insert(metric.to_string(), score);
            }
        }
        Ok(())
    }
}
