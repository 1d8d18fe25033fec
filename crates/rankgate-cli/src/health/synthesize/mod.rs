//! Queries made from documents, where real queries are too few: known-item queries from titles or telling words.
//!
//! Such queries say which of two systems finds more; how good one is they do not say, for they have their words from what
//! they are to find. They carry `origin: synthetic`, a segment of their own, and a `min` on them alone can only advise.

mod benchmark;
mod draw;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use rand::TryRng;
use serde::Serialize;

use crate::health::Spread;
use crate::health::collection::{Collection, CollectionBuilder, Document, Query, SYNTHETIC};
use crate::health::shingles::{NEAR, Words, jaccard, shingles};
use crate::health::stats::Stream;
use crate::health::words::keywords;
use crate::health::{Error, ErrorKind, Result};

pub use self::benchmark::synthesize;
pub(crate) use self::draw::{Drawn, Frequencies};

keywords! {
    /// What queries are made of.
    #[derive(Default)]
    pub enum QueryKind {
        /// The document's title.
        #[default]
        Titles = "titles",
        /// Its most telling words.
        Terms = "terms",
    }
}

keywords! {
    /// Why a query was not kept.
    pub enum RejectionReason {
        /// Fewer than two different words.
        Short = "short" => "of fewer than two words",
        /// It is that of another document as well.
        Repeated = "repeated" => "the title of another document as well",
        /// Nearly the words of one that is there already.
        NearDuplicate = "near-duplicate" => "near copies of another query",
    }
}

/// The kind of queries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Synthesis {
    /// Of what.
    pub kind: QueryKind,
    /// From so many documents, drawn by seed.
    pub documents: usize,
    /// So many queries of each; titles give one.
    pub per_document: usize,
    /// So many words, where words are drawn.
    pub terms: usize,
    /// So many documents, drawn by seed, are taken for not relevant to each query.
    pub negatives: usize,
    /// The rule of the draw.
    pub seed: u64,
}

impl Default for Synthesis {
    /// Titles of 100 documents, 4 words, 5 negatives, seed 1.
    fn default() -> Self {
        Self { kind: QueryKind::Titles, documents: 100, per_document: 1, terms: 4, negatives: 5, seed: 1 }
    }
}

/// A query and the document that it was made from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GeneratedQuery {
    /// The query, with `origin`, `kind` and `source` in its metadata.
    pub query: Query,
    /// The document.
    pub source: String,
    /// Grades by document, that of the source among them.
    pub grades: BTreeMap<String, i32>,
    /// The share of its words that its source has.
    pub overlap: f64,
}

/// Queries, and how good they are.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Synthetic {
    /// In the order of their ids.
    pub queries: Vec<GeneratedQuery>,
    /// Facts about them.
    pub quality: Quality,
}

/// Facts about generated queries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Quality {
    /// How many there are.
    pub queries: usize,
    /// How many were left out, by why.
    pub left_out: BTreeMap<RejectionReason, usize>,
    /// Words of a query.
    pub words: Spread,
    /// The mean share of a query's words that stand in its source.
    pub overlap: f64,
    /// Documents, drawn by seed, that are judged not relevant.
    pub negatives: usize,
    /// By configuration: the share of queries whose source it returns first, and among the first ten. No query is kept or left
    /// out by that.
    pub found: BTreeMap<String, [f64; 2]>,
    /// Configurations that could not run, and why.
    pub unasked: BTreeMap<String, String>,
}

/// A query that may be kept.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) source: Document,
}

/// Candidates that are left, and why others are not.
#[derive(Default)]
pub(crate) struct Sieve {
    pub(crate) kept: Vec<Candidate>,
    pub(crate) left_out: BTreeMap<RejectionReason, usize>,
}

impl Sieve {
    pub(crate) fn leave(&mut self, why: RejectionReason) {
        *self.left_out.entry(why).or_default() += 1;
    }

    /// Keeps those that are no near copies of real queries, or of each other; the first of two stays.
    pub(crate) fn new(candidates: Vec<Candidate>, collection: &Collection) -> Self {
        let mut sieve = Self::default();
        let set = |text: &str| shingles(&Words::new([text]), 1);
        let mut sets: Vec<Vec<u64>> = collection.queries().iter().map(|query| set(&query.text)).collect();
        for candidate in candidates {
            let own = set(&candidate.text);
            if own.len() < 2 {
                sieve.leave(RejectionReason::Short);
            } else if sets.iter().any(|other| jaccard(&own, other) >= NEAR) {
                sieve.leave(RejectionReason::NearDuplicate);
            } else {
                sets.push(own);
                sieve.kept.push(candidate);
            }
        }
        sieve
    }
}

/// Titles or words of the drawn documents.
pub(crate) fn known_items(
    plan: &Synthesis,
    drawn: &Drawn,
    frequencies: &Frequencies,
) -> (Vec<Candidate>, usize) {
    let mut repeated = 0;
    let mut candidates = Vec::new();
    for document in &drawn.documents {
        let candidate = |number: usize, text: String| Candidate {
            id: match plan.per_document {
                0 | 1 => format!("{}-{}", plan.kind, document.id),
                _ => format!("{}-{}-{}", plan.kind, document.id, number + 1),
            },
            text,
            source: document.clone(),
        };
        match plan.kind {
            QueryKind::Titles => match document.title.clone() {
                Some(title) if frequencies.has_title_once(&title) => candidates.push(candidate(0, title)),
                Some(_) | None => repeated += 1,
            },
            QueryKind::Terms => {
                let words = draw::words_of(document);
                for number in 0..plan.per_document.max(1) {
                    let stream = Stream::new(plan.seed).for_name("terms").for_name(&document.id);
                    let text =
                        frequencies.telling(&words, plan.terms, &mut stream.rng(number as u64)).join(" ");
                    candidates.push(candidate(number, text));
                }
            }
        }
    }
    (candidates, repeated)
}

impl Synthetic {
    /// Puts the kept queries together: each with the grade of its source and with documents that are not relevant to it.
    pub(crate) fn new(plan: &Synthesis, sieve: Sieve, random: &[String], grade: i32) -> Self {
        let mut negatives = 0;
        let mut queries: Vec<GeneratedQuery> = sieve
            .kept
            .into_iter()
            .map(|candidate| {
                let Candidate { id, text, source } = candidate;
                let mut grades = BTreeMap::from([(source.id.clone(), grade)]);
                // Another order for each query, and the same in every run.
                let mut order: Vec<(u64, &String)> =
                    random.iter().map(|other| (number(plan.seed, &[&id, other]), other)).collect();
                order.sort_unstable();
                let others: Vec<&String> = order
                    .into_iter()
                    .map(|(_, other)| other)
                    .filter(|other| !grades.contains_key(*other))
                    .collect();
                for other in others.into_iter().take(plan.negatives) {
                    negatives += 1;
                    grades.insert(other.clone(), 0);
                }
                let (asked, words) = (Words::new([text.as_str()]), draw::words_of(&source));
                let held: HashSet<&str> = words.iter().collect();
                let overlap = asked.iter().filter(|word| held.contains(word)).count() as f64
                    / asked.len().max(1) as f64;
                let query = Query::new(id, text)
                    .with(SYNTHETIC[0], SYNTHETIC[1])
                    .with("kind", plan.kind.as_str())
                    .with("source", source.id.as_str());
                GeneratedQuery { query, source: source.id, grades, overlap }
            })
            .collect();
        queries.sort_by(|a, b| a.query.id.cmp(&b.query.id));
        let words = Spread::new(queries.iter().map(|made| Words::new([made.query.text.as_str()]).len()));
        let overlap = queries.iter().map(|made| made.overlap).sum::<f64>() / queries.len().max(1) as f64;
        let left_out = sieve.left_out;
        let quality =
            Quality { queries: queries.len(), left_out, words, overlap, negatives, ..Quality::default() };
        Self { queries, quality }
    }

    /// Writes `queries.jsonl` and `qrels/test.tsv` into a folder, in the layout of BEIR; `beside` are queries of people that
    /// are to stand there too, with their judgments.
    ///
    /// # Errors
    ///
    /// Nothing to write, a file that cannot be written, an id that both have.
    pub fn save(&self, folder: &Path, beside: Option<&Collection>) -> Result<()> {
        if self.queries.is_empty() {
            return Err(Error::with_kind(ErrorKind::BadInput, "no query is left, and nothing was written"));
        }
        let mut builder = CollectionBuilder::new();
        for made in &self.queries {
            builder.add_query(made.query.clone(), made.grades.clone());
        }
        for query in beside.into_iter().flat_map(Collection::queries) {
            let judged = beside.and_then(|people| people.judgments(&query.id));
            let judged = judged.into_iter().flat_map(|judged| judged.iter());
            builder.add_query(query.clone(), judged);
        }
        builder.build()?.save_beir(folder, "test")
    }
}

/// A number that depends on seed and names alone.
pub(crate) fn number(seed: u64, names: &[&str]) -> u64 {
    let stream =
        names.iter().fold(Stream::new(seed).for_name("synthesize"), |stream, name| stream.for_name(name));
    let Ok(number) = stream.rng(0).try_next_u64();
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::collection::Corpus;

    fn corpus() -> Corpus {
        let text = |n: usize| {
            let rare: String = (0..20).map(|k| format!("rare{n}x{k} ")).collect();
            format!("the of and to in is it for {rare}the of and to")
        };
        let title = |n: usize| if n < 2 { "A title of two".to_owned() } else { format!("Title number {n}") };
        Corpus::in_memory((0..40).map(|n| Document::new(format!("d{n:02}"), text(n)).with_title(title(n))))
    }

    fn people() -> Collection {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "number 7 title"), [("d07", 1)]);
        builder.build().unwrap()
    }

    fn synthetic(plan: &Synthesis) -> Synthetic {
        let drawn = Drawn::new(&corpus(), plan).unwrap();
        let frequencies = Frequencies::new(&corpus(), drawn.words(), drawn.titles()).unwrap();
        let (candidates, repeated) = known_items(plan, &drawn, &frequencies);
        let mut sieve = Sieve::new(candidates, &people());
        (0..repeated).for_each(|_| sieve.leave(RejectionReason::Repeated));
        Synthetic::new(plan, sieve, &drawn.random, 1)
    }

    #[test]
    fn titles_are_asked_for_once_each() {
        let plan = Synthesis { documents: 40, negatives: 3, ..Synthesis::default() };
        let all = synthetic(&plan);
        // Two documents share a title, and one of people's queries is a near copy of another.
        assert_eq!(
            all.quality.left_out,
            BTreeMap::from([(RejectionReason::Repeated, 2), (RejectionReason::NearDuplicate, 1)])
        );
        assert_eq!((all.quality.queries, all.quality.negatives, all.quality.overlap), (37, 111, 1.0));
        let first = &all.queries[0];
        assert_eq!((first.query.id.as_str(), first.query.text.as_str()), ("titles-d02", "Title number 2"));
        assert!(first.query.is_synthetic());
        assert_eq!((first.grades["d02"], first.grades.len()), (1, 4));
        assert_eq!(all, synthetic(&plan));
        let other: Vec<String> = synthetic(&Synthesis { documents: 5, seed: 2, ..plan.clone() })
            .queries
            .into_iter()
            .map(|one| one.source)
            .collect();
        let five: Vec<String> = synthetic(&Synthesis { documents: 5, ..plan })
            .queries
            .into_iter()
            .map(|one| one.source)
            .collect();
        assert_ne!(five, other);
    }

    /// Words that all documents have weigh nothing: ln(40 / 40) = 0.
    #[test]
    fn words_are_those_that_tell_a_document_from_the_others() {
        let plan =
            Synthesis { kind: QueryKind::Terms, documents: 10, per_document: 2, ..Synthesis::default() };
        let all = synthetic(&plan);
        assert_eq!((all.quality.queries, all.quality.words.min, all.quality.words.max), (20, 4, 4));
        for made in &all.queries {
            let number = made.source.trim_start_matches('d').trim_start_matches('0');
            let number = if number.is_empty() { "0" } else { number };
            let title = format!("Title number {number}").to_lowercase();
            let of_it = |word: &str| {
                word.starts_with(&format!("rare{number}x"))
                    || title.contains(word)
                    || "a title of two".contains(word)
            };
            assert!(made.query.text.split(' ').all(of_it), "{}: {}", made.source, made.query.text);
        }
        assert_eq!(all, synthetic(&plan));
    }
}
