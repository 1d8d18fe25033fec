//! Queries inside documents: a query that was copied out of a document is found by the copy alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::health::collection::{Collection, Query};
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::Words;
use crate::health::words::counted;

/// Words of the runs by which longer queries are found.
const RUN: usize = 3;
/// From so many words on a query is unlikely to stand in a document by chance, even in parts.
const LONG: usize = 6;
/// The share of a long query's runs that a document must hold.
const SHARE: f64 = 0.8;

/// Looks for all queries of [`LONG`] words or more in one document after the other, by their runs of three words.
pub(super) struct Phrases {
    queries: Vec<Phrase>,
    /// Queries by their runs of three words.
    runs: HashMap<String, Vec<u32>, RandomState>,
}

struct Phrase {
    text: String,
    /// Different runs of three words.
    runs: usize,
}

/// A query in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Occurrence {
    pub(super) query: usize,
    /// The share of its runs that the document holds.
    share: f64,
    /// It stands there word for word.
    whole: bool,
}

/// The documents that contain a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    documents: usize,
    best: Option<Copy>,
}

/// The document that gives most away: a relevant one if there is any, then the one with most of the query.
#[derive(Clone, Debug)]
struct Copy {
    document: String,
    occurrence: Occurrence,
    grade: Option<i32>,
    relevant: bool,
}

impl Phrases {
    pub(super) fn new(queries: &[Query]) -> Self {
        let mut phrases = Self { queries: Vec::new(), runs: HashMap::default() };
        for (number, query) in (0..).zip(queries) {
            let words = Words::new([query.text.as_str()]);
            let runs: HashSet<&str> = words.runs(RUN).filter(|_| words.len() >= LONG).collect();
            for run in &runs {
                phrases.runs.entry((*run).to_owned()).or_default().push(number);
            }
            phrases.queries.push(Phrase { text: words.text().to_owned(), runs: runs.len() });
        }
        phrases
    }

    /// The queries that stand in a document, in their order.
    pub(super) fn find(&self, document: &Words) -> Vec<Occurrence> {
        let mut seen: HashSet<&str, RandomState> = HashSet::default();
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        for run in document.runs(RUN) {
            let Some((run, queries)) = self.runs.get_key_value(run) else { continue };
            // Each run counts once, however often the document holds it.
            if seen.insert(run.as_str()) {
                queries.iter().for_each(|&query| *found.entry(query).or_default() += 1);
            }
        }
        let occurrence = |(query, held): (u32, usize)| {
            let query = query as usize;
            let phrase = self.queries.get(query)?;
            let share = held as f64 / phrase.runs.max(1) as f64;
            let whole = share >= 1.0 && stands_in(&phrase.text, document.text());
            (whole || share >= SHARE).then_some(Occurrence { query, share, whole })
        };
        found.into_iter().filter_map(occurrence).collect()
    }
}

/// Whether a text holds a phrase, both in words a blank apart.
fn stands_in(phrase: &str, text: &str) -> bool {
    text.match_indices(phrase).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + phrase.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

impl Copies {
    pub(super) fn add(
        &mut self,
        document: &str,
        occurrence: Occurrence,
        grade: Option<i32>,
        relevant_from: i32,
    ) {
        self.documents += 1;
        let relevant = grade.is_some_and(|grade| grade >= relevant_from);
        let key = |copy: &Copy| (copy.relevant, copy.occurrence.whole, copy.occurrence.share, copy.grade);
        let rank = (relevant, occurrence.whole, occurrence.share, grade);
        if self.best.as_ref().is_none_or(|best| rank > key(best)) {
            self.best = Some(Copy { document: document.to_owned(), occurrence, grade, relevant });
        }
    }
}

/// Queries that were copied from a relevant document, or stand in another one.
pub(super) fn findings(collection: &Collection, copies: &[Copies]) -> Vec<Finding> {
    let found = collection.queries().iter().zip(copies);
    let found: Vec<(&Query, &Copies, &Copy)> =
        found.filter_map(|(query, copies)| Some((query, copies, copies.best.as_ref()?))).collect();
    let finding = |of, relevant: bool, which: &str, advice: &str| {
        let cases: Vec<_> = found.iter().filter(|(.., best)| best.relevant == relevant).collect();
        let (it, its) = (choose(cases.len(), "it", "them"), choose(cases.len(), "its", "their"));
        let message = format!(
            "{} of {LONG} words or more {} in a document {which} to {it} ({}% of {its} runs of {RUN} words, or all)",
            counted(cases.len(), "query", "queries"),
            choose(cases.len(), "stands", "stand"),
            100.0 * SHARE,
        );
        Finding::new(of, message, cases.len(), cases.into_iter().map(example), advice)
    };
    let relevant = finding(
        (Severity::Problem, "query-copied"),
        true,
        "judged relevant",
        "word these queries as users would: a copy is found by any search for words, which flatters it",
    );
    let elsewhere = finding(
        (Severity::Warning, "query-in-document"),
        false,
        "not judged relevant",
        "judge these documents, or word the queries as users would",
    );
    relevant.into_iter().chain(elsewhere).collect()
}

fn example((query, copies, best): &(&Query, &Copies, &Copy)) -> Example {
    let how = match best.occurrence.whole {
        true => "word for word".to_owned(),
        false => format!("{:.0}%", (100.0 * best.occurrence.share).floor()),
    };
    let grade = best.grade.map_or_else(|| "not judged".to_owned(), |grade| format!("grade {grade}"));
    let more = match copies.documents - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Example::new(&query.id, &query.text, format!("{how} in {} ({grade}){more}", best.document))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(query: &str, document: &str) -> Option<(f64, bool)> {
        let phrases = Phrases::new(&[Query::new("q", query)]);
        let found = phrases.find(&Words::new([document]));
        found.first().map(|one| (one.share, one.whole))
    }

    #[test]
    fn queries_are_found_by_their_length() {
        for (query, document, expected) in [
            // Fewer than six words are too common.
            ("how do i get money", "how do i get money", None),
            ("how do I get my money", "How do I get my MONEY-back?", Some((1.0, true))),
            // Six words have four runs, seven five: four of five are 80%.
            ("a b c d e f", "x a b c d e f y", Some((1.0, true))),
            ("a b c d e f", "a b c d e", None),
            ("a b c d e f g", "a b c d e f x", Some((0.8, false))),
            ("a b c d e f g", "d e f g x a b c d e", Some((1.0, false))),
            ("a b c d e f g", "d e f g x a b c d", Some((0.8, false))),
            ("a b c d e f g", "d e f g x a b c", None),
            ("", "anything", None),
        ] {
            assert_eq!(find(query, document), expected, "{query} / {document}");
        }
    }

    #[test]
    fn a_run_counts_once() {
        assert_eq!(find("a b c d e f", "a b c x a b c y a b c z a b c"), None);
        let phrases = Phrases::new(&[Query::new("q1", "u v w x y z"), Query::new("q2", "U V W X Y Z")]);
        let found: Vec<usize> =
            phrases.find(&Words::new(["u v w x y z u v w"])).iter().map(|one| one.query).collect();
        assert_eq!(found, [0, 1]);
    }

    #[test]
    fn a_relevant_document_is_the_better_example() {
        let mut copies = Copies::default();
        let occurrence = |share| Occurrence { query: 0, share, whole: share == 1.0 };
        copies.add("d1", occurrence(1.0), None, 1);
        copies.add("d2", occurrence(0.8), Some(1), 1);
        copies.add("d3", occurrence(0.9), Some(2), 1);
        copies.add("d4", occurrence(0.9), Some(3), 1);
        let best = copies.best.unwrap();
        assert_eq!((best.document.as_str(), best.grade, copies.documents), ("d4", Some(3), 4));
    }
}
