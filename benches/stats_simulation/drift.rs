//! What becomes of golden runs that are blessed again and again: losses too small to be seen one by one, and
//! golden runs that follow every chance gain.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Differences, Expectation, Outcome};
use rayon::prelude::*;

use super::few_resamples::settings;
use super::{RESAMPLES, decides, gauss, standard_error};

const QUERIES: usize = 162;
/// Standard deviation of what a commit does to a query that it touches.
const SPREAD: f64 = 0.15;
const TOLERANCE: f64 = 0.02;
const LOSS: f64 = 0.005;
const COMMITS: usize = 20;
const NEUTRAL: usize = 100;

pub(super) fn print(repetitions: u64) {
    println!(
        "| touched | loss a commit | tolerance | against the last golden run | against the first golden run |"
    );
    println!("|---|---|---|---|---|");
    for touched in [0.1, 0.3] {
        for (loss, tolerance) in [(LOSS, 0.0), (LOSS, TOLERANCE), (0.0, 0.0), (0.0, TOLERANCE)] {
            let alarms = |seed: u64| drift(touched, loss, tolerance, seed).map(u64::from);
            let seen = (0..repetitions).into_par_iter().map(alarms).reduce(|| [0; 2], plus);
            let [last, first] = seen.map(|count| share(count, repetitions));
            println!("| {:.0}% | {loss} | {tolerance} | {last} | {first} |", 100.0 * touched);
        }
    }
    println!("\n| golden run | commits that fail, of {NEUTRAL} that change nothing |\n|---|---|");
    let failed = |seed: u64| [false, true].map(|follows| neutral(follows, seed));
    let failed = (0..repetitions).into_par_iter().map(failed).reduce(|| [0; 2], plus);
    for (name, count) in ["stays", "follows every gain"].iter().zip(failed) {
        println!("| {name} | {:.3} |", count as f64 / (repetitions * NEUTRAL as u64) as f64);
    }
}

fn plus(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

fn share(count: u64, of: u64) -> String {
    let share = count as f64 / of as f64;
    format!("{share:.3} ± {:.3}", standard_error(share, of))
}

/// The scores of a commit: what it does to some queries of those before.
fn commit(scores: &[f64], touched: f64, loss: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
    let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let change = |score: &f64| match unit() < touched {
        true => score - loss / touched + SPREAD * gauss(&mut unit),
        false => *score,
    };
    scores.iter().map(change).collect()
}

fn fails(baseline: &[f64], candidate: &[f64], margin: f64, seed: u64) -> bool {
    let differences = Differences::new(baseline, candidate).expect("finite scores");
    let expectation = Expectation::NoRegression { margin };
    decides(&differences, expectation, &settings(RESAMPLES), Outcome::Failed, seed)
}

/// Whether any of some commits, each upon the last and blessed, fails against the one before, and against the
/// first.
fn drift(touched: f64, loss: f64, tolerance: f64, seed: u64) -> [bool; 2] {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let first = vec![0.0; QUERIES];
    let (mut golden, mut seen) = (first.clone(), [false; 2]);
    for _ in 0..COMMITS {
        let scores = commit(&golden, touched, loss, &mut random);
        for (seen, baseline) in seen.iter_mut().zip([&golden, &first]) {
            *seen = *seen || fails(baseline, &scores, tolerance, seed);
        }
        golden = scores;
    }
    seen
}

/// How many of some commits fail that all do something else to the same ranking, none of them any good or harm.
fn neutral(follows: bool, seed: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let plain = vec![0.0; QUERIES];
    let mut golden = commit(&plain, 0.3, 0.0, &mut random);
    let mut failed = 0;
    for _ in 0..NEUTRAL {
        let scores = commit(&plain, 0.3, 0.0, &mut random);
        failed += u64::from(fails(&golden, &scores, 0.0, seed));
        if follows && scores.iter().sum::<f64>() > golden.iter().sum() {
            golden = scores;
        }
    }
    failed
}
