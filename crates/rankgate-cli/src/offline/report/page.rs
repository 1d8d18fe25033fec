//! Comparisons as a page of text: all candidates in a table where there are many, then each by itself.

use crate::offline::comparison::deciding_interval;
use crate::offline::model::{ComparisonFinding, GateReport, Verdict};
use crate::offline::stats::Reason;
use crate::offline::{Comparisons, Conclusion};
use rankgate_report::gate::Expect;
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::message::verdict_on;
use rankgate_report::report::internal::number::{interval, percent};
use rankgate_report::report::internal::page::{Block, Section};
use rankgate_report::report::internal::painter::{self, Style};
use rankgate_report::report::internal::verdict::word;

use super::details::{alike, digits, moved_most, numbers, rests_on, sentence, warning_blocks};
use super::overview::overview;
use super::{WIDTH, widths};

/// More candidates than this are a line each before the details of any.
const FEW_CANDIDATES: usize = 2;

/// The claim about each candidate, the numbers behind it, warnings, and the queries that moved most, in a style; of more
/// than two candidates a table, as wide as the terminal, and with `all` the same of each.
pub fn comparisons_within(all: &Comparisons, style: Style, width: usize, detailed: bool) -> String {
    let metrics =
        all.comparisons.iter().take_while(|one| one.candidate == all.comparisons[0].candidate).count().max(1);
    let many = all.comparisons.len() / metrics > FEW_CANDIDATES;
    let detailed = detailed || !many;
    let groups = all.comparisons.chunks(metrics).enumerate().filter(|_| detailed);
    let groups: Vec<(usize, &[ComparisonFinding])> = groups.collect();
    let mut sections = Vec::new();
    if let Some(gate) = &all.gate {
        let limit = gate.limit.map_or(String::new(), |limit| format!(" ({limit})"));
        sections.push(Section::headed(format!("{}{limit}: {}", gate.expect, word(gate.verdict))));
    }
    if many {
        sections.extend(overview(all, metrics, width, groups.is_empty()));
    }
    if all.gate.is_some() && detailed {
        // A gain says more than that there is no drop: its sentence has the verdict.
        let gates =
            all.report.gates.iter().zip(&all.comparisons).filter(|(_, one)| !passes_by_gain(one, all));
        sections.extend(gates.map(|(gate, _)| verdict_on(&all.report, gate).part(own_interval(gate, all))));
    }
    for &(index, group) in &groups {
        sections.push(Section::from_blocks(group.iter().map(|one| Block::paragraph(claim(one, all)))));
        if !group.iter().all(|one| one.conclusion == Some(Conclusion::Identical)) {
            sections.push(Section::from_blocks([Block::Table(numbers(group, all))]));
            sections.push(Section::from_blocks(alike(group).map(Block::paragraph)));
        }
        let metrics_of = |metrics: &[&str]| (metrics.len() < group.len()).then(|| clean(&metrics.join(", ")));
        let warnings = group.iter().map(|one| (one.metric.as_str(), &one.warnings[..]));
        sections.push(Section::from_blocks(warning_blocks(warnings, metrics_of)));
        sections.extend(moved_most(group, index * metrics, all));
    }
    if !groups.is_empty() && all.comparisons.iter().any(|one| one.conclusion != Some(Conclusion::Identical)) {
        sections.push(Section::from_blocks([Block::paragraph(rests_on(all))]));
    }
    painter::page(&sections, widths(WIDTH), style)
}

/// Who is better, behind the verdict where that says it all.
fn claim(one: &ComparisonFinding, all: &Comparisons) -> String {
    let sentence = sentence(one, all);
    if passes_by_gain(one, all) { format!("{}: {sentence}", word(Verdict::Passed)) } else { sentence }
}

/// Whether nothing worse than a drop was to be ruled out, and there is a significant gain.
fn passes_by_gain(one: &ComparisonFinding, all: &Comparisons) -> bool {
    let is_passed = |gate: &GateReport| gate.verdict == Verdict::Passed;
    let index = all.comparisons.iter().position(|other| std::ptr::eq(one, other));
    let gate = index.and_then(|index| all.report.gates.get(index));
    one.conclusion == Some(Conclusion::Better)
        && all.gate.as_ref().is_some_and(|gate| gate.expect == Expect::NoRegression)
        && gate.is_some_and(is_passed)
}

/// The interval that agrees with a verdict, where it is another than that of the difference by itself, which stands below.
fn own_interval(gate: &GateReport, all: &Comparisons) -> Option<Block> {
    let own = deciding_interval(&gate.finding)??;
    let (one, _) =
        all.comparisons.iter().zip(&all.report.gates).find(|(_, other)| other.name == gate.name)?;
    let shown = || format!("{} CI of this verdict: {}", percent(all.confidence), interval(own, digits(one)));
    let is_told = one.reason != Reason::Identical && one.interval != Some(own);
    is_told.then(|| Block::line(shown()))
}
