//! Files of scores that can be read are compared, whatever their queries scored.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rankgate::scores::ScoreTable;
use rankgate::stats::Expectation;
use rankgate::{Result, Source};
use rankgate_cli::offline::{Comparing, Comparisons, of_tables, score_columns};
use rankgate_fuzz::{is_message, parts};

fn compared([before, after]: [&[u8]; 2], expect: Option<Expectation>) -> Result<Comparisons> {
    let read = |name: &'static str, bytes| Ok((Path::new(name), ScoreTable::read(Source::bytes(name, bytes), "AP")?));
    let tables: Vec<(&Path, ScoreTable)> = [read("a.csv", before), read("b.csv", after)].into_iter().collect::<Result<_>>()?;
    let mut comparing = Comparing::new(score_columns(tables[0].0, &tables[0].1, &[])?);
    comparing.expect = expect.map(Into::into);
    let sides = of_tables(tables, Vec::new())?;
    comparing.compare(("a.csv", &sides[0]), &[("b.csv", &sides[1])])
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
    match compared(parts(rest), expect) {
        Ok(all) => assert!(!all.comparisons.is_empty()),
        Err(error) => is_message(&error.to_string()),
    }
});
