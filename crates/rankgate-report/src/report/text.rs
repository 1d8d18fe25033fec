//! The report for the terminal, in sections that Markdown shows as well.

use crate::model::{Report, Verdict};

use super::clean::{shorten, shorten_name};
use super::golden_files;
use super::lookup::{
    Best, Column, Key, gate_name, grid, measured, metric, segment, segment_keys, segment_metrics,
};
use super::message::{short, warnings, without_repetition};
use super::number::{DECIMALS, count, fixed, percent, score, signed, table_interval};
use super::page::{Block, Kind, Section, Table};
use super::painter::{self, Style};
use super::phrases;
use super::verdict::word;
use super::width::width as width_of;

/// Default columns of a terminal.
const WIDTH: usize = 80;
/// Characters of a configuration's name in a table.
const NAME: usize = 24;
/// Values of a segment that are shown; the JSON form has all of them.
const SEGMENTS: usize = 30;
/// Messages that are shown.
const MESSAGES: usize = 50;

/// The whole report at 80 columns, without colour: warnings, collection, configurations, metrics,
/// segments, gates, and the [`message`](super::message()) of each gate that did not pass.
///
/// Configurations that do not fit beside each other go into further tables.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let text = rankgate::report::text(&report);
/// assert!(text.contains("  FAILED  bm25::nDCG@10  0.5312 < 0.6000\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn text(report: &Report) -> String {
    text_styled(report, Style::Plain)
}

/// [`text`], coloured where `style` says so: the same characters, and no meaning by colour alone.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// use rankgate::report::{Style, text, text_styled};
///
/// assert_eq!(text_styled(&report, Style::Plain), text(&report));
/// assert!(text_styled(&report, Style::Colour).contains("\u{1b}[1;31mFAILED\u{1b}[0m"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn text_styled(report: &Report, style: Style) -> String {
    painter::page(&page(report), WIDTH, style)
}

fn page(report: &Report) -> Vec<Section> {
    let columns = measured(report);
    let mut sections = title(report);
    sections.extend(configurations(report, &columns));
    sections.extend(measurements(report, &columns));
    sections.push(gates(report, |_| true).part(warnings::beside_passed(report)));
    sections.extend(messages(report));
    sections.extend(golden_files::sections(report));
    sections
}

/// The verdicts, why the spec was not run, and warnings.
pub fn title(report: &Report) -> Vec<Section> {
    let partial = phrases::partial(report);
    let partial = partial.map(|partial| Block::paragraph(format!("{partial}: {}", phrases::PARTIAL)));
    let error =
        report.error.is_some().then(|| Block::preformatted(phrases::error(report).join("\n"), usize::MAX));
    let warnings = warnings::of_report(report);
    vec![
        phrases::title(report).part(partial),
        Section::from_blocks(error),
        Section::from_blocks(warnings.iter().map(|warning| Block::warning(warning, 9))),
    ]
}

/// What was asked, and how long it took.
pub fn configurations(report: &Report, columns: &[Column]) -> [Section; 2] {
    let collection = match &report.collection {
        Some(collection) => Some(phrases::collection(collection)),
        None if let Some(suite) = &report.suite => Some(super::suite::made_of(suite)),
        None if report.error.is_some() => None,
        None => Some("the collection could not be loaded".to_owned()),
    };
    let collection = collection.into_iter().chain(phrases::depth(report));
    let table = phrases::configurations(columns, NAME, NAME);
    let table = table.map(|table| Block::Table(table.in_parts(1)));
    let notes = phrases::all_notes(report, NAME);
    let notes = notes.into_iter().map(|(name, note)| Block::hanging(format!("{name}: "), note, 9));
    [Section::from_blocks(collection.map(Block::paragraph)), Section::from_blocks(table).part(notes)]
}

/// Metrics and segments.
pub fn measurements(report: &Report, columns: &[Column]) -> Vec<Section> {
    let mut sections = metrics(report, columns);
    sections.extend(super::suite::means(report, NAME));
    for key in segment_keys(columns) {
        sections.push(segments(report, &key, columns));
    }
    sections
}

/// The messages of gates that did not pass.
pub fn messages(report: &Report) -> Vec<Section> {
    let told = || report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed);
    let mut sections: Vec<Section> =
        told().take(MESSAGES).map(|gate| without_repetition(report, gate)).collect();
    if let more @ 1.. = told().count().saturating_sub(MESSAGES) {
        let text = format!("The messages of {more} more gates are in the JSON report.");
        sections.push(Section::from_blocks([Block::paragraph(text)]));
    }
    sections
}

/// A number in its column, whether it is the highest, and what stands behind it.
#[derive(Default)]
struct Cell {
    number: String,
    marked: bool,
    rest: String,
}

pub fn metrics(report: &Report, columns: &[Column]) -> Vec<Section> {
    let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
    for (name, own) in grid(report, columns) {
        let cells = |cell: &dyn Fn(Best) -> Option<Cell>| -> Option<Vec<Cell>> {
            let cells: Vec<Option<Cell>> = own.iter().map(|metric| metric.and_then(cell)).collect();
            let any = cells.iter().any(Option::is_some);
            any.then(|| cells.into_iter().map(Option::unwrap_or_default).collect())
        };
        let mean = |(metric, marked): Best| {
            let rest = metric.interval.map_or(String::new(), table_interval);
            let number = score(name, metric.value);
            Some(Cell { number, marked, rest })
        };
        let golden = |(metric, _): Best| {
            let number = signed(metric.value - metric.golden?, DECIMALS);
            Some(Cell { number, ..Cell::default() })
        };
        let spread = |(metric, _): Best| {
            let [low, high] = metric.spread?.map(|limit| fixed(limit, DECIMALS));
            Some(Cell { number: low, rest: format!("to {high}"), ..Cell::default() })
        };
        let label = shorten(&phrases::label(report, name), NAME);
        rows.extend(cells(&mean).map(|cells| (label, cells)));
        // That nothing changed is what is expected, and would double the table.
        let changed = |cells: &Vec<Cell>| cells.iter().any(|cell| goes(&cell.number));
        rows.extend(cells(&golden).filter(changed).map(|cells| ("  from golden".to_owned(), cells)));
        rows.extend(cells(&spread).map(|cells| ("  over repeats".to_owned(), cells)));
    }
    if rows.is_empty() {
        return Vec::new();
    }

    let width = |index: usize| {
        rows.iter().filter_map(|(_, cells)| cells.get(index)).map(|c| width_of(&c.number)).max()
    };
    let widths: Vec<usize> = (0..columns.len()).map(|index| width(index).unwrap_or(0)).collect();
    let names = columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, NAME));
    let mut table = Table::headed(std::iter::once(String::new()).chain(names)).in_parts(1);
    let marked = rows.iter().any(|(_, cells)| cells.iter().any(|cell| cell.marked));
    for (label, cells) in rows {
        let cells = cells.into_iter().zip(&widths).map(|(cell, width)| {
            let blanks = " ".repeat(width.saturating_sub(width_of(&cell.number)));
            let mark = if cell.marked { "* " } else { "  " };
            format!("{blanks}{}{mark}{}", cell.number, cell.rest).trim_end().to_owned()
        });
        table.row(std::iter::once(label).chain(cells));
    }
    let heading = format!(
        "metrics, {} intervals of the mean{}{}",
        percent(report.confidence),
        phrases::over_groups(report),
        if marked { ", * highest" } else { "" }
    );
    vec![Section::headed(heading).part([Block::Table(table)])]
}

/// Whether a change is one.
fn goes(change: &str) -> bool {
    change.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// The table of one metadata key: its values down, and across each metric of each configuration.
fn segments(report: &Report, key: &Key, columns: &[Column]) -> Section {
    let names = segment_metrics(columns, key.key);
    let across = || names.iter().flat_map(|name| columns.iter().map(move |column| (*name, column)));
    let title = |(name, (configuration, _)): (&str, &Column)| match columns {
        [_] => shorten(&phrases::label(report, name), NAME),
        _ => format!(
            "{} {}",
            shorten_name(&configuration.name, NAME),
            shorten(&phrases::label(report, name), NAME)
        ),
    };
    let header = ["", "queries"].map(str::to_owned).into_iter().chain(across().map(title));
    let mut table = Table::headed(header).right(1..2 + across().count()).in_parts(2);
    for value in key.values.iter().take(SEGMENTS) {
        let of = columns.iter().find_map(|(_, measured)| segment(measured, key.key, value));
        let score_of = |(name, (_, measured)): (&str, &Column)| {
            let found = segment(measured, key.key, value).and_then(|one| metric(&one.metrics, name));
            found.map_or_else(|| "-".to_owned(), |metric| score(name, metric.value))
        };
        let first = [shorten(value, NAME), of.map_or(String::new(), |segment| count(segment.queries))];
        table.row(first.into_iter().chain(across().map(score_of)));
    }
    let more = key.values.len().saturating_sub(SEGMENTS);
    let more = (more > 0).then(|| Block::line(format!("and {} more", count(more))));
    Section::headed(format!("by {}", shorten(key.key, NAME)))
        .kind(Kind::Folded)
        .part(std::iter::once(Block::Table(table)).chain(more))
}

/// The gates with some verdicts, each in a line.
pub fn gates(report: &Report, is_shown: impl Fn(Verdict) -> bool) -> Section {
    /// Room for the longest verdict beside a name and what was seen.
    const GATE: usize = 42;
    let mut table = Table::default().rest(0, 4);
    for gate in report.gates.iter().filter(|gate| is_shown(gate.verdict)) {
        let name = shorten_name(gate_name(report, gate), GATE);
        table.row([format!("  {}", word(gate.verdict)), name, short(gate, DECIMALS)]);
    }
    if table.is_empty() {
        return Section::default();
    }
    Section::headed("gates").part([Block::Table(table)])
}
