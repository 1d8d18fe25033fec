//! Runs in Parquet files.
//!
//! The rows of a query usually stand together: then each row group is gone through by itself, and of its first and
//! last query, which may go on in the next one, the rows are kept. Where a query comes back later, all rows are put
//! together by query first.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use arrow_array::{ArrayRef, Float64Array, Int32Array, StringArray};
use arrow_schema::{DataType, Field};
use foldhash::fast::{FixedState, RandomState};

use crate::columnar::{Batch, Partitions, Query, ROWS, Scan, Sorted, Stopped, Writer, sort};
use crate::error::Quoted;
use crate::input::{Source, Table, TableSide};
use crate::output::replace_file;
use crate::places::Places;
use crate::run::answer::Answer;
use crate::run::reader::{Contents, RunReader};
use crate::run::rising::Ranks;
use crate::run::{Hit, Order, Ranking, Run};
use crate::{Error, Result, threads};

/// Row groups that each thread reads before those that have been are joined.
const AT_ONCE: usize = 32;

/// Reads a run, calling `judge` for each query.
pub(super) fn read<T, F>(
    reader: &RunReader,
    source: &Source<'_>,
    table: Table<'_>,
    judge: &F,
) -> Result<Contents<T>>
where
    T: Send,
    F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
{
    let by_rank = reader.order.map(|order| order == Order::Rank);
    let scan = Scan::open(source, table, &reader.tables, TableSide::Run { by_rank })?;
    let order = if scan.by_rank() { Order::Rank } else { Order::Score };
    let RunReader { excluding, lenient, .. } = *reader;
    let run = Rows { scan, order, excluding, lenient, path: source.path() };
    let memory = reader.tables.bytes();
    let rankings = match run.together(memory, judge)? {
        Some(rankings) => rankings,
        None => run.scattered(memory, judge)?,
    };
    let single = run.scan.single();
    Ok(Contents { single, ..Contents::new(rankings, None, Vec::new()) })
}

/// Writes a run as columns.
pub(super) fn write(run: &Run, path: &Path) -> Result<()> {
    let fields = vec![
        Field::new("query", DataType::Utf8, false),
        Field::new("document", DataType::Utf8, false),
        Field::new("rank", DataType::Int32, false),
        Field::new("score", DataType::Float64, false),
    ];
    replace_file(path, |output| {
        let mut writer = Writer::new(fields, &[])?;
        let of_query =
            |(query, hits)| (1..).zip(hits).map(move |(rank, hit): (i32, &Hit)| (query, rank, hit));
        let mut rows = run.iter().flat_map(of_query);
        loop {
            let some: Vec<(&str, i32, &Hit)> = rows.by_ref().take(ROWS).collect();
            if some.is_empty() {
                return writer.finish(output);
            }
            let columns: Vec<ArrayRef> = vec![
                Arc::new(StringArray::from_iter_values(some.iter().map(|(query, ..)| query))),
                Arc::new(StringArray::from_iter_values(some.iter().map(|(.., hit)| &hit.id))),
                Arc::new(Int32Array::from_iter_values(some.iter().map(|(_, rank, _)| *rank))),
                Arc::new(Float64Array::from_iter_values(some.iter().map(|(.., hit)| hit.score))),
            ];
            writer.rows(columns, output)?;
        }
    })
}

struct Rows<'a> {
    scan: Scan,
    order: Order,
    excluding: bool,
    lenient: bool,
    path: &'a Path,
}

/// What one row group shows where the rows of each query stand together.
struct Together<T> {
    /// Its first and its last query, which are the same where there is one.
    first: Option<(String, Answer)>,
    last: Option<(String, Answer)>,
    /// Those between.
    done: Vec<(String, T)>,
}

impl<T> Together<T> {
    /// What its first and its last query take, which wait for the groups beside it.
    fn bytes(&self) -> u64 {
        [&self.first, &self.last].into_iter().flatten().map(|(_, answer)| answer.bytes()).sum()
    }
}

impl Rows<'_> {
    /// Reads rows of which those of a query stand together; `None` where they do not, or where anything is wrong
    /// with a query: then they are put in order to say what.
    fn together<T, F>(&self, memory: u64, judge: &F) -> Result<Option<BTreeMap<String, T>>>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        let most = memory / 2;
        let mut joined = Joined { all: BTreeMap::new(), open: None, most, ids: Places::default() };
        let own = most / threads::most() as u64;
        let groups: Vec<usize> = (0..self.scan.groups()).collect();
        // The queries at the ends of row groups are held until the groups beside them have been read.
        for wave in groups.chunks(AT_ONCE * threads::most()) {
            let scattered = AtomicBool::new(false);
            let failed = AtomicUsize::new(usize::MAX);
            let held = AtomicU64::new(0);
            let read = |ids: &mut Places, index: usize| {
                // What is wrong with the rows of an earlier group is told first.
                if scattered.load(Ordering::Relaxed) || index > failed.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let mut reading = Reading::new(self, ids, judge, own);
                let mut stands = true;
                let read = self.scan.read(wave[index], |batch| {
                    stands = !scattered.load(Ordering::Relaxed) && reading.batch(batch).is_some();
                    if stands { Stopped::No } else { Stopped::Yes }
                });
                let together = stands.then(|| reading.end()).flatten();
                let bytes = together.as_ref().map_or(0, Together::bytes);
                let together = together.filter(|_| held.fetch_add(bytes, Ordering::Relaxed) + bytes <= most);
                match &read {
                    Err(_) => _ = failed.fetch_min(index, Ordering::Relaxed),
                    Ok(()) => _ = scattered.fetch_or(together.is_none(), Ordering::Relaxed),
                }
                read.map(|()| together)
            };
            for group in threads::map_with(wave.len(), Places::default, read) {
                let Some(group) = group? else { return Ok(None) };
                if joined.group(self, group, judge).is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(joined.end(self, judge))
    }

    fn answer(&self) -> Answer {
        let known = if self.scan.has_ranks() { Ranks::Scattered } else { Ranks::Rows };
        Answer::excluding(self.excluding).lenient(self.lenient).knowing(known)
    }

    /// Reads rows in any order.
    fn scattered<T, F>(&self, memory: u64, judge: &F) -> Result<BTreeMap<String, T>>
    where
        T: Send,
        F: Fn(&str, &Ranking<'_>) -> Result<T> + Sync,
    {
        let partitions = Partitions::new(self.scan.rows(), memory, threads::most());
        sort(&self.scan, &partitions, |(): &mut (), sorter, row| {
            sorter.push(row.query, row.document, row.score, row.whole)
        })?;
        let read = |(answer, ids): &mut (Answer, Places), index: usize| {
            let mut done = Vec::new();
            // Of several that are wrong the first by its id is told, whatever partitions there are.
            let mut wrong: Option<(String, Wrong)> = None;
            let mut each = |sorted: &Sorted| {
                for query in sorted.queries() {
                    match self.judge(&query, sorted, answer, ids, judge) {
                        Ok(judged) => done.push((query.id.to_owned(), judged)),
                        Err(why) if wrong.as_ref().is_none_or(|(before, _)| query.id < before.as_str()) => {
                            wrong = Some((query.id.to_owned(), why));
                        }
                        Err(_) => {}
                    }
                }
                Ok(())
            };
            let taken = partitions.take(index, &mut each);
            taken.map(|()| (done, wrong))
        };
        let state = || (self.answer(), Places::default());
        let read = threads::map_with(partitions.count(), state, read);
        let (mut all, mut wrong) = (BTreeMap::new(), Vec::new());
        for partition in read {
            let (done, failed) = partition?;
            all.extend(done);
            wrong.extend(failed);
        }
        match wrong.into_iter().min_by(|a, b| a.0.cmp(&b.0)) {
            None => Ok(all),
            Some((_, Wrong::Judged(error))) => Err(error),
            Some((query, Wrong::Rows(error))) => {
                Err(located(&self.scan, self.order, self.excluding, &query)?.unwrap_or(error))
            }
        }
    }

    fn judge<T, F>(
        &self,
        query: &Query<'_>,
        sorted: &Sorted,
        answer: &mut Answer,
        ids: &mut Places,
        judge: &F,
    ) -> Result<T, Wrong>
    where
        F: Fn(&str, &Ranking<'_>) -> Result<T>,
    {
        answer.clear();
        for (index, (place, row)) in (0..).zip(query.rows()) {
            let too_long = |_| Wrong::Judged(Error::invalid(crate::run::answer::TOO_LONG));
            answer.push_place(place, row.score, row.whole, index).map_err(too_long)?;
        }
        let ranking =
            answer.ranking_in(sorted.text(), self.order, query.id, self.path, ids).map_err(Wrong::Rows)?;
        let wrong = if ranking.repeated().is_some() { Wrong::Rows } else { Wrong::Judged };
        judge(query.id, &ranking).map_err(wrong)
    }
}

/// Goes through all rows once more, and says which two of a query cannot both be.
pub fn located(scan: &Scan, order: Order, excluding: bool, query: &str) -> Result<Option<Error>> {
    let mut documents: HashMap<String, (usize, u64), RandomState> = HashMap::default();
    let mut ranks: HashMap<i64, (usize, u64), RandomState> = HashMap::default();
    let (mut document_again, mut rank_again) = (None, None);
    for group in 0..scan.groups() {
        scan.read(group, |batch| {
            for row in (0..batch.rows).filter(|&row| batch.query.get(row) == query) {
                let document = batch.document.get(row);
                if excluding && document == query {
                    continue;
                }
                let at = (group, batch.first + row as u64 + 1);
                if let Some(first) = documents.insert(document.to_owned(), at) {
                    document_again = Some((first, at, format!("document {}", Quoted(document))));
                    return Stopped::Yes;
                }
                if let Some(first) = ranks.insert(batch.integer(row), at) {
                    rank_again.get_or_insert((first, at, format!("rank {}", batch.integer(row))));
                }
            }
            Stopped::No
        })?;
        if document_again.is_some() {
            break;
        }
    }
    let again = document_again.or(rank_again.filter(|_| order == Order::Rank));
    Ok(again.map(|(first, second, what)| {
        scan.again(first, second, &format!("{what} of query {} again", Quoted(query)))
    }))
}

/// Why a query has no result.
enum Wrong {
    /// Two of its rows cannot both be.
    Rows(Error),
    Judged(Error),
}

/// A row group on its way.
struct Reading<'a, T, F> {
    rows: &'a Rows<'a>,
    /// Whether there are ranks; rows stand for them elsewhere.
    ranked: bool,
    ids: &'a mut Places,
    judge: &'a F,
    /// Bytes that a query's rows may take.
    longest: u64,
    query: String,
    answer: Answer,
    /// The hashes of the queries before.
    seen: HashSet<u64, RandomState>,
    hashes: FixedState,
    out: Together<T>,
}

impl<'a, T, F> Reading<'a, T, F>
where
    F: Fn(&str, &Ranking<'_>) -> Result<T>,
{
    fn new(rows: &'a Rows<'a>, ids: &'a mut Places, judge: &'a F, longest: u64) -> Self {
        let out = Together { first: None, last: None, done: Vec::new() };
        let (answer, seen) = (rows.answer(), HashSet::default());
        Self {
            rows,
            ranked: rows.scan.has_ranks(),
            ids,
            judge,
            longest,
            query: String::new(),
            answer,
            seen,
            hashes: FixedState::default(),
            out,
        }
    }

    /// Takes some rows more; `None` where a query comes back, or something is wrong with one.
    fn batch(&mut self, batch: &Batch) -> Option<()> {
        for row in 0..batch.rows {
            let query = batch.query.get(row);
            if query != self.query {
                self.next()?;
                if !self.seen.insert(self.hashes.hash_one(query)) {
                    return None;
                }
                self.query.push_str(query);
            }
            let line = batch.first + row as u64;
            let rank = if self.ranked { batch.integer(row) } else { line.cast_signed() };
            self.answer.push(batch.document.get(row), batch.score(row), rank, line).ok()?;
        }
        (self.answer.bytes() <= self.longest).then_some(())
    }

    /// Ends a query after which another one comes.
    fn next(&mut self) -> Option<()> {
        let query = std::mem::take(&mut self.query);
        if query.is_empty() {
            return Some(());
        }
        if self.out.first.is_none() {
            let answer = std::mem::replace(&mut self.answer, self.rows.answer());
            self.out.first = Some((query, answer));
            return Some(());
        }
        let ranking = self.answer.ranking(self.rows.order, &query, self.rows.path, self.ids).ok()?;
        let judged = (self.judge)(&query, &ranking).ok()?;
        self.out.done.push((query, judged));
        self.answer.clear();
        Some(())
    }

    fn end(mut self) -> Option<Together<T>> {
        if !self.query.is_empty() {
            let last = (std::mem::take(&mut self.query), self.answer);
            match self.out.first {
                None => self.out.first = Some(last),
                Some(_) => self.out.last = Some(last),
            }
        }
        Some(self.out)
    }
}

/// Row groups, joined.
struct Joined<T> {
    all: BTreeMap<String, T>,
    /// The query that the groups so far end with.
    open: Option<(String, Answer)>,
    /// Bytes that its rows may take.
    most: u64,
    ids: Places,
}

impl<T> Joined<T> {
    /// Adds the next row group; `None` where a query comes back, is too large, or something is wrong with one.
    fn group<F>(&mut self, rows: &Rows<'_>, group: Together<T>, judge: &F) -> Option<()>
    where
        F: Fn(&str, &Ranking<'_>) -> Result<T>,
    {
        for next in [group.first, group.last].into_iter().flatten() {
            match &mut self.open {
                Some((query, answer)) if *query == next.0 => {
                    answer.append(&next.1).ok()?;
                    (answer.bytes() <= self.most).then_some(())?;
                }
                _ => {
                    let before = self.open.replace(next);
                    self.close(rows, before, judge)?;
                }
            }
        }
        let twice = |(query, judged)| self.all.insert(query, judged).is_some();
        (!group.done.into_iter().any(twice)).then_some(())
    }

    fn close<F>(&mut self, rows: &Rows<'_>, query: Option<(String, Answer)>, judge: &F) -> Option<()>
    where
        F: Fn(&str, &Ranking<'_>) -> Result<T>,
    {
        let Some((query, mut answer)) = query else { return Some(()) };
        let ranking = answer.ranking(rows.order, &query, rows.path, &mut self.ids).ok()?;
        let judged = judge(&query, &ranking).ok()?;
        self.all.insert(query, judged).is_none().then_some(())
    }

    fn end<F>(mut self, rows: &Rows<'_>, judge: &F) -> Option<BTreeMap<String, T>>
    where
        F: Fn(&str, &Ranking<'_>) -> Result<T>,
    {
        let last = self.open.take();
        self.close(rows, last, judge)?;
        Some(self.all)
    }
}
