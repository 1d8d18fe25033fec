//! An index of probly-search over a corpus.

use std::borrow::Cow;

use probly_search::Index;
use probly_search::score::bm25;

pub struct Engine(Index<usize>, Vec<String>);

fn words(text: &str) -> Vec<Cow<'_, str>> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| Cow::from(word.to_lowercase())).collect()
}

fn text(text: &String) -> Vec<&str> {
    vec![text]
}

impl Engine {
    pub fn new(documents: Vec<(String, String)>) -> Self {
        let mut index = Index::new(1);
        for (key, (_, contents)) in documents.iter().enumerate() {
            index.add_document(&[text], words, key, contents);
        }
        Self(index, documents.into_iter().map(|(id, _)| id).collect())
    }

    pub fn search(&self, query: &str, depth: usize) -> Vec<(String, f64)> {
        let mut found = self.0.query(query, &mut bm25::new(), words, &[1.0]);
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
        found.into_iter().take(depth).map(|one| (self.1[one.key].clone(), one.score)).collect()
    }
}
