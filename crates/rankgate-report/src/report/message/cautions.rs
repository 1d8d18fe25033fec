//! Cautions beside verdicts: in the message of a gate, and where a gate that passed has no message.

use crate::model::{GateReport, Report, Verdict};
use crate::report::clean::{clean, shorten_name};
use crate::report::lookup::gate_name;
use crate::report::page::{Block, Part};

use super::{CAUTION, NAME, message_of};

/// Cautions of gates that passed which are shown; the JSON form has all of them.
const SHOWN: usize = 20;
/// Gates that are named beside one.
const GATES: usize = 2;

/// What should be known before the verdict on a gate is believed, its evidence and changed inputs aside.
pub fn cautions(gate: &GateReport) -> Vec<String> {
    message_of(&gate.finding).cautions()
}

/// Cautions in a message.
pub fn part(cautions: &[String]) -> Part {
    cautions.iter().map(|caution| Block::warning("caution", caution, CAUTION)).collect()
}

/// Cautions beside gates that passed but for those that the lines of these gates tell: each once, with the gates.
pub fn beside_passed(report: &Report) -> Part {
    let mut all: Vec<(String, Vec<&GateReport>)> = Vec::new();
    for gate in report.gates.iter().filter(|gate| gate.verdict == Verdict::Passed) {
        for caution in message_of(&gate.finding).list_cautions() {
            match all.iter_mut().find(|(known, _)| *known == caution) {
                Some((_, gates)) => gates.push(gate),
                None => all.push((caution, vec![gate])),
            }
        }
    }
    let line = |(caution, gates): &(String, Vec<&GateReport>)| {
        let named: Vec<String> =
            gates.iter().take(GATES).map(|gate| shorten_name(gate_name(report, gate), 2 * NAME)).collect();
        let more = match gates.len().saturating_sub(GATES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Block::warning("caution", &clean(&format!("{}{more}: {caution}", named.join(", "))), CAUTION)
    };
    let mut part: Part = all.iter().take(SHOWN).map(line).collect();
    if let more @ 1.. = all.len().saturating_sub(SHOWN) {
        part.push(Block::line(format!("and {more} more cautions in the JSON report")));
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Caution, Finding};
    use crate::report::tests::sample::gate;
    use crate::report::tests::sample_comparison::{comparing, dropped};
    use crate::report::{markdown, text};
    use crate::stats::Warning;

    /// A gate that passed has no message: its cautions stand wherever its verdict does.
    #[test]
    fn a_caution_stands_wherever_the_verdict_does() {
        let mut report = comparing();
        let mut finding = dropped();
        let statistics = |warning| Caution::of_statistics(warning, None, None);
        finding.cautions =
            vec![statistics(Warning::FewUnits { units: 3 }), statistics(Warning::NoUnseenQuery)];
        let passed = |name: &str| gate(name, Verdict::Passed, Finding::Comparison(Box::new(finding.clone())));
        report.gates = ["one", "two", "three"].map(passed).into();
        for gate in &mut report.gates {
            gate.inputs_changed.clear();
        }
        let joined = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let listed = "caution: one, two and 1 more: only 3 queries";
        for shown in [joined(text(&report)), joined(markdown(&report)).replace('*', "")] {
            assert!(shown.contains(listed), "{shown}");
            assert_eq!(shown.matches("no unseen query counted").count(), 3, "{shown}");
        }
    }
}
