//! Gates on answer times.

use crate::Result;
use crate::benchmark::decide::{Decision, Decisions};
use crate::gate::{Inconclusive, LatencyGate, LatencyLimit};
use crate::measure::{SideTimes, Timed};
use crate::model::{LatencyFinding, LatencySide, Verdict};
use crate::spec::{Configuration, ConfigurationSource};
use crate::stats::{LatencyReason, Quantile, Stream, held_ratio, held_time};

impl Decisions {
    pub(crate) fn latency(&self, configuration: &Configuration, gate: &LatencyGate) -> Result<Decision> {
        let statistics = &self.cache.spec.statistics;
        let confidence = statistics.confidence;
        let baseline = gate.limit.baseline().map(|name| self.cache.configuration(name)).transpose()?;
        let configurations: Vec<&Configuration> = std::iter::once(configuration).chain(baseline).collect();
        let timed = self.cache.timed(gate, &configurations)?;
        let (quantile, limit, held) = match &gate.limit {
            LatencyLimit::Max { quantile, max } => {
                let max = max.as_secs_f64() * 1e3;
                let held = held_time(&timed.sides[0].in_order(), *quantile, max, confidence)?;
                (Some(*quantile), max, held)
            }
            LatencyLimit::MaxRatio { ratio, baseline } => {
                let stream = Stream::new(statistics.seed).for_name(self.cache.name()).for_name("latency");
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
                warnings.push(
                    "the result is inconclusive, and only advises because the spec has `inconclusive: warn`"
                        .to_owned(),
                );
                Verdict::Advisory
            }
        };
        warnings.extend(configurations.iter().filter(|one| is_unoptimized(one)).map(|one| {
            format!(
                "{} was built without optimization, so its times differ from a release build; run \
                 `cargo test --release`",
                one.name
            )
        }));
        let sides: Vec<LatencySide> =
            configurations.iter().zip(&timed.sides).map(|(one, times)| side(one, times, &timed)).collect();
        warnings.extend(returns_less(held.value, &sides));
        let finding = LatencyFinding {
            quantile,
            baseline: gate.limit.baseline().map(str::to_owned),
            limit,
            reason: held.reason,
            value: held.value,
            interval: held.interval.map(|interval| [interval.low, interval.high]),
            p: held.p,
            blocks: gate.blocks,
            queries: timed.queries,
            batch: (timed.batch > 1).then_some(timed.batch),
            sides,
            warnings,
        };
        Ok(Decision::new(verdict, finding))
    }
}

fn side(configuration: &Configuration, times: &SideTimes, timed: &Timed) -> LatencySide {
    let all = times.in_order();
    let quantile = |of: Quantile| of.estimate(&all).unwrap_or_default();
    LatencySide {
        configuration: configuration.name.clone(),
        p50: quantile(Quantile::MEDIAN),
        p95: quantile(Quantile::P95),
        max: all.last().copied().unwrap_or_default(),
        results: times.results as f64 / (timed.queries * times.blocks.len()).max(1) as f64,
    }
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
fn returns_less(ratio: f64, sides: &[LatencySide]) -> Option<String> {
    let [candidate, baseline] = sides else { return None };
    let (faster, slower) = if ratio < 1.0 { (candidate, baseline) } else { (baseline, candidate) };
    (faster.results < slower.results).then(|| {
        format!(
            "{} is faster and returns less: {:.1} results per query, and the other side returns {:.1}",
            faster.configuration, faster.results, slower.results
        )
    })
}
