//! How often something false is said of a suite of very unequal collections:
//! `cargo bench --bench suite_simulation [-- [better | planning | smallest] REPETITIONS [POPULATION]]`.
//!
//! Draws the differences of five collections of 15, 30, 60, 120 and 600 queries, or of eight for what is said of other
//! collections, and asks what a suite's gates ask. With `better` it asks only in how many collections the candidate is better,
//! with `planning` it plans suites and carries the plans out, and with `smallest` the smallest gains that it states. It prints the tables of docs/suites.md with their standard
//! errors. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

mod few_resamples;
#[path = "suite_simulation/planning.rs"]
mod planning;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    Claim, Confidence, Correction, Differences, Direction, Expectation, Guarantee, Outcome, PairedT,
    PermutationOptions, Stream, adjust, outcome, partial_conjunction, permutation_test, random_effects,
};
use rayon::prelude::*;

use few_resamples::settings;

const SIZES: [usize; 5] = [15, 30, 60, 120, 600];
const OTHERS: [usize; 8] = [15, 30, 30, 60, 60, 120, 300, 600];
/// The level of a claim in one direction.
const LEVEL: f64 = 0.025;
const MARGIN: f64 = 0.03;
/// Gains of two of the collections.
const TWO_OF_FIVE: [f64; 5] = [0.0, 0.1, 0.0, 0.0, 0.1];
/// Permutation and bootstrap resamples. A p-value of so few is as valid as one of more.
const RESAMPLES: u64 = 1_999;

fn main() {
    // cargo passes --bench
    let repetitions: u64 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(5_000);
    println!("{repetitions} repetitions, {RESAMPLES} resamples\n");
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    if asked("planning") {
        return planning::table(repetitions);
    }
    if asked("smallest") {
        return planning::smallest(repetitions);
    }
    if asked("better") {
        return better_in_some(repetitions);
    }
    println!(
        "| differences | false gain | false gain, gains and losses | false drop | at the margin, all alike | at the margin, \
         in the smallest | false harm anywhere | harm-at-most, one at its limit | better in more than are | better in \
         one, none is | power, gain of .05 |\n|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, scores) in populations() {
        let seen: Vec<[bool; 10]> =
            (0..repetitions).into_par_iter().map(|seed| observe(scores, seed)).collect();
        let cells: Vec<String> = (0..10).map(|at| share(seen.iter().map(|one| one[at]))).collect();
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

/// All populations, or the one whose name begins with an argument.
fn populations() -> impl Iterator<Item = (&'static str, Scores)> {
    let begins =
        |(name, _): &(&str, Scores)| std::env::args().skip(1).any(|argument| name.starts_with(&argument));
    let chosen = POPULATIONS.iter().any(begins);
    POPULATIONS.into_iter().filter(move |one| !chosen || begins(one))
}

/// How often the candidate is said to be better in more collections than it is.
fn better_in_some(repetitions: u64) {
    println!("| differences | better in more than are | better in one, none is |\n|---|---|---|");
    for (name, scores) in populations() {
        let observe = |seed: u64| {
            let own = seed.wrapping_mul(8) + 7;
            [are_better(scores, TWO_OF_FIVE, own) > 2, are_better(scores, [0.0; 5], own) > 0]
        };
        let seen: Vec<[bool; 2]> = (0..repetitions).into_par_iter().map(observe).collect();
        let cells = [0, 1].map(|at| share(seen.iter().map(|one| one[at])));
        println!("| {name} | {} |", cells.join(" | "));
    }
}

fn share(seen: impl ExactSizeIterator<Item = bool>) -> String {
    let all = seen.len() as f64;
    let share = seen.filter(|one| *one).count() as f64 / all;
    format!("{share:.3} ± {:.3}", (share * (1.0 - share) / all).sqrt())
}

/// A query's two scores, whose difference has mean 0, from numbers between 0 and 1.
type Scores = fn(&mut dyn FnMut() -> f64) -> (f64, f64);

const POPULATIONS: [(&str, Scores); 4] = [
    ("normal, sd .2", |uniform| moved(0.5, (0.2 * normal(uniform)).clamp(-0.5, 0.5))),
    ("80% ties", |uniform| {
        moved(0.5, if uniform() < 0.8 { 0.0 } else { (0.25 * normal(uniform)).clamp(-0.5, 0.5) })
    }),
    // Gains of .03 in 40% of the queries, losses of .3 in 4%.
    ("rare losses", |uniform| {
        let before = 0.3 + 0.6 * uniform();
        match uniform() {
            rare if rare < 0.04 => moved(before, -0.3),
            gain if gain < 0.44 => moved(before, 0.03),
            _ => moved(before, 0.0),
        }
    }),
    // 2% of the queries lose a first rank, 4% move from the second to the first.
    ("RR-like, rare losses of everything", |uniform| match (uniform(), uniform()) {
        (first, lost) if first < 0.45 => moved(1.0, if lost < 0.02 / 0.45 { -1.0 } else { 0.0 }),
        (second, gained) if second < 0.65 => moved(0.5, if gained < 0.04 / 0.2 { 0.5 } else { 0.0 }),
        (third, _) if third < 0.75 => moved(1.0 / 3.0, 0.0),
        _ => moved(0.0, 0.0),
    }),
];

fn moved(before: f64, by: f64) -> (f64, f64) {
    (before, before + by)
}

fn normal(uniform: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - uniform()).ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform()).cos()
}

/// Random numbers between 0 and 1.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// One collection for each effect, whose queries differ by it and by what scores vary.
fn draw(
    scores: Scores,
    sizes: &[usize],
    effects: &[f64],
    random: &mut dyn FnMut() -> f64,
) -> Vec<Differences> {
    let of = |(&size, effect): (&usize, &f64)| {
        let (before, after): (Vec<f64>, Vec<f64>) = (0..size).map(|_| scores(random)).unzip();
        let after: Vec<f64> = after.iter().map(|score| score + effect).collect();
        Differences::new(&before, &after).expect("differences").within(&(0.0..=1.0))
    };
    sizes.iter().zip(effects).map(of).collect()
}

fn joined(parts: &[Differences]) -> Differences {
    Differences::joined(&parts.iter().map(|part| (part, 1.0)).collect::<Vec<_>>()).expect("joined")
}

/// What the gate on the mean of such collections comes to.
fn decided(scores: Scores, effects: [f64; 5], expectation: Expectation, seed: u64) -> Outcome {
    let joined = joined(&draw(scores, &SIZES, &effects, &mut uniform(seed)));
    outcome(&joined, expectation, &settings(RESAMPLES), &Stream::new(seed)).expect("an outcome")
}

fn observe(scores: Scores, seed: u64) -> [bool; 10] {
    let gain = Expectation::Improvement { min_gain: 0.0 };
    let kept = Expectation::NonInferiority { margin: MARGIN };
    let passes = |effects, expectation, seed| decided(scores, effects, expectation, seed) == Outcome::Passed;
    let mixed = [0.06, -0.06, 0.04, -0.02, -0.02];
    let own = seed.wrapping_mul(8);
    [
        passes([0.0; 5], gain, own),
        passes(mixed, gain, own + 1),
        decided(scores, [0.0; 5], Expectation::default(), own + 2) == Outcome::Failed,
        passes([-MARGIN; 5], kept, own + 3),
        passes([-5.0 * MARGIN, 0.0, 0.0, 0.0, 0.0], kept, own + 4),
        harmed(scores, own + 5),
        every_one_kept(scores, own + 6),
        are_better(scores, TWO_OF_FIVE, own + 7) > 2,
        are_better(scores, [0.0; 5], own + 7) > 0,
        passes([0.05; 5], gain, own),
    ]
}

/// Whether a drop is shown in any collection, of which none loses.
fn harmed(scores: Scores, seed: u64) -> bool {
    let parts = draw(scores, &SIZES, &[0.0; 5], &mut uniform(seed));
    let p: Vec<f64> = parts.iter().enumerate().map(|(at, part)| signs(part, seed, at).1).collect();
    adjust(&p, Correction::Holm).expect("p-values").iter().any(|&p| p <= LEVEL)
}

/// Whether all are shown to lose less than the limit, which one of the large ones loses, the others nothing.
fn every_one_kept(scores: Scores, seed: u64) -> bool {
    let parts = draw(scores, &SIZES, &[0.05, 0.05, 0.05, -MARGIN, 0.05], &mut uniform(seed));
    parts.iter().enumerate().all(|(at, part)| better(part, -MARGIN, seed, at) <= LEVEL)
}

/// In how many collections at least the candidate is said to be better.
fn are_better(scores: Scores, effects: [f64; 5], seed: u64) -> usize {
    let parts = draw(scores, &SIZES, &effects, &mut uniform(seed));
    let p: Vec<f64> = parts.iter().enumerate().map(|(at, part)| better(part, 0.0, seed, at)).collect();
    partial_conjunction(&p, LEVEL).expect("p-values").at_least
}

/// One-sided p-values of the permutation test: better, worse.
fn signs(part: &Differences, seed: u64, at: usize) -> (f64, f64) {
    let stream = Stream::new(seed).for_name(&at.to_string());
    let options = PermutationOptions { stream, ..settings(RESAMPLES).permutation };
    let test = permutation_test(part, 0.0, &options).expect("a test");
    (test.p_greater, test.p_less)
}

/// The p-value that a claim in the candidate's favour needs: of a gain the larger of two tests, at a margin the unseen
/// query's alone.
fn better(part: &Differences, null: f64, seed: u64, at: usize) -> f64 {
    let signs = if null == 0.0 { signs(part, seed, at).0 } else { 0.0 };
    if signs > LEVEL {
        return signs;
    }
    let claim = Claim { null, direction: Direction::Greater };
    let unseen = part.unseen_p(claim, Guarantee::Typical, &Stream::new(seed));
    signs.max(unseen.expect("scores have a range"))
}

/// Of effects around .01 with this standard deviation: whether the intervals hold what they are about, and whether a gain
/// is claimed where the mean effect is 0.
fn of_others(tau: f64, seed: u64) -> [bool; 3] {
    let mut random = uniform(seed);
    let mean = 0.01;
    let mut effect = || mean + tau * normal(&mut random);
    let effects: Vec<f64> = OTHERS.iter().map(|_| effect()).collect();
    let more = effect();
    let scores = POPULATIONS[0].1;
    let parts = draw(scores, &OTHERS, &effects, &mut uniform(!seed));
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
