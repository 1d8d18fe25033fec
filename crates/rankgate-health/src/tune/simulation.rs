//! What tuning claims of 66 settings that gain nothing; `benches/tune_simulation.rs` has the table.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::SweepScores;
use crate::stats::{ComparisonSettings, Confidence, Stream};

const SETTINGS: usize = 66;
const QUERIES: usize = 100;
const REPETITIONS: u64 = 300;

/// Settings that differ from today's by chance: as often up as down, by at most .3, on half of the queries.
fn draw(seed: u64) -> SweepScores {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let mut settings = vec![Vec::new(); SETTINGS];
    for _ in 0..QUERIES {
        let is_moved = uniform() < 0.5;
        for setting in &mut settings {
            setting.push(if is_moved { 0.2 + 0.6 * uniform() } else { 0.5 });
        }
    }
    SweepScores {
        queries: (0..QUERIES).map(|query| format!("q{query}")).collect(),
        groups: None,
        today: vec![0.5; QUERIES],
        settings,
        range: 0.0..=1.0,
        lower_is_better: false,
    }
}

#[test]
fn best_of_66_claims_nothing() {
    let settings =
        ComparisonSettings { verdict_only: true, bootstrap_resamples: 99, ..ComparisonSettings::default() };
    let (mut claims, mut naive_claims, mut naive, mut reported, mut nested) = (0, 0, 0.0, Vec::new(), 0.0);
    for seed in 0..REPETITIONS {
        let (scores, stream) = (draw(seed), Stream::new(seed));
        let halves = scores.halve(&seed.to_string()).unwrap();
        let choice = scores.choose(&halves.dev, Confidence::default()).unwrap();
        // Of 66 settings one is above today's in any draw.
        let best = choice.best.unwrap();
        let confirm =
            |half: &[usize]| scores.confirm(&scores.settings[best], half, 1, (&settings, &stream)).unwrap();
        let confirmed = confirm(&halves.locked);
        claims += usize::from(confirmed.shown);
        naive_claims += usize::from(confirm(&halves.dev).shown);
        naive += choice.naive;
        nested += choice.nested;
        reported.push(confirmed.difference);
    }
    let count = reported.len() as f64;
    // One in 40 may claim a gain; of 300 at most 15, with a probability of .996 (SciPy 1.17, stats.binom.cdf(15, 300, .025)).
    assert!(claims <= 15, "{claims} of {REPETITIONS} claim a gain");
    assert!(naive_claims > 15, "on the half that chose, {naive_claims} of {REPETITIONS} would claim one");
    // The gain on the locked half is off by chance alone, where the naive one is off by more than .03.
    let mean = reported.iter().sum::<f64>() / count;
    let spread = (reported.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    assert!(
        mean.abs() < 3.0 * spread / count.sqrt() && mean.abs() < 0.004,
        "{mean} ± {}",
        spread / count.sqrt()
    );
    assert!(naive / count > 0.03 && (nested / count).abs() < 0.01, "{} {}", naive / count, nested / count);
}
