//! What an unseen query leaves of a claim about a mean difference.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::UnseenQuery;
use crate::stats::distribution::normal_quantile;
use crate::stats::stream::Sequence;
use crate::stats::{Confidence, Differences, Direction, Interval, Stream};
use crate::words::keywords;

keywords! {
    /// How much an unseen query may change a result before a claim fails.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Robustness {
        /// A gain survives a query that loses a typical amount: by the baseline's scores, and at least half the range.
        #[default]
        Standard = "standard",
        /// A gain survives a query that loses the whole range of the metric, and a drop survives one that gains it.
        Strict = "strict",
        /// The deciding test alone decides.
        None = "none",
    }
}

/// Draws where several collections are weighed together: no sum of combinations has a closed form.
pub const UNSEEN_DRAWS: u64 = 99_999;
const DRAWS: usize = UNSEEN_DRAWS as usize;

/// Points at which the distribution of a collection's mean is computed before it is drawn from, and how far out.
const POINTS: usize = 96;
const OUTERMOST: f64 = 1e-7;

/// The distribution of the mean difference, in the direction of a claim, over all weighings of the units that were seen
/// and of one more, at its worst, in each collection.
pub(in crate::stats) struct WeighedMean<'a> {
    /// 1 where a claim says that the mean is greater, else -1.
    sign: f64,
    kind: Kind<'a>,
}

enum Kind<'a> {
    One {
        sums: Cow<'a, [f64]>,
        sizes: &'a [u32],
        worst: f64,
    },
    /// Sorted draws.
    Several(Vec<f64>),
}

impl<'a> WeighedMean<'a> {
    /// With the `worst` of each collection in the direction of the claim.
    pub(in crate::stats) fn new(
        differences: &'a Differences,
        direction: Direction,
        worst: &[f64],
        stream: &Stream,
    ) -> Self {
        let sign = direction.sign();
        let sums = match direction {
            Direction::Greater => differences.sums().into(),
            Direction::Less => differences.sums().iter().map(|sum| -sum).collect(),
        };
        let kind = match worst {
            [worst] => Kind::One { sums, sizes: differences.sizes(), worst: *worst },
            _ => Kind::Several(drawn(&sums, differences, worst, stream)),
        };
        Self { sign, kind }
    }

    /// The one-sided p-value of the claim that the mean is beyond `null`.
    pub(in crate::stats) fn p(&self, null: f64) -> f64 {
        let null = self.sign * null;
        match &self.kind {
            Kind::One { sums, sizes, worst } => UnseenQuery { sums, sizes, worst: *worst }.tail(null),
            Kind::Several(draws) => {
                let reached = draws.partition_point(|draw| *draw <= null);
                (reached + 1) as f64 / (draws.len() + 1) as f64
            }
        }
    }

    /// The limit of the mean in the direction of the claim, at half of the error rate.
    pub(in crate::stats) fn limit(&self, confidence: Confidence) -> f64 {
        self.sign
            * match &self.kind {
                Kind::One { sums, sizes, worst } => {
                    UnseenQuery { sums, sizes, worst: *worst }.lower_limit(confidence.tail())
                }
                Kind::Several(draws) => {
                    let rank = confidence.tail_rank(draws.len() as u64) as usize;
                    draws.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NEG_INFINITY)
                }
            }
    }
}

impl Differences {
    /// The two-sided limits of the mean, each at half of the error rate, where the differences are scores of this range and
    /// come from one collection or are [joined](Differences::joined) from several: one more query at either end of the range
    /// stands in each of them. Nothing where the range has no such end.
    pub fn unseen_limits(
        &self,
        range: &RangeInclusive<f64>,
        confidence: Confidence,
        stream: &Stream,
    ) -> Option<Interval> {
        let ends = [*range.start(), -range.end()];
        if ends.iter().any(|end| !end.is_finite()) {
            return None;
        }
        let [low, high] =
            [(Direction::Greater, ends[0]), (Direction::Less, ends[1])].map(|(direction, worst)| {
                let worst = vec![worst; self.extremes.len()];
                WeighedMean::new(self, direction, &worst, stream).limit(confidence)
            });
        Some(Interval { low: low.min(self.mean()), high: high.max(self.mean()) })
    }
}

/// Sorted means over all collections, each drawn from its own sequence of random numbers.
fn drawn(sums: &[f64], differences: &Differences, worst: &[f64], stream: &Stream) -> Vec<f64> {
    let sizes = differences.sizes();
    let all: f64 = sizes.iter().map(|&size| f64::from(size)).sum();
    let mut draws = vec![0.0; DRAWS];
    for ((number, units), &worst) in differences.strata().enumerate().zip(worst) {
        let own: f64 = sizes[units.clone()].iter().map(|&size| f64::from(size)).sum();
        let unseen = UnseenQuery { sums: &sums[units.clone()], sizes: &sizes[units], worst };
        let quantiles = Quantiles::new(&unseen);
        let random = stream.sequence(number as u64);
        for (position, draw) in draws.iter_mut().enumerate() {
            *draw += own / all * quantiles.at(normal(random, 2 * position as u64));
        }
    }
    draws.sort_unstable_by(f64::total_cmp);
    draws
}

/// The quantiles of one collection's mean, as a line through exact ones: over normal quantiles they hardly bend.
struct Quantiles {
    /// Normal quantile of the probability, and mean.
    points: Vec<[f64; 2]>,
}

impl Quantiles {
    fn new(unseen: &UnseenQuery<'_>) -> Self {
        let [low, high] = [OUTERMOST, 1.0 - OUTERMOST].map(|level| unseen.lower_limit(level));
        let [first, last] = [OUTERMOST, 1.0 - OUTERMOST].map(normal_quantile);
        let mut points = vec![[first, low]];
        for step in 1..POINTS {
            let mean = low + (high - low) * step as f64 / POINTS as f64;
            let quantile = normal_quantile(unseen.tail(mean));
            // Where all that may be is one number there is nothing between.
            if points.last().is_some_and(|point| point[0] < quantile && point[1] < mean) && quantile < last {
                points.push([quantile, mean]);
            }
        }
        points.push([last, high]);
        Self { points }
    }

    /// The mean at a normal quantile.
    fn at(&self, quantile: f64) -> f64 {
        let after = self.points.partition_point(|point| point[0] < quantile);
        let after = after.clamp(1, self.points.len() - 1);
        let [[from, low], [to, high]] = [self.points[after - 1], self.points[after]];
        low + (high - low) * ((quantile - from) / (to - from)).clamp(0.0, 1.0)
    }
}

/// A normal number from two random ones (Box and Muller).
fn normal(random: Sequence, position: u64) -> f64 {
    let unit = |position| (random.at(position) >> 11) as f64 / 2f64.powi(53);
    (-2.0 * (1.0 - unit(position)).ln()).sqrt() * (std::f64::consts::TAU * unit(position + 1)).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(baseline: &[f64], candidate: &[f64]) -> Differences {
        Differences::new(baseline, candidate).unwrap()
    }

    #[test]
    fn one_collection_is_weighed_exactly() {
        let one = differences(&[0.5, 0.25, 1.0, 0.0], &[0.75, 0.25, 0.5, 0.5]);
        let stream = Stream::new(1);
        let greater = WeighedMean::new(&one, Direction::Greater, &[-0.7], &stream);
        let expected = crate::stats::unseen_tail(&[0.25, 0.0, -0.5, 0.5], -0.7, -0.1).unwrap();
        assert_eq!(greater.p(-0.1), expected);
        let less = WeighedMean::new(&one, Direction::Less, &[-0.7], &stream);
        let expected = crate::stats::unseen_tail(&[-0.25, 0.0, 0.5, -0.5], -0.7, -0.3).unwrap();
        assert_eq!(less.p(0.3), expected);
        let confidence = Confidence::default();
        for (mean, sign) in [(greater, 1.0), (less, -1.0)] {
            let limit = mean.limit(confidence);
            assert!(
                (mean.p(limit) / confidence.tail() - 1.0).abs() < 1e-9 && sign * limit < 0.0625 * sign + 0.3
            );
        }
    }

    #[test]
    fn draws_of_one_collection_are_as_its_exact_distribution() {
        let values: Vec<f64> = (0..40).map(|at| f64::from(at * 7 % 11 - 4) / 10.0).collect();
        let one = differences(&[0.5; 40], &values);
        let draws = drawn(one.sums(), &one, &[-0.6], &Stream::new(1));
        for null in [-0.15, -0.05, 0.0, 0.05, 0.1] {
            let exact = crate::stats::unseen_tail(
                &values.iter().map(|v| v - 0.5).collect::<Vec<_>>(),
                -0.6,
                null - 0.5,
            )
            .unwrap();
            let share = draws.partition_point(|draw| *draw <= null - 0.5) as f64 / DRAWS as f64;
            // four standard errors
            let error = 4.0 * (exact * (1.0 - exact) / DRAWS as f64).sqrt() + 1e-4;
            assert!((share - exact).abs() < error, "{null}: {share} {exact}");
        }
    }

    #[test]
    fn collections_are_drawn_apart_and_weighed_by_their_shares() {
        // The mean of a Dirichlet mean is that of the n + 1 values, its variance their spread over n + 2.
        let parts = [
            differences(&[0.5; 12], &[0.5, 0.75, 0.25, 1.0, 0.5, 0.5, 0.0, 1.0, 0.5, 0.75, 0.5, 0.5]),
            differences(&[0.2; 6], &[0.2, 0.3, 0.2, 0.4, 0.1, 0.2]),
        ];
        let joined = Differences::joined(&[(&parts[0], 1.0), (&parts[1], 1.0)]).unwrap();
        let draws = drawn(joined.sums(), &joined, &[-0.5, -0.2], &Stream::new(1));
        let (mut mean, mut variance) = (0.0, 0.0);
        for (part, worst) in parts.iter().zip([-0.5, -0.2]) {
            let values: Vec<f64> = part.sums().iter().copied().chain([worst]).collect();
            let n = values.len() as f64;
            let center = values.iter().sum::<f64>() / n;
            mean += center / 2.0;
            variance += values.iter().map(|v| (v - center).powi(2)).sum::<f64>() / (n * (n + 1.0)) / 4.0;
        }
        let drawn_mean = draws.iter().sum::<f64>() / DRAWS as f64;
        let drawn_variance = draws.iter().map(|d| (d - drawn_mean).powi(2)).sum::<f64>() / DRAWS as f64;
        assert!((drawn_mean - mean).abs() < 4.0 * (variance / DRAWS as f64).sqrt(), "{drawn_mean} {mean}");
        assert!((drawn_variance / variance - 1.0).abs() < 0.02, "{drawn_variance} {variance}");
    }
}
