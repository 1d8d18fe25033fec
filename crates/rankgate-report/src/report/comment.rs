//! The one comment on a pull request: the verdicts of all its benchmarks, what lost most, and the rest folded away.
//!
//! Tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use std::cmp::Ordering;

use crate::metric::Polarity;
use crate::model::{GateReport, Mover, Report, Verdict, Verdicts};
use crate::order;

use super::clean::{shorten, shorten_name};
use super::lookup::{gate_name, measured};
use super::markdown::{comparisons, configurations, gates, messages, metrics, title, within};
use super::message::{cautions, message_of};
use super::number::{apart, counted, fixed};
use super::page::{Block, Kind, Section, Table, Text};
use super::painter::markdown::parts;
use super::{phrases, polarity};

/// Queries that are shown beside the verdicts; the messages have more.
const LOSSES: usize = 5;
/// Characters of a text in a cell.
const CELL: usize = 80;
/// Decimals of a query's score, and the most that it takes to show a small change.
const DECIMALS: usize = 3;
const MOST_DECIMALS: usize = 6;
/// Characters of a commit.
const COMMIT: usize = 12;

/// Where a comment leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommentLinks {
    /// The address of the whole report, or of the run of CI that has it.
    pub report: Option<String>,
    /// The address of the trend.
    pub trend: Option<String>,
}

/// The reports of a change as one comment in Markdown, of at most `bytes` bytes: verdicts first, then the gates that did not
/// pass and the queries that lost most, then everything else folded away. Benchmarks with a gate that did not pass come
/// first. What does not fit is left out, whole tables and messages at a time, and a line says so.
///
/// Nothing that data holds can end a table, a code block or a folded section, or mention anybody.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// use rankgate::report::{CommentLinks, comment};
///
/// let text = comment(&[report], &CommentLinks::default(), 65_536);
/// assert!(text.starts_with("## helpdesk: 1 failed\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
#[inline]
pub fn comment(reports: &[Report], links: &CommentLinks, bytes: usize) -> String {
    let mut end = footer(reports, links);
    if end.len() > bytes {
        end.clear();
    }
    let room = bytes - end.len();
    let mut sorted: Vec<&Report> = reports.iter().collect();
    order::sort_by_key(&mut sorted, |report| !needs_a_look(report));
    let several = sorted.len() > 1;
    let mut text = if several { within(parts(&[overview(&sorted)]), room / 2) } else { String::new() };
    for (index, report) in sorted.iter().enumerate() {
        // Each gets its share of what is left, so that the first does not push the others out.
        let share = (room - text.len()) / (sorted.len() - index);
        let own = within(parts(&page(report)), share.saturating_sub(1));
        if !text.is_empty() && !own.is_empty() {
            text.push('\n');
        }
        text += &own;
    }
    text + &end
}

/// Whether a merge should wait for somebody to look.
#[inline]
fn needs_a_look(report: &Report) -> bool {
    report.error.is_some() || report.gates.iter().any(|gate| report.fails_by(gate) || report.is_open_by(gate))
}

/// The verdicts of several benchmarks.
#[inline]
fn overview(reports: &[&Report]) -> Section {
    let all: Verdicts = reports.iter().flat_map(|report| &report.gates).map(|gate| gate.verdict).collect();
    let benchmarks = counted(reports.len(), "benchmark", "benchmarks");
    let heading = Text::from(benchmarks).strong().and(": ");
    let heading = match phrases::counts(&all) {
        counts if counts.is_empty() => heading.and("no gate was decided"),
        counts => heading.and(counts),
    };
    let mut table = Table::headed(["benchmark", "gates"]);
    for report in reports {
        table.row([shorten_name(&report.benchmark, CELL).into(), phrases::verdicts(report)]);
    }
    Section { kind: Kind::Title, heading, ..Section::default() }.part([Block::Table(table)])
}

#[inline]
fn page(report: &Report) -> Vec<Section> {
    let columns = measured(report);
    let [others, passed] = gates(report);
    let folded = |section: Section| section.kind(Kind::Folded);
    let mut sections = vec![title(report), others, losses(report)];
    sections.push(Section::from_blocks(cautions::beside_passed(report)));
    sections.extend(messages(report));
    sections.push(passed);
    sections.extend(
        [comparisons(report), metrics(report, &columns), configurations(report, &columns)].map(folded),
    );
    sections
}

/// The queries that lost most by the gates that did not pass, each once.
#[inline]
fn losses(report: &Report) -> Section {
    let open = report.gates.iter().filter(|gate| gate.verdict != Verdict::Passed);
    let mut lost: Vec<(f64, &Mover, &GateReport)> = Vec::new();
    for gate in open {
        let finding = gate.finding.kind();
        let Some(movers) = finding.movers() else { continue };
        // Where nothing says what is better, nothing is lost.
        let (list, towards) = match polarity::of_finding(finding) {
            Polarity::MoreIsBetter => (&movers.losses, 1.0),
            Polarity::LessIsBetter => (&movers.gains, -1.0),
            Polarity::Unknown => continue,
        };
        for mover in list {
            let loss = mover.before.map(|before| towards * (before - mover.after));
            if let Some(loss) = loss.filter(|loss| *loss > 0.0) {
                lost.push((loss, mover, gate));
            }
        }
    }
    let by_loss = |a: &(f64, &Mover, &GateReport), b: &(f64, &Mover, &GateReport)| {
        let order = b.0.total_cmp(&a.0).then_with(|| a.1.query.cmp(&b.1.query));
        if order == Ordering::Equal { a.2.name.cmp(&b.2.name) } else { order }
    };
    order::sort_by(&mut lost, by_loss);
    let mut seen = std::collections::BTreeSet::new();
    lost.retain(|(_, mover, _)| seen.insert(&mover.query));
    if lost.is_empty() {
        return Section::default();
    }
    let mut table = Table::headed(["query", "text", "score", "gate"]);
    for (_, mover, gate) in lost.iter().take(LOSSES) {
        let before = mover.before.unwrap_or(mover.after);
        let digits = apart(before, mover.after, DECIMALS).min(MOST_DECIMALS);
        // The gate of a snapshot names none.
        let metric = message_of(&gate.finding).about(gate).metric;
        let metric = metric.map_or(String::new(), |metric| format!("{metric} "));
        let score = format!("{metric}{} to {}", fixed(before, digits), fixed(mover.after, digits));
        table.row([
            shorten_name(&mover.query, CELL),
            shorten(&mover.text, CELL),
            score,
            shorten_name(gate_name(report, gate), CELL),
        ]);
    }
    Section::headed("Largest losses").part([Block::Table(table)])
}

/// The links and the commit, in one line.
#[inline]
fn footer(reports: &[Report], links: &CommentLinks) -> String {
    let link = |name: &str, address: &Option<String>| {
        address.as_deref().map(|address| format!("[{name}]({})", in_link(address)))
    };
    let mut commits: Vec<&str> = reports
        .iter()
        .filter_map(|report| Some(report.history.as_ref()?.commit.as_ref()?.as_str()))
        .collect();
    commits.dedup();
    let commit = match commits[..] {
        [commit] => Some(format!("measured at {}", commit.chars().take(COMMIT).collect::<String>())),
        _ => None,
    };
    let all: Vec<String> =
        [link("Report", &links.report), link("Trend", &links.trend), commit].into_iter().flatten().collect();
    if all.is_empty() { String::new() } else { format!("\n{}\n", all.join(" · ")) }
}

/// An address as the target of a link, which nothing in it ends.
#[inline]
fn in_link(address: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !"()<>[]\\`\"|".contains(c);
    let mut text = String::new();
    for c in address.chars() {
        if is_plain(c) {
            text.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| text += &format!("%{byte:02X}"));
        }
    }
    text
}
