//! Lines that GitHub Actions shows beside the lines of a file.

use rankgate::benchmark::model::{GateReport, Report, Verdict};
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::message::{is_remarkable, message_in, remarks};
use rankgate_report::report::internal::verdict::word;

use super::BrokenSpec;

/// Annotations of one kind that GitHub shows of a step.
const SHOWN: usize = 10;
/// Lines of a message that an annotation shows; the log has the rest.
const LINES: usize = 24;
/// Columns of them.
const WIDTH: usize = 80;
/// Names in the annotation that stands for those that are not shown.
const NAMES: usize = 20;

/// Workflow commands of GitHub Actions, one a line: an `::error` on the spec's line for every gate that
/// failed, is inconclusive or could not be decided and for every spec that could not be read, and a
/// `::warning` for every advisory gate that would have failed, and a `::notice` for every gate that passed with a
/// warning, on incomplete coverage, or on inputs that changed since it was blessed. GitHub shows ten of each; where there are
/// more, the tenth names the others.
///
/// `folder` is where the reports' paths start, relative to the repository's root; empty for the root.
/// Nothing that data holds can end a command or begin another.
pub(crate) fn annotations(reports: &[Report], broken: &[BrokenSpec], folder: &str) -> String {
    let mut errors: Vec<Annotation> = broken.iter().map(|spec| of_broken(spec, folder)).collect();
    let (mut warnings, mut notices) = (Vec::new(), Vec::new());
    for report in reports {
        for gate in &report.gates {
            match level(gate) {
                Some("error") => errors.push(of_gate(report, gate, folder)),
                Some("notice") => notices.push(of_gate(report, gate, folder)),
                Some(_) => warnings.push(of_gate(report, gate, folder)),
                None => {}
            }
        }
    }
    commands("error", &errors) + &commands("warning", &warnings) + &commands("notice", &notices)
}

/// How a gate is annotated, if it is.
fn level(gate: &GateReport) -> Option<&'static str> {
    match gate.verdict {
        Verdict::Passed if is_remarkable(gate) => Some("notice"),
        Verdict::Passed | Verdict::Reported => None,
        Verdict::Advisory => Some("warning"),
        Verdict::Error if gate.advisory => Some("warning"),
        Verdict::Failed | Verdict::Inconclusive | Verdict::Error => Some("error"),
    }
}

struct Annotation {
    file: String,
    line: Option<u64>,
    title: String,
    message: String,
}

fn of_gate(report: &Report, gate: &GateReport, folder: &str) -> Annotation {
    let message = match gate.verdict {
        Verdict::Passed => remarks(report, gate).iter().map(|one| clean(&one.text) + "\n").collect(),
        _ => message_in(report, gate, WIDTH),
    };
    let mut lines: Vec<&str> = message.lines().take(LINES).collect();
    if message.lines().count() > LINES {
        lines.push("  ...");
    }
    let (file, line) = gate.file_and_line().unzip();
    Annotation {
        file: file.map_or_else(String::new, |file| below(folder, file)),
        line,
        title: format!("{} {}", gate.name, word(gate.verdict)),
        message: lines.join("\n"),
    }
}

fn of_broken(spec: &BrokenSpec, folder: &str) -> Annotation {
    Annotation {
        file: below(folder, &spec.file),
        line: spec.line.map(|line| line as u64),
        title: "this spec was not run".to_owned(),
        message: spec.message.clone(),
    }
}

fn below(folder: &str, file: &str) -> String {
    let (mut folder, mut file) = (folder.trim_end_matches('/'), file);
    // GitHub finds no file by a path that turns back.
    while let Some(rest) = file.strip_prefix("../").filter(|_| !folder.is_empty()) {
        (folder, file) = (folder.rsplit_once('/').map_or("", |(parent, _)| parent), rest);
    }
    if folder.is_empty() || file.starts_with('/') { file.to_owned() } else { format!("{folder}/{file}") }
}

fn commands(level: &str, annotations: &[Annotation]) -> String {
    let shown = if annotations.len() > SHOWN { SHOWN - 1 } else { SHOWN };
    let mut text = String::new();
    for Annotation { file, line, title, message } in annotations.iter().take(shown) {
        let place = if file.is_empty() { String::new() } else { format!("file={},", property(file)) };
        let line = line.map_or(String::new(), |line| format!("line={line},"));
        text += &format!("::{level} {place}{line}title={}::{}\n", property(title), data(message));
    }
    let others: Vec<&str> = annotations.iter().skip(shown).map(|one| one.title.as_str()).collect();
    if !others.is_empty() {
        let mut names = others.iter().take(NAMES).copied().collect::<Vec<_>>().join("\n");
        if let more @ 1.. = others.len().saturating_sub(NAMES) {
            names += &format!("\nand {more} more");
        }
        let title = format!("{} more; GitHub shows {SHOWN} of a step", others.len());
        text += &format!("::{level} title={}::{}\n", property(&title), data(&names));
    }
    text
}

/// Text behind `::`, in which a line break would end the command, and `##[` might begin one of the
/// older kind.
fn data(text: &str) -> String {
    text.replace("##[", "# #[").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among others.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotation(title: &str, message: &str) -> Annotation {
        Annotation { file: "a,b:c.yaml".into(), line: Some(3), title: title.into(), message: message.into() }
    }

    #[test]
    fn nothing_ends_a_command_or_begins_another() {
        let hostile = annotation("x,line=1::y", "100%\n::error::no\r\n");
        assert_eq!(
            commands("error", &[hostile]),
            "::error file=a%2Cb%3Ac.yaml,line=3,title=x%2Cline=1%3A%3Ay::100%25%0A::error::no%0D%0A\n"
        );
    }

    #[test]
    fn the_tenth_of_more_names_the_others() {
        let many = |count: usize| -> Vec<Annotation> {
            (1..=count).map(|number| annotation(&format!("gate {number}"), "failed")).collect()
        };
        assert_eq!(commands("error", &many(10)).lines().count(), 10);
        let text = commands("error", &many(12));
        assert_eq!(text.lines().count(), 10);
        let last = text.lines().last().unwrap();
        assert_eq!(last, "::error title=3 more; GitHub shows 10 of a step::gate 10%0Agate 11%0Agate 12");
    }

    #[test]
    fn files_are_named_from_the_root_of_the_repository() {
        for (folder, file, expected) in [
            ("", "a/x.yaml", "a/x.yaml"),
            ("crates/b/", "a/x.yaml", "crates/b/a/x.yaml"),
            ("crates/b", "../x.yaml", "crates/x.yaml"),
            ("crates/b", "../../x.yaml", "x.yaml"),
            ("crates", "/x.yaml", "/x.yaml"),
        ] {
            assert_eq!(below(folder, file), expected);
        }
    }
}
