//! Metrics by segment, coloured by how far each is from all queries.

use crate::metric::Polarity;
use crate::model::Report;
use crate::order;

use super::super::clean::{shorten, shorten_name};
use super::super::lookup::{Column, metric, segment, segment_keys, segment_metrics};
use super::super::markup::{Element, el, fragment};
use super::super::number::{count, is_count, score};
use super::super::page::Role;
use super::super::painter::html::scrolling;
use super::super::typography::minus;
use super::super::{phrases, polarity};
use super::{NAME, head, labelled, note, number};

/// Values of a key that are shown.
const VALUES: usize = 200;
/// From which distance on a cell has each of its colours.
const STEPS: [f64; 4] = [0.02, 0.05, 0.1, 0.2];

/// A table for each metric, the first one open: its segments down, configurations across.
pub(super) fn segments(report: &Report, columns: &[Column<'_>]) -> Element {
    let mut names: Vec<&str> = Vec::new();
    for key in segment_keys(columns) {
        for name in segment_metrics(columns, key.key) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() {
        return fragment();
    }
    // In the order of the spec, whatever the first segment was measured by.
    order::sort_by_key(&mut names, |name| {
        report.metrics.iter().position(|metric| metric == name).unwrap_or(usize::MAX)
    });
    let mut section = fragment().child(note(
        "Coloured by the distance from the same configuration over all queries: blue better, orange worse, grey where nothing \
         says which is better; strongest from 0.2 on.",
    ));
    for (index, name) in names.iter().enumerate() {
        let details = el("details").class("segment");
        let details = if index == 0 { details.flag("open") } else { details };
        let title = el("summary")
            .child(el("strong").class("data").text(&shorten(&phrases::label(report, name), NAME)));
        section = section
            .child(details.child(title).child(table((name, polarity::of_report(report, name)), columns)));
    }
    section
}

fn table((name, polarity): (&str, Polarity), columns: &[Column<'_>]) -> Element {
    let configurations: Vec<String> =
        columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, NAME)).collect();
    let mut titles = vec!["segment", "queries"];
    titles.extend(configurations.iter().map(String::as_str));
    let whole: Vec<Option<f64>> =
        columns.iter().map(|(_, measured)| Some(metric(&measured.metrics, name)?.value)).collect();
    let all =
        whole.iter().map(|value| number(&value.map_or(String::new(), |value| minus(&score(name, value)))));
    let mut rows = fragment().child(
        el("tr")
            .class("all")
            .child(el("th").attr("scope", "row").text("all queries"))
            .children(labelled(&titles, std::iter::once(number("")).chain(all).collect::<Vec<_>>())),
    );
    for key in segment_keys(columns) {
        for value in key.values.iter().take(VALUES) {
            let of = |column: &Column<'_>| segment(column.1, key.key, value).map(|one| one.queries);
            let queries = columns.iter().find_map(of);
            let cells = columns.iter().zip(&whole).map(|((_, measured), whole)| {
                let found = segment(measured, key.key, value).and_then(|one| metric(&one.metrics, name));
                let Some(found) = found else { return number("\u{2013}") };
                let heat = whole.map_or(String::new(), |whole| heat(name, polarity, found.value - whole));
                el("td").class(&format!("number {heat}")).text(&minus(&score(name, found.value)))
            });
            let label = format!("{}={}", shorten(key.key, NAME), shorten_name(value, NAME));
            rows = rows.child(
                el("tr").child(el("th").attr("scope", "row").class("data").text(&label)).children(labelled(
                    &titles,
                    std::iter::once(number(&queries.map_or(String::new(), count)))
                        .chain(cells)
                        .collect::<Vec<_>>(),
                )),
            );
        }
        if let more @ 1.. = key.values.len().saturating_sub(VALUES) {
            let words =
                format!("{} more values of {} are in the JSON report", count(more), shorten(key.key, NAME));
            rows = rows.child(el("tr").child(el("th").attr("scope", "row").text(&words)));
        }
    }
    let table =
        el("table").class("stacked heat").child(head(&titles, 1..usize::MAX)).child(el("tbody").child(rows));
    scrolling(&format!("{} by segment", shorten(name, NAME)), table)
}

/// The class of a cell that is so far from the value over all queries.
fn heat(metric: &str, polarity: Polarity, distance: f64) -> String {
    let steps = STEPS.iter().filter(|step| distance.abs() >= **step).count();
    if is_count(metric) || steps == 0 {
        return String::new();
    }
    let way = match polarity::role(polarity, distance) {
        Role::Gain => "better",
        Role::Loss => "worse",
        _ => "apart",
    };
    format!("{way}-{steps}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_says_how_far_a_segment_is_from_the_whole() {
        for (distance, class) in
            [(0.0, ""), (-0.019, ""), (-0.02, "worse-1"), (0.07, "better-2"), (-0.9, "worse-4")]
        {
            assert_eq!(heat("AP", Polarity::MoreIsBetter, distance), class);
        }
        assert_eq!(heat("FalseSilence", Polarity::LessIsBetter, 0.07), "worse-2");
        assert_eq!(heat("Share(leak)@5", Polarity::Unknown, 0.07), "apart-2");
        assert_eq!(heat("NumRelRet", Polarity::MoreIsBetter, -50.0), "");
    }
}
