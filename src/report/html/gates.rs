//! Each gate: its verdict, what it saw, and its message.

use crate::benchmark::model::{Finding, GateReport, Movers, Report, Verdict};

use super::super::clean::shorten_name;
use super::super::lookup::gate_name;
use super::super::markup::{Element, el, fragment};
use super::super::message::{next, seen, told_once, word};
use super::super::number::{DECIMALS, count};
use super::super::typography::minus;
use super::queries::Queries;
use super::{CELL, badge};

/// Columns of a message: two of its blocks stand side by side on a wide screen.
const WIDTH: usize = 76;
/// The same on a phone, where one stands below the other.
const NARROW: usize = 50;
/// Characters of a query's id in a list of them.
const ID: usize = 40;
/// Gates that are open from the start: with more of them nobody would find the rest of the page.
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
    let seen = el("span").class("seen data").text(&minus(&seen(gate, DECIMALS)));
    let badge = badge(gate.verdict, &word(gate.verdict).to_lowercase());
    let summary = el("summary").child(badge).child(name).text(" ").child(seen);
    let told = el("div").class("told").child(message(report, gate)).child(links(gate, queries));
    let details = el("details").class(&format!("gate {}", word(gate.verdict).to_lowercase()));
    let details = if is_open { details.flag("open") } else { details };
    details.child(summary).child(told)
}

/// The message that a failed test shows: its first line, its blocks, each of them whole, and across the
/// whole width what to do next.
fn message(report: &Report, gate: &GateReport) -> Element {
    let told = [WIDTH, NARROW].map(|width| told_once(report, gate, width));
    let blocks = told.iter().zip(["blocks wide", "blocks narrow"]).map(|(told, class)| {
        let blocks = told.blocks.iter().filter(|block| !block.is_empty());
        let lines = |block: &Vec<String>| el("pre").class("data").lines(block.iter().map(String::as_str));
        el("div").class(class).children(blocks.map(lines))
    });
    let steps = next(gate).into_iter().map(|(purpose, action)| {
        let action = el("dd").child(el("code").class("data").text(&action));
        el("div").child(el("dt").text(&purpose)).child(action)
    });
    let steps = el("dl").class("steps").children(steps);
    fragment()
        .child(el("p").class("headline data").text(&told[0].headline))
        .children(blocks)
        .child(if steps.is_empty() { fragment() } else { steps })
}

/// Links from the queries that the message names to their rankings.
fn links(gate: &GateReport, queries: &Queries<'_>) -> Element {
    let movers: Option<&Movers> = match &gate.finding {
        Finding::Threshold(finding) => Some(&finding.movers),
        Finding::Comparison(finding) => Some(&finding.movers),
        _ => None,
    };
    let moved = movers.into_iter().flat_map(|movers| movers.losses.iter().chain(&movers.gains));
    let named = moved.map(|mover| mover.query.as_str());
    let differing = match &gate.finding {
        Finding::Deterministic(finding) => &finding.differing[..],
        Finding::Overlap(finding) => &finding.differing[..],
        _ => &[],
    };
    let link = |id: &str| {
        let link = el("a").class("data").attr("href", &queries.link(id)?);
        Some(link.text(&shorten_name(id, ID)))
    };
    let links: Vec<Element> =
        named.chain(differing.iter().take(10).map(|one| one.query.as_str())).filter_map(link).collect();
    if links.is_empty() {
        return fragment();
    }
    let mut line = el("p").class("links").text("Rankings: ");
    for link in links {
        line = line.child(link).text(" ");
    }
    line
}
