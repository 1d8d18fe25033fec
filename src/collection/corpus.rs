//! A handle on the documents of a collection.

use std::sync::Arc;

use crate::Result;
use crate::collection::Document;

/// The documents of a collection, read when asked for.
///
/// A corpus is a handle: cloning it is cheap, and a corpus in a file is streamed from there at
/// each call of [`documents`](Self::documents), so that nothing here holds a million documents.
#[derive(Clone, Debug)]
pub struct Corpus {
    documents: Arc<[Document]>,
}

impl Corpus {
    /// A corpus that is in memory already.
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::{Corpus, Document};
    ///
    /// let corpus = Corpus::in_memory([Document::new("d1", "alpha"), Document::new("d2", "beta")]);
    /// for document in corpus.documents()? {
    ///     assert!(!document?.text.is_empty());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_memory(documents: impl IntoIterator<Item = Document>) -> Self {
        Self { documents: documents.into_iter().collect() }
    }

    /// Starts reading the documents, in the order of their file.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened. An item is an error where the file cannot be read further or
    /// a line is not a document; iteration ends there.
    pub fn documents(&self) -> Result<Documents> {
        Ok(Documents { documents: Arc::clone(&self.documents), next: 0 })
    }
}

/// The documents of a [`Corpus`], one after the other.
#[derive(Debug)]
pub struct Documents {
    documents: Arc<[Document]>,
    next: usize,
}

impl Iterator for Documents {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        let document = self.documents.get(self.next)?.clone();
        self.next += 1;
        Some(Ok(document))
    }
}
