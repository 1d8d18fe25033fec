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

fn standard_error(share: f64, repetitions: u64) -> f64 {
    (share * (1.0 - share) / repetitions as f64).sqrt()
}

fn gauss(unit: &mut dyn FnMut() -> f64) -> f64 {
    (-2.0 * (1.0 - unit()).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
}
