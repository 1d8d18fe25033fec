//! The observed units, made to have another mean.

use crate::order;
use crate::stats::Differences;
use crate::stats::stream::Sequence;

/// Tilting that would leave less than this share of the variance, or of which it is this share, has come to the
/// edge of what was observed.
const LEAST_SPREAD: f64 = 0.6;

/// Newton's steps towards a mean, and the share of the largest value that counts as reached.
const STEPS: usize = 80;
const REACHED: f64 = 1e-10;

/// What it takes to weigh a unit once, and to bring one in order and to make its tables: in units drawn.
const WEIGHED: u64 = 2;
const ORDERED: u64 = 20;

/// What samples are drawn from: the observed units, some more often than others.
pub(super) struct Population {
    /// Each unit's sum of differences and number of queries; of binary scores a gain, a tie and a loss.
    pub(super) units: Vec<[f64; 2]>,
    pub(super) weights: Vec<f64>,
    pub(super) binary: bool,
    /// Walker's aliases: of each place the share of it that is its own, and whose the rest is.
    aliases: Vec<(u32, u32)>,
}

impl Population {
    /// The observed units with this mean difference per query. Nothing where no such units can be made: beyond 1
    /// of binary scores.
    ///
    /// Where the mean lies within what was observed, units are drawn with other probabilities (exponential
    /// tilting, which changes the distribution least), so that ties stay ties and all values are observed ones;
    /// elsewhere every unit is shifted.
    ///
    /// What that takes is added to `work`.
    pub(super) fn new(differences: &Differences, mean: f64, work: &mut u64) -> Option<Self> {
        let binary = differences.is_binary();
        if binary {
            let counts = [differences.wins(), differences.ties(), differences.losses()].map(|n| n as f64);
            let units = vec![[1.0, 1.0], [0.0, 1.0], [-1.0, 1.0]];
            let moved = (counts[0] + counts[2]) / 2.0;
            let mirrored = [moved, counts[1], moved];
            let weights =
                tilted(&units, &counts, mean, work).or_else(|| tilted(&units, &mirrored, mean, work))?;
            return Some(Self::from_units(units, weights, binary));
        }
        let units = in_order(differences);
        let even = vec![1.0; units.len()];
        *work += ORDERED * units.len() as u64;
        let variance = spread(&units, &even, differences.mean());
        let kept = |weights: &Vec<f64>| {
            let tilted = spread(&units, weights, mean);
            tilted >= LEAST_SPREAD * variance && variance >= LEAST_SPREAD * tilted
        };
        if let Some(weights) = tilted(&units, &even, mean, work).filter(kept) {
            return Some(Self::from_units(units, weights, binary));
        }
        Some(Self::shifted(differences, mean))
    }

    /// The observed units, every one of them moved by the same to this mean difference per query.
    pub(super) fn shifted(differences: &Differences, mean: f64) -> Self {
        let shift = mean - differences.mean();
        let units: Vec<[f64; 2]> =
            in_order(differences).iter().map(|[sum, size]| [sum + shift * size, *size]).collect();
        let even = vec![1.0; units.len()];
        Self::from_units(units, even, false)
    }

    fn from_units(units: Vec<[f64; 2]>, mut weights: Vec<f64>, binary: bool) -> Self {
        let total: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= total;
        }
        Self { aliases: aliases(&weights), units, weights, binary }
    }

    /// The unit at a position of a sequence.
    #[inline]
    pub(super) fn draw(&self, random: Sequence, position: u64) -> u32 {
        let word = random.at(position);
        let place = ((word >> 32) * self.aliases.len() as u64) >> 32;
        let (share, other) = self.aliases[place as usize];
        if (word as u32) < share { place as u32 } else { other }
    }
}

/// Units' sums and sizes, in an order in which the draws are the same whatever the order of the queries.
fn in_order(differences: &Differences) -> Vec<[f64; 2]> {
    let pairs = differences.sums().iter().zip(differences.sizes());
    let mut units: Vec<[f64; 2]> = pairs.map(|(&sum, &size)| [sum, f64::from(size)]).collect();
    order::sort_by(&mut units, |one, other| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
    units
}

/// The variance of units about this mean per query, in squared sums of a unit.
fn spread(units: &[[f64; 2]], weights: &[f64], mean: f64) -> f64 {
    let squares: f64 = units
        .iter()
        .zip(weights)
        .map(|([sum, size], weight)| {
            let apart = sum - mean * size;
            weight * apart * apart
        })
        .sum();
    squares / weights.iter().sum::<f64>()
}

/// Weights in proportion to `exp(t x)` of each unit's distance x from the mean, times `base`, such that they have
/// this mean; nothing where it is not strictly within the units'.
fn tilted(units: &[[f64; 2]], base: &[f64], mean: f64, work: &mut u64) -> Option<Vec<f64>> {
    let apart = units.iter().map(|[sum, size]| sum - mean * size);
    let scale = apart.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
    let apart: Vec<f64> = apart.map(|x| x / scale).collect();
    let held = |side: f64| apart.iter().zip(base).any(|(x, weight)| *weight > 0.0 && side * x > REACHED);
    if !(scale > 0.0 && held(1.0) && held(-1.0)) {
        return None;
    }
    let weigh = |t: f64| -> Vec<f64> {
        apart.iter().zip(base).map(|(x, weight)| weight * (t * x - t.abs()).exp()).collect()
    };
    // The mean grows with t; where a step of Newton's leaves the bracket, the middle is taken.
    let (mut low, mut high, mut t) = (f64::NEG_INFINITY, f64::INFINITY, 0.0_f64);
    for _ in 0..STEPS {
        *work += WEIGHED * units.len() as u64;
        let weights = weigh(t);
        let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
        for (x, weight) in apart.iter().zip(&weights) {
            total += weight;
            first += weight * x;
            second += weight * x * x;
        }
        let (reached, slope) = (first / total, (second - first * first / total) / total);
        if reached.abs() <= REACHED {
            return Some(weights);
        }
        if reached < 0.0 {
            low = t
        } else {
            high = t
        }
        let step = (-reached / slope.max(1e-9)).clamp(-10.0, 10.0);
        t += step;
        if !(low < t && t < high) {
            t = f64::midpoint(low.max(-600.0), high.min(600.0));
        }
    }
    None
}

/// Walker's alias method, in Vose's linear time.
fn aliases(weights: &[f64]) -> Vec<(u32, u32)> {
    let mut share: Vec<f64> = weights.iter().map(|weight| weight * weights.len() as f64).collect();
    let mut aliases: Vec<(u32, u32)> = (0..weights.len() as u32).map(|place| (u32::MAX, place)).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..share.len()).partition(|&at| share[at] < 1.0);
    while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
        aliases[less] = ((share[less] * 2f64.powi(32)) as u32, more as u32);
        share[more] -= 1.0 - share[less];
        if share[more] < 1.0 {
            large.pop();
            small.push(more);
        }
    }
    aliases
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stream;

    fn mean(population: &Population) -> f64 {
        let of = |part: usize| {
            population.units.iter().zip(&population.weights).map(|(unit, w)| w * unit[part]).sum::<f64>()
        };
        of(0) / of(1)
    }

    #[test]
    fn tilting_keeps_ties_and_values() {
        let values = [-0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.5];
        let differences = Differences::new(&[0.0; 8], &values).unwrap();
        for wished in [-0.2, 0.0, 0.03125, 0.3] {
            let population = Population::new(&differences, wished, &mut 0).unwrap();
            assert!((mean(&population) - wished).abs() < 1e-9);
            assert!(population.units.iter().zip(values).all(|(unit, value)| *unit == [value, 1.0]));
            // exp(t x): gains of .5 and .25 weigh as ties and t say
            let w = &population.weights;
            assert!((w[6] / w[1] - (w[7] / w[1]).sqrt()).abs() < 1e-9);
        }
        // as observed: every unit as often
        let population = Population::new(&differences, differences.mean(), &mut 0).unwrap();
        assert!(population.weights.iter().all(|weight| (weight - 0.125).abs() < 1e-9));
        // outside of what was observed all are shifted
        let population = Population::new(&differences, 0.6, &mut 0).unwrap();
        assert!((mean(&population) - 0.6).abs() < 1e-9 && population.units[1] == [0.56875, 1.0]);
    }

    #[test]
    fn groups_have_a_mean_per_query() {
        let differences =
            Differences::grouped(&[0.0; 6], &[0.3, 0.1, -0.2, 0.1, 0.0, -0.4], &[1, 1, 1, 2, 2, 3]).unwrap();
        for wished in [-0.1, 0.02] {
            assert!((mean(&Population::new(&differences, wished, &mut 0).unwrap()) - wished).abs() < 1e-9);
        }
    }

    #[test]
    fn binary_scores_stay_binary() {
        let scores = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0];
        let differences = Differences::new(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0], &scores).unwrap();
        // one gain in eight, no loss: losses are drawn from the gains turned round
        for wished in [-0.05, 0.05, 0.2] {
            let population = Population::new(&differences, wished, &mut 0).unwrap();
            assert!(population.binary && (mean(&population) - wished).abs() < 1e-9);
            assert_eq!(population.units, [[1.0, 1.0], [0.0, 1.0], [-1.0, 1.0]]);
        }
        assert!(Population::new(&differences, -1.5, &mut 0).is_none());
    }

    #[test]
    fn units_are_drawn_as_often_as_they_weigh() {
        let differences = Differences::new(&[0.0; 5], &[-0.4, -0.1, 0.0, 0.2, 0.3]).unwrap();
        let population = Population::new(&differences, -0.1, &mut 0).unwrap();
        let random = Stream::new(1).sequence(0);
        let mut drawn = [0.0; 5];
        for position in 0..100_000 {
            drawn[population.draw(random, position) as usize] += 1e-5;
        }
        for (drawn, weight) in drawn.iter().zip(&population.weights) {
            assert!((drawn - weight).abs() < 0.006, "{drawn} {weight}");
        }
    }
}
