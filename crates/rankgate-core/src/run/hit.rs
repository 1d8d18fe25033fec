//! One retrieved document.

use std::ops::Range;

use crate::passage::Passage;

/// A document that a retriever returned, with the score it was ranked by.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Identifier of the document in the collection.
    pub id: String,
    /// Higher is better: documents are ranked by it. Equal scores of a retriever keep the order of its list.
    pub score: f64,
}

impl Hit {
    /// A hit.
    ///
    /// ```
    /// let hit = rankgate::Hit::new("refunds-3", 12.5);
    /// assert_eq!(hit.id, "refunds-3");
    /// ```
    pub fn new(id: impl Into<String>, score: f64) -> Self {
        Self { id: id.into(), score }
    }

    /// A hit that says where it lies: the characters (Unicode scalar values) of a range of a document, which is not empty.
    /// Judged spans of documents score it, whatever chunks are called.
    ///
    /// ```
    /// let hit = rankgate::Hit::passage("refunds", 120..320, 12.5);
    /// assert_eq!(hit.id, "refunds#char=120,320");
    /// ```
    pub fn passage(document: &str, characters: Range<usize>, score: f64) -> Self {
        Self::new(Passage::new(document, characters).to_string(), score)
    }
}

/// A [`Hit`] whose id is borrowed from what is being read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HitRef<'a> {
    /// Identifier of the document in the collection.
    pub id: &'a str,
    /// Higher is better.
    pub score: f64,
}

impl From<HitRef<'_>> for Hit {
    fn from(hit: HitRef<'_>) -> Self {
        Self::new(hit.id, hit.score)
    }
}
