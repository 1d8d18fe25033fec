//! How often means that people corrected hold the truth, whatever the judge: `cargo bench --bench judge_simulation
//! [-- REPETITIONS]`.
//!
//! Draws many small collections that a model judged and of which people judged some queries, and prints the table of
//! docs/simulations.md. Every number is a share of the repetitions (10,000 by default) with its standard error; the
//! coverage should be .95, what is claimed falsely .025. With `-- until [REPETITIONS]` people judge until the verdict is there
//! (`until.rs`), with `-- strata [REPETITIONS]` they judge a sample of each stratum (`strata.rs`).

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

#[path = "judge_simulation/strata.rs"]
mod strata;
#[path = "judge_simulation/until.rs"]
mod until;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{Confidence, CorrectedMean, Interval};
use rayon::prelude::*;

/// Queries that the model judged, and of these those that people judged as well.
const SIZES: [(usize, usize); 4] = [(162, 30), (162, 40), (162, 80), (1000, 40)];

/// The mean of people's scores: one in ten queries is perfect, three in twenty have nothing, of the others a power
/// of a uniform number.
const TRUTH: f64 = 0.1 + 0.75 / 1.8;
/// The share of queries in which a candidate that is worse finds nothing at all.
const LOST: f64 = 0.05;

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    if std::env::args().any(|argument| argument == "until") {
        return until::print(&JUDGES, repetitions);
    }
    if std::env::args().any(|argument| argument == "strata") {
        return strata::print(repetitions);
    }
    println!(
        "| judge | people | weight | mean held | its width, people alone | false pass | false fail | difference held | \
         its width, people alone | false gain | false loss | margin lost in 5% | judge alone: mean held | \
         difference held |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for (name, judge) in JUDGES {
        for (queries, drawn) in SIZES {
            let tally = (0..repetitions)
                .into_par_iter()
                .map(|seed| Tally::new(judge, queries, drawn, seed))
                .reduce(Tally::default, Tally::plus);
            println!("| {name} | {drawn} of {queries} | {} |", tally.shown(repetitions));
        }
    }
}

const JUDGES: [(&str, Judge); 8] = [
    ("good", good),
    ("lenient", lenient),
    ("random", random),
    ("constant", constant),
    ("binary", binary),
    ("leaning", leaning),
    ("one segment", one_segment),
    ("rarely wrong", rarely_wrong),
];

/// What a model makes of a query that people score so; the candidate's answers please it more.
type Judge = fn(f64, bool, &mut ChaCha8Rng) -> f64;

fn unit(random: &mut ChaCha8Rng) -> f64 {
    f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0)
}

/// About normal, with standard deviation 1.
fn noise(random: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| unit(random)).sum::<f64>() - 6.0
}

fn good(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    (people + 0.02 + if candidate { 0.01 } else { 0.0 } + 0.08 * noise(random)).clamp(0.0, 1.0)
}

fn lenient(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    (people + 0.12 + if candidate { 0.05 } else { 0.0 } + 0.12 * noise(random)).clamp(0.0, 1.0)
}

fn random(_: f64, _: bool, random: &mut ChaCha8Rng) -> f64 {
    unit(random)
}

fn constant(_: f64, _: bool, _: &mut ChaCha8Rng) -> f64 {
    1.0
}

fn binary(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    let favour = if candidate { 0.05 } else { 0.0 };
    f64::from(u8::from(people + favour + 0.15 * noise(random) > 0.5))
}

fn leaning(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    let favour = if candidate { 0.12 } else { 0.0 };
    f64::from(u8::from(people + favour + 0.1 * noise(random) > 0.5))
}

/// Far too lenient in a segment of one query in seven, and there to the candidate alone.
fn one_segment(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    let favour = if unit(random) < 1.0 / 7.0 && candidate { 0.5 } else { 0.0 };
    (people + favour + 0.08 * noise(random)).clamp(0.0, 1.0)
}

/// Says what people say, but of one answer in twenty-five that it is perfect, or worthless if it is the baseline's.
fn rarely_wrong(people: f64, candidate: bool, random: &mut ChaCha8Rng) -> f64 {
    if unit(random) >= 0.04 { people } else { f64::from(u8::from(candidate)) }
}

/// What people say of one query's answer.
fn score(random: &mut ChaCha8Rng) -> f64 {
    match unit(random) {
        chance if chance < 0.1 => 1.0,
        chance if chance < 0.25 => 0.0,
        _ => unit(random).powf(0.8),
    }
}

/// And of its answers by two retrievers that are equally good.
fn scores(random: &mut ChaCha8Rng) -> [f64; 2] {
    let one = score(random);
    let other = if unit(random) < 0.5 { one } else { (one + 0.25 * noise(random)).clamp(0.0, 1.0) };
    // Which is whose is drawn, so that neither is better.
    if unit(random) < 0.5 { [one, other] } else { [other, one] }
}

/// Counts over the repetitions, and sums of widths.
#[derive(Default)]
struct Tally {
    counts: [u64; 12],
    /// Of corrected intervals, of those of people alone, and weights.
    widths: [f64; 3],
    alone: [f64; 3],
    weights: [f64; 3],
}

impl Tally {
    fn new(judge: Judge, queries: usize, drawn: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // What is lost is drawn apart, so that the rest is what it would be without.
        let mut losing = ChaCha8Rng::seed_from_u64(seed);
        losing.set_stream(1);
        let (mut models, mut people) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
        for query in 0..queries {
            // Queries are exchangeable, so that the first of them are a random sample.
            let is_drawn = query < drawn;
            let said = score(&mut random);
            models[0].push(judge(said, false, &mut random));
            people[0].push(is_drawn.then_some(said));
            let [before, after] = scores(&mut random);
            let [new, old] = [judge(after, true, &mut random), judge(before, false, &mut random)];
            models[1].push(new - old);
            people[1].push(is_drawn.then_some(after - before));
            let lost = unit(&mut losing) < LOST;
            models[2].push(if lost { judge(0.0, true, &mut losing) } else { new } - old);
            people[2].push(is_drawn.then_some(if lost { 0.0 } else { after } - before));
        }
        let (confidence, units) = (Confidence::default(), (0..queries).collect::<Vec<_>>());
        let mut tally = Self::default();
        for (at, truth) in [(0, TRUTH), (1, 0.0), (2, -LOST * TRUTH)] {
            let range = if at == 0 { 0.0..=1.0 } else { -1.0..=1.0 };
            let interval = |model: &[f64], people: &[Option<f64>]| {
                let corrected = CorrectedMean::within(model, people, &units, &range).expect("finite scores");
                (corrected.weight, corrected.interval(confidence).ok())
            };
            // One without a spread, of which nothing is known, holds everything.
            let everything = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
            let holds = |one: Interval| one.low <= truth && truth <= one.high;
            let (weight, found) = interval(&models[at], &people[at]);
            let (_, by_people) = interval(&vec![0.0; queries], &people[at]);
            let width = |one: Option<Interval>| one.map_or(0.0, |one| one.high - one.low);
            (tally.widths[at], tally.alone[at], tally.weights[at]) = (width(found), width(by_people), weight);
            let found = found.unwrap_or(everything);
            // The judge alone: the same, had people said of all queries what the model says.
            let taken: Vec<Option<f64>> = models[at].iter().copied().map(Some).collect();
            let (_, alone) = interval(&models[at], &taken);
            // What a gate claims is what its interval, and so its p-value, leaves no room for.
            let counted = [holds(found), found.low > truth, found.high < truth, alone.is_some_and(holds)];
            for (count, counted) in tally.counts[4 * at..].iter_mut().zip(counted) {
                *count = u64::from(counted);
            }
        }
        tally
    }

    fn plus(mut self, other: Self) -> Self {
        self.counts.iter_mut().zip(other.counts).for_each(|(to, from)| *to += from);
        for (to, from) in [
            (&mut self.widths, other.widths),
            (&mut self.alone, other.alone),
            (&mut self.weights, other.weights),
        ] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        self
    }

    fn shown(&self, repetitions: u64) -> String {
        let number = |at: usize| {
            let share = self.counts[at] as f64 / repetitions as f64;
            format!("{share:.3} ± {:.3}", (share * (1.0 - share) / repetitions as f64).sqrt())
        };
        let average = |sum: f64| sum / repetitions as f64;
        let width = |at: usize| format!("{:.3}, {:.3}", average(self.widths[at]), average(self.alone[at]));
        let mean = [format!("{:.2}", average(self.weights[0])), number(0), width(0), number(1), number(2)];
        let difference = [number(4), width(1), number(5), number(6), number(9)];
        let alone = [number(3), number(7)];
        mean.into_iter().chain(difference).chain(alone).collect::<Vec<_>>().join(" | ")
    }
}
