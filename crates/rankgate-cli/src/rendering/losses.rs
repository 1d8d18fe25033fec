//! The largest losses of all gates that did not pass, in one table.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rankgate::benchmark::model::{GateReport, Mover, Report, Verdict};
use rankgate_core::metric::Polarity;
use rankgate_report::report::internal::clean::{shorten, shorten_name};
use rankgate_report::report::internal::lookup::gate_name;
use rankgate_report::report::internal::message::about;
use rankgate_report::report::internal::number::{fixed, legible};
use rankgate_report::report::internal::page::{Block, Section, Table};

/// Queries that are shown beside the verdicts; the messages have more.
const LOSSES: usize = 5;
/// Characters of a text in a cell.
const CELL: usize = 80;
/// Decimals of a query's score; more to show a small change.
const DECIMALS: usize = 3;

/// The queries that lost most by the gates that did not pass, each once.
pub(crate) fn losses(report: &Report) -> Section {
    let open = report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed);
    let mut lost: Vec<(f64, &Mover, &GateReport)> = Vec::new();
    for gate in open {
        let Some(movers) = gate.finding.movers() else { continue };
        // Where nothing says what is better, nothing is lost.
        let (list, towards) = match gate.finding.polarity() {
            Polarity::MoreIsBetter => (&movers.losses, 1.0),
            Polarity::LessIsBetter => (&movers.gains, -1.0),
            Polarity::Unknown => continue,
        };
        for mover in list {
            let loss = mover.before.map(|before| towards * (before - mover.after));
            if let Some(loss) = loss.filter(|loss| *loss > 0.0) {
                lost.push((loss, mover, gate));
            }
        }
    }
    let by_loss = |a: &(f64, &Mover, &GateReport), b: &(f64, &Mover, &GateReport)| {
        let order = b.0.total_cmp(&a.0).then_with(|| a.1.query.cmp(&b.1.query));
        if order == Ordering::Equal { a.2.name.cmp(&b.2.name) } else { order }
    };
    lost.sort_by(by_loss);
    let mut seen = BTreeSet::new();
    lost.retain(|(_, mover, _)| seen.insert(&mover.query));
    if lost.is_empty() {
        return Section::default();
    }
    let mut table = Table::headed(["query", "text", "score", "gate"]);
    for (_, mover, gate) in lost.iter().take(LOSSES) {
        let before = mover.before.unwrap_or(mover.after);
        let digits = legible(before, mover.after, DECIMALS);
        // The gate of a snapshot names none.
        let metric = about(gate).metric;
        let metric = metric.map_or(String::new(), |metric| format!("{metric} "));
        let score = format!("{metric}{} to {}", fixed(before, digits), fixed(mover.after, digits));
        table.row([
            shorten_name(&mover.query, CELL),
            shorten(&mover.text, CELL),
            score,
            shorten_name(gate_name(report, gate), CELL),
        ]);
    }
    Section::headed("Largest losses").part([Block::Table(table)])
}
