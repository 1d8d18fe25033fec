//! The health of a collection, for the terminal and for programs.

use crate::health::model::{Finding, Health, JudgedShare, Resolution, SegmentFacts, Severity, Spread};

use rankgate_report::report::internal::clean::{clean, shorten, shorten_name};
use rankgate_report::report::internal::json::document;
use rankgate_report::report::internal::number::{DECIMALS, apart, count, counted, fixed, percent, signed};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};
use rankgate_report::report::internal::width::width;

const WIDTH: usize = 80;
/// Characters of a name in a table.
const NAME: usize = 24;
/// Characters of an example's text.
const TEXT: usize = 72;
/// Values of a segment that are shown; the JSON form has all of them.
const VALUES: usize = 12;
/// Grades that are shown.
const GRADES: usize = 12;
/// Rows of what can be detected.
const ROWS: usize = 40;
/// Characters of the longest bar.
const BAR: usize = 30;

/// What was found, at 80 columns and without colour: the collection in numbers, then problems, cautions and
/// facts, each with examples and what to do.
///
/// ```
/// use rankgate::{CollectionBuilder, Document, Query};
///
/// let mut builder = CollectionBuilder::new();
/// builder.add_document(Document::new("d1", "How to get a refund"));
/// builder.add_query(Query::new("q1", "money back"), [("d1", 1), ("d2", 1)]);
/// let health = rankgate_cli::health::examine("helpdesk", &builder.build()?, 1)?;
/// let text = rankgate_cli::health::health_text(&health);
/// assert!(text.starts_with("helpdesk: 1 problem, 1 caution, 1 fact\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
#[must_use]
pub fn health_text(health: &Health) -> String {
    let mut sections =
        vec![Section::from_blocks([title(health)]), Section::from_blocks([numbers(health)]), grades(health)];
    sections.extend(health.collection.segments.iter().map(segment));
    if let Some(resolution) = &health.resolution {
        sections.extend([configurations(resolution), detectable(resolution)]);
    }
    sections.extend(health.findings.iter().map(finding));
    painter::page(&sections, WIDTH, Style::Plain)
}

/// The same as JSON: two blanks of indentation, keys in the order of the model's fields, a newline at the
/// end.
#[must_use]
#[expect(clippy::expect_used, reason = "the model has no maps, and a String takes any text")]
pub fn health_json(health: &Health) -> String {
    document(health).expect("the model is JSON")
}

/// What was found alone, under a line with what it was found in.
#[must_use]
pub fn findings_text(subject: &str, findings: &[Finding]) -> String {
    let mut sections = vec![Section::from_blocks([counted_in(subject, findings)])];
    sections.extend(findings.iter().map(finding));
    painter::page(&sections, WIDTH, Style::Plain)
}

fn title(health: &Health) -> Block {
    counted_in(&health.subject, &health.findings)
}

fn counted_in(subject: &str, findings: &[Finding]) -> Block {
    let count = |severity| findings.iter().filter(|one| one.severity == severity).count();
    let said = [
        (Severity::Problem, "problem", "problems"),
        (Severity::Caution, "caution", "cautions"),
        (Severity::Fact, "fact", "facts"),
    ]
    .map(|(severity, one, many)| counted(count(severity), one, many));
    Block::line(format!("{}: {}", clean(subject), said.join(", ")))
}

fn numbers(health: &Health) -> Block {
    let facts = &health.collection;
    let mut table = Table::default();
    let mut queries = counted(facts.queries, "judged", "judged");
    if facts.unjudged_queries > 0 {
        queries += &format!(", {} without judgments", count(facts.unjudged_queries));
    }
    if facts.unanswerable > 0 {
        queries += &format!(", {} unanswerable", count(facts.unanswerable));
    }
    table.row(["queries".to_owned(), format!("{queries}; {}", spread(facts.query_words, ["word", "words"]))]);
    let documents = match (facts.documents, facts.document_words) {
        (Some(documents), Some(words)) => {
            let documents = usize::try_from(documents).unwrap_or(usize::MAX);
            format!("{}; {}", count(documents), spread(words, ["word", "words"]))
        }
        _ => "there is no corpus".to_owned(),
    };
    table.row(["documents".to_owned(), documents]);
    let judged = counted(facts.judged_documents, "document", "documents");
    let judgments = format!(
        "{} of {judged}; {}",
        count(facts.judgments),
        spread(facts.judgments_per_query, ["a query"; 2])
    );
    table.row(["judgments".to_owned(), judgments]);
    let from = facts.relevant_from;
    let relevant: usize = facts.grades.iter().filter(|one| one.grade >= from).map(|one| one.judgments).sum();
    table.row([
        "relevant".to_owned(),
        format!(
            "{} (grade {from} and up); {}",
            count(relevant),
            spread(facts.relevant_per_query, ["a query"; 2])
        ),
    ]);
    Block::Table(table)
}

/// `1 word`, `1 to 9 words, median 4`
fn spread(spread: Spread, [one, many]: [&str; 2]) -> String {
    let whole = |number: u64| count(usize::try_from(number).unwrap_or(usize::MAX));
    let median = match spread.median.fract() == 0.0 {
        true => whole(spread.median as u64),
        false => format!("{:.1}", spread.median),
    };
    match spread.min == spread.max {
        true => format!("{} {}", whole(spread.min), if spread.min == 1 { one } else { many }),
        false => format!("{} to {} {many}, median {median}", whole(spread.min), whole(spread.max)),
    }
}

/// Rows of a label, a number and a bar, and the number of rows left out.
fn bars(label: &str, what: &str, rows: &[(String, usize)], more: Option<String>) -> Section {
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0);
    let mut table = Table::headed([label, what]).right([1]);
    for (name, number) in rows {
        let bar = if most == 0 { 0 } else { (number * BAR).div_ceil(most) };
        table.row([name.clone(), count(*number), "#".repeat(bar)]);
    }
    let more = more.map(|more| Block::line(format!("and {more}")));
    Section::from_blocks(std::iter::once(Block::Table(table)).chain(more))
}

/// The counted rows, where there are more than are shown.
fn more(all: usize, shown: usize, one: &str, many: &str) -> Option<String> {
    let more = all.saturating_sub(shown);
    (more > 0).then(|| counted(more, one, many))
}

fn grades(health: &Health) -> Section {
    let grades = &health.collection.grades;
    if grades.is_empty() {
        return Section::default();
    }
    let rows: Vec<(String, usize)> =
        grades.iter().take(GRADES).map(|one| (one.grade.to_string(), one.judgments)).collect();
    bars("grade", "judgments", &rows, more(grades.len(), GRADES, "grade more", "grades more"))
}

fn segment(segment: &SegmentFacts) -> Section {
    let mut rows: Vec<(String, usize)> =
        segment.values.iter().take(VALUES).map(|(value, queries)| (shorten(value, NAME), *queries)).collect();
    if segment.without > 0 {
        rows.push(("(none)".to_owned(), segment.without));
    }
    let more = more(segment.values.len(), VALUES, "value more", "values more");
    bars(&shorten(&segment.key, NAME), "queries", &rows, more)
}

fn configurations(resolution: &Resolution) -> Section {
    let mut cutoffs: Vec<usize> =
        resolution.configurations.iter().flat_map(|one| &one.judged).map(|share| share.cutoff).collect();
    cutoffs.sort_unstable();
    cutoffs.dedup();
    let header =
        std::iter::once("judged".to_owned()).chain(cutoffs.iter().map(|cutoff| format!("@{cutoff}")));
    let mut table = Table::headed(header).right(1..=cutoffs.len()).in_parts(1);
    for one in resolution.configurations.iter().filter(|one| !one.judged.is_empty()) {
        let share = |cutoff: &usize| {
            let found = one.judged.iter().find(|share| share.cutoff == *cutoff);
            found.map_or(String::new(), |JudgedShare { share, .. }| format!("{:.1}%", 100.0 * share))
        };
        table.row(std::iter::once(shorten_name(&one.name, NAME)).chain(cutoffs.iter().map(share)));
    }
    let table = (!cutoffs.is_empty()).then_some(Block::Table(table));
    let unmeasured = resolution.configurations.iter().filter_map(|one| {
        let lead = format!("{}: ", shorten_name(&one.name, NAME));
        Some(Block::hanging(lead, one.unmeasured.as_deref()?, 6))
    });
    Section::from_blocks(table.into_iter().chain(unmeasured))
}

fn detectable(resolution: &Resolution) -> Section {
    if resolution.detectable.is_empty() {
        return Section::default();
    }
    let sure = percent(resolution.confidence);
    let heading = format!(
        "the smallest true difference that a two-sided test ({sure}) shows with probability {}, by how much \
         these pairs differ from query to query today",
        resolution.power
    );
    let header = ["metric", "baseline", "candidate", "detectable", "today", "differing"];
    let mut table = Table::headed(header).right([3, 4, 5]);
    for one in resolution.detectable.iter().take(ROWS) {
        let decimals = |value: f64| apart(value, 0.0, DECIMALS).min(DECIMALS + 2);
        let none = "-";
        table.row([
            shorten(&one.metric, NAME),
            shorten_name(&one.baseline, NAME / 2),
            shorten_name(&one.candidate, NAME / 2),
            one.effect.map_or_else(|| none.to_owned(), |effect| fixed(effect, decimals(effect))),
            signed(one.difference, decimals(one.difference)),
            format!("{} of {}", count(one.differing), count(one.units)),
        ]);
    }
    let more = more(resolution.detectable.len(), ROWS, "row", "rows");
    let more = more.map(|more| Block::line(format!("and {more} in the JSON form"))).into_iter();
    Section::headed(heading).part(std::iter::once(Block::Table(table)).chain(more))
}

fn finding(finding: &Finding) -> Section {
    let word = match finding.severity {
        Severity::Problem => "PROBLEM  ",
        Severity::Caution => "CAUTION  ",
        Severity::Fact => "FACT     ",
    };
    let mut part = vec![Block::hanging(word, format!("{} ({})", finding.message, finding.code), 9)];
    for example in &finding.examples {
        // The names of gates are long, and have no text beside them.
        let room = if example.text.is_empty() { WIDTH - 2 } else { WIDTH / 2 };
        let mut line = format!("  {}", shorten_name(&example.id, room));
        if !example.text.is_empty() {
            let room = TEXT.saturating_sub(width(&line));
            line += &format!("  {}", shorten(&example.text, room));
        }
        part.push(Block::line(line));
        part.push(Block::hanging("    ", &example.note, 3));
    }
    if let more @ 1.. = finding.count.saturating_sub(finding.examples.len())
        && !finding.examples.is_empty()
    {
        part.push(Block::line(format!("  and {} more", count(more))));
    }
    part.push(Block::hanging("  -> ", &finding.advice, 6));
    Section::from_blocks(part)
}
