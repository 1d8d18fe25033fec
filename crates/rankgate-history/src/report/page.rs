//! The page of histories.

use crate::model::Verdict;
use crate::report::clean::shorten_name;
use crate::report::html::{document, figure};
use crate::report::markup::{Element, el, fragment};
use crate::report::number::counted;
use crate::report::painter::html::{badge, list, note, section, stacked, stacked_with};
use crate::report::tree::{Section, Text};
use crate::{ConfigurationTimeline, Histories, Timeline};

use super::configurations::configurations;
use super::sections;
use super::trend::trend;

const NAME: usize = 60;
/// Metrics that are drawn.
const DRAWN: usize = 8;
const DAY: i64 = 24 * 60 * 60;

pub(super) fn page(all: &Histories, view: &View) -> String {
    let (verdict, state) = sections::standing(&all.histories);
    let state = badge(verdict, &state);
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
    let links = |commit: &str| view.links(commit);
    let around = Around { links: &links, view, ..Around::nothing() };
    for several in together(&all.histories).into_iter().filter(|several| several.len() > 1) {
        let name = format!("{}, all configurations", shorten_name(&several[0].benchmark, NAME));
        main = main.child(
            el("section").child(el("h2").class("data").text(&name)).child(side_by_side(&several, view)),
        );
    }
    for ((id, name), one) in names.iter().zip(&all.histories) {
        let heading = el("h2").attr("id", id).class("data").text(name);
        main =
            main.child(el("section").attr("aria-labelledby", id).child(heading).child(history(one, &around)));
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

/// What of histories is shown, and where their commits lead.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Plots begin so many days before the last commit; all of the line where it is not said.
    pub days: Option<u32>,
    /// The address of a commit at a forge, with `{commit}` in place of its id.
    pub commit_url: Option<String>,
}

impl View {
    /// The place of the first commit that plots show.
    pub(super) fn begin(&self, timeline: &Timeline) -> usize {
        let (Some(days), Some(last)) = (self.days, timeline.commits.last()) else { return 0 };
        let begin = last.commit.time.saturating_sub(i64::from(days) * DAY);
        let before = timeline.commits.iter().rposition(|entry| entry.commit.time < begin);
        before.map_or(0, |before| before + 1)
    }

    /// The pattern of a commit's address, where it is one.
    ///
    /// # Errors
    /// What is no address of `http` or `https` with `{commit}` in it.
    pub fn commit_url(pattern: &str) -> Result<String, &'static str> {
        let is_address = pattern.starts_with("https://") || pattern.starts_with("http://");
        match is_address && pattern.contains("{commit}") {
            true => Ok(pattern.to_owned()),
            false => Err("it is an address of http or https with {commit} in it"),
        }
    }

    /// Where a commit leads at a forge.
    #[must_use]
    pub fn links(&self, commit: &str) -> Links {
        let forge = self.commit_url.as_ref().map(|pattern| pattern.replace("{commit}", commit));
        Links { forge, ..Links::default() }
    }
}

/// What a server has around a history.
pub(super) struct Around<'a> {
    /// What of it is shown.
    pub(super) view: &'a View,
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
    /// To itself, at a forge.
    pub forge: Option<String>,
}

impl Links {
    /// Where a point leads that stands for the commit.
    fn point(self) -> Option<String> {
        self.report.or(self.forge)
    }
}

impl Around<'_> {
    fn nothing() -> Self {
        const ALL: View = View { days: None, commit_url: None };
        Self { view: &ALL, below: &|_| None, links: &|_| Links::default() }
    }
}

pub(super) fn history(told: &ConfigurationTimeline, around: &Around<'_>) -> Element {
    let timeline = &told.timeline;
    let mut part = fragment().child(note(&sections::summary(told)));
    // What gates stand on comes first.
    let (gated, others): (Vec<&String>, Vec<&String>) =
        timeline.metrics.iter().partition(|metric| timeline.gated.contains(metric));
    let from = around.view.begin(timeline);
    let to = |commit: &str| (around.links)(commit).point();
    for metric in gated.into_iter().chain(others).take(DRAWN) {
        let [wide, narrow] = [false, true].map(|narrow| trend(timeline, metric, (narrow, from), &to));
        part = part
            .child(el("div").class("wide").child(figure(wide, fragment())))
            .child(el("div").class("narrow").child(figure(narrow, fragment())));
    }
    // A narrow plot has no room for intervals.
    let legend = |bars: &str| {
        note(&Text::from(format!(
            "A step for each ranking{bars}. Dots in red: alarms, their suspects shaded. Dashed: other inputs. Lines from top to \
             bottom: releases.",
        )))
    };
    let bars = "; bars are 95% intervals of the difference from the first that can be compared";
    part = part
        .child(el("div").class("wide").child(legend(bars)))
        .child(el("div").class("narrow").child(legend("")))
        .child(stacked("Metrics", &sections::values(timeline)));
    let lately = sections::lately(timeline);
    if !lately.is_empty() {
        part = part.child(el("h3").text("Lately")).child(stacked("What changed lately", &lately));
    }
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
            if links.report.is_some() { &links.report } else { &links.forge }
        } else if column + 1 == last && links.report.is_some() {
            // The subject.
            &links.forge
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
    let all = [
        ("Its report", &links.report),
        ("Against the commit measured before", &links.comparison),
        ("The commit", &links.forge),
    ];
    let all = all.into_iter().filter_map(|(text, to)| Some(el("a").attr("href", to.as_ref()?).text(text)));
    let list = el("p").class("ways").children(all);
    if list.is_empty() { None } else { Some(list) }
}

/// Alarms, and the report on rankings that vary; each that stands with its details below it.
pub(super) fn alarms(told: &ConfigurationTimeline, around: &Around<'_>) -> Element {
    let below = around.below;
    let (mut part, mut closed) = (fragment(), Vec::new());
    for sections::AlarmView { id, commit, open, heading, against, behind } in sections::alarms(&told.timeline)
    {
        let told = el("div").class("told").child(heading_of(&heading)).child(stacked("Alarm", &against));
        let told = told.child(painted(&behind)).children(ways(&(around.links)(&commit)));
        let told = told.children(below(&id).filter(|_| open));
        let told = el("div").class("gate").child(told);
        if open {
            part = part.child(told);
        } else {
            closed.push(told);
        }
    }
    if !closed.is_empty() {
        let words = counted(
            closed.len(),
            "alarm that is over or acknowledged",
            "alarms that are over or acknowledged",
        );
        part = part.child(el("details").child(el("summary").text(&words)).children(closed));
    }
    let Some(varying) = &told.timeline.varying else { return part };
    let standing = varying.detected.iter().filter(|one| one.stands()).filter_map(|one| one.id.as_deref());
    part.child(painted(&sections::varying(varying))).children(standing.filter_map(below))
}

/// Histories of one benchmark, in the order of their configurations.
pub(super) fn together(all: &[ConfigurationTimeline]) -> Vec<Vec<&ConfigurationTimeline>> {
    let mut benchmarks: Vec<Vec<&ConfigurationTimeline>> = Vec::new();
    for one in all {
        match benchmarks.iter_mut().find(|several| several[0].benchmark == one.benchmark) {
            Some(several) => several.push(one),
            None => benchmarks.push(vec![one]),
        }
    }
    benchmarks
}

/// The configurations of a benchmark in one plot, on the metric that most gates of them stand on.
pub(super) fn side_by_side(several: &[&ConfigurationTimeline], view: &View) -> Element {
    let metrics = several.iter().flat_map(|one| &one.timeline.metrics);
    let gates = |metric: &String| several.iter().filter(|one| one.timeline.gated.contains(metric)).count();
    // Of several the first, as the benchmark lists them.
    let metric = metrics.rev().max_by_key(|metric| gates(metric));
    let Some(metric) = metric else { return fragment() };
    let drawn: Vec<(&ConfigurationTimeline, usize)> =
        several.iter().map(|one| (*one, view.begin(&one.timeline))).collect();
    let [wide, narrow] = [false, true].map(|narrow| configurations(&drawn, metric, narrow));
    fragment()
        .child(el("div").class("wide").child(figure(wide, fragment())))
        .child(el("div").class("narrow").child(figure(narrow, fragment())))
}

fn heading_of(text: &Text) -> Element {
    el("p").class("headline data").text(&text.to_string())
}

fn painted(part: &Section) -> Element {
    section(part, &|_| None)
}
