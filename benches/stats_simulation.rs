//! How often the tests claim something false, and how often the intervals hold the truth:
//! `cargo bench --bench stats_simulation [-- REPETITIONS]`.
//!
//! Draws many small test collections from populations of known mean, asks each what a gate would ask, and
//! prints the tables of docs/statistics.md. Every number is a share of the repetitions (2,000 by default); at
//! 0.025 its standard error is 0.0035, at 0.95 it is 0.005.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    BootstrapInterval, Comparison, ComparisonSettings, DecidingTest, Differences, Direction, Expectation,
    Interval, Outcome, Question, Stream, compare,
};
use rayon::prelude::*;

/// A margin to be tested at.
const MARGIN: f64 = 0.02;

const SIZES: [usize; 5] = [10, 20, 50, 200, 1000];

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2_000);
    let populations: [(&str, Population); 4] =
        [("nDCG-like", graded), ("RR-like", reciprocal), ("skewed", skewed), ("rare losses", rare)];
    let mut claims = String::new();
    let mut intervals = String::new();
    for (name, population) in populations {
        for n in SIZES {
            let tally = (0..repetitions)
                .into_par_iter()
                .map(|seed| Tally::of(population, n, seed))
                .reduce(Tally::default, Tally::plus);
            claims.push_str(&format!("| {name} | {n} | {} |\n", tally.claims(repetitions)));
            intervals.push_str(&format!("| {name} | {n} | {} |\n", tally.coverage(repetitions)));
        }
    }
    println!(
        "False claims\n\n| population | n | permutation | t | bootstrap | gate | non-inferiority gate |"
    );
    println!("|---|---|---|---|---|---|---|\n{claims}");
    println!("Coverage\n\n| population | n | dual | t | percentile | BCa | studentised |");
    println!("|---|---|---|---|---|---|---|\n{intervals}");
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

/// A sample whose true mean difference is `shift`.
fn sample(population: Population, n: usize, shift: f64, seed: u64) -> Differences {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (baseline, candidate): (Vec<f64>, Vec<f64>) = (0..n).map(|_| population(&mut random)).unzip();
    let shifted: Vec<f64> = candidate.iter().map(|score| score + shift).collect();
    Differences::new(&baseline, &shifted).expect("finite scores")
}

fn answer(differences: &Differences, expectation: Expectation, test: DecidingTest, seed: u64) -> Comparison {
    let stream = Stream::new(seed);
    let question = Question { expectation, ..Question::new(differences, &stream) };
    let settings = ComparisonSettings { test, bootstrap_resamples: 1_999, ..ComparisonSettings::default() };
    compare(&[question], &settings).expect("valid settings").remove(0)
}

/// Counts over the repetitions.
#[derive(Default)]
struct Tally {
    /// A drop and a gain claimed by the permutation test, the t test, the bootstrap and the gates.
    claims: [[u64; 2]; 4],
    non_inferior: u64,
    /// Intervals given, and those that hold the truth.
    given: [u64; 5],
    holding: [u64; 5],
}

impl Tally {
    fn of(population: Population, n: usize, seed: u64) -> Self {
        let truth = 0.0;
        let differences = sample(population, n, truth, seed);
        let plain = answer(&differences, Expectation::default(), DecidingTest::Permutation, seed);
        let bootstrap = answer(&differences, Expectation::default(), DecidingTest::Bootstrap, seed);
        let improvement = Expectation::Improvement { min_gain: 0.0 };
        let improvement = answer(&differences, improvement, DecidingTest::Permutation, seed);
        let worse = sample(population, n, -MARGIN, seed);
        let non_inferiority = Expectation::NonInferiority { margin: MARGIN };
        let non_inferiority = answer(&worse, non_inferiority, DecidingTest::Permutation, seed);

        let claimed = |p: f64| u64::from(p <= plain_level());
        let t = |direction| plain.t.map_or(1.0, |t| t.p(0.0, direction));
        let intervals = [
            plain.interval,
            plain.t_interval,
            plain.bootstrap.interval(BootstrapInterval::Percentile),
            plain.bootstrap.interval(BootstrapInterval::Bca),
            plain.bootstrap.interval(BootstrapInterval::Studentised),
        ];
        let holds = |interval: &Interval| interval.low <= truth && truth <= interval.high;
        Self {
            claims: [
                [claimed(plain.permutation().p_less), claimed(plain.permutation().p_greater)],
                [claimed(t(Direction::Less)), claimed(t(Direction::Greater))],
                [claimed(bootstrap.p_adjusted.1), claimed(bootstrap.p_adjusted.0)],
                [
                    u64::from(plain.decision.outcome == Outcome::Failed),
                    u64::from(improvement.decision.outcome == Outcome::Passed),
                ],
            ],
            non_inferior: u64::from(non_inferiority.decision.outcome == Outcome::Passed),
            given: intervals.map(|interval| u64::from(interval.is_ok())),
            holding: intervals.map(|interval| u64::from(interval.is_ok_and(|interval| holds(&interval)))),
        }
    }

    fn plus(mut self, other: Self) -> Self {
        let pairs = self.claims.as_flattened_mut().iter_mut().zip(other.claims.as_flattened());
        let intervals = self.given.iter_mut().zip(&other.given);
        let holding = self.holding.iter_mut().zip(&other.holding);
        for (to, from) in pairs.chain(intervals).chain(holding) {
            *to += from;
        }
        self.non_inferior += other.non_inferior;
        self
    }

    fn claims(&self, repetitions: u64) -> String {
        let share = |count: u64| format!("{:.3}", count as f64 / repetitions as f64);
        let pairs = self.claims.map(|[drop, gain]| format!("{} {}", share(drop), share(gain)));
        format!("{} | {}", pairs.join(" | "), share(self.non_inferior))
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

/// Half of 5%.
fn plain_level() -> f64 {
    ComparisonSettings::default().confidence.tail()
}
