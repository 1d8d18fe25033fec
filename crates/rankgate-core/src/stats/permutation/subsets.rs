//! Sums over random subsets of the units: what every Monte Carlo answer here is read from.

use std::ops::Range;

use crate::stats::stream::Stream;
use crate::threads;

/// Units per block: one random word has a bit for each.
const BLOCK: usize = 64;

/// Draws per task. Long enough that building the tables does not show, short enough for the caches.
const CHUNK: u64 = 4096;

/// Partial sums of eight groups of eight units: entry `b` of a group is the sum of the units whose
/// bits are set in `b`. The eight tables of a block take 16 KB and stay in the first-level cache.
type Tables = [[i64; 256]; 8];

/// For each of some draws, the sum over the drawn subset and the number of queries in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Subsets {
    pub(super) sums: Vec<i64>,
    pub(super) sizes: Vec<u32>,
}

impl Subsets {
    /// Draws more random subsets, each unit in with probability 1/2.
    ///
    /// Draw `i`'s bit for unit `u` depends on the stream, `i` and `u` alone.
    pub(super) fn draw(&mut self, stream: &Stream, sizes: &[u32], values: &[i64], draws: Range<u64>) {
        let chunks = threads::map((draws.end - draws.start).div_ceil(CHUNK) as usize, |index| {
            let start = draws.start + index as u64 * CHUNK;
            chunk(stream, sizes, values, start..draws.end.min(start + CHUNK))
        });
        for chunk in chunks {
            self.sums.extend(chunk.sums);
            self.sizes.extend(chunk.sizes);
        }
    }
}

fn chunk(stream: &Stream, sizes: &[u32], values: &[i64], draws: Range<u64>) -> Subsets {
    let count = (draws.end - draws.start) as usize;
    let single = sizes.iter().all(|&size| size == 1);
    let wide_sizes: Vec<i64> = if single { Vec::new() } else { sizes.iter().map(|&s| s.into()).collect() };
    let mut words = vec![0; count];
    let mut tables: Tables = [[0; 256]; 8];
    let mut sums = vec![0; count];
    let mut counted = vec![0u32; count];
    let mut weighed = vec![0i64; if single { 0 } else { count }];
    for (block, first) in (0..sizes.len()).step_by(BLOCK).enumerate() {
        let units = first..sizes.len().min(first + BLOCK);
        stream.sequence(block as u64).fill(draws.start, &mut words);
        add_block(&values[units.clone()], &words, &mut tables, &mut sums);
        if single {
            count_block(units.len(), &words, &mut counted);
        } else {
            add_block(&wide_sizes[units], &words, &mut tables, &mut weighed);
        }
    }
    if !single {
        counted = weighed.into_iter().map(|size| size as u32).collect();
    }
    Subsets { sums, sizes: counted }
}

/// Adds a block's part to every draw's sum.
fn add_block(units: &[i64], words: &[u64], tables: &mut Tables, sums: &mut [i64]) {
    if units.iter().all(|&unit| unit == 0) {
        return;
    }
    fill(units, tables);
    let [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
    let byte = |word: u64, shift: u32| (word >> shift & 0xff) as usize;
    for (&word, sum) in words.iter().zip(sums) {
        *sum += t0[byte(word, 0)]
            + t1[byte(word, 8)]
            + t2[byte(word, 16)]
            + t3[byte(word, 24)]
            + t4[byte(word, 32)]
            + t5[byte(word, 40)]
            + t6[byte(word, 48)]
            + t7[byte(word, 56)];
    }
}

fn fill(units: &[i64], tables: &mut Tables) {
    for (group, table) in tables.iter_mut().enumerate() {
        table[0] = 0;
        for bit in 0..8 {
            let unit = units.get(group * 8 + bit).copied().unwrap_or(0);
            let (without, with) = table.split_at_mut(1 << bit);
            for (with, without) in with.iter_mut().zip(without) {
                *with = *without + unit;
            }
        }
    }
}

/// Adds to every draw how many of a block's first `units` units it holds.
fn count_block(units: usize, words: &[u64], counted: &mut [u32]) {
    let mask = u64::MAX >> (BLOCK - units);
    for (&word, counted) in words.iter().zip(counted) {
        *counted += (word & mask).count_ones();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit at a time.
    fn naive(stream: &Stream, sizes: &[u32], metric: &[i64], draw: u64) -> (i64, u32) {
        let (mut sum, mut size) = (0, 0);
        for (unit, (value, weight)) in metric.iter().zip(sizes).enumerate() {
            let word = stream.sequence((unit / 64) as u64).at(draw);
            if word >> (unit % 64) & 1 == 1 {
                sum += value;
                size += weight;
            }
        }
        (sum, size)
    }

    #[test]
    fn every_draw_is_the_sum_over_its_bits() {
        let stream = Stream::new(5);
        for units in [1, 63, 64, 65, 200] {
            let one: Vec<i64> = (1..=units).map(|i| i * i * 1_000_003 - 9_000_000).collect();
            let other: Vec<i64> = (1..=units).map(|i| if i % 70 == 0 { i } else { 0 }).collect();
            for sizes in [vec![1; units as usize], (1..=units as u32).collect()] {
                for values in [&one, &other] {
                    let mut drawn = Subsets::default();
                    drawn.draw(&stream, &sizes, values, 4090..4097);
                    drawn.draw(&stream, &sizes, values, 4097..4103);
                    for (index, draw) in (4090..4103).enumerate() {
                        let expected = naive(&stream, &sizes, values, draw);
                        assert_eq!((drawn.sums[index], drawn.sizes[index]), expected);
                    }
                }
            }
        }
    }

    #[test]
    fn each_unit_is_in_half_of_the_subsets() {
        let mut drawn = Subsets::default();
        drawn.draw(&Stream::new(6), &[1; 100], &[1; 100], 0..20_000);
        let sum: i64 = drawn.sums.iter().sum();
        // 2 million fair bits: a standard deviation is 707
        assert!((sum - 1_000_000).abs() < 4 * 707, "{sum}");
        assert_eq!(drawn.sizes.iter().map(|&size| i64::from(size)).sum::<i64>(), sum);
    }
}
