//! A run as rows in memory, which readers of tables hand over.

use std::collections::BTreeMap;

/// The rows of a run, by query.
#[derive(Debug, Default)]
pub struct RunRows {
    /// Whether ranks say the order; scores do otherwise.
    pub by_rank: bool,
    /// Whether rows have ranks.
    pub has_ranks: bool,
    /// Whether scores were floats of less than 64 bits.
    pub single: bool,
    queries: BTreeMap<String, QueryRows>,
}

/// The rows of one query, in any order.
#[derive(Debug, Default)]
pub struct QueryRows {
    /// The documents' ids, one after the other.
    pub ids: String,
    pub rows: Vec<RunRow>,
}

/// A retrieved document.
#[derive(Clone, Copy, Debug)]
pub struct RunRow {
    /// Where the document's id ends; it begins where that of the row before ends.
    pub end: usize,
    pub score: f64,
    pub rank: i64,
    /// The row's number in the table, from 1.
    pub number: u64,
}

impl RunRows {
    /// Adds a row. The score is not NaN.
    pub fn push(&mut self, query: &str, document: &str, (score, rank): (f64, i64), number: u64) {
        // Most tables are ordered by query: then it is the last one.
        let is_last = self.queries.last_key_value().is_some_and(|(last, _)| last == query);
        if !is_last && !self.queries.contains_key(query) {
            self.queries.insert(query.to_owned(), QueryRows::default());
        }
        let Some(rows) = self.queries.get_mut(query) else { return };
        rows.ids.push_str(document);
        rows.rows.push(RunRow { end: rows.ids.len(), score, rank, number });
    }

    /// The queries, in the order of their ids.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = (&str, &QueryRows)> {
        self.queries.iter().map(|(query, rows)| (query.as_str(), rows))
    }
}
