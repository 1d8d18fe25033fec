//! Queries of which a long part stands in a document judged relevant to them, though not the whole query.

use crate::health::collection::Collection;
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::Words;

/// Words in a row. Of Cranfield's 225 queries 6 share so many with a document judged relevant (two of them the name of
/// a subject, "the boundary layer on a flat plate in a"), and one with documents drawn at random, whose title it is; of
/// 7 words 10 and 2, of 5 words 33 and 6.
pub(super) const LONG: usize = 8;

/// The longest part of a query that one of its relevant documents has, where it is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(super) query: usize,
    words: usize,
    text: String,
}

/// The part, if a document has one.
pub(crate) fn find(query: usize, asked: &Words, document: &Words) -> Option<Span> {
    if asked.len() < LONG || document.len() < LONG {
        return None;
    }
    let (asked, document): (Vec<&str>, Vec<&str>) = (asked.iter().collect(), document.iter().collect());
    let (mut before, mut longest) = (vec![0; document.len() + 1], (0, 0));
    for word in &asked {
        // From the end on, so that the row of the word before is still there.
        for (at, other) in document.iter().enumerate().rev() {
            before[at + 1] = if word == other { before[at] + 1 } else { 0 };
            longest = longest.max((before[at + 1], at + 1));
        }
    }
    let (words, end) = longest;
    (words >= LONG).then(|| Span { query, words, text: document[end - words..end].join(" ") })
}

/// What was found of one query over all documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Best(Option<(Span, String)>);

impl Best {
    pub(super) fn add(&mut self, document: &str, span: Span) {
        if self.0.as_ref().is_none_or(|(best, _)| span.words > best.words) {
            self.0 = Some((span, document.to_owned()));
        }
    }
}

/// Their findings; `whole` has the queries with a finding that says more.
pub(super) fn finding(
    collection: &Collection,
    best: &[Best],
    whole: impl Fn(usize) -> bool,
) -> Option<Finding> {
    let found: Vec<&(Span, String)> =
        best.iter().filter_map(|best| best.0.as_ref()).filter(|(span, _)| !whole(span.query)).collect();
    let example = |(span, document): &&(Span, String)| {
        let query = collection.queries().get(span.query)?;
        Some(Example::new(&query.id, &query.text, format!("\"{}\" in {document}", span.text)))
    };
    (!found.is_empty()).then(|| Finding {
        severity: Severity::Caution,
        code: "query-shares-span".into(),
        message: format!(
            "{} of {} queries {} {LONG} words in a row or more with a document judged relevant to them",
            found.len(),
            collection.queries().len(),
            choose(found.len(), "shares", "share")
        ),
        count: found.len(),
        examples: found.iter().take(Example::MOST).filter_map(example).collect(),
        advice: "it may be what the subject is called; where it was copied out of the document, word it as a user would"
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_part_is_that_of_words_in_a_row() {
        let document = Words::new(["x a b c d e f g y a b c d e f g h i z"]);
        for (query, expected) in [
            ("o a b c d e f g p q r s", None),
            ("o a b c d e f g h p q", Some((8, "a b c d e f g h"))),
            ("a b c d e f g h i", Some((9, "a b c d e f g h i"))),
            ("a b c d x e f g h i", None),
            ("a b c", None),
        ] {
            let found = find(0, &Words::new([query]), &document);
            assert_eq!(found.as_ref().map(|span| (span.words, span.text.as_str())), expected, "{query}");
        }
    }
}
