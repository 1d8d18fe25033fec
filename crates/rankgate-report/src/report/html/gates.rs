//! Each gate: its verdict, what it saw, and its message.

use crate::model::{GateReport, Report, Verdict};

use super::super::clean::shorten_name;
use super::super::lookup::gate_name;
use super::super::markup::{Element, el, fragment};
use super::super::message::{about, next, short, told_once};
use super::super::number::{DECIMALS, count};
use super::super::painter::html::{self, badge};
use super::super::typography::minus;
use super::super::verdict::word;
use super::CELL;
use super::answers::answers;
use super::queries::Queries;

/// Gates that are open from the start: more would hide the rest of the page.
const OPEN: usize = 3;

/// What decides the build first, then advice, then, folded away, what passed.
pub(super) fn gates(report: &Report, queries: &Queries<'_>) -> Element {
    let of = |wanted: fn(Verdict) -> bool| report.gates.iter().filter(move |gate| wanted(gate.verdict));
    let mut list = fragment();
    for (index, one) in of(|verdict| !verdict.is_ok()).enumerate() {
        list = list.child(gate(report, one, queries, index < OPEN));
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

fn gate(report: &Report, gate: &GateReport, queries: &Queries<'_>, is_open: bool) -> Element {
    let name = el("span").class("name data").text(&shorten_name(gate_name(report, gate), CELL));
    let seen = el("span").class("seen data").text(&minus(&short(gate, DECIMALS).to_string()));
    let badge = badge(gate.verdict, &word(gate.verdict).to_lowercase());
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
    let told = told.child(answers(gate));
    told.child(html::steps(&next(gate)))
}
