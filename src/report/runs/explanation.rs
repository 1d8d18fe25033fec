//! One query for the terminal.

use crate::offline::{Explanation, Placed};
use crate::report::clean::{clean, hang, shorten, shorten_name, wrap};
use crate::report::number::{DECIMALS, counted, score, signed};
use crate::report::table::Table;

use super::{NAME, Part, Style, WIDTH, painted};

/// Characters of a document's id.
const DOCUMENT: usize = 22;
/// Relevant documents that are listed; the JSON form has all of them.
const MISSING: usize = 20;

/// A query, its scores, both rankings side by side, the relevant documents that neither has at the top, and
/// the best ranking there could be.
#[must_use]
pub fn explanation(one: &Explanation) -> String {
    explanation_styled(one, Style::Plain)
}

/// The same in a style: [`Style::Colour`] for a terminal.
#[must_use]
pub fn explanation_styled(one: &Explanation, style: Style) -> String {
    let sections = vec![
        (Part::Prose, head(one)),
        // A heading, and rows with a difference.
        (Part::Message, scores(one)),
        (Part::Table, rankings(one)),
        (Part::Prose, missing(one)),
        (Part::Prose, ideal(one)),
        (Part::Prose, titles(one)),
    ];
    painted(sections, style)
}

fn head(one: &Explanation) -> Vec<String> {
    let mut lines = hang(&format!("query {}: ", shorten_name(&one.query, NAME * 2)), &one.text, WIDTH, 6);
    if lines.is_empty() {
        lines.push(format!("query {}", shorten_name(&one.query, NAME * 2)));
    }
    let judged = counted(one.judged, "judged document", "judged documents");
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, NAME));
    lines.extend(wrap(
        &format!(
            "{judged}, {} relevant (grade {} or more); {baseline} returned {}, {candidate} {}, with {} of \
             the first {} in common",
            one.relevant,
            one.relevant_from,
            one.baseline_retrieved,
            one.candidate_retrieved,
            one.common,
            one.depth,
        ),
        WIDTH,
        usize::MAX,
    ));
    lines
}

fn scores(one: &Explanation) -> Vec<String> {
    let mut table = Table::right([1, 2, 3, 4]);
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, NAME));
    table.row(["metric", &baseline, &candidate, "diff", "ideal"]);
    for metric in &one.metrics {
        let name = &metric.metric;
        table.row([
            clean(name),
            score(name, metric.baseline),
            score(name, metric.candidate),
            signed(metric.difference, DECIMALS),
            score(name, metric.ideal),
        ]);
    }
    if one.metrics.is_empty() { Vec::new() } else { table.lines() }
}

fn rankings(one: &Explanation) -> Vec<String> {
    let mut table = Table::right([0, 1, 4]);
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, DOCUMENT));
    table.row(["rank", "grade", &baseline, "now", "grade", &candidate, "was"]);
    for row in &one.rows {
        let cells = |side: &Option<Placed>| match side {
            None => Default::default(),
            Some(placed) => [
                grade(placed.grade),
                shorten_name(&placed.document, DOCUMENT),
                elsewhere(placed.other_rank, row.rank),
            ],
        };
        let [before, after] = [cells(&row.baseline), cells(&row.candidate)];
        table.row(std::iter::once(row.rank.to_string()).chain(before).chain(after));
    }
    if one.rows.is_empty() { vec!["neither returned a document".to_owned()] } else { table.lines() }
}

/// `-` where nobody judged it, or put it in the pool only.
fn grade(grade: Option<i32>) -> String {
    grade.filter(|grade| *grade >= 0).map_or("-".to_owned(), |grade| grade.to_string())
}

/// Where the other run has it; `=` at the same rank.
fn elsewhere(rank: Option<usize>, here: usize) -> String {
    match rank {
        Some(rank) if rank == here => "=".to_owned(),
        Some(rank) => rank.to_string(),
        None => "none".to_owned(),
    }
}

fn missing(one: &Explanation) -> Vec<String> {
    if one.missing.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("relevant, and in neither's first {}:", one.depth)];
    let mut table = Table::right([0, 2, 3]);
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, DOCUMENT));
    table.row(["grade", "document", &baseline, &candidate]);
    let rank = |rank: Option<usize>| rank.map_or("not returned".to_owned(), |rank| format!("rank {rank}"));
    for moved in one.missing.iter().take(MISSING) {
        let document = shorten_name(&moved.document, DOCUMENT);
        table.row([grade(moved.grade), document, rank(moved.from), rank(moved.to)]);
    }
    lines.extend(table.lines().iter().map(|line| format!("  {line}")));
    if let more @ 1.. = one.missing.len().saturating_sub(MISSING) {
        lines.push(format!("  and {more} more"));
    }
    lines
}

fn ideal(one: &Explanation) -> Vec<String> {
    let documents: Vec<String> = one
        .ideal
        .iter()
        .map(|judged| format!("{} ({})", shorten_name(&judged.document, DOCUMENT), judged.grade))
        .collect();
    hang("ideal (grade): ", &documents.join(", "), WIDTH, 6)
}

fn titles(one: &Explanation) -> Vec<String> {
    let mut table = Table::default();
    for (document, title) in &one.titles {
        let id = shorten_name(document, DOCUMENT);
        let room = WIDTH - DOCUMENT.min(id.chars().count()) - 4;
        table.row([id, shorten(title, room.min(WIDTH - DOCUMENT - 4))]);
    }
    table.lines()
}
