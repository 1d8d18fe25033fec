//! A value that rests on a model's judgments and on errors that it made elsewhere: on how many, and what that assumes.

use crate::model::{CalibratedReport, CorrectedOpen, ErrorTest};
use crate::report::clean::shorten_name;
use crate::report::number::{DECIMALS, count, counted, fixed, p_value, signed};
use crate::report::page::{Block, Part};

use super::NAME;
use super::corrected::{keeps_open, units};

/// What the judge says alone, on what its errors are known from, the assumption and its tests; `candidate` is who is compared,
/// where somebody is.
pub fn part(report: &CalibratedReport, candidate: Option<&str>, claims: bool, grouped: bool) -> Part {
    let judge = shorten_name(&report.judge, NAME);
    let value = match candidate {
        Some(_) => signed(report.uncorrected, DECIMALS),
        None => fixed(report.uncorrected, DECIMALS),
    };
    let what = if claims { ["claim", "claims"] } else { ["pair", "pairs"] };
    let [one, many] = units(grouped);
    let mut part = vec![Block::paragraph(format!(
        "judged {value} by {judge}; calibrated by its errors on {} of {} that people judged",
        counted(report.labels, what[0], what[1]),
        counted(report.labelled, one, many),
    ))];
    part.push(Block::nested(format!(
        "this assumes that the judge errs on these {} as on those",
        counted(report.pairs, what[0], what[1])
    )));
    part.extend(report.tests.iter().map(|test| Block::nested(tested(test, candidate, what))));
    if report.tests.is_empty() {
        part.push(Block::nested("nothing tests it yet: all of people's grades came at once"));
    }
    part.extend(errors(report, claims).map(Block::nested));
    if report.beyond_people > 0 {
        part.push(Block::nested(format!(
            "{} without a claim count 0",
            counted(report.beyond_people, "answer", "answers")
        )));
    }
    let unknown = report.abstained.saturating_sub(report.beyond_people);
    if unknown > 0 {
        part.push(Block::nested(format!(
            "it gave no grade to {} of them, which counts as it does on what people judged",
            count(unknown)
        )));
    }
    let open = report.open.and_then(|open| keeps_open(open, report.labelled, claims, grouped));
    part.extend(open.map(Block::nested));
    if report.open == Some(CorrectedOpen::ErrorsChanged) && claims {
        part.push(Block::nested("`judged: corrected` takes people's grades of today's claims instead"));
    }
    part
}

/// `tested on the 60 latest of them: p = 0.41`
fn tested(test: &ErrorTest, candidate: Option<&str>, what: [&str; 2]) -> String {
    let [first, second] = test.pairs;
    let p = p_value(test.p);
    match (test.what.as_str(), candidate) {
        ("candidate", Some(name)) => format!(
            "it is tested on {} of {} alone and {} of the other side alone: {p}",
            counted(second, what[0], what[1]),
            shorten_name(name, NAME),
            count(first)
        ),
        _ => format!(
            "it is tested on {} that people judged last, beside {} before: {p}",
            counted(second, what[0], what[1]),
            count(first)
        ),
    }
}

/// How often the judge is right where grades are of two kinds.
fn errors(report: &CalibratedReport, claims: bool) -> Option<String> {
    let [no, yes] = report.confusion.as_slice() else { return None };
    let share = |row: &[u64]| {
        let all: u64 = row.iter().sum();
        Some(format!("{}%", fixed(100.0 * *row.get(1)? as f64 / all as f64, 0)))
    };
    let (found, not) = (share(yes)?, share(no)?);
    let word = if claims { "supported" } else { "relevant" };
    Some(format!("of what people call {word} it calls {found} so, and of the rest {not}"))
}
