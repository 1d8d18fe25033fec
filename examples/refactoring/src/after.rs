//! After: the pages of each word are looked up.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{Found, Page, words};

/// Where each word stands.
pub struct Index {
    ids: Vec<String>,
    pages_with: HashMap<String, Vec<usize>>,
}

impl Index {
    pub fn new(pages: Vec<Page>) -> Self {
        let mut pages_with: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, (_, text)) in pages.iter().enumerate() {
            for word in words(text) {
                pages_with.entry(word).or_default().push(number);
            }
        }
        Self { ids: pages.into_iter().map(|(id, _)| id).collect(), pages_with }
    }

    /// The best `limit` pages, equal ones in the order in which they were given.
    pub fn find(&self, query: &str, limit: usize) -> Vec<Found<'_>> {
        let mut shared: HashMap<usize, u32> = HashMap::new();
        for word in words(query) {
            for &page in self.pages_with.get(&word).into_iter().flatten() {
                *shared.entry(page).or_default() += 1;
            }
        }
        let mut found: Vec<(usize, u32)> = shared.into_iter().collect();
        found.sort_by_key(|&(page, shared)| (Reverse(shared), page));
        found.truncate(limit);
        found.into_iter().map(|(page, shared)| (self.ids[page].as_str(), shared)).collect()
    }
}
