//! The search of a help centre: what this crate is about. It knows nothing of rankgate.

use std::collections::{HashMap, HashSet};

/// How pages are scored.
#[derive(Clone, Copy, Debug)]
pub enum Scoring {
    /// By how many words they share with the query.
    SharedWords,
    /// The same, where a word counts the more the fewer pages have it.
    RareWords,
}

/// Pages, ready to be searched.
pub struct Search {
    scoring: Scoring,
    pages: Vec<(String, HashSet<String>)>,
    /// In how many pages each word is.
    pages_with: HashMap<String, usize>,
}

impl Search {
    /// Takes the id and the text of each page.
    pub fn new(scoring: Scoring, pages: impl IntoIterator<Item = (String, String)>) -> Self {
        let pages: Vec<(String, HashSet<String>)> =
            pages.into_iter().map(|(id, text)| (id, words(&text).collect())).collect();
        let mut pages_with = HashMap::new();
        for word in pages.iter().flat_map(|(_, words)| words) {
            *pages_with.entry(word.clone()).or_default() += 1;
        }
        Self { scoring, pages, pages_with }
    }

    /// The best `limit` pages for a query with their scores, best first; equal ones by id.
    pub fn find(&self, query: &str, limit: usize) -> Vec<(&str, f64)> {
        // Sums in floating point depend on their order: words are sorted, and each counts once.
        let mut asked: Vec<String> = words(query).collect();
        asked.sort();
        asked.dedup();
        let score = |page: &HashSet<String>| {
            asked.iter().filter(|word| page.contains(*word)).map(|word| self.weight(word)).sum::<f64>()
        };
        let mut found: Vec<(&str, f64)> = self
            .pages
            .iter()
            .map(|(id, page)| (id.as_str(), score(page)))
            .filter(|found| found.1 > 0.0)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        found.truncate(limit);
        found
    }

    fn weight(&self, word: &str) -> f64 {
        match self.scoring {
            Scoring::SharedWords => 1.0,
            Scoring::RareWords => (self.pages.len() as f64 / self.pages_with[word] as f64).ln(),
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
