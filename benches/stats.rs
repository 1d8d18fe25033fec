//! Time per call of the statistics: `cargo bench --bench stats`.
//!
//! The bars: permutation at n = 7,000 and B = 99,999 about 40 ms on one thread (0.06 ns per query and
//! resample); exact p for 44 units within 150 ms; lattice metrics within 20 ms at any n; bootstrap at
//! n = 7,000, B = 9,999 and 8 metrics within 0.4 s on one thread.

#![expect(clippy::unwrap_used, reason = "a benchmark may stop, and prints its result")]

use divan::Bencher;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    Bootstrap, Confidence, Differences, Engine, PermutationOptions, Stream, dual_interval, mean_interval,
    permutation_test, unseen_tail,
};

fn main() {
    divan::main();
}

/// Differences like those of nDCG: a quarter ties, the rest anything.
fn continuous(n: usize, seed: u64) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut score = || random.next_u32() as f64 / f64::from(u32::MAX);
    let baseline: Vec<f64> = (0..n).map(|_| score()).collect();
    let candidate: Vec<f64> =
        baseline.iter().map(|&old| if score() < 0.25 { old } else { 0.98 * old + 0.02 * score() }).collect();
    Differences::new(&baseline, &candidate).unwrap()
}

/// Differences that are multiples of `1 / steps`.
fn lattice(n: usize, steps: u32) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut score = || f64::from(random.next_u32() % (steps + 1)) / f64::from(steps);
    let baseline: Vec<f64> = (0..n).map(|_| score()).collect();
    let candidate: Vec<f64> = baseline.iter().map(|&old| if score() < 0.1 { score() } else { old }).collect();
    let spread: Vec<f64> = (0..n).map(|_| score()).collect();
    let candidate: Vec<f64> =
        candidate.iter().zip(&spread).map(|(&c, &s)| if s < 0.7 { s } else { c }).collect();
    Differences::new(&baseline, &candidate).unwrap()
}

/// Scores like those of nDCG.
fn scores(n: usize) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    (0..n).map(|_| random.next_u32() as f64 / f64::from(u32::MAX)).collect()
}

/// Reciprocal ranks down to rank `depth`.
fn reciprocal(n: usize, depth: u32) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut score = || match random.next_u32() % (depth + 3) {
        rank if rank < depth => 1.0 / f64::from(rank + 1),
        _ => 0.0,
    };
    let baseline: Vec<f64> = (0..n).map(|_| score()).collect();
    let candidate: Vec<f64> = (0..n).map(|_| score()).collect();
    Differences::new(&baseline, &candidate).unwrap()
}

fn engine(engine: Engine) -> PermutationOptions {
    PermutationOptions { engine: Some(engine), most_resamples: 0, ..PermutationOptions::default() }
}

fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rankgate::__private::within(1, work)
}

#[divan::bench]
fn permutation_7000_units_99999_resamples_1_thread(bencher: Bencher) {
    let differences = continuous(7_000, 1);
    let options = engine(Engine::MonteCarlo);
    bencher.bench(|| on_one_thread(|| permutation_test(&differences, 0.0, &options)));
}

#[divan::bench]
fn permutation_7000_units_99999_resamples(bencher: Bencher) {
    let differences = continuous(7_000, 1);
    let options = engine(Engine::MonteCarlo);
    bencher.bench(|| permutation_test(&differences, 0.0, &options));
}

#[divan::bench(args = [50, 7_000])]
fn tail_by_the_unseen_query(bencher: Bencher, n: usize) {
    let values = scores(n);
    bencher.bench(|| unseen_tail(&values, 0.0, 0.48).unwrap());
}

#[divan::bench(args = [50, 7_000])]
fn limits_by_the_unseen_query(bencher: Bencher, n: usize) {
    let values = scores(n);
    bencher.bench(|| mean_interval(&values, Confidence::default(), 0.0..=1.0).unwrap());
}

#[divan::bench(args = [20, 28, 40, 44])]
fn exact_count(bencher: Bencher, n: usize) {
    let differences = Differences::new(
        &vec![0.0; n],
        &continuous(n, 3).sums().iter().map(|d| d + 0.01).collect::<Vec<_>>(),
    )
    .unwrap();
    let options = engine(Engine::ExactCount);
    bencher.bench(|| on_one_thread(|| permutation_test(&differences, 0.0, &options)).unwrap());
}

#[divan::bench(args = [50, 70, 100, 130, 160, 200, 400, 1000, 7_000, 50_000], consts = [10, 1_000, 10_000, 100_000])]
fn exact_lattice<const STEPS: u32>(bencher: Bencher, n: usize) {
    let differences = lattice(n, STEPS);
    let options = engine(Engine::ExactLattice);
    bencher.bench(|| on_one_thread(|| permutation_test(&differences, 0.0, &options)));
}

#[divan::bench(args = [50, 100, 200, 400, 1000, 7_000, 50_000], consts = [10, 12])]
fn exact_lattice_of_reciprocal_ranks<const DEPTH: u32>(bencher: Bencher, n: usize) {
    let differences = reciprocal(n, DEPTH);
    let options = engine(Engine::ExactLattice);
    bencher.bench(|| on_one_thread(|| permutation_test(&differences, 0.0, &options)).unwrap());
}

#[divan::bench]
fn bootstrap_7000_units_9999_resamples_1_thread(bencher: Bencher) {
    let differences = continuous(7_000, 1);
    let stream = Stream::new(1);
    bencher.bench(|| on_one_thread(|| Bootstrap::new(&differences, 9_999, &stream)).unwrap());
}

#[divan::bench(args = [12, 20, 28, 100, 7_000])]
fn dual_interval_1_thread(bencher: Bencher, n: usize) {
    let differences = continuous(n, 1);
    let options = PermutationOptions::default();
    bencher.bench(|| on_one_thread(|| dual_interval(&differences, Confidence::default(), &options)));
}
