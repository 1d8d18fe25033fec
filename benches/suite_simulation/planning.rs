//! Whether plans of suites hold: what is advised, carried out with the rule itself on fresh samples.

use rankgate::stats::{
    Allocation, ComparisonSettings, Differences, Expectation, Outcome, PairedT, Stream, SuitePlanner,
    detectable_difference, outcome,
};
use rayon::prelude::*;

use super::few_resamples::settings;
use super::{SIZES, Scores, draw, populations, share, uniform};

/// Queries of each collection that are planned from: many, so that what is seen is the planning and little of the luck of
/// a sample.
const OBSERVED: usize = 4_000;

/// Resamples of the rule: with far fewer, noise in p-values takes power.
const RESAMPLES: u64 = 3_999;

/// What is expected, which effect is planned for, the true mean difference of that, and what no collection may lose.
const CASES: [(&str, Expectation, f64, f64, Option<f64>); 5] = [
    ("a gain", Expectation::Improvement { min_gain: 0.0 }, 0.05, 0.05, None),
    ("a gain of .02", Expectation::Improvement { min_gain: 0.02 }, 0.06, 0.06, None),
    ("a gain, harm-at-most .05", Expectation::Improvement { min_gain: 0.0 }, 0.05, 0.05, Some(0.05)),
    ("a margin", Expectation::NonInferiority { margin: 0.05 }, 0.05, 0.0, None),
    ("a drop", Expectation::NoRegression { tolerance: 0.0 }, 0.05, -0.05, None),
];

pub(super) fn table(repetitions: u64) {
    let settings = settings(RESAMPLES);
    println!(
        "| differences | what is shown | effect | spread | queries | power |\n|---|---|---|---|---|---|"
    );
    for (name, scores) in populations() {
        for (label, expectation, effect, mean, harm) in CASES {
            let planned = observed(scores, mean);
            let planner = planner(&planned, expectation, harm, &settings);
            for (spread, allocation) in
                [("alike", Allocation::Proportional), ("where they add most", Allocation::Optimal)]
            {
                let units = planner.units_needed(effect, &SIZES.map(|size| size as u64), allocation);
                let Some(units) = units.expect("a plan within its work") else {
                    println!("| {name} | {label} | {effect} | {spread} | none | |");
                    continue;
                };
                let units: Vec<usize> = units.into_iter().map(|units| units as usize).collect();
                let power = carried_out(scores, &units, mean, (expectation, harm), repetitions, &settings);
                let units: Vec<String> = units.iter().map(ToString::to_string).collect();
                println!("| {name} | {label} | {effect} | {spread} | {} | {power} |", units.join(", "));
            }
        }
    }
}

/// How often the smallest gain that is stated is shown: planned from queries with another gain, whose losses are made rarer, and
/// from queries that gain as much.
pub(super) fn smallest(repetitions: u64) {
    let settings = settings(RESAMPLES);
    println!(
        "| differences | from queries that gain .05 | power | from queries that gain as much | power | by Student's t | power |\n\
         |---|---|---|---|---|---|---|"
    );
    let expectation = Expectation::Improvement { min_gain: 0.0 };
    let units = SIZES.map(|size| size as u64);
    for (name, scores) in populations() {
        let stated = |gain| {
            let planned = observed(scores, gain);
            let planner = planner(&planned, expectation, None, &settings);
            planner.detectable(&units).expect("a plan within its work").expect("an effect")
        };
        let first = stated(0.05);
        let same = (0..5).fold(first, |gain, _| stated(gain));
        let today = draw(scores, &SIZES, &[0.05; 5], &mut uniform(78));
        let joined =
            Differences::joined(&today.iter().map(|one| (one, 1.0)).collect::<Vec<_>>()).expect("joined");
        let t = PairedT::new(&joined).expect("queries that vary");
        let of_t =
            detectable_difference(t.standard_deviation(), t.freedom + 1, settings.confidence, settings.power);
        let of_t = of_t.expect("valid settings").expect("queries that vary");
        let power = |effect| carried_out(scores, &SIZES, effect, (expectation, None), repetitions, &settings);
        let cells = [first, same, of_t].map(|gain| format!("{gain:.4} | {}", power(gain)));
        println!("| {name} | {} |", cells.join(" | "));
    }
}

/// Many queries of each collection, with the mean difference that is planned for.
fn observed(scores: Scores, mean: f64) -> Vec<Differences> {
    draw(scores, &[OBSERVED; 5], &[mean; 5], &mut uniform(77))
}

fn planner<'a>(
    observed: &'a [Differences],
    expectation: Expectation,
    harm: Option<f64>,
    settings: &'a ComparisonSettings,
) -> SuitePlanner<'a> {
    let alike: Vec<(&Differences, f64)> = observed.iter().map(|one| (one, 1.0)).collect();
    SuitePlanner::new(&alike, expectation, harm, settings)
        .expect("valid settings")
        .expect("queries that vary")
}

/// How often the rule shows what is expected of so many queries of each collection.
fn carried_out(
    scores: Scores,
    units: &[usize],
    mean: f64,
    (expectation, harm): (Expectation, Option<f64>),
    repetitions: u64,
    settings: &ComparisonSettings,
) -> String {
    let decided = |differences: &Differences, expectation, seed| {
        outcome(differences, expectation, settings, &Stream::new(seed)).expect("valid settings")
    };
    let shows = |seed: u64| {
        let parts = draw(scores, units, &[mean; 5], &mut uniform(seed + 1_000));
        let joined = Differences::joined(&parts.iter().map(|part| (part, 1.0)).collect::<Vec<_>>());
        let kept = |margin| {
            let kept = |part| decided(part, Expectation::NonInferiority { margin }, seed) == Outcome::Passed;
            parts.iter().all(kept)
        };
        match expectation {
            Expectation::NoRegression { .. } => {
                decided(&joined.expect("joined"), expectation, seed) == Outcome::Failed
            }
            _ => {
                harm.is_none_or(kept)
                    && decided(&joined.expect("joined"), expectation, seed) == Outcome::Passed
            }
        }
    };
    let shown: Vec<bool> = (0..repetitions).into_par_iter().map(shows).collect();
    share(shown.into_iter())
}
