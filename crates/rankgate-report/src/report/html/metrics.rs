//! Metrics of the configurations, what else is known of those, and metrics over the cutoff.

use crate::model::{MetricReport, Report};

use super::super::clean::{shorten, shorten_name};
use super::super::lookup::{Column, grid};
use super::super::markup::{Element, el, fragment};
use super::super::number::{DECIMALS, interval, percent, score, signed, table_interval};
use super::super::page::Text;
use super::super::painter::html;
use super::super::typography::minus;
use super::super::{phrases, plot};
use super::{CELL, NAME, NOTE, figure, head, labelled, note, number};

/// Configurations up to which an interval stands beside its value, and not below it.
const BESIDE: usize = 4;

pub(super) fn metrics(report: &Report, columns: &[Column<'_>]) -> Element {
    let mut section = fragment();
    if columns.iter().any(|(_, measured)| !measured.metrics.is_empty()) {
        section = section.child(table(report, columns)).child(legend(report, columns));
    }
    if let Some(table) = phrases::configurations(columns, NAME, CELL) {
        let title = el("h3").text("Configurations");
        section = section.child(title).child(html::stacked("Configurations", &table));
    }
    if let Some(depth) = phrases::depth(report) {
        section = section.child(html::note(&depth.and(".")));
    }
    let notes = phrases::all_notes(report, NAME).into_iter();
    let notes =
        notes.map(|(name, note)| Text::from(name).strong().and(" ").and(shorten(&in_a_line(&note), NOTE)));
    let notes: Vec<Text> = notes.collect();
    if notes.is_empty() { section } else { section.child(html::list(&notes)) }
}

/// A note whose own lines, such as what a program wrote, stand behind each other.
fn in_a_line(note: &Text) -> String {
    let note = note.to_string();
    let lines: Vec<&str> = note.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" \u{00b7} ")
}

fn table(report: &Report, columns: &[Column<'_>]) -> Element {
    let configurations: Vec<String> =
        columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, NAME)).collect();
    let mut titles = vec!["metric"];
    titles.extend(configurations.iter().map(String::as_str));
    let rows = grid(columns).into_iter().map(|(name, metrics)| {
        let cells = metrics.into_iter().map(|metric| match metric {
            Some((metric, is_best)) => cell(metric, is_best),
            None => number("\u{2013}"),
        });
        let title =
            el("th").attr("scope", "row").class("data").text(&shorten(&phrases::label(report, name), NAME));
        // Those that say how much was judged are not of the spec's choosing.
        let row =
            if report.metrics.iter().any(|one| one == name) { el("tr") } else { el("tr").class("extra") };
        row.child(title).children(labelled(&titles, cells.collect::<Vec<_>>()))
    });
    let class = if columns.len() > BESIDE { "stacked metrics many" } else { "stacked metrics" };
    let table = el("table").class(class).child(head(&titles, 1..usize::MAX));
    html::scrolling("Metrics of the configurations", table.child(el("tbody").children(rows)))
}

fn cell(metric: &MetricReport, is_best: bool) -> Element {
    let value = minus(&score(&metric.metric, metric.value));
    let value = if is_best {
        el("strong").child(el("span").class("best").attr("title", "highest").text("\u{2605}")).text(&value)
    } else {
        el("span").text(&value)
    };
    let mut cell = el("td").class(if is_best { "number is-best" } else { "number" }).child(value);
    if let Some(limits) = metric.interval {
        cell = cell.text(" ").child(el("small").text(&minus(&table_interval(limits))));
    }
    if let Some(golden) = metric.golden {
        let change = metric.value - golden;
        if change != 0.0 {
            let text = format!("{} from golden", minus(&signed(change, DECIMALS)));
            cell = cell.child(el("small").class("change").text(&text));
        }
    }
    if let Some(limits) = metric.spread {
        cell = cell.child(
            el("small").class("change").text(&format!("repeats {}", minus(&interval(limits, DECIMALS)))),
        );
    }
    cell
}

fn legend(report: &Report, columns: &[Column<'_>]) -> Element {
    let mut notes = vec![format!(
        "In brackets: {} intervals of the mean{}.",
        percent(report.confidence),
        phrases::over_groups(report)
    )];
    if columns.len() > 1 {
        notes.push("\u{2605} highest.".to_owned());
    }
    let of = || columns.iter().flat_map(|(_, measured)| &measured.metrics);
    if of().any(|metric| metric.golden.is_some()) {
        notes.push("What differs from golden says by how much.".to_owned());
    }
    for (why, names) in phrases::without_interval(columns) {
        notes.push(format!("No interval: {} ({}).", shorten(&names.join(", "), NOTE), shorten(&why, CELL)));
    }
    note(&notes.join(" "))
}

/// Configurations by variants of the queries.
pub(super) fn variants(report: &Report) -> Element {
    let table = super::super::variants::table(report, NAME);
    let said = super::super::variants::notes(report).map(|said| note(&shorten(&said, 2 * NOTE)));
    table.map_or_else(fragment, |table| fragment().child(html::stacked("Variants", &table)).children(said))
}

/// What the stages of pipelines allow.
pub(super) fn stages(report: &Report) -> Element {
    let table = super::super::stages::table(report, NAME);
    let said = super::super::stages::note(report).map(note);
    table.map_or_else(fragment, |table| fragment().child(html::stacked("Stages", &table)).children(said))
}

/// Metrics over the cutoff.
pub(super) fn curves(report: &Report) -> Element {
    let curves = plot::curves(report);
    if curves.is_empty() {
        return fragment();
    }
    let figures = curves.into_iter().map(|(_, picture)| figure(picture, fragment()));
    el("div").class("plots").children(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_wrote_stands_in_one_line() {
        let note = Text::from("ERRORED, not measured: hello\n  command: `false`\n\nstandard error: none\n");
        let said = in_a_line(&note);
        assert_eq!(
            said,
            "ERRORED, not measured: hello \u{00b7} command: `false` \u{00b7} standard error: none"
        );
    }
}
