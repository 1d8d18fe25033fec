//! Ratio of the candidate's times to the baseline's.

use super::{HeldLatency, LatencyReason};
use crate::stats::sum::mean;
use crate::stats::{
    Confidence, Differences, Direction, Engine, Interval, PermutationOptions, Stream, dual_interval,
    fewest_units, permutation_test,
};
use crate::{Error, Result};

/// Exact enumeration of more queries than this takes up to a second in a debug build.
const COUNTED: usize = 28;

/// Compares the ratio of two sides' times with `limit`.
///
/// Each side has a list for every block, and in it the time of every query, in the same order. The ratio is exp of the mean,
/// over the queries, of the median over the blocks of ln(candidate / baseline). A sign-flip permutation test of the queries'
/// logarithms at ln(`limit`) decides.
///
/// # Errors
/// Lists of different lengths, no times, a time or a limit that is not a finite number above 0.
///
/// # Source
///
/// Fisher, "The Design of Experiments", 1935, for the test; Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time",
/// 2013, for ratios of repeated times.
///
/// ```
/// use rankgate::stats::{Confidence, LatencyReason, Stream, held_ratio};
///
/// let baseline = vec![vec![2.0, 4.0, 3.0, 5.0, 2.5, 3.5]; 12];
/// let candidate = vec![vec![3.0, 6.1, 4.4, 7.5, 3.8, 5.2]; 12];
/// let held = held_ratio(&baseline, &candidate, 1.25, Confidence::default(), &Stream::new(1))?;
/// assert!((held.value - 1.5).abs() < 0.01);
/// assert_eq!((held.reason, held.p), (LatencyReason::Beyond, Some([1.0 / 64.0, 1.0])));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn held_ratio(
    baseline: &[Vec<f64>],
    candidate: &[Vec<f64>],
    limit: f64,
    confidence: Confidence,
    stream: &Stream,
) -> Result<HeldLatency> {
    let is_positive = |number: &f64| number.is_finite() && *number > 0.0;
    if !is_positive(&limit) {
        return Err(Error::invalid(format!("a ratio of {limit} cannot be tested")));
    }
    let queries = baseline.first().map_or(0, Vec::len);
    let blocks = || baseline.iter().chain(candidate);
    if queries == 0 || baseline.len() != candidate.len() || blocks().any(|block| block.len() != queries) {
        return Err(Error::invalid("both sides need times of the same queries in every block"));
    }
    if let Some(time) = blocks().flatten().find(|time| !is_positive(time)) {
        return Err(Error::invalid(format!("an answer time of {time} is not possible")));
    }
    let of_query = |query: usize| {
        let pairs = baseline.iter().zip(candidate);
        median(pairs.map(|(baseline, candidate)| (candidate[query] / baseline[query]).ln()).collect())
    };
    let logarithms: Vec<f64> = (0..queries).map(of_query).collect();
    let differences = Differences::new(&vec![0.0; queries], &logarithms)?;
    let options = PermutationOptions {
        engine: (queries > COUNTED).then_some(Engine::MonteCarlo),
        levels: vec![confidence.tail()],
        stream: *stream,
        ..PermutationOptions::default()
    };
    let test = permutation_test(&differences, limit.ln(), &options)?;
    let [above, below] = [Direction::Greater, Direction::Less].map(|direction| test.p(direction));
    let interval = dual_interval(&differences, confidence, &options).ok();
    let reason = if queries < fewest_units(confidence) {
        LatencyReason::FewAnswers
    } else if above <= confidence.tail() {
        LatencyReason::Beyond
    } else if below <= confidence.tail() {
        LatencyReason::Within
    } else {
        LatencyReason::NotShown
    };
    Ok(HeldLatency {
        reason,
        value: mean(&logarithms)?.exp(),
        interval: interval.map(|Interval { low, high }| Interval { low: low.exp(), high: high.exp() }),
        p: Some([above, below]),
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `candidate` of the block and the query, against times of 1.
    fn held(
        blocks: usize,
        queries: usize,
        limit: f64,
        candidate: impl Fn(usize, usize) -> f64,
    ) -> HeldLatency {
        let of_block = |block| (0..queries).map(|query| candidate(block, query)).collect();
        let times: Vec<Vec<f64>> = (0..blocks).map(of_block).collect();
        let ones = vec![vec![1.0; queries]; blocks];
        held_ratio(&ones, &times, limit, Confidence::default(), &Stream::new(1)).unwrap()
    }

    #[test]
    fn six_queries_are_the_fewest_that_decide() {
        // All 2^n signs but one have a smaller sum.
        let five = held(12, 5, 1.25, |_, _| 2.0);
        assert_eq!(
            (five.reason, five.interval, five.p),
            (LatencyReason::FewAnswers, None, Some([1.0 / 32.0, 1.0]))
        );
        let six = held(12, 6, 1.25, |_, _| 2.0);
        assert_eq!((six.reason, six.p), (LatencyReason::Beyond, Some([1.0 / 64.0, 1.0])));
    }

    #[test]
    fn p_values_are_those_of_enumeration() {
        let time = |query: usize| 1.0 + ((query * 31) % 17) as f64 / 20.0;
        let centered: Vec<f64> = (0..10).map(|query| (time(query) / 1.35).ln()).collect();
        let sum = |mask: u32| -> f64 {
            let signed = |(at, value): (usize, &f64)| if mask >> at & 1 == 1 { -value } else { *value };
            centered.iter().enumerate().map(signed).sum()
        };
        let share = (0..1024_u32).filter(|mask| sum(*mask) >= sum(0) - 1e-12).count() as f64 / 1024.0;
        assert!((0.05..0.9).contains(&share), "{share}");
        let [above, _] = held(6, 10, 1.35, |_, query| time(query)).p.unwrap();
        assert!((above - share).abs() < 1e-9, "{above} {share}");
    }

    #[test]
    fn one_slow_block_changes_nothing() {
        let spell = held(12, 40, 1.1, |block, _| if block == 3 { 10.0 } else { 1.0 });
        assert_eq!((spell.value, spell.reason), (1.0, LatencyReason::Within));
    }

    #[test]
    fn the_reason_follows_the_interval() {
        let wave = |block: usize, query: usize| {
            1.3 * (1.0 + 0.2 * (((block * 5 + query * 11) % 13) as f64 / 13.0 - 0.5))
        };
        let Interval { low, high } = held(12, 40, 1.0, wave).interval.unwrap();
        assert!(1.0 < low && low < high && high < 2.0, "{low} {high}");
        for (limit, expected) in [
            (low * 0.995, LatencyReason::Beyond),
            (low.midpoint(high), LatencyReason::NotShown),
            (high * 1.005, LatencyReason::Within),
        ] {
            assert_eq!(held(12, 40, limit, wave).reason, expected, "{limit}");
        }
    }

    #[test]
    fn impossible_times_are_errors() {
        let one = || vec![vec![1.0, 2.0], vec![3.0, 4.0]];
        let held = |baseline: &[Vec<f64>], limit| {
            held_ratio(baseline, &one(), limit, Confidence::default(), &Stream::new(1))
        };
        assert!(held(&one(), 1.1).is_ok() && held(&one(), 0.0).is_err());
        for wrong in [vec![], vec![vec![], vec![]], vec![vec![1.0, 2.0]], vec![vec![1.0], vec![2.0, 3.0]]] {
            assert!(held(&wrong, 1.1).is_err(), "{wrong:?}");
        }
        for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut wrong = one();
            wrong[1][0] = time;
            assert!(held(&wrong, 1.1).is_err(), "{time}");
        }
    }
}
