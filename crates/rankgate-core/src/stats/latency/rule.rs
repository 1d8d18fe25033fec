//! What times say of a limit: the rule that decides latency gates.

use super::{LatencyRatio, PairedTimes, latency_ratio};
use crate::stats::{Confidence, Interval, Quantile, Stream};
use crate::words::keywords;
use crate::{Error, Result};

keywords! {
    /// What the verdict on a limit on answer times rests on.
    pub enum LatencyReason {
        /// The whole interval is within the limit: it holds.
        Within = "within" => "the whole interval is within the limit",
        /// The whole interval is beyond the limit: it does not hold.
        Beyond = "beyond" => "the whole interval is beyond the limit",
        /// The limit is inside the interval: not decided.
        NotShown = "not-shown" => "the limit is inside the interval",
        /// The baseline differs from itself by as much as the limit allows: not decided.
        Noise = "noise" => "the baseline differs from itself by as much as the limit allows",
        /// So few answers cannot show anything: not decided.
        FewAnswers = "few-answers" => "too few answers",
        /// So few blocks cannot show anything: not decided.
        FewBlocks = "few-blocks" => "too few blocks",
        /// The retrievers were built without optimization: not measured.
        Unoptimized = "unoptimized" => "the build is not optimized",
    }
}

/// A ratio held against its limit, beside what the baseline shows against itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LatencyOutcome {
    /// What the decision rests on.
    pub reason: LatencyReason,
    /// The candidate against the baseline.
    pub seen: LatencyRatio,
    /// The baseline against itself.
    pub noise: LatencyRatio,
    /// The smallest difference that can be seen here, .18 for 18%: what the interval of `noise` reaches, whichever way.
    /// `None` where it has no end.
    pub least: Option<f64>,
    /// How many there are of what has to be enough: times of a side or, of p50, pairs.
    pub answers: usize,
    /// How many of them it takes.
    pub answers_needed: usize,
}

/// Decides whether the candidate takes at most `limit` times as long as the baseline.
///
/// `times` are those of both, `itself` those of the baseline asked twice in the same blocks. What can be seen here comes
/// first: where the baseline differs from itself by as much as the limit allows, nothing is decided. Else the limit does
/// not hold where the ratio is shown to be above it, and holds where it is shown to be below it, at half of 1 less the
/// confidence each; otherwise nothing is decided.
///
/// # Errors
/// A limit that is not a finite number above 0.
pub fn latency_outcome(
    times: &PairedTimes,
    itself: &PairedTimes,
    quantile: Quantile,
    limit: f64,
    confidence: Confidence,
    stream: &Stream,
) -> Result<LatencyOutcome> {
    let seen = latency_ratio(times, quantile, limit, confidence, &stream.for_name("ratio"))?;
    let noise = latency_ratio(itself, quantile, 1.0, confidence, &stream.for_name("itself"))?;
    let least = noise.interval.map(|Interval { low, high }| high.max(1.0 / low) - 1.0);
    // The signs of fewer pairs, or blocks, could all agree by chance; of typical times every query has one sign.
    let signs = Quantile::MEDIAN.values_needed(confidence);
    let answers = if quantile == Quantile::MEDIAN { times.pairs() } else { times.answers() };
    let answers_needed = quantile.values_needed(confidence);
    let reason = if times.blocks() < signs {
        LatencyReason::FewBlocks
    } else if answers < answers_needed {
        LatencyReason::FewAnswers
    } else if least.is_none_or(|least| 1.0 + least >= limit.max(1.0 / limit)) {
        LatencyReason::Noise
    } else if seen.p_above <= confidence.tail() {
        LatencyReason::Beyond
    } else if seen.p_below <= confidence.tail() {
        LatencyReason::Within
    } else {
        LatencyReason::NotShown
    };
    Ok(LatencyOutcome { reason, seen, noise, least, answers, answers_needed })
}

/// A quantile held against the longest time that it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HeldTime {
    /// What the decision rests on.
    pub reason: LatencyReason,
    /// The quantile of the times.
    pub value: f64,
    /// Its interval by order statistics; `None` of too few times.
    pub interval: Option<Interval>,
}

/// Decides whether the quantile of what sorted `times` were drawn from is at most `max`, by its interval.
///
/// # Errors
/// No times.
pub fn held_time(times: &[f64], quantile: Quantile, max: f64, confidence: Confidence) -> Result<HeldTime> {
    let value = quantile.estimate(times).ok_or_else(|| Error::invalid("there are no times"))?;
    let interval = quantile.interval(times, confidence);
    let reason = match interval {
        None => LatencyReason::FewAnswers,
        Some(interval) if interval.high <= max => LatencyReason::Within,
        Some(interval) if interval.low > max => LatencyReason::Beyond,
        Some(_) => LatencyReason::NotShown,
    };
    Ok(HeldTime { reason, value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of pairs with times around `typical` that differ by up to `noise`, as good as at random.
    fn side(name: &str, blocks: usize, pairs: usize, typical: f64, noise: f64) -> Vec<Vec<f64>> {
        let sequence = Stream::new(7).for_name(name).sequence(0);
        let share = |at: usize| sequence.at(at as u64) as f64 / u64::MAX as f64;
        let time = |block, pair| typical * (1.0 + noise * share(block * pairs + pair));
        (0..blocks).map(|block| (0..pairs).map(|pair| time(block, pair)).collect()).collect()
    }

    fn decided(
        quantile: &str,
        limit: f64,
        [blocks, pairs]: [usize; 2],
        candidate: f64,
        noise: f64,
    ) -> LatencyReason {
        let times = |name, typical| {
            PairedTimes::new(side("a", blocks, pairs, 1.0, noise), side(name, blocks, pairs, typical, noise))
                .unwrap()
        };
        let (quantile, confidence) = (quantile.parse().unwrap(), Confidence::default());
        let stream = Stream::new(1);
        let (pairs, itself) = (times("b", candidate), times("c", 1.0));
        latency_outcome(&pairs, &itself, quantile, limit, confidence, &stream).unwrap().reason
    }

    #[test]
    fn a_ratio_is_within_beyond_or_not_decided_and_why_is_told() {
        use LatencyReason::{Beyond, FewAnswers, FewBlocks, Noise, NotShown, Within};
        for (quantile, limit, size, candidate, noise, expected) in [
            ("p50", 1.25, [12, 40], 1.0, 0.2, Within),
            ("p50", 1.25, [12, 40], 1.6, 0.2, Beyond),
            ("p50", 1.25, [12, 40], 1.25, 0.2, NotShown),
            ("p50", 0.8, [12, 40], 0.5, 0.2, Within),
            ("p50", 0.8, [12, 40], 1.0, 0.2, Beyond),
            ("p95", 1.25, [12, 40], 1.0, 0.2, Within),
            ("p95", 1.25, [12, 40], 1.6, 0.2, Beyond),
            // Whatever is seen, the baseline does not even agree with itself.
            ("p50", 1.02, [6, 12], 3.0, 2.0, Noise),
            ("p95", 1.1, [6, 20], 1.0, 9.0, Noise),
            ("p50", 1.25, [5, 40], 1.0, 0.2, FewBlocks),
            ("p50", 1.25, [12, 5], 1.0, 0.2, FewAnswers),
            ("p95", 1.25, [40, 5], 1.0, 0.2, Within),
            // Twelve blocks of 30 pairs are 360 answers of a side: eight less than p99 takes.
            ("p99", 1.25, [12, 30], 1.0, 0.2, FewAnswers),
        ] {
            assert_eq!(
                decided(quantile, limit, size, candidate, noise),
                expected,
                "{quantile} {limit} {size:?} {candidate}"
            );
        }
    }

    #[test]
    fn a_time_is_held_by_its_interval() {
        let times: Vec<f64> = (1..=200).map(f64::from).collect();
        for (max, expected) in [
            // [184, 197] of 200, as SciPy has it.
            (183.9, LatencyReason::Beyond),
            (184.0, LatencyReason::NotShown),
            (196.9, LatencyReason::NotShown),
            (197.0, LatencyReason::Within),
        ] {
            let held = held_time(&times, Quantile::P95, max, Confidence::default()).unwrap();
            assert_eq!((held.reason, held.value), (expected, 190.0), "{max}");
        }
        let few = held_time(&times[..71], Quantile::P95, 1e9, Confidence::default()).unwrap();
        assert_eq!((few.reason, few.interval), (LatencyReason::FewAnswers, None));
        assert!(held_time(&[], Quantile::P95, 1.0, Confidence::default()).is_err());
    }
}
