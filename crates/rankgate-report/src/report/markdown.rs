//! The report for GitHub: pull requests, and the summary of a workflow.

use crate::model::{GateReport, MetricReport, Report, Verdict};

use super::clean::{shorten, shorten_name};
use super::golden_files::golden_files;
use super::lookup::{Column, Key, gate_name, grid, measured, metric, segment, segment_keys, segment_metrics};
use super::message::{cautions, short, without_repetition};
use super::number::{DECIMALS, count, interval, percent, score, signed, table_interval};
use super::page::{Block, Kind, Section, Table, Text};
use super::painter::markdown::{message, parts};
use super::phrases;
use super::verdict::{verdict, word};

/// Characters of a text in a cell.
const CELL: usize = 80;
/// Characters of an error beside the tables.
const NOTE: usize = 400;
/// Messages that are shown; GitHub cuts a summary at 1 MB.
const MESSAGES: usize = 50;
/// Values of a segment that are shown, for the same reason.
const SEGMENTS: usize = 200;

/// The whole report as GitHub-flavoured Markdown: verdicts first, then comparisons, gates, the message of each gate that did
/// not pass, metrics, configurations, and segments folded away.
///
/// Nothing that data holds can end a table, a code block or a folded section, or mention anybody.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let markdown = rankgate::report::markdown(&report);
/// assert!(markdown.starts_with("## helpdesk: 1 failed\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn markdown(report: &Report) -> String {
    all(report).concat()
}

/// [`markdown`] in at most `bytes` bytes: what does not fit is left out, whole tables and messages at a
/// time, and a line at the end says so. Empty where not even that line fits.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// use rankgate::report::{markdown, markdown_within};
///
/// assert_eq!(markdown_within(&report, 1 << 20), markdown(&report));
/// let cut = markdown_within(&report, 600);
/// assert!(cut.len() <= 600 && cut.starts_with("## helpdesk: 1 failed\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn markdown_within(report: &Report, bytes: usize) -> String {
    within(all(report), bytes)
}

/// As many parts as fit into so many bytes, and a line that says how many are left out.
pub fn within(parts: Vec<String>, bytes: usize) -> String {
    if parts.iter().map(String::len).sum::<usize>() <= bytes {
        return parts.concat();
    }
    let note = |left_out: usize| {
        format!("\n> {left_out} parts of this report are left out here; its files have all of them.\n")
    };
    // As long as the note can be.
    let room = bytes.saturating_sub(note(parts.len()).len());
    let (mut text, mut left_out) = (String::new(), 0);
    for part in parts {
        if text.len() + part.len() <= room {
            text += &part;
        } else {
            left_out += 1;
        }
    }
    text += &note(left_out);
    if text.len() > bytes { String::new() } else { text }
}

fn all(report: &Report) -> Vec<String> {
    let mut parts = parts(&page(report));
    if !report.blessings.is_empty() {
        parts.push(format!("\n{}", golden_files(report)));
    }
    parts
}

fn page(report: &Report) -> Vec<Section> {
    let columns = measured(report);
    let mut sections = vec![title(report), comparisons(report)];
    sections.extend(gates(report));
    sections.push(Section::from_blocks(cautions::beside_passed(report)));
    sections.extend(messages(report));
    sections.push(metrics(report, &columns));
    sections.extend(super::suite::means(report, CELL));
    sections.push(configurations(report, &columns));
    sections.extend(segment_keys(&columns).iter().map(|key| segments(report, key, &columns)));
    sections
}

pub fn title(report: &Report) -> Section {
    let partial = phrases::partial(report);
    let partial = partial.map(|partial| Block::paragraph(format!("{partial}: {}.", phrases::PARTIAL)));
    let description = report.description.as_ref().map(Block::paragraph);
    let error =
        report.error.is_some().then(|| Block::preformatted(phrases::error(report).join("\n"), usize::MAX));
    let warnings =
        super::message::warnings(report).into_iter().map(|text| Block::warning("Warning", &text, usize::MAX));
    phrases::title(report).part(partial.into_iter().chain(description).chain(error).chain(warnings))
}

pub fn comparisons(report: &Report) -> Section {
    let compared = phrases::comparisons(report);
    if compared.is_empty() {
        return Section::default();
    }
    let header = ["gate", "expect", "difference", "interval", "p", "verdict"];
    let mut table = Table::headed(header).right([2, 3, 4]);
    for one in compared {
        // It names candidate, baseline, metric and segment, and selects the gate on the command line.
        let gate = shorten_name(one.gate, CELL);
        let verdict = one.verdict.to_string();
        table.row::<Text>([
            gate.into(),
            one.expect.into(),
            one.difference,
            one.interval.into(),
            one.p.into(),
            verdict.into(),
        ]);
    }
    let (sure, over) = (percent(report.confidence), phrases::over_groups(report));
    let note = format!("{sure} intervals of the difference{over}, {}.", phrases::COMPARED);
    Section::headed("Comparisons").part([Block::Table(table), Block::paragraph(note)])
}

/// Gates that did not pass, then, folded away, those that did.
pub fn gates(report: &Report) -> [Section; 2] {
    let (passed, others): (Vec<_>, Vec<_>) =
        report.gates.iter().partition(|gate| gate.verdict == Verdict::Passed);
    let table = |gates: &[&GateReport]| {
        let mut table = Table::headed(["verdict", "gate", "seen"]);
        for gate in gates {
            let name = shorten_name(gate_name(report, gate), CELL);
            table.row([verdict(gate.verdict), name.into(), short(gate, DECIMALS)]);
        }
        (!gates.is_empty()).then_some(Block::Table(table))
    };
    // Alone they need no heading.
    let is_second = !phrases::comparisons(report).is_empty();
    let shown = if is_second { Section::headed("Gates") } else { Section::default() };
    let folded = match passed.len() {
        0 => Section::default(),
        many => Section::headed(format!("{many} passed")).kind(Kind::Folded),
    };
    [shown.part(table(&others)), folded.part(table(&passed))]
}

pub fn messages(report: &Report) -> Vec<Section> {
    let told: Vec<&GateReport> = report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed).collect();
    let folded = |gate: &&GateReport| {
        let name = shorten_name(gate_name(report, gate), CELL);
        let heading = Text::from(format!("{}: ", word(gate.verdict))).and(name);
        Section::headed(heading).kind(Kind::Folded).part([message(&without_repetition(report, gate))])
    };
    let mut sections: Vec<Section> = told.iter().take(MESSAGES).map(folded).collect();
    if let more @ 1.. = told.len().saturating_sub(MESSAGES) {
        let text = format!("The messages of {more} more gates are in the JSON report.");
        sections.push(Section::from_blocks([Block::paragraph(text)]));
    }
    sections
}

pub fn metrics(report: &Report, columns: &[Column]) -> Section {
    let rows = grid(columns);
    if rows.is_empty() {
        return Section::default();
    }
    let names = columns.iter().map(|(configuration, _)| shorten_name(&configuration.name, CELL));
    let mut table = Table::headed(std::iter::once("metric".to_owned()).chain(names));
    for (name, metrics) in rows {
        let cells =
            metrics.into_iter().map(|one| one.map_or_else(Text::default, |(one, best)| cell(one, best)));
        let label = shorten(&phrases::label(report, name), CELL);
        table.row(std::iter::once(label.into()).chain(cells));
    }
    let all = || columns.iter().flat_map(|(_, measured)| &measured.metrics);
    let mut notes = vec![format!(
        "{} intervals of the mean{}.",
        percent(report.confidence),
        phrases::over_groups(report)
    )];
    if columns.len() > 1 {
        notes.push("The highest value is bold.".to_owned());
    }
    if all().any(|metric| metric.golden.is_some()) {
        notes.push("In parentheses: the change from golden.".to_owned());
    }
    for (why, names) in phrases::without_interval(columns) {
        notes.push(format!("No interval: {} ({why}).", names.join(", ")));
    }
    Section::headed("Metrics").part([Block::Table(table), Block::paragraph(notes.join(" "))])
}

fn cell(metric: &MetricReport, marked: bool) -> Text {
    let value = Text::from(score(&metric.metric, metric.value));
    let mut rest = String::new();
    if let Some(limits) = metric.interval {
        rest += &format!(" {}", table_interval(limits));
    }
    if let Some(golden) = metric.golden {
        rest += &format!(" ({})", signed(metric.value - golden, DECIMALS));
    }
    if let Some(limits) = metric.spread {
        rest += &format!(", repeats {}", interval(limits, DECIMALS));
    }
    if marked { value.strong() } else { value }.and(rest)
}

pub fn configurations(report: &Report, columns: &[Column]) -> Section {
    let collection = match &report.collection {
        Some(collection) => format!("{}.", phrases::collection(collection)),
        None => "The collection could not be loaded.".to_owned(),
    };
    let depth = phrases::depth(report).map(|depth| Block::paragraph(depth.and(".")));
    let table = phrases::configurations(columns, CELL, CELL).map(Block::Table);
    let notes = phrases::all_notes(report, CELL);
    let notes = notes
        .into_iter()
        .map(|(name, note)| Text::from(name).and(": ").and(shorten(&note.to_string(), NOTE)));
    let notes: Vec<Text> = notes.collect();
    let notes = (!notes.is_empty()).then_some(Block::List(notes));
    let blocks = [Block::paragraph(collection)].into_iter().chain(depth).chain(table).chain(notes);
    Section::headed("Configurations").part(blocks)
}

fn segments(report: &Report, key: &Key, columns: &[Column]) -> Section {
    let mut section = Section::headed(Text::from("By ").and(shorten(key.key, CELL))).kind(Kind::Folded);
    for name in segment_metrics(columns, key.key) {
        let label = shorten(&phrases::label(report, name), CELL);
        let names = columns.iter().map(|(one, _)| shorten_name(&one.name, CELL));
        let mut table = Table::headed([label, "queries".to_owned()].into_iter().chain(names)).right([1]);
        for value in key.values.iter().take(SEGMENTS) {
            let of = |column: &Column| segment(column.1, key.key, value).map(|one| one.queries);
            let queries = columns.iter().find_map(of).map_or(String::new(), count);
            let cells = columns.iter().map(|(_, measured)| {
                let metric = segment(measured, key.key, value).and_then(|one| metric(&one.metrics, name));
                metric.map_or_else(Text::default, |metric| cell(metric, false))
            });
            table.row([shorten(value, CELL).into(), queries.into()].into_iter().chain(cells));
        }
        section = section.part([Block::Table(table)]);
    }
    let more = key.values.len().saturating_sub(SEGMENTS);
    let more = format!("{} more values are in the JSON report.", count(more));
    section.part((key.values.len() > SEGMENTS).then(|| Block::paragraph(more)))
}
