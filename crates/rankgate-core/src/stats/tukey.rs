//! Randomised Tukey HSD: all pairs of several configurations at once.

use std::ops::Range;

use super::differences::is_score;
use super::fixed::Fixed;
use super::stream::Sequence;
use super::{ComparedPair, Stream};
use crate::{Error, Result, threads};

/// All ways to permute the rows are listed up to so many.
const MOST_LISTED: u64 = 100_000;

/// Resamples per task.
const CHUNK: u64 = 64;

/// So many swaps of a row's scores share 64 random bits: of ten configurations they take 22, of a hundred 50.
const SWAPS: usize = 8;

/// Randomised Tukey HSD: which pairs of several configurations differ, with the error rate kept over all
/// pairs.
///
/// Each query's scores are permuted among the configurations; a pair's p-value is the share of permutations
/// whose largest difference between two means is at least the pair's. All permutations are listed where
/// there are few, otherwise `resamples` are drawn: `(b + 1) / (B + 1)`. `configurations` holds each one's
/// scores, one per query, in the order of sorted query ids.
///
/// # Errors
///
/// When there are fewer than two configurations, they differ in their number of queries, there are no
/// queries, a score is not finite or over 1e75 in magnitude, or resamples are not from 9 to 10,000,000.
///
/// # Source
///
/// Carterette, "Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval
/// Experiments", 2012.
///
/// ```
/// use rankgate::stats::{Stream, tukey_hsd};
///
/// let a: &[f64] = &[0.7, 0.3, 0.2, 0.6, 0.4];
/// let b: &[f64] = &[0.5, 0.1, 0.0, 0.2, 0.4];
/// let c: &[f64] = &[0.0, 0.0, 0.2, 0.1, 0.3];
/// let pairs = tukey_hsd(&[a, b, c], 9_999, &Stream::new(1))?;
/// assert_eq!((pairs[1].pair, pairs[1].p), ((0, 2), 264.0 / 7776.0));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn tukey_hsd(configurations: &[&[f64]], resamples: u64, stream: &Stream) -> Result<Vec<ComparedPair>> {
    if !(9..=10_000_000).contains(&resamples) {
        return Err(Error::invalid(format!("tukey's test takes 9 to 10000000 resamples, not {resamples}")));
    }
    in_steps(configurations, &[resamples], 1.0, stream)
}

/// The same with the next step's number of resamples as long as a p-value may lie on either side of the level.
pub(super) fn in_steps(
    configurations: &[&[f64]],
    steps: &[u64],
    level: f64,
    stream: &Stream,
) -> Result<Vec<ComparedPair>> {
    let rows = Rows::new(configurations)?;
    if let Some(all) = rows.arrangements() {
        return Ok(rows.compared(&rows.count_all(), all, None));
    }
    // The observed arrangement is one of them.
    let mut counts = rows.nothing();
    count(&rows.sums(), &rows.thresholds(), &mut counts);
    let (mut drawn, mut compared) = (0, Vec::new());
    for &until in steps {
        counts = add(counts, &rows.count_drawn(drawn..until, stream));
        drawn = until;
        compared = rows.compared(&counts, drawn + 1, Some(drawn));
        if compared.iter().all(|pair| pair.is_settled(level)) {
            break;
        }
    }
    Ok(compared)
}

/// The scores as exact integers, query by query.
struct Rows {
    scores: Vec<i64>,
    configurations: usize,
    scale: f64,
}

impl Rows {
    fn new(configurations: &[&[f64]]) -> Result<Self> {
        let queries = configurations.first().map_or(0, |scores| scores.len());
        if configurations.len() < 2 || queries == 0 {
            return Err(Error::invalid("two configurations with scores are needed to compare pairs"));
        }
        if configurations.iter().any(|scores| scores.len() != queries) {
            return Err(Error::invalid("all configurations must have scores for the same queries"));
        }
        let by_query: Vec<f64> =
            (0..queries).flat_map(|query| configurations.iter().map(move |scores| scores[query])).collect();
        if let Some(score) = by_query.iter().find(|score| !is_score(**score)) {
            return Err(Error::invalid(format!("a score must be a finite number, not {score:?}")));
        }
        let largest = by_query.iter().fold(0.0, |largest: f64, score| largest.max(score.abs()));
        let fixed = Fixed::new(&by_query, largest);
        let scale = fixed.scale();
        Ok(Self { scores: fixed.units, configurations: configurations.len(), scale })
    }

    fn queries(&self) -> usize {
        self.scores.len() / self.configurations
    }

    fn sums(&self) -> Vec<i64> {
        let mut sums = vec![0; self.configurations];
        for row in self.scores.chunks(self.configurations) {
            for (sum, score) in sums.iter_mut().zip(row) {
                *sum += score;
            }
        }
        sums
    }

    /// Every pair with the difference of its sums.
    fn pairs(&self) -> impl Iterator<Item = ((usize, usize), i64)> {
        let sums = self.sums();
        let configurations = self.configurations;
        (0..configurations)
            .flat_map(move |first| (first + 1..configurations).map(move |second| (first, second)))
            .map(move |pair| (pair, sums[pair.1] - sums[pair.0]))
    }

    /// What a range must reach for each pair; two sums of as many scores may differ by that many units and
    /// still stand for the same number.
    fn thresholds(&self) -> Vec<i64> {
        let tolerance = 2 * self.queries() as i64;
        self.pairs().map(|(_, difference)| difference.abs() - tolerance).collect()
    }

    /// In how many ways the rows can be permuted, where that is few.
    fn arrangements(&self) -> Option<u64> {
        let row: u64 = (1..=self.configurations as u64).try_fold(1, u64::checked_mul)?;
        row.checked_pow(u32::try_from(self.queries()).ok()?).filter(|&all| all <= MOST_LISTED)
    }

    fn count_all(&self) -> Vec<u64> {
        let orders = orders(self.configurations);
        let thresholds = self.thresholds();
        let mut counts = vec![0; thresholds.len()];
        let mut chosen = vec![0; self.queries()];
        loop {
            let mut sums = vec![0; self.configurations];
            for (row, &order) in self.scores.chunks(self.configurations).zip(&chosen) {
                for (sum, &place) in sums.iter_mut().zip(&orders[order]) {
                    *sum += row[place];
                }
            }
            count(&sums, &thresholds, &mut counts);
            // The next choice of an order for every row, like the digits of a counter.
            let Some(digit) = chosen.iter().position(|&order| order + 1 < orders.len()) else {
                return counts;
            };
            chosen[digit] += 1;
            chosen[..digit].fill(0);
        }
    }

    fn count_drawn(&self, resamples: Range<u64>, stream: &Stream) -> Vec<u64> {
        let thresholds = self.thresholds();
        let of_chunk = |index: usize| {
            let start = resamples.start + index as u64 * CHUNK;
            let mut counts = self.nothing();
            for resample in start..resamples.end.min(start + CHUNK) {
                count(&self.shuffled_sums(stream.sequence(resample)), &thresholds, &mut counts);
            }
            counts
        };
        let chunks = threads::map((resamples.end - resamples.start).div_ceil(CHUNK) as usize, of_chunk);
        chunks.iter().fold(self.nothing(), |all, chunk| add(all, chunk))
    }

    /// One count per pair.
    fn nothing(&self) -> Vec<u64> {
        vec![0; self.configurations * (self.configurations - 1) / 2]
    }

    fn compared(&self, counts: &[u64], all: u64, resamples: Option<u64>) -> Vec<ComparedPair> {
        let of_pair = |((pair, difference), &count): (((usize, usize), i64), &u64)| ComparedPair {
            pair,
            difference: difference as f64 / self.scale / self.queries() as f64,
            p: count as f64 / all as f64,
            resamples,
        };
        self.pairs().zip(counts).map(of_pair).collect()
    }

    fn shuffled_sums(&self, random: Sequence) -> Vec<i64> {
        let mut sums = vec![0; self.configurations];
        let mut shuffled = vec![0; self.configurations];
        let mut positions = 0..;
        for row in self.scores.chunks(self.configurations) {
            shuffled.copy_from_slice(row);
            let mut bits = 0;
            for place in (1..shuffled.len()).rev() {
                if place + 1 == shuffled.len() || place % SWAPS == 0 {
                    bits = positions.next().map_or(0, |position| random.at(position));
                }
                shuffled.swap(place, below(place + 1, &mut bits));
            }
            for (sum, score) in sums.iter_mut().zip(&shuffled) {
                *sum += score;
            }
        }
        sums
    }
}

/// A number below `bound` from the highest bits, of which those that are left serve for the next.
fn below(bound: usize, bits: &mut u64) -> usize {
    let product = u128::from(*bits) * bound as u128;
    *bits = product as u64;
    (product >> 64) as usize
}

fn add(mut counts: Vec<u64>, more: &[u64]) -> Vec<u64> {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
    counts
}

fn count(sums: &[i64], thresholds: &[i64], counts: &mut [u64]) {
    let (low, high) = sums.iter().fold((i64::MAX, i64::MIN), |(l, h), &sum| (l.min(sum), h.max(sum)));
    for (count, threshold) in counts.iter_mut().zip(thresholds) {
        *count += u64::from(high - low >= *threshold);
    }
}

/// All orders of `length` places.
fn orders(length: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for place in 0..length {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, place);
                    order
                })
            })
            .collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_configurations_give_the_permutation_test() {
        // flipping signs is permuting pairs: .87109375, the conformance pair of the permutation test
        let a: &[f64] = &[1.0, 0.7, 1.0, 0.7, 0.4, 0.3, 1.0, 0.8, 0.5, 0.9];
        let b: &[f64] = &[0.4, 0.5, 1.0, 0.5, 1.0, 0.9, 0.8, 1.0, 0.3, 0.5];
        let pairs = tukey_hsd(&[b, a], 999, &Stream::new(1)).unwrap();
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].p, 0.87109375);
        assert!((pairs[0].difference - 0.04).abs() < 1e-12);
    }

    #[test]
    fn simulation_approaches_the_list_of_all() {
        let a: &[f64] = &[0.7, 0.3, 0.2, 0.6, 0.4];
        let b: &[f64] = &[0.5, 0.1, 0.0, 0.2, 0.4];
        let c: &[f64] = &[0.0, 0.0, 0.2, 0.1, 0.3];
        let rows = Rows::new(&[a, b, c]).unwrap();
        let all = rows.count_all();
        assert_eq!(all, [3384, 264, 5640]);
        let drawn = rows.count_drawn(0..20_000, &Stream::new(2));
        assert_eq!(drawn.len(), all.len());
        for (all, drawn) in all.iter().zip(&drawn) {
            let (all, drawn) = (*all as f64 / 7776.0, *drawn as f64 / 20_000.0);
            assert!((all - drawn).abs() < 0.014, "{all} {drawn}");
        }
        assert_eq!(crate::threads::within(1, || rows.count_drawn(0..20_000, &Stream::new(2))), drawn);
    }

    #[test]
    fn the_observed_arrangement_is_one_of_those_drawn() {
        // without any difference every arrangement is as extreme as the observed one
        let same: &[f64] = &[0.5; 40];
        let pairs = tukey_hsd(&[same, same, same], 999, &Stream::new(1)).unwrap();
        assert_eq!(pairs.iter().map(|pair| pair.p).collect::<Vec<_>>(), [1.0; 3]);
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        let one: &[f64] = &[0.5, 0.4];
        let other: &[f64] = &[0.5];
        let bad: &[f64] = &[0.5, f64::NAN];
        let stream = Stream::new(1);
        let none: &[f64] = &[];
        for configurations in [&[one][..], &[one, other][..], &[one, bad][..], &[none, none][..]] {
            assert!(tukey_hsd(configurations, 999, &stream).is_err());
        }
        assert!(tukey_hsd(&[one, one], 3, &stream).is_err());
        // nothing but ties
        let pairs = tukey_hsd(&[one, one, one], 999, &stream).unwrap();
        assert!(pairs.iter().all(|pair| pair.p == 1.0));
    }
}
