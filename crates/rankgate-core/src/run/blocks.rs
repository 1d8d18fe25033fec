//! Reading a run on all cores, in blocks of the file.
//!
//! Where blocks meet, each query belongs to one of them: a block has the queries that begin after
//! its first line, and the last of them goes on for as long as it lasts. In other words, a query belongs
//! to the block in which the line before its first one begins; the very first query to the first.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memrchr};

use super::Order;
use super::answer::Answer;
use super::entry::known_rank;
use super::reader::Judge;
use super::row::{Like, Odd, PADDING, Parsed, Row};
use crate::input::MAX_LINE;
use crate::places::Places;
use crate::threads;

/// A block is read at once and stays in the cache while it is gone through. Fuzzing tries short files, which
/// have ends of blocks in them all the same.
const BLOCK: u64 = if cfg!(fuzzing) { 32 } else { 2 << 20 };

/// A query of more than this is left to the other reader, which keeps ids only.
const LONGEST: usize = 256 << 20;

/// How much is read on for the end of a block's last query.
const MORE: u64 = if cfg!(fuzzing) { 16 } else { 64 << 10 };

/// A file that is ordinary in every respect.
pub(super) struct Blocks<'a> {
    pub(super) path: &'a Path,
    pub(super) order: Order,
    /// Where the first line of data begins.
    pub(super) start: u64,
    /// How long the file is.
    pub(super) length: u64,
    /// How long a block is.
    pub(super) block: u64,
    /// Whether a document that has its query's id is taken out.
    pub(super) excluding: bool,
}

impl<'a> Blocks<'a> {
    /// A file of `length` bytes, of which those before `start` are no data.
    pub(super) fn new(path: &'a Path, order: Order, start: u64, length: u64) -> Self {
        Self { path, order, start, length, block: BLOCK, excluding: false }
    }

    /// Hands each query's ranking to `judge`, in any order, and returns the queries with what `judge`
    /// made of them, in the order of the file.
    ///
    /// `None` when anything is out of the ordinary, be it an error in the file or of `judge`: then
    /// the file is to be read line by line to say what, and where.
    pub(super) fn read<T: Send>(&self, judge: &Judge<'_, T>) -> Option<Vec<(String, T)>> {
        let blocks = self.length.saturating_sub(self.start).div_ceil(self.block);
        let odd = AtomicBool::new(false);
        let answer = || Answer { excluding: self.excluding, ..Answer::default() };
        let reader = || Reader { answer: answer(), ..Reader::default() };
        let read = |reader: &mut Reader, block: usize| {
            if odd.load(Ordering::Relaxed) {
                return None;
            }
            let read = reader.read(self, self.start + block as u64 * self.block, judge);
            odd.fetch_or(read.is_none(), Ordering::Relaxed);
            read
        };
        let done = threads::map_with(usize::try_from(blocks).ok()?, reader, read);
        Some(done.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
    }
}

/// What one thread goes through blocks with.
#[derive(Default)]
struct Reader {
    text: Text,
    answer: Answer,
    seen: Places,
    /// The queries of the block, by where they stand among those that are done.
    queries: Places,
}

impl Reader {
    fn read<T>(&mut self, blocks: &Blocks<'_>, start: u64, judge: &Judge<'_, T>) -> Option<Vec<(String, T)>> {
        let first = start == blocks.start;
        // The byte before the block says whether a line begins where the block does.
        let from = if first { start } else { start - 1 };
        let end = usize::try_from(start - from + blocks.block).ok()?;
        self.text.open(blocks.path, from, end as u64, !first)?;
        let mut at = 0;
        let mut done = Vec::new();
        let mut query = String::new();
        let mut known = Like::default();
        let mut before = None;
        let mut ours = first;
        self.answer.clear();
        self.queries.clear(0);
        loop {
            let Self { text, answer, .. } = self;
            // Nearly all lines are like the one before.
            at = known.rows(text.bytes(), at, |begin, row| {
                before = Some(begin);
                !ours || push(answer, (&text.text, begin), row, blocks.order).is_some()
            });
            let Some((begin, parsed)) = text.row(at)? else { break };
            if !known.begins(text.bytes(), begin) {
                known = Like::from_line(text.bytes(), begin, &parsed);
            }
            let Parsed { query: named, row, next } = parsed;
            if text.bytes()[named.clone()] != *query.as_bytes() {
                self.judge(blocks, &query, &mut done, judge)?;
                // The block's first line may go on with a query of the block before.
                ours = before.map_or(first, |before| before < end);
                query.clear();
                query.push_str(&self.text.text[named]);
            }
            if ours {
                push(&mut self.answer, (&self.text.text, begin), row, blocks.order)?;
            } else if begin >= end {
                return Some(done);
            }
            (before, at) = (Some(begin), next);
        }
        self.judge(blocks, &query, &mut done, judge)?;
        Some(done)
    }

    /// Has the query judged that was gone through last, if it was this block's.
    fn judge<T>(
        &mut self,
        blocks: &Blocks<'_>,
        query: &str,
        done: &mut Vec<(String, T)>,
        judge: &Judge<'_, T>,
    ) -> Option<()> {
        let Self { text, answer, seen, queries } = self;
        if answer.is_empty() {
            return Some(());
        }
        // A file in no order is soon known by that, before every line of it is judged as if it were a ranking.
        queries.add(query.as_bytes(), done.len(), |place| done[place].0.as_bytes()).ok()?;
        let ranking = answer.ranking_in(&text.text, blocks.order, query, blocks.path, seen).ok()?;
        done.push((query.to_owned(), judge(query, &ranking).ok()?));
        answer.clear();
        Some(())
    }
}

/// Adds what the line at `begin` says; nothing where its rank is to say the order and does not.
#[inline(always)]
fn push(answer: &mut Answer, (text, begin): (&str, usize), row: Row, order: Order) -> Option<()> {
    let rank = match order {
        Order::Rank => text[row.rank].parse().ok()?,
        Order::Score if answer.wants_rank() => known_rank(&text[row.rank]),
        Order::Score => 0,
    };
    answer.push_place(row.document, row.score, rank, begin as u64).ok()
}

/// A part of the file, as whole lines.
#[derive(Default)]
struct Text {
    file: Option<File>,
    /// Whole lines, and then the padding.
    text: String,
    /// How long the whole lines are.
    whole: usize,
    /// The beginning of a line whose end has not been read yet.
    rest: Vec<u8>,
    /// Whether there is nothing more in the file.
    ended: bool,
}

impl Text {
    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Reads `count` bytes from a place in the file, and on to the end of a line; where that is
    /// within a line, the rest of the line is blanked.
    fn open(&mut self, path: &Path, from: u64, count: u64, cut: bool) -> Option<()> {
        if self.file.is_none() {
            self.file = Some(File::open(path).ok()?);
        }
        self.file.as_ref()?.seek(SeekFrom::Start(from)).ok()?;
        (self.whole, self.ended) = (0, false);
        self.rest.clear();
        self.more(count, cut)
    }

    /// Reads on: at least one more line, or to the end of the file.
    fn more(&mut self, count: u64, cut: bool) -> Option<()> {
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.truncate(self.whole);
        bytes.append(&mut self.rest);
        self.whole = loop {
            let before = bytes.len();
            let read = self.file.as_ref()?.take(count).read_to_end(&mut bytes).ok()?;
            if (read as u64) < count {
                self.ended = true;
                if bytes.last().is_some_and(|last| *last != b'\n') {
                    bytes.push(b'\n');
                }
                break bytes.len();
            }
            if let Some(newline) = memrchr(b'\n', &bytes[before..]) {
                break before + newline + 1;
            }
            // The other reader says that the line is too long.
            if bytes.len() - self.whole > MAX_LINE {
                return None;
            }
        };
        if self.whole > LONGEST {
            return None;
        }
        self.rest.extend_from_slice(&bytes[self.whole..]);
        bytes.truncate(self.whole);
        if cut {
            // What is left of a line may begin within a character.
            let end = memchr(b'\n', &bytes)?;
            bytes[..end].fill(b' ');
        }
        bytes.extend([b'\n'; PADDING]);
        self.text = String::from_utf8(bytes).ok()?;
        Some(())
    }

    /// The row at `at` or after the blank lines there, and where it begins; the inner `None` at the end of the file.
    #[expect(clippy::option_option, reason = "the outer one is for what is out of the ordinary")]
    fn row(&mut self, mut at: usize) -> Option<Option<(usize, Parsed)>> {
        loop {
            if at == self.whole {
                if self.ended {
                    return Some(None);
                }
                self.more(MORE, false)?;
                continue;
            }
            match Parsed::parse(self.bytes(), at) {
                Ok(row) => return Some(Some((at, row))),
                Err(Odd::Blank(next)) => at = next,
                Err(Odd::Unusual) => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::{Ranking, RunReader};

    type Rankings = Vec<(String, Vec<(String, u64)>)>;

    fn scores(query: &str, ranking: &Ranking<'_>) -> Vec<(String, u64)> {
        assert!(!query.is_empty());
        ranking.hits().map(|hit| (hit.id.to_owned(), hit.score.to_bits())).collect()
    }

    fn in_blocks(text: &str, order: Order, block: u64) -> Option<Rankings> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let blocks = Blocks { block, ..Blocks::new(file.path(), order, 0, text.len() as u64) };
        let mut found = blocks.read(&|query, ranking| Ok(scores(query, ranking)))?;
        found.sort();
        Some(found)
    }

    fn by_line(text: &str, order: Order) -> Rankings {
        let run = RunReader::new().order(order).parse("a.run", text.as_bytes()).unwrap();
        let bits = |hit: &crate::run::Hit| (hit.id.clone(), hit.score.to_bits());
        run.iter().map(|(query, hits)| (query.to_owned(), hits.iter().map(bits).collect())).collect()
    }

    #[test]
    fn lines_in_no_order_are_not_judged_one_by_one() {
        let lines = |rank: usize| (0..50).map(move |query| format!("q{query} Q0 d{rank} 0 1 t\n"));
        let text: String = (0..20).flat_map(lines).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let judged = std::sync::Mutex::new(0);
        let blocks = Blocks::new(file.path(), Order::Score, 0, text.len() as u64);
        let read = blocks.read(&|_, _| {
            *judged.lock().unwrap() += 1;
            Ok(())
        });
        // Every query once, and nothing of the 950 lines from where the first comes again.
        assert_eq!((read, judged.into_inner().unwrap()), (None, 50));
    }

    /// Queries of some lines each, with what else a file may hold between lines.
    fn file() -> impl Strategy<Value = String> {
        let line = (0..9_u32, prop::sample::select(vec!["\n", "\r\n", "\n\n", " \n \t\n"]));
        let query = prop::collection::vec(line, 1..12);
        (prop::collection::vec(query, 0..12), any::<bool>()).prop_map(|(queries, cut)| {
            let mut text = String::new();
            for (query, lines) in queries.iter().enumerate() {
                for (rank, (score, end)) in lines.iter().enumerate() {
                    text.push_str(&format!("é{query} Q0 d{} {rank} 0.{score} t{end}", rank * 7 % 12));
                }
            }
            text.truncate(if cut { text.trim_end().len() } else { text.len() });
            text
        })
    }

    proptest! {
        #[test]
        fn blocks_of_any_size_hold_what_the_lines_hold(text in file(), block in 1..400_u64) {
            for order in [Order::Score, Order::Rank] {
                prop_assert_eq!(in_blocks(&text, order, block), Some(by_line(&text, order)));
            }
        }
    }

    #[test]
    fn whatever_is_out_of_the_ordinary_is_left_to_the_other_reader() {
        let rows = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n";
        for odd in ["q2 Q0 a 1 x t\n", "q2 Q0 a 1 1\n", "q2 Q0 a 1 1 t\nq2 Q0 a 2 0 t\n", "\u{1}\n"] {
            for block in [8, 1000] {
                assert_eq!(in_blocks(&format!("{rows}{odd}"), Order::Score, block), None, "{odd}");
            }
        }
        assert_eq!(in_blocks("q Q0 a one 1 t\n", Order::Rank, 100), None);
        assert!(in_blocks("q Q0 a one 1 t\n", Order::Score, 100).is_some());
    }

    #[test]
    fn an_error_of_the_judge_is_left_to_the_other_reader() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.run");
        std::fs::write(&path, "q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\n").unwrap();
        let judge = |query: &str, _: &Ranking<'_>| match query {
            "q2" => Err(crate::Error::invalid("stopped")),
            _ => Ok(()),
        };
        let error = RunReader::new().map_noted(&path.into(), judge).unwrap_err();
        assert_eq!(error.to_string(), "stopped");
    }
}
