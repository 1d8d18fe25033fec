//! How often a floor that was chosen by `rankgate floor` has more false answers than it may:
//! `cargo bench -p rankgate-cli --bench floor_simulation [-- REPETITIONS]`.
//!
//! Draws the best scores of unanswerable queries from populations whose share above any floor is known, and of as many
//! queries that have an answer. It prints the table of docs/no-answer.md with standard errors. The same seeds are drawn
//! every time.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate_cli::health::{FloorDemand, FloorOutcome, HeldOut, QueryScore, choose_floor};

/// A population of scores: what a uniform number becomes, and the share of it that is at least a floor.
type Population = (&'static str, fn(f64) -> f64, fn(f64) -> f64);

const POPULATIONS: [Population; 4] = [
    ("uniform", |u| u, |floor| 1.0 - floor.clamp(0.0, 1.0)),
    // Exponential with mean 1.
    ("long tail", |u| -(1.0 - u).ln(), |floor| (-floor.max(0.0)).exp()),
    (
        "tied at every tenth",
        |u| (u * 10.0).floor() / 10.0,
        |floor| 1.0 - ((floor * 10.0 - 1e-9).ceil() / 10.0).clamp(0.0, 1.0),
    ),
    // A fifth of them all score 1, as what a cache or a keyword returns.
    (
        "a fifth tie at the top",
        |u| if u < 0.8 { u } else { 1.0 },
        |floor| {
            if floor > 1.0 { 0.0 } else { (1.0 - floor.max(0.0)).max(0.2) }
        },
    ),
];
/// Unanswerable queries, the share that may be answered, the confidence.
const DEMANDS: [(usize, f64, f64); 5] =
    [(60, 0.1, 0.9), (120, 0.05, 0.95), (200, 0.05, 0.95), (200, 0.1, 0.95), (1000, 0.05, 0.95)];

/// What one draw showed.
struct Repetition {
    chosen: bool,
    /// Whether the true share is larger than it may be.
    broken: bool,
    share: f64,
    held_out: Option<HeldOut>,
}

fn main() {
    // cargo passes --bench
    let repetitions: u64 = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(5_000);
    println!("{repetitions} repetitions\n");
    println!(
        "| scores | queries | may be answered | may fail | failed | true share, mean | other half shows it | contradicts it |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for (name, score, share) in POPULATIONS {
        for (queries, may, confidence) in DEMANDS {
            let demand = FloorDemand {
                false_answer: may,
                confidence,
                key: "simulation".to_owned(),
                gates: rankgate::stats::Confidence::default(),
            };
            let seen: Vec<Repetition> =
                (0..repetitions).map(|seed| observe(&demand, queries, (score, share), seed)).collect();
            assert!(seen.iter().all(|one| one.chosen), "so many queries choose a floor");
            let mean = seen.iter().map(|one| one.share).sum::<f64>() / repetitions as f64;
            let held_out = |wanted| rate(seen.iter().map(|one| one.held_out == Some(wanted)));
            println!(
                "| {name} | {queries} | {may} | {:.2} | {} | {mean:.3} | {} | {} |",
                1.0 - confidence,
                rate(seen.iter().map(|one| one.broken)),
                held_out(HeldOut::Shown),
                held_out(HeldOut::Broken),
            );
        }
    }
}

/// A score, or the share above a floor, by a uniform number.
type Curve = fn(f64) -> f64;

fn observe(demand: &FloorDemand, queries: usize, (score, share): (Curve, Curve), seed: u64) -> Repetition {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |name: &str, add: f64| -> Vec<QueryScore> {
        let one = |at: usize| {
            let uniform = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            QueryScore { query: format!("{name}{at}"), score: Some(score(uniform) + add) }
        };
        (0..queries).map(one).collect()
    };
    let (unanswerable, answerable) = (draw("n", 0.0), draw("a", 0.5));
    let report = choose_floor(demand, ("simulation", "one"), &unanswerable, &answerable)
        .expect("a demand that can be met");
    let share = report.floor.map_or(1.0, share);
    Repetition {
        chosen: report.outcome == FloorOutcome::Chosen,
        broken: share > demand.false_answer + 1e-9,
        share,
        held_out: report.held_out,
    }
}

fn rate(seen: impl ExactSizeIterator<Item = bool>) -> String {
    let all = seen.len() as f64;
    let share = seen.filter(|one| *one).count() as f64 / all;
    format!("{share:.3} ± {:.3}", (share * (1.0 - share) / all).sqrt())
}
