//! How often the intervals hold the truth: `cargo bench --bench stats_coverage [-- REPETITIONS]`.
//!
//! Draws many small test collections from populations whose two sides are equally good, and prints a table
//! of docs/validation/simulations.md. Every number is a share of the repetitions (2,000 by default); at 0.95 its
//! standard error is 0.005.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{ComparisonSettings, Differences, Interval, Question, Stream, compare};
use rayon::prelude::*;

const SIZES: [usize; 5] = [10, 20, 50, 200, 1000];

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2_000);
    let populations: [(&str, Population); 4] =
        [("nDCG-like", graded), ("RR-like", reciprocal), ("skewed", skewed), ("rare losses", rare)];
    println!("| population | n | test inversion | t | percentile |\n|---|---|---|---|---|");
    for (name, population) in populations {
        for n in SIZES {
            let tally = (0..repetitions)
                .into_par_iter()
                .map(|seed| Tally::new(population, n, seed))
                .reduce(Tally::default, Tally::plus);
            println!("| {name} | {n} | {} |", tally.coverage(repetitions));
        }
    }
}

/// One query's scores under the baseline and the candidate, with mean difference 0.
type Population = fn(&mut ChaCha8Rng) -> (f64, f64);

fn unit(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

/// Two noisy looks at a query of some difficulty; a quarter ties.
fn graded(random: &mut ChaCha8Rng) -> (f64, f64) {
    let difficulty = unit(random);
    let mut look = || (difficulty + 0.4 * (unit(random) + unit(random) - 1.0)).clamp(0.0, 1.0);
    let (one, other) = (look(), look());
    if unit(random) < 0.25 { (one, one) } else { (one, other) }
}

/// Reciprocal ranks in the top 10; two thirds ties.
fn reciprocal(random: &mut ChaCha8Rng) -> (f64, f64) {
    let mut look = || match (unit(random) * unit(random) * 14.0) as u32 {
        rank if rank < 10 => 1.0 / f64::from(rank + 1),
        _ => 0.0,
    };
    let (one, other) = (look(), look());
    if unit(random) < 0.6 { (one, one) } else { (one, other) }
}

/// Small gains for most, larger losses for some: .05 ten times as often as -.5.
fn skewed(random: &mut ChaCha8Rng) -> (f64, f64) {
    match unit(random) {
        chance if chance < 0.60 => (0.5, 0.55),
        chance if chance < 0.66 => (0.6, 0.1),
        _ => (0.5, 0.5),
    }
}

/// As before, with losses in one query of fifty only.
fn rare(random: &mut ChaCha8Rng) -> (f64, f64) {
    match unit(random) {
        chance if chance < 0.40 => (0.5, 0.53),
        chance if chance < 0.42 => (0.7, 0.1),
        _ => (0.5, 0.5),
    }
}

/// Counts over the repetitions: intervals given, and those that hold the truth.
#[derive(Default)]
struct Tally {
    given: [u64; 3],
    holding: [u64; 3],
}

impl Tally {
    fn new(population: Population, n: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (baseline, candidate): (Vec<f64>, Vec<f64>) = (0..n).map(|_| population(&mut random)).unzip();
        let differences = Differences::new(&baseline, &candidate).expect("finite scores");
        let stream = Stream::new(seed);
        let settings = ComparisonSettings { bootstrap_resamples: 1_999, ..ComparisonSettings::default() };
        let answer =
            compare(&[Question::new(&differences, &stream)], &settings).expect("valid settings").remove(0);
        let t = answer.t.expect("several units").interval(settings.confidence);
        let intervals = [answer.interval, t, answer.bootstrap.interval];
        let holds = |interval: &Interval| interval.low <= 0.0 && 0.0 <= interval.high;
        Self {
            given: intervals.map(|interval| u64::from(interval.is_ok())),
            holding: intervals.map(|interval| u64::from(interval.is_ok_and(|interval| holds(&interval)))),
        }
    }

    fn plus(mut self, other: Self) -> Self {
        let given = self.given.iter_mut().zip(&other.given);
        for (to, from) in given.chain(self.holding.iter_mut().zip(&other.holding)) {
            *to += from;
        }
        self
    }

    fn coverage(&self, repetitions: u64) -> String {
        let of = |(&given, &holding): (&u64, &u64)| match (given, repetitions - given) {
            (0, _) => "-".to_owned(),
            (_, 0) => format!("{:.3}", holding as f64 / given as f64),
            (_, refused) => {
                let refused = refused as f64 / repetitions as f64;
                format!("{:.3} ({refused:.3} refused)", holding as f64 / given as f64)
            }
        };
        self.given.iter().zip(&self.holding).map(of).collect::<Vec<_>>().join(" | ")
    }
}
