//! The page of histories.

use crate::model::Verdict;
use crate::report::clean::shorten_name;
use crate::report::html::{document, figure};
use crate::report::markup::{Element, el, fragment};
use crate::report::number::count;
use crate::report::painter::html::{badge, list, note, section, stacked, stacked_with};
use crate::report::tree::{Section, Text};
use crate::{ConfigurationTimeline, Histories, Timeline};

use super::sections;
use super::trend::trend;

const NAME: usize = 60;
/// Metrics that are drawn.
const DRAWN: usize = 8;

pub(super) fn page(all: &Histories) -> String {
    let state = match all.histories.iter().map(|one| one.timeline.standing()).sum() {
        0 => badge(Verdict::Passed, "no alarm stands"),
        1 => badge(Verdict::Failed, "1 alarm stands"),
        more => badge(Verdict::Failed, &format!("{} alarms stand", count(more))),
    };
    let name = |at: usize, one: &ConfigurationTimeline| {
        let [benchmark, configuration] =
            [&one.benchmark, &one.configuration].map(|name| shorten_name(name, NAME));
        (format!("history-{at}"), format!("{benchmark}, {configuration}"))
    };
    let names: Vec<(String, String)> =
        all.histories.iter().enumerate().map(|(at, one)| name(at, one)).collect();
    let links = names.iter().map(|(id, name)| el("a").attr("href", &format!("#{id}")).text(name));
    let header = el("header")
        .child(el("p").class("overline").text("Retrieval quality over commits"))
        .child(el("h1").text("History"))
        .child(el("p").class("verdicts").child(state).children(heads(all)))
        .child(el("nav").attr("aria-label", "Histories").children(links));
    let mut main = el("main");
    for ((id, name), one) in names.iter().zip(&all.histories) {
        let heading = el("h2").attr("id", id).class("data").text(name);
        main = main.child(
            el("section").attr("aria-labelledby", id).child(heading).child(history(one, &Around::nothing())),
        );
    }
    if let Some(refused) = sections::refused(&all.refused, "What could not be placed") {
        main = main.child(el("section").child(painted(&refused)));
    }
    document("History of retrieval quality", (header, main), (fragment(), ""))
}

/// Badges of newest commits that are not as good as no alarm: not looked at, or with gates that do not hold.
fn heads(all: &Histories) -> Vec<Element> {
    let mut states: Vec<(Verdict, String)> = Vec::new();
    for state in all.histories.iter().filter_map(sections::head_state) {
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states.iter().map(|(verdict, text)| badge(*verdict, text)).collect()
}

/// What a server has around a history.
pub(super) struct Around<'a> {
    /// Something to acknowledge an alarm by, for its id.
    pub(super) below: &'a dyn Fn(&str) -> Option<Element>,
    /// Where a commit leads, by its id.
    pub(super) links: &'a dyn Fn(&str) -> Links,
}

/// Where a commit leads.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// To its report.
    pub report: Option<String>,
    /// To its report held against that of the commit measured before it.
    pub comparison: Option<String>,
}

impl Around<'_> {
    fn nothing() -> Self {
        Self { below: &|_| None, links: &|_| Links::default() }
    }
}

pub(super) fn history(told: &ConfigurationTimeline, around: &Around<'_>) -> Element {
    let timeline = &told.timeline;
    let mut part = fragment().child(note(&sections::summary(told)));
    // What gates stand on comes first.
    let (gated, others): (Vec<&String>, Vec<&String>) =
        timeline.metrics.iter().partition(|metric| timeline.gated.contains(metric));
    for metric in gated.into_iter().chain(others).take(DRAWN) {
        let [wide, narrow] = [false, true].map(|narrow| trend(timeline, metric, narrow));
        part = part
            .child(el("div").class("wide").child(figure(wide, fragment())))
            .child(el("div").class("narrow").child(figure(narrow, fragment())));
    }
    part = part
        .child(note(&Text::from(
            "A step for each ranking; bars are 95% intervals of the difference from the first that can be compared. \
             Dots in red: alarms, their suspects shaded. Dashed: other inputs. Lines from top to bottom: releases.",
        )))
        .child(stacked("Metrics", &sections::values(timeline)));
    let epochs: Vec<Text> = timeline.epochs.iter().filter_map(sections::epoch).collect();
    if !epochs.is_empty() {
        part = part.child(list(&epochs));
    }
    let alarms = alarms(told, around);
    if !alarms.is_empty() {
        part = part.child(el("h3").text("Alarms")).child(alarms);
    }
    for (title, table, about) in [
        ("Notices", sections::notices(timeline), sections::noticed(timeline)),
        ("References and what they have spent", sections::references(timeline), sections::spending(timeline)),
    ] {
        if !table.is_empty() {
            let about = if about.is_empty() { fragment() } else { note(&about.into()) };
            part = part.child(el("h3").text(title)).child(stacked(title, &table)).child(about);
        }
    }
    part = part.child(commits(timeline, around));
    match sections::refused(&told.refused, "What could not be read") {
        Some(refused) => part.child(painted(&refused)),
        None => part,
    }
}

/// The newest commits at which something happened, each with where it leads.
fn commits(timeline: &Timeline, around: &Around<'_>) -> Element {
    let mut table = sections::commits(timeline);
    if table.is_empty() {
        return fragment();
    }
    let links: Vec<Links> =
        sections::shown_commits(timeline).map(|entry| (around.links)(&entry.commit.commit)).collect();
    let last = table.header.len();
    if links.iter().any(|one| one.comparison.is_some()) {
        let words = links.iter().map(|one| if one.comparison.is_some() { "compare" } else { "" });
        table.add("with the one before", words);
    }
    let link = |row: usize, column: usize| {
        let links = links.get(row)?;
        let to = if column == 0 {
            &links.report
        } else if column == last {
            &links.comparison
        } else {
            &None
        };
        let text = table.cells().nth(row + 1)?.get(column)?.to_string();
        Some(el("a").attr("href", to.as_ref()?).text(&text))
    };
    let about = sections::listed(timeline);
    let about = if about.is_empty() { fragment() } else { note(&about.into()) };
    let table = stacked_with("Commits", &table, &link);
    fragment().child(el("h3").text("Commits")).child(table).child(about)
}

/// Where the commit of an alarm leads.
fn ways(links: &Links) -> Option<Element> {
    let all = [("Its report", &links.report), ("Against the commit measured before", &links.comparison)];
    let all = all.into_iter().filter_map(|(text, to)| Some(el("a").attr("href", to.as_ref()?).text(text)));
    let list = el("p").class("ways").children(all);
    if list.is_empty() { None } else { Some(list) }
}

/// Alarms, and the report on rankings that vary; each that stands with its details below it.
pub(super) fn alarms(told: &ConfigurationTimeline, around: &Around<'_>) -> Element {
    let below = around.below;
    let mut part = fragment();
    for sections::AlarmView { id, commit, open, heading, against, behind } in sections::alarms(&told.timeline)
    {
        let told = el("div").class("told").child(heading_of(&heading)).child(stacked("Alarm", &against));
        let told = told.child(painted(&behind)).children(ways(&(around.links)(&commit)));
        let told = told.children(below(&id).filter(|_| open));
        part = part.child(el("div").class("gate").child(told));
    }
    let Some(varying) = &told.timeline.varying else { return part };
    let standing = varying.detected.iter().filter(|one| one.stands()).filter_map(|one| one.id.as_deref());
    part.child(painted(&sections::varying(varying))).children(standing.filter_map(below))
}

fn heading_of(text: &Text) -> Element {
    el("p").class("headline data").text(&text.to_string())
}

fn painted(part: &Section) -> Element {
    section(part, &|_| None)
}
