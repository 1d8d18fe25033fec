//! The search engine of bm25 over a corpus.

use bm25::{Document, Language, SearchEngine, SearchEngineBuilder};

pub struct Engine(SearchEngine<String>);

impl Engine {
    pub fn new(documents: Vec<(String, String)>) -> Self {
        let documents = documents.into_iter().map(|(id, contents)| Document { id, contents });
        Self(SearchEngineBuilder::with_documents(Language::English, documents).b(0.75).build())
    }

    /// Ties by id: the crate's own order of them changes with every call.
    pub fn search(&self, query: &str, depth: usize) -> Vec<(String, f64)> {
        let mut found: Vec<(String, f64)> = self
            .0
            .search(query, None)
            .into_iter()
            .map(|one| (one.document.id, f64::from(one.score)))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(depth);
        found
    }
}
