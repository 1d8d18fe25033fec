//! How many times as long the candidate takes as the baseline.
//!
//! Two things vary: what is asked, and the machine from block to block. Each is flipped by itself, and the larger p-value
//! counts: a slow spell is no property of the retriever.

use super::PairedTimes;
use crate::json::write_json;
use crate::stats::sum::mean;
use crate::stats::{
    Confidence, Differences, Direction, Engine, Interval, PermutationOptions, Quantile, Stream,
    dual_interval, permutation_test,
};
use crate::{Error, Result};

/// Of more pairs than this, ratios are flipped at random: counting them takes up to a second without optimization.
const COUNTED: usize = 28;
/// Halvings of the logarithm of a ratio: to a hundredth of a percent.
const HALVINGS: usize = 20;
/// A ratio that is beyond this either way is not told from infinity.
const FARTHEST: f64 = 64.0;

/// How many times as long a candidate takes as its baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LatencyRatio {
    /// The ratio that was seen.
    pub ratio: f64,
    /// Every ratio that flipping pairs and flipping blocks do not both reject; `None` where so few pairs or blocks, or times
    /// like these, reject none on one side.
    pub interval: Option<Interval>,
    /// One-sided: that it is above the limit; the larger of the two p-values.
    pub p_above: f64,
    /// One-sided: that it is below the limit; the larger of the two p-values.
    pub p_below: f64,
}

write_json!(struct LatencyRatio { ratio, interval, p_above, p_below });

/// Holds the ratio of two sides' times against `limit`.
///
/// Of p50 it is the ratio of typical times: for every pair the median over the blocks of ln(candidate / baseline), and the
/// mean of that over the pairs. Signs are flipped of whole pairs, and of the means of whole blocks.
///
/// Of any other quantile it is the ratio of the two quantiles, pooled over pairs and blocks. The baseline's times are
/// multiplied by the limit; then under the null each pair's times might as well have changed places. Counted is how many
/// more times of the candidate than of the baseline are above the quantile of all of them, which no exchange moves: a sum
/// over the pairs of every block, or over blocks, whose signs are flipped as they change places. A tail is made of few
/// queries, so that these are not flipped as a whole: unlike p50 it speaks of the queries that were asked, not of others.
///
/// # Errors
/// A limit that is not a finite number above 0.
///
/// # Source
///
/// Fisher, "The Design of Experiments", 1935, for the exchange; Mood, "Introduction to the Theory of Statistics", 1950, for
/// counts above a joint quantile; Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", 2013, for ratios and
/// repetition at each level that varies.
///
/// ```
/// use rankgate::stats::{Confidence, PairedTimes, Quantile, Stream, latency_ratio};
///
/// // Twelve blocks of eight pairs; the candidate takes half as long again, but for noise.
/// let noise = |block: usize, pair: usize| 1.0 + 0.01 * ((block * 7 + pair * 3) % 5) as f64;
/// let side = |times: f64, shift: usize| -> Vec<Vec<f64>> {
///     (0..12).map(|block| (0..8).map(|pair| times * noise(block + shift, pair)).collect()).collect()
/// };
/// let times = PairedTimes::new(side(2.0, 0), side(3.0, 1))?;
/// let seen = latency_ratio(&times, Quantile::MEDIAN, 1.25, Confidence::default(), &Stream::new(1))?;
/// assert!((seen.ratio - 1.5).abs() < 0.03 && seen.p_above <= 0.025 && seen.p_below > 0.9);
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn latency_ratio(
    times: &PairedTimes,
    quantile: Quantile,
    limit: f64,
    confidence: Confidence,
    stream: &Stream,
) -> Result<LatencyRatio> {
    if !(limit.is_finite() && limit > 0.0) {
        return Err(Error::invalid(format!("a ratio of {limit} cannot be tested")));
    }
    if quantile == Quantile::MEDIAN {
        typical(times, limit, confidence, stream)
    } else {
        pooled(times, quantile, limit, confidence)
    }
}

/// The ratio of typical times.
fn typical(times: &PairedTimes, limit: f64, confidence: Confidence, stream: &Stream) -> Result<LatencyRatio> {
    let mut of_pairs = vec![Vec::with_capacity(times.blocks()); times.pairs()];
    let mut of_blocks = vec![Vec::with_capacity(times.pairs()); times.blocks()];
    for (block, pair, baseline, candidate) in times.each() {
        let logarithm = (candidate / baseline).ln();
        of_pairs[pair].push(logarithm);
        of_blocks[block].push(logarithm);
    }
    let pairs: Vec<f64> = of_pairs.iter_mut().map(|logarithms| median(logarithms)).collect();
    let blocks = of_blocks.iter().map(|logarithms| mean(logarithms)).collect::<Result<Vec<f64>>>()?;
    let (mut above, mut below, mut limits) =
        (0.0_f64, 0.0_f64, Some(Interval { low: f64::INFINITY, high: f64::NEG_INFINITY }));
    for (name, units) in [("pairs", &pairs), ("blocks", &blocks)] {
        let differences = Differences::new(&vec![0.0; units.len()], units)?;
        let options = PermutationOptions {
            engine: (units.len() > COUNTED).then_some(Engine::MonteCarlo),
            levels: vec![confidence.tail()],
            stream: stream.for_name(name),
            ..PermutationOptions::default()
        };
        let test = permutation_test(&differences, limit.ln(), &options)?;
        (above, below) = (above.max(test.p(Direction::Greater)), below.max(test.p(Direction::Less)));
        // The larger p-value counts, so that both have to reject: what either interval holds, and what lies between them.
        limits = match (limits, dual_interval(&differences, confidence, &options)) {
            (Some(all), Ok(own)) => {
                Some(Interval { low: all.low.min(own.low), high: all.high.max(own.high) })
            }
            _ => None,
        };
    }
    Ok(LatencyRatio {
        ratio: mean(&pairs)?.exp(),
        interval: limits.map(|Interval { low, high }| Interval { low: low.exp(), high: high.exp() }),
        p_above: above,
        p_below: below,
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// The ratio of a quantile of all times.
fn pooled(
    times: &PairedTimes,
    quantile: Quantile,
    limit: f64,
    confidence: Confidence,
) -> Result<LatencyRatio> {
    let of = |blocks: &[Vec<f64>]| {
        let mut all: Vec<f64> = blocks.iter().flatten().copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        quantile.estimate(&all).ok_or_else(|| Error::invalid("there are no times"))
    };
    let ratio = of(&times.candidate)? / of(&times.baseline)?;
    let [p_above, p_below] = exchanged(times, quantile, limit, confidence)?;
    let at = |logarithm: f64| exchanged(times, quantile, logarithm.exp(), confidence);
    // From a ratio that is rejected down, or up, to the one that was seen, which is not.
    let end = |outer: f64, which: usize| -> Result<Option<f64>> {
        let (mut rejected, mut kept) = (outer, ratio.ln());
        if at(rejected)?[which] > confidence.tail() {
            return Ok(None);
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(rejected, kept);
            if at(middle)?[which] <= confidence.tail() { rejected = middle } else { kept = middle }
        }
        Ok(Some(kept.exp()))
    };
    let low = end(ratio.ln() - FARTHEST.ln(), 0)?;
    let high = end(ratio.ln() + FARTHEST.ln(), 1)?;
    let interval = low.zip(high).map(|(low, high)| Interval { low, high });
    Ok(LatencyRatio { ratio, interval, p_above, p_below })
}

/// One-sided p-values of a ratio above and below the limit.
fn exchanged(
    times: &PairedTimes,
    quantile: Quantile,
    limit: f64,
    confidence: Confidence,
) -> Result<[f64; 2]> {
    let mut all: Vec<f64> =
        times.each().flat_map(|(_, _, baseline, candidate)| [baseline * limit, candidate]).collect();
    let rank = quantile.rank(all.len()).max(1);
    let (_, &mut joint, _) = all.select_nth_unstable_by(rank - 1, f64::total_cmp);
    let (mut pairs, mut blocks) = (Vec::with_capacity(times.answers()), vec![0.0; times.blocks()]);
    for (block, _, baseline, candidate) in times.each() {
        let more = beyond(candidate, joint) - beyond(baseline * limit, joint);
        pairs.push(more);
        blocks[block] += more;
    }
    let mut larger = [0.0_f64; 2];
    for units in [&pairs, &blocks] {
        let differences = Differences::new(&vec![0.0; units.len()], units)?;
        let options = PermutationOptions { levels: vec![confidence.tail()], ..PermutationOptions::default() };
        let test = permutation_test(&differences, 0.0, &options)?;
        for (larger, direction) in larger.iter_mut().zip([Direction::Greater, Direction::Less]) {
            *larger = larger.max(test.p(direction));
        }
    }
    Ok(larger)
}

/// 1 for a time above the quantile, and a half for one that is equal to it: clocks have ticks.
fn beyond(time: f64, joint: f64) -> f64 {
    f64::midpoint(f64::from(u8::from(time > joint)), f64::from(u8::from(time >= joint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(times: &PairedTimes, quantile: &str, limit: f64) -> LatencyRatio {
        let quantile = quantile.parse().unwrap();
        latency_ratio(times, quantile, limit, Confidence::default(), &Stream::new(1)).unwrap()
    }

    /// `candidate` of the block and the pair, against times of 1.
    fn against_ones(blocks: usize, pairs: usize, candidate: impl Fn(usize, usize) -> f64) -> PairedTimes {
        let row = |block| (0..pairs).map(|pair| candidate(block, pair)).collect();
        PairedTimes::new(vec![vec![1.0; pairs]; blocks], (0..blocks).map(row).collect()).unwrap()
    }

    #[test]
    fn six_blocks_are_the_fewest_that_show_anything() {
        // All of 2^n signs but one have a smaller sum: 1/32 for five blocks, 1/64 for six, of twenty pairs that all agree.
        for (blocks, expected) in [(5, 1.0 / 32.0), (6, 1.0 / 64.0), (12, 1.0 / 4096.0)] {
            let seen = ratio(&against_ones(blocks, 20, |_, _| 2.0), "p50", 1.25);
            assert_eq!(
                (seen.ratio, seen.p_above, seen.p_below),
                (2.0_f64.ln().exp(), expected, 1.0),
                "{blocks}"
            );
            assert_eq!(seen.interval.is_some(), blocks > 5);
        }
        // As few queries show as little.
        assert_eq!(ratio(&against_ones(12, 5, |_, _| 2.0), "p50", 1.25).p_above, 1.0 / 32.0);
    }

    #[test]
    fn one_slow_spell_shows_nothing() {
        // In one block of twelve everything takes ten times as long: flipped alone, it is one sign of two.
        let spell = ratio(&against_ones(12, 50, |block, _| if block == 3 { 10.0 } else { 1.0 }), "p95", 1.1);
        assert!(spell.p_above >= 0.5, "{spell:?}");
        let typical =
            ratio(&against_ones(12, 50, |block, _| if block == 3 { 10.0 } else { 1.0 }), "p50", 1.1);
        assert!(typical.ratio == 1.0 && typical.p_above > 0.3, "{typical:?}");
    }

    #[test]
    fn exchanging_pairs_is_what_enumeration_says() {
        // Three blocks of four pairs. The exact shares are counted here over all exchanges of single pairs, and of whole
        // blocks, with the joint quantile taken anew in each.
        let time = |side: usize, at: usize| {
            1.0 + ((side * 31 + at * 7) % 17) as f64 / 8.0 + side as f64 * (at % 3) as f64 / 2.0
        };
        let side =
            |side| (0..3).map(|block| (0..4).map(|pair| time(side, block * 4 + pair)).collect()).collect();
        let times = PairedTimes::new(side(0), side(1)).unwrap();
        let quantile: Quantile = "p60".parse().unwrap();
        let limit = 1.1;
        let more = |swapped: &dyn Fn(usize) -> bool| {
            let pairs: Vec<[f64; 2]> = (0..12)
                .map(|at| {
                    let [a, b] = [time(0, at) * limit, time(1, at)];
                    if swapped(at) { [b, a] } else { [a, b] }
                })
                .collect();
            let mut all = pairs.concat();
            all.sort_by(f64::total_cmp);
            let joint = quantile.estimate(&all).unwrap();
            let beyond = |time: &f64| i32::from(*time > joint) + i32::from(*time >= joint);
            pairs.iter().map(|[a, b]| beyond(b) - beyond(a)).sum::<i32>()
        };
        let seen = more(&|_| false);
        let share = |of: usize, units: u32| {
            let swapped = |mask: u32| more(&|at| mask >> (at / of) & 1 == 1);
            (0..1_u32 << units).filter(|mask| swapped(*mask) >= seen).count() as f64
                / f64::from(1_u32 << units)
        };
        let expected = [share(1, 12), share(4, 3)];
        let found = ratio(&times, "p60", limit);
        assert!((found.p_above - expected[0].max(expected[1])).abs() < 1e-9, "{found:?} {expected:?}");
        assert!(expected.iter().all(|share| (0.02..0.9).contains(share)), "{expected:?}");
    }

    #[test]
    fn intervals_hold_what_the_tests_do_not_reject() {
        let wave = |block: usize, pair: usize| {
            1.3 * (1.0 + 0.2 * (((block * 5 + pair * 11) % 13) as f64 / 13.0 - 0.5))
        };
        let times = against_ones(12, 40, wave);
        for quantile in ["p50", "p90"] {
            let Interval { low, high } = ratio(&times, quantile, 1.0).interval.unwrap();
            assert!(low > 1.0 && low <= high && high < 2.0, "{quantile} {low} {high}");
            for (limit, above, below) in [(low * 0.995, true, false), (high * 1.005, false, true)] {
                let seen = ratio(&times, quantile, limit);
                assert_eq!(
                    (seen.p_above <= 0.025, seen.p_below <= 0.025),
                    (above, below),
                    "{quantile} {limit}"
                );
            }
        }
    }

    #[test]
    fn a_scale_of_both_sides_changes_nothing() {
        let wave = |block: usize, pair: usize| 1.0 + ((block * 3 + pair * 5) % 7) as f64;
        let times = against_ones(8, 30, wave);
        let scaled = |blocks: &[Vec<f64>]| -> Vec<Vec<f64>> {
            blocks.iter().map(|block| block.iter().map(|time| time * 1024.0).collect()).collect()
        };
        let larger = PairedTimes::new(scaled(&times.baseline), scaled(&times.candidate)).unwrap();
        for quantile in ["p50", "p75"] {
            assert_eq!(ratio(&times, quantile, 2.0), ratio(&larger, quantile, 2.0));
        }
        assert!(
            latency_ratio(&times, Quantile::MEDIAN, 0.0, Confidence::default(), &Stream::new(1)).is_err()
        );
    }
}
