//! Queries inside documents: a query that was copied out of a document is found by the copy alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::health::collection::{Collection, Query};
use crate::health::model::{Example, Finding, Severity};
use crate::health::shingles::Words;

/// Words of the runs by which longer queries are found.
const RUN: usize = 3;
/// From so many words on a query is unlikely to stand in a document by chance, even in parts.
const LONG: usize = 6;
/// The share of a long query's runs that a document must hold.
const SHARE: f64 = 0.8;

/// Looks for all queries of a collection in one document after the other. Queries of [`LONG`] words are
/// found by their runs of three words, shorter ones as a whole; single words are not looked for.
pub(super) struct Phrases {
    queries: Vec<Phrase>,
    /// Queries by their runs of three words.
    runs: HashMap<String, Vec<u32>, RandomState>,
    /// Queries of two words.
    pairs: HashMap<String, Vec<u32>, RandomState>,
}

struct Phrase {
    text: String,
    words: usize,
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

/// What was found of one query over all documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    words: usize,
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
        let mut phrases = Self { queries: Vec::new(), runs: HashMap::default(), pairs: HashMap::default() };
        for (number, query) in (0..).zip(queries) {
            let words = Words::new([query.text.as_str()]);
            let runs: HashSet<&str> = words.runs(RUN).collect();
            for run in &runs {
                phrases.runs.entry((*run).to_owned()).or_default().push(number);
            }
            if words.len() == 2 {
                phrases.pairs.entry(words.text().to_owned()).or_default().push(number);
            }
            let (text, words, runs) = (words.text().to_owned(), words.len(), runs.len());
            phrases.queries.push(Phrase { text, words, runs });
        }
        phrases
    }

    /// The queries that stand in a document, in their order.
    pub(super) fn find(&self, document: &Words) -> Vec<Occurrence> {
        let mut seen: HashSet<&str, RandomState> = HashSet::default();
        let mut found: BTreeMap<u32, usize> = BTreeMap::new();
        // Runs of three and of two words cannot be mistaken for each other.
        for (index, size) in [(&self.runs, RUN), (&self.pairs, 2)] {
            if index.is_empty() {
                continue;
            }
            for run in document.runs(size) {
                let Some((run, queries)) = index.get_key_value(run) else { continue };
                // Each run counts once, however often the document holds it.
                if seen.insert(run.as_str()) {
                    queries.iter().for_each(|&query| *found.entry(query).or_default() += 1);
                }
            }
        }
        let occurrence = |(query, held): (u32, usize)| {
            let query = query as usize;
            let phrase = self.queries.get(query)?;
            let share = held as f64 / phrase.runs.max(1) as f64;
            let whole = share >= 1.0 && stands_in(&phrase.text, document.text());
            let copied = whole || (phrase.words >= LONG && share >= SHARE);
            copied.then_some(Occurrence { query, share, whole })
        };
        found.into_iter().filter_map(occurrence).collect()
    }

    /// Nothing found yet, for each query.
    pub(super) fn none(&self) -> Vec<Copies> {
        self.queries.iter().map(|query| Copies { words: query.words, ..Copies::default() }).collect()
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
    /// Whether the query's finding already says that a relevant document has it.
    pub(super) fn is_copied(&self) -> bool {
        self.words >= LONG && self.best.as_ref().is_some_and(|best| best.relevant)
    }

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

/// What to tell about copied queries.
pub(super) fn findings(collection: &Collection, copies: &[Copies]) -> Vec<Finding> {
    let found: Vec<(&Query, &Copies, &Copy)> = collection
        .queries()
        .iter()
        .zip(copies)
        .filter_map(|(query, copies)| Some((query, copies, copies.best.as_ref()?)))
        .collect();
    let of = |wanted: &dyn Fn(&Copies, &Copy) -> bool| -> Vec<_> {
        found.iter().filter(|(_, copies, best)| wanted(copies, best)).copied().collect()
    };
    let count = |least: usize, most: usize| {
        copies.iter().filter(|copies| (least..=most).contains(&copies.words)).count()
    };
    let (long, short, pairs) = (count(LONG, usize::MAX), count(RUN, LONG - 1), count(2, 2));
    let percent = 100.0 * SHARE;
    let finding =
        |severity, code: &str, message: String, cases: Vec<(&Query, &Copies, &Copy)>, advice: &str| {
            (!cases.is_empty()).then(|| Finding {
                severity,
                code: code.into(),
                message,
                count: cases.len(),
                examples: cases.iter().take(Example::MOST).map(example).collect(),
                advice: advice.into(),
            })
        };
    let relevant = of(&|copies, best| copies.words >= LONG && best.relevant);
    let elsewhere = of(&|copies, best| copies.words >= LONG && !best.relevant);
    let phrases = of(&|copies, _| (RUN..LONG).contains(&copies.words));
    let common = of(&|copies, _| copies.words == 2);
    let documents = |count: usize| if count == 1 { "stands" } else { "stand" };
    [
        finding(
            Severity::Problem,
            "query-copied",
            format!(
                "{} of {long} queries of {LONG} words or more {} in a document judged relevant to them ({percent}% \
                 of their runs of {RUN} words, or all)",
                relevant.len(),
                documents(relevant.len())
            ),
            relevant,
            "word these queries as users would: a copy is found by any search for words, which flatters it",
        ),
        finding(
            Severity::Caution,
            "query-in-document",
            format!(
                "{} of {long} queries of {LONG} words or more {} in a document that is not judged relevant to \
                 them ({percent}% of their runs of {RUN} words, or all)",
                elsewhere.len(),
                documents(elsewhere.len())
            ),
            elsewhere,
            "judge these documents, or word the queries as users would",
        ),
        finding(
            Severity::Caution,
            "short-query-in-document",
            format!(
                "{} of {short} queries of {RUN} to {} words {} word for word in a document",
                phrases.len(),
                LONG - 1,
                documents(phrases.len())
            ),
            phrases,
            "common phrases do; where the query was taken from the document, word it as a user would",
        ),
        finding(
            Severity::Fact,
            "pair-in-document",
            format!(
                "{} of {pairs} queries of two words {} word for word in a document, as such queries do",
                common.len(),
                documents(common.len())
            ),
            common,
            "",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
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
            // One word is no phrase.
            ("refund", "refund", None),
            ("gift card", "A GIFT-card.", Some((1.0, true))),
            ("gift card", "gift cards", None),
            ("gift card", "card gift", None),
            ("reset my password", "how to reset my password?", Some((1.0, true))),
            ("reset my password", "reset my old password", None),
            // Both runs are there and the phrase is not.
            ("a b c d", "b c d a b c", None),
            ("a b c d a", "b c d a b c d", None),
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
        let phrases = Phrases::new(&[Query::new("q1", "x y z"), Query::new("q2", "X Y Z")]);
        let found: Vec<usize> =
            phrases.find(&Words::new(["x y z x y z"])).iter().map(|one| one.query).collect();
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
