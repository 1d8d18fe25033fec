//! Many candidates beside one baseline: a line each, best first.

use std::cmp::Ordering;

use crate::offline::model::{ComparisonFinding, Verdict};
use crate::offline::{Comparisons, Conclusion};
use rankgate_report::report::internal::clean::{clean, shorten_name};
use rankgate_report::report::internal::number::{count, counted, fixed, interval, p_number, percent, signed};
use rankgate_report::report::internal::page::{Block, Kind, Section, Table};
use rankgate_report::report::internal::painter;
use rankgate_report::report::internal::verdict;

use super::csv::verdict_of;
use super::details::{digits, rests_on, warning_blocks};
use super::{NAME, is_best_low, labels};

/// Warnings that are shown.
const WARNINGS: usize = 5;

/// A table for each of the first `metrics` comparisons' metrics, what warnings there are, and, unless details
/// follow that say it, what all that rests on.
pub(super) fn overview(all: &Comparisons, metrics: usize, width: usize, alone: bool) -> Vec<Section> {
    let of_metric = |metric: usize| {
        let of_metric = all.comparisons.iter().enumerate().skip(metric).step_by(metrics);
        let row = |(index, compared)| Row { compared, verdict: verdict_of(all, index) };
        let rows: Vec<Row<'_>> = of_metric.map(row).collect();
        Section::headed(head(&rows, all)).kind(Kind::Title).part([Block::Table(table(&rows, all, width))])
    };
    let mut sections: Vec<Section> = (0..metrics).map(of_metric).collect();
    let candidates = all.comparisons.len() / metrics.max(1);
    let about = |names: &[&str]| match names {
        names if names.len() == candidates => None,
        [one] => Some(shorten_name(one, NAME * 2)),
        names => Some(format!("{} of {candidates} candidates", count(names.len()))),
    };
    let warnings = all.comparisons.iter().map(|one| (all.short(&one.candidate), &one.warnings[..]));
    let mut told = warning_blocks(warnings, about);
    if let more @ 1.. = told.len().saturating_sub(WARNINGS) {
        told.truncate(WARNINGS);
        let more = counted(more, "more warning stands", "more warnings stand");
        told.push(Block::line(format!("{more} with the details of the candidates")));
    }
    sections.push(Section::from_blocks(told));
    let baseline = all.comparisons.first().map(|one| shorten_name(all.short(&one.baseline), NAME * 2));
    let mut text = if alone { rests_on(all) + " " } else { String::new() };
    text += &format!(
        "W/L: queries won and lost. Candidates are tested against {}, not against each other.",
        baseline.unwrap_or_default()
    );
    sections.push(Section::from_blocks([Block::paragraph(text)]));
    sections
}

struct Row<'a> {
    compared: &'a ComparisonFinding,
    verdict: Option<Verdict>,
}

/// `nDCG@10, 30 candidates against bm25.run: 17 better, 10 worse, 3 no significant difference`
fn head(rows: &[Row<'_>], all: &Comparisons) -> String {
    let of = |conclusion| rows.iter().filter(|row| row.compared.conclusion == Some(conclusion)).count();
    let counts = [
        (Conclusion::Better, "better"),
        (Conclusion::Worse, "worse"),
        (Conclusion::Higher, "higher"),
        (Conclusion::Lower, "lower"),
        (Conclusion::NotSignificant, "not significant"),
        (Conclusion::Identical, "identical"),
    ];
    let counts = counts.map(|(conclusion, said)| (of(conclusion), said));
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, said)| format!("{} {said}", count(*number)))
        .collect();
    let Some(Row { compared: first, .. }) = rows.first() else { return String::new() };
    let baseline = shorten_name(all.short(&first.baseline), NAME);
    format!(
        "{}, {} candidates against {baseline}: {}",
        clean(&first.metric),
        count(rows.len()),
        counts.join(", ")
    )
}

/// The candidates by their means, and the baseline where its own stands among them.
fn table(rows: &[Row<'_>], all: &Comparisons, width: usize) -> Table {
    let mut order: Vec<&Row<'_>> = rows.iter().collect();
    let descending = |a: f64, b: f64| b.partial_cmp(&a).unwrap_or(Ordering::Equal);
    let is_low = rows.first().is_some_and(|row| is_best_low(&row.compared.metric));
    let gain = |row: &Row<'_>| if is_low { -row.compared.difference } else { row.compared.difference };
    order.sort_by(|a, b| descending(gain(a), gain(b)));
    let limits = format!("{} CI", percent(all.confidence));
    let header = ["", "mean", "diff", &limits, "p adj.", "W/L", "verdict"];
    let mut table = Table::headed(header).right([1, 2, 4, 5]);
    let mut names = vec!["candidate"];
    let above = order.iter().take_while(|row| gain(row) > 0.0).count();
    for (place, row) in (0..).zip(order.iter().map(Some).chain([None])) {
        if place == above
            && let Some(Row { compared: one, .. }) = rows.first()
        {
            names.push(all.short(&one.baseline));
            let mean = fixed(one.baseline_mean, digits(one));
            table.row(["", &mean, "", "", "", "", "baseline"]);
        }
        let Some(Row { compared: one, verdict }) = row else { continue };
        names.push(all.short(&one.candidate));
        let digits = digits(one);
        table.row([
            String::new(),
            fixed(one.candidate_mean, digits),
            signed(one.difference, digits),
            one.interval.map_or("-".to_owned(), |limits| interval(limits, digits)),
            p_number(one.p_adjusted),
            format!("{}/{}", count(one.wins), count(one.losses)),
            match (verdict, one.conclusion) {
                (Some(one), _) => verdict::word(*one).to_owned(),
                (None, Some(said)) => said.to_string(),
                (None, None) => String::new(),
            },
        ]);
    }
    let names = labels(names.into_iter(), width.saturating_sub(painter::width(&table)));
    table.first(names);
    table
}
