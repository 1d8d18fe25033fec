//! The rule of [`outcome`](crate::stats::outcome) on one sample, with p-values that cost microseconds: sums for
//! sign vectors, expansions or few resamples for the bootstrap.

use std::cell::Cell;

use super::population::Population;
use crate::order;
use crate::stats::basis::{Basis, ClaimRule};
use crate::stats::decision::ROUNDING;
use crate::stats::distribution::normal_cdf;
use crate::stats::extremes::Extremes;
use crate::stats::permutation::{at_least, half_span, smallest_p};
use crate::stats::stream::Sequence;
use crate::stats::unseen::approximate_tail;
use crate::stats::{Claim, Direction, Expectation, Stream};

/// Of more units than this no unit is drawn: sums are normal with the population's moments.
const MOST_DRAWN: usize = 400;

/// Up to so many units, and where skewness is larger than this for their number, the bootstrap resamples where
/// an expansion does not tell.
const MOST_RESAMPLED: usize = 60;
const SKEWED: f64 = 0.2;

/// Sign vectors of so many units are counted.
const MOST_COUNTED: usize = 12;

/// Where the resamples of a sample begin in its sequence.
const RESAMPLES_AT: u64 = 1 << 40;

/// What is asked of samples of a population.
pub(super) struct Rule<'a> {
    population: &'a Population,
    claims: Vec<Table>,
    /// A drop has to be larger than this in the sample as well.
    tolerance: Option<f64>,
    /// Whether the bootstrap decides.
    resampled: bool,
    level: f64,
    most_resamples: u64,
    stream: Stream,
}

/// The units' distances from the null of a claim over a scale, positive where they speak for it.
struct Table {
    claim: Claim,
    /// Whose p-value decides it, and the unseen unit's distance from the null.
    basis: Basis,
    unseen: Option<f64>,
    scale: f64,
    values: Vec<f64>,
    /// Half of how far apart sums of randomly signed units are at least; 0 where they lie on no lattice.
    half_span: f64,
    /// The one magnitude of all that are not 0, if there is one.
    magnitude: Option<f64>,
    /// The value that is drawn most often.
    mode: f64,
    moments: Moments,
}

/// A sample that was drawn unit by unit.
#[derive(Clone, Copy)]
struct Drawn<'a> {
    random: Sequence,
    sample: &'a [u32],
    closely: bool,
    work: &'a Cell<u64>,
}

/// Two normal numbers for units that are many, and gains, ties and losses where scores are binary.
#[derive(Clone, Copy)]
struct Sample {
    normal: [f64; 2],
    counts: Option<[f64; 3]>,
}

/// Room for one sample after the other, and the work that all of them took.
#[derive(Default)]
pub(super) struct Room {
    units: Vec<u32>,
    work: Cell<u64>,
}

impl Room {
    /// The work since it was last taken.
    pub(super) fn take_work(&self) -> u64 {
        self.work.take()
    }
}

/// The work of a sample whose sums are normal, in units drawn.
const WORK_OF_MANY: u64 = 16;

fn add(work: &Cell<u64>, more: u64) {
    work.set(work.get().saturating_add(more));
}

/// Sums over the units of a sample.
#[derive(Clone, Copy, Default)]
struct Moments {
    units: f64,
    queries: f64,
    total: f64,
    squares: f64,
    fourths: f64,
    /// Squares of what is left of a unit without its share of the mean.
    residual: f64,
    skewness: f64,
    kurtosis: f64,
    differing: f64,
    /// The share of the commonest value.
    commonest: f64,
}

impl Moments {
    /// Of units of a table, each as often as a list says. Counted by hand, because iterators are slow in builds
    /// without optimization, which is how `cargo test` builds its dependencies.
    fn from_units(
        table: &Table,
        units: &[[f64; 2]],
        times: impl Fn(usize) -> (usize, f64),
        rows: usize,
    ) -> Self {
        let mut sums = [0.0; 4];
        let (mut queries, mut size_squares, mut mixed) = (0.0, 0.0, 0.0);
        let (mut differing, mut commonest, mut count, mut row) = (0.0, 0.0, 0.0, 0);
        while row < rows {
            let (unit, times) = times(row);
            let (value, size) = (table.values[unit], units[unit][1]);
            let square = value * value * times;
            count += times;
            queries += times * size;
            size_squares += times * size * size;
            mixed += times * size * value;
            sums[0] += times * value;
            sums[1] += square;
            sums[2] += square * value;
            sums[3] += square * value * value;
            if value != 0.0 {
                differing += times;
            }
            if value == table.mode {
                commonest += times;
            }
            row += 1;
        }
        let units = count;
        let [total, squares, cubes, fourths] = sums;
        let per_query = total / queries;
        let residual = squares - 2.0 * per_query * mixed + per_query * per_query * size_squares;
        let mean = total / units;
        let second = (squares / units - mean * mean).max(f64::MIN_POSITIVE);
        let third = cubes / units - 3.0 * mean * squares / units + 2.0 * mean.powi(3);
        let fourth = fourths / units - 4.0 * mean * cubes / units + 6.0 * mean * mean * squares / units
            - 3.0 * mean.powi(4);
        Self {
            units,
            queries,
            total,
            squares,
            fourths,
            residual: if residual > 1e-12 * squares { residual } else { 0.0 },
            skewness: finite(third / second.powf(1.5)),
            kurtosis: finite(fourth / (second * second) - 3.0),
            differing,
            commonest: commonest / units,
        }
    }

    /// A sample of so many units whose sums are normal, from two normal numbers.
    fn of_many(self, units: f64, [first, second]: [f64; 2]) -> Self {
        let Self { skewness, kurtosis, .. } = self;
        let root = units.sqrt();
        let variance = self.residual / self.units;
        let normal = first + skewness * (first * first - 1.0) / (6.0 * root);
        let free = (kurtosis + 2.0 - skewness * skewness).max(0.0).sqrt();
        let spread = (1.0 + (skewness * first + free * second) / root).max(0.05);
        let total = units * self.total / self.units + normal * (units * variance).sqrt();
        let residual = units * variance * spread;
        Self {
            units,
            queries: units * self.queries / self.units,
            total,
            squares: residual + total * total / units,
            fourths: units * self.fourths / self.units,
            residual,
            differing: units * self.differing / self.units,
            ..self
        }
    }

    /// The mean over its standard error.
    fn statistic(&self) -> f64 {
        self.total / (self.units / (self.units - 1.0) * self.residual).sqrt()
    }
}

impl<'a> Rule<'a> {
    pub(super) fn new(population: &'a Population, rule: &ClaimRule, extremes: &Extremes, level: f64) -> Self {
        let claims = rule.expectation.claims();
        let hoped: Vec<Claim> =
            claims.iter().copied().filter(|claim| rule.expectation.hopes_for(*claim)).collect();
        let (tolerance, claims) = match rule.expectation {
            Expectation::NoRegression { tolerance } => (Some(tolerance), claims),
            Expectation::NonInferiority { .. }
            | Expectation::Improvement { .. }
            | Expectation::Equivalence { .. } => (None, hoped),
        };
        let table = |claim: Claim| {
            let against = rule.against(extremes, claim.direction, rule.guarantee);
            Table::new(population, claim, rule.basis(claim), against)
        };
        Self {
            claims: claims.into_iter().map(table).collect(),
            tolerance,
            resampled: rule.test.resamples(),
            level,
            // Five of them in the tail.
            most_resamples: ((5.0 / level).round() as u64).clamp(200, 2_000) - 1,
            stream: Stream::new(1).for_name("planning"),
            population,
        }
    }

    /// Whether samples of so many units are drawn unit by unit.
    pub(super) fn is_drawn(units: usize) -> bool {
        units <= MOST_DRAWN
    }

    /// Whether samples of so many units are resampled.
    pub(super) fn resamples(&self, units: usize) -> bool {
        let skewness = self.claims.first().map_or(0.0, |table| table.moments.skewness);
        self.resampled && is_few(units as f64, skewness)
    }

    /// Whether the rule holds the claims shown on one sample of so many units. Looked at `closely`, the bootstrap
    /// resamples where an expansion does not tell.
    pub(super) fn shows(&self, number: u64, units: usize, closely: bool, room: &mut Room) -> bool {
        let random = self.stream.sequence(number);
        let sample = self.sample(random, units, room);
        let Room { units: drawn, work } = &*room;
        let unit_by_unit = Self::is_drawn(units).then_some(Drawn { random, sample: drawn, closely, work });
        self.claims.iter().all(|table| {
            let moments = self.moments(table, units, sample, drawn);
            self.is_shown(table, &moments, sample.counts, unit_by_unit)
        })
    }

    /// Draws so many units, one by one into the room, or their sums where they are many.
    fn sample(&self, random: Sequence, units: usize, room: &mut Room) -> Sample {
        let Room { units: drawn, work } = room;
        drawn.clear();
        if !Self::is_drawn(units) {
            add(work, WORK_OF_MANY * self.claims.len() as u64);
            let normal = normal(random);
            let counts = self.population.binary.then(|| self.counts_of_many(units as f64, normal));
            return Sample { normal, counts };
        }
        add(work, units as u64 * (1 + self.claims.len() as u64));
        let mut position = 0;
        while position < units as u64 {
            drawn.push(self.population.draw(random, position));
            position += 1;
        }
        let counts = self.population.binary.then(|| {
            let mut counts = [0.0; 3];
            for &unit in drawn.iter() {
                counts[unit as usize] += 1.0;
            }
            counts
        });
        Sample { normal: [0.0; 2], counts }
    }

    /// The sums of a sample for a claim.
    fn moments(&self, table: &Table, units: usize, sample: Sample, drawn: &[u32]) -> Moments {
        let Sample { normal: [first, second], counts } = sample;
        if let Some(counts) = counts {
            return self.of_counts(table, &counts);
        }
        if Self::is_drawn(units) {
            let row = |row: usize| (drawn[row] as usize, 1.0);
            return Moments::from_units(table, &self.population.units, row, drawn.len());
        }
        // What speaks for the one side of an equivalence speaks against the other.
        let towards = if table.claim.direction == Direction::Greater { first } else { -first };
        table.moments.of_many(units as f64, [towards, second])
    }

    /// Gains, ties and losses of many units, in rounded normal numbers.
    fn counts_of_many(&self, units: f64, [first, second]: [f64; 2]) -> [f64; 3] {
        let [gain, _, loss] = [0, 1, 2].map(|at| self.population.weights[at]);
        let gained = (units * gain + first * (units * gain * (1.0 - gain)).sqrt()).round().clamp(0.0, units);
        let chance = loss / (1.0 - gain).max(f64::MIN_POSITIVE);
        let rest = units - gained;
        let lost =
            (rest * chance + second * (rest * chance * (1.0 - chance)).sqrt()).round().clamp(0.0, rest);
        [gained, rest - lost, lost]
    }

    fn of_counts(&self, table: &Table, counts: &[f64; 3]) -> Moments {
        Moments::from_units(table, &self.population.units, |row| (row, counts[row]), counts.len())
    }

    fn is_shown(
        &self,
        table: &Table,
        moments: &Moments,
        counts: Option<[f64; 3]>,
        drawn: Option<Drawn<'_>>,
    ) -> bool {
        if let Some(tolerance) = self.tolerance
            && moments.total / moments.queries * table.scale <= tolerance + ROUNDING
        {
            return false;
        }
        let unseen = || table.unseen_shows(moments, counts, drawn, self.level);
        let test = || match self.resampled && moments.residual > 0.0 {
            true => self.resamples_show(table, moments, drawn),
            false => table.signs_show(moments, drawn, self.level),
        };
        match table.basis {
            Basis::Test => test(),
            Basis::UnseenQuery => unseen(),
            Basis::Both => test() && unseen(),
        }
    }

    /// Whether the studentised bootstrap shows a claim.
    fn resamples_show(&self, table: &Table, moments: &Moments, drawn: Option<Drawn<'_>>) -> bool {
        // One unit has no spread.
        if moments.residual <= 0.0 || moments.units < 2.0 {
            return false;
        }
        let observed = moments.statistic();
        let without_spread = moments.commonest.powf(moments.units);
        if observed <= 0.0 || without_spread > self.level {
            return false;
        }
        let p = expansion(observed, moments) + without_spread;
        let few = is_few(moments.units, moments.skewness);
        let clear = p > 6.0 * self.level && observed < 1.5 || p < self.level / 6.0 && observed > 3.5;
        match drawn {
            Some(drawn) if drawn.closely && few && !clear => self.resample(table, observed, drawn),
            _ => p <= self.level,
        }
    }

    fn resample(&self, table: &Table, observed: f64, drawn: Drawn<'_>) -> bool {
        let Drawn { random, sample, work, .. } = drawn;
        let units = sample.len() as f64;
        let rows: Vec<[f64; 2]> = sample
            .iter()
            .map(|&unit| [table.values[unit as usize], self.population.units[unit as usize][1]])
            .collect();
        let queries: f64 = rows.iter().map(|row| row[1]).sum();
        let mean = rows.iter().map(|row| row[0]).sum::<f64>() / queries;
        let rows: Vec<[f64; 2]> = rows.iter().map(|[value, size]| [value - mean * size, *size]).collect();
        let allowed = (self.level * (self.most_resamples + 1) as f64).floor() as u64;
        let mut hits = 1;
        let mut position = RESAMPLES_AT;
        for resample in 0..self.most_resamples {
            add(work, rows.len() as u64);
            let (mut sum, mut squares, mut queries, mut mixed, mut size_squares) = (0.0, 0.0, 0.0, 0.0, 0.0);
            let mut at = 0;
            while at < rows.len() {
                let word = random.at(position);
                position += 1;
                let mut half = word & 0xffff_ffff;
                let mut more = 2;
                while more > 0 && at < rows.len() {
                    let [value, size] = rows[((half * rows.len() as u64) >> 32) as usize];
                    sum += value;
                    squares += value * value;
                    queries += size;
                    mixed += value * size;
                    size_squares += size * size;
                    half = word >> 32;
                    more -= 1;
                    at += 1;
                }
            }
            let shift = sum / queries;
            let own = squares - 2.0 * shift * mixed + shift * shift * size_squares;
            let spread = own > 1e-12 * squares;
            if !spread || sum >= observed * (units / (units - 1.0) * own).sqrt() {
                hits += 1;
                if hits > allowed {
                    return false;
                }
            }
            // None in three fifths of them: hardly 1 in 20 would have been in the tail at the level.
            if hits == 1 && resample * 5 > self.most_resamples * 3 {
                return true;
            }
        }
        true
    }
}

impl Table {
    fn new(population: &Population, claim: Claim, basis: Basis, against: Option<f64>) -> Self {
        let towards = if claim.direction == Direction::Greater { 1.0 } else { -1.0 };
        let largest = population.units.iter().fold(0.0, |most: f64, unit| most.max(unit[0].abs()));
        let scale = scale(largest);
        let value = |[sum, size]: &[f64; 2]| {
            let apart = towards * (sum - claim.null * size);
            if apart.abs() <= 1e-12 * largest { 0.0 } else { apart / scale }
        };
        let values: Vec<f64> = population.units.iter().map(value).collect();
        let mut moved = values.iter().map(|value| value.abs()).filter(|value| *value > 0.0);
        let first = moved.next();
        let magnitude = first.filter(|first| moved.all(|value| (value - first).abs() <= 1e-9 * first));
        let mode = mode(&values, &population.weights);
        let half_span = half_span(&values);
        let size = population
            .units
            .iter()
            .zip(&population.weights)
            .map(|(unit, weight)| unit[1] * weight)
            .sum::<f64>();
        let unseen = against.map(|against| size * (-against - towards * claim.null) / scale);
        let mut table = Self {
            claim,
            basis,
            unseen,
            scale,
            half_span,
            magnitude,
            mode,
            moments: Moments::default(),
            values,
        };
        let weigh = |row: usize| (row, population.weights[row]);
        table.moments = Moments::from_units(&table, &population.units, weigh, population.weights.len());
        table
    }

    /// Whether the mean is beyond the null for nearly all weighings of the units and the unseen one.
    fn unseen_shows(
        &self,
        moments: &Moments,
        counts: Option<[f64; 3]>,
        drawn: Option<Drawn<'_>>,
        level: f64,
    ) -> bool {
        let Some(unseen) = self.unseen else { return false };
        let p = match (counts, drawn) {
            (Some(counts), _) => {
                approximate_tail(self.values.iter().copied().zip(counts).chain([(unseen, 1.0)]).collect())
            }
            (None, Some(Drawn { sample, work, .. })) => {
                add(work, 10 * sample.len() as u64);
                let seen = sample.iter().map(|&unit| (self.values[unit as usize], 1.0));
                approximate_tail(seen.chain([(unseen, 1.0)]).collect())
            }
            (None, None) => {
                // Edgeworth's expansion of a sum of many weighed exponentials, whose third cumulant is twice the sum of
                // cubes.
                let mean = moments.total / moments.units;
                let variance = (moments.squares / moments.units - mean * mean).max(0.0);
                let cubes = moments.skewness * variance.powf(1.5) + 3.0 * mean * variance + mean.powi(3);
                let total = moments.total + unseen;
                let squares = moments.squares + unseen * unseen;
                let skewness = 2.0 * (moments.units * cubes + unseen.powi(3)) / squares.powf(1.5);
                let z = -total / squares.sqrt();
                normal_cdf(z) - density(z) * skewness / 6.0 * (z * z - 1.0)
            }
        };
        p <= level
    }

    /// Whether random signs seldom reach the sum.
    fn signs_show(&self, moments: &Moments, drawn: Option<Drawn<'_>>, level: f64) -> bool {
        let all = smallest_p(moments.differing);
        if all > level || moments.total <= 0.0 {
            return false;
        }
        if let (Some(magnitude), true) = (self.magnitude, moments.differing < 1e6) {
            // A normal sum may be larger than so many units can make it.
            let most = moments.differing.round();
            let ahead = ((moments.differing + moments.total / magnitude) / 2.0).round().clamp(0.0, most);
            return at_least(ahead as u32, most as u32) <= level;
        }
        let z = (moments.total - self.half_span) / moments.squares.sqrt();
        // Edgeworth's term of a symmetric sum.
        let fourth = -2.0 * moments.fourths / (moments.squares * moments.squares);
        let p = normal_cdf(-z) + density(z) * fourth / 24.0 * (z.powi(3) - 3.0 * z);
        match drawn {
            Some(drawn) if moments.differing <= MOST_COUNTED as f64 && p < 6.0 * level => {
                add(drawn.work, 1 << moments.differing as u32);
                self.count(drawn.sample, moments.total) <= level
            }
            _ => p.max(all) <= level,
        }
    }

    /// The share of sign vectors that reach the sum.
    fn count(&self, sample: &[u32], total: f64) -> f64 {
        let moved: Vec<f64> =
            sample.iter().map(|&unit| self.values[unit as usize]).filter(|value| *value != 0.0).collect();
        let vectors = 1_u32 << moved.len();
        let reach = total - 1e-9 * moved.iter().map(|value| value.abs()).sum::<f64>();
        // Gray's order: one sign changes at a time. Counted by hand, as moments are.
        let (mut sum, mut signs, mut hits) = (total, 0_u32, 0_u32);
        let mut vector = 1;
        while vector <= vectors {
            if sum >= reach {
                hits += 1;
            }
            let unit = vector.trailing_zeros() as usize;
            if unit < moved.len() {
                let value = moved[unit];
                signs ^= 1 << unit;
                sum += if signs >> unit & 1 == 1 { -2.0 * value } else { 2.0 * value };
            }
            vector += 1;
        }
        f64::from(hits) / f64::from(vectors)
    }
}

/// 0 for what units without spread leave undefined.
fn finite(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

/// A power of two about as large as the largest number: a division by it loses nothing, and fourth powers stay finite.
fn scale(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() { largest.log2().floor().exp2() } else { 1.0 }
}

/// Whether so many units are too few for an expansion.
fn is_few(units: f64, skewness: f64) -> bool {
    units <= MOST_RESAMPLED as f64 || skewness.abs() / units.sqrt() > SKEWED
}

/// The value that weighs most.
fn mode(values: &[f64], weights: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order::sort_by(&mut order, |&a, &b| values[a].total_cmp(&values[b]));
    let (mut most, mut mode, mut weight) = (0.0, f64::NAN, 0.0);
    let mut before = f64::NAN;
    for at in order {
        weight = if values[at] == before { weight + weights[at] } else { weights[at] };
        before = values[at];
        if weight > most {
            (most, mode) = (weight, before);
        }
    }
    mode
}

fn density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

/// The upper tail of a t statistic of so many units of this skewness and kurtosis (Hall, "The Bootstrap and
/// Edgeworth Expansion", 1992).
fn expansion(observed: f64, moments: &Moments) -> f64 {
    let Moments { units, skewness, kurtosis, .. } = *moments;
    let x = observed * (units / (units - 1.0)).sqrt();
    let first = skewness * (2.0 * x * x + 1.0) / 6.0 / units.sqrt();
    let second = x
        * (kurtosis * (x * x - 3.0) / 12.0
            - skewness * skewness * (x.powi(4) + 2.0 * x * x - 3.0) / 18.0
            - (x * x + 3.0) / 4.0)
        / units;
    (normal_cdf(-x) - density(x) * (first + second)).clamp(0.0, 1.0)
}

/// Two independent normal numbers (Box and Muller).
fn normal(random: Sequence) -> [f64; 2] {
    let unit = |position| (random.at(position) >> 11) as f64 / 2f64.powi(53);
    let (radius, angle) = ((-2.0 * (1.0 - unit(0)).ln()).sqrt(), std::f64::consts::TAU * unit(1));
    [radius * angle.cos(), radius * angle.sin()]
}
