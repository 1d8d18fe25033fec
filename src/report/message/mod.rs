//! What a gate says: the text of a failed test.
//!
//! One file for each kind of finding, each answering the same three questions ([`Tell`]); what is
//! common to all of them, the first line's benchmark and the advice at the end, is here. A new kind of
//! finding is a file that implements [`Tell`] and a line in [`telling`].

mod comparison;
mod deterministic;
mod evidence;
mod movers;
mod overlap;
mod rows;
mod snapshot;
mod threshold;
mod undecided;

use crate::benchmark::model::{ConfigurationReport, Finding, GateReport, Movers, Outcome, Report, Verdict};

use super::clean::{clean, hang, shorten, shorten_name, wrap};
use super::number::queries;
use super::{lookup, phrases};

/// Lines of a message are at most this long, commands and ids apart.
const WIDTH: usize = 100;
/// Blanks before everything but the first line.
const INDENT: usize = 2;
/// Characters of a name of our own side or the other in the body of a message.
const NAME: usize = 24;

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
#[must_use]
pub fn message(report: &Report, gate: &GateReport) -> String {
    message_in(report, gate, WIDTH)
}

/// What a message says, without what to do next.
pub(super) struct Told {
    /// The first line, without the benchmark's name.
    pub(super) headline: String,
    /// Lines that belong together.
    pub(super) blocks: Vec<Block>,
}

impl Told {
    fn text(self, report: &Report, advice: Block) -> String {
        let mut lines = vec![format!("{}: {}", clean(&report.benchmark), self.headline)];
        for block in self.blocks.iter().chain([&advice]).filter(|block| !block.is_empty()) {
            lines.push(String::new());
            lines.extend(block.iter().map(|line| format!("{:INDENT$}{line}", "")));
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }
}

/// [`message`] in lines of at most `width` columns.
pub(super) fn message_in(report: &Report, gate: &GateReport, width: usize) -> String {
    told(report, gate, width).text(report, advice(gate))
}

fn told(report: &Report, gate: &GateReport, width: usize) -> Told {
    let context = Context { report, gate, width: width.saturating_sub(INDENT) };
    let tell = telling(&gate.finding);
    let mut headline = tell.headline(&context);
    if gate.verdict == Verdict::Advisory {
        headline += " (advisory)";
    }
    let mut blocks = tell.body(&context);
    blocks.push(explanation(&context));
    let warning = phrases::inputs_changed(report, gate);
    blocks.push(warning.iter().flat_map(|text| hang("warning: ", text, context.width, 4)).collect());
    Told { headline, blocks }
}

/// Who holds what and what the verdict rests on, in lines of at most `width` columns: [`message`] without
/// the numbers and what explains them.
pub(super) fn verdict_in(report: &Report, gate: &GateReport, width: usize) -> Vec<String> {
    let context = Context { report, gate, width: width.saturating_sub(INDENT) };
    let tell = telling(&gate.finding);
    let mut lines = wrap(&tell.headline(&context), width, usize::MAX);
    let body = match &gate.finding {
        Finding::Comparison(finding) => {
            let mut block = evidence::verdict(finding, &context);
            block.extend(evidence::settling(finding, &context));
            block
        }
        _ => tell.body(&context).into_iter().flatten().collect(),
    };
    lines.extend(body.iter().map(|line| format!("{:INDENT$}{line}", "")));
    lines
}

/// The queries that moved on both sides of a comparison, at most so many each way, losses first.
pub(super) fn moved_in(
    report: &Report,
    gate: &GateReport,
    movers: &Movers,
    most: usize,
    width: usize,
) -> Vec<String> {
    use movers::Way::{Gains, Losses};
    let context = Context { report, gate, width };
    let of = movers.worse + movers.better + movers.unchanged;
    movers::told_up_to([most, most], movers, of, &[Losses, Gains], &context)
}

/// [`message_in`], or where an earlier gate of the report was kept from being decided by the same cause,
/// what that is in short.
pub(super) fn message_once(report: &Report, gate: &GateReport, width: usize) -> String {
    match first_of_cause(report, gate) {
        Some(first) => told_after(report, gate, first, width).text(report, Block::new()),
        None => message_in(report, gate, width),
    }
}

/// The same without what to do next, which is [`next`].
pub(super) fn told_once(report: &Report, gate: &GateReport, width: usize) -> Told {
    match first_of_cause(report, gate) {
        Some(first) => told_after(report, gate, first, width),
        None => told(report, gate, width),
    }
}

/// The earlier gate that was kept from being decided by the same cause.
fn first_of_cause<'a>(report: &'a Report, gate: &GateReport) -> Option<&'a str> {
    let cause = |gate: &GateReport| match &gate.finding {
        Finding::Undecided { reason } if gate.verdict == Verdict::Errored => Some(reason.clone()),
        _ => None,
    };
    let own = cause(gate)?;
    let first = report.gates.iter().find(|one| cause(one).as_ref() == Some(&own))?;
    (first.name != gate.name).then_some(&first.name)
}

/// The message of a gate whose cause another gate, called `first`, tells at length.
pub(crate) fn message_like(report: &Report, gate: &GateReport, first: &str) -> String {
    told_after(report, gate, first, WIDTH).text(report, Block::new())
}

fn told_after(report: &Report, gate: &GateReport, first: &str, width: usize) -> Told {
    let context = Context { report, gate, width: width.saturating_sub(INDENT) };
    let mut block = Block::new();
    if let Finding::Undecided { reason } = &gate.finding {
        let cause = reason.trim().lines().next().unwrap_or_default();
        block.extend(hang("ERRORED: ", cause, context.width, 3));
    }
    block.push(format!("the same cause as that of {}", clean(first)));
    Told { headline: telling(&gate.finding).headline(&context), blocks: vec![block] }
}

/// What a gate saw, in a few words for a list of gates: `0.5312 < 0.6000`. Scores have at least so many
/// decimals.
pub(super) fn seen(gate: &GateReport, decimals: usize) -> String {
    let mut seen = telling(&gate.finding).seen(decimals);
    // A limit is held without what was blessed.
    if !gate.inputs_changed.is_empty() && !matches!(gate.finding, Finding::Threshold(_)) {
        seen += &format!("; inputs changed: {}", phrases::input_words(&gate.inputs_changed));
    }
    seen
}

/// What a comparison over fewer queries than there are says of the others.
fn left_out(unpaired: usize) -> String {
    if unpaired == 0 { String::new() } else { format!(", {} left out", queries(unpaired)) }
}

/// The word for a verdict.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "PASSED",
        Verdict::Failed => "FAILED",
        Verdict::Inconclusive => "INCONCLUSIVE",
        Verdict::Advisory => "ADVISORY",
        Verdict::Errored => "ERRORED",
        Verdict::Reported => "REPORTED",
    }
}

/// A mark that stands beside the word for a verdict.
pub(super) fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "\u{2713}",
        Verdict::Failed => "\u{2717}",
        Verdict::Inconclusive => "?",
        Verdict::Advisory | Verdict::Reported => "i",
        Verdict::Errored => "!",
    }
}

/// What is known when a gate speaks.
struct Context<'a> {
    report: &'a Report,
    gate: &'a GateReport,
    /// Columns that a line of the body may take.
    width: usize,
}

impl Context<'_> {
    /// The configuration that is judged, fit to be shown.
    fn name(&self) -> String {
        clean(&self.gate.configuration)
    }

    fn configuration(&self) -> Option<&ConfigurationReport> {
        lookup::configuration(self.report, &self.gate.configuration)
    }

    /// A paragraph of our own.
    fn paragraph(&self, text: &str) -> Block {
        wrap(text, self.width, usize::MAX)
    }
}

/// Lines that belong together; blocks stand a blank line apart.
pub(super) type Block = Vec<String>;

/// What a message says of one kind of finding.
trait Tell {
    /// The first line, behind the benchmark's name: who broke what.
    fn headline(&self, context: &Context) -> String;

    /// The numbers in a few words, with at least so many decimals.
    fn seen(&self, decimals: usize) -> String;

    /// The numbers and what explains them.
    fn body(&self, context: &Context) -> Vec<Block>;
}

fn telling(finding: &Finding) -> Box<dyn Tell + '_> {
    match finding {
        Finding::Threshold(finding) => Box::new(threshold::Threshold::from(&**finding)),
        Finding::Snapshot(finding) => Box::new(finding),
        Finding::Deterministic(finding) => Box::new(finding),
        Finding::Comparison(finding) => Box::new(comparison::Comparison(finding)),
        Finding::Overlap(finding) => Box::new(overlap::Overlap(finding)),
        Finding::Undecided { reason } => Box::new(undecided::Undecided { reason }),
    }
}

/// What is measured: a metric, and the segment that it is taken over.
pub(in crate::report) fn measure(metric: &str, segment: Option<&[String; 2]>) -> String {
    let metric = clean(metric);
    match segment {
        Some([key, value]) => format!("{metric} [{}={}]", shorten(key, 40), shorten_name(value, 40)),
        None => metric,
    }
}

/// What the verdict means, where a reader may not know it.
fn explanation(context: &Context) -> Block {
    let failure = match context.configuration().map(|one| &one.outcome) {
        Some(Outcome::Errored(failure)) => Some(failure),
        _ => None,
    };
    let text = match context.gate.verdict {
        Verdict::Passed | Verdict::Failed => return Block::new(),
        Verdict::Reported => "Nothing was expected here: it is reported, and passes or fails nothing.",
        Verdict::Advisory => "This gate is advisory: it is reported and does not fail the build.",
        Verdict::Inconclusive => {
            "The data do not decide this gate, and a gate that is not shown to hold does not pass."
        }
        Verdict::Errored if failure.is_some_and(|failure| failure.query.is_none()) => {
            "No score was made up. Every gate on this configuration is errored until that is mended."
        }
        Verdict::Errored if failure.is_some() => {
            "No score was made up: a query that fails is not a 0, and the other queries alone are not the \
             mean. Every gate on this configuration is errored until it answers all of them."
        }
        Verdict::Errored => "No score was made up: there is nothing that this gate could judge.",
    };
    context.paragraph(text)
}

/// What to do next, each with what for: a command to type or a place to open.
pub(super) fn next(gate: &GateReport) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> =
        gate.advice.iter().map(|advice| (clean(&advice.purpose), clean(&advice.action))).collect();
    if !gate.place.file.is_empty() {
        steps.push(("this gate".to_owned(), format!("{}:{}", clean(&gate.place.file), gate.place.line)));
    }
    steps
}

/// The same, one line each, commands whole so that they can be copied.
fn advice(gate: &GateReport) -> Block {
    let lines = next(gate);
    let width = lines.iter().map(|(purpose, _)| purpose.chars().count() + 1).max().unwrap_or(0);
    lines.into_iter().map(|(purpose, action)| format!("{:<width$}  {action}", purpose + ":")).collect()
}
