//! One query for the terminal.

use crate::offline::{Explanation, RankedHit};
use rankgate_report::report::internal::clean::{clean, shorten, shorten_name};
use rankgate_report::report::internal::number::{DECIMALS, counted, score, signed};
use rankgate_report::report::internal::page::{Block, Kind, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};

use super::{NAME, WIDTH};

/// Characters of a document's id.
const DOCUMENT: usize = 22;
/// Relevant documents that are listed; the JSON form has all of them.
const MISSING: usize = 20;

/// A query, its scores, both rankings side by side, the relevant documents that neither has at the top, and
/// the best ranking there could be.
pub fn explanation_styled(one: &Explanation, style: Style) -> String {
    let sections = [head(one), scores(one), rankings(one), missing(one), ideal(one), titles(one)];
    painter::page(&sections, WIDTH, style)
}

fn head(one: &Explanation) -> Section {
    let name = format!("query {}", shorten_name(&one.query, NAME * 2));
    let query = match one.text.trim().is_empty() {
        true => Block::line(name),
        false => Block::hanging(name + ": ", &one.text, 6),
    };
    let judged = counted(one.judged, "judged document", "judged documents");
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, NAME));
    let found = format!(
        "{judged}, {} relevant (grade {} or more); {baseline} returned {}, {candidate} {}, with {} of the first {} \
         in common",
        one.relevant,
        one.relevant_from,
        one.baseline_retrieved,
        one.candidate_retrieved,
        one.common,
        one.depth,
    );
    Section::from_blocks([query, Block::paragraph(found)])
}

fn scores(one: &Explanation) -> Section {
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, NAME));
    let mut table = Table::headed(["metric", &baseline, &candidate, "diff", "ideal"]).right([1, 2, 3, 4]);
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
    Section::from_blocks((!table.is_empty()).then_some(Block::Table(table)))
}

fn rankings(one: &Explanation) -> Section {
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, DOCUMENT));
    let header = ["rank", "grade", &baseline, "now", "grade", &candidate, "was"];
    let mut table = Table::headed(header).right([0, 1, 4]);
    for row in &one.rows {
        let cells = |side: &Option<RankedHit>| match side {
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
    Section::from_blocks([if table.is_empty() {
        Block::line("neither returned a document")
    } else {
        Block::Table(table)
    }])
}

/// `-` where it is unjudged.
fn grade(grade: Option<i32>) -> String {
    grade.map_or("-".to_owned(), |grade| grade.to_string())
}

/// Where the other run has it; `=` at the same rank.
fn elsewhere(rank: Option<usize>, here: usize) -> String {
    match rank {
        Some(rank) if rank == here => "=".to_owned(),
        Some(rank) => rank.to_string(),
        None => "none".to_owned(),
    }
}

fn missing(one: &Explanation) -> Section {
    if one.missing.is_empty() {
        return Section::default();
    }
    let [baseline, candidate] = one.short.each_ref().map(|name| shorten_name(name, DOCUMENT));
    let mut table = Table::headed(["grade", "document", &baseline, &candidate]).right([0, 2, 3]);
    let rank = |rank: Option<usize>| rank.map_or("not returned".to_owned(), |rank| format!("rank {rank}"));
    for moved in one.missing.iter().take(MISSING) {
        let document = shorten_name(&moved.document, DOCUMENT);
        table.row([grade(moved.grade), document, rank(moved.from), rank(moved.to)]);
    }
    let more = one.missing.len().saturating_sub(MISSING);
    let more = (more > 0).then(|| Block::line(format!("and {more} more")));
    let heading = format!("relevant, and in neither's first {}:", one.depth);
    Section {
        kind: Kind::Nested,
        heading,
        ..Section::from_blocks(std::iter::once(Block::Table(table)).chain(more))
    }
}

fn ideal(one: &Explanation) -> Section {
    let of = |document: &str, grade| format!("{} ({grade})", shorten_name(document, DOCUMENT));
    let documents: Vec<String> = one.ideal.iter().map(|judged| of(&judged.document, judged.grade)).collect();
    Section::from_blocks([Block::hanging("ideal (grade): ", documents.join(", "), 6)])
}

fn titles(one: &Explanation) -> Section {
    let mut table = Table::default();
    for (document, title) in &one.titles {
        table.row([shorten_name(document, DOCUMENT), shorten(title, WIDTH - DOCUMENT - 4)]);
    }
    Section::from_blocks([Block::Table(table)])
}
