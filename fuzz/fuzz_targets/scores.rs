//! Files of scores that can be read are compared, whatever their queries scored.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::gate::Statistics;
use rankgate_cli::offline::{ScoreComparisons, ScoreTable};
use rankgate::stats::Expectation;
use rankgate::{Result, Source};
use rankgate_fuzz::{is_message, parts};

fn read(name: &str, bytes: &[u8]) -> Result<ScoreTable> {
    ScoreTable::read(Source::bytes(name, bytes))
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    // The limit is one of eight between .002 and 4.
    let limit = 0.002 * 3_f64.powi(i32::from(first / 6 % 8));
    let expect = match first % 6 {
        0 => None,
        1 => Some(Expectation::NoRegression { margin: 0.0 }),
        2 => Some(Expectation::NoRegression { margin: limit }),
        3 => Some(Expectation::Improvement { margin: limit }),
        4 => Some(Expectation::NonInferiority { margin: limit }),
        _ => Some(Expectation::Equivalence { margin: limit }),
    };
    let [before, after] = parts(rest);
    let (before, after) = match (read("a.csv", before), read("b.csv", after)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return is_message(&error.to_string()),
    };
    match ScoreComparisons::new(&[("a.csv", &before), ("b.csv", &after)], &[], &Statistics::default(), expect.map(Into::into), 3) {
        Ok(all) => assert!(!all.comparisons.is_empty()),
        Err(error) => return is_message(&error.to_string()),
    }
});
