//! Warnings beside verdicts: in the message of a gate, and where a gate that passed has no message.

use crate::model::{GateReport, Report, Verdict, Warning};
use crate::report::clean::{clean, shorten_name};
use crate::report::lookup::gate_name;
use crate::report::page::{Block, Part};

use super::{NAME, WARNING, inputs_changed};

/// Warnings of gates that passed which are shown; the JSON form has all of them.
const SHOWN: usize = 20;
/// Gates that are named beside one.
const GATES: usize = 2;

/// All that a reader should know before trusting the numbers, each thing once.
pub fn of_report(report: &Report) -> Vec<String> {
    let mut warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    for warning in report.gates.iter().filter_map(|gate| inputs_changed(report, gate)) {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

/// What should be known before the verdict on a gate is believed, its evidence and changed inputs aside.
pub fn of_gate(gate: &GateReport) -> &[Warning] {
    gate.finding.kind().warnings()
}

/// Warnings in a message.
pub fn part(warnings: &[Warning]) -> Part {
    warnings.iter().map(|warning| Block::warning(&warning.text, WARNING)).collect()
}

/// Warnings beside gates that passed: each once, with the gates.
pub fn beside_passed(report: &Report) -> Part {
    let mut all: Vec<(&str, Vec<&GateReport>)> = Vec::new();
    for gate in report.gates.iter().filter(|gate| gate.verdict == Verdict::Passed) {
        for Warning { text, .. } in of_gate(gate) {
            match all.iter_mut().find(|(known, _)| known == text) {
                Some((_, gates)) => gates.push(gate),
                None => all.push((text, vec![gate])),
            }
        }
    }
    let line = |(warning, gates): &(&str, Vec<&GateReport>)| {
        let named: Vec<String> =
            gates.iter().take(GATES).map(|gate| shorten_name(gate_name(report, gate), 2 * NAME)).collect();
        let more = match gates.len().saturating_sub(GATES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Block::warning(&clean(&format!("{}{more}: {warning}", named.join(", "))), WARNING)
    };
    let mut part: Part = all.iter().take(SHOWN).map(line).collect();
    if let more @ 1.. = all.len().saturating_sub(SHOWN) {
        part.push(Block::line(format!("and {more} more warnings in the JSON report")));
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Finding;
    use crate::report::tests::sample::gate;
    use crate::report::tests::sample_comparison::{comparing, dropped};
    use crate::report::{markdown, text};
    use crate::stats;

    /// A gate that passed has no message: its warnings stand wherever its verdict does.
    #[test]
    fn a_warning_stands_wherever_the_verdict_does() {
        let mut report = comparing();
        let mut finding = dropped();
        let statistics = |warning| Warning::of_statistics(warning, None, None);
        finding.warnings = vec![
            statistics(stats::Warning::FewUnits { units: 3 }),
            statistics(stats::Warning::NoUnseenQuery),
        ];
        let passed = |name: &str| gate(name, Verdict::Passed, Finding::Comparison(Box::new(finding.clone())));
        report.gates = ["one", "two", "three"].map(passed).into();
        for gate in &mut report.gates {
            gate.inputs_changed.clear();
        }
        let joined = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let listed = "warning: one, two and 1 more: only 3 queries";
        for shown in [joined(text(&report)), joined(markdown(&report)).replace('*', "")] {
            assert!(shown.contains(listed), "{shown}");
            assert!(shown.contains("warning: one, two and 1 more: decided by one test alone"), "{shown}");
        }
    }
}
