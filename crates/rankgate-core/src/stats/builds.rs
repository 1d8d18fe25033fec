//! Whether two retrievers differ by more than builds of one of them do.

use super::Direction;
use super::decision::ROUNDING;
use super::stream::Stream;
use crate::{Error, Result};

/// So many assignments of builds to sides are all looked at; of more, some are drawn.
const MOST_EXACT: u64 = 200_000;
const DRAWN: u64 = 99_999;

/// The means of two retrievers, each built several times: what a difference between them is held against where
/// indexes are built, or models trained, by chance.
///
/// Queries tell how a difference varies from query to query, and not how it varies from build to build: all of
/// them are answered by the same one.
#[derive(Clone, Debug, PartialEq)]
pub struct Builds {
    baseline: Vec<f64>,
    candidate: Vec<f64>,
}

impl Builds {
    /// From the mean of each build.
    ///
    /// # Errors
    /// A side without a build, a mean that is not finite.
    pub fn new(baseline: &[f64], candidate: &[f64]) -> Result<Self> {
        if baseline.is_empty() || candidate.is_empty() {
            return Err(Error::invalid("a side without a build cannot be compared"));
        }
        if let Some(mean) = baseline.iter().chain(candidate).find(|mean| !mean.is_finite()) {
            return Err(Error::invalid(format!("the mean of a build is {mean}")));
        }
        Ok(Self { baseline: baseline.to_vec(), candidate: candidate.to_vec() })
    }

    /// How often the baseline was built, and the candidate.
    pub fn counts(&self) -> [usize; 2] {
        [self.baseline.len(), self.candidate.len()]
    }

    /// The one-sided p-value of the permutation test of two samples: the share of all assignments of builds to
    /// sides whose difference of means is at least as far in that direction, where the candidate's differ from
    /// the baseline's by `null`. Of more than 200,000 assignments 99,999 are drawn.
    ///
    /// # Source
    ///
    /// Fisher, "The Design of Experiments", 1935; Pitman, "Significance Tests Which May be Applied to Samples from
    /// any Populations", 1937.
    ///
    /// ```
    /// use rankgate::stats::{Builds, Direction, Stream};
    ///
    /// // All four builds of the candidate are below all of the baseline: one of 8! / (4! 4!) = 70 assignments.
    /// let builds = Builds::new(&[0.51, 0.52, 0.50, 0.53], &[0.48, 0.47, 0.49, 0.46])?;
    /// assert_eq!(builds.p(0.0, Direction::Less, &Stream::new(1)), 1.0 / 70.0);
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn p(&self, null: f64, direction: Direction, stream: &Stream) -> f64 {
        let sign = direction.sign();
        let ours = self.candidate.iter().map(|mean| sign * (mean - null));
        // With the sum of all the same, the means lie apart as the candidate's sum says.
        let all: Vec<f64> = ours.chain(self.baseline.iter().map(|mean| sign * mean)).collect();
        let size = self.candidate.len();
        let observed: f64 = all[..size].iter().sum();
        let reached = observed - ROUNDING * (1.0 + observed.abs());
        let assignments = assignments(all.len(), size);
        if assignments <= MOST_EXACT as f64 {
            return reaching(&all, size, reached) as f64 / assignments;
        }
        let drawn = (0..DRAWN).filter(|&number| draw(&all, size, stream, number) >= reached).count();
        (drawn + 1) as f64 / (DRAWN + 1) as f64
    }

    /// The smallest p-value that so many builds can give.
    pub fn smallest_p(&self) -> f64 {
        let [baseline, candidate] = self.counts();
        1.0 / assignments(baseline + candidate, candidate)
    }

    /// How many builds of each side could show anything at a one-sided level; `None` at a level of 0.
    pub fn needed(level: f64) -> Option<usize> {
        // Of 500 and 500 there are 1e299.
        (1..=500).find(|&builds| level > 0.0 && 1.0 / assignments(2 * builds, builds) <= level)
    }
}

/// Of `all` things, how many choices of `size` there are.
fn assignments(all: usize, size: usize) -> f64 {
    let of = |product: f64, at: usize| product * (all - size + at) as f64 / at as f64;
    // Each step is a number of choices, and exact while that is below 2^53.
    (1..=size).fold(1.0, of)
}

/// How many choices of `size` of the numbers have at least such a sum.
fn reaching(all: &[f64], size: usize, sum: f64) -> u64 {
    match (size, all.split_first()) {
        (0, _) => u64::from(0.0 >= sum),
        (_, None) => 0,
        (_, Some(_)) if size > all.len() => 0,
        (_, Some((first, rest))) => reaching(rest, size - 1, sum - first) + reaching(rest, size, sum),
    }
}

/// The sum of a choice of `size` of the numbers, by the first steps of a shuffle.
fn draw(all: &[f64], size: usize, stream: &Stream, number: u64) -> f64 {
    use rand::RngExt;
    let (mut random, mut left) = (stream.rng(number), all.to_vec());
    let mut sum = 0.0;
    for _ in 0..size {
        sum += left.swap_remove(random.random_range(0..left.len()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Direction::{Greater, Less};
    use crate::stats::{Differences, PermutationOptions, permutation_test};

    #[test]
    fn p_values_are_shares_of_all_assignments() {
        let stream = Stream::new(1);
        // SciPy 1.14: permutation_test((a, b), lambda x, y: mean(x) - mean(y), alternative="greater")
        let builds = Builds::new(&[1.0, 2.0, 4.0], &[3.0, 5.0, 6.0]).unwrap();
        assert_eq!(builds.p(0.0, Greater, &stream), 2.0 / 20.0);
        assert_eq!(builds.p(0.0, Less, &stream), 19.0 / 20.0);
        // The candidate is 2 1/3 better: not more than that.
        assert!(builds.p(2.0, Greater, &stream) > 0.3);
        // Equal builds are all alike, whatever sums are made of them.
        let same = Builds::new(&[0.1, 0.1, 0.1], &[0.1, 0.1, 0.1]).unwrap();
        assert_eq!([Greater, Less].map(|side| same.p(0.0, side, &stream)), [1.0, 1.0]);
        let thirds = Builds::new(&[0.1 + 0.2, 0.3], &[0.3, 0.1 + 0.2]).unwrap();
        assert_eq!(thirds.p(0.0, Greater, &stream), 1.0);
        assert!(Builds::new(&[], &[1.0]).is_err() && Builds::new(&[f64::NAN], &[1.0]).is_err());
    }

    #[test]
    fn three_of_each_show_nothing_at_the_usual_level_and_four_can() {
        let three = Builds::new(&[3.0; 3], &[1.0; 3]).unwrap();
        assert_eq!((three.p(0.0, Less, &Stream::new(1)), three.smallest_p()), (0.05, 0.05));
        assert_eq!([0.025, 0.05, 0.0005, 0.0].map(Builds::needed), [Some(4), Some(3), Some(7), None]);
    }

    #[test]
    fn of_very_many_assignments_some_are_drawn() {
        let side = |shift: f64| (0..12).map(|at| f64::from(at * 7 % 12) / 12.0 + shift).collect::<Vec<f64>>();
        let builds = Builds::new(&side(0.0), &side(0.1)).unwrap();
        let all: Vec<f64> = side(0.1).into_iter().chain(side(0.0)).collect();
        let observed: f64 = all[..12].iter().sum();
        let exact = reaching(&all, 12, observed - 1e-9) as f64 / assignments(24, 12);
        let p = builds.p(0.0, Greater, &Stream::new(1));
        assert!((p - exact).abs() < 4.0 * (exact * (1.0 - exact) / 99_999.0).sqrt(), "{p} {exact}");
    }

    #[test]
    fn builds_that_vary_are_no_drop() {
        // Builds of standard deviation .01, 100 queries that differ by .0518 from one to the next: queries alone
        // show a drop of one unchanged retriever against itself in a quarter of all cases.
        let options =
            PermutationOptions { resamples: 999, most_resamples: 0, ..PermutationOptions::default() };
        let (mut alone, mut four) = (0, [0, 0]);
        let repetitions = 400;
        for seed in 0..repetitions {
            use rand::RngExt;
            let mut random = Stream::new(seed).for_name("builds").rng(0);
            let mut gauss = || {
                let (radius, turn): (f64, f64) = (random.random(), random.random());
                (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
            };
            let mut means = || [0; 4].map(|_| 0.01 * gauss());
            let (theirs, ours) = (means(), means());
            let queries: Vec<f64> = (0..100).map(|_| 0.0518 * gauss()).collect();
            let mean = |builds: &[f64]| builds.iter().sum::<f64>() / builds.len() as f64;
            let drop = |theirs: &[f64], ours: &[f64]| {
                let shifted: Vec<f64> = queries.iter().map(|one| one + mean(ours) - mean(theirs)).collect();
                let differences = Differences::new(&[0.0; 100], &shifted).unwrap();
                permutation_test(&differences, 0.0, &options).unwrap().p_less <= 0.025
            };
            alone += usize::from(drop(&theirs[..1], &ours[..1]));
            let builds = Builds::new(&theirs, &ours).unwrap();
            let shown = drop(&theirs, &ours);
            four[0] += usize::from(shown);
            four[1] += usize::from(shown && builds.p(0.0, Less, &Stream::new(1)) <= 0.025);
        }
        let share = |count: usize| count as f64 / repetitions as f64;
        assert!((share(alone) - 0.25).abs() < 0.06, "{}", share(alone));
        assert!(share(four[0]) > 0.06 && share(four[1]) < 0.035, "{four:?}");
    }
}
