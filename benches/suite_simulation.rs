//! How often something false is said of a suite of very unequal collections:
//! `cargo bench --bench suite_simulation [-- REPETITIONS]`.
//!
//! Draws the differences of five collections of 15, 30, 60, 120 and 600 queries, or of eight for what is said of other
//! collections, and asks what a suite's gates ask. It prints the tables of docs/suites.md with their standard errors. The
//! same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

mod few_resamples;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    Bootstrap, Confidence, Correction, Differences, Direction, Expectation, Outcome, PairedT,
    PermutationOptions, Stream, adjust, outcome, partial_conjunction, permutation_test, random_effects,
};
use rayon::prelude::*;

use few_resamples::settings;

const SIZES: [usize; 5] = [15, 30, 60, 120, 600];
const OTHERS: [usize; 8] = [15, 30, 30, 60, 60, 120, 300, 600];
/// The level of a claim in one direction.
const LEVEL: f64 = 0.025;
const MARGIN: f64 = 0.03;
/// Permutation and bootstrap resamples. A p-value of so few is as valid as one of more.
const RESAMPLES: u64 = 1_999;

fn main() {
    // cargo passes --bench
    let repetitions: u64 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(5_000);
    println!("{repetitions} repetitions, {RESAMPLES} resamples\n");
    println!(
        "| differences | false gain | false gain, gains and losses | false drop | at the margin, all alike | at the margin, \
         in the smallest | false harm anywhere | harm-at-most, one at its limit | better in more than are | power, gain \
         of .05 |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, noise) in POPULATIONS {
        let seen: Vec<[bool; 9]> =
            (0..repetitions).into_par_iter().map(|seed| observe(noise, seed)).collect();
        let cells: Vec<String> = (0..9).map(|at| share(seen.iter().map(|one| one[at]))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!(
        "\n| effects between collections | interval holds the mean | prediction holds one more | false gain by signs |\n\
         |---|---|---|---|"
    );
    for (name, tau) in [("all alike", 0.0), ("sd .02", 0.02), ("sd .05", 0.05)] {
        let seen: Vec<[bool; 3]> =
            (0..repetitions).into_par_iter().map(|seed| of_others(tau, seed)).collect();
        let cells: Vec<String> = (0..3).map(|at| share(seen.iter().map(|one| one[at]))).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
}

fn share(seen: impl ExactSizeIterator<Item = bool>) -> String {
    let all = seen.len() as f64;
    let share = seen.filter(|one| *one).count() as f64 / all;
    format!("{share:.3} ± {:.3}", (share * (1.0 - share) / all).sqrt())
}

/// A query's difference of mean 0, from numbers between 0 and 1.
type Noise = fn(&mut dyn FnMut() -> f64) -> f64;

const POPULATIONS: [(&str, Noise); 3] = [
    ("normal, sd .2", |uniform| 0.2 * normal(uniform)),
    ("80% ties", |uniform| if uniform() < 0.8 { 0.0 } else { 0.25 * normal(uniform) }),
    // Gains of .03 in 40% of the queries, losses of .3 in 4%.
    ("rare losses", |uniform| match uniform() {
        rare if rare < 0.04 => -0.3,
        gain if gain < 0.44 => 0.03,
        _ => 0.0,
    }),
];

fn normal(uniform: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - uniform()).ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform()).cos()
}

/// Random numbers between 0 and 1.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// One collection for each effect, whose queries differ by it and by noise.
fn draw(noise: Noise, sizes: &[usize], effects: &[f64], random: &mut dyn FnMut() -> f64) -> Vec<Differences> {
    let of = |(&size, effect): (&usize, &f64)| {
        let values: Vec<f64> = (0..size).map(|_| effect + noise(random)).collect();
        Differences::new(&vec![0.0; size], &values).expect("differences")
    };
    sizes.iter().zip(effects).map(of).collect()
}

fn joined(parts: &[Differences]) -> Differences {
    Differences::joined(&parts.iter().map(|part| (part, 1.0)).collect::<Vec<_>>()).expect("joined")
}

/// What the gate on the mean of such collections comes to.
fn decided(noise: Noise, effects: [f64; 5], expectation: Expectation, seed: u64) -> Outcome {
    let joined = joined(&draw(noise, &SIZES, &effects, &mut uniform(seed)));
    outcome(&joined, expectation, &settings(RESAMPLES), &Stream::new(seed)).expect("an outcome")
}

fn observe(noise: Noise, seed: u64) -> [bool; 9] {
    let gain = Expectation::Improvement { min_gain: 0.0 };
    let kept = Expectation::NonInferiority { margin: MARGIN };
    let passes = |effects, expectation, seed| decided(noise, effects, expectation, seed) == Outcome::Passed;
    let mixed = [0.06, -0.06, 0.04, -0.02, -0.02];
    let own = seed.wrapping_mul(8);
    [
        passes([0.0; 5], gain, own),
        passes(mixed, gain, own + 1),
        decided(noise, [0.0; 5], Expectation::default(), own + 2) == Outcome::Failed,
        passes([-MARGIN; 5], kept, own + 3),
        passes([-5.0 * MARGIN, 0.0, 0.0, 0.0, 0.0], kept, own + 4),
        harmed(noise, own + 5),
        every_one_kept(noise, own + 6),
        too_many_better(noise, own + 7),
        passes([0.05; 5], gain, own),
    ]
}

/// Whether a drop is shown in any collection, of which none loses.
fn harmed(noise: Noise, seed: u64) -> bool {
    let parts = draw(noise, &SIZES, &[0.0; 5], &mut uniform(seed));
    let p: Vec<f64> = parts.iter().enumerate().map(|(at, part)| signs(part, 0.0, seed, at).1).collect();
    adjust(&p, Correction::Holm).expect("p-values").iter().any(|&p| p <= LEVEL)
}

/// Whether all are shown to lose less than the limit, which one of the large ones loses, the others nothing.
fn every_one_kept(noise: Noise, seed: u64) -> bool {
    let parts = draw(noise, &SIZES, &[0.05, 0.05, 0.05, -MARGIN, 0.05], &mut uniform(seed));
    parts.iter().enumerate().all(|(at, part)| better(part, -MARGIN, seed, at) <= LEVEL)
}

/// Whether more collections are said to be better than the two that are.
fn too_many_better(noise: Noise, seed: u64) -> bool {
    let parts = draw(noise, &SIZES, &[0.0, 0.1, 0.0, 0.0, 0.1], &mut uniform(seed));
    let p: Vec<f64> = parts.iter().enumerate().map(|(at, part)| better(part, 0.0, seed, at)).collect();
    partial_conjunction(&p, LEVEL).expect("p-values").at_least > 2
}

/// One-sided p-values of the permutation test: better, worse.
fn signs(part: &Differences, null: f64, seed: u64, at: usize) -> (f64, f64) {
    let stream = Stream::new(seed).for_name(&at.to_string());
    let options = PermutationOptions { stream, ..settings(RESAMPLES).permutation };
    let test = permutation_test(part, null, &options).expect("a test");
    (test.p_greater, test.p_less)
}

/// The larger p-value of the two tests that a claim in the candidate's favour needs.
fn better(part: &Differences, null: f64, seed: u64, at: usize) -> f64 {
    let signs = signs(part, null, seed, at).0;
    if signs > LEVEL {
        return signs;
    }
    let stream = Stream::new(seed).for_name("bootstrap").for_name(&at.to_string());
    let bootstrap = Bootstrap::new(part, RESAMPLES, &stream).expect("a bootstrap");
    signs.max(bootstrap.p(null, Direction::Greater).unwrap_or(1.0))
}

/// Of effects around .01 with this standard deviation: whether the intervals hold what they are about, and whether a gain
/// is claimed where the mean effect is 0.
fn of_others(tau: f64, seed: u64) -> [bool; 3] {
    let mut random = uniform(seed);
    let mean = 0.01;
    let mut effect = || mean + tau * normal(&mut random);
    let effects: Vec<f64> = OTHERS.iter().map(|_| effect()).collect();
    let more = effect();
    let noise = POPULATIONS[0].1;
    let parts = draw(noise, &OTHERS, &effects, &mut uniform(!seed));
    let variances = parts.iter().map(|part| PairedT::new(part).expect("a t").standard_error.powi(2));
    let variances: Vec<f64> = variances.collect();
    let observed: Vec<f64> = parts.iter().map(Differences::mean).collect();
    let pooled = random_effects(&observed, &variances, Confidence::default()).expect("effects");
    let centred: Vec<f64> = observed.iter().map(|effect| effect - mean).collect();
    let centred = random_effects(&centred, &variances, Confidence::default()).expect("effects");
    [
        (pooled.interval.low..=pooled.interval.high).contains(&mean),
        (pooled.prediction.low..=pooled.prediction.high).contains(&more),
        centred.p_greater <= LEVEL,
    ]
}
