//! How often the rule claims something false, and how often something true:
//! `cargo bench --bench stats_simulation [-- REPETITIONS]`; with `drift`, what becomes of golden runs that are blessed
//! again and again; with `means`, how often limits of single means are wrong.
//!
//! Draws many small test collections from populations of known mean, asks each what a gate would ask, and
//! prints the table of docs/statistics.md with its standard errors. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

#[path = "stats_simulation/drift.rs"]
mod drift;
#[path = "stats_simulation/means.rs"]
mod means;

mod few_resamples;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Differences, Expectation, Outcome, Question, Stream, compare, outcome};
use rayon::prelude::*;

use few_resamples::settings;

const MARGIN: f64 = 0.02;

/// What a drop that is to be seen is worth.
const DROP: f64 = 0.05;

const SIZES: [usize; 5] = [10, 25, 50, 100, 300];

/// Permutation and bootstrap resamples. A p-value of so few is as valid as one of more.
const RESAMPLES: u64 = 1_999;

/// How many false claims of a cell are looked at for cautions.
const LOOKED_AT: usize = 500;

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    println!("{repetitions} repetitions, {RESAMPLES} resamples\n");
    if std::env::args().any(|argument| argument == "drift") {
        return drift::print(repetitions);
    }
    if std::env::args().any(|argument| argument == "means") {
        return means::print(repetitions);
    }
    println!(
        "| population | losses in | n | false drop | false gain | non-inferiority at the margin | equivalence at \
         the margin | power: non-inferiority | power: drop | with a caution |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut above = Vec::new();
    for population in POPULATIONS {
        for &place in population.places {
            for n in SIZES {
                let tally = (0..repetitions)
                    .into_par_iter()
                    .map(|seed| Tally::new(&population, place, n, seed))
                    .reduce(Tally::default, Tally::plus);
                let cell = format!("{} | {} | {n}", population.name, place.name);
                println!(
                    "| {cell} | {} | {} |",
                    tally.shares(repetitions),
                    tally.cautions(&population, place, n)
                );
                for (column, share) in tally.false_shares(repetitions) {
                    let lower = share - 1.96 * standard_error(share, repetitions);
                    if lower > 0.035 {
                        above.push(format!("{cell}: {column} {share:.4}, lower 95% limit {lower:.4}"));
                    }
                }
            }
        }
    }
    println!("\nCells whose lower 95% limit is above .035:\n{}", above.join("\n"));
}

fn standard_error(share: f64, repetitions: u64) -> f64 {
    (share * (1.0 - share) / repetitions as f64).sqrt()
}

/// One query's difference, with mean 0, from a stream of numbers between 0 and 1.
type Draw = fn(&mut dyn FnMut() -> f64) -> f64;

/// Where a loss of some mean lies.
#[derive(Clone, Copy)]
struct Place {
    name: &'static str,
    /// The share of the queries that lose; all the same where it is 1.
    share: f64,
}

const EVERYWHERE: Place = Place { name: "all", share: 1.0 };
const FEW: [Place; 3] = [EVERYWHERE, Place { name: "5%", share: 0.05 }, Place { name: "20%", share: 0.2 }];

struct Population {
    name: &'static str,
    draw: Draw,
    places: &'static [Place],
    /// Whether scores are 0 or 1, so that a loss is a query that fails, wherever it lies.
    binary: bool,
}

const POPULATIONS: [Population; 5] = [
    Population { name: "normal", draw: normal, places: &FEW, binary: false },
    Population { name: "80% ties", draw: ties, places: &FEW, binary: false },
    Population { name: "binary", draw: success, places: &[EVERYWHERE], binary: true },
    Population { name: "rare losses", draw: rare, places: &FEW, binary: false },
    Population { name: "skewed", draw: skewed, places: &FEW, binary: false },
];

fn gauss(unit: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - unit()).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
}

fn normal(unit: &mut dyn FnMut() -> f64) -> f64 {
    0.2 * gauss(unit)
}

fn ties(unit: &mut dyn FnMut() -> f64) -> f64 {
    if unit() < 0.8 { 0.0 } else { 0.25 * gauss(unit) }
}

/// One in ten succeeds under one side only.
fn success(unit: &mut dyn FnMut() -> f64) -> f64 {
    match unit() {
        u if u < 0.05 => 1.0,
        u if u < 0.1 => -1.0,
        _ => 0.0,
    }
}

/// Gains of .03 in 40% of the queries, losses of .3 in 4%.
fn rare(unit: &mut dyn FnMut() -> f64) -> f64 {
    match unit() {
        u if u < 0.4 => 0.03,
        u if u < 0.44 => -0.3,
        _ => 0.0,
    }
}

/// Losses with a long tail: an exponential distribution, turned round.
fn skewed(unit: &mut dyn FnMut() -> f64) -> f64 {
    0.15 * (1.0 + (1.0 - unit()).ln())
}

/// Differences of `n` queries of which the candidate loses so much on average.
///
/// A `loss` that lies in few queries is all of theirs. Without one the same few lose the margin as well, and
/// half of the queries gain it back.
fn sample(population: &Population, place: Place, n: usize, loss: f64, seed: u64) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ loss.to_bits());
    let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let draw = |_| {
        let base = (population.draw)(&mut unit);
        let (here, gains) = (unit() < place.share, unit() < 0.5);
        match (population.binary, loss > 0.0) {
            // The same number decides: a part of the ties fails.
            (true, _) if base == 0.0 && unit() < loss / 0.9 => -1.0,
            (true, _) => base,
            (false, true) => base - if here { loss / place.share } else { 0.0 },
            (false, false) if place.share == 1.0 => base,
            (false, false) => {
                base - if here { MARGIN / place.share } else { 0.0 } + if gains { 2.0 * MARGIN } else { 0.0 }
            }
        }
    };
    let differences: Vec<f64> = (0..n).map(draw).collect();
    let side = |of: fn(f64) -> f64| -> Vec<f64> { differences.iter().map(|&d| of(d)).collect() };
    let (baseline, candidate) = match population.binary {
        true => (side(|d| f64::from(d < 0.0)), side(|d| f64::from(d > 0.0))),
        false => (vec![0.0; n], differences),
    };
    Differences::new(&baseline, &candidate).expect("finite scores")
}

const GAIN: Expectation = Expectation::Improvement { min_gain: 0.0 };
const NON_INFERIORITY: Expectation = Expectation::NonInferiority { margin: MARGIN };
const EQUIVALENCE: Expectation = Expectation::Equivalence { margin: MARGIN };

/// How often something was claimed.
#[derive(Default)]
struct Tally {
    claims: [u64; 6],
    /// Seeds of false gains and of kept margins that are not.
    gains: Vec<u64>,
    kept: Vec<u64>,
}

impl Tally {
    fn new(population: &Population, place: Place, n: usize, seed: u64) -> Self {
        let level = sample(population, place, n, 0.0, seed);
        let worse = sample(population, place, n, MARGIN, seed);
        let drop = sample(population, place, n, DROP, seed);
        let (settings, stream) = (settings(RESAMPLES), Stream::new(seed));
        let is = |differences: &Differences, expectation, wanted| {
            outcome(differences, expectation, &settings, &stream).expect("valid settings") == wanted
        };
        let gain = is(&level, GAIN, Outcome::Passed);
        let kept = is(&worse, NON_INFERIORITY, Outcome::Passed);
        let claims = [
            is(&level, Expectation::default(), Outcome::Failed),
            gain,
            kept,
            // Never where non-inferiority is not.
            kept && is(&worse, EQUIVALENCE, Outcome::Passed),
            is(&level, NON_INFERIORITY, Outcome::Passed),
            is(&drop, Expectation::default(), Outcome::Failed),
        ];
        let seeds = |claimed: bool| if claimed { vec![seed] } else { Vec::new() };
        Self { claims: claims.map(u64::from), gains: seeds(gain), kept: seeds(kept) }
    }

    fn plus(mut self, other: Self) -> Self {
        for (to, from) in self.claims.iter_mut().zip(other.claims) {
            *to += from;
        }
        self.gains.extend(other.gains);
        self.kept.extend(other.kept);
        self
    }

    fn shares(&self, repetitions: u64) -> String {
        let share = |count: u64| {
            let share = count as f64 / repetitions as f64;
            format!("{share:.3} ± {:.3}", standard_error(share, repetitions))
        };
        self.claims.map(share).join(" | ")
    }

    fn false_shares(&self, repetitions: u64) -> Vec<(&'static str, f64)> {
        let columns = ["false drop", "false gain", "non-inferiority", "equivalence"];
        columns.into_iter().zip(self.claims.map(|count| count as f64 / repetitions as f64)).collect()
    }

    /// Of false claims in the candidate's favour, the share that carries a caution.
    fn cautions(&self, population: &Population, place: Place, n: usize) -> String {
        let mut gains = self.gains.clone();
        let mut kept = self.kept.clone();
        gains.sort_unstable();
        kept.sort_unstable();
        let gains = gains.into_iter().take(LOOKED_AT).map(|seed| (seed, 0.0, GAIN));
        let kept = kept.into_iter().take(LOOKED_AT).map(|seed| (seed, MARGIN, NON_INFERIORITY));
        let looked_at: Vec<(u64, f64, Expectation)> = gains.chain(kept).collect();
        let cautioned = |&&(seed, loss, expectation): &&(u64, f64, Expectation)| {
            let differences = sample(population, place, n, loss, seed);
            let stream = Stream::new(seed);
            let question = Question { expectation, ..Question::new(&differences, &stream) };
            let compared = compare(&[question], &settings(RESAMPLES)).expect("valid settings");
            !compared[0].warnings.is_empty()
        };
        let cautions = looked_at.par_iter().filter(cautioned).count();
        match looked_at.len() {
            0 => "-".to_owned(),
            all => format!("{:.2} of {all}", cautions as f64 / all as f64),
        }
    }
}
