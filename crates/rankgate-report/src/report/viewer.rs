//! The report in a browser: the viewer, and the report as JSON inside of it.
//!
//! `viewer/` has the style and the script. [`View`] adds to the report what only the library knows: messages as trees of
//! blocks, and which direction of a metric is better.

mod blocks;
mod view;

use serde::Serialize;

use crate::model::{Report, Verdict};
use crate::shown::in_json;

use super::clean::clean;
use super::message::message;
use super::page_file::{STYLE, escaped, page_file};
use super::phrases::{error, verdicts};
use super::verdict::word;
use view::View;

const SCRIPTS: [&str; 7] = [
    include_str!("../../viewer/element.js"),
    include_str!("../../viewer/model.js"),
    include_str!("../../viewer/plots.js"),
    include_str!("../../viewer/gates.js"),
    include_str!("../../viewer/metrics.js"),
    include_str!("../../viewer/queries.js"),
    include_str!("../../viewer/main.js"),
];

/// What the script reads.
#[derive(Serialize)]
struct Model<'a> {
    #[serde(flatten)]
    report: &'a Report,
    view: View,
}

/// The whole report as one HTML page: verdicts, each gate with its message, metrics, comparisons with the queries behind
/// them, and every query with its rankings.
///
/// The page loads nothing and sends nothing. Without scripts it shows the verdicts and the messages as text.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let page = rankgate::report::html(&report);
/// assert!(page.starts_with("<!DOCTYPE html>\n") && page.contains("helpdesk"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[expect(clippy::expect_used, reason = "the model's maps have strings as keys, and a String takes any text")]
pub fn html(report: &Report) -> String {
    let model = Model { report, view: View::from_report(report) };
    let json = in_json(serde_json::to_string(&model).expect("the model is JSON"));
    let title = format!("{}: {}", clean(&report.benchmark), verdicts(report));
    let body = format!("<noscript><pre>{}</pre></noscript>", escaped(&plain(report)));
    page_file(&title, &body, &json, [STYLE, &SCRIPTS.concat()])
}

/// The verdicts, and the messages of gates that did not pass.
fn plain(report: &Report) -> String {
    let mut text = format!("{}: {}\n\n", clean(&report.benchmark), verdicts(report));
    for line in error(report) {
        text += &format!("{line}\n");
    }
    for gate in &report.gates {
        text += &format!("{}  {}\n", word(gate.verdict), clean(&gate.name));
    }
    for gate in report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed) {
        text += &format!("\n{}\n", message(report, gate));
    }
    text
}

#[cfg(test)]
mod tests;
