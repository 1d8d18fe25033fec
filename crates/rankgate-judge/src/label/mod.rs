//! A page on which a person grades documents: one HTML file that loads nothing and sends nothing.
//!
//! Tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use rand::TryRng;

use rankgate_report::report::internal::{STYLE as PAGE, escaped, page_file};
use rankgate_report::report::plain;
use serde::{Deserialize, Serialize};

use crate::shown::in_json;
use crate::stats::Stream;

const STYLE: &str = include_str!("style.css");
const BODY: &str = include_str!("body.html");
const SCRIPT: &str = include_str!("script.js");

/// What each grade is called.
pub const GRADES: [&str; 4] = ["not relevant", "partially relevant", "relevant", "highly relevant"];

/// A document that a person is to grade for a query.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LabelPair {
    /// The query's id.
    pub query: String,
    /// The query.
    pub query_text: String,
    /// SHA-256 of that, which is saved with the grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// The document's id.
    pub document: String,
    /// The document's text.
    pub document_text: String,
    /// SHA-256 of that, which is saved with the grade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_sha256: Option<String>,
    /// What the grades are called, from 0; empty where they are [`GRADES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scale: Vec<String>,
    /// How to grade it, where that is not how all are graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubric: Option<String>,
}

/// What the page's script reads.
#[derive(Serialize)]
struct LabelPage<'a> {
    id: &'a str,
    title: &'a str,
    guidelines: &'a str,
    grades: [&'static str; 4],
    pairs: &'a [LabelPair],
}

/// These pairs as JSON lines, to which a `grade` is to be added.
#[inline]
pub fn label_lines(pairs: &[LabelPair]) -> String {
    let line = |pair: &LabelPair| in_json(serde_json::to_string(pair).unwrap_or_default()) + "\n";
    pairs.iter().map(line).collect()
}

/// A page on which a person grades these pairs, with the keyboard alone if they like: from 0 to 3, or on the scale and by the
/// rubric of the pair.
///
/// Queries come in an order that the seed gives, and the documents of each in another: nothing on the page says who
/// returned a document, at which rank, or what a model made of it. What is graded is kept in the browser at once, by query,
/// document and their texts: a page written anew goes on with it. It is saved as JSON lines with `query`, `document` and
/// `grade`, which is null where somebody cannot tell. The page takes such a file as well.
///
/// ```
/// use rankgate_judge::{LabelPair, label_page};
///
/// let pair = LabelPair {
///     query: "q1".into(),
///     query_text: "late fee".into(),
///     query_sha256: None,
///     document: "fees-2".into(),
///     document_text: "What we charge when you pay late.".into(),
///     document_sha256: None,
///     scale: Vec::new(),
///     rubric: None,
/// };
/// let page = label_page("helpdesk", "Grade what the document says.", &[pair], 1);
/// assert!(page.starts_with("<!DOCTYPE html>\n") && page.contains("What we charge"));
/// ```
#[inline]
pub fn label_page(title: &str, guidelines: &str, pairs: &[LabelPair], seed: u64) -> String {
    let mut pairs = pairs.to_vec();
    label_order(&mut pairs, seed);
    // What is read is shown; what is known by its SHA-256 is as it was.
    for pair in &mut pairs {
        pair.query_text = layout(&pair.query_text);
        pair.document_text = layout(&pair.document_text);
    }
    // By this a page knows whether it is the one that was graded last.
    let ids = pairs
        .iter()
        .fold(Stream::new(seed), |stream, pair| stream.for_name(&pair.query).for_name(&pair.document));
    let Ok(id) = ids.rng(0).try_next_u64();
    let count = pairs.len();
    let words = |pair: &LabelPair| if pair.scale.is_empty() { GRADES.len() } else { pair.scale.len() };
    let longest = pairs.iter().map(words).max().unwrap_or(GRADES.len());
    let id = format!("rankgate-{id:016x}");
    let guidelines = guidelines.trim();
    let data = LabelPage { id: &id, title, guidelines, grades: GRADES, pairs: &pairs };
    let data = in_json(serde_json::to_string(&data).unwrap_or_default());
    let body = BODY.replace("{grades}", &grade_buttons(longest)).replace("{title}", &escaped(title));
    let style = format!("{PAGE}{STYLE}");
    page_file(&format!("{title}: {count} to grade"), &body, &data, [&style, SCRIPT])
}

/// Text that people read as it was laid out: lines and tabs stay, however lines end, and other characters that would
/// reorder a line or hide in it are made visible.
fn layout(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.split('\t').map(plain).collect::<Vec<_>>().join("\t")
}

/// Puts pairs into the order that a seed gives: queries, and the documents of each, so that neither says anything.
#[inline]
pub fn label_order(pairs: &mut [LabelPair], seed: u64) {
    let number = |names: [&str; 2]| {
        let named =
            names.iter().fold(Stream::new(seed).for_name("label"), |stream, name| stream.for_name(name));
        let Ok(number) = named.rng(0).try_next_u64();
        number
    };
    pairs.sort_by_cached_key(|pair| {
        let numbers = (number([&pair.query, ""]), number([&pair.query, &pair.document]));
        (numbers.0, pair.query.clone(), numbers.1, pair.document.clone())
    });
}

/// A button for each grade. The script names them for each pair.
#[inline]
fn grade_buttons(longest: usize) -> String {
    let button = |grade: usize| {
        format!(
            "<button type=\"button\" id=\"grade-{grade}\"><kbd aria-hidden=\"true\">{grade}</kbd><span></span></button>\n"
        )
    };
    (0..longest).map(button).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_read_keeps_its_lines_and_tabs() {
        assert_eq!(layout("a\r\nb\rc\n\n\td"), "a\nb\nc\n\n\td");
        assert_eq!(layout("abc\u{202e}cba\u{1b}[2J"), r"abc\u{202e}cba\u{1b}[2J");
    }

    fn pairs(count: usize) -> Vec<LabelPair> {
        let pair = |at: usize| LabelPair {
            query: format!("q{}", at / 5),
            query_text: format!("asked </script> {}", at / 5),
            query_sha256: None,
            document: format!("d{at}"),
            document_text: "<b>text</b>".into(),
            document_sha256: Some("0".into()),
            scale: Vec::new(),
            rubric: None,
        };
        (0..count).map(pair).collect()
    }

    fn order(page: &str) -> Vec<String> {
        let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let id = |pair: &serde_json::Value| {
            format!("{}/{}", pair["query"].as_str().unwrap(), pair["document"].as_str().unwrap())
        };
        data["pairs"].as_array().unwrap().iter().map(id).collect()
    }

    #[test]
    fn the_order_is_the_seeds_and_a_query_keeps_its_documents_together() {
        let mut all = pairs(60);
        let page = label_page("toy", "Be fair.", &all, 7);
        let first = order(&page);
        all.reverse();
        assert_eq!(label_page("toy", "Be fair.", &all, 7), page);
        assert_ne!(order(&label_page("toy", "Be fair.", &all, 8)), first);
        let mut queries: Vec<&str> = first.iter().map(|pair| pair.split('/').next().unwrap()).collect();
        queries.dedup();
        assert_eq!(queries.len(), 12);
        assert_ne!(queries, (0..12).map(|at| format!("q{at}")).collect::<Vec<_>>());
        // Nothing is loaded, and no text is markup.
        assert!(!page.contains(" src=") && page.contains("default-src "));
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
