//! What the page shows beside the report itself.

use serde::Serialize;

use crate::metric::Polarity;
use crate::model::{Finding, GateReport, Report};
use crate::report::clean::clean;
use crate::report::lookup::{is_best_high, measured};
use crate::report::message::{rows, short, told_once, warnings};
use crate::report::number::{DECIMALS, is_count};
use crate::report::page::{Block, Part, Section};
use crate::report::{golden_files, phrases, polarity, suite};

/// Characters of a name in a table.
const NAME: usize = 60;

#[derive(Serialize)]
pub(super) struct View {
    summary: String,
    made_by: String,
    warnings: Vec<String>,
    /// A configuration's name, and what a reader should know of it.
    notes: Vec<(String, String)>,
    /// One per gate, in their order.
    pub(super) gates: Vec<GateView>,
    sections: Vec<Section>,
    /// Metrics of which higher values are better, and of which lower ones are.
    higher: Vec<String>,
    lower: Vec<String>,
    /// Metrics whose highest value is marked, and metrics that count.
    starred: Vec<String>,
    counts: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct GateView {
    headline: String,
    seen: String,
    /// Of a comparison: the p-value that decided.
    pub(super) p: Option<f64>,
    body: Vec<Part>,
}

impl View {
    pub(super) fn from_report(report: &Report) -> Self {
        let columns = measured(report);
        let mut names = report.metrics.clone();
        for metric in columns.iter().flat_map(|(_, measured)| &measured.metrics) {
            if !names.contains(&metric.metric) {
                names.push(metric.metric.clone());
            }
        }
        let of = |wanted: &dyn Fn(&str) -> bool| names.iter().filter(|name| wanted(name)).cloned().collect();
        let gate = |gate: &GateReport| {
            let message = told_once(report, gate).part(rows(gate));
            let p = match &gate.finding {
                Finding::Comparison(finding) => Some(finding.p()),
                _ => None,
            };
            GateView {
                headline: message.heading,
                seen: clean(&short(gate, DECIMALS)),
                p,
                body: message.parts,
            }
        };
        Self {
            summary: phrases::verdicts(report),
            made_by: concat!("rankgate ", env!("CARGO_PKG_VERSION")).to_owned(),
            warnings: warnings::of_report(report),
            notes: phrases::all_notes(report, NAME),
            gates: report.gates.iter().map(gate).collect(),
            sections: sections(report),
            higher: of(&|name| polarity::of_report(report, name) == Polarity::MoreIsBetter),
            lower: of(&|name| polarity::of_report(report, name) == Polarity::LessIsBetter),
            starred: of(&|name| is_best_high(report, name)),
            counts: of(&is_count),
        }
    }
}

/// Tables that need no plot.
fn sections(report: &Report) -> Vec<Section> {
    let table = phrases::configurations(&measured(report), NAME, 2 * NAME).map(Block::Table);
    let depth = phrases::depth(report).map(Block::paragraph);
    let configurations = Section::headed("Configurations").part(table.into_iter().chain(depth));
    let all = std::iter::once(configurations).chain(suite::means(report, NAME));
    let shown = all.filter(|section| section.parts.iter().any(|part| !part.is_empty()));
    shown.chain(golden_files::sections(report)).collect()
}
