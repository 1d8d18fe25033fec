//! The table of queries: their scores by configuration, and what the script needs to sort, filter and
//! open them.

use std::collections::{BTreeMap, HashMap};

use crate::collection;
use crate::metric::{Metric, Polarity};
use crate::model::{ComparisonFinding, GateReport, QueryReport, Report, Verdict};
use crate::order;
use crate::stats::ROUNDING;
use crate::words::agree;

use super::super::clean::{clean, shorten, shorten_name};
use super::super::lookup::{measured, segment_keys};
use super::super::markup::{Element, el, fragment};
use super::super::message::{About, about};
use super::super::number::{count, fixed, is_count, signed};
use super::super::painter::html::scrolling;
use super::super::polarity;
use super::super::side::{Side, compared, places, sides};
use super::super::typography::minus;
use super::{CELL, NAME, note, number, rankings};

/// Queries that the page holds: with more of them browsers become slow to open it.
const QUERIES: usize = 2000;
/// Configurations that have a column each; of more, two are shown.
const COLUMNS: usize = 4;
/// Characters of an id that stay on one line.
const ID: usize = 24;
/// Decimals of a score in the table.
pub(super) const DECIMALS: usize = 3;

/// The queries that the page holds.
pub(super) struct Queries<'a> {
    pub(super) sides: Vec<Side<'a>>,
    pub(super) metrics: Vec<&'a str>,
    pub(super) rows: Vec<Row<'a>>,
    /// Titles of documents, by id.
    pub(super) titles: &'a BTreeMap<String, String>,
    /// The two sides that are compared first, by their place: baseline and candidate.
    pub(super) chosen: [usize; 2],
    /// The metric that is shown first, by its place.
    metric: usize,
    /// Metrics of which no query of the table has a score: those measured on queries without an answer.
    elsewhere: Vec<String>,
    /// Of each metric, which values are better.
    pub(super) polarities: Vec<Polarity>,
    /// Queries that the page does not hold.
    hidden: usize,
    /// By id, the place of each row.
    places: HashMap<&'a str, usize>,
}

/// The metrics of which a query has a score, in the order of the spec.
fn shown_metrics<'a>(report: &'a Report, sides: &[Side<'a>]) -> Vec<&'a str> {
    let queries = || sides.iter().flat_map(|side| &side.measured.queries);
    // No query of the table has a score of what is measured on queries without an answer.
    let has_score = |name: &str| queries().any(|query| query.scores.contains_key(name));
    let names = report.metrics.iter().map(String::as_str);
    names.filter(|name| has_score(name) || !is_elsewhere(name)).collect()
}

/// Whether a metric is measured on the queries without an answer, which are in no table of scores.
fn is_elsewhere(name: &str) -> bool {
    name.parse::<Metric>().is_ok_and(|metric| metric.requirements().unanswerable)
}

/// A segment that a query belongs to.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    /// `key=value`
    pub(super) whole: String,
    /// The value, where it says enough by itself.
    short: String,
}

/// One query.
pub(super) struct Row<'a> {
    pub(super) id: &'a str,
    pub(super) text: &'a str,
    pub(super) tags: Vec<Tag>,
    /// What each side has of it.
    pub(super) of: Vec<Option<&'a QueryReport>>,
}

impl Tag {
    fn new(key: &str, value: &str) -> Self {
        let whole = format!("{}={}", shorten(key, NAME), shorten_name(value, NAME));
        // Of a number or a yes nobody knows what it is about.
        let is_word = value.chars().any(char::is_alphabetic) && !matches!(value, "true" | "false");
        let short = if is_word { shorten_name(value, NAME) } else { whole.clone() };
        Self { whole, short }
    }
}

impl<'a> Queries<'a> {
    pub(super) fn from_report(report: &'a Report) -> Self {
        Self::at_most(report, QUERIES)
    }

    fn at_most(report: &'a Report, limit: usize) -> Self {
        let sides = sides(report);
        let keys: Vec<&str> = segment_keys(&measured(report)).into_iter().map(|key| key.key).collect();
        let mut of: BTreeMap<&str, Vec<Option<&QueryReport>>> = BTreeMap::new();
        for (index, side) in sides.iter().enumerate() {
            for query in &side.measured.queries {
                if side.blessed.is_none() || side.blessed(query).is_some() {
                    let entry = of.entry(&query.id).or_insert_with(|| vec![None; sides.len()]);
                    entry[index] = Some(query);
                }
            }
        }
        let tags = |query: &QueryReport| {
            let of_key = |key: &&str| {
                let values = collection::segments(&query.metadata, key);
                let tag = |value: String| Tag::new(key, &value);
                values.into_iter().map(tag).collect::<Vec<_>>()
            };
            keys.iter().flat_map(of_key).collect()
        };
        let row = |(id, of): (&'a str, Vec<Option<&'a QueryReport>>)| {
            let query = of.iter().flatten().next()?;
            Some(Row { id, text: &query.text, tags: tags(query), of: of.clone() })
        };
        let rows: Vec<Row<'a>> = of.into_iter().filter_map(row).collect();
        let metrics = shown_metrics(report, &sides);
        let (chosen, metric) = chosen(report, &sides, &metrics);
        let mut queries = Self {
            chosen,
            metric: metric.as_deref().and_then(|name| place(&metrics, name)).unwrap_or(0),
            elsewhere: {
                let is_shown = |name: &&String| metrics.contains(&name.as_str());
                let names = report.metrics.iter().filter(|name| is_elsewhere(name) && !is_shown(name));
                names.map(|name| shorten(name, NAME)).collect()
            },
            polarities: metrics.iter().map(|metric| polarity::of_report(report, metric)).collect(),
            metrics,
            sides,
            rows,
            titles: &report.titles,
            hidden: 0,
            places: HashMap::new(),
        };
        queries.limit(limit);
        queries.places = queries.rows.iter().enumerate().map(|(place, row)| (row.id, place)).collect();
        queries
    }

    /// Keeps the queries that changed most, and of the others those that score lowest.
    fn limit(&mut self, limit: usize) {
        self.hidden = self.rows.len().saturating_sub(limit);
        if self.hidden == 0 {
            return;
        }
        let of = |row: &Row<'_>| {
            let [before, after] = self.chosen.map(|side| self.score(row, side, self.metric));
            let change = before.zip(after).map_or(0.0, |(before, after)| (after - before).abs());
            (if change > ROUNDING { change } else { 0.0 }, after.unwrap_or(0.0))
        };
        let mut ranked: Vec<(usize, (f64, f64))> = self.rows.iter().map(of).enumerate().collect();
        order::sort_by(&mut ranked, |(_, a), (_, b)| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
        let mut is_kept = vec![false; self.rows.len()];
        ranked.iter().take(limit).for_each(|(place, _)| is_kept[*place] = true);
        let mut is_kept = is_kept.into_iter();
        self.rows.retain(|_| is_kept.next().unwrap_or_default());
    }

    /// The place in the page where a query's row stands; `None` if the page does not hold it.
    pub(super) fn link(&self, id: &str) -> Option<String> {
        self.places.get(id).map(|place| format!("#q-{place}"))
    }

    /// What a link to a query is to be seen by: the places of a metric, of the side that is compared with, and of the one that
    /// is compared. Where nothing is compared, as of a limit without golden, both are the one.
    pub(super) fn view(&self, about: &About) -> Option<String> {
        let alone = || {
            let own = |side: &Side<'_>| side.configuration == about.candidate && side.blessed.is_none();
            self.sides.iter().position(own).map(|place| [place, place])
        };
        let [from, to] = places(&self.sides, &about.candidate, &about.baseline).or_else(alone)?;
        let metric = about.metric.as_deref().and_then(|name| place(&self.metrics, name));
        Some(format!("{},{from},{to}", metric.unwrap_or(self.metric)))
    }

    pub(super) fn score(&self, row: &Row<'_>, side: usize, metric: usize) -> Option<f64> {
        let query = (*row.of.get(side)?)?;
        self.sides.get(side)?.score(query, self.metrics.get(metric)?)
    }

    /// The sides of today, if each has a column whatever is compared.
    pub(super) fn today(&self) -> Vec<usize> {
        let today = self.sides.iter().enumerate().filter(|(_, side)| side.blessed.is_none());
        let today: Vec<usize> = today.map(|(place, _)| place).collect();
        if today.len() > COLUMNS { Vec::new() } else { today }
    }

    /// Columns before those of today, for what is compared and has none: two, or as many as there are such sides.
    pub(super) fn others(&self) -> usize {
        (self.sides.len() - self.today().len()).min(2)
    }

    /// The side of each column; a column without one is not shown.
    fn columns(&self) -> Vec<Option<usize>> {
        let today = self.today();
        let mut others: Vec<usize> = self.chosen.into_iter().filter(|side| !today.contains(side)).collect();
        others.dedup();
        let none = self.others() - others.len().min(self.others());
        others.into_iter().map(Some).chain(vec![None; none]).chain(today.into_iter().map(Some)).collect()
    }

    /// The data behind the table, as JSON.
    pub(super) fn data(&self) -> String {
        rankings::data(self)
    }

    pub(super) fn table(&self) -> Element {
        if self.rows.is_empty() || self.metrics.is_empty() {
            return fragment();
        }
        let mut section = fragment();
        if self.hidden > 0 {
            section = section.child(note(&format!(
                "The {} queries that changed most, or else score lowest; {} more are in the JSON report.",
                count(self.rows.len()),
                count(self.hidden)
            )));
        }
        let elsewhere: Vec<&str> = self.elsewhere.iter().map(String::as_str).collect();
        if !elsewhere.is_empty() {
            section = section.child(note(&format!(
                "Not in this table: queries without an answer, which {} alone {} on. The gates name those that were answered.",
                elsewhere.join(" and "),
                agree(elsewhere.len(), "is measured", "are measured")
            )));
        }
        let body =
            el("tbody").children(self.rows.iter().enumerate().map(|(place, row)| self.row(place, row)));
        let table = el("table").attr("id", "query-table").child(self.head()).child(body);
        section.child(self.controls()).child(self.caption()).child(scrolling("Queries", table))
    }

    fn head(&self) -> Element {
        let mut titles = vec![("query".to_owned(), false), ("text".to_owned(), false)];
        if self.has_tags() {
            titles.push(("segments".to_owned(), false));
        }
        let name =
            |side: Option<usize>| side.and_then(|side| self.sides.get(side)).map(|side| side.name(NAME));
        titles.extend(self.columns().into_iter().map(|side| (name(side).unwrap_or_default(), true)));
        titles.push(("difference".to_owned(), true));
        let titles = titles.into_iter().map(|(title, is_number)| {
            let cell = el("th").attr("scope", "col").attr("aria-sort", "none");
            let button = el("button").attr("type", "button").class("sort data").text(&title);
            let cell = if is_number { cell.class("number").child(button) } else { cell.child(button) };
            if title.is_empty() { cell.flag("hidden") } else { cell }
        });
        el("thead").child(el("tr").children(titles))
    }

    fn has_tags(&self) -> bool {
        self.rows.iter().any(|row| !row.tags.is_empty())
    }

    fn row(&self, place: usize, row: &Row<'_>) -> Element {
        let id = shorten_name(row.id, NAME);
        let class = if id.chars().count() > ID { "open long data" } else { "open data" };
        let open = el("button").attr("type", "button").class(class).attr("aria-expanded", "false");
        let title = el("th").attr("scope", "row").child(open.text(&id));
        let text = el("td").class("text data").text(&shorten(row.text, CELL * 2));
        let mut line = el("tr").attr("id", &format!("q-{place}")).child(title).child(text);
        if self.has_tags() {
            let tag = |tag: &Tag| el("span").class("tag data").attr("title", &tag.whole).text(&tag.short);
            let tags = row.tags.iter().map(tag);
            line = line.child(el("td").class("tags").children(tags));
        }
        let score = |side: usize| self.score(row, side, self.metric);
        let metric = self.metrics.get(self.metric).copied().unwrap_or_default();
        let decimals = if is_count(metric) { 0 } else { DECIMALS };
        let shown =
            |score: Option<f64>| score.map_or("\u{2013}".to_owned(), |score| minus(&fixed(score, decimals)));
        let cells = self.columns().into_iter().map(|side| {
            let Some(side) = side else { return number("").flag("hidden") };
            let name = self.sides.get(side).map_or(String::new(), |side| side.name(NAME));
            number(&shown(score(side))).attr("data-label", &name)
        });
        let [before, after] = self.chosen.map(score);
        let difference = before.zip(after).map(|(before, after)| after - before);
        let words = match difference {
            Some(difference) if difference.abs() > ROUNDING => minus(&signed(difference, decimals)),
            _ => String::new(),
        };
        line.children(cells).child(number(&words).attr("data-label", "difference"))
    }

    /// What the script filters by; shown only where it runs.
    fn controls(&self) -> Element {
        let option = |value: usize, text: &str, is_chosen: bool| {
            let option = el("option").attr("value", &value.to_string()).text(text);
            if is_chosen { option.flag("selected") } else { option }
        };
        let labelled =
            |label: &str, control: Element| el("label").child(el("span").text(label)).child(control);
        let search = el("input").attr("type", "search").attr("id", "filter-text");
        let search = search.attr("placeholder", "id or text").attr("autocomplete", "off");
        let metrics = self.metrics.iter().enumerate();
        let metrics =
            metrics.map(|(index, metric)| option(index, &shorten(metric, NAME), index == self.metric));
        let sides = |chosen: usize| {
            let sides = self.sides.iter().enumerate();
            let options = sides
                .map(|(index, side)| option(index, &side.name(NAME), index == chosen))
                .collect::<Vec<_>>();
            el("select").children(options)
        };
        let mut controls =
            el("div").class("controls needs-script").attr("role", "search").child(labelled("Search", search));
        if self.has_tags() {
            let all = el("option").attr("value", "").text("all");
            let tags = self.tags().into_iter().enumerate().map(|(index, tag)| option(index, tag, false));
            let select = el("select").attr("id", "filter-segment").child(all).children(tags);
            controls = controls.child(labelled("Segment", select));
        }
        let [baseline, candidate] = self.chosen;
        let changed = el("input").attr("type", "checkbox").attr("id", "filter-changed");
        controls
            .child(labelled("Metric", el("select").attr("id", "metric").children(metrics)))
            .child(labelled("From", sides(baseline).attr("id", "side-from")))
            .child(labelled("To", sides(candidate).attr("id", "side-to")))
            .child(el("label").class("check").child(changed).child(el("span").text("changed only")))
    }

    /// How many queries are shown, which the script keeps up to date, and what the last column is.
    fn caption(&self) -> Element {
        let all = super::super::number::queries(self.rows.len());
        let mut said = el("p").attr("id", "shown").attr("role", "status").class("note");
        said = said.child(el("span").text(&all));
        let [baseline, candidate] = self.chosen.map(|side| self.sides.get(side).map(|side| side.name(NAME)));
        if let (Some(baseline), Some(candidate)) = (baseline, candidate) {
            let difference = format!("; difference: {candidate} minus {baseline}");
            said = said.child(el("span").class("data").text(&difference));
        }
        said
    }

    /// Every segment that a query is in, in order.
    pub(super) fn tags(&self) -> Vec<&str> {
        let mut tags: Vec<&str> =
            self.rows.iter().flat_map(|row| &row.tags).map(|tag| tag.whole.as_str()).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }
}

/// Where a metric stands.
fn place(metrics: &[&str], name: &str) -> Option<usize> {
    metrics.iter().position(|metric| *metric == name)
}

/// The two sides that a reader most probably wants to see, and on which metric: those of the comparison that failed by most;
/// else those of the first gate that did not pass and whose sides differ there, else of the first that did not, else of the
/// first comparison; without any, golden and today, or the first two.
fn chosen(report: &Report, sides: &[Side<'_>], metrics: &[&str]) -> ([usize; 2], Option<String>) {
    let of = |gate: &GateReport| -> Option<([usize; 2], Option<String>)> {
        let About { candidate, baseline, metric } = about(gate);
        Some((places(sides, &candidate, &baseline)?, metric))
    };
    let differ = |(pair, metric): &([usize; 2], Option<String>)| {
        let [before, after] = pair.map(|place| sides[place]);
        let metric = metric.as_deref().and_then(|name| place(metrics, name)).unwrap_or(0);
        let Some(metric) = metrics.get(metric) else { return false };
        before.measured.queries.iter().any(|query| {
            let other = after.query(&query.id).and_then(|query| after.score(query, metric));
            let change = before.score(query, metric).zip(other).map(|(before, after)| after - before);
            change.is_some_and(|change| change.abs() > ROUNDING)
        })
    };
    let failed = || report.gates.iter().filter(|gate| !gate.verdict.is_ok()).filter_map(of);
    let compared = || compared(report).into_iter().find_map(|(gate, _)| of(gate));
    let worst = || worst(report).into_iter().filter_map(of).find(differ);
    let shown = worst().or_else(|| failed().find(differ)).or_else(|| failed().next());
    shown.or_else(compared).unwrap_or(match sides {
        [_, second, ..] if second.blessed.is_some() => ([1, 0], None),
        [_, _, ..] => ([0, 1], None),
        _ => ([0, 0], None),
    })
}

/// The comparisons that failed, largest loss first, and then those that are open.
fn worst(report: &Report) -> Vec<&GateReport> {
    let mut open: Vec<(&GateReport, &ComparisonFinding)> = compared(report);
    open.retain(|(gate, _)| !gate.verdict.is_ok());
    order::sort_by(&mut open, |(a, of_a), (b, of_b)| {
        let failed = |gate: &GateReport| gate.verdict == Verdict::Failed;
        failed(b).cmp(&failed(a)).then(gain(of_a).total_cmp(&gain(of_b)))
    });
    open.into_iter().map(|(gate, _)| gate).collect()
}

/// The difference of a comparison, more of it being better.
fn gain(finding: &ComparisonFinding) -> f64 {
    match polarity::of_finding(finding) {
        Polarity::LessIsBetter => -finding.difference,
        Polarity::MoreIsBetter | Polarity::Unknown => finding.difference,
    }
}

/// An id of a query or document as the script shows it.
pub(super) fn shown(id: &str) -> String {
    clean(&shorten_name(id, CELL))
}
