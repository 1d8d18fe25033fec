//! How often something false is claimed of two configurations, and how often something true.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{ComparisonSettings, Differences, Expectation, Outcome, Robustness};
use rayon::prelude::*;

use super::few_resamples::settings;
use super::{RESAMPLES, decides, gauss, standard_error};

const SIZES: [usize; 5] = [15, 30, 60, 120, 250];

/// Numbers between 0 and 1, one after the other.
type Unit<'a> = dyn FnMut() -> f64 + 'a;

/// The scores of one query of so many under the baseline and the candidate.
pub(super) struct Population {
    name: &'static str,
    draw: fn(&mut Unit<'_>, usize) -> (f64, f64),
    /// What it loses on average, but for its gains.
    loss: f64,
}

/// As good as their baseline on average, each in another way in which samples seldom show what is lost.
const LEVEL: [Population; 10] = [
    Population { name: "normal", draw: |unit, _| normal(unit), loss: 0.02 },
    Population { name: "RR-like, rare losses of everything", draw: |unit, _| reciprocal(unit), loss: 0.02 },
    Population {
        name: "4% lose about .5, the rest gain a little",
        draw: |unit, _| large_losses(unit),
        loss: 0.02,
    },
    Population { name: "90% ties, rare losses of everything", draw: |unit, _| ties(unit), loss: 0.02 },
    Population { name: "baseline 0 or 1, rare losses", draw: |unit, _| successes(unit), loss: 0.03 },
    Population {
        name: "AP-like, losses among the best fifth only",
        draw: |unit, _| best_fifth(unit),
        loss: 0.04 * MEAN_BEYOND,
    },
    Population {
        name: "a fifth holds most of the score, half of them lose it",
        draw: |unit, _| few_hold(unit, 0.2),
        loss: 0.09,
    },
    Population { name: "a tenth does", draw: |unit, _| few_hold(unit, 0.1), loss: 0.045 },
    Population { name: "one in twenty does", draw: |unit, _| few_hold(unit, 0.05), loss: 0.0225 },
    Population {
        name: "one in 170 scores 1 and loses it, the rest score 1/sqrt(n)",
        draw: one_holds,
        loss: 1.0 / 170.0,
    },
];

/// Two scores about .5 whose difference has a standard deviation of .2.
fn normal(unit: &mut Unit<'_>) -> (f64, f64) {
    let by = (0.2 * gauss(unit)).clamp(-0.5, 0.5);
    (0.5, 0.5 + by)
}

/// A reciprocal rank: 1, 1/2, 1/3 or none.
fn rank(unit: &mut Unit<'_>) -> f64 {
    match unit() {
        u if u < 0.45 => 1.0,
        u if u < 0.65 => 0.5,
        u if u < 0.75 => 1.0 / 3.0,
        _ => 0.0,
    }
}

/// 2% of the queries lose a first rank, others at rank 2 move up: .02 of everything against .04 of a half.
fn reciprocal(unit: &mut Unit<'_>) -> (f64, f64) {
    let before = rank(unit);
    match unit() {
        u if before == 1.0 && u < 0.02 / 0.45 => (1.0, 0.0),
        u if before == 0.5 && u < 0.04 / 0.2 => (0.5, 1.0),
        _ => (before, before),
    }
}

/// Losses of .4 to .6 in 4%, gains of 0 to .0417 in the others.
fn large_losses(unit: &mut Unit<'_>) -> (f64, f64) {
    let before = 0.6 + 0.3 * unit();
    match unit() {
        u if u < 0.04 => (before, before - 0.4 - 0.2 * unit()),
        _ => (before, before + 2.0 * 0.02 / 0.96 * unit()),
    }
}

/// 2% lose a score of 1, 8% gain a quarter.
fn ties(unit: &mut Unit<'_>) -> (f64, f64) {
    match unit() {
        u if u < 0.02 => (1.0, 0.0),
        u if u < 0.1 => (0.5, 0.75),
        _ => {
            if unit() < 0.4 {
                (1.0, 1.0)
            } else {
                (0.25, 0.25)
            }
        }
    }
}

/// The baseline answers 60%; the candidate answers 3% of all no more, and a tenth of the others by .3.
fn successes(unit: &mut Unit<'_>) -> (f64, f64) {
    match (unit() < 0.6, unit()) {
        (true, u) if u < 0.03 / 0.6 => (1.0, 0.0),
        (false, u) if u < 0.1 / 0.4 => (0.0, 0.3),
        (true, _) => (1.0, 1.0),
        (false, _) => (0.0, 0.0),
    }
}

/// A variable of a beta distribution with the parameters .4 and 1.6 (Johnk).
fn beta(unit: &mut Unit<'_>) -> f64 {
    loop {
        let (x, y) = (unit().powf(1.0 / 0.4), unit().powf(1.0 / 1.6));
        if x + y > 0.0 && x + y <= 1.0 {
            return x / (x + y);
        }
    }
}

/// The value that a fifth of these scores exceed, and their mean beyond it, measured on 10^7 of them.
const FIFTH: f64 = 0.3841;
const MEAN_BEYOND: f64 = 0.5971;

/// One in five of the best fifth loses all of its score; the others gain alike.
fn best_fifth(unit: &mut Unit<'_>) -> (f64, f64) {
    let before = beta(unit);
    let gain = 0.04 * MEAN_BEYOND / 0.96;
    if before > FIFTH && unit() < 0.2 { (before, 0.0) } else { (before, before + gain) }
}

/// A share of the queries scores .9 and the rest .02; a half of the share loses it, and all others gain alike.
fn few_hold(unit: &mut Unit<'_>, share: f64) -> (f64, f64) {
    let gain = 0.45 * share / (1.0 - share / 2.0);
    match unit() {
        u if u < share / 2.0 => (0.9, 0.0),
        u if u < share => (0.9, 0.9 + gain),
        _ => (0.02, 0.02 + gain * 2.0 * unit()),
    }
}

/// One query in 170 scores 1 and loses it. All others score about 1/sqrt(n), so that their squares add up to 1, and gain alike.
fn one_holds(unit: &mut Unit<'_>, n: usize) -> (f64, f64) {
    let before = (0.9 + 0.2 * unit()) / (n as f64).sqrt();
    if unit() < 1.0 / 170.0 { (1.0, 0.0) } else { (before, before + 1.0 / 169.0) }
}

fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    move || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

/// Both sides of `n` queries.
fn sample(population: &Population, n: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut unit = random(seed);
    (0..n).map(|_| (population.draw)(&mut unit, n)).unzip()
}

/// The candidate's scores without its gains, so that its losses are all that is left; of normal differences, which have no
/// others, each lower by that.
fn without_gains(population: &Population, baseline: &[f64], candidate: &[f64]) -> Vec<f64> {
    let pairs = baseline.iter().zip(candidate);
    match population.name {
        "normal" => pairs.map(|(_, after)| after - population.loss).collect(),
        _ => pairs.map(|(before, after)| after.min(*before)).collect(),
    }
}

fn differences(baseline: &[f64], candidate: &[f64]) -> Differences {
    Differences::new(baseline, candidate).expect("finite scores").within(&(0.0..=1.0))
}

const GAIN: Expectation = Expectation::Improvement { margin: 0.0 };
const DROP: Expectation = Expectation::NoRegression { margin: 0.0 };

fn with(robustness: Robustness) -> ComparisonSettings {
    ComparisonSettings { robustness, ..settings(RESAMPLES) }
}

/// The share of repetitions in which each of several things is claimed.
fn shares<const N: usize>(repetitions: u64, claims: impl Fn(u64) -> [bool; N] + Sync) -> [f64; N] {
    let counts = (0..repetitions)
        .into_par_iter()
        .map(|seed| claims(seed).map(u64::from))
        .reduce(|| [0; N], |a, b| std::array::from_fn(|at| a[at] + b[at]));
    counts.map(|count| count as f64 / repetitions as f64)
}

fn row<const N: usize>(name: &str, n: usize, shares: [f64; N], repetitions: u64) {
    let cell = |share: f64| format!("{share:.3} ± {:.3}", standard_error(share, repetitions));
    println!("| {name} | {n} | {} |", shares.map(cell).join(" | "));
}

/// False claims at nominal .025 a side.
pub(super) fn print(repetitions: u64) {
    println!(
        "| population | n | false gain | strict | none | margin lost, held | strict | none | false drop, sides changed | strict |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    let settings = [Robustness::Standard, Robustness::Strict, Robustness::None].map(with);
    for population in LEVEL {
        for n in SIZES {
            let claims = |seed: u64| {
                let (baseline, candidate) = sample(&population, n, seed);
                let level = differences(&baseline, &candidate);
                let lost = differences(&baseline, &without_gains(&population, &baseline, &candidate));
                let margin = Expectation::NonInferiority { margin: population.loss };
                let other = differences(&candidate, &baseline);
                let gain = |settings| decides(&level, GAIN, settings, Outcome::Passed, seed);
                let kept = |settings| decides(&lost, margin, settings, Outcome::Passed, seed);
                let drop = |settings| decides(&other, DROP, settings, Outcome::Failed, seed);
                let [standard, strict, none] = &settings;
                [
                    gain(standard),
                    gain(strict),
                    gain(none),
                    kept(standard),
                    kept(strict),
                    kept(none),
                    drop(none),
                    drop(strict),
                ]
            };
            row(population.name, n, shares(repetitions, claims), repetitions);
        }
    }
}

/// Scores of 0 and 1 at the very margin: how often it is held, the worst of a grid of losses.
pub(super) fn print_binary(repetitions: u64) {
    println!(
        "\n| margin | n | worst of the grid: held though lost | at p10, p01 | bounded | power at p10 = p01 = .01 |\n|---|---|---|---|---|---|"
    );
    let [typical, bounded] = [Robustness::Standard, Robustness::Strict].map(with);
    for margin in [0.02, 0.05] {
        let kept = Expectation::NonInferiority { margin };
        for n in [10, 25, 50, 100, 200, 400] {
            let draw = |lost: f64, gained: f64, seed: u64| {
                let mut unit = random(seed);
                let (baseline, candidate): (Vec<f64>, Vec<f64>) = (0..n)
                    .map(|_| match unit() {
                        u if u < lost => (1.0, 0.0),
                        u if u < lost + gained => (0.0, 1.0),
                        _ => {
                            if unit() < 0.7 {
                                (1.0, 1.0)
                            } else {
                                (0.0, 0.0)
                            }
                        }
                    })
                    .unzip();
                differences(&baseline, &candidate)
            };
            let held = |lost: f64, gained: f64| {
                shares(repetitions, |seed| {
                    let drawn = draw(lost, gained, seed);
                    [&typical, &bounded]
                        .map(|settings| decides(&drawn, kept, settings, Outcome::Passed, seed))
                })
            };
            let grid = [0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
            let cells: Vec<(f64, [f64; 2])> =
                grid.iter().map(|&gained| (gained, held(gained + margin, gained))).collect();
            let worst = |at: usize| {
                cells.iter().fold((0.0, 0.0), |worst: (f64, f64), (gained, shares)| {
                    if shares[at] > worst.1 { (*gained, shares[at]) } else { worst }
                })
            };
            let ((gained, share), (_, bounded)) = (worst(0), worst(1));
            let [power, _] = held(0.01, 0.01);
            println!(
                "| {margin} | {n} | {share:.3} ± {:.3} | {:.3}, {gained} | {bounded:.3} | {power:.3} |",
                standard_error(share, repetitions),
                gained + margin
            );
        }
    }
}

/// Two noisy looks at queries of some difficulty, a quarter of them ties; the candidate better by this on average.
fn graded(n: usize, by: f64, seed: u64) -> Differences {
    let mut unit = random(seed);
    let (baseline, candidate): (Vec<f64>, Vec<f64>) = (0..n)
        .map(|_| {
            let difficulty = unit().powi(2);
            let mut look = |by: f64| (difficulty + by + 0.3 * (unit() + unit() - 1.0)).clamp(0.0, 1.0);
            let one = look(0.0);
            let other = look(by / 0.75 / 0.85);
            if unit() < 0.25 { (one, one) } else { (one, other) }
        })
        .unzip();
    differences(&baseline, &candidate)
}

/// What is seen of something true.
pub(super) fn print_power(repetitions: u64) {
    println!("\n| what is true | n | significant | strict | none |\n|---|---|---|---|---|");
    let settings = [Robustness::Standard, Robustness::Strict, Robustness::None].map(with);
    for (name, by, expectation) in [
        ("gain of about .04", 0.04, GAIN),
        ("gain of about .06", 0.06, GAIN),
        ("margin .05, nothing lost", 0.0, Expectation::NonInferiority { margin: 0.05 }),
        ("margin .05 both ways, nothing lost", 0.0, Expectation::Equivalence { margin: 0.05 }),
    ] {
        for n in SIZES {
            let claims = |seed: u64| {
                let drawn = graded(n, by, seed);
                let [a, b, c] = &settings;
                [a, b, c].map(|settings| decides(&drawn, expectation, settings, Outcome::Passed, seed))
            };
            row(name, n, shares(repetitions, claims), repetitions);
        }
    }
    println!("\n| drop of about | n | standard | strict |\n|---|---|---|---|");
    let tests = [Robustness::Standard, Robustness::Strict].map(with);
    for by in [0.04, 0.06] {
        for n in SIZES {
            let claims = |seed: u64| {
                let drawn = graded(n, -by, seed);
                let [a, b] = &tests;
                [a, b].map(|settings| decides(&drawn, DROP, settings, Outcome::Failed, seed))
            };
            row(&by.to_string(), n, shares(repetitions, claims), repetitions);
        }
    }
}
