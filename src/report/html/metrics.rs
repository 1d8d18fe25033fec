//! Metrics of the configurations, what else is known of those, and metrics over the cutoff.

use crate::benchmark::model::{MetricReport, Report};

use super::super::clean::{shorten, shorten_name};
use super::super::lookup::{Column, highest, metric, metric_names};
use super::super::markup::{Element, el, fragment};
use super::super::number::{DECIMALS, interval, percent, score, signed};
use super::super::typography::minus;
use super::super::{phrases, plot};
use super::{CELL, NAME, NOTE, figure, head, labelled, note, number, scrolling};

/// Configurations up to which an interval stands beside its value, and not below it.
const BESIDE: usize = 4;

pub(super) fn metrics(report: &Report, columns: &[Column<'_>]) -> Element {
    let names = metric_names(columns);
    let mut section = fragment();
    if !names.is_empty() {
        section = section.child(table(report, columns, &names)).child(legend(report, columns));
    }
    if !columns.is_empty() {
        section = section.child(el("h3").text("Configurations")).child(configurations(columns));
    }
    if let Some(depth) = phrases::depth(report) {
        section = section.child(note(&format!("{depth}.")));
    }
    let notes = report.configurations.iter().flat_map(|configuration| {
        let name = shorten_name(&configuration.name, NAME);
        phrases::notes(&configuration.outcome).into_iter().map(move |note| {
            let text = format!(" {}", shorten(&note.to_string(), NOTE));
            el("li").class("data").child(el("strong").text(&name)).text(&text)
        })
    });
    let notes: Vec<Element> = notes.collect();
    if notes.is_empty() { section } else { section.child(el("ul").class("notes").children(notes)) }
}

fn table(report: &Report, columns: &[Column<'_>], names: &[&str]) -> Element {
    let configurations: Vec<String> =
        columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, NAME)).collect();
    let mut titles = vec!["metric"];
    titles.extend(configurations.iter().map(String::as_str));
    let rows: Vec<Element> = names
        .iter()
        .map(|name| {
            let own: Vec<Option<&MetricReport>> =
                columns.iter().map(|(_, measured)| metric(&measured.metrics, name)).collect();
            let best = highest(name, own.iter().flatten().map(|metric| metric.value));
            let cells = own.iter().map(|metric| match metric {
                Some(metric) => cell(metric, best == Some(metric.value)),
                None => number("\u{2013}"),
            });
            let title = el("th")
                .attr("scope", "row")
                .class("data")
                .text(&shorten(&phrases::label(report, name), NAME));
            // Those that say how much was judged are not of the spec's choosing.
            let row =
                if report.metrics.iter().any(|one| one == name) { el("tr") } else { el("tr").class("extra") };
            row.child(title).children(labelled(&titles, cells.collect::<Vec<_>>()))
        })
        .collect();
    let class = if columns.len() > BESIDE { "stacked metrics many" } else { "stacked metrics" };
    let table = el("table").class(class).child(head(&titles, 1..usize::MAX));
    scrolling("Metrics of the configurations", table.child(el("tbody").children(rows)))
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
        cell = cell.text(" ").child(el("small").text(&minus(&interval(limits, 3))));
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
    let mut notes = vec![format!("In brackets: {} intervals of the mean.", percent(report.confidence))];
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

fn configurations(columns: &[Column<'_>]) -> Element {
    let rows = columns.iter().map(|(configuration, measured)| {
        let name = el("th").attr("scope", "row").class("data").text(&shorten_name(&configuration.name, NAME));
        let source = el("td").class("data").text(&shorten(&configuration.source, CELL));
        let numbers = phrases::of_configuration(configuration, measured);
        let cells = [source].into_iter().chain(numbers.iter().map(|text| number(text)));
        el("tr").child(name).children(labelled(&phrases::CONFIGURATION, cells.collect::<Vec<_>>()))
    });
    let table = el("table")
        .class("stacked")
        .child(head(&phrases::CONFIGURATION, 2..usize::MAX))
        .child(el("tbody").children(rows));
    scrolling("Configurations", table)
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
