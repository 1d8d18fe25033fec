//! Queries made from documents, if there are too few real queries.
//!
//! Such queries tell which of two systems finds more. They do not tell how good one is, because their words come from the
//! document that should be found. They carry `origin: synthetic`, and a `min` on them alone can only advise.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::shingles::{NEAR, Words, jaccard, shingles};
use clap::ValueEnum;
use rand::{RngExt, TryRng};
use rankgate::collection::{Collection, Document, Query, SYNTHETIC};
use rankgate::stats::{Stream, StreamRng};
use rankgate_core::Result;

/// Fewer words are too few for a query.
const FEWEST: usize = 20;
/// A longer title is no title.
const LONGEST_TITLE: usize = 30;
/// Words of a query of terms.
const TERMS: usize = 4;
/// The weight of the collection in the model of a document.
const SMOOTHING: f64 = 0.2;

/// What queries are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A title of 2 to 30 words that no other document has
    Titles,
    /// Four words of a text of 20 words or more, the most telling ones preferred
    Terms,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Titles => "titles",
            Self::Terms => "terms",
        }
    }

    fn fits(self, document: &Document) -> bool {
        match self {
            Self::Titles => (2..=LONGEST_TITLE).contains(&title_of(document).len()),
            Self::Terms => Words::new([document.text.as_str()]).len() >= FEWEST,
        }
    }
}

/// Queries made from documents, each with the id of its document.
pub(crate) struct Synthetic {
    pub(crate) queries: Vec<(Query, String)>,
    /// Documents whose query would be a copy or near copy of another one.
    pub(crate) left_out: usize,
}

/// Makes a query from each of up to `documents` documents, drawn by seed.
pub(crate) fn synthesize(
    collection: &Collection,
    kind: Kind,
    documents: usize,
    seed: u64,
) -> Result<Synthetic> {
    let corpus = collection.corpus()?;
    // Those with the smallest numbers: the draw is the same for any order of documents.
    let mut drawn: BTreeMap<(u64, String), Document> = BTreeMap::new();
    for document in corpus.documents()? {
        let document = document?;
        if kind.fits(&document) {
            let Ok(number) = stream(seed, "source", &document.id).try_next_u64();
            drawn.insert((number, document.id.clone()), document);
        }
        if drawn.len() > documents {
            drawn.pop_last();
        }
    }
    let mut drawn: Vec<Document> = drawn.into_values().collect();
    drawn.sort_by(|a, b| a.id.cmp(&b.id));
    let mut counts = Counts::of(&drawn);
    for document in corpus.documents()? {
        counts.add(&document?);
    }
    let set = |text: &str| shingles(&Words::new([text]), 1);
    let mut sets: Vec<Vec<u64>> = collection.queries().iter().map(|query| set(&query.text)).collect();
    let mut made = Synthetic { queries: Vec::new(), left_out: 0 };
    for document in drawn {
        let text = match kind {
            Kind::Titles => document.title.clone().unwrap_or_default(),
            Kind::Terms => counts.telling(&words_of(&document), &mut stream(seed, "terms", &document.id)),
        };
        let own = set(&text);
        let is_shared = kind == Kind::Titles && counts.titles.get(title_of(&document).text()) != Some(&1);
        if is_shared || own.len() < 2 || sets.iter().any(|other| jaccard(&own, other) >= NEAR) {
            made.left_out += 1;
            continue;
        }
        sets.push(own);
        let query = Query::new(format!("{}-{}", kind.as_str(), document.id), text)
            .with(SYNTHETIC[0], SYNTHETIC[1])
            .with("kind", kind.as_str())
            .with("source", document.id.as_str());
        made.queries.push((query, document.id));
    }
    Ok(made)
}

fn stream(seed: u64, what: &str, document: &str) -> StreamRng {
    Stream::new(seed).for_name("synthesize").for_name(what).for_name(document).rng(0)
}

fn words_of(document: &Document) -> Words {
    Words::new(document.title.as_deref().into_iter().chain([document.text.as_str()]))
}

fn title_of(document: &Document) -> Words {
    Words::new(document.title.as_deref())
}

/// How common the words and titles of the drawn documents are in all documents.
#[derive(Default)]
struct Counts {
    documents: u64,
    /// All words of all documents.
    total: u64,
    /// How often a word is there, and in how many documents.
    words: HashMap<String, [u64; 2]>,
    titles: HashMap<String, u64>,
}

impl Counts {
    fn of(drawn: &[Document]) -> Self {
        let mut counts = Self::default();
        for document in drawn {
            counts.titles.insert(title_of(document).text().to_owned(), 0);
            counts.words.extend(words_of(document).iter().map(|word| (word.to_owned(), [0, 0])));
        }
        counts
    }

    fn add(&mut self, document: &Document) {
        let words = words_of(document);
        self.documents += 1;
        self.total += words.len() as u64;
        let mut seen = HashSet::new();
        for word in words.iter() {
            if let Some(count) = self.words.get_mut(word) {
                count[0] += 1;
                count[1] += u64::from(seen.insert(word));
            }
        }
        if let Some(count) = self.titles.get_mut(title_of(document).text()) {
            *count += 1;
        }
    }

    /// Different words of a document, drawn by how much they tell of it: by p(t|d) = .8 tf/|d| + .2 cf/|C|, times ln(N/df), as
    /// popular and discriminative words together are drawn by Azzopardi, de Rijke and Balog (SIGIR 2007).
    fn telling(&self, words: &Words, rng: &mut StreamRng) -> String {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        words.iter().for_each(|word| *times.entry(word).or_default() += 1);
        let (all, total) = (words.len().max(1) as f64, self.total.max(1) as f64);
        let weight = |word: &str, times: usize| {
            let [often, documents] = self.words.get(word).copied().unwrap_or([1, 1]);
            let p = (1.0 - SMOOTHING) * times as f64 / all + SMOOTHING * often as f64 / total;
            p * (self.documents as f64 / documents.max(1) as f64).ln()
        };
        // Weighted drawing without replacement: the largest u^(1/w) (Efraimidis and Spirakis 2006).
        let weighted = times.iter().map(|(word, times)| (weight(word, *times), *word));
        let weighted = weighted.filter(|(weight, _)| *weight > 0.0);
        let mut drawn: Vec<(f64, &str)> =
            weighted.map(|(weight, word)| (rng.random::<f64>().ln() / weight, word)).collect();
        drawn.sort_by(|a, b| b.0.total_cmp(&a.0));
        let drawn: BTreeSet<&str> = drawn.into_iter().take(TERMS).map(|(_, word)| word).collect();
        // In the order of the document.
        let mut seen = HashSet::new();
        let kept: Vec<&str> =
            words.iter().filter(|word| drawn.contains(word) && seen.insert(*word)).collect();
        kept.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankgate::CollectionBuilder;

    /// Forty documents, of which two share a title, and a person's query.
    fn collection() -> Collection {
        let mut builder = CollectionBuilder::new();
        for n in 0..40 {
            let rare: String = (0..20).map(|k| format!("rare{n}x{k} ")).collect();
            let text = format!("the of and to in is it for {rare}the of and to");
            let title = if n < 2 { "A title of two".to_owned() } else { format!("Title number {n}") };
            builder.add_document(Document::new(format!("d{n:02}"), text).with_title(title));
        }
        builder.add_query(Query::new("q1", "number 7 title"), [("d07", 1)]);
        builder.build().unwrap()
    }

    #[test]
    fn titles_are_asked_for_once_each() {
        let made = synthesize(&collection(), Kind::Titles, 40, 1).unwrap();
        // Two documents share a title, and the person's query is a near copy of another.
        assert_eq!((made.queries.len(), made.left_out), (37, 3));
        let (query, source) = &made.queries[0];
        assert_eq!((query.id.as_str(), query.text.as_str()), ("titles-d02", "Title number 2"));
        assert!(query.is_synthetic() && source == "d02");
        let sources = |seed| -> Vec<String> {
            let made = synthesize(&collection(), Kind::Titles, 5, seed).unwrap();
            made.queries.into_iter().map(|(_, source)| source).collect()
        };
        assert_eq!(sources(1), sources(1));
        assert_ne!(sources(1), sources(2));
    }

    /// Words that all documents have weigh nothing: ln(40 / 40) = 0.
    #[test]
    fn words_are_those_that_tell_a_document_from_the_others() {
        let made = synthesize(&collection(), Kind::Terms, 10, 1).unwrap();
        assert_eq!(made.queries.len(), 10);
        for (query, source) in &made.queries {
            let number: usize = source.trim_start_matches('d').parse().unwrap();
            let title = format!("title number {number} a title of two");
            let of_it = |word: &str| word.starts_with(&format!("rare{number}x")) || title.contains(word);
            let words: Vec<&str> = query.text.split(' ').collect();
            assert!(words.len() == 4 && words.iter().all(|word| of_it(word)), "{source}: {}", query.text);
        }
    }
}
