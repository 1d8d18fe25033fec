//! Documents drawn by seed, and how common their words are: two passes that keep the drawn ones only.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use rand::RngExt;

use super::{QueryKind, Synthesis, number};
use crate::health::Result;
use crate::health::collection::{Corpus, Document};
use crate::health::shingles::Words;
use crate::health::stats::StreamRng;

/// Fewer words are too few for a question.
const FEWEST: usize = 20;
/// A longer title is no title.
const LONGEST_TITLE: usize = 30;
/// Documents that negatives are drawn from, at least.
const RANDOM: usize = 500;
/// The weight of the collection in the model of a document.
const SMOOTHING: f64 = 0.2;

/// The words of a document, its title first.
pub(super) fn words_of(document: &Document) -> Words {
    Words::new(document.title.as_deref().into_iter().chain([document.text.as_str()]))
}

impl QueryKind {
    /// What a document has, of which a query of this kind is made.
    #[must_use]
    pub fn needs(self) -> String {
        match self {
            Self::Titles => format!("a title of 2 to {LONGEST_TITLE} words"),
            Self::Terms => format!("a text of {FEWEST} words or more"),
        }
    }
}

/// What was drawn.
pub(crate) struct Drawn {
    /// By id.
    pub(crate) documents: Vec<Document>,
    /// Ids of documents, whichever.
    pub(crate) random: Vec<String>,
}

/// Those with the smallest numbers; the draw is the same for any order of documents.
struct Smallest<T> {
    most: usize,
    heap: BinaryHeap<(u64, String)>,
    held: HashMap<String, T>,
}

impl<T> Smallest<T> {
    fn new(most: usize) -> Self {
        Self { most, heap: BinaryHeap::new(), held: HashMap::new() }
    }

    fn offer(&mut self, key: u64, id: &str, value: impl FnOnce() -> T) {
        if self.heap.len() == self.most && self.heap.peek().is_none_or(|(largest, _)| key >= *largest) {
            return;
        }
        self.heap.push((key, id.to_owned()));
        self.held.insert(id.to_owned(), value());
        if self.heap.len() > self.most
            && let Some((_, id)) = self.heap.pop()
        {
            self.held.remove(&id);
        }
    }

    fn into_map(self) -> BTreeMap<String, T> {
        self.held.into_iter().collect()
    }
}

impl Drawn {
    pub(crate) fn new(corpus: &Corpus, plan: &Synthesis) -> Result<Self> {
        let mut chosen = Smallest::new(plan.documents);
        let mut random = Smallest::new(RANDOM.max(2 * plan.negatives));
        for document in corpus.documents()? {
            let document = document?;
            random.offer(number(plan.seed, &["random", &document.id]), &document.id, || ());
            let title = || document.title.as_deref().map_or(0, |title| Words::new([title]).len());
            let fits = match plan.kind {
                QueryKind::Titles => (2..=LONGEST_TITLE).contains(&title()),
                QueryKind::Terms => Words::new([document.text.as_str()]).len() >= FEWEST,
            };
            if fits {
                chosen.offer(number(plan.seed, &["source", &document.id]), &document.id, || document.clone());
            }
        }
        Ok(Self {
            documents: chosen.into_map().into_values().collect(),
            random: random.into_map().into_keys().collect(),
        })
    }

    /// The words of the drawn documents.
    pub(crate) fn words(&self) -> HashSet<String> {
        let words = self.documents.iter().map(words_of);
        words.flat_map(|words| words.iter().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Their titles.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &str> {
        self.documents.iter().filter_map(|document| document.title.as_deref())
    }
}

/// How common words and titles are.
#[derive(Default)]
pub(crate) struct Frequencies {
    documents: u64,
    /// All words of all documents.
    total: u64,
    /// How often a word is there, and in how many documents.
    words: HashMap<String, [u64; 2]>,
    titles: HashMap<String, u64>,
}

impl Frequencies {
    pub(crate) fn new<'a>(
        corpus: &Corpus,
        words: HashSet<String>,
        titles: impl Iterator<Item = &'a str>,
    ) -> Result<Self> {
        let mut counted = Self {
            words: words.into_iter().map(|word| (word, [0, 0])).collect(),
            titles: titles.map(|title| (Words::new([title]).text().to_owned(), 0)).collect(),
            ..Self::default()
        };
        for document in corpus.documents()? {
            let document = document?;
            let words = words_of(&document);
            counted.documents += 1;
            counted.total += words.len() as u64;
            let mut seen = HashSet::new();
            for word in words.iter() {
                if let Some(count) = counted.words.get_mut(word) {
                    count[0] += 1;
                    count[1] += u64::from(seen.insert(word));
                }
            }
            if let Some(title) = &document.title
                && let Some(count) = counted.titles.get_mut(Words::new([title.as_str()]).text())
            {
                *count += 1;
            }
        }
        Ok(counted)
    }

    pub(super) fn has_title_once(&self, title: &str) -> bool {
        self.titles.get(Words::new([title]).text()) == Some(&1)
    }

    /// Different words of a document, drawn by how much they tell of it: by p(t|d) = .8 tf/|d| + .2 cf/|C|, times ln(N/df), as
    /// popular and discriminative words together are drawn by Azzopardi, de Rijke and Balog (SIGIR 2007).
    pub(super) fn telling(&self, words: &Words, count: usize, rng: &mut StreamRng) -> Vec<String> {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        words.iter().for_each(|word| *times.entry(word).or_default() += 1);
        let (all, total) = (words.len().max(1) as f64, self.total.max(1) as f64);
        let weight = |word: &str, times: usize| {
            let [often, documents] = self.words.get(word).copied().unwrap_or([1, 1]);
            let p = (1.0 - SMOOTHING) * times as f64 / all + SMOOTHING * often as f64 / total;
            p * (self.documents as f64 / documents.max(1) as f64).ln()
        };
        // Weighted drawing without replacement: the largest u^(1/w) (Efraimidis and Spirakis 2006).
        let mut drawn: Vec<(f64, &str)> = times
            .iter()
            .map(|(word, times)| (weight(word, *times), *word))
            .filter(|(weight, _)| *weight > 0.0)
            .map(|(weight, word)| (rng.random::<f64>().ln() / weight, word))
            .collect();
        drawn.sort_by(|a, b| b.0.total_cmp(&a.0));
        let drawn: BTreeSet<&str> = drawn.into_iter().take(count).map(|(_, word)| word).collect();
        // In the order of the document.
        let mut seen = HashSet::new();
        words.iter().filter(|word| drawn.contains(word) && seen.insert(*word)).map(str::to_owned).collect()
    }
}
