//! Whether the advice of planning holds: `cargo bench --bench stats_planning [-- REPETITIONS [OBSERVED [POPULATION]]]`.
//!
//! Plans each expectation from a sample of each population, carries the advice out on fresh samples with the rule
//! itself, and prints the table of docs/simulations.md. With `pilots` it plans from few queries, and counts how often the
//! number that is right lies in the interval of the one that is advised. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

mod few_resamples;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Confidence, Differences, Expectation, Outcome, Stream, outcome, units_needed};
use rayon::prelude::*;

use few_resamples::settings;

/// Queries that are planned from: many, so that what is seen is the planning and little of the luck of a sample.
const OBSERVED: usize = 10_000;

/// Permutation and bootstrap resamples of the rule: with far fewer, noise in two p-values takes power.
const RESAMPLES: u64 = 3_999;

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let repetitions = numbers.next().unwrap_or(1_000);
    let from = numbers.next().map_or(OBSERVED, |number| number as usize);
    let chosen = std::env::args().find(|argument| POPULATIONS.iter().any(|(name, ..)| name == argument));
    if std::env::args().any(|argument| argument == "pilots") {
        return pilots(repetitions);
    }
    println!("{repetitions} repetitions, {RESAMPLES} resamples, planned from {from} queries\n");
    println!("| population | expectation | planned for | queries | power |\n|---|---|---|---|---|");
    let is_chosen = |name: &str| chosen.as_ref().is_none_or(|chosen| chosen == name);
    for (name, scores, draw) in POPULATIONS.into_iter().filter(|(name, ..)| is_chosen(name)) {
        for (expectation, effect, loss) in CASES {
            // What is true when the expectation's case is: the population is drawn with that mean.
            let mean = match expectation {
                Expectation::NoRegression { .. } => -loss,
                Expectation::Improvement { .. } => loss,
                Expectation::NonInferiority { .. } | Expectation::Equivalence { .. } => 0.0,
            };
            let observed = sample(scores, draw, from, mean, 77);
            let settings = settings(RESAMPLES);
            let planned = units_needed(&observed, expectation, effect, &settings).expect("valid settings");
            let Some(units) = planned.and_then(|planned| planned.units) else {
                println!("| {name} | {} | {effect} | none | |", label(expectation));
                continue;
            };
            let passes = |seed: u64| {
                let fresh = sample(scores, draw, units as usize, mean, seed + 1_000);
                let stream = Stream::new(seed);
                let decided = outcome(&fresh, expectation, &settings, &stream).expect("valid settings");
                match expectation {
                    Expectation::NoRegression { .. } => decided == Outcome::Failed,
                    _ => decided == Outcome::Passed,
                }
            };
            let shown = (0..repetitions).into_par_iter().filter(|&seed| passes(seed)).count();
            let power = shown as f64 / repetitions as f64;
            let error = (power * (1.0 - power) / repetitions as f64).sqrt();
            println!("| {name} | {} | {effect} | {units} | {power:.3} ± {error:.3} |", label(expectation));
        }
    }
}

/// How often the right number of queries lies between the limits of the one that is advised after a pilot.
fn pilots(repetitions: u64) {
    println!("{repetitions} pilots\n");
    println!(
        "| population | right | pilot | advised, middle nine tenths | between the limits | above | below |"
    );
    println!("|---|---|---|---|---|---|---|");
    let (margin, settings) = (0.05, settings(RESAMPLES));
    let expectation = Expectation::NonInferiority { margin };
    let advised = |sample: &Differences| {
        let planned = units_needed(sample, expectation, margin, &settings).expect("valid settings");
        planned.and_then(|planned| planned.units).map(|units| units as f64)
    };
    for (name, scores, draw) in POPULATIONS.into_iter().chain(RARE) {
        let ranged = |n, seed| sample(scores, draw, n, 0.0, seed).within(&(0.0..=1.0));
        let right = advised(&ranged(OBSERVED, 77)).expect("a population that varies");
        for n in [30, 50, 100, 162] {
            let pilot = |seed: u64| {
                let sample = ranged(n, seed + 5_000);
                Some((advised(&sample)?, sample.spread_limits(Confidence::default())?))
            };
            let pilots: Vec<_> = (0..repetitions).into_par_iter().map(pilot).collect();
            let mut units: Vec<f64> = pilots.iter().flatten().map(|(units, _)| *units).collect();
            units.sort_by(f64::total_cmp);
            let at =
                |share: f64| units.get((share * units.len() as f64) as usize).copied().unwrap_or(f64::NAN);
            let share = |found: &dyn Fn(f64, f64) -> bool| {
                let limits =
                    pilots.iter().flatten().map(|(units, limits)| (units * limits.low, units * limits.high));
                limits.filter(|(low, high)| found(*low, *high)).count() as f64 / units.len() as f64
            };
            let (above, below) = (share(&|_, high| right > high), share(&|low, _| right < low));
            println!(
                "| {name} | {right} | {n} | {} to {} | {:.3} | {above:.3} | {below:.3} |",
                at(0.05),
                at(0.95),
                1.0 - above - below
            );
        }
    }
}

fn label(expectation: Expectation) -> String {
    let (word, limit) = match expectation {
        Expectation::NoRegression { tolerance } => ("no-regression, tolerance", tolerance),
        Expectation::Improvement { min_gain } => ("improvement, min-gain", min_gain),
        Expectation::NonInferiority { margin } => ("non-inferiority, margin", margin),
        Expectation::Equivalence { margin } => ("equivalence, margin", margin),
    };
    format!("{word} {limit}")
}

/// What is expected, what is planned for, and the true drop or gain of that plan.
const CASES: [(Expectation, f64, f64); 7] = [
    (Expectation::NoRegression { tolerance: 0.0 }, 0.05, 0.05),
    (Expectation::NoRegression { tolerance: 0.02 }, 0.04, 0.04),
    (Expectation::Improvement { min_gain: 0.0 }, 0.05, 0.05),
    (Expectation::Improvement { min_gain: 0.02 }, 0.04, 0.04),
    (Expectation::NonInferiority { margin: 0.05 }, 0.05, 0.0),
    (Expectation::Equivalence { margin: 0.05 }, 0.05, 0.0),
    (Expectation::Equivalence { margin: 0.025 }, 0.025, 0.0),
];

/// One query's difference of a population with this mean, from a stream of numbers between 0 and 1.
type Draw = fn(f64, &mut dyn FnMut() -> f64) -> f64;

/// Where the scores of a population lie, which what an unseen query may lose depends on.
#[derive(Clone, Copy)]
enum Scores {
    /// 0 or 1 on either side.
    Binary,
    /// The baseline's all alike, this far above 0 but for so many times the mean difference: what a query that differs
    /// differs by on average.
    Above(f64, f64),
}

const POPULATIONS: [(&str, Scores, Draw); 5] =
    [
        ("normal", Scores::Above(0.5, 1.0), |mean, unit| mean + 0.15 * bell(unit)),
        ("80% ties", Scores::Above(0.5, 5.0), |mean, unit| {
            if unit() < 0.8 { 0.0 } else { 5.0 * mean + 0.15 * bell(unit) }
        }),
        ("binary", Scores::Binary, |mean, unit| match unit() {
            u if u < 0.06 + mean / 2.0 => 1.0,
            u if u < 0.12 => -1.0,
            _ => 0.0,
        }),
        // The cube root of a uniform number has mean 3/4 and variance 3/80.
        ("skewed", Scores::Above(0.7, 1.0), |mean, unit| {
            mean + 0.12 * (unit().cbrt() - 0.75) / 0.0375_f64.sqrt()
        }),
        // P@10: tenths, half of them ties
        ("tenths", Scores::Above(0.5, 2.0), |mean, unit| {
            if unit() < 0.5 {
                0.0
            } else {
                ((2.0 * mean + 0.13 * bell(unit)) * 10.0 + unit() - 0.5).round() / 10.0
            }
        }),
    ];

/// Populations whose spread few queries hide: large losses are rare, and small gains make up for them.
const RARE: [(&str, Scores, Draw); 2] = [
    ("4% lose .5", Scores::Above(0.6, 1.0), |mean, unit| {
        mean + if unit() < 0.04 { -0.5 } else { 0.02 / 0.96 }
    }),
    ("2% lose .9", Scores::Above(0.95, 1.0), |mean, unit| {
        mean + if unit() < 0.02 { -0.9 } else { 0.018 / 0.98 }
    }),
];

/// Of mean 0 and variance 1, nearly normal, and never beyond 3: three uniform numbers together.
fn bell(unit: &mut dyn FnMut() -> f64) -> f64 {
    2.0 * (unit() + unit() + unit() - 1.5)
}

fn sample(scores: Scores, draw: Draw, n: usize, mean: f64, seed: u64) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let differences: Vec<f64> = (0..n).map(|_| draw(mean, &mut unit)).collect();
    let side = |of: fn(f64) -> f64| -> Vec<f64> { differences.iter().map(|&d| of(d)).collect() };
    let (baseline, candidate) = match scores {
        Scores::Binary => (side(|d| f64::from(d < 0.0)), side(|d| f64::from(d > 0.0))),
        Scores::Above(middle, share) => {
            let baseline = middle - share * mean;
            (vec![baseline; n], differences.iter().map(|difference| baseline + difference).collect())
        }
    };
    assert!(candidate.iter().all(|score| (-1e-9..=1.0 + 1e-9).contains(score)), "scores lie between 0 and 1");
    Differences::new(&baseline, &candidate).expect("finite scores")
}
