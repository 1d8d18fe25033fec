//! Differences between configurations, and the queries behind them.

use crate::metric::Polarity;
use crate::model::{ComparisonFinding, Conclusion, GateReport, Report};

use super::super::clean::{shorten, shorten_name};
use super::super::markup::{Element, el, fragment};
use super::super::message::About;
use super::super::number::{count, p_number, percent, signed};
use super::super::page::{Role, Table, Text};
use super::super::painter::html::stacked;
use super::super::phrases::measure;
use super::super::side::{Side, compared, pair, sides};
use super::super::verdict::word;
use super::super::{phrases, plot, polarity};
use super::queries::Queries;
use super::{CELL, NAME, figure, note};

pub(super) fn comparisons(report: &Report, queries: &Queries<'_>) -> Element {
    let compared = compared(report);
    if compared.is_empty() {
        return fragment();
    }
    let mut legend = format!(
        "Mean difference per query with its {} interval{}.",
        percent(report.confidence),
        phrases::over_groups(report)
    );
    if compared.iter().any(|(_, finding)| finding.conclusion.is_none()) {
        legend +=
            " Shaded: where the gate wants the difference; dashed: its tolerance, margin or smallest gain.";
    }
    let mut section = fragment();
    for (metric, wide, narrow) in plot::forests(report) {
        if let Some(metric) = metric {
            section = section.child(el("h3").class("data").text(&shorten(&metric, NAME)));
        }
        section = section
            .child(el("div").class("wide").child(figure(wide, fragment())))
            .child(el("div").class("narrow").child(figure(narrow, fragment())));
    }
    section = section.child(note(&legend)).child(stacked("Comparisons", &table(&compared)));
    section = section.child(note(
        "Intervals are not adjusted. p is two-sided, against the margin where one decides, else against no \
         difference and adjusted for the gate's family; detectable is the smallest \
         difference that so many queries would show with power 0.8.",
    ));
    let sides = sides(report);
    let figures: Vec<Element> =
        compared.iter().filter_map(|(_, finding)| changed(finding, &sides, queries)).collect();
    if figures.is_empty() {
        return section;
    }
    let hint = "A bar for each query that scores differently, what lost most first. Each leads to the query's \
                rankings below.";
    section
        .child(el("h3").text("Queries behind the differences"))
        .child(note(hint))
        .child(el("div").class("plots").children(figures))
}

/// What the word for a verdict is; of what is reported without being expected, whether it is better.
fn role(gate: &GateReport, finding: &ComparisonFinding) -> Role {
    match finding.conclusion {
        Some(Conclusion::Better) => Role::Gain,
        Some(Conclusion::Worse) => Role::Loss,
        Some(Conclusion::Higher | Conclusion::Lower) => {
            polarity::role(Polarity::of_name(&finding.metric), finding.difference)
        }
        Some(Conclusion::NotShown | Conclusion::Identical) | None => Role::Verdict(gate.verdict),
    }
}

/// What a figure of one comparison is about.
fn heading(finding: &ComparisonFinding) -> Element {
    let [candidate, baseline] = [&finding.candidate, &finding.baseline].map(|name| shorten_name(name, NAME));
    let title = el("strong").class("data").text(&format!("{candidate} vs {baseline}"));
    let measured = measure(&finding.metric, finding.segment.as_ref());
    el("p").class("heading").child(title).text(&format!(" {measured}"))
}

fn changed(finding: &ComparisonFinding, sides: &[Side<'_>], queries: &Queries<'_>) -> Option<Element> {
    let pair = pair(sides, finding)?;
    let drawn = plot::differences(pair, finding, |id| queries.link(id))?;
    // The script says here which query a bar under the pointer, or with the focus, stands for.
    let readout = el("p").class("readout").attr("aria-hidden", "true").text("\u{a0}");
    let figure = figure(drawn.picture, fragment().child(readout).child(note(&drawn.note)));
    let about = About {
        candidate: finding.candidate.clone(),
        baseline: finding.baseline.clone(),
        metric: Some(finding.metric.clone()),
    };
    let change = el("div").class("change");
    let change = match queries.view(&about) {
        Some(view) => change.attr("data-view", &view),
        None => change,
    };
    Some(change.child(heading(finding)).child(figure))
}

fn table(compared: &[(&GateReport, &ComparisonFinding)]) -> Table {
    let left = ["candidate", "baseline", "metric", "expected", "verdict"];
    // A comparison takes more for better; of what is wanted low, or of what nobody knows, the rise has its own name.
    let rises = |(_, finding): &(&GateReport, &ComparisonFinding)| {
        polarity::of_finding(*finding) == Polarity::MoreIsBetter
    };
    let [up, down] = if compared.iter().all(rises) { ["better", "worse"] } else { ["higher", "lower"] };
    let right = ["difference", "interval", "p", up, "same", down, "detectable"];
    let mut table = Table::headed(left.into_iter().chain(right)).right(5..12);
    let none = || "\u{2013}".to_owned();
    for (gate, finding) in compared {
        let name = |text: &str| Text::from(shorten_name(text, CELL));
        let expected = match (finding.expect, finding.limit) {
            (Some(expect), Some(limit)) => format!("{expect} {limit}"),
            (Some(expect), None) => expect.to_string(),
            (None, _) => "nothing".to_owned(),
        };
        let said = finding.conclusion.map_or(word(gate.verdict).to_owned(), |said| said.to_string());
        let detectable = finding.minimum_detectable_effect;
        let detectable = detectable.map(|effect| signed(effect, 3).replacen('+', "\u{b1}", 1));
        let numbers = [
            phrases::difference(finding, 4).to_string(),
            phrases::limits(finding, 3).unwrap_or_else(none),
            p_number(finding.p()),
            count(finding.wins),
            count(finding.ties),
            count(finding.losses),
            detectable.unwrap_or_else(none),
        ];
        let texts = [
            name(&finding.candidate),
            name(&finding.baseline),
            name(&measure(&finding.metric, finding.segment.as_ref())),
            name(&expected),
            Text::with_role(role(gate, finding), said),
        ];
        table.row(texts.into_iter().chain(numbers.map(Text::from)));
    }
    table
}
