//! Before: every query reads every page.

use std::cmp::Reverse;

use super::{Found, Page, words};

/// All pages, in the order in which they were given.
pub struct Scan {
    pages: Vec<Page>,
}

impl Scan {
    pub fn new(pages: Vec<Page>) -> Self {
        Self { pages }
    }

    /// The best `limit` pages; equal ones stay in the order in which they were given, since the sort is stable.
    pub fn find(&self, query: &str, limit: usize) -> Vec<Found<'_>> {
        let asked = words(query);
        let shared = |text: &str| words(text).intersection(&asked).count() as u32;
        let mut found: Vec<Found> = self
            .pages
            .iter()
            .map(|(id, text)| (id.as_str(), shared(text)))
            .filter(|found| found.1 > 0)
            .collect();
        found.sort_by_key(|&(_, shared)| Reverse(shared));
        found.truncate(limit);
        found
    }
}
