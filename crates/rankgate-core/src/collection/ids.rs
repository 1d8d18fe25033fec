//! Which ids a corpus has.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::Corpus;
use crate::Result;

/// The ids of a corpus: of millions of documents 8 bytes each.
#[derive(Debug)]
pub struct CorpusIds {
    hashes: Vec<u64>,
    example: String,
}

impl CorpusIds {
    /// Reads the corpus once.
    pub(super) fn read(corpus: &Corpus) -> Result<Self> {
        let (mut hashes, mut example) = (Vec::new(), None);
        corpus.each(
            |document| document.id,
            |id: String| {
                hashes.push(hash(&id));
                example.get_or_insert(id);
                true
            },
        )?;
        hashes.sort_unstable();
        Ok(Self { hashes, example: example.unwrap_or_default() })
    }

    /// The id of a document; empty where there is none.
    #[must_use]
    pub fn example(&self) -> &str {
        &self.example
    }

    /// How many documents there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a corpus is never asked whether it is empty")]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether a document has this id.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.hashes.binary_search(&hash(id)).is_ok()
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}
