//! Rows put together by query that are more than memory holds.
//!
//! Each row goes to one of some partitions, by a hash of its query. Partitions that grow too large wait in temporary
//! files, and each is then put in order by itself; one that is still too large is partitioned again by another hash.
//! Neither the hash nor the number of partitions nor the order of rows is to be seen in what comes of them.

use std::collections::HashMap;
use std::env;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use foldhash::quality::FixedState;

use crate::error::Quoted;
use crate::{Error, Result};

/// The smallest and the largest block that is handed to a partition at once, in bytes.
const BLOCKS: (u64, u64) = (4 << 10, 1 << 20);
/// A partition of so many bytes is put in order within the cache.
const CACHED: u64 = 2 << 20;
/// How many partitions there are at least and at most; each may have a file open.
const FEW: u64 = 16;
const MANY: u64 = 128;
/// The last level of partitions; it takes all the rest.
const LEVELS: u64 = 8;
/// The ids of a partition are counted by 32 bits.
const LONGEST: u64 = 1 << 30;

/// A row of a query: where its document stands among the ids, and its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    query: u32,
    /// The length of its id, and in the highest bit whether it was judged.
    document: u32,
    pub score: f64,
    /// The rank or the grade.
    pub whole: i64,
}

/// Whether a row is one of judgments, where those of a run are put beside them.
const JUDGED: u32 = 1 << 31;

impl Row {
    const BYTES: usize = 24;

    /// Whether it says a grade.
    pub fn is_judged(&self) -> bool {
        self.document & JUDGED != 0
    }

    fn document(&self) -> usize {
        (self.document & !JUDGED) as usize
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.query.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.document.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.score.to_bits().to_le_bytes());
        bytes[16..].copy_from_slice(&self.whole.to_le_bytes());
        bytes
    }

    fn of_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let four = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let eight = |at: usize| u64::from(four(at)) | u64::from(four(at + 4)) << 32;
        Self {
            query: four(0),
            document: four(4),
            score: f64::from_bits(eight(8)),
            whole: i64::from_le_bytes(eight(16).to_le_bytes()),
        }
    }
}

/// Rows, and the ids of their queries and documents, one after the other.
#[derive(Default)]
struct Block {
    text: String,
    rows: Vec<Row>,
}

impl Block {
    fn bytes(&self) -> u64 {
        (self.text.len() + self.rows.len() * Row::BYTES) as u64
    }

    fn push(&mut self, query: &str, document: &str, mut row: Row) -> Result<()> {
        let length = |id: &str| {
            let length = u32::try_from(id.len()).ok().filter(|length| *length < JUDGED);
            length.ok_or_else(|| Error::invalid("an id is longer than 2 GiB"))
        };
        row.query = length(query)?;
        row.document |= length(document)?;
        self.text.push_str(query);
        self.text.push_str(document);
        self.rows.push(row);
        Ok(())
    }

    fn append(&mut self, more: &Self) {
        self.text.push_str(&more.text);
        self.rows.extend_from_slice(&more.rows);
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(16 + self.bytes() as usize);
        bytes.extend_from_slice(&(self.text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.rows.len() as u64).to_le_bytes());
        bytes.extend_from_slice(self.text.as_bytes());
        self.rows.iter().for_each(|row| bytes.extend_from_slice(&row.to_bytes()));
        file.write_all(&bytes)
    }

    /// The next block of a file; `None` at its end.
    fn read(file: &mut impl Read) -> io::Result<Option<Self>> {
        let mut head = [0; 16];
        match file.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let number = |at: usize| {
            let bytes = [0, 1, 2, 3, 4, 5, 6, 7].map(|byte| head[at + byte]);
            u64::from_le_bytes(bytes) as usize
        };
        let mut text = vec![0; number(0)];
        file.read_exact(&mut text)?;
        let mut bytes = vec![0; number(8) * Row::BYTES];
        file.read_exact(&mut bytes)?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        let rows = bytes.chunks_exact(Row::BYTES).filter_map(|row| Some(Row::of_bytes(row.try_into().ok()?)));
        Ok(Some(Self { text, rows: rows.collect() }))
    }
}

#[derive(Default)]
struct Partition {
    blocks: Vec<Block>,
    /// What was too much.
    file: Option<File>,
    /// All of it.
    bytes: u64,
}

/// Rows by the hash of their query.
pub struct Partitions {
    all: Vec<Mutex<Partition>>,
    level: u64,
    /// Bytes that may be held, and that are.
    memory: u64,
    held: AtomicU64,
    /// Bytes that a partition may have to be put in order as it is.
    largest: u64,
    /// Bytes that a single query may have.
    longest: u64,
    block: u64,
}

/// Rows on their way to their partitions: what one thread holds.
pub struct Sorter<'a> {
    of: &'a Partitions,
    blocks: Vec<Block>,
    hashes: FixedState,
}

/// One query's rows.
pub struct Query<'a> {
    pub id: &'a str,
    rows: &'a [u32],
    of: &'a Sorted,
}

/// A partition put in order.
#[derive(Default)]
pub struct Sorted {
    block: Block,
    /// Where each row's ids begin.
    starts: Vec<u32>,
    /// The rows, those of a query together.
    order: Vec<u32>,
    /// Where each query's rows end there.
    ends: Vec<u32>,
}

impl Partitions {
    /// None yet, of about so many rows; `memory` is in bytes, and `threads` put rows there and take partitions.
    pub fn new(rows: u64, memory: u64, threads: usize) -> Self {
        let threads = threads as u64;
        // A guess at what ids take; a wrong one costs time and nothing else.
        let bytes = rows.saturating_mul(Row::BYTES as u64 + 24);
        let wanted = (memory / (4 * threads)).clamp(1, CACHED);
        let count = bytes.div_ceil(wanted).next_power_of_two();
        Self::of_level(count.clamp(FEW, MANY) as usize, 0, memory, threads)
    }

    /// The same with so many of them.
    fn of_level(count: usize, level: u64, memory: u64, threads: u64) -> Self {
        let block = memory / (4 * threads * count as u64);
        Self {
            all: std::iter::repeat_with(Mutex::default).take(count).collect(),
            level,
            // A quarter is on its way.
            memory: memory - memory / 4,
            held: AtomicU64::new(0),
            largest: (memory / (2 * threads)).min(LONGEST),
            longest: memory / 2,
            block: block.clamp(BLOCKS.0, BLOCKS.1),
        }
    }

    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// What one thread puts rows there with.
    pub fn sorter(&self) -> Sorter<'_> {
        let blocks = std::iter::repeat_with(Block::default).take(self.count()).collect();
        // Of a level and nothing else, so that both sides of a query come to the same partition.
        Sorter { of: self, blocks, hashes: FixedState::with_seed(self.level) }
    }

    fn at(&self, index: usize) -> MutexGuard<'_, Partition> {
        self.all[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, index: usize, block: Block) -> Result<()> {
        let mut partition = self.at(index);
        let bytes = block.bytes();
        partition.bytes += bytes;
        partition.blocks.push(block);
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if held <= self.memory {
            return Ok(());
        }
        let blocks = std::mem::take(&mut partition.blocks);
        self.held.fetch_sub(blocks.iter().map(Block::bytes).sum(), Ordering::Relaxed);
        let file = match &mut partition.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().map_err(|error| unwritten(&error))?),
        };
        blocks.iter().try_for_each(|block| block.write(file)).map_err(|error| unwritten(&error))
    }

    /// Takes a partition out and hands it over in order, in pieces where it is too large: each query is whole in one.
    pub fn take(&self, index: usize, each: &mut dyn FnMut(&Sorted) -> Result<()>) -> Result<()> {
        let partition = std::mem::take(&mut *self.at(index));
        let of_file: Box<dyn Iterator<Item = Result<Block>>> = match partition.file {
            None => Box::new(std::iter::empty()),
            Some(mut file) => {
                file.seek(SeekFrom::Start(0)).map_err(|error| unread(&error))?;
                let mut file = io::BufReader::with_capacity(BLOCKS.1 as usize, file);
                Box::new(std::iter::from_fn(move || {
                    Block::read(&mut file).map_err(|error| unread(&error)).transpose()
                }))
            }
        };
        self.held.fetch_sub(partition.blocks.iter().map(Block::bytes).sum(), Ordering::Relaxed);
        let blocks = of_file.chain(partition.blocks.into_iter().map(Ok));
        if partition.bytes > self.largest && self.level < LEVELS {
            return self.again(partition.bytes, blocks, each);
        }
        let mut whole = Block::default();
        for block in blocks {
            whole.append(&block?);
        }
        each(&Sorted::from_block(whole))
    }

    /// Partitions rows by another hash, unless they are all of one query.
    fn again(
        &self,
        bytes: u64,
        blocks: impl Iterator<Item = Result<Block>>,
        each: &mut dyn FnMut(&Sorted) -> Result<()>,
    ) -> Result<()> {
        let more = Self::of_level(FEW as usize, self.level + 1, self.largest.max(4 * BLOCKS.0), 1);
        let more = Self { largest: self.largest, longest: self.longest, ..more };
        let mut sorter = more.sorter();
        let mut only: Option<String> = None;
        let mut several = false;
        let mut rows = 0_u64;
        for block in blocks {
            let block = block?;
            let mut at = 0;
            rows += block.rows.len() as u64;
            for row in &block.rows {
                let (query, document) = row.ids(&block.text, at);
                several |= only.as_ref().is_some_and(|only| only != query);
                if only.is_none() {
                    only = Some(query.to_owned());
                }
                sorter.row(query, document, Row { document: row.document & JUDGED, ..*row })?;
                at += query.len() + document.len();
            }
        }
        sorter.finish()?;
        let too_large = !several && bytes > self.longest;
        if let Some(query) = only.filter(|_| too_large) {
            let message = format!(
                "query {} alone has {rows} rows, which take {} MiB: that is more than half of the memory that rows may \
                 take, {} MiB (`--memory`)",
                Quoted(&query),
                bytes.div_ceil(1 << 20),
                (2 * self.longest) >> 20
            );
            return Err(Error::invalid(message));
        }
        let more = if several { more } else { Self { level: LEVELS, ..more } };
        (0..more.count()).try_for_each(|index| more.take(index, each))
    }
}

fn unwritten(error: &io::Error) -> Error {
    spilling("cannot write a temporary file in", error)
}

fn unread(error: &io::Error) -> Error {
    spilling("cannot read a temporary file in", error)
}

fn spilling(action: &'static str, error: &io::Error) -> Error {
    Error::output(action, &env::temp_dir(), io::Error::new(error.kind(), error.to_string()))
}

impl Sorter<'_> {
    /// Adds a row of a run.
    #[inline]
    pub fn push(&mut self, query: &str, document: &str, score: f64, whole: i64) -> Result<()> {
        self.row(query, document, Row { query: 0, document: 0, score, whole })
    }

    /// Adds a row of judgments.
    pub fn judged(&mut self, query: &str, document: &str, grade: i32) -> Result<()> {
        self.row(query, document, Row { query: 0, document: JUDGED, score: 0.0, whole: grade.into() })
    }

    #[inline]
    fn row(&mut self, query: &str, document: &str, row: Row) -> Result<()> {
        let hash = self.hashes.hash_one(query);
        let index = (hash >> 32) as usize & (self.blocks.len() - 1);
        let block = &mut self.blocks[index];
        block.push(query, document, row)?;
        if block.bytes() >= self.of.block {
            let full = std::mem::take(block);
            block.text.reserve(full.text.len());
            block.rows.reserve(full.rows.len());
            self.of.put(index, full)?;
        }
        Ok(())
    }

    /// Hands over what has not filled a block.
    pub fn finish(&mut self) -> Result<()> {
        for (index, block) in self.blocks.iter_mut().enumerate() {
            if !block.rows.is_empty() {
                self.of.put(index, std::mem::take(block))?;
            }
        }
        Ok(())
    }
}

impl Row {
    fn ids<'a>(&self, text: &'a str, at: usize) -> (&'a str, &'a str) {
        let document = at + self.query as usize;
        (&text[at..document], &text[document..document + self.document()])
    }
}

impl Sorted {
    /// Counts the rows of each query, and gives each row its place.
    fn from_block(block: Block) -> Self {
        let count = block.rows.len();
        let mut queries: HashMap<&str, u32, RandomState> = HashMap::default();
        let (mut starts, mut of_row) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut ends: Vec<u32> = Vec::new();
        let (mut at, mut before) = (0, ("", 0));
        for row in &block.rows {
            let (query, document) = row.ids(&block.text, at);
            if before.0 != query {
                let new = ends.len() as u32;
                before = (query, *queries.entry(query).or_insert(new));
                if before.1 == new {
                    ends.push(0);
                }
            }
            ends[before.1 as usize] += 1;
            of_row.push(before.1);
            starts.push(at as u32);
            at += query.len() + document.len();
        }
        let mut before = 0;
        for end in &mut ends {
            // Where the query's rows begin: each row moves it on by one.
            before += std::mem::replace(end, before);
        }
        let mut order = vec![0; count];
        for (row, query) in of_row.into_iter().enumerate() {
            let place = &mut ends[query as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        Self { block, starts, order, ends }
    }

    /// The queries, each with its rows.
    pub fn queries(&self) -> impl Iterator<Item = Query<'_>> {
        let mut from = 0;
        self.ends.iter().map(move |&end| {
            let rows = &self.order[from as usize..end as usize];
            from = end;
            Query { id: self.ids(rows[0]).0, rows, of: self }
        })
    }

    /// What the places of documents are in.
    pub fn text(&self) -> &str {
        &self.block.text
    }

    fn ids(&self, row: u32) -> (&str, &str) {
        let start = self.starts[row as usize] as usize;
        self.block.rows[row as usize].ids(&self.block.text, start)
    }
}

impl<'a> Query<'a> {
    /// Each row, with the place of its document in the [text](Sorted::text).
    pub fn rows(&self) -> impl Iterator<Item = (std::ops::Range<usize>, Row)> + 'a {
        let of = self.of;
        self.rows.iter().map(move |&at| {
            let row = of.block.rows[at as usize];
            let start = of.starts[at as usize] as usize + row.query as usize;
            (start..start + row.document(), row)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::threads;

    /// Rows by query, whatever their order.
    fn by_query(partitions: &Partitions) -> BTreeMap<String, Vec<(String, u64, i64)>> {
        let mut all = BTreeMap::new();
        for index in 0..partitions.count() {
            let mut each = |sorted: &Sorted| {
                for query in sorted.queries() {
                    let of_row = |(place, row): (std::ops::Range<usize>, Row)| {
                        (sorted.text()[place].to_owned(), row.score.to_bits(), row.whole)
                    };
                    let mut rows: Vec<_> = query.rows().map(of_row).collect();
                    rows.sort();
                    assert!(all.insert(query.id.to_owned(), rows).is_none(), "{} twice", query.id);
                }
                Ok(())
            };
            partitions.take(index, &mut each).unwrap();
        }
        all
    }

    #[test]
    fn rows_come_together_by_query_at_any_memory_and_number_of_partitions() {
        // Two in three rows are of 300 queries, one in three of one.
        let rows = 30_000;
        let query =
            |row: u64| if row.is_multiple_of(3) { "all".to_owned() } else { format!("q{}", row % 300) };
        let row = |row: u64| (query(row), format!("d{row}"), row as f64 / 7.0, -(row as i64));
        let mut expected: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (query, document, score, whole) in (0..rows).map(row) {
            expected.entry(query).or_default().push((document, score.to_bits(), whole));
        }
        expected.values_mut().for_each(|rows| rows.sort());
        for (count, memory) in
            [(1, 1 << 30), (7_usize.next_power_of_two(), 1 << 30), (64, 4 << 20), (16, 1 << 20)]
        {
            for threads in [1, 4] {
                let partitions = Partitions::of_level(count, 0, memory, 2);
                let push = |part: usize| {
                    let mut sorter = partitions.sorter();
                    for (query, document, score, whole) in (part as u64..rows).step_by(8).map(row) {
                        sorter.push(&query, &document, score, whole).unwrap();
                    }
                    sorter.finish().unwrap();
                };
                threads::within(threads, || threads::map(8, push));
                let spilled = partitions.all.iter().any(|one| one.lock().unwrap().file.is_some());
                assert_eq!(spilled, memory == 1 << 20, "{count} {memory}");
                assert_eq!(by_query(&partitions), expected, "{count} {memory} {threads}");
            }
        }
    }

    #[test]
    fn a_query_that_memory_does_not_hold_is_an_error_that_names_it() {
        let partitions = Partitions::of_level(16, 0, 1 << 20, 2);
        let mut sorter = partitions.sorter();
        for row in 0..40_000 {
            sorter.push("large", &format!("d{row}"), 0.5, 0).unwrap();
            if row % 10 == 0 {
                sorter.push(&format!("q{row}"), "d", 0.5, 0).unwrap();
            }
        }
        sorter.finish().unwrap();
        let errors: Vec<String> = (0..partitions.count())
            .filter_map(|index| partitions.take(index, &mut |_| Ok(())).err())
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with("query `large` alone has 40000 rows, which take "), "{errors:?}");
    }
}
