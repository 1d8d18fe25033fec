//! The one comment on a pull request: the verdicts of all its benchmarks, the largest losses, and the rest folded away.

use rankgate::benchmark::model::{Report, Verdicts};
use rankgate_report::report::internal::clean::shorten_name;
use rankgate_report::report::internal::lookup::measured;
use rankgate_report::report::internal::markdown::{folding_passed, within};
use rankgate_report::report::internal::message::warnings;
use rankgate_report::report::internal::number::counted;
use rankgate_report::report::internal::page::{Block, Kind, Section, Table};
use rankgate_report::report::internal::painter::markdown::parts;
use rankgate_report::report::internal::phrases;
use rankgate_report::report::internal::text::{configurations, messages, metrics, title};

use crate::rendering::losses;

/// Characters of a text in a cell.
const CELL: usize = 80;
/// Characters of a commit.
const COMMIT: usize = 12;

/// Where a comment leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommentLinks {
    /// The address of the whole report, or of the run of CI that has it.
    pub(crate) report: Option<String>,
    /// The address of the trend.
    pub(crate) trend: Option<String>,
}

/// The reports of a change as one comment in Markdown, of at most `bytes` bytes: verdicts first, then the gates that did not
/// pass and the queries that lost most, then everything else folded away. Benchmarks with a gate that did not pass come
/// first. What does not fit is left out, whole tables and messages at a time, and a line says so.
///
/// Nothing that data holds can end a table, a code block or a folded section, or mention anybody.
pub(crate) fn comment(reports: &[Report], links: &CommentLinks, bytes: usize) -> String {
    let mut end = footer(reports, links);
    if end.len() > bytes {
        end.clear();
    }
    let room = bytes - end.len();
    let mut sorted: Vec<&Report> = reports.iter().collect();
    sorted.sort_by_key(|report| (report.error.is_none(), !needs_a_look(report)));
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
fn needs_a_look(report: &Report) -> bool {
    report.error.is_some() || report.gates.iter().any(|gate| report.fails_by(gate))
}

/// The verdicts of several benchmarks.
fn overview(reports: &[&Report]) -> Section {
    let all: Verdicts = reports.iter().flat_map(|report| &report.gates).map(|gate| gate.verdict).collect();
    let benchmarks = counted(reports.len(), "benchmark", "benchmarks");
    let counts = phrases::counts(&all);
    let said = if counts.is_empty() { "no gate was decided" } else { &counts };
    let heading = format!("{benchmarks}: {said}");
    let mut table = Table::headed(["benchmark", "gates"]);
    for report in reports {
        table.row([shorten_name(&report.benchmark, CELL), phrases::verdicts(report)]);
    }
    Section { kind: Kind::Title, heading, ..Section::default() }.part([Block::Table(table)])
}

fn page(report: &Report) -> Vec<Section> {
    let columns = measured(report);
    let [others, passed] = folding_passed(report);
    let mut sections = title(report);
    sections.extend([others, losses(report)]);
    sections.push(Section::from_blocks(warnings::beside_passed(report)));
    sections.extend(messages(report));
    sections.push(passed);
    sections.extend(metrics(report, &columns).into_iter().map(|section| section.kind(Kind::Folded)));
    sections.extend(configurations(report, &columns));
    sections
}

/// The links and the commit, in one line.
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
