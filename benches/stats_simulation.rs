//! How often the rule claims something false, and how often something true:
//! `cargo bench --bench stats_simulation [-- TABLE] [REPETITIONS]`, where the table is `claims` (false claims), `binary`
//! (scores of 0 and 1 at a margin), `power` (true ones), `corrected` (differences that people corrected), `drift` (golden runs that are blessed again and again) or `means`
//! (limits of single means).
//!
//! Draws many small test collections from populations of known mean, decides each as a gate would, and
//! prints a table of docs/validation/simulations.md with its standard errors. The same seeds are drawn every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

#[path = "stats_simulation/claims.rs"]
mod claims;
#[path = "stats_simulation/corrected.rs"]
mod corrected;
#[path = "stats_simulation/drift.rs"]
mod drift;
#[path = "stats_simulation/means.rs"]
mod means;

mod few_resamples;

use rankgate::stats::{
    ComparisonSettings, Differences, Evidence, Expectation, Outcome, Question, Stream, WeighedClaim, compare,
    decide,
};

/// Permutation and bootstrap resamples. A p-value of so few is as valid as one of more.
const RESAMPLES: u64 = 1_999;

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    println!("{repetitions} repetitions, {RESAMPLES} resamples\n");
    match std::env::args().nth(1).as_deref() {
        Some("drift") => drift::print(repetitions),
        Some("corrected") => corrected::print(repetitions),
        Some("means") => means::print(repetitions),
        Some("binary") => claims::print_binary(repetitions),
        Some("power") => claims::print_power(repetitions),
        _ => claims::print(repetitions),
    }
}

/// Whether this is what a gate with this one question decides. Simulated p-values are taken as they are: one too close to the
/// level to tell is not looked into.
fn decides(
    differences: &Differences,
    expectation: Expectation,
    settings: &ComparisonSettings,
    wanted: Outcome,
    seed: u64,
) -> bool {
    let stream = Stream::new(seed);
    let question = Question { expectation, ..Question::new(differences, &stream) };
    let decision = compare(&[question], settings).expect("valid settings").remove(0).decision;
    let level = settings.confidence.tail();
    let evidence = |claim: &WeighedClaim| match claim.p_adjusted <= level {
        true => Evidence::Significant,
        false => Evidence::NotSignificant,
    };
    let evidence: Vec<Evidence> = decision.claims.iter().map(evidence).collect();
    decide(&expectation, &evidence, differences.mean(), false).0 == wanted
}

fn standard_error(share: f64, repetitions: u64) -> f64 {
    (share * (1.0 - share) / repetitions as f64).sqrt()
}

fn gauss(unit: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - unit()).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
}
