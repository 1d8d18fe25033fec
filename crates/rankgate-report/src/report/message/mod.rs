//! What a gate says: the text of a failed test.
//!
//! The message of each kind of finding stands with its data in `crate::findings`, and answers the same few questions
//! (`Kind`). The parts of all messages, the first line's benchmark and the advice at the end, are here.

pub mod evidence;
mod inputs;
pub mod movers;
pub mod warnings;
pub use inputs::inputs_changed;

use crate::metric::Polarity;
use crate::model::{
    ConfigurationReport, CoverageReport, Finding, GateReport, Movers, Outcome, Report, Verdict, Warning,
};

use super::clean::clean;
use super::number::queries;
use super::page::{Block, Kind, Part, Section, Table, add_titles};
use super::verdict::word;
use super::{lookup, painter};

/// Lines of a message are at most this long, commands and ids apart.
const WIDTH: usize = 100;
/// Characters of a name of our own side or the other in the body of a message.
pub const NAME: usize = 24;
/// Lines of a warning, and of what stands beside a number.
pub const WARNING: usize = 4;
pub const REMARK: usize = 9;

/// The failure message of one gate: what broke, by how much and how sure that is, which queries did
/// it, and what to do next. No newline at the end.
///
/// `gate` is one of `report.gates`; any verdict has a message. Text from data is shortened and its
/// control characters are escaped; commands are never broken, and the rest takes at most 100 columns.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let message = rankgate::report::message(&report, &report.gates[0]);
/// assert!(message.starts_with("helpdesk: bm25 is below its threshold on nDCG@10\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn message(report: &Report, gate: &GateReport) -> String {
    message_in(report, gate, WIDTH)
}

/// [`message`] in lines of at most `width` columns.
pub fn message_in(report: &Report, gate: &GateReport, width: usize) -> String {
    painter::message(&full(report, gate, &[]), width)
}

/// The message of a gate whose earlier messages contain a part of it: those of gates on the same configuration.
pub fn message_after(report: &Report, gate: &GateReport, earlier: &[GateReport]) -> String {
    let earlier: Vec<&GateReport> = earlier.iter().collect();
    let section = match like(gate, earlier.iter().copied()) {
        Some(first) => with_benchmark(report, told_after(report, gate, first)),
        None => full(report, gate, &earlier),
    };
    painter::message(&section, WIDTH)
}

/// The message of a gate of a report for whoever reads it below those of the gates before it; nothing where that is the
/// whole message.
pub fn short_message(report: &Report, gate: &GateReport) -> Option<String> {
    if gate.verdict == Verdict::Passed {
        return None;
    }
    let short = painter::message(&without_repetition(report, gate), WIDTH);
    (short != message(report, gate)).then_some(short)
}

/// The message of a gate whose cause another gate, called `first`, tells at length.
pub fn message_like(report: &Report, gate: &GateReport, first: &str) -> String {
    painter::message(&with_benchmark(report, told_after(report, gate, first)), WIDTH)
}

/// Everything that a message says, but for the queries and warnings that earlier messages show.
fn full(report: &Report, gate: &GateReport, earlier: &[&GateReport]) -> Section {
    let mut section = gate_section(report, gate);
    let warning = warning(report, gate);
    for first in earlier {
        let theirs = gate_section(report, first).parts;
        for part in &mut section.parts {
            let shows_queries =
                |block: &Block| matches!(block, Block::Queries(queries) if !queries.rows.is_empty());
            if theirs.contains(part) && part.iter().any(shows_queries) {
                let first = clean(&first.name);
                *part =
                    vec![Block::paragraph(format!("see {first} for the queries and documents that moved"))];
            }
            let is_told = |block: &Block| {
                warning.as_ref() == Some(block) && theirs.iter().flatten().any(|one| one == block)
            };
            part.retain(|block| !is_told(block));
        }
    }
    section.parts.retain(|part| !part.is_empty());
    let mut steps = Table::default();
    next(gate).into_iter().for_each(|(purpose, action)| steps.row([purpose + ":", action]));
    with_benchmark(report, section.part([Block::Table(steps)]))
}

/// How many earlier messages are searched for repeated parts.
pub const EARLIER: usize = 16;

/// The same, or where an earlier gate of the report was kept from being decided by the same cause, what that
/// is in short.
pub fn without_repetition(report: &Report, gate: &GateReport) -> Section {
    match first_of_cause(report, gate) {
        Some(first) => with_benchmark(report, told_after(report, gate, first)),
        None => {
            let before = report.gates.iter().take_while(|one| one.name != gate.name);
            let is_told =
                |one: &&GateReport| one.verdict != Verdict::Passed && one.configuration == gate.configuration;
            let earlier: Vec<&GateReport> = before.filter(is_told).take(EARLIER).collect();
            full(report, gate, &earlier)
        }
    }
}

/// The other numbers of a gate, for readers who check them.
pub fn rows(gate: &GateReport) -> Part {
    let rows = gate.finding.kind().rows();
    let mut table = Table::default();
    rows.iter().for_each(|row| table.row([clean(&row.label), clean(&row.value)]));
    if rows.is_empty() { Part::new() } else { vec![Block::Table(table)] }
}

/// The same without the benchmark's name, and without what to do next, which is [`next`].
pub fn told_once(report: &Report, gate: &GateReport) -> Section {
    match first_of_cause(report, gate) {
        Some(first) => told_after(report, gate, first),
        None => gate_section(report, gate),
    }
}

fn gate_section(report: &Report, gate: &GateReport) -> Section {
    let context = Context { report, gate };
    let message = gate.finding.kind();
    let mut section = under_headline(message.headline(&context), gate.verdict == Verdict::Advisory);
    section.parts = message.body(&context);
    section.parts.iter_mut().for_each(|part| add_titles(part, &report.titles));
    let incomplete = incomplete(gate).map(|all| Block::warning(&all.to_string(), WARNING));
    let changed = incomplete.into_iter().chain(warning(report, gate));
    section.part(explanation(&context).map(Block::paragraph)).part(changed)
}

/// Whether there is something to say of a gate though it passed: inputs changed since it was blessed, not all of what it
/// rests on is there, or a warning stands beside its verdict.
pub fn is_remarkable(gate: &GateReport) -> bool {
    !gate.inputs_changed.is_empty() || gate.coverage.is_some() || !warnings::of_gate(gate).is_empty()
}

/// What to say of a gate that passed, and to know before any verdict is believed.
pub fn remarks(report: &Report, gate: &GateReport) -> Vec<Warning> {
    let coverage = incomplete(gate).map(|one| Warning::new("coverage", one.to_string()));
    let inputs = inputs_changed(report, gate).map(|text| Warning::new("inputs-changed", text));
    inputs.into_iter().chain(coverage).chain(warnings::of_gate(gate).iter().cloned()).collect()
}

/// What of a gate's data is missing, where it was decided all the same.
fn incomplete(gate: &GateReport) -> Option<&CoverageReport> {
    gate.coverage.as_ref().filter(|_| gate.verdict != Verdict::Error)
}

/// What has changed beside the retriever.
fn warning(report: &Report, gate: &GateReport) -> Option<Block> {
    inputs_changed(report, gate).map(|text| Block::warning(&text, WARNING))
}

fn told_after(report: &Report, gate: &GateReport, first: &str) -> Section {
    let context = Context { report, gate };
    let cause = reason(&gate.finding).and_then(|reason| reason.trim().lines().next());
    let cause = cause.map(|cause| Block::hanging(format!("{}: ", word(gate.verdict)), cause, 3));
    let like = Block::line(format!("the same cause as that of {}", clean(first)));
    under_headline(gate.finding.kind().headline(&context), false).part(cause.into_iter().chain([like]))
}

/// A section under a headline.
fn under_headline(headline: String, is_advisory: bool) -> Section {
    let advisory = if is_advisory { " (advisory)" } else { "" };
    Section::headed(headline + advisory).kind(Kind::Message)
}

/// The same with the benchmark's name before the headline.
fn with_benchmark(report: &Report, section: Section) -> Section {
    Section { heading: format!("{}: {}", clean(&report.benchmark), section.heading), ..section }
}

/// Who holds what and what the verdict rests on: [`message`] without the numbers and what explains them.
pub fn verdict_on(report: &Report, gate: &GateReport) -> Section {
    let context = Context { report, gate };
    let message = gate.finding.kind();
    Section::headed(message.headline(&context)).kind(Kind::Nested).part(message.grounds(&context))
}

/// The queries that moved on both sides of a comparison, which takes more for better: at most so many each way, losses first.
pub fn moved(movers: &Movers, most: usize) -> Part {
    use movers::Way::{Falls, Rises};
    let of = movers.worse + movers.better + movers.unchanged;
    movers::told_up_to([most, most], movers, of, (Polarity::MoreIsBetter, &[Falls, Rises]))
}

/// The earlier gate that was kept from being decided by the same cause.
pub fn first_of_cause<'a>(report: &'a Report, gate: &GateReport) -> Option<&'a str> {
    like(gate, report.gates.iter())
}

/// The first of these that was kept from being decided by the same cause.
fn like<'a>(gate: &GateReport, mut gates: impl Iterator<Item = &'a GateReport>) -> Option<&'a str> {
    let own = reason(&gate.finding)?;
    let is_like = |one: &&GateReport| one.verdict == gate.verdict && reason(&one.finding) == Some(own);
    let first = gates.find(is_like).filter(|_| gate.verdict == Verdict::Error)?;
    (first.name != gate.name).then_some(&first.name)
}

/// What kept a gate from being decided.
fn reason(finding: &Finding) -> Option<&str> {
    finding.kind().undecided_reason()
}

/// The configuration and metric of a gate's rankings, for readers who want to see them.
pub fn about(gate: &GateReport) -> About {
    gate.finding.kind().about(gate)
}

/// A candidate, what it is held against, and the metric if it is on one.
pub struct About {
    pub candidate: String,
    pub baseline: String,
    pub metric: Option<String>,
}

/// What a gate saw, in a few words for a list of gates: `0.5312 < 0.6000`. Scores have at least so many
/// decimals.
pub fn short(gate: &GateReport, decimals: usize) -> String {
    let mut seen = gate.finding.kind().short(decimals);
    if let Some(coverage) = incomplete(gate) {
        seen += &format!("; coverage {}", coverage.percentage());
    }
    seen
}

/// What a comparison over fewer queries than there are says of the others.
pub fn left_out(unpaired: usize) -> String {
    if unpaired == 0 { String::new() } else { format!(", {} left out", queries(unpaired)) }
}

/// Context of a gate's message.
pub struct Context<'a> {
    pub report: &'a Report,
    pub gate: &'a GateReport,
}

impl Context<'_> {
    /// The configuration that is judged, fit to be shown.
    pub fn name(&self) -> String {
        clean(&self.gate.configuration)
    }

    pub fn configuration(&self) -> Option<&ConfigurationReport> {
        lookup::configuration(self.report, &self.gate.configuration)
    }
}

/// What the verdict means, where a reader may not know it.
fn explanation(context: &Context) -> Option<&'static str> {
    let failure = match context.configuration().map(|one| &one.outcome) {
        Some(Outcome::Error(failure)) => Some(failure),
        _ => None,
    };
    Some(match context.gate.verdict {
        Verdict::Passed | Verdict::Failed => return None,
        Verdict::Reported => "This comparison has no expectation, so it cannot fail.",
        Verdict::Advisory => "This gate is advisory: it is reported and does not fail the build.",
        Verdict::Inconclusive => "There is too little data to decide this gate, so it does not pass.",
        Verdict::Error if context.gate.coverage.is_some() => {
            "There is no verdict because the missing data could change it."
        }
        Verdict::Error if failure.is_some_and(|failure| failure.query.is_none()) => {
            "Every gate of this configuration is an error until you fix this."
        }
        Verdict::Error if failure.is_some() => {
            "A query that fails is not scored as 0, and the other queries alone are not the mean. Every gate of \
             this configuration is an error until it answers all queries."
        }
        Verdict::Error => return None,
    })
}

/// What to do next, each with what for: a command to type or a place to open.
pub fn next(gate: &GateReport) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> =
        gate.advice.iter().map(|advice| (clean(&advice.label), clean(&advice.value))).collect();
    steps.extend(gate.place.iter().map(|place| ("this gate".to_owned(), clean(place))));
    steps
}
