//! The report for programs.

use serde::Serialize;

use crate::model::{GateReport, Report, Texts};
use crate::shown::in_json;

use super::message::{self, remarks, short_message};

/// The whole model as JSON: two blanks of indentation, keys in the order of the model's fields,
/// numbers with all their digits, a newline at the end. Each gate has its [`message`](super::message()) beside it, and what should be known
/// before its verdict is believed.
///
/// Reading it back gives the same model, provided that its numbers are
/// finite: JSON has no others, and writes them as `null`.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// let report: Report = serde_json::from_str(example)?;
/// assert_eq!(rankgate::report::json(&report), example);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[expect(clippy::expect_used, reason = "the model's maps have strings as keys, and a String takes any text")]
pub fn json(report: &Report) -> String {
    document(&told(report)).expect("the model is JSON")
}

/// The same as one line: of several reports each is a line of its own (JSON Lines).
#[expect(clippy::expect_used, reason = "the model's maps have strings as keys, and a String takes any text")]
pub fn json_line(report: &Report) -> String {
    in_json(serde_json::to_string(&told(report)).expect("the model is JSON") + "\n")
}

/// A report with the texts of its gates.
fn told(report: &Report) -> Report {
    let texts = |gate: &GateReport| Texts {
        message: message::message(report, gate),
        short_message: short_message(report, gate),
        warnings: remarks(report, gate),
    };
    let gate = |gate: &GateReport| GateReport { texts: Some(Box::new(texts(gate))), ..gate.clone() };
    Report { gates: report.gates.iter().map(gate).collect(), ..report.clone() }
}

/// A model as a document: two blanks of indentation, nothing that moves a cursor, a newline at the end.
pub fn document<T: Serialize + ?Sized>(model: &T) -> serde_json::Result<String> {
    Ok(in_json(serde_json::to_string_pretty(model)? + "\n"))
}
