//! The report for the terminal.

use crate::benchmark::model::{Measured, MetricReport, Report, Verdict};

use super::clean::{clean, hang, shorten, shorten_name, wrap};
use super::golden_files::golden_files;
use super::lookup::{
    Column, Key, gate_name, highest, measured, metric, metric_names, segment, segment_keys, segment_metrics,
};
use super::message::{message_once, seen, word};
use super::number::{DECIMALS, count, fixed, interval, percent, score, signed};
use super::paint::{Part, Style};
use super::phrases;
use super::table::Table;

/// Columns of a terminal that nobody made wider.
const WIDTH: usize = 80;
/// Characters of a configuration's name in a table.
const NAME: usize = 24;
/// Values of a segment that are shown; the JSON form has all of them.
const SEGMENTS: usize = 30;
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
#[must_use]
pub fn text(report: &Report) -> String {
    text_styled(report, Style::Plain)
}

/// [`text`], coloured where `style` says so: the same characters, and nothing said by colour alone.
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
#[must_use]
pub fn text_styled(report: &Report, style: Style) -> String {
    let columns = measured(report);
    let mut sections = vec![
        (Part::Title, title(report)),
        (Part::Message, phrases::error(report)),
        (Part::Warnings, warnings(report)),
        (Part::Prose, collection(report)),
        (Part::Prose, configurations(report, &columns)),
    ];
    sections.extend(metrics(report, &columns));
    for key in segment_keys(&columns) {
        sections.extend(segments(report, &key, &columns).into_iter().map(|lines| (Part::Table, lines)));
    }
    sections.push((Part::Comparisons, comparisons(report)));
    sections.push((Part::Gates, gates(report)));
    let told = report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed);
    sections.extend(told.map(|gate| {
        let message = message_once(report, gate, WIDTH);
        (Part::Message, message.lines().map(str::to_owned).collect())
    }));

    sections.push((Part::Prose, golden_files(report).lines().map(str::to_owned).collect()));

    let mut text = String::new();
    for (part, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        let lines = lines.into_iter().map(|line| line.trim_end().to_owned()).collect();
        for line in style.paint(part, lines) {
            text += &line;
            text.push('\n');
        }
    }
    text
}

fn title(report: &Report) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", clean(&report.benchmark), phrases::verdicts(report))];
    if let Some(partial) = phrases::partial(report) {
        lines.extend(wrap(&format!("{partial}: {}", phrases::PARTIAL), WIDTH, 4));
    }
    if let Some(description) = &report.description {
        lines.extend(wrap(description, WIDTH, 4));
    }
    lines
}

fn warnings(report: &Report) -> Vec<String> {
    phrases::warnings(report).iter().flat_map(|warning| hang("warning: ", warning, WIDTH, 9)).collect()
}

fn collection(report: &Report) -> Vec<String> {
    let mut lines = match &report.collection {
        Some(collection) => wrap(&phrases::collection(collection), WIDTH, usize::MAX),
        None if report.error.is_some() => Vec::new(),
        None => vec!["the collection could not be loaded".to_owned()],
    };
    lines.extend(phrases::depth(report).iter().flat_map(|depth| wrap(depth, WIDTH, usize::MAX)));
    lines
}

fn configurations(report: &Report, columns: &[Column]) -> Vec<String> {
    let mut lines = Vec::new();
    if !columns.is_empty() {
        let mut table = Table::right(2..6);
        table.row(["configuration", "source", "p50", "p95", "unanswered", "tied"]);
        for (configuration, measured) in columns {
            let [p50, p95, _] = phrases::times(measured);
            table.row([
                shorten_name(&configuration.name, NAME),
                shorten(&configuration.source, NAME),
                p50,
                p95,
                count(measured.unanswered.len()),
                count(measured.tied_scores),
            ]);
        }
        lines.extend(stacked(table.split(1, WIDTH)));
    }
    let mut notes = Vec::new();
    for configuration in &report.configurations {
        let lead = format!("{}: ", shorten_name(&configuration.name, NAME));
        let said = phrases::notes(&configuration.outcome);
        notes.extend(said.iter().flat_map(|note| hang(&lead, note, WIDTH, 9)));
    }
    if !lines.is_empty() && !notes.is_empty() {
        lines.push(String::new());
    }
    lines.extend(notes);
    lines
}

/// Tables below each other, a blank line apart.
fn stacked(tables: Vec<Vec<String>>) -> Vec<String> {
    tables.join(&String::new())
}

/// A number in its column: the digits, a mark, and what stands behind.
#[derive(Default)]
struct Cell {
    number: String,
    marked: bool,
    rest: String,
}

fn metrics(report: &Report, columns: &[Column]) -> Vec<(Part, Vec<String>)> {
    let names = metric_names(columns);
    if names.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<(String, Vec<Cell>)> = Vec::new();
    for name in names {
        let own: Vec<Option<&MetricReport>> =
            columns.iter().map(|(_, measured)| metric(&measured.metrics, name)).collect();
        let best = highest(name, own.iter().flatten().map(|metric| metric.value));
        let cells = |cell: &dyn Fn(&MetricReport) -> Option<Cell>| -> Option<Vec<Cell>> {
            let cells: Vec<Option<Cell>> = own.iter().map(|metric| metric.and_then(cell)).collect();
            let any = cells.iter().any(Option::is_some);
            any.then(|| cells.into_iter().map(Option::unwrap_or_default).collect())
        };
        let mean = |metric: &MetricReport| {
            let rest = metric.interval.map_or(String::new(), |limits| interval(limits, 3));
            Some(Cell { number: score(name, metric.value), marked: best == Some(metric.value), rest })
        };
        let golden = |metric: &MetricReport| {
            let number = signed(metric.value - metric.golden?, DECIMALS);
            Some(Cell { number, ..Cell::default() })
        };
        let spread = |metric: &MetricReport| {
            let [low, high] = metric.spread?;
            let rest = format!("to {}", fixed(high, DECIMALS));
            Some(Cell { number: fixed(low, DECIMALS), rest, ..Cell::default() })
        };
        let name = shorten(&phrases::label(report, name), NAME);
        rows.extend(cells(&mean).map(|cells| (name, cells)));
        // That nothing changed is what is expected, and would double the table.
        let changed =
            |cells: &Vec<Cell>| cells.iter().any(|cell| cell.number.contains(|c| ('1'..='9').contains(&c)));
        rows.extend(cells(&golden).filter(changed).map(|cells| ("  from golden".to_owned(), cells)));
        rows.extend(cells(&spread).map(|cells| ("  over repeats".to_owned(), cells)));
    }

    let widths: Vec<usize> = (0..columns.len())
        .map(|index| {
            rows.iter().filter_map(|(_, cells)| cells.get(index)).map(|c| c.number.chars().count()).max()
        })
        .map(Option::unwrap_or_default)
        .collect();
    let mut table = Table::default();
    let mut header = vec![String::new()];
    header.extend(columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, NAME)));
    table.row(header);
    for (label, cells) in &rows {
        let mut row = vec![label.clone()];
        row.extend(cells.iter().zip(&widths).map(|(cell, width)| {
            let mark = if cell.marked { '*' } else { ' ' };
            format!("{:>width$}{mark} {}", cell.number, cell.rest).trim_end().to_owned()
        }));
        table.row(row);
    }
    let marked = rows.iter().any(|(_, cells)| cells.iter().any(|cell| cell.marked));
    let heading = format!(
        "metrics, {} intervals of the mean{}",
        percent(report.confidence),
        if marked { ", * highest" } else { "" }
    );
    let mut lines = vec![heading];
    lines.extend(stacked(table.split(1, WIDTH)));
    let mut sections = vec![(Part::Table, lines)];
    let reasons: Vec<String> = phrases::without_interval(columns)
        .into_iter()
        .map(|(why, names)| format!("{} ({})", names.join(", "), shorten(&why, WIDTH)))
        .collect();
    sections.push((Part::Prose, hang("no interval: ", &reasons.join("; "), WIDTH, 9)));
    sections
}

/// The tables of one metadata key: its values down, configurations across, one table a metric; with a
/// single configuration metrics across.
fn segments(report: &Report, key: &Key, columns: &[Column]) -> Vec<Vec<String>> {
    let label = |name: &str| phrases::label(report, name);
    let names = segment_metrics(columns, key.key);
    let title = shorten(key.key, NAME);
    if let [column] = columns {
        let cells: Vec<(String, Vec<String>)> =
            names.iter().map(|name| (shorten(&label(name), NAME), values(key, column.1, name))).collect();
        return vec![segment_table(&format!("by {title}"), key, columns, cells)];
    }
    let mut sections: Vec<Vec<String>> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if sections.iter().map(Vec::len).sum::<usize>() + key.values.len() > SEGMENT_LINES && index > 0 {
            let left: Vec<String> = names.iter().skip(index).map(|name| clean(name)).collect();
            let text = format!("{} by {title}: in the Markdown and JSON reports", left.join(", "));
            sections.push(wrap(&text, WIDTH, 4));
            break;
        }
        let cells: Vec<(String, Vec<String>)> = columns
            .iter()
            .map(|(configuration, measured)| {
                (shorten_name(&configuration.name, NAME), values(key, measured, name))
            })
            .collect();
        sections.push(segment_table(&format!("{} by {title}", clean(&label(name))), key, columns, cells));
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

fn segment_table(
    heading: &str,
    key: &Key,
    columns: &[Column],
    cells: Vec<(String, Vec<String>)>,
) -> Vec<String> {
    let mut table = Table::right(1..cells.len() + 2);
    let mut header = vec![String::new(), "queries".to_owned()];
    header.extend(cells.iter().map(|(name, _)| name.clone()));
    table.row(header);
    for (index, value) in key.values.iter().enumerate().take(SEGMENTS) {
        let of = columns.iter().find_map(|(_, measured)| segment(measured, key.key, value));
        let mut row = vec![shorten(value, NAME), of.map_or(String::new(), |segment| count(segment.queries))];
        row.extend(cells.iter().filter_map(|(_, values)| values.get(index).cloned()));
        table.row(row);
    }
    let mut lines = vec![heading.to_owned()];
    lines.extend(stacked(table.split(2, WIDTH)));
    if let more @ 1.. = key.values.len().saturating_sub(SEGMENTS) {
        lines.push(format!("and {} more", count(more)));
    }
    lines
}

/// One row for each comparison, below the pair that it compares.
fn comparisons(report: &Report) -> Vec<String> {
    /// Room for everything beside the metric.
    const METRIC: usize = 26;
    let compared = phrases::comparisons(report);
    if compared.is_empty() {
        return Vec::new();
    }
    let mut table = Table::right([1, 3]);
    table.row(["", "difference", "interval", "p", ""]);
    for one in &compared {
        let measure = format!("  {}", shorten_name(&one.measure, METRIC));
        table.row([&measure, &one.difference, &one.interval, &one.p, one.verdict]);
    }
    let heading = format!(
        "comparisons, {} intervals of the difference, {}",
        percent(report.confidence),
        phrases::COMPARED
    );
    let mut lines = wrap(&heading, WIDTH, usize::MAX);
    for part in table.split(1, WIDTH) {
        let mut part = part.into_iter();
        lines.extend(part.next());
        let mut pair = None;
        for (one, row) in compared.iter().zip(part) {
            if pair.replace((one.candidate, one.baseline)) != Some((one.candidate, one.baseline)) {
                let [candidate, baseline] =
                    [one.candidate, one.baseline].map(|name| shorten_name(name, NAME));
                lines.push(format!("{candidate} vs {baseline}"));
            }
            lines.push(row);
        }
    }
    lines
}

fn gates(report: &Report) -> Vec<String> {
    if report.gates.is_empty() {
        return Vec::new();
    }
    /// Room for the longest verdict beside a name and what was seen.
    const GATE: usize = 42;
    let names: Vec<String> =
        report.gates.iter().map(|gate| shorten_name(gate_name(report, gate), GATE)).collect();
    let verdict = report.gates.iter().map(|gate| word(gate.verdict).len()).max().unwrap_or(0);
    let name = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let room = WIDTH.saturating_sub(2 + verdict + 2 + name + 2);
    let mut table = Table::default();
    for (gate, name) in report.gates.iter().zip(names) {
        let lines = wrap(&tied(&seen(gate, DECIMALS)), room, 4);
        let mut lines = lines.into_iter().map(|line| line.replace(TIE, " "));
        let first = lines.next().unwrap_or_default();
        table.row([format!("  {}", word(gate.verdict)), name, first]);
        for line in lines {
            table.row([String::new(), String::new(), line]);
        }
    }
    let mut lines = vec!["gates".to_owned()];
    lines.extend(table.lines());
    lines
}

/// A blank at which a line is not broken.
const TIE: char = '\u{a0}';

/// What a gate saw, with ties inside of intervals and around signs: half an interval says nothing.
fn tied(seen: &str) -> String {
    let mut depth = 0_usize;
    let mut text = String::with_capacity(seen.len());
    for c in seen.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        text.push(if c == ' ' && depth > 0 { TIE } else { c });
    }
    for sign in ["=", "<", "<=", ">", ">="] {
        text = text.replace(&format!(" {sign} "), &format!("{TIE}{sign}{TIE}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_gates_is_not_broken_inside_of_a_number() {
        let seen = "+0.0926 [0.058, 0.128] margin 0.02 p < 1e-9";
        let lines = wrap(&tied(seen), 20, 9);
        assert_eq!(lines, ["+0.0926", "[0.058,\u{a0}0.128]", "margin 0.02 p\u{a0}<\u{a0}1e-9"]);
    }
}
