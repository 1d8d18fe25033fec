//! One query's documents in rank order, as they stand in what is being read.

use super::entry::Entry;
use super::{HitRef, Order, Rising};
use crate::places::Places;

/// The ranking of one query while a run is read.
pub struct Ranking<'a> {
    /// What the entries' places are in.
    pub(super) text: &'a str,
    /// What says their order.
    pub(super) by: Order,
    /// As they stand in the file.
    pub(super) entries: &'a [Entry],
    /// The entry at each rank; empty where the file is in rank order.
    pub(super) order: &'a [u32],
    /// Each entry's rank, from 0; empty where the file is in rank order.
    pub(super) ranks: &'a [u32],
    /// Finds an entry by its document.
    pub(super) seen: &'a Places,
    /// Whether a document was taken out because it has the query's id.
    pub(super) identical: bool,
    pub(super) rising: Rising,
}

impl<'a> Ranking<'a> {
    /// How many documents were retrieved.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was retrieved.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The rank of a document, from 1; `None` where it was not retrieved. Takes the same time however
    /// long the ranking is: to look up the few judged documents is much faster than to go through
    /// the many retrieved ones.
    pub fn rank_of(&self, document: &str) -> Option<usize> {
        let entry = self.seen.find(document.as_bytes(), |index| self.entries[index].id_bytes(self.text))?;
        Some(1 + self.ranks.get(entry).map_or(entry, |&rank| rank as usize))
    }

    /// The scores of the documents, best first.
    pub fn scores(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.len()).map(|rank| self.entries[self.entry_at(rank)].score)
    }

    /// The documents, best first.
    pub fn hits(&self) -> impl ExactSizeIterator<Item = HitRef<'a>> + '_ {
        (0..self.len()).map(|rank| {
            let index = self.entry_at(rank);
            HitRef { id: self.id(index), score: self.entries[index].score }
        })
    }

    fn entry_at(&self, rank: usize) -> usize {
        self.order.get(rank).map_or(rank, |&entry| entry as usize)
    }

    fn id(&self, index: usize) -> &'a str {
        self.entries[index].id(self.text)
    }
}

#[doc(hidden)]
impl<'a> Ranking<'a> {
    /// Whether a document was taken out because it has the query's id.
    pub fn had_identical(&self) -> bool {
        self.identical
    }

    /// Whether scores rise with the ranks of the file.
    pub fn rising(&self) -> Rising {
        self.rising
    }

    /// What says the order.
    pub fn by(&self) -> Order {
        self.by
    }
}
