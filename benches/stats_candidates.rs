//! How often the best of ten candidates passes as a gain though none is one:
//! `cargo bench --bench stats_candidates [-- REPETITIONS]`.
//!
//! Draws many small test collections on which a baseline and ten candidates are equally good, asks each candidate
//! for an `improvement`, and every two of the eleven for a difference; and prints the table of docs/simulations.md
//! with its standard errors. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    ComparisonSettings, Correction, Differences, Expectation, PermutationOptions, Question, Stream, adjust,
    compare, max_t, mean, permutation_test, tukey_hsd,
};
use rayon::prelude::*;

const CANDIDATES: usize = 10;
const SIZES: [usize; 2] = [50, 200];
/// The level of a claim in one direction, and of a difference.
const LEVEL: f64 = 0.025;
/// What one candidate is better by in the columns of power.
const GAIN: f64 = 0.1;
/// Permutation and bootstrap resamples. A p-value of so few is as valid as one of more.
const RESAMPLES: u64 = 1_999;

fn main() {
    // cargo passes --bench
    let repetitions: u64 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    println!("{repetitions} repetitions, {RESAMPLES} resamples, {CANDIDATES} candidates\n");
    println!(
        "| population | n | an entry each | one entry, Holm | one entry, max-t | gain of the best that passes | \
         power, Holm | power, max-t | pairs, tukey | pairs, max-t |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, noise) in POPULATIONS {
        for n in SIZES {
            let one = |seed| Observation::new(noise, n, seed);
            let seen: Vec<Observation> = (0..repetitions).into_par_iter().map(one).collect();
            let share = |is: fn(&Observation) -> bool| {
                let share = seen.iter().filter(|one| is(one)).count() as f64 / repetitions as f64;
                format!("{share:.3} ± {:.3}", (share * (1.0 - share) / repetitions as f64).sqrt())
            };
            let gains: Vec<f64> = seen.iter().filter_map(|one| one.apart).collect();
            println!(
                "| {name} | {n} | {} | {} | {} | {:+.3} | {} | {} | {} | {} |",
                share(|one| one.apart.is_some()),
                share(|one| one.level[0]),
                share(|one| one.level[1]),
                mean(&gains).unwrap_or(f64::NAN),
                share(|one| one.power[0]),
                share(|one| one.power[1]),
                share(|one| one.pairs[0]),
                share(|one| one.pairs[1]),
            );
        }
    }
}

/// What one configuration's score of one query is beside that of the query, from numbers between 0 and 1.
type Noise = fn(&mut dyn FnMut() -> f64) -> f64;

const POPULATIONS: [(&str, Noise); 3] = [
    ("normal", |unit| 0.2 * gauss(unit)),
    // Of two configurations 80% of the queries tie.
    ("80% ties", |unit| if unit() < 0.894 { 0.0 } else { 0.4 * gauss(unit) }),
    // Losses with a long tail: an exponential distribution, turned round.
    ("skewed", |unit| 0.2 * (1.0 + (1.0 - unit()).ln())),
];

fn gauss(unit: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - unit()).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
}

/// What one collection showed.
struct Observation {
    /// The largest observed gain of those that pass alone, if any does.
    apart: Option<f64>,
    /// Whether any candidate passes in one family, by Holm's correction and by max-t.
    level: [bool; 2],
    /// Whether the one that is better does.
    power: [bool; 2],
    /// Whether any two of all are shown to differ, by Tukey's test and by max-t.
    pairs: [bool; 2],
}

impl Observation {
    fn new(noise: Noise, n: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
        let mut scores: Vec<Vec<f64>> =
            (0..=CANDIDATES).map(|_| (0..n).map(|_| noise(&mut unit)).collect()).collect();
        let stream = Stream::new(seed);
        let equal = Gates::new(&scores, &stream);
        let pairs = any_pair(&scores, &stream);
        for score in &mut scores[1] {
            *score += GAIN;
        }
        let better = Gates::new(&scores, &stream);
        let passing = equal.alone.iter().zip(&equal.gains).filter(|(p, _)| **p <= LEVEL);
        Self {
            apart: passing.map(|(_, gain)| *gain).reduce(f64::max),
            level: [&equal.holm, &equal.max_t].map(|all| all.iter().any(|&p| p <= LEVEL)),
            power: [&better.holm, &better.max_t].map(|all| all[0] <= LEVEL),
            pairs,
        }
    }
}

/// The one-sided p-values of a gain of each candidate over the first of the configurations.
struct Gates {
    gains: Vec<f64>,
    alone: Vec<f64>,
    holm: Vec<f64>,
    max_t: Vec<f64>,
}

impl Gates {
    fn new(scores: &[Vec<f64>], stream: &Stream) -> Self {
        let against = |candidate: &Vec<f64>| Differences::new(&scores[0], candidate).expect("finite scores");
        let differences: Vec<Differences> = scores[1..].iter().map(against).collect();
        let gains = differences.iter().map(Differences::mean).collect();
        let streams: Vec<Stream> = (0..CANDIDATES).map(|one| stream.for_name(&one.to_string())).collect();
        // Without the first test nothing passes, and most collections need not be asked any further.
        let first = |(one, stream): (&Differences, &Stream)| {
            let options = PermutationOptions { stream: stream.for_name("signs"), ..options() };
            permutation_test(one, 0.0, &options).expect("valid options").p_greater
        };
        let alone: Vec<f64> = differences.iter().zip(&streams).map(first).collect();
        if alone.iter().all(|&p| p > LEVEL) {
            let nothing = vec![1.0; CANDIDATES];
            return Self { gains, alone, holm: nothing.clone(), max_t: nothing };
        }
        let of_both = |correction| {
            let settings = ComparisonSettings {
                correction,
                bootstrap_resamples: RESAMPLES,
                permutation: options(),
                ..ComparisonSettings::default()
            };
            let expectation = Expectation::Improvement { min_gain: 0.0 };
            let ask = |(one, stream)| Question { expectation, ..Question::new(one, stream) };
            let questions: Vec<Question<'_>> = differences.iter().zip(&streams).map(ask).collect();
            compare(&questions, &settings).expect("valid settings")
        };
        // The larger of two p-values is what Holm's procedure adjusts.
        let apart: Vec<f64> = of_both(Correction::None).iter().map(|one| one.p_adjusted.0).collect();
        Self {
            gains,
            holm: adjust(&apart, Correction::Holm).expect("p-values"),
            max_t: of_both(Correction::MaxT).iter().map(|one| one.p_adjusted.0).collect(),
            alone: apart,
        }
    }
}

fn any_pair(scores: &[Vec<f64>], stream: &Stream) -> [bool; 2] {
    let all: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
    let tukey = tukey_hsd(&all, RESAMPLES, stream).expect("finite scores");
    let of_pair = |one: &rankgate::stats::ComparedPair| {
        Differences::new(all[one.pair.0], all[one.pair.1]).expect("finite scores")
    };
    let differences: Vec<Differences> = tukey.iter().map(of_pair).collect();
    let options = PermutationOptions { stream: *stream, ..options() };
    let signs = max_t(&differences.iter().collect::<Vec<_>>(), None, &options).expect("the same queries");
    [tukey.iter().any(|pair| pair.p <= 2.0 * LEVEL), signs.step_down.iter().any(|&p| p <= 2.0 * LEVEL)]
}

fn options() -> PermutationOptions {
    PermutationOptions { resamples: RESAMPLES, most_resamples: RESAMPLES, ..PermutationOptions::default() }
}
