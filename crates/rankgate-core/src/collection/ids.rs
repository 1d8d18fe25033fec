//! Which ids a corpus has.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::{Corpus, Passage};
use crate::Result;
use crate::parents::Parents;

/// The ids of a corpus: of millions of documents 8 bytes each, and 8 more of those without text.
#[derive(Debug)]
pub struct CorpusIds {
    hashes: Vec<u64>,
    /// Those of documents with neither a title nor a text, where others have one.
    empty: Vec<u64>,
    example: String,
}

impl CorpusIds {
    /// Reads the corpus once. Of chunks it has the ids of the documents that they belong to as well.
    pub(super) fn read(corpus: &Corpus, parents: Option<&Parents>) -> Result<Self> {
        let (mut hashes, mut empty, mut example) = (Vec::new(), Vec::new(), None);
        corpus.each(
            |document| {
                let is_empty = [document.title.as_deref().unwrap_or_default(), &document.text]
                    .iter()
                    .all(|text| text.trim().is_empty());
                (document.id, is_empty)
            },
            |(id, is_empty): (String, bool)| {
                hashes.push(hash(&id));
                empty.extend(is_empty.then(|| hash(&id)));
                let document = parents.and_then(|parents| parents.document(&id).ok()).map(str::to_owned);
                hashes.extend(document.as_deref().map(hash));
                example.get_or_insert(document.unwrap_or(id));
                true
            },
        )?;
        // Where no document has a text, a corpus is a list of ids.
        if empty.len() == hashes.len() {
            empty.clear();
        }
        hashes.sort_unstable();
        if parents.is_some() {
            hashes.dedup();
        }
        empty.sort_unstable();
        Ok(Self { hashes, empty, example: example.unwrap_or_default() })
    }

    /// The id of a document; empty where there is none.
    pub fn example(&self) -> &str {
        &self.example
    }

    /// How many documents there are.
    #[expect(clippy::len_without_is_empty, reason = "a corpus is never asked whether it is empty")]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether a document has this id.
    pub fn contains(&self, id: &str) -> bool {
        let is_there = |id: &str| self.hashes.binary_search(&hash(id)).is_ok();
        is_there(id) || is_there(Passage::document_of(id))
    }

    /// Whether a document has this id and a title or a text by which it can be found.
    pub fn contains_text(&self, id: &str) -> bool {
        self.contains(id) && self.empty.binary_search(&hash(Passage::document_of(id))).is_err()
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
