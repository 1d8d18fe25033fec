//! Each gate: its verdict, what it saw, and its message.

use crate::model::{GateReport, Report, Verdict};
use crate::order;

use super::super::clean::shorten_name;
use super::super::lookup::gate_name;
use super::super::markup::{Element, el, fragment};
use super::super::message::{about, first_of_cause, next, short, told_once};
use super::super::number::{DECIMALS, count};
use super::super::painter::html::{self, badge};
use super::super::typography::minus;
use super::super::verdict::word;
use super::CELL;
use super::queries::Queries;

/// Gates that are open from the start: more would hide the rest of the page.
const OPEN: usize = 3;

/// What decides the build first, then advice, then, folded away, what passed.
pub(super) fn gates(report: &Report, queries: &Queries<'_>) -> Element {
    let of = |wanted: fn(Verdict) -> bool| report.gates.iter().filter(move |gate| wanted(gate.verdict));
    let mut list = fragment();
    let mut open: Vec<&GateReport> = of(|verdict| !verdict.is_ok()).collect();
    let cause = |gate: &GateReport| {
        let first = first_of_cause(report, gate).unwrap_or(&gate.name);
        report.gates.iter().position(|one| one.name == first)
    };
    order::sort_by_key(&mut open, |gate| (weight(gate), cause(gate)));
    for (index, one) in open.into_iter().enumerate() {
        // What only repeats a cause says nothing more.
        let is_told = first_of_cause(report, one).is_some();
        list = list.child(gate(report, one, queries, index < OPEN && !is_told));
    }
    for one in of(|verdict| matches!(verdict, Verdict::Advisory | Verdict::Reported)) {
        list = list.child(gate(report, one, queries, false));
    }
    let passed: Vec<Element> =
        of(|verdict| verdict == Verdict::Passed).map(|one| gate(report, one, queries, false)).collect();
    if !passed.is_empty() {
        let words = format!("{} passed", count(passed.len()));
        let group = el("details").class("group");
        list = list.child(group.child(el("summary").child(badge(Verdict::Passed, &words))).children(passed));
    }
    list
}

/// Comparisons that failed come first, and what else did; then what is open, and last what could not be decided.
fn weight(gate: &GateReport) -> u8 {
    let is_compared = gate.finding.kind().comparison().is_some();
    match (gate.verdict, is_compared) {
        (Verdict::Failed, true) => 0,
        (Verdict::Failed, false) => 1,
        (Verdict::Inconclusive, _) => 2,
        _ if !gate.advisory => 3,
        _ => 4,
    }
}

fn gate(report: &Report, gate: &GateReport, queries: &Queries<'_>, is_open: bool) -> Element {
    let name = el("span").class("name data").text(&shorten_name(gate_name(report, gate), CELL));
    // The verdict of one that fails nothing may be that of one that does.
    let name = match gate.advisory && gate.verdict != Verdict::Advisory {
        true => name.child(el("span").class("note").text(" (advisory)")),
        false => name,
    };
    let seen = el("span").class("seen data").text(&minus(&short(gate, DECIMALS).to_string()));
    // Of which nothing is expected, what is shown is the verdict.
    let conclusion = gate.finding.kind().comparison().and_then(|finding| finding.conclusion);
    let said = conclusion.map_or_else(|| word(gate.verdict).to_lowercase(), |said| said.to_string());
    let badge = badge(gate.verdict, &said);
    let summary = el("summary").child(badge).child(name).text(" ").child(seen);
    let details = el("details").class(&format!("gate {}", word(gate.verdict).to_lowercase()));
    let details = if is_open { details.flag("open") } else { details };
    details.child(summary).child(message(report, gate, queries))
}

/// The message that a failed test shows, and what to do next.
fn message(report: &Report, gate: &GateReport, queries: &Queries<'_>) -> Element {
    let said = html::section(&told_once(report, gate), &|id| queries.link(id));
    let told = el("div").class("told").child(said);
    let told = match queries.view(&about(gate)) {
        Some(view) => told.attr("data-view", &view),
        None => told,
    };
    told.child(html::steps(&next(gate)))
}
