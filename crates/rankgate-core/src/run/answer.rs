//! What a run file says about one query, put into rank order.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use crate::error::Quoted;
use crate::places::Places;
use crate::run::entry::Entry;
use crate::run::rising::Ranks;
use crate::run::{Order, Ranking, Rising};
use crate::{Error, Result};

/// The lines of one query, in the order of the file.
#[derive(Default)]
pub(super) struct Answer {
    /// Document ids, one after the other; nothing where they stand in a text of the caller's.
    pub(super) ids: String,
    pub(super) entries: Vec<Entry>,
    /// What they are sorted by.
    pub(super) keys: Vec<u128>,
    /// The entry at each rank, and each entry's rank; empty where the file is in rank order.
    pub(super) order: Vec<u32>,
    pub(super) ranks: Vec<u32>,
    /// Whether a document that has the query's id is taken out.
    pub(super) excluding: bool,
    /// Whether one was.
    pub(super) identical: bool,
    pub(super) rising: Rising,
    /// What ranks are where scores say the order.
    pub(super) known: Ranks,
}

impl Answer {
    /// Adds a document and keeps its id; under [`Order::Score`] `rank` matters of the first two only, and is the same
    /// number where it is not known. The score is a number.
    ///
    /// # Errors
    /// When the query's ids together are longer than 4 GiB.
    pub(super) fn push(&mut self, id: &str, score: f64, rank: i64, line: u64) -> Result<(), TooLong> {
        let start = self.ids.len();
        self.ids.push_str(id);
        self.push_place(start..self.ids.len(), score, rank, line)
    }

    /// Adds a document whose id stands at `place` in the text that [`ranking_in`](Self::ranking_in)
    /// will be given.
    #[inline(always)]
    pub(super) fn push_place(
        &mut self,
        place: Range<usize>,
        score: f64,
        rank: i64,
        line: u64,
    ) -> Result<(), TooLong> {
        let (Ok(start), Ok(end)) = (u32::try_from(place.start), u32::try_from(place.end)) else {
            return Err(TooLong);
        };
        self.entries.push(Entry { score, rank, line, start, end });
        Ok(())
    }

    /// Whether the next document is one of the two whose ranks are looked at in the order of scores.
    #[inline(always)]
    pub(super) fn wants_rank(&self) -> bool {
        self.entries.len() < 2
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.ids.clear();
        self.entries.clear();
    }

    /// The documents in rank order, of ids that were [pushed](Self::push).
    pub(super) fn ranking<'a>(
        &'a mut self,
        order: Order,
        query: &str,
        path: &Path,
        seen: &'a mut Places,
    ) -> Result<Ranking<'a>> {
        let sorted = self.sort_own(order, query, seen);
        sorted.map_err(|twice| self.error(&self.ids, &twice, query, path))?;
        Ok(self.sorted(&self.ids, order, seen))
    }

    /// The same of rows that stand in no file: an error names the query and the document.
    pub(super) fn ranking_of_rows<'a>(
        &'a mut self,
        order: Order,
        query: &str,
        seen: &'a mut Places,
    ) -> Result<Ranking<'a>> {
        self.sort_own(order, query, seen).map_err(|twice| {
            let id = |entry: usize| Quoted(self.entries[entry].id(&self.ids));
            let what = match twice {
                Twice::Document(_, second) => format!("document {} comes twice", id(second)),
                Twice::Rank(first, second) => {
                    format!("{} and {} have rank {}", id(first), id(second), self.entries[second].rank)
                }
            };
            Error::invalid(format!("query {}: {what}", Quoted(query)))
        })?;
        Ok(self.sorted(&self.ids, order, seen))
    }

    fn sort_own(&mut self, order: Order, query: &str, seen: &mut Places) -> Result<(), Twice> {
        let ids = std::mem::take(&mut self.ids);
        let sorted = self.sort(&ids, order, query, seen);
        self.ids = ids;
        sorted
    }

    /// The documents in rank order, of ids whose [places](Self::push_place) are in `text`.
    pub(super) fn ranking_in<'a>(
        &'a mut self,
        text: &'a str,
        order: Order,
        query: &str,
        path: &Path,
        seen: &'a mut Places,
    ) -> Result<Ranking<'a>> {
        self.sort(text, order, query, seen).map_err(|twice| self.error(text, &twice, query, path))?;
        Ok(self.sorted(text, order, seen))
    }

    fn sorted<'a>(&'a self, text: &'a str, by: Order, seen: &'a Places) -> Ranking<'a> {
        let Self { entries, order, ranks, identical, rising, .. } = self;
        Ranking { text, by, entries, order, ranks, seen, identical: *identical, rising: *rising }
    }

    /// Finds the order, and refuses documents and ranks that come twice.
    fn sort(&mut self, text: &str, order: Order, query: &str, seen: &mut Places) -> Result<(), Twice> {
        let Self { entries, keys, order: by_rank, ranks, excluding, identical, rising, known, .. } = self;
        *rising =
            if order == Order::Score { Rising::from_entries(entries, *known) } else { Rising::default() };
        let all = entries.len();
        if *excluding {
            entries.retain(|entry| entry.id(text) != query);
        }
        *identical = entries.len() < all;
        let entries = entries.as_slice();
        by_rank.clear();
        ranks.clear();
        seen.clear(entries.len());
        for (place, entry) in entries.iter().enumerate() {
            let added = seen.add(entry.id_bytes(text), place, |place| entries[place].id_bytes(text));
            added.map_err(|first| Twice::Document(first, place))?;
        }
        let compare = |a: &Entry, b: &Entry| match order {
            Order::Score => by_score((a.id(text), a.score), (b.id(text), b.score)),
            Order::Rank => a.rank.cmp(&b.rank).then(a.line.cmp(&b.line)),
        };
        // Most files are in order, and then there is nothing to sort.
        let falling = order == Order::Score && entries.is_sorted_by(|a, b| a.score > b.score);
        if !falling && !entries.is_sorted_by(|a, b| compare(a, b) != Ordering::Greater) {
            // One number for each entry, as to follow it wherever it stands takes much longer: what says the order
            // above, its place below. Only ties are looked at again.
            let key = |entry: &Entry| match order {
                Order::Score => falls(entry.score),
                Order::Rank => rises(entry.rank),
            };
            keys.clear();
            keys.extend(
                entries
                    .iter()
                    .zip(0_u32..)
                    .map(|(entry, place)| u128::from(key(entry)) << u32::BITS | u128::from(place)),
            );
            // Many files are in order but for that of ties.
            if !keys.is_sorted() {
                keys.sort_unstable();
            }
            let at = |key: &u128| &entries[*key as u32 as usize];
            for tied in keys.chunk_by_mut(|a, b| a >> u32::BITS == b >> u32::BITS) {
                tied.sort_unstable_by(|a, b| compare(at(a), at(b)));
            }
            by_rank.extend(keys.iter().map(|key| *key as u32));
            ranks.resize(entries.len(), 0);
            for (rank, &entry) in (0..).zip(by_rank.iter()) {
                ranks[entry as usize] = rank;
            }
        }
        if order == Order::Rank {
            let at = |rank: usize| by_rank.get(rank).map_or(rank, |&entry| entry as usize);
            let same = |rank: &usize| entries[at(rank - 1)].rank == entries[at(*rank)].rank;
            if let Some(rank) = (1..entries.len()).find(same) {
                return Err(Twice::Rank(at(rank - 1), at(rank)));
            }
        }
        Ok(())
    }

    /// What came twice, and in which lines.
    fn error(&self, text: &str, twice: &Twice, query: &str, path: &Path) -> Error {
        let (Twice::Document(first, second) | Twice::Rank(first, second)) = *twice;
        let (first, second) = (self.entries[first].line, &self.entries[second]);
        let what = match twice {
            Twice::Document(..) => "document".to_owned(),
            Twice::Rank(..) => format!("rank {}", second.rank),
        };
        let message = format!("{what} of query {} again (first in line {first})", Quoted(query));
        Error::at_line(path, second.line, second.id(text), message)
    }
}

/// What comes twice in one query: the entries, the one that stands first before the other.
enum Twice {
    Document(usize, usize),
    Rank(usize, usize),
}

/// The ids of one query together are longer than 4 GiB.
#[derive(Debug)]
pub(super) struct TooLong;

pub(super) const TOO_LONG: &str = "the documents of this query have ids of more than 4 GiB together";

/// The order of `trec_eval`: score descending, then document id descending (bytes); -0 equals 0.
pub(super) fn by_score((id_a, score_a): (&str, f64), (id_b, score_b): (&str, f64)) -> Ordering {
    // Nothing here is NaN.
    score_b.partial_cmp(&score_a).unwrap_or(Ordering::Equal).then_with(|| id_b.cmp(id_a))
}

/// A number that rises as a score falls; -0 equals 0.
fn falls(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if score < 0.0 { bits } else { !bits & !SIGN }
}

/// A number that rises as a rank does.
fn rises(rank: i64) -> u64 {
    rank.cast_unsigned() ^ SIGN
}

const SIGN: u64 = 1 << 63;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_order_numbers_as_they_are_ordered(one: f64, other: f64, ranks: [i64; 2]) {
            prop_assume!(!one.is_nan() && !other.is_nan());
            for other in [other, one, -one, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, one.next_up()] {
                prop_assert_eq!(Some(falls(one).cmp(&falls(other))), other.partial_cmp(&one), "{} {}", one, other);
            }
            prop_assert_eq!(rises(ranks[0]).cmp(&rises(ranks[1])), ranks[0].cmp(&ranks[1]));
        }

        #[test]
        fn any_order_of_rows_gives_the_same_ranking(rows in prop::collection::vec((-2..3_i8, any::<u8>()), 0..40)) {
            let ids: Vec<String> = (0..rows.len()).map(|row| format!("d{row}")).collect();
            let mut lines: Vec<(&str, f64, i64)> = ids.iter().zip(&rows).map(|(id, (score, _))| (id.as_str(), f64::from(*score), 0)).collect();
            let place = |id: &str| rows[id[1..].parse::<usize>().unwrap()].1;
            lines.sort_by_key(|(id, ..)| place(id));
            let found = ranked(Order::Score, &lines).unwrap();
            // What is asked for, in so many words.
            lines.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(a.0)));
            prop_assert_eq!(found, lines.iter().map(|(id, ..)| *id).collect::<Vec<_>>());
        }
    }

    fn ranked(order: Order, lines: &[(&str, f64, i64)]) -> Result<Vec<String>> {
        let mut answer = Answer::default();
        for (index, (id, score, rank)) in lines.iter().enumerate() {
            answer.push(id, *score, *rank, index as u64 + 1).unwrap();
        }
        let mut seen = Places::default();
        let ranking = answer.ranking(order, "q", Path::new("a.run"), &mut seen)?;
        let ids: Vec<String> = ranking.hits().map(|hit| hit.id.to_owned()).collect();
        for (rank, id) in (1..).zip(&ids) {
            assert_eq!(ranking.rank_of(id), Some(rank));
        }
        assert_eq!(ranking.rank_of("nowhere"), None);
        Ok(ids)
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
