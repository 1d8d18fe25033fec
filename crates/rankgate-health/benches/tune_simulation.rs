//! How often `rankgate tune` claims a gain that is none, how far the gain that it reports is off, and what it still sees:
//! `cargo bench -p rankgate-health --bench tune_simulation [-- REPETITIONS]`.
//!
//! 66 settings are the weights of three rankings in tenths. It prints the tables of docs/simulations.md with standard errors. The same
//! seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{ComparisonSettings, Confidence, Stream};
use rankgate_health::SweepScores;

/// Shares of three rankings in tenths that sum to 1.
fn weights() -> Vec<[f64; 3]> {
    let mut all = Vec::new();
    for first in (0..=10).rev() {
        for second in (0..=10 - first).rev() {
            all.push([first, second, 10 - first - second].map(|share: i32| f64::from(share) / 10.0));
        }
    }
    all
}

/// How the settings of one draw differ from each other.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A query prefers one ranking or another, so that neighbouring weights score alike.
    Smooth,
    /// Every setting differs from every other by chance alone: the worst case for whoever takes the best.
    Independent,
}

/// Differences from today's score, in which no setting gains but one and those beside it.
fn draw(queries: usize, kind: Kind, gain: f64, seed: u64) -> (SweepScores, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let all = weights();
    // The truth: the best setting is [0.5, 0.3, 0.2], and the gain falls to nothing three tenths away.
    let truth: Vec<f64> = all
        .iter()
        .map(|[a, b, c]| {
            let far = ((a - 0.5).abs() + (b - 0.3).abs() + (c - 0.2).abs()) / 2.0;
            gain * (1.0 - far / 0.3).max(0.0)
        })
        .collect();
    let mut settings = vec![Vec::new(); all.len()];
    for _ in 0..queries {
        // On half of the queries all settings rank alike.
        let is_moved = uniform() < 0.5;
        let slopes = [(); 3].map(|()| if is_moved { uniform() - 0.5 } else { 0.0 });
        let mean = slopes.iter().sum::<f64>() / 3.0;
        for (setting, (weights, gain)) in settings.iter_mut().zip(all.iter().zip(&truth)) {
            let moved = match kind {
                // As often up as down, whatever the weights.
                Kind::Smooth => {
                    weights.iter().zip(&slopes).map(|(weight, slope)| weight * slope).sum::<f64>() - mean
                }
                Kind::Independent if is_moved => (uniform() - 0.5) * 0.6,
                Kind::Independent => 0.0,
            };
            setting.push(0.5 + moved + gain);
        }
    }
    let scores = SweepScores {
        queries: (0..queries).map(|query| format!("q{query}")).collect(),
        groups: None,
        today: vec![0.5; queries],
        settings,
        range: 0.0..=1.0,
        lower_is_better: false,
    };
    (scores, truth)
}

#[derive(Default)]
struct Counts {
    claims: Vec<bool>,
    /// Claims of a setting that gains nothing.
    wrong: Vec<bool>,
    naive: Vec<f64>,
    nested: Vec<f64>,
    /// What the locked half reports less what is true.
    bias: Vec<f64>,
    /// Whether the one setting that is best in truth is shown to gain by all queries.
    single: Vec<bool>,
}

fn observe(counts: &mut Counts, queries: usize, kind: Kind, gain: f64, seed: u64) {
    let (scores, truth) = draw(queries, kind, gain, seed);
    let settings =
        ComparisonSettings { verdict_only: true, bootstrap_resamples: 999, ..ComparisonSettings::default() };
    let test = (&settings, &Stream::new(seed));
    // Hashes of ids halve at random; the key is the draw's.
    let halves = scores.halve(&seed.to_string()).expect("60 queries or more");
    let choice = scores.choose(&halves.dev, Confidence::default()).expect("scores are numbers");
    if let Some(best) = choice.best {
        let confirmed =
            scores.confirm(&scores.settings[best], &halves.locked, 1, test).expect("scores are numbers");
        counts.claims.push(confirmed.shown);
        counts.wrong.push(confirmed.shown && truth[best] <= 0.0);
        counts.naive.push(choice.naive - truth[best]);
        counts.nested.push(choice.nested - truth[best]);
        counts.bias.push(confirmed.difference - truth[best]);
    } else {
        counts.claims.push(false);
        counts.wrong.push(false);
    }
    let all: Vec<usize> = (0..queries).collect();
    let top = (0..truth.len()).fold(0, |top, at| if truth[at] > truth[top] { at } else { top });
    let single = scores.confirm(&scores.settings[top], &all, 1, test).expect("scores are numbers");
    counts.single.push(single.shown);
}

fn rate(events: &[bool]) -> String {
    let (n, share) =
        (events.len() as f64, events.iter().filter(|event| **event).count() as f64 / events.len() as f64);
    format!("{share:.4} ± {:.4}", (share * (1.0 - share) / n).sqrt())
}

fn mean(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    format!("{mean:+.4} ± {:.4}", spread / n.sqrt())
}

fn main() {
    // cargo passes --bench
    let repetitions: u64 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2_000);
    println!("{repetitions} repetitions, 66 settings\n");
    println!(
        "| settings | queries | true gain | claims | wrong claims | naive gain, off by | nested, off by | locked, off by | the one setting on all queries |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    for (kind, name) in [(Kind::Smooth, "smooth"), (Kind::Independent, "independent")] {
        for queries in [60, 162, 400] {
            for gain in [0.0, 0.05] {
                let mut counts = Counts::default();
                (0..repetitions).for_each(|seed| observe(&mut counts, queries, kind, gain, seed));
                println!(
                    "| {name} | {queries} | {gain} | {} | {} | {} | {} | {} | {} |",
                    rate(&counts.claims),
                    rate(&counts.wrong),
                    mean(&counts.naive),
                    mean(&counts.nested),
                    mean(&counts.bias),
                    rate(&counts.single),
                );
            }
        }
    }
}
