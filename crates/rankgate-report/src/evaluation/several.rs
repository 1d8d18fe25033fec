//! Passes that are of several texts of a query: which of them are whose.

use super::Evaluation;

/// How many of the passes are of other variants, and of how many each query's own are.
#[derive(Clone, Debug)]
pub(super) struct Several {
    /// So many passes ask all variants once.
    pub(super) each: usize,
    /// How many of these are a query's own; in the others its first ones come again.
    pub(super) counts: Vec<usize>,
}

impl Several {
    /// Those of the queries that are kept.
    pub(super) fn keeping(&self, kept: &[bool]) -> Self {
        let counts = self.counts.iter().zip(kept).filter(|(_, kept)| **kept);
        Self { each: self.each, counts: counts.map(|(count, _)| *count).collect() }
    }
}

impl Evaluation {
    /// The passes that are a query's own, by its position, `passes` being some of them from a first on.
    pub(super) fn own<'a, T>(&self, query: usize, passes: &'a [T]) -> impl Iterator<Item = &'a T> {
        let [each, own] = self.variants.as_ref().map_or([1, 1], |one| [one.each, one.counts[query]]);
        passes.iter().enumerate().filter(move |(pass, _)| pass % each < own).map(|(_, pass)| pass)
    }

    /// How many passes ask everything once.
    pub(super) fn passes_each(&self) -> usize {
        self.variants.as_ref().map_or(1, |variants| variants.each)
    }
}
