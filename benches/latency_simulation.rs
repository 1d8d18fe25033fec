//! How often latency gates flap: `cargo bench --bench latency_simulation [-- REPETITIONS]` on series that are
//! drawn, always the same; with `machine`, on this machine, while other threads keep all of its processors busy.
//!
//! Prints a table of docs/validation/simulations.md.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

#[path = "latency_simulation/machine.rs"]
mod machine;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Confidence, LatencyReason, PairedTimes, Quantile, Stream, latency_outcome};
use rayon::prelude::*;

const LIMIT: f64 = 1.25;
/// How many times as long the candidate takes: as long, as long as it may, longer.
const TRUTHS: [f64; 4] = [1.0, LIMIT, 1.3, 1.6];
const BLOCKS: usize = 12;
const QUERIES: usize = 28;

fn main() {
    let repetitions: Option<usize> = std::env::args().find_map(|argument| argument.parse().ok());
    if std::env::args().any(|argument| argument == "machine") {
        return machine::print(repetitions.unwrap_or(200));
    }
    let repetitions = repetitions.unwrap_or(500) as u64;
    println!("{repetitions} repetitions, {BLOCKS} blocks of {QUERIES} queries, limit {LIMIT}\n");
    println!(
        "| times | quantile | true ratio | passed | failed | inconclusive | of it for noise |\n|---|---|---|---|---|---|---|"
    );
    for (name, weather) in WEATHERS {
        for quantile in ["p50", "p95"] {
            let quantile: Quantile = quantile.parse().expect("a quantile");
            for truth in TRUTHS {
                let decided: Vec<LatencyReason> = (0..repetitions)
                    .into_par_iter()
                    .map(|seed| {
                        let times = weather.times(seed, truth);
                        let itself = weather.times(seed + 1_000_000, 1.0);
                        let (confidence, stream) = (Confidence::default(), Stream::new(seed));
                        let outcome = latency_outcome(&times, &itself, quantile, LIMIT, confidence, &stream);
                        outcome.expect("valid times").reason
                    })
                    .collect();
                let share = |is: &[LatencyReason]| {
                    shown(decided.iter().filter(|one| is.contains(one)).count(), decided.len())
                };
                println!(
                    "| {name} | {quantile} | {truth} | {} | {} | {} | {} |",
                    share(&[LatencyReason::Within]),
                    share(&[LatencyReason::Beyond]),
                    share(&[LatencyReason::NotShown, LatencyReason::Noise]),
                    share(&[LatencyReason::Noise]),
                );
            }
        }
    }
}

/// A share with its standard error.
fn shown(count: usize, of: usize) -> String {
    let share = count as f64 / of as f64;
    format!("{share:.3} ± {:.3}", (share * (1.0 - share) / of as f64).sqrt())
}

/// What happens to times.
struct Weather {
    /// Standard deviation of the logarithm of one answer's time.
    noise: f64,
    /// The share of answers that something delays, to five times as long on average.
    stalls: f64,
    /// Standard deviation of the logarithm of a whole block's times.
    drift: f64,
    /// The share of blocks in a fifth of which half of the answers take half as long again.
    spells: f64,
    /// Standard deviation of the logarithm of a query's own ratio.
    queries: f64,
}

const QUIET: Weather = Weather { noise: 0.05, stalls: 0.0, drift: 0.0, spells: 0.0, queries: 0.0 };

const WEATHERS: [(&str, Weather); 6] = [
    ("quiet", QUIET),
    ("drifting", Weather { drift: 0.3, ..QUIET }),
    ("stalls", Weather { stalls: 0.03, ..QUIET }),
    ("spells", Weather { spells: 0.5, ..QUIET }),
    ("all of these", Weather { noise: 0.3, stalls: 0.03, drift: 0.3, spells: 0.5, queries: 0.0 }),
    ("queries differ", Weather { queries: 0.2, ..QUIET }),
];

impl Weather {
    /// Times of a baseline and of a candidate that takes `ratio` times as long.
    fn times(&self, seed: u64, ratio: f64) -> PairedTimes {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let normal = |uniform: &mut dyn FnMut() -> f64| {
            (-2.0 * (1.0 - uniform()).ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
        };
        // Some queries take longer than others, on both sides, and on one.
        let typical: Vec<[f64; 2]> = (0..QUERIES)
            .map(|_| {
                let time = (0.5 * normal(&mut uniform)).exp();
                [time, time * ratio * (self.queries * normal(&mut uniform)).exp()]
            })
            .collect();
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..BLOCKS {
            let drift = (self.drift * normal(&mut uniform)).exp();
            let spell = uniform() < self.spells;
            let from = (uniform() * 0.8 * QUERIES as f64) as usize;
            let mut block = [Vec::new(), Vec::new()];
            for (query, typical) in typical.iter().enumerate() {
                for (times, typical) in block.iter_mut().zip(typical) {
                    let mut time = typical * drift * (self.noise * normal(&mut uniform)).exp();
                    if uniform() < self.stalls {
                        time *= 1.0 - 4.0 * (1.0 - uniform()).ln();
                    }
                    if spell && (from..from + QUERIES / 5).contains(&query) && uniform() < 0.5 {
                        time *= 1.5;
                    }
                    times.push(time);
                }
            }
            let [baseline, candidate] = block;
            sides[0].push(baseline);
            sides[1].push(candidate);
        }
        let [baseline, candidate] = sides;
        PairedTimes::new(baseline, candidate).expect("positive times")
    }
}
