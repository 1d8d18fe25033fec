//! The report for programs.

use serde::Serialize;

use crate::json::{ToJson, Tree, serialize};
use crate::model::{GateReport, Report, Warning};
use crate::shown::in_json;

use super::message::{self, remarks, short_message};

/// The whole model as JSON: two blanks of indentation, keys in the order of the model's fields,
/// numbers with all their digits, a newline at the end. Each gate has its [`message`](super::message()) beside it, and what should be known
/// before its verdict is believed.
///
/// With the feature `read` of `rankgate-report`, reading it back gives the same model, provided that its numbers are
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
    document(&Document::from_report(report)).expect("the model is JSON")
}

/// The same as one line: of several reports each is a line of its own (JSON Lines).
#[expect(clippy::expect_used, reason = "the model's maps have strings as keys, and a String takes any text")]
pub fn json_line(report: &Report) -> String {
    in_json(serde_json::to_string(&Document::from_report(report)).expect("the model is JSON") + "\n")
}

/// A report with the messages of its gates.
struct Document<'a> {
    report: &'a Report,
    gates: Vec<GateDocument<'a>>,
}

/// A gate with its texts.
struct GateDocument<'a> {
    gate: &'a GateReport,
    message: String,
    /// The message below those of the gates before it, where it is another.
    short_message: Option<String>,
    /// What should be known before the verdict is believed.
    warnings: Vec<Warning>,
}

impl<'a> Document<'a> {
    fn from_report(report: &'a Report) -> Self {
        let document = |gate: &'a GateReport| {
            let (message, short_message) = (message::message(report, gate), short_message(report, gate));
            GateDocument { gate, message, short_message, warnings: remarks(report, gate) }
        };
        Self { report, gates: report.gates.iter().map(document).collect() }
    }
}

impl ToJson for Document<'_> {
    fn to_json(&self) -> Tree<'_> {
        let Tree::Object(mut fields) = self.report.to_json() else { return self.report.to_json() };
        for (key, value) in &mut fields {
            if *key == "gates" {
                *value = &self.gates;
            }
        }
        Tree::Object(fields)
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serialize(self, to)
    }
}

impl ToJson for GateDocument<'_> {
    fn to_json(&self) -> Tree<'_> {
        let Self { gate, message, short_message, warnings } = self;
        let Tree::Object(mut fields) = gate.to_json() else { return gate.to_json() };
        let behind = fields.iter().position(|(key, _)| *key == "verdict").map_or(fields.len(), |at| at + 1);
        if !warnings.is_empty() {
            fields.insert(behind, ("warnings", warnings));
        }
        if let Some(short_message) = short_message {
            fields.insert(behind, ("short_message", short_message));
        }
        fields.insert(behind, ("message", message));
        Tree::Object(fields)
    }
}

/// A model as a document: two blanks of indentation, nothing that moves a cursor, a newline at the end.
pub fn document<T: Serialize + ?Sized>(model: &T) -> serde_json::Result<String> {
    Ok(in_json(serde_json::to_string_pretty(model)? + "\n"))
}
