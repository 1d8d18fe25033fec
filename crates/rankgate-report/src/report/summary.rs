//! One line for the end of `cargo test`.

use crate::metric::Polarity;
use crate::model::{GateReport, MetricReport, Report, Verdict};
use crate::stats::ROUNDING;

use super::clean::{clean, shorten_name};
use super::lookup::{gate_name, measured};
use super::message::{short, warnings};
use super::number::{counted, legible, score, signed, table_interval, time};
use super::page::{Block, Kind, Section, Table};
use super::painter::{self, Style};
use super::phrases;

/// Advisory gates that are named; the others are counted.
const ADVISORY: usize = 2;
/// Configurations that have a line of their own, and characters of their names.
const CONFIGURATIONS: usize = 6;
const NAME: usize = 24;
/// Lines of a warning.
const LINES: usize = 4;
/// Decimals of a change from golden; more where it is small.
const FROM_GOLDEN: usize = 4;
/// Decimals of a score, more where two scores would look the same.
const DECIMALS: usize = 2;

/// What came of a benchmark, in one line without a newline: since passing tests print nothing, this is
/// where advisory gates are seen.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// assert_eq!(
///     rankgate::report::summary_line(&report),
///     "helpdesk: 1 failed; slowest configuration bm25 3.1 ms p95"
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn summary_line(report: &Report) -> String {
    summary_line_styled(report, Style::Plain)
}

fn line(report: &Report) -> String {
    let mut line = advisory(report) + &undecided(report);
    line += &phrases::partial(report).map_or(String::new(), |partial| format!("; {partial}"));

    let times = measured(report).into_iter().filter_map(|(configuration, measured)| {
        measured.latency.map(|latency| (latency.p95, configuration.name.as_str()))
    });
    // The first of several that are equally slow.
    if let Some((p95, name)) = times.reduce(|slowest, one| if one.0 > slowest.0 { one } else { slowest }) {
        line += &format!("; slowest configuration {} {} p95", clean(name), time(p95));
    }
    if !report.warnings.is_empty() {
        line += &format!("; {}", counted(report.warnings.len(), "warning", "warnings"));
    }
    format!("{}: {}{line}", clean(&report.benchmark), phrases::verdicts(report))
}

/// What a test run says of a benchmark: [`summary_line`], below it for each configuration the first metric
/// and how far it is from golden, and where the whole report is.
pub fn summary(report: &Report, page: &str) -> String {
    let mut table = Table::default();
    let columns = measured(report);
    for (configuration, measured) in columns.iter().take(CONFIGURATIONS) {
        let Some(metric) = measured.metrics.first() else { continue };
        let name = clean(&metric.metric);
        let value = score(&metric.metric, metric.value);
        let over = metric
            .groups
            .map_or(String::new(), |groups| format!(" in {}", counted(groups, "group", "groups")));
        let limits = metric.interval.map_or(String::new(), |limits| table_interval(limits) + &over);
        let golden = match metric.golden.map(|golden| metric.value - golden) {
            None => String::new(),
            Some(change) if change.abs() < ROUNDING => as_golden(&measured.metrics),
            Some(change) => {
                format!("{} from golden", signed(change, legible(change, 0.0, FROM_GOLDEN)))
            }
        };
        table.row([shorten_name(&configuration.name, NAME), format!("{name} {value}"), limits, golden]);
    }
    let mut part = vec![Block::Table(table)];
    if let more @ 1.. = columns.len().saturating_sub(CONFIGURATIONS) {
        part.push(Block::line(format!("and {}", counted(more, "more configuration", "more configurations"))));
    }
    part.extend(beside(report));
    part.push(Block::line(clean(page)));
    let section = Section::default().kind(Kind::Nested).part(part);
    format!("{}\n{}", summary_line(report), painter::message(&section, usize::MAX))
}

/// The warnings of a benchmark and of its gates that pass; empty without any.
pub fn warnings_beside(report: &Report) -> String {
    let part = beside(report);
    match part.is_empty() {
        true => String::new(),
        false => painter::message(&Section::default().kind(Kind::Nested).part(part), usize::MAX),
    }
}

/// A gate that passes prints nothing: its warnings are seen here or nowhere.
fn beside(report: &Report) -> Vec<Block> {
    let own = warnings::of_report(report);
    let own = own.iter().map(|text| Block::warning(text, LINES));
    own.chain(warnings::beside_passed(report)).collect()
}

/// That the first metric is as it was blessed; the one that moved most where others are not.
fn as_golden(metrics: &[MetricReport]) -> String {
    let moved = |metric: &MetricReport| metric.golden.map(|golden| metric.value - golden);
    let moved = metrics.iter().filter_map(|one| Some((one, moved(one)?)));
    let others: Vec<_> = moved.filter(|(_, change)| change.abs() >= ROUNDING).collect();
    // Of several that moved the largest loss; counts are on another scale.
    let is_score = |one: &&(&MetricReport, f64)| one.1.abs() <= 1.0;
    let gain = |one: &(&MetricReport, f64)| match Polarity::of_name(&one.0.metric) {
        Polarity::MoreIsBetter => one.1,
        Polarity::LessIsBetter => -one.1,
        Polarity::Unknown => 0.0,
    };
    let most =
        others.iter().filter(is_score).reduce(|most, one| if gain(one) < gain(most) { one } else { most });
    let Some((metric, change)) = most.or_else(|| others.first()) else { return "as golden".to_owned() };
    let more = match others.len() {
        1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    let change = signed(*change, legible(*change, 0.0, FROM_GOLDEN));
    format!("as golden, {} {change} from golden{more}", clean(&metric.metric))
}

/// [`summary_line`], coloured where `style` says so.
pub fn summary_line_styled(report: &Report, style: Style) -> String {
    painter::line(&line(report), style)
}

/// Advisory gates that could not be decided and fail nothing.
fn undecided(report: &Report) -> String {
    let is_advice = |gate: &GateReport| gate.verdict == Verdict::Error && !report.fails_by(gate);
    gate_names(report, "advisory and not decided", is_advice)
}

/// The names of the gates that are meant, behind a word for them.
fn gate_names(report: &Report, what: &str, is_meant: impl Fn(&GateReport) -> bool) -> String {
    let gates = report.gates.iter().filter(|gate| is_meant(gate)).map(|gate| clean(gate_name(report, gate)));
    let gates: Vec<String> = gates.collect();
    let more = match gates.len().saturating_sub(ADVISORY) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match gates.is_empty() {
        true => String::new(),
        false => format!("; {what}: {}{more}", gates[..gates.len().min(ADVISORY)].join(", ")),
    }
}

/// Verdicts of advisory gates, in parentheses: the advisory verdict comes last.
fn advisory(report: &Report) -> String {
    let gates: Vec<_> = report.gates.iter().filter(|gate| gate.verdict == Verdict::Advisory).collect();
    if gates.is_empty() {
        return String::new();
    }
    let mut texts: Vec<String> = gates
        .iter()
        .take(ADVISORY)
        .map(|gate| format!("{} {}", clean(gate_name(report, gate)), short(gate, DECIMALS)))
        .collect();
    if let more @ 1.. = gates.len().saturating_sub(ADVISORY) {
        texts.push(format!("and {more} more"));
    }
    format!(" ({})", texts.join(", "))
}
