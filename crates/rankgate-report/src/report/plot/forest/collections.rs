//! The collections of a suite, one below the other.

use crate::model::{CollectionFinding, GateReport, Report, SuiteFinding};

use super::super::super::clean::shorten_name;
use super::super::super::lookup::gate_name;
use super::super::super::number::{fixed, interval, signed};
use super::super::super::typography::minus;
use super::super::svg::Picture;
use super::{Layout, NAME, NARROW, Row, WIDE, forest};

/// One plot for each comparison of a suite, with its title: a row for each collection, then the weighted mean. Each comes again for a narrow screen.
pub fn collections(report: &Report) -> Vec<(String, Picture, Picture)> {
    let of_suite = |gate: &GateReport| {
        let finding = gate.finding.kind().over_collections()?;
        let whole = &finding.whole;
        let [candidate, baseline] = [&whole.candidate, &whole.baseline].map(|one| shorten_name(one, NAME));
        let [wide, narrow] =
            [&WIDE, &NARROW].map(|layout| forest(report, &by_collection(gate, finding, layout), layout));
        let title = format!("{candidate} vs {baseline}: {}", whole.metric);
        Some((title, gate_name(report, gate).to_owned(), wide, narrow))
    };
    let all: Vec<_> = report.gates.iter().filter_map(of_suite).collect();
    let titles: Vec<String> = all.iter().map(|(title, ..)| title.clone()).collect();
    // Two gates on the same, such as with other weights, have plots that differ.
    let told = |title: String, gate: &str| match titles.iter().filter(|one| **one == title).count() {
        0 | 1 => title,
        _ => format!("{title} ({})", shorten_name(gate, NAME * 2)),
    };
    all.into_iter().map(|(title, gate, wide, narrow)| (told(title, &gate), wide, narrow)).collect()
}

fn by_collection(gate: &GateReport, finding: &SuiteFinding, layout: &Layout) -> Vec<Row> {
    let row = |one: &CollectionFinding| Row {
        heading: "In each collection".to_owned(),
        label: shorten_name(&one.benchmark, layout.name),
        difference: minus(&signed(one.difference, 4)),
        interval: one.interval.map(|limits| minus(&interval(limits, 3))),
        at: one.difference,
        ends: one.interval,
        limits: Vec::new(),
        wanted: None,
        class: "reported".to_owned(),
        said: format!("{}%", fixed(100.0 * one.share, usize::from(one.share < 0.1))),
    };
    let mut rows: Vec<Row> = finding.collections.iter().map(row).collect();
    let whole = Row::new(gate, &finding.whole, layout.name);
    rows.push(Row { heading: "Together".to_owned(), label: "weighted mean".to_owned(), ..whole });
    rows
}
