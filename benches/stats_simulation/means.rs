//! How often a limit of a single mean is on the wrong side of it: `cargo bench --bench stats_simulation -- means`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Confidence, mean_interval};
use rayon::prelude::*;

use super::standard_error;

const SIZES: [usize; 5] = [15, 30, 50, 100, 300];

/// A score from a number between 0 and 1 and another, and the mean of such scores.
struct Population {
    name: &'static str,
    mean: f64,
    score: fn(f64, f64) -> f64,
}

const POPULATIONS: [Population; 8] = [
    Population {
        name: "nDCG of mean .95",
        mean: 0.95,
        score: |u, v| if u < 0.8 { 1.0 } else { f64::midpoint(v, 1.0) },
    },
    Population { name: "nDCG of mean .90", mean: 0.9, score: |u, v| if u < 0.8 { 1.0 } else { v } },
    Population { name: "RR of mean .93", mean: 0.93, score: |u, _| reciprocal(u, [0.9, 0.95, 0.965]) },
    Population { name: "RR of mean .90", mean: 0.9, score: |u, _| reciprocal(u, [0.85, 0.94, 0.955]) },
    Population { name: "97% ones", mean: 0.985, score: |u, v| if u < 0.97 { 1.0 } else { v } },
    Population { name: "98% successes", mean: 0.98, score: |u, _| if u < 0.98 { 1.0 } else { 0.0 } },
    Population { name: "AP of mean .20", mean: 0.2, score: |u, _| u.powi(4) },
    Population { name: "nDCG of mean .30", mean: 0.3, score: |u, v| if u < 0.4 { 0.0 } else { v } },
];

/// 1, 1/2, 1/3 or 0, by where the number lies.
fn reciprocal(u: f64, ends: [f64; 3]) -> f64 {
    match u {
        u if u < ends[0] => 1.0,
        u if u < ends[1] => 0.5,
        u if u < ends[2] => 1.0 / 3.0,
        _ => 0.0,
    }
}

/// Of t and of the unseen query: lower limits above the mean, upper ones below it, and the sum of widths.
type Tally = [[f64; 3]; 2];

pub(super) fn print(repetitions: u64) {
    println!(
        "| population | n | lower limit above the mean: t | unseen query | upper limit below it: t | unseen query | width over \
         t's |\n|---|---|---|---|---|---|---|"
    );
    for population in POPULATIONS {
        for n in SIZES {
            let [t, unseen] = (0..repetitions)
                .into_par_iter()
                .map(|seed| tally(&population, n, seed))
                .reduce(Tally::default, |a, b| [0, 1].map(|k| [0, 1, 2].map(|i| a[k][i] + b[k][i])));
            let share = |count: f64| {
                let share = count / repetitions as f64;
                format!("{share:.3} ± {:.3}", standard_error(share, repetitions))
            };
            println!(
                "| {} | {n} | {} | {} | {} | {} | {:.2} |",
                population.name,
                share(t[0]),
                share(unseen[0]),
                share(t[1]),
                share(unseen[1]),
                unseen[2] / t[2]
            );
        }
    }
}

fn tally(population: &Population, n: usize, seed: u64) -> Tally {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let scores: Vec<f64> = (0..n).map(|_| (population.score)(unit(), unit())).collect();
    let (mean, confidence) = (population.mean, Confidence::default());
    // Without an upper end of the range it is the t interval.
    [0.0..=f64::INFINITY, 0.0..=1.0].map(|range| {
        let found = mean_interval(&scores, confidence, range).expect("finite scores");
        // Equal scores have no t interval: what it would be is the score itself.
        let (low, high) = found.interval.map_or((found.mean, found.mean), |limits| (limits.low, limits.high));
        [f64::from(u8::from(low > mean)), f64::from(u8::from(high < mean)), high.min(1.0) - low]
    })
}
