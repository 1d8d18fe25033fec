//! How often histories raise false alarms, and how often they name a planted step.
//!
//!     cargo bench -p rankgate-history --bench history_simulation [-- HISTORIES]
//!
//! A commit changes 30% of the queries by .15 (standard deviation), around 0 if it
//! is harmless. Each commit has a new
//! ranking, which is the worst case. The first commit is a release.

#![expect(clippy::print_stdout, reason = "prints its tables")]
#![expect(clippy::expect_used, reason = "a line that was made can be told")]

use std::collections::BTreeMap;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate_history::{Commit, History, Inputs, Measurement, Rules, Scores, Standing, Timeline, tell};

const METRIC: &str = "nDCG@10";
const COMMITS: usize = 20;
const STEP: usize = 12;
/// The share of queries that a commit changes, and the standard deviation of a change.
const TOUCHED: f64 = 0.3;
const SPREAD: f64 = 0.15;

/// What commits do.
#[derive(Clone, Copy)]
enum Kind {
    /// Each changes the first ranking, by as much in the mean.
    Independent(f64),
    /// Each changes the ranking before.
    Accumulating(f64),
    /// One query in 25 gains much, and four in ten lose a little.
    FewGain,
    /// One ranking, and from the step on a worse one.
    Clean(f64),
}

fn main() {
    let histories = std::env::args().filter_map(|word| word.parse().ok()).next_back().unwrap_or(400);
    println!(
        "| harmless, {COMMITS} commits | golden | queries | histories with an alarm | of 8, at most 1 alarms |"
    );
    println!("|---|---|---|---|---|");
    for (name, kind) in [
        ("independent", Kind::Independent(0.0)),
        ("accumulating", Kind::Accumulating(0.0)),
        ("few gain much, many lose a little", Kind::FewGain),
    ] {
        for blessed in [false, true] {
            for queries in [50, 100, 200] {
                let alarmed = |seed| tell_one(kind, (queries, blessed), seed).alarms.len().min(1);
                let alarms: Vec<usize> = (0..histories).map(alarmed).collect();
                let eights = alarms.chunks_exact(8);
                let calm = eights.clone().filter(|eight| eight.iter().sum::<usize>() <= 1).count();
                let share = alarms.iter().sum::<usize>() as f64 / histories as f64;
                let golden = if blessed { "each commit" } else { "the first" };
                let of = eights.len();
                println!("| {name} | {golden} | {queries} | {share:.4} | {calm} of {of} |");
            }
        }
    }
    println!();
    println!(
        "| a step in commit {STEP} of {COMMITS} | size | queries | named with its commit | any alarm before |"
    );
    println!("|---|---|---|---|---|");
    for (name, size) in [
        ("after one ranking", Size::Clean),
        ("after ever new rankings, each off the first", Size::Independent),
        ("after ever new rankings, each off the one before", Size::Accumulating),
    ] {
        for loss in [0.02, 0.04] {
            for queries in [100, 200] {
                let kind = match size {
                    Size::Clean => Kind::Clean(loss),
                    Size::Independent => Kind::Independent(loss),
                    Size::Accumulating => Kind::Accumulating(loss),
                };
                let told: Vec<Timeline> =
                    (0..histories).map(|seed| tell_one(kind, (queries, true), seed)).collect();
                let share = |is: &dyn Fn(&Timeline) -> bool| {
                    told.iter().filter(|one| is(one)).count() as f64 / histories as f64
                };
                let step = STEP.to_string();
                let named = share(&|one| one.alarms.iter().any(|alarm| alarm.cause().id == step));
                let place = |id: &str| id.parse::<usize>().unwrap_or(0);
                let early = share(&|one| one.alarms.iter().any(|alarm| place(&alarm.commit.id) < STEP));
                println!("| {name} | -{loss} | {queries} | {named:.3} | {early:.3} |");
            }
        }
    }
}

/// Which histories a step is planted in.
#[derive(Clone, Copy)]
enum Size {
    Clean,
    Independent,
    Accumulating,
}

fn tell_one(kind: Kind, (queries, blessed): (usize, bool), seed: u64) -> Timeline {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = || (f64::from(random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0);
    let first: Vec<f64> = (0..queries).map(|_| 0.2 + 0.6 * unit()).collect();
    let mut values = vec![first.clone()];
    for number in 1..COMMITS {
        let last = values[number - 1].clone();
        let step = |loss: f64| if number >= STEP { loss } else { 0.0 };
        values.push(match kind {
            Kind::Independent(loss) => changed(&first, step(loss), &mut unit),
            Kind::Accumulating(loss) => changed(&last, if number == STEP { loss } else { 0.0 }, &mut unit),
            Kind::FewGain => first.iter().map(|score| score + skewed(unit())).collect(),
            Kind::Clean(loss) if number == STEP => changed(&first, loss, &mut unit),
            Kind::Clean(_) => last,
        });
    }
    let ids: Vec<String> = (0..queries).map(|query| format!("{query:03}")).collect();
    let standing = |values: &Vec<f64>| Standing {
        ranking: values.iter().map(|value| format!("{:x}", value.to_bits())).collect(),
        scores: Arc::new(Scores {
            queries: ids.clone(),
            groups: None,
            by_metric: vec![(METRIC.to_owned(), values.clone())],
        }),
    };
    let golden = standing(&values[0]);
    let measurement = |(number, values): (usize, &Vec<f64>)| Measurement {
        commit: number.to_string(),
        now: standing(values),
        golden: Some(if blessed { standing(values) } else { golden.clone() }),
        accepted: false,
        inputs: Inputs::default(),
        gated: vec![METRIC.to_owned()],
    };
    let releases = |number: usize| if number == 0 { vec!["v1".to_owned()] } else { Vec::new() };
    let line: Vec<Commit> = (0..COMMITS)
        .map(|number| Commit { id: number.to_string(), releases: releases(number), ..Commit::default() })
        .collect();
    let measurements: Vec<Measurement> = values.iter().enumerate().map(measurement).collect();
    let history = History {
        benchmark: "simulated",
        configuration: "search",
        line: &line,
        measurements: &measurements,
        acknowledged: BTreeMap::new(),
    };
    tell(&history, &Rules::default()).expect("the line can be told")
}

fn changed(scores: &[f64], loss: f64, unit: &mut impl FnMut() -> f64) -> Vec<f64> {
    let mut one = |score: &f64| {
        if unit() >= TOUCHED {
            return *score;
        }
        let gauss = (-2.0 * unit().ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
        let moved = score - loss / TOUCHED + SPREAD * gauss;
        // Scores are reflected at both ends of their range, which keeps harmless changes harmless.
        if moved < 0.0 { -moved } else { moved.min(2.0 - moved) }
    };
    scores.iter().map(&mut one).collect()
}

fn skewed(chance: f64) -> f64 {
    match chance {
        chance if chance < 0.04 => 0.5,
        chance if chance < 0.44 => -0.05,
        _ => 0.0,
    }
}
