//! What a run file says about one query, put into rank order.

use std::cmp::Ordering;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;

use crate::error::Quoted;
use crate::run::{HitRef, Order};
use crate::{Error, Result};

/// The lines of one query, in the order of the file.
#[derive(Default)]
pub(super) struct Answer {
    /// All document ids, one after the other.
    ids: String,
    entries: Vec<Entry>,
}

struct Entry {
    score: f64,
    rank: i64,
    start: usize,
    end: usize,
    line: u64,
}

impl Answer {
    /// Adds a document; `rank` matters under [`Order::Rank`] only, and the score is a number.
    pub(super) fn push(&mut self, id: &str, score: f64, rank: i64, line: u64) {
        let start = self.ids.len();
        self.ids.push_str(id);
        self.entries.push(Entry { score, rank, start, end: self.ids.len(), line });
    }

    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.entries.clear();
    }

    /// The documents in rank order.
    pub(super) fn ranking(
        &mut self,
        order: Order,
        query: &str,
        path: &Path,
        seen: &mut SeenIds,
    ) -> Result<Vec<HitRef<'_>>> {
        self.check_documents(query, path, seen)?;
        let Self { ids, entries } = self;
        let id = |entry: &Entry| &ids[entry.start..entry.end];
        match order {
            Order::Score => entries.sort_unstable_by(|a, b| by_score((id(a), a.score), (id(b), b.score))),
            Order::Rank => {
                entries.sort_unstable_by_key(|entry| (entry.rank, entry.line));
                if let Some(pair) = entries.windows(2).find(|pair| pair[0].rank == pair[1].rank) {
                    let message = format!(
                        "rank {} of query {} again (first in line {})",
                        pair[1].rank,
                        Quoted(query),
                        pair[0].line
                    );
                    return Err(Error::at_line(path, pair[1].line, id(&pair[1]), message));
                }
            }
        }
        Ok(entries.iter().map(|entry| HitRef { id: id(entry), score: entry.score }).collect())
    }

    fn check_documents(&self, query: &str, path: &Path, seen: &mut SeenIds) -> Result<()> {
        let id = |index: usize| &self.ids[self.entries[index].start..self.entries[index].end];
        match seen.first_repeated(self.entries.len(), id) {
            None => Ok(()),
            Some((first, second)) => {
                let first = self.entries[first].line;
                let message = format!("document of query {} again (first in line {first})", Quoted(query));
                Err(Error::at_line(path, self.entries[second].line, id(second), message))
            }
        }
    }
}

/// The order of `trec_eval`: score descending, then document id descending (bytes); -0 equals 0.
pub(super) fn by_score((id_a, score_a): (&str, f64), (id_b, score_b): (&str, f64)) -> Ordering {
    // Adding 0 turns -0 into 0; nothing here is NaN.
    (score_b + 0.0).total_cmp(&(score_a + 0.0)).then_with(|| id_b.cmp(id_a))
}

/// Finds ids that come twice: a hash table that is used again for each query.
#[derive(Default)]
pub(super) struct SeenIds {
    hasher: RandomState,
    /// Index + 1 of an id, 0 where the slot is free; a power of two of them, at most half full.
    slots: Vec<u32>,
}

impl SeenIds {
    /// The indices of the first id among `count` that was there before, and where it was.
    fn first_repeated<'a>(&mut self, count: usize, id: impl Fn(usize) -> &'a str) -> Option<(usize, usize)> {
        let size = (2 * count).next_power_of_two();
        self.slots.clear();
        self.slots.resize(size, 0);
        for index in 0..count {
            let mut slot = self.hasher.hash_one(id(index)) as usize & (size - 1);
            while self.slots[slot] != 0 {
                let earlier = self.slots[slot] as usize - 1;
                if id(earlier) == id(index) {
                    return Some((earlier, index));
                }
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(order: Order, lines: &[(&str, f64, i64)]) -> Result<Vec<String>> {
        let mut answer = Answer::default();
        for (index, (id, score, rank)) in lines.iter().enumerate() {
            answer.push(id, *score, *rank, index as u64 + 1);
        }
        let hits = answer.ranking(order, "q", Path::new("a.run"), &mut SeenIds::default())?;
        Ok(hits.iter().map(|hit| hit.id.to_owned()).collect())
    }

    #[test]
    fn scores_descend_and_equal_scores_go_by_id_descending() {
        let lines = [
            ("a", 0.0, 1),
            ("b", -0.0, 2),
            ("Z", 0.0, 3),
            ("c", f64::NEG_INFINITY, 4),
            ("d", f64::INFINITY, 5),
        ];
        assert_eq!(ranked(Order::Score, &lines).unwrap(), ["d", "b", "a", "Z", "c"]);
    }

    #[test]
    fn ranks_ascend_from_any_number_and_with_gaps() {
        let lines = [("a", 1.0, 10), ("b", 2.0, 0), ("c", 3.0, -5)];
        assert_eq!(ranked(Order::Rank, &lines).unwrap(), ["c", "b", "a"]);
    }

    #[test]
    fn a_rank_that_comes_twice_is_an_error() {
        let error = ranked(Order::Rank, &[("a", 1.0, 3), ("b", 2.0, 3)]).unwrap_err();
        assert_eq!(error.to_string(), "a.run:2: rank 3 of query `q` again (first in line 1): `b`");
    }

    #[test]
    fn a_document_that_comes_twice_is_an_error_with_both_lines() {
        let mut lines: Vec<(String, f64, i64)> = (0..1000).map(|n| (format!("d{n}"), 0.5, n)).collect();
        lines.push(("d17".into(), 0.25, 1000));
        let lines: Vec<_> = lines.iter().map(|(id, score, rank)| (id.as_str(), *score, *rank)).collect();
        for order in [Order::Score, Order::Rank] {
            let error = ranked(order, &lines).unwrap_err();
            assert_eq!(
                error.to_string(),
                "a.run:1001: document of query `q` again (first in line 18): `d17`"
            );
        }
    }
}
