//! Gates on answer times.

use crate::Result;
use crate::benchmark::decide::{Decision, Decisions};
use crate::gate::{Inconclusive, LatencyGate, LatencyLimit};
use crate::measure::{SideTimes, Timed, timed};
use crate::model::{Latency, LatencyFinding, Verdict, Warning};
use crate::spec::{Configuration, ConfigurationSource};
use crate::stats::{LatencyReason, Quantile, Stream, held_ratio, held_time};

impl Decisions {
    pub(crate) fn latency(&self, configuration: &Configuration, gate: &LatencyGate) -> Result<Decision> {
        let statistics = &self.measure.spec.statistics;
        let confidence = statistics.confidence;
        let baseline = gate.limit.baseline().map(|name| self.measure.configuration(name)).transpose()?;
        let configurations: Vec<&Configuration> = std::iter::once(configuration).chain(baseline).collect();
        let timed = timed(&self.measure, gate, &configurations)?;
        let (quantile, limit, held) = match &gate.limit {
            LatencyLimit::Max { quantile, max } => {
                let max = max.as_secs_f64() * 1e3;
                let held = held_time(&timed.sides[0].in_order(), *quantile, max, confidence)?;
                (Some(*quantile), max, held)
            }
            LatencyLimit::MaxRatio { ratio, baseline } => {
                let stream = Stream::new(statistics.seed).for_name(self.measure.name()).for_name("latency");
                let stream = stream.for_name(&configuration.name).for_name(baseline);
                let [candidate, baseline] = [0, 1].map(|who| &timed.sides[who].blocks);
                (None, *ratio, held_ratio(baseline, candidate, *ratio, confidence, &stream)?)
            }
        };
        let mut warnings = Vec::new();
        let verdict = match (held.reason, gate.inconclusive) {
            (LatencyReason::Within, _) => Verdict::Passed,
            (LatencyReason::Beyond, _) => Verdict::Failed,
            (LatencyReason::NotShown | LatencyReason::FewAnswers, Inconclusive::Fail) => {
                Verdict::Inconclusive
            }
            (LatencyReason::NotShown | LatencyReason::FewAnswers, Inconclusive::Warn) => {
                warnings.push(Warning::new(
                    "fails-nothing",
                    "the result is inconclusive, and only advises because the spec has `inconclusive: warn`",
                ));
                Verdict::Advisory
            }
        };
        warnings.extend(configurations.iter().filter(|one| is_unoptimized(one)).map(|one| {
            let text = format!(
                "{} was built without optimization, so its times differ from a release build; run \
                 `cargo test --release`",
                one.name
            );
            Warning::new("unoptimized", text)
        }));
        let names = configurations.iter().map(|one| one.name.clone());
        let sides: Vec<(String, Latency)> = names.zip(timed.sides.iter().map(times)).collect();
        let results: Vec<f64> = timed.sides.iter().map(|side| results_per_query(side, &timed)).collect();
        let less = returns_less(held.value, &sides, &results);
        warnings.extend(less.map(|text| Warning::new("returns-less", text)));
        let finding = LatencyFinding {
            quantile: quantile.map(|quantile| quantile.to_string()),
            baseline: gate.limit.baseline().map(str::to_owned),
            limit,
            reason: held.reason,
            value: held.value,
            interval: held.interval.map(|interval| [interval.low, interval.high]),
            p: held.p,
            blocks: timed.sides.first().map_or(0, |side| side.blocks.len()),
            queries: timed.queries,
            batch: (timed.batch > 1).then_some(timed.batch),
            sides,
            results,
            warnings,
        };
        Ok(Decision::new(verdict, finding))
    }
}

fn times(side: &SideTimes) -> Latency {
    let all = side.in_order();
    let quantile = |of: Quantile| of.estimate(&all).unwrap_or_default();
    let max = all.last().copied().unwrap_or_default();
    Latency { p50: quantile(Quantile::MEDIAN), p95: quantile(Quantile::P95), max }
}

fn results_per_query(side: &SideTimes, timed: &Timed) -> f64 {
    side.results as f64 / (timed.queries * side.blocks.len()).max(1) as f64
}

/// Returns true for a retriever of this process, if this crate was built without optimization.
fn is_unoptimized(configuration: &Configuration) -> bool {
    let is_here = matches!(
        configuration.source,
        ConfigurationSource::Retriever { .. } | ConfigurationSource::Bm25 { .. }
    );
    is_here && cfg!(debug_assertions)
}

/// A warning if the faster side returns less.
fn returns_less(ratio: f64, sides: &[(String, Latency)], results: &[f64]) -> Option<String> {
    let [(candidate, _), (baseline, _)] = sides else { return None };
    let [ours, theirs] = results else { return None };
    let (faster, less, more) = if ratio < 1.0 { (candidate, ours, theirs) } else { (baseline, theirs, ours) };
    (less < more).then(|| {
        format!("{faster} is faster and returns less: {less:.1} results per query, and the other side returns {more:.1}")
    })
}
