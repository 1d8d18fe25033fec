//! Three ways to cut text into terms, ranked by BM25, measured and compared on the shipped collection:
//!
//! ```sh
//! cargo run -p quickstart
//! ```

use std::collections::HashMap;
use std::path::Path;

use rankgate::benchmark::model::Report;
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{BoxError, Corpus, Hit, Query, Retriever};

/// How much a term that comes again adds, and how much the length of a document takes away.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The `params:` of a configuration.
#[derive(serde::Deserialize)]
struct Params {
    terms: Terms,
}

/// What a text is cut into.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Terms {
    Words,
    Endings,
    Trigrams,
}

impl Terms {
    fn split(self, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        match self {
            Self::Words => words.map(str::to_owned).collect(),
            Self::Endings => words.map(|word| without_ending(word).to_owned()).collect(),
            Self::Trigrams => words.flat_map(trigrams).collect(),
        }
    }
}

fn without_ending(word: &str) -> &str {
    let long_enough = |stem: &&str| stem.chars().count() >= 3;
    ["ing", "ed", "es", "s"].iter().filter_map(|end| word.strip_suffix(end)).find(long_enough).unwrap_or(word)
}

fn trigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(3.min(letters.len())).map(|three| three.iter().collect()).collect()
}

/// The documents' ids, and by term which of them have it and what it is worth there.
struct Bm25 {
    terms: Terms,
    ids: Vec<String>,
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Bm25 {
    fn build(corpus: &Corpus, params: &Params, k1: f64) -> Result<Self, BoxError> {
        let mut index = Self { terms: params.terms, ids: Vec::new(), postings: HashMap::new() };
        let mut lengths = Vec::new();
        for document in corpus.documents()? {
            let document = document?;
            let terms =
                index.terms.split(&format!("{} {}", document.title.as_deref().unwrap_or(""), document.text));
            let mut counts: HashMap<String, f64> = HashMap::new();
            lengths.push(terms.len() as f64);
            terms.into_iter().for_each(|term| *counts.entry(term).or_default() += 1.0);
            for (term, count) in counts {
                index.postings.entry(term).or_default().push((index.ids.len(), count));
            }
            index.ids.push(document.id);
        }
        let (documents, mean) = (lengths.len() as f64, lengths.iter().sum::<f64>() / lengths.len() as f64);
        for postings in index.postings.values_mut() {
            let having = postings.len() as f64;
            let rarity = ((documents - having + 0.5) / (having + 0.5)).ln_1p();
            for (document, worth) in postings {
                *worth *= rarity * (k1 + 1.0) / (*worth + k1 * (1.0 - B + B * lengths[*document] / mean));
            }
        }
        Ok(index)
    }
}

impl Retriever for Bm25 {
    fn retrieve(&self, query: &Query, depth: usize) -> Result<Vec<Hit>, BoxError> {
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for term in self.terms.split(&query.text) {
            for &(document, worth) in self.postings.get(&term).into_iter().flatten() {
                *scores.entry(document).or_default() += worth;
            }
        }
        let mut hits: Vec<Hit> =
            scores.into_iter().map(|(document, score)| Hit::new(&*self.ids[document], score)).collect();
        // Equal scores need an order of their own, or rankings change from run to run.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        hits.truncate(depth);
        Ok(hits)
    }
}

/// What the spec in this folder asks for, measured.
pub(crate) fn report(folder: &Path, k1: f64) -> Result<Report, rankgate::Error> {
    let mut registry = Registry::new();
    registry.retrievers.register("bm25", move |setup| Bm25::build(setup.corpus()?, &setup.params()?, k1))?;
    Ok(Benchmark::open(folder.join("helpdesk.yaml"), &registry)?.run())
}

/// What to try next.
pub(crate) const NEXT: &str = "\
Next: make it worse. Change `const K1: f64 = 1.2;` in examples/quickstart/src/main.rs to 0.0, so that a term counts
once however often it comes, and run it again: three gates break and say which queries and documents moved.
In a crate of your own each gate is a test: \"Getting started\" in docs/getting-started.md.
";

#[expect(clippy::print_stdout, reason = "printing the report is what this program is for")]
fn main() -> Result<(), rankgate::Error> {
    let report = report(env!("CARGO_MANIFEST_DIR").as_ref(), K1)?;
    print!("{}\n{NEXT}", rankgate::report::text(&report));
    Ok(())
}
