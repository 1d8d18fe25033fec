//! What was measured, what came of it, and what to know before trusting it.

use crate::model::{CollectionReport, Report, Verdict};
use crate::order;

use super::super::clean::shorten;
use super::super::lookup::tally;
use super::super::markup::{Element, el, fragment};
use super::super::message;
use super::super::number::{count, percent};
use super::super::painter::html::badge;
use super::super::phrases;
use super::super::verdict::word;
use super::{NAME, NOTE, note};

/// Characters of a hash: enough to see that two are not the same.
const SHA256: usize = 13;

/// The page's head, with links to its sections.
pub(super) fn header(report: &Report, sections: &[(&'static str, &'static str)]) -> Element {
    let title = el("h1").class("data").text(&shorten(&report.benchmark, NAME));
    let kind = if phrases::suite(report).is_some() { "Retrieval suite" } else { "Retrieval benchmark" };
    let mut header = el("header").child(el("p").class("overline").text(kind)).child(title);
    if let Some(description) = &report.description {
        header = header.child(el("p").class("lede data").text(&shorten(description, NOTE)));
    }
    let links = sections.iter().map(|(id, title)| el("a").attr("href", &format!("#{id}")).text(title));
    header
        .child(verdicts(report))
        .child(error(report))
        .child(partial(report))
        .child(facts(report))
        .child(warnings(report))
        .child(el("nav").attr("aria-label", "Sections").children(links))
}

/// The errors of the spec, where they kept it from running.
fn error(report: &Report) -> Element {
    let lines = phrases::error(report);
    if lines.is_empty() {
        return fragment();
    }
    el("pre").class("error data").lines(lines.iter().map(String::as_str))
}

fn verdicts(report: &Report) -> Element {
    if report.error.is_some() {
        return el("p")
            .class("verdicts")
            .child(badge(Verdict::Errored, &phrases::verdicts(report).to_string()));
    }
    let tally = tally(report);
    if tally.is_empty() {
        return el("p")
            .class("verdicts")
            .child(el("span").class("badge").text(&phrases::verdicts(report).to_string()));
    }
    // What needs a look comes first.
    let mut tally: Vec<_> = tally;
    order::sort_by_key(&mut tally, |(verdict, _)| verdict.is_ok());
    let counted = tally.into_iter().map(|(verdict, gates)| {
        badge(verdict, &format!("{} {}", count(gates), word(verdict).to_lowercase()))
    });
    el("p").class("verdicts").children(counted)
}

/// That not every gate was decided.
fn partial(report: &Report) -> Element {
    let partial = phrases::partial(report);
    partial.map_or_else(fragment, |partial| note(&format!("{partial}: {}.", phrases::PARTIAL)))
}

fn facts(report: &Report) -> Element {
    let mut facts: Vec<(&str, String)> = Vec::new();
    match &report.collection {
        Some(collection) => collected(collection, &mut facts),
        None if report.error.is_some() => {}
        None if let Some(suite) = phrases::suite(report) => facts.push(("collections", suite)),
        None => facts.push(("collection", "could not be loaded".to_owned())),
    }
    if !report.configurations.is_empty() || phrases::suite(report).is_some() {
        facts.push(("intervals", percent(report.confidence)));
    }
    // Runs that were compared have none.
    if !report.spec.is_empty() {
        facts.push(("spec", report.spec.clone()));
    }
    if let Some(commit) = report.history.as_ref().and_then(|history| history.commit.as_ref()) {
        facts.push(("commit", shorten(commit, SHA256)));
    }
    if let Some(sha256) = &report.spec_sha256 {
        facts.push(("the spec's SHA-256", shorten(sha256, SHA256)));
    }
    let fact = |(name, value): (&str, String)| {
        let value = el("dd").class("data").text(&shorten(&value, NOTE));
        el("div").child(el("dt").text(name)).child(value)
    };
    el("dl").class("facts").children(facts.into_iter().map(fact))
}

fn collected(collection: &CollectionReport, facts: &mut Vec<(&str, String)>) {
    let queries = if collection.judgments == 0 { "queries" } else { "judged queries" };
    facts.push((queries, count(collection.queries)));
    if collection.unjudgeable > 0 {
        facts.push(("without a relevant document", count(collection.unjudgeable)));
    }
    if collection.unanswerable > 0 {
        facts.push((
            "unanswerable queries, measured by FalseAnswer and MissedRefusal alone",
            count(collection.unanswerable),
        ));
    }
    if collection.without_judgments > 0 {
        facts.push(("queries without judgments, not asked", count(collection.without_judgments)));
    }
    facts.push(("judgments", count(collection.judgments)));
    if let Some(documents) = collection.documents {
        facts.push(("documents", count(usize::try_from(documents).unwrap_or(usize::MAX))));
    }
    facts.push(("relevant from grade", collection.relevant_from.to_string()));
}

fn warnings(report: &Report) -> Element {
    let warnings = message::warnings(report);
    if warnings.is_empty() {
        return fragment();
    }
    let warning = |text: &String| {
        el("li").child(el("strong").text("Warning")).text(" ").child(el("span").class("data").text(text))
    };
    el("ul").class("warnings").children(warnings.iter().map(warning))
}
