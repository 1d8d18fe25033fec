//! The report for GitHub: pull requests, and the summary of a workflow.

use crate::benchmark::model::{GateReport, MetricReport, Report, Verdict};

use super::clean::{clean, shorten, shorten_name};
use super::golden_files::golden_files;
use super::lookup::{
    Column, gate_name, highest, measured, metric, metric_names, segment, segment_keys, segment_metrics,
};
use super::message::{once, seen, word};
use super::number::{DECIMALS, count, interval, percent, score, signed};
use super::{painter, phrases};

/// Columns of a code block that a reader sees without scrolling.
const WIDTH: usize = 100;
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
    page(report).parts.concat()
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
    let parts = page(report).parts;
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

fn page(report: &Report) -> Page {
    let columns = measured(report);
    let mut page = Page::default();
    page.paragraph(&format!("## {}: {}", escape(&report.benchmark), phrases::verdicts(report)));
    if let Some(partial) = phrases::partial(report) {
        page.paragraph(&format!("{partial}: {}.", phrases::PARTIAL));
    }
    if let Some(description) = &report.description {
        page.paragraph(&escape(description));
    }
    if report.error.is_some() {
        page.fenced(&phrases::error(report).join("\n"));
    }
    for warning in phrases::warnings(report) {
        page.paragraph(&format!("> **Warning:** {}", escape(&warning)));
    }
    comparisons(report, &mut page);
    gates(report, &mut page);
    messages(report, &mut page);
    metrics(report, &columns, &mut page);
    configurations(report, &columns, &mut page);
    segments(report, &columns, &mut page);
    if !report.blessings.is_empty() {
        page.paragraph(&golden_files(report));
    }
    page
}

fn comparisons(report: &Report, page: &mut Page) {
    let compared = phrases::comparisons(report);
    if compared.is_empty() {
        return;
    }
    page.paragraph("### Comparisons");
    let header = ["gate", "expect", "difference", "interval", "p", "verdict"];
    let mut table = Table::new(header, &[2, 3, 4]);
    for one in compared {
        // It names candidate, baseline, metric and segment, and selects the gate on the command line.
        let gate = shorten_name(one.gate, CELL);
        let [difference, verdict] = [one.difference, one.verdict].map(|text| text.to_string());
        let cells = [gate, one.expect, difference, one.interval, one.p, verdict];
        table.row(cells.map(|cell| escape(&cell)));
    }
    page.table(&table);
    let sure = percent(report.confidence);
    page.paragraph(&format!("{sure} intervals of the difference, {}.", phrases::COMPARED));
    page.paragraph("### Gates");
}

/// Gates that did not pass, then, folded away, those that did.
fn gates(report: &Report, page: &mut Page) {
    let (passed, others): (Vec<_>, Vec<_>) =
        report.gates.iter().partition(|gate| gate.verdict == Verdict::Passed);
    let table = |gates: &[&GateReport]| {
        let mut table = Table::new(["verdict", "gate", "seen"], &[]);
        for gate in gates {
            let word = match gate.verdict {
                Verdict::Passed => word(gate.verdict).to_owned(),
                other => format!("**{}**", word(other)),
            };
            let name = escape(&shorten_name(gate_name(report, gate), CELL));
            table.row([word, name, escape(&seen(gate, DECIMALS).to_string())]);
        }
        table
    };
    if !others.is_empty() {
        page.table(&table(&others));
    }
    if !passed.is_empty() {
        page.open(&format!("{} passed", passed.len()));
        page.table(&table(&passed));
        page.close();
    }
}

fn messages(report: &Report, page: &mut Page) {
    let told: Vec<&GateReport> = report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed).collect();
    for gate in told.iter().take(MESSAGES) {
        let name = escape(&shorten_name(gate_name(report, gate), CELL));
        page.open(&format!("{}: {name}", word(gate.verdict)));
        page.fenced(&painter::message(&once(report, gate), WIDTH));
        page.close();
    }
    if let more @ 1.. = told.len().saturating_sub(MESSAGES) {
        page.paragraph(&format!("The messages of {more} more gates are in the JSON report."));
    }
}

fn metrics(report: &Report, columns: &[Column], page: &mut Page) {
    let names = metric_names(columns);
    if names.is_empty() {
        return;
    }
    page.paragraph("### Metrics");
    let mut header = vec!["metric".to_owned()];
    header.extend(columns.iter().map(|(configuration, _)| escape(&shorten_name(&configuration.name, CELL))));
    let mut table = Table::new(header, &[]);
    for name in names {
        let own: Vec<Option<&MetricReport>> =
            columns.iter().map(|(_, measured)| metric(&measured.metrics, name)).collect();
        let best = highest(name, own.iter().flatten().map(|metric| metric.value));
        let mut row = vec![escape(&shorten(&phrases::label(report, name), CELL))];
        row.extend(own.iter().map(|metric| match metric {
            Some(metric) => cell(metric, best == Some(metric.value)),
            None => String::new(),
        }));
        table.row(row);
    }
    page.table(&table);
    let all = || columns.iter().flat_map(|(_, measured)| &measured.metrics);
    let mut notes = vec![format!("{} intervals of the mean.", percent(report.confidence))];
    if columns.len() > 1 {
        notes.push("The highest value is bold.".to_owned());
    }
    if all().any(|metric| metric.golden.is_some()) {
        notes.push("In parentheses: the change from golden.".to_owned());
    }
    for (why, names) in phrases::without_interval(columns) {
        notes.push(format!("No interval: {} ({}).", escape(&names.join(", ")), escape(&why)));
    }
    page.paragraph(&notes.join(" "));
}

fn cell(metric: &MetricReport, marked: bool) -> String {
    let value = score(&metric.metric, metric.value);
    let mut text = if marked { format!("**{value}**") } else { value };
    if let Some(limits) = metric.interval {
        text += &format!(" {}", interval(limits, 3));
    }
    if let Some(golden) = metric.golden {
        text += &format!(" ({})", signed(metric.value - golden, DECIMALS));
    }
    if let Some(limits) = metric.spread {
        text += &format!(", repeats {}", interval(limits, DECIMALS));
    }
    text
}

fn configurations(report: &Report, columns: &[Column], page: &mut Page) {
    page.paragraph("### Configurations");
    match &report.collection {
        Some(collection) => page.paragraph(&format!("{}.", phrases::collection(collection))),
        None => page.paragraph("The collection could not be loaded."),
    }
    if let Some(depth) = phrases::depth(report) {
        page.paragraph(&format!("{depth}."));
    }
    if !columns.is_empty() {
        let mut table = Table::new(phrases::CONFIGURATION, &[2, 3, 4, 5, 6, 7, 8]);
        for (configuration, measured) in columns {
            let name = escape(&shorten_name(&configuration.name, CELL));
            let source = escape(&shorten(&configuration.source, CELL));
            table.row([name, source].into_iter().chain(phrases::of_configuration(configuration, measured)));
        }
        page.table(&table);
    }
    let mut notes = Vec::new();
    for configuration in &report.configurations {
        let name = escape(&shorten_name(&configuration.name, CELL));
        let said = phrases::notes(&configuration.outcome);
        notes.extend(
            said.iter().map(|note| format!("- {name}: {}", escape(&shorten(&note.to_string(), NOTE)))),
        );
    }
    if !notes.is_empty() {
        page.paragraph(&notes.join("\n"));
    }
}

fn segments(report: &Report, columns: &[Column], page: &mut Page) {
    for key in segment_keys(columns) {
        page.open(&format!("By {}", escape(&shorten(key.key, CELL))));
        for name in segment_metrics(columns, key.key) {
            let name_here = phrases::label(report, name);
            let mut header = vec![escape(&shorten(&name_here, CELL)), "queries".to_owned()];
            header.extend(columns.iter().map(|(one, _)| escape(&shorten_name(&one.name, CELL))));
            let mut table = Table::new(header, &[1]);
            for value in key.values.iter().take(SEGMENTS) {
                let of = |column: &Column| segment(column.1, key.key, value).map(|one| one.queries);
                let mut row = vec![
                    escape(&shorten(value, CELL)),
                    columns.iter().find_map(of).map_or(String::new(), count),
                ];
                row.extend(columns.iter().map(|(_, measured)| {
                    let metric = segment(measured, key.key, value).and_then(|one| metric(&one.metrics, name));
                    metric.map_or(String::new(), |metric| cell(metric, false))
                }));
                table.row(row);
            }
            page.table(&table);
        }
        if let more @ 1.. = key.values.len().saturating_sub(SEGMENTS) {
            page.paragraph(&format!("{} more values are in the JSON report.", count(more)));
        }
        page.close();
    }
}

/// Text from data as Markdown that shows it: inside a paragraph, a table's cell or a summary.
///
/// Entities instead of backslashes, as they work in all three; and only where a character would mean
/// something, so that the file itself reads well.
pub(super) fn escape(text: &str) -> String {
    let text = clean(text);
    let mut escaped = String::with_capacity(text.len());
    let mut previous = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let alphanumeric = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let special = match c {
            '|' | '`' | '\\' | '~' | '$' => true,
            // Between blanks it is a sign.
            '*' => !(blank(previous) && blank(next)),
            // Tags begin with a letter, entities with one or a `#`, and quotations a line.
            '<' => alphanumeric(next) || matches!(next, Some('/' | '!' | '?')),
            '&' => alphanumeric(next) || next == Some('#'),
            '>' => previous.is_none(),
            // Links and images; brackets of an interval or a segment are none.
            ']' => matches!(next, Some('(' | ':')),
            '[' => matches!(next, Some('^' | ']')) || previous == Some('!'),
            // Inside a word, as in `R_cap@10`, it has no meaning; elsewhere it emphasizes.
            '_' => !alphanumeric(previous),
            _ => false,
        };
        match c {
            _ if special => escaped += &format!("&#{};", u32::from(c)),
            // These mention somebody and link to an issue. The empty comment keeps GitHub from it.
            '@' | '#' if !alphanumeric(previous) && !blank(next) => {
                escaped.push(c);
                escaped += "<!-- -->";
            }
            other => escaped.push(other),
        }
        previous = Some(c);
    }
    escaped
}

/// Blocks, a blank line apart: Markdown inside a folded section needs it.
#[derive(Default)]
struct Page {
    /// Each can be left out without harm to the others: a folded section is one part.
    parts: Vec<String>,
    folded: bool,
}

impl Page {
    fn paragraph(&mut self, text: &str) {
        let gap = if self.parts.is_empty() { "" } else { "\n" };
        if !self.folded || self.parts.is_empty() {
            self.parts.push(String::new());
        }
        let Some(part) = self.parts.last_mut() else { return };
        *part += gap;
        for line in text.lines() {
            *part += line.trim_end();
            part.push('\n');
        }
    }

    fn table(&mut self, table: &Table) {
        self.paragraph(&table.0.join("\n"));
    }

    /// A code block whose fence is longer than any that the text holds.
    fn fenced(&mut self, text: &str) {
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        self.paragraph(&format!("{fence}text\n{text}\n{fence}"));
    }

    fn open(&mut self, summary: &str) {
        self.paragraph(&format!("<details><summary>{summary}</summary>"));
        self.folded = true;
    }

    fn close(&mut self) {
        self.paragraph("</details>");
        self.folded = false;
    }
}

/// Rows of cells that are escaped already.
struct Table(Vec<String>);

impl Table {
    /// A table in which the columns with these indices are aligned to the right.
    fn new<C: Into<String>>(header: impl IntoIterator<Item = C>, right: &[usize]) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        let rule =
            (0..header.len()).map(|index| if right.contains(&index) { "---:" } else { "---" }.to_owned());
        let rule = rule.collect();
        let mut table = Self(Vec::new());
        table.push(header);
        table.push(rule);
        table
    }

    fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.push(cells.into_iter().map(Into::into).collect());
    }

    fn push(&mut self, cells: Vec<String>) {
        self.0.push(format!("| {} |", cells.join(" | ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_shown_and_does_nothing() {
        for (text, expected) in [
            ("nDCG@10", "nDCG@10"),
            ("R_cap@10", "R_cap@10"),
            ("a|b", "a&#124;b"),
            ("`x`", "&#96;x&#96;"),
            ("</details>", "&#60;/details>"),
            ("> quoted", "&#62; quoted"),
            ("0.53 < 0.60 & more [0.1, 0.2] * 2 (a=b) !", "0.53 < 0.60 & more [0.1, 0.2] * 2 (a=b) !"),
            ("&lt; &#60; <!--", "&#38;lt; &#38;#<!-- -->60; &#60;!--"),
            ("[a]: b [c][d] [^1] ![e](f)", "[a&#93;: b [c][d] &#91;^1] !&#91;e&#93;(f)"),
            ("a\nb", "a&#92;nb"),
            ("ask @anna about #12", "ask @<!-- -->anna about #<!-- -->12"),
            ("*a* _b_ [c](d) $e$", "&#42;a&#42; &#95;b_ [c&#93;(d) &#36;e&#36;"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        for (text, fence) in [("plain", "```"), ("a `b` c", "```"), ("````\n", "`````")] {
            let mut page = Page::default();
            page.fenced(text);
            assert_eq!(page.parts.concat(), format!("{fence}text\n{text}\n{fence}\n"));
        }
    }
}
