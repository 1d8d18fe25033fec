//! How often gates are wrong that carry a judge's errors over: `cargo bench --bench calibrated_simulation [-- REPETITIONS]`.
//!
//! Draws many small collections of claims. People judged those of some queries of an earlier version. The version under test has
//! other claims, which the judge alone has seen. Prints the tables of docs/simulations.md. Every number is a share of
//! the repetitions (1,000 by default) with its standard error.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    CalibrationSide, CalibrationUnit, Confidence, CorrectedMean, Gains, Interval, Stream, calibrated_mean,
    stratified_permutation_test,
};
use rayon::prelude::*;

/// Queries.
const QUERIES: usize = 162;
/// The share of claims that are supported, in the version that people judged and in the one under test.
const EARLIER: f64 = 0.8;
const NOW: f64 = 0.7;
/// Replies: no, yes, cannot tell.
const REPLIES: usize = 3;
/// A test of the assumption below this refutes it.
const LEVEL: f64 = 0.05;

/// How often a judge says yes to claims that are supported and to those that are not, cannot tell, and says yes to all claims of a
/// query.
#[derive(Clone, Copy)]
struct Judge {
    name: &'static str,
    yes: f64,
    too: f64,
    cannot_tell: f64,
    whole_query: f64,
}

const fn judge(name: &'static str, yes: f64, too: f64, cannot_tell: f64, whole_query: f64) -> Judge {
    Judge { name, yes, too, cannot_tell, whole_query }
}

const JUDGES: [Judge; 7] = [
    judge("good", 0.95, 0.08, 0.0, 0.0),
    judge("lenient", 0.98, 0.35, 0.0, 0.0),
    judge("severe", 0.75, 0.03, 0.0, 0.0),
    judge("weak", 0.8, 0.4, 0.0, 0.0),
    judge("random", 0.5, 0.5, 0.0, 0.0),
    judge("cannot tell", 0.95, 0.1, 0.2, 0.0),
    judge("by query", 0.95, 0.05, 0.0, 0.12),
];

fn main() {
    // cargo passes --bench
    let repetitions = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(1_000);
    println!(
        "| judge | people | drift | raw: false pass | false fail | calibrated: false pass | false fail | width | corrected: false \
         pass | false fail | width | narrower |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for judge in JUDGES {
        for (people, drift) in [(30, 0.0), (40, 0.0), (80, 0.0), (40, 0.05), (40, 0.1)] {
            let case = Case { judge, people, drift, favour: 0.0 };
            println!(
                "| {} | {people} | {drift} | {} |",
                judge.name,
                shown(&tally(&case, repetitions, mean), repetitions)
            );
        }
    }
    println!(
        "\n| judge | people | favour | raw: false gain | false loss | calibrated: false gain | false loss | width | corrected: \
         false gain | false loss | width | narrower |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
    );
    for judge in JUDGES {
        for (people, favour) in [(30, 0.0), (40, 0.0), (80, 0.0), (40, 0.05), (40, 0.1)] {
            let case = Case { judge, people, drift: 0.0, favour };
            let tally = tally(&case, repetitions, difference);
            println!("| {} | {people} | {favour} | {} |", judge.name, shown(&tally, repetitions));
        }
    }
    println!("\n| judge | people | drift 0 | .05 | .1 | .2 |\n|---|---|---|---|---|---|");
    for judge in JUDGES {
        for people in [30, 40, 80] {
            let refuted = |drift| {
                let case = Case { judge, people, drift, favour: 0.0 };
                let count = (0..repetitions).into_par_iter().filter(|seed| case.is_refuted(*seed)).count();
                share(count as f64, repetitions)
            };
            let cells = [0.0, 0.05, 0.1, 0.2].map(refuted);
            println!("| {} | {people} | {} |", judge.name, cells.join(" | "));
        }
    }
}

struct Case {
    judge: Judge,
    people: usize,
    /// How much more often the judge says yes to the version under test.
    drift: f64,
    /// The same of the candidate alone.
    favour: f64,
}

fn unit(random: &mut ChaCha8Rng) -> f64 {
    (f64::from(random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0)
}

/// Claims of a query: people's class and the judge's reply.
fn claims(judge: Judge, mean: f64, more: f64, is_whole: bool, random: &mut ChaCha8Rng) -> Vec<[usize; 2]> {
    // A bit more than half of the queries are answered well, and the others more or less so.
    let perfect = 0.55 * mean;
    let others = (mean - perfect) / (1.0 - perfect);
    let spread = 0.5 * others.min(1.0 - others);
    let share = if unit(random) < perfect { 1.0 } else { others + spread * (2.0 * unit(random) - 1.0) };
    let count = 2 + random.next_u32() as usize % 6;
    let claim = |random: &mut ChaCha8Rng| {
        let class = usize::from(unit(random) < share);
        let yes = if class == 1 { judge.yes } else { judge.too };
        let cannot_tell = unit(random) < judge.cannot_tell;
        let says_yes = unit(random) < (yes + more).clamp(0.0, 1.0);
        let reply = if cannot_tell { 2 } else { usize::from(is_whole || says_yes) };
        [class, reply]
    };
    (0..count).map(|_| claim(random)).collect()
}

fn share_of(claims: &[[usize; 2]], at: usize) -> f64 {
    claims.iter().filter(|claim| claim[at] == 1).count() as f64 / claims.len() as f64
}

fn side(claims: &[[usize; 2]]) -> CalibrationSide {
    let weight = |reply| claims.iter().filter(|claim| claim[1] == reply).count() as f64 / claims.len() as f64;
    CalibrationSide { known: 0.0, weights: (0..REPLIES).map(weight).collect() }
}

fn table(claims: &[[usize; 2]]) -> Vec<Vec<f64>> {
    let mut table = vec![vec![0.0; REPLIES]; 2];
    claims.iter().for_each(|[class, reply]| table[*class][*reply] += 1.0);
    table
}

/// Whether each kind of gate claims too much or too little, and how wide its interval is; whether the calibrated one is narrower than
/// the corrected one.
struct Found([[f64; 3]; 3], f64);

/// Intervals of the judge alone, calibrated, and corrected by people who judge the version under test as well.
fn found(intervals: [Option<Interval>; 3], truth: f64, most: f64) -> Found {
    let of = |one: Option<Interval>| {
        let Interval { low, high } = one.unwrap_or(Interval { low: -most, high: most });
        [f64::from(u8::from(low > truth)), f64::from(u8::from(high < truth)), high.min(most) - low.max(-most)]
    };
    let all = intervals.map(of);
    let narrower = all[1][2] < all[2][2];
    Found(all, f64::from(u8::from(narrower)))
}

fn corrected(
    model: &[f64],
    people: &[Option<f64>],
    range: std::ops::RangeInclusive<f64>,
) -> Option<Interval> {
    let queries: Vec<usize> = (0..model.len()).collect();
    let one = CorrectedMean::within(model, people, &queries, &range).expect("finite scores");
    one.interval(Confidence::default()).ok().map(|interval| interval.within(&range))
}

fn calibrated(
    units: &[CalibrationUnit],
    seed: u64,
    range: &std::ops::RangeInclusive<f64>,
) -> Option<Interval> {
    let gains = Gains::new(vec![0.0, 1.0], vec![0.0, 1.0, 0.0]).expect("they rise");
    // Where people found no claim of a class nothing is claimed.
    let one = calibrated_mean(units, &gains, &Stream::new(seed)).ok()?;
    one.interval(Confidence::default()).ok().map(|interval| interval.within(range))
}

/// A limit at the true mean.
fn mean(case: &Case, seed: u64) -> Found {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut units, mut model, mut people) = (Vec::new(), Vec::new(), Vec::new());
    for query in 0..QUERIES {
        let is_whole = unit(&mut random) < case.judge.whole_query;
        let earlier = claims(case.judge, EARLIER, 0.0, is_whole, &mut random);
        let now = claims(case.judge, NOW, case.drift, is_whole, &mut random);
        // Queries are exchangeable, so that the first of them are a random sample.
        let is_drawn = query < case.people;
        units.push(CalibrationUnit {
            queries: 1.0,
            labels: is_drawn.then(|| table(&earlier)),
            sides: vec![side(&now)],
        });
        model.push(share_of(&now, 1));
        people.push(is_drawn.then(|| share_of(&now, 0)));
    }
    let raw: Vec<Option<f64>> = model.iter().copied().map(Some).collect();
    let intervals = [
        corrected(&model, &raw, 0.0..=1.0),
        calibrated(&units, seed, &(0.0..=1.0)),
        corrected(&model, &people, 0.0..=1.0),
    ];
    found(intervals, NOW, 1.0)
}

/// Two versions that are equally good, the judge being kinder to the candidate.
fn difference(case: &Case, seed: u64) -> Found {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut units, mut model, mut people) = (Vec::new(), Vec::new(), Vec::new());
    for query in 0..QUERIES {
        let is_whole = unit(&mut random) < case.judge.whole_query;
        let earlier = claims(case.judge, EARLIER, 0.0, is_whole, &mut random);
        let new = claims(case.judge, NOW, case.favour, is_whole, &mut random);
        let old = claims(case.judge, NOW, 0.0, is_whole, &mut random);
        let is_drawn = query < case.people;
        units.push(CalibrationUnit {
            queries: 1.0,
            labels: is_drawn.then(|| table(&earlier)),
            sides: vec![side(&new), side(&old)],
        });
        model.push(share_of(&new, 1) - share_of(&old, 1));
        people.push(is_drawn.then(|| share_of(&new, 0) - share_of(&old, 0)));
    }
    let raw: Vec<Option<f64>> = model.iter().copied().map(Some).collect();
    let intervals = [
        corrected(&model, &raw, -1.0..=1.0),
        calibrated(&units, seed, &(-1.0..=1.0)),
        corrected(&model, &people, -1.0..=1.0),
    ];
    found(intervals, 0.0, 1.0)
}

impl Case {
    /// Whether the test of the assumption shows the drift, once people have judged the drawn queries of the version under test.
    fn is_refuted(&self, seed: u64) -> bool {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let own = |reply: usize| [0.0, 1.0, 0.5][reply];
        let mut strata = [Vec::new(), Vec::new()];
        for _ in 0..self.people {
            let is_whole = unit(&mut random) < self.judge.whole_query;
            let earlier = claims(self.judge, EARLIER, 0.0, is_whole, &mut random);
            let now = claims(self.judge, NOW, self.drift, is_whole, &mut random);
            for (class, strata) in strata.iter_mut().enumerate() {
                let mean = |claims: &[[usize; 2]]| {
                    let of: Vec<f64> =
                        claims.iter().filter(|one| one[0] == class).map(|one| own(one[1])).collect();
                    (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
                };
                strata.push((mean(&earlier), mean(&now)));
            }
        }
        let p = |pairs: &Vec<(Option<f64>, Option<f64>)>| {
            let (mut strata, mut alone) = (Vec::new(), Vec::new());
            for (earlier, now) in pairs {
                match (earlier, now) {
                    (Some(earlier), Some(now)) => strata.push(vec![(false, *earlier), (true, *now)]),
                    (earlier, now) => {
                        alone.extend(earlier.map(|one| (false, one)));
                        alone.extend(now.map(|one| (true, one)));
                    }
                }
            }
            strata.push(alone);
            stratified_permutation_test(&strata, &Stream::new(seed))
        };
        let ps: Vec<f64> = strata.iter().filter_map(p).collect();
        ps.iter().any(|p| p * (ps.len() as f64) < LEVEL)
    }
}

/// Sums over the repetitions.
fn tally(case: &Case, repetitions: u64, of: fn(&Case, u64) -> Found) -> Found {
    let nothing = || Found([[0.0; 3]; 3], 0.0);
    let plus = |mut one: Found, other: Found| {
        one.0.iter_mut().flatten().zip(other.0.iter().flatten()).for_each(|(to, from)| *to += from);
        one.1 += other.1;
        one
    };
    // In order, so that sums of widths are the same at any number of threads.
    let all: Vec<Found> = (0..repetitions).into_par_iter().map(|seed| of(case, seed)).collect();
    all.into_iter().fold(nothing(), plus)
}

fn share(count: f64, repetitions: u64) -> String {
    let share = count / repetitions as f64;
    format!("{share:.3} ± {:.3}", (share * (1.0 - share) / repetitions as f64).sqrt())
}

fn shown(Found(all, narrower): &Found, repetitions: u64) -> String {
    let [raw, calibrated, corrected] = all;
    let width = |of: &[f64; 3]| format!("{:.3}", of[2] / repetitions as f64);
    let wrong = |of: &[f64; 3]| [share(of[0], repetitions), share(of[1], repetitions)];
    let mut cells: Vec<String> = wrong(raw).into();
    for of in [calibrated, corrected] {
        cells.extend(wrong(of));
        cells.push(width(of));
    }
    cells.push(share(*narrower, repetitions));
    cells.join(" | ")
}
