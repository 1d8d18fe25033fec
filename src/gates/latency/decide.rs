//! Gates on answer times.

use std::sync::Arc;
use std::time::Duration;

use crate::benchmark::decide::{Decide, Decision, Decisions};
use crate::gate::{Evidence, Inconclusive, LatencyGate, LatencyLimit};
use crate::spec::{Configuration, ConfigurationSource};
use crate::stats::{Interval, LatencyReason, PairedTimes, Quantile, Stream, held_time, latency_outcome};
use crate::words::{agree, counted};
use crate::{Error, ErrorKind, Result};

use crate::measure::Timed;
use crate::model::{Finding, LatencyCaution, LatencyFinding, LatencySide, NoiseReport, Verdict};
use crate::retriever::Likeness;

/// Points of a distribution: so many evenly over all times, and so many of the slowest one by one.
const EVENLY: usize = 100;
const SLOWEST: usize = 20;
/// Times of fewer ticks of the clock than this are rounded by it.
const TICKS: f64 = 100.0;

impl Decide for Arc<LatencyGate> {
    fn decide(&self, decisions: &Decisions, configuration: &Configuration) -> Result<Decision> {
        decisions.latency(self, configuration)
    }
}

impl Decisions {
    /// Decides one gate on answer times.
    fn latency(&self, gate: &LatencyGate, configuration: &Configuration) -> Result<Decision> {
        let confidence = self.cache.spec.statistics.confidence;
        let mut finding = LatencyFinding {
            quantile: gate.quantile,
            baseline: gate.limit.baseline().map(str::to_owned),
            max_ms: None,
            max_ratio: None,
            reason: LatencyReason::Unoptimized,
            value: None,
            interval: None,
            p_above: None,
            p_below: None,
            noise: None,
            blocks: gate.blocks,
            warm_up: gate.warm_up,
            blocks_needed: Quantile::MEDIAN.values_needed(confidence),
            queries: 0,
            batch: None,
            answers: 0,
            answers_needed: gate.quantile.values_needed(confidence),
            sides: Vec::new(),
            machine: None,
            cautions: Vec::new(),
        };
        match &gate.limit {
            LatencyLimit::Max(max) => self.hold_time(gate, *max, configuration, &mut finding)?,
            LatencyLimit::MaxRatio { ratio, baseline } => {
                let baseline = self.cache.configuration(baseline)?;
                self.hold_ratio(gate, *ratio, [configuration, baseline], &mut finding)?;
            }
        }
        let mut verdict = match finding.reason {
            LatencyReason::Within => Verdict::Passed,
            LatencyReason::Beyond => Verdict::Failed,
            LatencyReason::NotShown
            | LatencyReason::Noise
            | LatencyReason::FewAnswers
            | LatencyReason::FewBlocks
            | LatencyReason::Unoptimized => Verdict::Inconclusive,
        };
        if verdict == Verdict::Inconclusive && gate.inconclusive == Inconclusive::Warn {
            verdict = Verdict::Advisory;
            finding.cautions.insert(0, LatencyCaution::FailsNothing);
        }
        Ok(Decision { verdict, finding: Finding::Latency(Box::new(finding)), acceptable: false })
    }

    /// A quantile against the longest time that it may be.
    fn hold_time(
        &self,
        gate: &LatencyGate,
        max: Duration,
        configuration: &Configuration,
        finding: &mut LatencyFinding,
    ) -> Result<()> {
        finding.max_ms = Some(max.as_secs_f64() * 1e3);
        let timed = self.timed(gate, &[configuration])?;
        finding.cautions.extend(other_answers(&timed, &[configuration])?);
        let times = in_order(&timed.candidate);
        let held = held_time(&times, gate.quantile, max.as_secs_f64() * 1e3, self.confidence())?;
        finding.reason = held.reason;
        finding.value = Some(held.value);
        finding.interval = held.interval.map(limits);
        finding.answers = times.len();
        if unoptimized(configuration) {
            let configuration = configuration.name.clone();
            finding.cautions.push(LatencyCaution::Unoptimized { configuration });
        }
        self.describe(&timed, [Some(configuration), None], finding);
        Ok(())
    }

    /// A ratio against its limit.
    fn hold_ratio(
        &self,
        gate: &LatencyGate,
        ratio: f64,
        [candidate, baseline]: [&Configuration; 2],
        finding: &mut LatencyFinding,
    ) -> Result<()> {
        finding.max_ratio = Some(ratio);
        if !gate.unoptimized && [candidate, baseline].into_iter().any(unoptimized) {
            return Ok(());
        }
        let timed = self.timed(gate, &[candidate, baseline])?;
        finding.cautions.extend(other_answers(&timed, &[candidate, baseline])?);
        let Some([beside, first, second]) = &timed.baseline else {
            return Err(Error::with_kind(ErrorKind::Internal, "the baseline was not asked"));
        };
        let pairs = PairedTimes::new(milliseconds(beside), milliseconds(&timed.candidate))?;
        let itself = PairedTimes::new(milliseconds(first), milliseconds(second))?;
        let stream =
            Stream::new(self.cache.spec.statistics.seed).for_name(self.cache.name()).for_name("latency");
        let stream = stream.for_name(&candidate.name).for_name(&baseline.name);
        let outcome = latency_outcome(&pairs, &itself, gate.quantile, ratio, self.confidence(), &stream)?;
        finding.reason = outcome.reason;
        finding.value = Some(outcome.seen.ratio);
        finding.interval = outcome.seen.interval.map(limits);
        finding.p_above = Some(outcome.seen.p_above);
        finding.p_below = Some(outcome.seen.p_below);
        finding.noise = Some(NoiseReport {
            ratio: outcome.noise.ratio,
            interval: outcome.noise.interval.map(limits),
            least: outcome.least,
        });
        (finding.answers, finding.answers_needed) = (outcome.answers, outcome.answers_needed);
        self.describe(&timed, [Some(candidate), Some(baseline)], finding);
        finding.cautions.extend(returns_less(finding));
        Ok(())
    }

    /// The times that a gate on the first of these is about. All are asked for their scores before, so that timed answers can be
    /// held against scored ones.
    fn timed(&self, gate: &LatencyGate, sides: &[&Configuration]) -> Result<Arc<Timed>> {
        for side in sides {
            self.cache.measurement(side).map_err(|failure| {
                let message = format!("{}: {failure}", side.name);
                Error::with_kind(Error::from(failure).kind(), message)
            })?;
        }
        self.cache.timed(gate, sides[0])
    }

    fn confidence(&self) -> crate::stats::Confidence {
        self.cache.spec.statistics.confidence
    }

    /// The measured times, for any verdict.
    fn describe(&self, timed: &Timed, sides: [Option<&Configuration>; 2], finding: &mut LatencyFinding) {
        finding.queries = timed.queries;
        finding.batch = (timed.batch > 1).then_some(timed.batch);
        finding.machine = Some(timed.machine);
        let beside = timed.baseline.as_ref().map(|[beside, ..]| beside);
        let times = [Some(&timed.candidate), beside];
        for ((configuration, times), results) in sides.into_iter().zip(times).zip(timed.results) {
            let (Some(configuration), Some(times)) = (configuration, times) else { continue };
            let times = in_order(times);
            let quantile = |of: Quantile| {
                let enough = times.len() >= of.values_needed(self.confidence());
                of.estimate(&times).filter(|_| enough)
            };
            let p50 = quantile(Quantile::MEDIAN);
            if p50.is_some_and(|p50| p50 * 1e6 < TICKS * timed.machine.clock_ns as f64) {
                let configuration = configuration.name.clone();
                finding.cautions.push(LatencyCaution::ClockTicks { configuration });
            }
            finding.sides.push(LatencySide {
                configuration: configuration.name.clone(),
                p50,
                p95: quantile(Quantile::P95),
                p99: quantile(Quantile::P99),
                max: times.last().copied().unwrap_or_default(),
                results: results as f64 / (timed.queries * timed.candidate.len()).max(1) as f64,
                distribution: distribution(&times),
            });
        }
    }
}

/// What should be known where timed answers are not those that are scored.
///
/// # Errors
/// Too many that have fewer results: such times are of other work than the scores.
fn other_answers(timed: &Timed, sides: &[&Configuration]) -> Result<Vec<LatencyCaution>> {
    let mut cautions = Vec::new();
    for (configuration, likeness) in sides.iter().zip(timed.likeness) {
        let Likeness { compared, shorter, other } = likeness;
        let name = &configuration.name;
        if shorter as f64 > (1.0 - Evidence::default().share()) * compared as f64 + 1e-9 {
            return Err(Error::invalid(format!(
                "{shorter} of the {} of {name} {} fewer results than the one to the same query that is scored: these are \
                 the times of other answers",
                counted(compared, "timed answer", "timed answers"),
                agree(shorter, "has", "have")
            )));
        }
        if other > 0 {
            let configuration = name.clone();
            cautions.push(LatencyCaution::OtherAnswers { configuration, other, shorter, answers: compared });
        }
    }
    Ok(cautions)
}

/// Whether a retriever of this process was built without optimization, as far as this crate can tell by its own build.
fn unoptimized(configuration: &Configuration) -> bool {
    let here = match configuration.source {
        ConfigurationSource::Retriever { .. } | ConfigurationSource::Bm25 { .. } => true,
        ConfigurationSource::Run { .. }
        | ConfigurationSource::Command { .. }
        | ConfigurationSource::Http(_) => false,
    };
    here && cfg!(debug_assertions)
}

fn limits(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

fn milliseconds(blocks: &[Vec<u64>]) -> Vec<Vec<f64>> {
    blocks.iter().map(|block| block.iter().map(|&time| time as f64 / 1e6).collect()).collect()
}

/// All times in milliseconds, the shortest first.
fn in_order(blocks: &[Vec<u64>]) -> Vec<f64> {
    let mut times: Vec<f64> = milliseconds(blocks).concat();
    times.sort_unstable_by(f64::total_cmp);
    times
}

/// The faster side, where it returns less.
fn returns_less(finding: &LatencyFinding) -> Option<LatencyCaution> {
    let [candidate, baseline] = &finding.sides[..] else { return None };
    let (faster, slower) = if finding.value? < 1.0 { (candidate, baseline) } else { (baseline, candidate) };
    (faster.results < slower.results).then(|| LatencyCaution::ReturnsLess {
        configuration: faster.configuration.clone(),
        results: faster.results,
        against: slower.results,
    })
}

/// Some of the sorted times, each with the share of all that are at most this.
fn distribution(times: &[f64]) -> Vec<[f64; 2]> {
    let n = times.len();
    let evenly = (0..=EVENLY).map(|step| (n * step / EVENLY).clamp(1, n.max(1)));
    let mut ranks: Vec<usize> = evenly.chain(n.saturating_sub(SLOWEST) + 1..=n).collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks.into_iter().filter_map(|rank| Some([*times.get(rank - 1)?, rank as f64 / n as f64])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_has_the_fastest_and_all_of_the_slowest() {
        let times: Vec<f64> = (1..=2000).map(f64::from).collect();
        let points = distribution(&times);
        assert!(points.len() <= EVENLY + SLOWEST + 1, "{}", points.len());
        assert_eq!(points[0], [1.0, 0.0005]);
        assert_eq!(points[points.len() - 20], [1981.0, 1981.0 / 2000.0]);
        assert_eq!(points.last(), Some(&[2000.0, 1.0]));
        assert_eq!(distribution(&[3.0]), [[3.0, 1.0]]);
        assert_eq!(distribution(&[]), [[0.0; 2]; 0]);
    }
}
