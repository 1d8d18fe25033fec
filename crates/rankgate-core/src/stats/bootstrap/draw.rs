//! Drawing resamples and summing over them.

use std::ops::Range;

use super::Bootstrap;
use crate::stats::stream::Sequence;
use crate::stats::{Differences, PairedT, Stream};
use crate::threads;

/// Resamples per task.
const CHUNK: u64 = 64;

/// Variances below this share of the sum of squares are rounding noise of a resample that holds one value
/// only.
const NOISE: f64 = 1e-12;

/// What one resample gave: the shift of the mean, and its standard error where there is spread.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    shift: f64,
    error: Option<f64>,
}

impl Drawn {
    fn studentised(&self) -> Option<f64> {
        self.error.map(|error| self.shift / error)
    }
}

pub(super) fn resample(differences: &Differences, resamples: u64, stream: &Stream) -> Bootstrap {
    let units = Units::new(differences, stream);
    let chunks: Vec<Vec<Drawn>> = threads::map(resamples.div_ceil(CHUNK) as usize, |index| {
        let mut indices = vec![0; units.deviations.len()];
        let start = index as u64 * CHUNK;
        (start..resamples.min(start + CHUNK))
            .map(|resample| {
                if !units.strata.is_empty() {
                    return units.drawn_by_stratum(resample, &mut indices);
                }
                draw(stream.sequence(resample), &mut indices);
                units.sum(&indices).drawn(indices.len() as f64)
            })
            .collect()
    });
    collect(differences, chunks.into_iter().flatten())
}

struct Units<'a> {
    /// From the mean, unit by unit.
    deviations: Vec<f64>,
    sizes: &'a [u32],
    /// Whether every unit is one query, which saves the sums that only groups need.
    single: bool,
    /// Where there are several collections, each by itself.
    strata: Vec<Stratum>,
}

/// A collection whose units are resampled among themselves.
struct Stratum {
    units: Range<usize>,
    /// Its share of the mean.
    weight: f64,
    stream: Stream,
}

/// Sums over one resample.
struct Sums {
    deviations: f64,
    squares: f64,
    weighed: f64,
    queries: f64,
    size_squares: f64,
}

impl<'a> Units<'a> {
    fn new(differences: &'a Differences, stream: &Stream) -> Self {
        let (sizes, queries) = (differences.sizes(), differences.queries() as f64);
        let stratum = |(place, units): (usize, Range<usize>)| {
            let weight = sizes[units.clone()].iter().map(|&size| f64::from(size)).sum::<f64>() / queries;
            Stratum { units, weight, stream: stream.for_name(&place.to_string()) }
        };
        let strata = differences.strata().enumerate().map(stratum);
        let strata = if differences.strata.is_empty() { Vec::new() } else { strata.collect() };
        let single = sizes.iter().all(|&size| size == 1);
        Self { deviations: differences.deviations(), sizes, single, strata }
    }

    /// The weighted mean of the collections' shifts, over the root of its variance.
    fn drawn_by_stratum(&self, resample: u64, indices: &mut [u32]) -> Drawn {
        let (mut shift, mut variance) = (0.0, 0.0);
        for Stratum { units, weight, stream } in &self.strata {
            let own = &mut indices[units.clone()];
            draw(stream.sequence(resample), own);
            own.iter_mut().for_each(|index| *index += units.start as u32);
            let drawn = self.sum(own).drawn(own.len() as f64);
            shift += weight * drawn.shift;
            variance += drawn.error.map_or(0.0, |error| weight * weight * error * error);
        }
        Drawn { shift, error: (variance > 0.0).then(|| variance.sqrt()) }
    }

    fn sum(&self, indices: &[u32]) -> Sums {
        // Locals, which the compiler keeps in registers.
        let (mut deviations, mut squares, mut weighed) = (0.0, 0.0, 0.0);
        if self.single {
            for &index in indices {
                let deviation = self.deviations[index as usize];
                deviations += deviation;
                squares += deviation * deviation;
            }
            let units = indices.len() as f64;
            return Sums { deviations, squares, weighed: deviations, queries: units, size_squares: units };
        }
        let (mut queries, mut size_squares) = (0.0, 0.0);
        for &index in indices {
            let deviation = self.deviations[index as usize];
            let size = f64::from(self.sizes[index as usize]);
            queries += size;
            size_squares += size * size;
            deviations += deviation;
            squares += deviation * deviation;
            weighed += deviation * size;
        }
        Sums { deviations, squares, weighed, queries, size_squares }
    }
}

impl Sums {
    fn drawn(&self, units: f64) -> Drawn {
        let shift = self.deviations / self.queries;
        // Sum of squares about the resample's own mean, which is `shift` per query away.
        let own = self.squares - 2.0 * shift * self.weighed + shift * shift * self.size_squares;
        let error = (units / (units - 1.0) * own.max(0.0)).sqrt() / self.queries;
        let spread = own > NOISE * self.squares;
        Drawn { shift, error: spread.then_some(error) }
    }
}

/// Draws units with replacement, every index equally likely.
fn draw(random: Sequence, indices: &mut [u32]) {
    let units = indices.len() as u32;
    let (pairs, last) = indices.as_chunks_mut::<2>();
    for (position, pair) in (0..).zip(pairs) {
        let word = random.at(position);
        *pair = [index(random, word as u32, units), index(random, (word >> 32) as u32, units)];
    }
    if let [last] = last {
        *last = index(random, random.at(u64::from(units / 2)) as u32, units);
    }
}

/// Lemire's method: the high half of the product of a random number and the bound. Low halves under
/// `2^32 mod bound` would favour some indices; those numbers are drawn again, far down the sequence.
#[inline]
fn index(random: Sequence, number: u32, bound: u32) -> u32 {
    let product = u64::from(number) * u64::from(bound);
    if product as u32 >= bound { (product >> 32) as u32 } else { redraw(random, product, bound) }
}

#[cold]
fn redraw(random: Sequence, mut product: u64, bound: u32) -> u32 {
    let biased = bound.wrapping_neg() % bound;
    let mut position = 1 << 63 | product;
    while (product as u32) < biased {
        position = position.wrapping_add(1 << 32);
        product = (random.at(position) >> 32) * u64::from(bound);
    }
    (product >> 32) as u32
}

fn collect(metric: &Differences, drawn: impl Iterator<Item = Drawn>) -> Bootstrap {
    // Shifts this small are ties with the observed mean, as they are between exact sums.
    let noise = metric.noise();
    let mut shifts = Vec::new();
    let mut studentised = Vec::new();
    let mut wins = 0;
    for drawn in drawn {
        wins += u64::from(metric.mean() + drawn.shift > noise);
        shifts.push(if drawn.shift.abs() <= noise { 0.0 } else { drawn.shift });
        studentised.extend(drawn.studentised());
    }
    shifts.sort_unstable_by(f64::total_cmp);
    studentised.sort_unstable_by(f64::total_cmp);
    Bootstrap {
        mean: metric.mean(),
        units: metric.len(),
        spread: PairedT::new(metric).filter(|t| t.standard_error > 0.0),
        shifts,
        studentised,
        wins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_would_favour_an_index_are_drawn_again() {
        let random = Stream::new(1).sequence(0);
        // 2^32 mod 3 is 1: of the numbers only 0, whose product ends in 0, is one too many
        let again = |product: u64| (random.at((1 << 63 | product) + (1 << 32)) >> 32) * 3;
        assert!(again(0) as u32 >= 3);
        assert_eq!(u64::from(index(random, 0, 3)), again(0) >> 32);
        // 3 n mod 2^32 is 1 and 2: under the bound, but none too many
        assert_eq!(index(random, 2_863_311_531, 3), 2);
        assert_eq!(index(random, 1_431_655_766, 3), 1);
        assert_eq!(index(random, u32::MAX, 3), 2);
        // 2^32 mod (2^31 + 1) is 2^31 - 1: nearly every second number is drawn again
        let bound = (1 << 31) + 1;
        let mut product = 2 * u64::from(bound); // ends in 2
        let mut position = 1 << 63 | product;
        let mut rounds = 0;
        while (product as u32) < (1 << 31) - 1 {
            position += 1 << 32;
            product = (random.at(position) >> 32) * u64::from(bound);
            rounds += 1;
        }
        assert!(rounds > 0);
        assert_eq!(u64::from(index(random, 2, bound)), product >> 32);
    }

    #[test]
    fn a_resample_of_one_value_has_no_spread_but_noise() {
        // three units of 1e6 or of 1e-6: own squares under a 1e-12th of all, and over it
        for (value, own, spread) in [(1e6, 2.0, false), (1e6, 6.0, true), (1e-6, 1e-14, true)] {
            let (squares, deviations) = (3.0 * value * value + own, 3.0 * value);
            let sums = Sums { deviations, squares, weighed: deviations, queries: 3.0, size_squares: 3.0 };
            let drawn = sums.drawn(3.0);
            assert_eq!(drawn.error.is_some(), spread, "{value} {own}");
        }
    }

    #[test]
    fn the_share_of_wins_is_that_of_all_resamples() {
        // 1, 1 and -2.2: only the resamples without the loss win, (2/3)^3 of all
        let differences = Differences::new(&[0.0; 3], &[1.0, 1.0, -2.2]).unwrap();
        let bootstrap = Bootstrap::new(&differences, 99_999, &Stream::new(1)).unwrap();
        // four standard errors
        assert!((bootstrap.win_share() - 8.0 / 27.0).abs() < 0.006, "{}", bootstrap.win_share());
    }

    #[test]
    fn a_resample_is_summed_by_unit() {
        // Three units of 1, 2 and 3 queries, two metrics; the resample holds the units 0, 2 and 2.
        let sum = |rows: [f64; 3]| {
            let deviations = rows.to_vec();
            Units { single: false, sizes: &[1, 2, 3], deviations, strata: Vec::new() }.sum(&[0, 2, 2])
        };
        let (flat, spread) = (sum([1.0, 5.0, 3.0]), sum([-2.0, 5.0, 4.0]));
        assert_eq!((flat.queries, flat.size_squares), (7.0, 19.0));
        assert_eq!((flat.deviations, flat.squares, flat.weighed), (7.0, 19.0, 19.0));
        assert_eq!((spread.deviations, spread.squares, spread.weighed), (6.0, 36.0, 22.0));
        let (flat, spread) = (flat.drawn(3.0), spread.drawn(3.0));
        assert_eq!((flat.shift, flat.error), (1.0, None));
        let own: f64 = 36.0 - 264.0 / 7.0 + 684.0 / 49.0;
        let expected = 6.0 / 7.0 / ((1.5 * own).sqrt() / 7.0);
        assert!((spread.shift - 6.0 / 7.0).abs() < 1e-15);
        assert!((spread.studentised().unwrap() - expected).abs() < 1e-13);
    }
}
