//! The health of a collection, for the terminal and for programs.

use crate::health::model::{Finding, Health, Severity, Spread};

use rankgate_report::report::internal::clean::{clean, shorten, shorten_name};
use rankgate_report::report::internal::json::document;
use rankgate_report::report::internal::number::{count, counted};
use rankgate_report::report::internal::page::{Block, Section, Table};
use rankgate_report::report::internal::painter::{self, Style};
use rankgate_report::report::internal::width::width;

const WIDTH: usize = 80;
/// Characters of an example's text.
const TEXT: usize = 72;

/// The collection in numbers, then problems, warnings and notes with examples and remedies, at 80 columns and without colour.
///
/// ```
/// use rankgate::{CollectionBuilder, Document, Query};
///
/// let mut builder = CollectionBuilder::new();
/// builder.add_document(Document::new("d1", "How to get a refund"));
/// builder.add_query(Query::new("q1", "money back"), [("d1", 1), ("d2", 1)]);
/// let health = rankgate_cli::health::examine("helpdesk", &builder.build()?, 1)?;
/// let text = rankgate_cli::health::health_text(&health);
/// assert!(text.starts_with("helpdesk: 1 problem, 0 warnings\n"));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn health_text(health: &Health) -> String {
    let mut sections = vec![Section::from_blocks([title(health)]), Section::from_blocks([numbers(health)])];
    sections.extend(health.findings.iter().map(finding));
    painter::page(&sections, WIDTH, Style::Plain)
}

/// The same as JSON: two blanks of indentation, keys in the order of the model's fields, a newline at the
/// end.
#[expect(clippy::expect_used, reason = "the model has no maps, and a String takes any text")]
pub fn health_json(health: &Health) -> String {
    document(health).expect("the model is JSON")
}

fn title(health: &Health) -> Block {
    let count = |severity| health.findings.iter().filter(|one| one.severity == severity).count();
    let problems = counted(count(Severity::Problem), "problem", "problems");
    let warnings = counted(count(Severity::Warning), "warning", "warnings");
    Block::line(format!("{}: {problems}, {warnings}", clean(&health.subject)))
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
    table.row([
        "relevant".to_owned(),
        format!(
            "{} (grade {} and up); {}",
            count(facts.relevant),
            facts.relevant_from,
            spread(facts.relevant_per_query, ["a query"; 2])
        ),
    ]);
    Block::Table(table)
}

/// `1 word`, `1 to 9 words, median 4`
fn spread(spread: Spread, [one, many]: [&str; 2]) -> String {
    let median = match spread.median.fract() == 0.0 {
        true => count(spread.median as usize),
        false => format!("{:.1}", spread.median),
    };
    match spread.min == spread.max {
        true => format!("{} {}", count(spread.min), if spread.min == 1 { one } else { many }),
        false => format!("{} to {} {many}, median {median}", count(spread.min), count(spread.max)),
    }
}

fn finding(finding: &Finding) -> Section {
    let word = match finding.severity {
        Severity::Problem => "PROBLEM  ",
        Severity::Warning => "WARNING  ",
        Severity::Note => "NOTE     ",
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
