//! Adjusting a family of permutation tests by the distribution of its largest statistic.
//!
//! One sign per unit for all columns, be they metrics or candidates. The null is that a unit's differences, all
//! together, are as likely to have the other sign. Under it the test is exact; for one candidate it follows from
//! the null of each metric's own test. Several candidates share a baseline: where they are as good and scores are skewed, each
//! difference is symmetric by itself and all together are not. Then the test holds in the limit of many units,
//! for the signs keep how the columns go together: the sums' covariance.

use super::monte_carlo::likely_settled;
use super::{PermutationOptions, subsets};
use crate::order;
use crate::stats::{Differences, Direction};
use crate::{Error, Result, threads};

/// All sign vectors are listed up to so many units.
const MOST_EXACT_UNITS: usize = 16;

/// What one metric's p-value becomes in its family.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MaxT {
    /// Each metric's own p-value.
    pub p: Vec<f64>,
    /// Adjusted by the largest statistic of the whole family.
    pub single_step: Vec<f64>,
    /// Adjusted by the largest statistic of those not yet passed over: at most the single-step value, with
    /// the same guarantee.
    pub step_down: Vec<f64>,
    /// Random sign vectors, not counting the observed one; nothing when all were listed.
    pub resamples: Option<u64>,
}

impl MaxT {
    /// Whether it is certain on which side of a level a metric's exact step-down p-value lies, but for a risk
    /// of 1 in 1,000.
    #[must_use]
    pub fn is_settled(&self, metric: usize, level: f64) -> bool {
        self.resamples.is_none_or(|resamples| likely_settled(self.step_down[metric], resamples + 1, level))
    }
}

/// Tests a family of metrics, or of candidates, of the same units together, under shared random signs.
///
/// The statistic of a metric is its mean difference over the root of its sum of squares, which orders sign
/// vectors as its t statistic does. `direction` is one-sided; without one the statistics are taken without
/// their sign. A metric without any difference gets 1. The error rate of the family is kept whatever the
/// dependence of the metrics, and adjusting costs less than Holm's procedure the more alike they are.
///
/// # Errors
///
/// When the metrics differ in their units, or resamples are not from 9 to 10,000,000.
///
/// # Source
///
/// Westfall and Young, "Resampling-Based Multiple Testing", 1993; Boytsov, Belova and Westfall, "Deciding on
/// an Adjustment for Multiplicity in IR Experiments", 2013.
///
/// ```
/// use rankgate::stats::{Differences, Direction, PermutationOptions, max_t};
///
/// let one = Differences::new(&[0.0; 6], &[0.1, 0.3, -0.1, 0.2, 0.4, 0.3])?;
/// let same = one.clone();
/// let family = max_t(&[&one, &same], Some(Direction::Greater), &PermutationOptions::default())?;
/// assert_eq!(family.step_down[0], family.p[0]); // two copies of one metric are one question
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn max_t(
    metrics: &[&Differences],
    direction: Option<Direction>,
    options: &PermutationOptions,
) -> Result<MaxT> {
    if metrics.iter().any(|metric| metric.len() != metrics[0].len()) {
        return Err(Error::invalid("max-t needs the same queries for every metric"));
    }
    let columns: Vec<&[i64]> = metrics.iter().map(|metric| metric.fixed().units.as_slice()).collect();
    of_columns(&columns, direction, options)
}

/// As [`max_t`], on exact integers; zeros stand for units that a metric does not have.
pub(in crate::stats) fn of_columns(
    columns: &[&[i64]],
    direction: Option<Direction>,
    options: &PermutationOptions,
) -> Result<MaxT> {
    options.check()?;
    let Some(units) = columns.first().map(|column| column.len()) else {
        return Ok(MaxT { p: vec![], single_step: vec![], step_down: vec![], resamples: None });
    };
    let family = Family::new(columns, direction, units);
    if units <= MOST_EXACT_UNITS {
        // The complement of a subset without the last unit is a subset with it.
        let mut counts = family.nothing();
        for subset in 0u64..1 << (units - 1) {
            family.count(&mut counts, |column| in_subset(columns[column], subset));
        }
        return Ok(family.adjusted(&counts, None));
    }
    let ones = vec![1; units];
    let mut counts = family.nothing();
    // The observed vector, which flips nothing, and its mirror image.
    family.count(&mut counts, |_| 0);
    let mut drawn = 0;
    let mut resamples = options.resamples;
    loop {
        let until = (resamples / 2).max(drawn);
        let more = subsets::draw(&options.stream, &ones, columns, drawn..until);
        let draws = (until - drawn) as usize;
        let new = threads::map(draws.div_ceil(CHUNK), |index| {
            let mut counts = family.nothing();
            for draw in index * CHUNK..draws.min((index + 1) * CHUNK) {
                family.count(&mut counts, |column| more[column].sums[draw]);
            }
            counts
        });
        counts = new.into_iter().fold(counts, Counts::plus);
        drawn = until;
        let adjusted = family.adjusted(&counts, Some(2 * drawn + 1));
        let settled = (0..columns.len())
            .all(|metric| options.levels.iter().all(|&level| adjusted.is_settled(metric, level)));
        if settled || 2 * drawn + 1 >= options.most_resamples {
            return Ok(adjusted);
        }
        resamples = (2 * drawn + 2 + options.resamples).min(options.most_resamples);
    }
}

fn in_subset(column: &[i64], subset: u64) -> i64 {
    column.iter().enumerate().map(|(unit, value)| if subset >> unit & 1 == 1 { *value } else { 0 }).sum()
}

/// Draws that one thread counts at a time.
const CHUNK: usize = 1024;

struct Family {
    direction: Option<Direction>,
    totals: Vec<i64>,
    /// One over the root of each metric's sum of squares; 0 without any difference.
    weights: Vec<f64>,
    observed: Vec<f64>,
    /// Metrics from the largest observed statistic to the smallest.
    order: Vec<usize>,
    /// How close two statistics may be and still tie.
    tolerance: f64,
}

/// How many sign vectors reach each metric's observed statistic: with its own, with the largest of all, and
/// with the largest of those that are not ahead of it.
#[derive(Debug, Clone)]
struct Counts {
    own: Vec<u64>,
    single_step: Vec<u64>,
    step_down: Vec<u64>,
    vectors: u64,
}

impl Family {
    fn new(columns: &[&[i64]], direction: Option<Direction>, units: usize) -> Self {
        let weight = |column: &&[i64]| {
            let squares: f64 = column.iter().map(|&value| (value as f64).powi(2)).sum();
            if squares > 0.0 { squares.sqrt().recip() } else { 0.0 }
        };
        let weights: Vec<f64> = columns.iter().map(weight).collect();
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let mut family = Self {
            direction,
            totals: columns.iter().map(|column| column.iter().sum()).collect(),
            order: (0..columns.len()).collect(),
            tolerance: 1e-12 + 2.0 * units as f64 * largest,
            observed: Vec::new(),
            weights,
        };
        family.observed =
            (0..columns.len()).map(|metric| family.statistic(metric, family.totals[metric])).collect();
        let observed = &family.observed;
        order::sort_by(&mut family.order, |&a, &b| observed[b].total_cmp(&observed[a]));
        family
    }

    fn statistic(&self, metric: usize, sum: i64) -> f64 {
        let statistic = sum as f64 * self.weights[metric];
        match self.direction {
            Some(Direction::Greater) => statistic,
            Some(Direction::Less) => -statistic,
            None => statistic.abs(),
        }
    }

    fn nothing(&self) -> Counts {
        let zeros = vec![0; self.order.len()];
        Counts { own: zeros.clone(), single_step: zeros.clone(), step_down: zeros, vectors: 0 }
    }

    /// Counts a sign vector that flips a subset of the units, and its mirror image; `subset` is a metric's
    /// sum over that subset.
    fn count(&self, counts: &mut Counts, subset: impl Fn(usize) -> i64) {
        for mirror in [1, -1] {
            let mut largest = f64::NEG_INFINITY;
            for &metric in self.order.iter().rev() {
                let sum = mirror * (self.totals[metric] - 2 * subset(metric));
                let statistic = self.statistic(metric, sum);
                largest = largest.max(statistic);
                let reach = self.observed[metric] - self.tolerance;
                counts.own[metric] += u64::from(statistic >= reach);
                counts.step_down[metric] += u64::from(largest >= reach);
            }
            for (count, observed) in counts.single_step.iter_mut().zip(&self.observed) {
                *count += u64::from(largest >= observed - self.tolerance);
            }
        }
        counts.vectors += 2;
    }

    fn adjusted(&self, counts: &Counts, resamples: Option<u64>) -> MaxT {
        let share = |counted: &[u64]| -> Vec<f64> {
            counted.iter().map(|&count| count as f64 / counts.vectors as f64).collect()
        };
        let mut step_down = share(&counts.step_down);
        let mut so_far: f64 = 0.0;
        for &metric in &self.order {
            so_far = so_far.max(step_down[metric]);
            step_down[metric] = so_far;
        }
        MaxT { p: share(&counts.own), single_step: share(&counts.single_step), step_down, resamples }
    }
}

impl Counts {
    fn plus(mut self, other: Self) -> Self {
        for (to, from) in [
            (&mut self.own, other.own),
            (&mut self.single_step, other.single_step),
            (&mut self.step_down, other.step_down),
        ] {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
        self.vectors += other.vectors;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(rows: &[[f64; 3]]) -> Vec<Differences> {
        let column = |index: usize| -> Vec<f64> { rows.iter().map(|row| row[index]).collect() };
        (0..3).map(|index| Differences::new(&vec![0.0; rows.len()], &column(index)).unwrap()).collect()
    }

    /// One metric strongly up, one up, one down, correlated.
    fn rows(units: usize) -> Vec<[f64; 3]> {
        let wave = |i: usize, step: usize| f64::from((i * step % 23) as u32) / 23.0 - 0.5;
        (0..units)
            .map(|i| [wave(i, 5) + 0.15, wave(i, 5) / 2.0 + wave(i, 7) + 0.1, wave(i, 11) - 0.1])
            .collect()
    }

    #[test]
    fn simulation_approaches_the_list_of_all_vectors() {
        let metrics = metrics(&rows(16));
        let columns: Vec<&[i64]> = metrics.iter().map(|m| m.fixed().units.as_slice()).collect();
        let padded: Vec<Vec<i64>> = columns.iter().map(|c| [*c, &[0; 30]].concat()).collect();
        let padded: Vec<&[i64]> = padded.iter().map(Vec::as_slice).collect();
        for direction in [Some(Direction::Greater), Some(Direction::Less), None] {
            let options = PermutationOptions::default();
            let exact = of_columns(&columns, direction, &options).unwrap();
            // units that no metric has change nothing but the engine
            let simulated = of_columns(&padded, direction, &options).unwrap();
            assert_eq!((exact.resamples, simulated.resamples.is_some()), (None, true));
            for (a, b) in [
                (&exact.p, &simulated.p),
                (&exact.single_step, &simulated.single_step),
                (&exact.step_down, &simulated.step_down),
            ] {
                // four standard errors
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.007), "{exact:?} {simulated:?}");
            }
        }
    }

    #[test]
    fn simulation_goes_on_while_a_level_is_open() {
        // 30 differences of one size, half of them up: P(sum >= 0) = (1 + C(30, 15) / 2^30) / 2 = 0.572.
        let values: Vec<f64> = (0..30).map(|i| if i % 2 == 0 { 0.1 } else { -0.1 }).collect();
        let metric = Differences::new(&[0.0; 30], &values).unwrap();
        let test = |level, resamples, most_resamples| {
            let levels = vec![level];
            let options = PermutationOptions { levels, resamples, most_resamples, ..Default::default() };
            max_t(&[&metric], Some(Direction::Greater), &options).unwrap()
        };
        // far from the level at once; never far enough, odd and even
        for (level, resamples, most, done) in
            [(0.001, 99, 9_999, 99), (0.57, 99, 999, 999), (0.57, 99, 250, 251), (0.57, 100, 100, 101)]
        {
            let found = test(level, resamples, most);
            assert_eq!(found.resamples, Some(done), "{level} {resamples} {most}");
            assert_eq!(found.is_settled(0, level), level == 0.001);
        }
        // in between it stops at the first look that tells
        let some = test(0.7, 99, 9_999);
        let resamples = some.resamples.unwrap();
        assert!(99 < resamples && resamples < 9_999 && (resamples + 1).is_multiple_of(100), "{resamples}");
        assert!(some.is_settled(0, 0.7) && !test(0.7, 99, resamples - 100).is_settled(0, 0.7));
        assert_eq!(test(0.7, 99, resamples), some);
    }

    #[test]
    fn own_p_values_are_those_of_the_single_tests() {
        let metrics = metrics(&rows(12));
        let metrics: Vec<&Differences> = metrics.iter().collect();
        let options = PermutationOptions::default();
        for (direction, name) in [(Direction::Greater, "greater"), (Direction::Less, "less")] {
            let family = max_t(&metrics, Some(direction), &options).unwrap();
            for (metric, p) in metrics.iter().zip(&family.p) {
                let single = crate::stats::permutation_test(metric, 0.0, &options).unwrap();
                assert_eq!(*p, single.p(direction), "{name}");
            }
            for index in 0..3 {
                let (p, down, single) = (family.p[index], family.step_down[index], family.single_step[index]);
                assert!(p <= down && down <= single, "{name} {family:?}");
            }
        }
    }

    #[test]
    fn a_metric_without_differences_is_never_shown() {
        let moved = Differences::new(&[0.0; 8], &[0.1; 8]).unwrap();
        let still = Differences::new(&[0.5; 8], &[0.5; 8]).unwrap();
        let family =
            max_t(&[&still, &moved], Some(Direction::Greater), &PermutationOptions::default()).unwrap();
        assert_eq!(family.step_down, [1.0, 1.0 / 256.0]);
        let other = Differences::new(&[0.0; 7], &[0.1; 7]).unwrap();
        assert!(max_t(&[&other, &moved], None, &PermutationOptions::default()).is_err());
    }
}
