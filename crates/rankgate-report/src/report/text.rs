//! The report for the terminal, in sections that Markdown shows as well.

use crate::model::{Measured, Report, Verdict};

use super::clean::{clean, shorten, shorten_name};
use super::golden_files;
use super::lookup::{
    Best, Column, Key, compared, gate_name, grid, measured, metric, segment, segment_keys, segment_metrics,
};
use super::message::{short, warnings, without_repetition};
use super::number::{DECIMALS, count, fixed, p_number, percent, score, signed, table_interval};
use super::page::{Block, Kind, Section, Table};
use super::painter::{self, Style};
use super::phrases;
use super::verdict::word;
use super::width::width as width_of;

/// Default columns of a terminal.
const WIDTH: usize = 80;
/// Decimals of the interval of a difference.
const INTERVAL: usize = 3;
/// Characters of a configuration's name in a table.
const NAME: usize = 24;
/// Values of a segment that are shown; the JSON form has all of them.
const SEGMENTS: usize = 30;
/// Messages that are shown.
const MESSAGES: usize = 50;
/// Lines of a key's tables; further metrics are left to the other forms.
const SEGMENT_LINES: usize = 40;

/// The whole report at 80 columns, without colour: warnings, collection, configurations, metrics,
/// segments, comparisons, gates, and the [`message`](super::message()) of each gate that did not pass.
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
    /// Depth, repeats, and the slowest answer.
    const OTHERS: [usize; 3] = [2, 3, 6];
    let collection = match &report.collection {
        Some(collection) => Some(phrases::collection(collection)),
        None if let Some(suite) = &report.suite => Some(super::suite::made_of(suite)),
        None if report.error.is_some() => None,
        None => Some("the collection could not be loaded".to_owned()),
    };
    let collection = collection.into_iter().chain(phrases::depth(report));
    let table = phrases::configurations(columns, NAME, NAME);
    let table = table.map(|table| Block::Table(table.without(&OTHERS).in_parts(1)));
    let notes = phrases::all_notes(report, NAME);
    let notes = notes.into_iter().map(|(name, note)| Block::hanging(format!("{name}: "), note, 9));
    [Section::from_blocks(collection.map(Block::paragraph)), Section::from_blocks(table).part(notes)]
}

/// Metrics, segments and comparisons.
pub fn measurements(report: &Report, columns: &[Column]) -> Vec<Section> {
    let mut sections = metrics(report, columns);
    sections.extend(super::suite::means(report, NAME));
    for key in segment_keys(columns) {
        sections.extend(segments(report, &key, columns));
    }
    sections.push(comparisons(report));
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
    for (name, own) in grid(columns) {
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
    let reasons: Vec<String> = phrases::without_interval(columns)
        .into_iter()
        .map(|(why, names)| format!("{} ({})", names.join(", "), shorten(&why, WIDTH)))
        .collect();
    vec![
        Section::headed(heading).part([Block::Table(table)]),
        Section::from_blocks([Block::hanging("no interval: ", reasons.join("; "), 9)]),
    ]
}

/// Whether a change is one.
fn goes(change: &str) -> bool {
    change.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// The tables of one metadata key: its values down, configurations across, one table a metric; with a
/// single configuration metrics across.
fn segments(report: &Report, key: &Key, columns: &[Column]) -> Vec<Section> {
    let label = |name: &str| phrases::label(report, name);
    let names = segment_metrics(columns, key.key);
    let title = shorten(key.key, NAME);
    if let [column] = columns {
        let cells: Vec<(String, Vec<String>)> =
            names.iter().map(|name| (shorten(&label(name), NAME), values(key, column.1, name))).collect();
        return vec![segment_table(format!("by {title}"), key, columns, &cells)];
    }
    let mut sections: Vec<Section> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let lines: usize = sections.iter().map(|section| painter::height(section, WIDTH)).sum();
        if lines + key.values.len() > SEGMENT_LINES && index > 0 {
            let left: Vec<String> = names.iter().skip(index).map(|name| clean(name)).collect();
            let text = format!("{} by {title}: in the JSON report", left.join(", "));
            sections.push(Section::from_blocks([Block::preformatted(text, 4)]));
            break;
        }
        let of = |(configuration, measured): &Column| {
            (shorten_name(&configuration.name, NAME), values(key, measured, name))
        };
        let cells: Vec<(String, Vec<String>)> = columns.iter().map(of).collect();
        sections.push(segment_table(format!("{} by {title}", clean(&label(name))), key, columns, &cells));
    }
    sections
}

fn values(key: &Key, measured: &Measured, name: &str) -> Vec<String> {
    let value = |value: &&str| {
        let segment = segment(measured, key.key, value)?;
        metric(&segment.metrics, name).map(|metric| score(name, metric.value))
    };
    key.values.iter().take(SEGMENTS).map(|of| value(of).unwrap_or_else(|| "-".to_owned())).collect()
}

fn segment_table(heading: String, key: &Key, columns: &[Column], cells: &[(String, Vec<String>)]) -> Section {
    let header = ["", "queries"].into_iter().chain(cells.iter().map(|(name, _)| name.as_str()));
    let mut table = Table::headed(header).right(1..cells.len() + 2).in_parts(2);
    for (index, value) in key.values.iter().enumerate().take(SEGMENTS) {
        let of = columns.iter().find_map(|(_, measured)| segment(measured, key.key, value));
        let mut row = vec![shorten(value, NAME), of.map_or(String::new(), |segment| count(segment.queries))];
        row.extend(cells.iter().filter_map(|(_, values)| values.get(index).cloned()));
        table.row(row);
    }
    let more = key.values.len().saturating_sub(SEGMENTS);
    let more = (more > 0).then(|| Block::line(format!("and {} more", count(more))));
    Section::headed(heading).kind(Kind::Folded).part(std::iter::once(Block::Table(table)).chain(more))
}

/// One row for each comparison, below the pair that it compares.
pub fn comparisons(report: &Report) -> Section {
    /// Room for everything beside the metric.
    const METRIC: usize = 26;
    let compared = compared(report);
    if compared.is_empty() {
        return Section::default();
    }
    let mut table = Table::headed(["", "difference", "interval", "p", ""]).right([1, 3]).in_parts(1);
    let mut pair = None;
    for (gate, one) in compared {
        if pair.replace((&one.candidate, &one.baseline)) != Some((&one.candidate, &one.baseline)) {
            let [candidate, baseline] = [&one.candidate, &one.baseline].map(|name| shorten_name(name, NAME));
            table.common(format!("{candidate} vs {baseline}"));
        }
        let measure = phrases::measure(&phrases::label(report, &one.metric), one.segment.as_ref());
        let said = one.conclusion.map_or_else(|| word(gate.verdict).to_owned(), |said| said.to_string());
        table.row([
            format!("  {}", shorten_name(&measure, METRIC)),
            phrases::difference(one, DECIMALS),
            phrases::limits(one, INTERVAL).unwrap_or_else(|| "-".to_owned()),
            p_number(one.p()),
            said,
        ]);
    }
    let (sure, over) = (percent(report.confidence), phrases::over_groups(report));
    let how = "not adjusted; p two-sided, adjusted for the gate's family unless a margin decides";
    Section::headed(format!("comparisons, {sure} intervals of the difference{over}, {how}"))
        .part([Block::Table(table)])
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
