//! The report for GitHub: pull requests, and the summary of a workflow.

use crate::model::{Report, Verdict};

use super::golden_files;
use super::lookup::measured;
use super::message::warnings;
use super::page::{Kind, Section};
use super::painter::markdown::parts;
use super::text::{configurations, gates, measurements, messages, title};

/// The whole report as GitHub-flavoured Markdown: what [`text`](super::text()) says, verdicts first, messages and gates that
/// passed folded away.
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
    let columns = measured(report);
    let mut sections = title(report);
    sections.extend(folding_passed(report));
    sections.push(Section::from_blocks(warnings::beside_passed(report)));
    sections.extend(messages(report));
    sections.extend(configurations(report, &columns));
    sections.extend(measurements(report, &columns));
    sections.extend(golden_files::sections(report));
    parts(&sections)
}

/// The gates that did not pass, and, folded away, those that did.
pub fn folding_passed(report: &Report) -> [Section; 2] {
    let others = gates(report, |verdict| verdict != Verdict::Passed);
    let passed = gates(report, |verdict| verdict == Verdict::Passed);
    let heading = format!("{} passed", report.verdicts().of(Verdict::Passed));
    [others, Section { heading, kind: Kind::Folded, ..passed }]
}
