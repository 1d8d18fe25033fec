//! People judge a sample of all queries, or one of each stratum.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rankgate::stats::{Confidence, CorrectedMean, Interval};
use rayon::prelude::*;

use super::{TRUTH, good, noise, score, unit};

/// Queries that the model judged, and of these those that people judged as well.
const SIZES: [(usize, usize); 3] = [(162, 30), (162, 60), (1000, 60)];
/// Shares of hard, ordinary and easy queries.
const SHARES: [f64; 3] = [0.2, 0.35, 0.45];
/// What hard queries have of an ordinary score, and what easy ones lack of what an ordinary one lacks.
const HARD: f64 = 0.6;
/// Strata by the judge's scores.
const QUARTERS: usize = 4;
/// So many of each stratum are drawn at least.
const LEAST: usize = 5;

/// What a model makes of a query of a segment that people score so.
type Judge = fn(f64, usize, &mut ChaCha8Rng) -> f64;

const JUDGES: [(&str, Judge); 6] = [
    ("good", |people, _, random| good(people, false, random)),
    ("lenient to hard queries", |people, segment, random| {
        (good(people, false, random) + if segment == 0 { 0.4 } else { 0.0 }).min(1.0)
    }),
    ("random by segment", |_, segment, random| {
        (0.25 * segment as f64 + 0.3 + 0.1 * noise(random)).clamp(0.0, 1.0)
    }),
    ("random", |_, _, random| unit(random)),
    ("constant", |_, _, _| 1.0),
    ("rarely wrong", |people, _, random| if unit(random) < 0.04 { 1.0 } else { people }),
];

pub(super) fn print(repetitions: u64) {
    println!(
        "| judge | people | of all: mean held | false pass | false fail | width | by segment: mean held | false pass | \
         false fail | width | by score: mean held | false pass | false fail | width |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, judge) in JUDGES {
        for (queries, drawn) in SIZES {
            let seen: Vec<[Interval; 3]> =
                (0..repetitions).into_par_iter().map(|seed| sampled(judge, queries, drawn, seed)).collect();
            let cells: Vec<String> = (0..3).map(|at| shown(seen.iter().map(|one| one[at]))).collect();
            println!("| {name} | {drawn} of {queries} | {} |", cells.join(" | "));
        }
    }
}

fn truth() -> f64 {
    SHARES[0] * HARD * TRUTH + SHARES[1] * TRUTH + SHARES[2] * (1.0 - HARD * (1.0 - TRUTH))
}

fn shown(intervals: impl ExactSizeIterator<Item = Interval> + Clone) -> String {
    let all = intervals.len() as f64;
    let truth = truth();
    let share = |is: &dyn Fn(&Interval) -> bool| {
        let share = intervals.clone().filter(is).count() as f64 / all;
        format!("{share:.3} ± {:.3}", (share * (1.0 - share) / all).sqrt())
    };
    let width = intervals.clone().map(|one| one.high - one.low).sum::<f64>() / all;
    let (above, below) = (share(&|one| one.low > truth), share(&|one| one.high < truth));
    let held = share(&|one| one.low <= truth && truth <= one.high);
    format!("{held} | {above} | {below} | {width:.3}")
}

/// The intervals of samples of all queries, of segments, and of quarters by the judge's score.
fn sampled(judge: Judge, queries: usize, drawn: usize, seed: u64) -> [Interval; 3] {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut people, mut model, mut segments) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..queries {
        let place = unit(&mut random);
        let segment = if place < SHARES[0] { 0 } else { 1 + usize::from(place >= SHARES[0] + SHARES[1]) };
        let said = match (segment, score(&mut random)) {
            (0, said) => HARD * said,
            (1, said) => said,
            (_, said) => 1.0 - HARD * (1.0 - said),
        };
        people.push(said);
        model.push(judge(said, segment, &mut random));
        segments.push(segment);
    }
    let mut order: Vec<usize> = (0..queries).collect();
    order.sort_by(|&one, &other| model[one].total_cmp(&model[other]));
    let mut quarters = vec![0; queries];
    let mut quarter = 0;
    for (rank, &at) in order.iter().enumerate() {
        // Equal scores are in one stratum.
        if rank > 0 && model[at] != model[order[rank - 1]] {
            quarter = rank * QUARTERS / queries;
        }
        quarters[at] = quarter;
    }
    let all = vec![0; queries];
    [all, segments, quarters].map(|strata| {
        let units: Vec<usize> = (0..queries).collect();
        let sample = sample(&people, &strata, drawn);
        let one = CorrectedMean::stratified(&model, &sample, &units, &strata, &(0.0..=1.0));
        let interval = one.expect("finite scores").interval(Confidence::default());
        interval.unwrap_or(Interval { low: 0.0, high: 1.0 })
    })
}

/// Queries are exchangeable, so that the first ones of a stratum are a random sample of it.
fn sample(people: &[f64], strata: &[usize], drawn: usize) -> Vec<Option<f64>> {
    let last = strata.iter().max().copied().unwrap_or(0);
    let mut left: Vec<usize> = (0..=last)
        .map(|stratum| {
            let size = strata.iter().filter(|of| **of == stratum).count();
            let share = (drawn * size) as f64 / people.len() as f64;
            (share.round() as usize).max(LEAST.min(size))
        })
        .collect();
    let mut taken = |stratum: usize| {
        let is_drawn = left[stratum] > 0;
        left[stratum] -= usize::from(is_drawn);
        is_drawn
    };
    people.iter().zip(strata).map(|(said, stratum)| taken(*stratum).then_some(*said)).collect()
}
