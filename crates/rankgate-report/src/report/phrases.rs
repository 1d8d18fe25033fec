//! What the terminal and Markdown say in the same words.

use crate::model::{
    CollectionReport, ComparisonFinding, ConfigurationReport, Measured, Outcome, Report, Verdict, Verdicts,
};

use crate::metric::Metric;

use super::clean::{clean, shorten, shorten_name};
use super::lookup::{Column, measured};
use super::number::{count, counted, interval, legible, queries, signed, time};
use super::page::{Kind, Section, Table};
use super::verdict::word;

/// Unanswered queries that are named.
const UNANSWERED: usize = 5;

/// `12 passed, 1 failed`, advisory gates last.
pub fn verdicts(report: &Report) -> String {
    if report.error.is_some() {
        return "not run".to_owned();
    }
    let verdicts = counts(&report.verdicts());
    match verdicts.is_empty() {
        true if report.gates.is_empty() && !measured(report).is_empty() => "measured, no gates".to_owned(),
        true => "no gate was decided".to_owned(),
        false => verdicts,
    }
}

/// The same of gates that were counted; empty without any.
pub fn counts(verdicts: &Verdicts) -> String {
    let count = |(verdict, gates): (Verdict, usize)| {
        let plural = if verdict == Verdict::Error && gates != 1 { "s" } else { "" };
        format!("{gates} {}{plural}", word(verdict).to_lowercase())
    };
    verdicts.counts().map(count).collect::<Vec<_>>().join(", ")
}

/// The head of a page.
pub fn title(report: &Report) -> Section {
    let heading = format!("{}: {}", clean(&report.benchmark), verdicts(report));
    Section { kind: Kind::Title, heading, ..Section::default() }
}

/// The measured value: a metric, and the segment that it is taken over.
pub fn measure(metric: &str, segment: Option<&[String; 2]>) -> String {
    let metric = clean(metric);
    match segment {
        Some([key, value]) => format!("{metric} [{}={}]", shorten(key, 40), shorten_name(value, 40)),
        None => metric,
    }
}

/// The same in a sentence, where it may be a share of queries: `the share of queries with nDCG@10>=0.5`.
pub fn measure_in_words(metric: &str, segment: Option<&[String; 2]>) -> String {
    let share = if is_share(metric) { "the share of queries with " } else { "" };
    share.to_owned() + &measure(metric, segment)
}

/// Whether the metric of this name is a share of queries: those that reach a value, or that go wrong.
pub fn is_share(metric: &str) -> bool {
    metric.contains(">=") || metric.parse::<Metric>().is_ok_and(|metric| metric.is_of_silence())
}

/// Inputs, each once.
pub fn input_words<'a>(inputs: impl IntoIterator<Item = &'a String>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for input in inputs {
        if !seen.contains(&input.as_str()) {
            seen.push(input);
        }
    }
    seen.join(", ")
}

/// The errors of the spec, line by line, where they kept it from running.
pub fn error(report: &Report) -> Vec<String> {
    let lines = report.error.iter().flat_map(|error| error.lines());
    lines.map(|line| clean(line).trim_end().to_owned()).collect()
}

/// The sentence where not every gate of the spec was decided, `2 of 14 gates decided`.
pub fn partial(report: &Report) -> Option<String> {
    let (decided, all) = (report.gates.len(), report.gates_in_spec);
    (decided < all && report.error.is_none())
        .then(|| format!("{} of {} decided", count(decided), counted(all, "gate", "gates")))
}

/// Why the others were not, for later readers of the report.
pub const PARTIAL: &str = "the others were not selected";

/// A comparison's difference, with more decimals where it is small.
pub fn difference(finding: &ComparisonFinding, least: usize) -> String {
    signed(finding.difference, legible(finding.difference, 0.0, least))
}

/// Its interval with as many decimals more.
pub fn limits(finding: &ComparisonFinding, least: usize) -> Option<String> {
    let digits = legible(finding.difference, 0.0, least);
    finding.interval.map(|limits| interval(limits, digits))
}

/// The collection in one sentence.
pub fn collection(collection: &CollectionReport) -> String {
    let mut text = match collection.judgments {
        0 => format!("{}, no judgments", queries(collection.queries)),
        _ => judged(collection),
    };
    if let Some(documents) = collection.documents {
        let documents = usize::try_from(documents).unwrap_or(usize::MAX);
        text += &format!(", {}", counted(documents, "document", "documents"));
    }
    if collection.judgments > 0 {
        text += &format!("; relevant from grade {}", collection.relevant_from);
    }
    if collection.unanswerable > 0 {
        text += &format!("; {}", unanswerable(collection.unanswerable));
    }
    if collection.without_judgments > 0 {
        let not_asked = queries(collection.without_judgments);
        text += &format!("; {not_asked} without judgments, not asked");
    }
    text
}

/// The queries that no document answers.
pub fn unanswerable(number: usize) -> String {
    let queries = counted(number, "unanswerable query", "unanswerable queries");
    let are = if number == 1 { "is" } else { "are" };
    format!("{queries} {are} measured by FalseAnswer and MissedRefusal alone")
}

/// Its judged queries and judgments.
fn judged(collection: &CollectionReport) -> String {
    let mut text = counted(collection.queries, "judged query", "judged queries");
    if collection.left_out > 0 {
        text += &format!(" ({} more without a relevant document left out)", count(collection.left_out));
    } else if collection.unjudgeable > 0 {
        text += &format!(" ({} without a relevant document)", count(collection.unjudgeable));
    }
    text + &format!(", {}", counted(collection.judgments, "judgment", "judgments"))
}

/// A metric's name, with the depth where that decides how much it sees: at another depth it is another
/// metric.
pub fn label(report: &Report, metric: &str) -> String {
    match report.configurations.first() {
        Some(one) if report.cut_short.iter().any(|cut| cut == metric) => {
            format!("{metric} (depth {})", one.depth)
        }
        _ => metric.to_owned(),
    }
}

/// How the number of results per query affects metrics without a cutoff: one of them sets
/// it where the spec does not; where the spec does, it is all that they see.
pub fn depth(report: &Report) -> Option<String> {
    let depth = report.configurations.first()?.depth;
    if !report.cut_short.is_empty() {
        let cut_short = clean(&report.cut_short.join(", "));
        let depth = count(depth);
        return Some(format!(
            "{depth} results asked for per query, which is all that {cut_short} without a cutoff can see: other depths \
             give other values"
        ));
    }
    let metric = clean(report.depth_because.as_deref()?);
    let depth = count(depth);
    Some(format!(
        "{depth} results asked for per query, because {metric} has no cutoff; depth sets another number"
    ))
}

/// Half and most of the answer times; `-` for a frozen run.
fn times(measured: &Measured) -> [String; 2] {
    match measured.latency {
        Some(latency) => [latency.p50, latency.p95].map(time),
        None => ["-", "-"].map(str::to_owned),
    }
}

/// The number of queries and the time they took; `None` where nothing was measured. Names and sources have at most
/// so many characters.
pub fn configurations(columns: &[Column], name: usize, source: usize) -> Option<Table> {
    let header = ["configuration", "source", "p50", "p95", "unanswered", "tied"];
    let mut table = Table::headed(header).right(2..6);
    for (configuration, measured) in columns {
        let [p50, p95] = times(measured);
        table.row([
            shorten_name(&configuration.name, name),
            shorten(&configuration.source, source),
            p50,
            p95,
            count(measured.unanswered.len()),
            count(measured.tied_scores),
        ]);
    }
    (!table.is_empty()).then_some(table)
}

/// What should be known of each configuration, whose name has at most so many characters.
pub fn all_notes(report: &Report, name: usize) -> Vec<(String, String)> {
    let of = |one: &ConfigurationReport| {
        let name = shorten_name(&one.name, name);
        notes(&one.outcome).into_iter().map(|note| (name.clone(), note)).collect::<Vec<_>>()
    };
    report.configurations.iter().flat_map(of).collect()
}

/// What should be known of a configuration beside its numbers, or why it has none.
fn notes(outcome: &Outcome) -> Vec<String> {
    let measured = match outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Error(failure) => {
            return vec![format!("{}, not measured: {}", word(Verdict::Error), failure.brief())];
        }
        Outcome::NotAsked => return vec!["not asked: no selected gate needs it".to_owned()],
    };
    let mut notes: Vec<String> =
        measured.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    if !measured.unanswered.is_empty() {
        let mut ids: Vec<String> =
            measured.unanswered.iter().take(UNANSWERED).map(|id| shorten_name(id, 40)).collect();
        if let more @ 1.. = measured.unanswered.len().saturating_sub(UNANSWERED) {
            ids.push(format!("and {} more", count(more)));
        }
        notes.push(format!("no result, and so scored 0: {}", ids.join(", ")));
    }
    if measured.unjudged_queries > 0 {
        let unjudged = queries(measured.unjudged_queries);
        notes.push(format!("{unjudged} of the run without judgments, ignored"));
    }
    if let Some(identical) = measured.identical_ids {
        let identical = counted(identical, "document", "documents");
        notes.push(format!("{identical} with the id of the query taken out"));
    }
    notes
}

/// What intervals are over where queries are grouped: as many groups as the widest of them has.
pub fn over_groups(report: &Report) -> String {
    let columns = measured(report);
    let of_means = columns.iter().flat_map(|(_, one)| &one.metrics).filter_map(|metric| metric.groups);
    let over = |groups| format!(" over {}", counted(groups, "group of queries", "groups of queries"));
    of_means.max().map_or_else(String::new, over)
}
