//! How often a margin is kept falsely by differences that people corrected, how often rightly, and how often the verdict says that
//! one more loss would undo it: `cargo bench --bench stats_simulation -- corrected`.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rankgate::stats::{
    ComparisonSettings, CorrectedMean, Differences, Expectation, Outcome, Question, Stream, Warning, compare,
};
use rayon::prelude::*;

use super::gauss;

/// Queries, of which people grade so many.
const QUERIES: usize = 1_000;
const GRADED: [usize; 2] = [40, 80];

/// A query's true difference and the judge's, and the margin that is asked about.
type Judge = (&'static str, f64, fn(&mut dyn FnMut() -> f64) -> [f64; 2]);

const JUDGES: [Judge; 4] = [
    ("a tenth is lost, constant judge", 0.1, |unit| [lost(unit(), 0.1), 0.0]),
    ("a tenth is lost, the judge sees half of it", 0.1, |unit| {
        let place = unit();
        [lost(place, 0.1), lost(place, 0.05)]
    }),
    ("no loss, good judge", 0.07, |unit| graded(unit, 0.0, 0.08)),
    ("no loss, lenient judge", 0.07, |unit| graded(unit, 0.05, 0.12)),
];

fn lost(place: f64, share: f64) -> f64 {
    if place < share { -1.0 } else { 0.0 }
}

fn graded(unit: &mut dyn FnMut() -> f64, leniency: f64, error: f64) -> [f64; 2] {
    let moved = (0.2 * gauss(unit)).clamp(-1.0, 1.0);
    [moved, moved + leniency + error * gauss(unit)]
}

pub(super) fn print(repetitions: u64) {
    println!("| queries and judge | graded | margin passes | with the warning |\n|---|---|---|---|");
    for judge in JUDGES {
        for n in GRADED {
            let counts = (0..repetitions).into_par_iter().map(|seed| decide(&judge, n, seed));
            let [passed, warned] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            let share = |count: u32| f64::from(count) / repetitions as f64;
            println!("| {} | {n} | {:.3} | {:.3} |", judge.0, share(passed), share(warned));
        }
    }
}

/// Whether the margin passes, and with the warning.
fn decide(&(_, margin, draw): &Judge, n: usize, seed: u64) -> [u32; 2] {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut unit = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
    let drawn: Vec<[f64; 2]> = (0..QUERIES).map(|_| draw(&mut unit)).collect();
    let model: Vec<f64> = drawn.iter().map(|[_, judge]| *judge).collect();
    let people: Vec<Option<f64>> = (0..QUERIES).map(|at| (at < n).then_some(drawn[at][0])).collect();
    let ids: Vec<usize> = (0..QUERIES).collect();
    let corrected = CorrectedMean::within(&model, &people, &ids, &(-1.0..=1.0)).expect("finite scores");
    // The baseline scores 1 where something is lost, and .5 elsewhere.
    let sides = people.iter().flatten().map(|moved| match *moved {
        -1.0 => (1.0, 0.0),
        moved => (0.5, (0.5 + moved).clamp(0.0, 1.0)),
    });
    let (before, after): (Vec<f64>, Vec<f64>) = sides.unzip();
    let differences = Differences::new(&before, &after).expect("finite scores").within(&(0.0..=1.0));
    let stream = Stream::new(seed);
    let mut question = Question::new(&differences, &stream);
    question.expectation = Expectation::NonInferiority { margin };
    question.corrected = Some(&corrected);
    let settings = super::few_resamples::settings(super::RESAMPLES);
    let settings = ComparisonSettings { verdict_only: true, ..settings };
    let compared = compare(&[question], &settings).expect("valid settings").remove(0);
    let passed = compared.decision.outcome == Outcome::Passed;
    let warned = compared.warnings.iter().any(|warning| matches!(warning, Warning::OneMoreLoss { .. }));
    [u32::from(passed), u32::from(passed && warned)]
}
