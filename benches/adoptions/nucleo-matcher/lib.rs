//! Fuzzy matches of nucleo-matcher, summed over the words of a query.

use std::sync::Mutex;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};

pub struct Engine(Mutex<Matcher>, Vec<(String, Utf32String)>);

impl Engine {
    pub fn new(documents: Vec<(String, String)>) -> Self {
        let texts = documents.into_iter().map(|(id, contents)| (id, Utf32String::from(contents)));
        Self(Mutex::new(Matcher::new(Config::DEFAULT)), texts.collect())
    }

    pub fn search(&self, query: &str, depth: usize) -> Vec<(String, f64)> {
        let mut matcher = self.0.lock().unwrap();
        let words: Vec<Pattern> = query
            .split_whitespace()
            .map(|word| Pattern::new(word, CaseMatching::Ignore, Normalization::Smart, AtomKind::Substring))
            .collect();
        let mut found: Vec<(String, f64)> = Vec::new();
        for (id, text) in &self.1 {
            let score: u32 = words.iter().filter_map(|word| word.score(text.slice(..), &mut matcher)).sum();
            if score > 0 {
                found.push((id.clone(), f64::from(score)));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(depth);
        found
    }
}
