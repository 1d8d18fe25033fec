//! Parquet files, gone through in batches of rows.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::ChunkReader;

use super::columns;
use super::ids::{IdBytes, Ids};
use super::numbers::{self, Unfit};
use super::pages;
use crate::error::Quoted;
use crate::input::{Source, Table, TableColumns, TableSide, Tables};
use crate::{Error, Result, panic};

/// Rows that are looked at together: so many that what is done once for all of them is nothing, and so few that they
/// stay in the cache.
const BATCH: usize = 8192;

/// A table of one file or several.
pub struct Scan {
    side: TableSide,
    parts: Vec<Part>,
    groups: Vec<Group>,
    by_rank: bool,
    has_ranks: bool,
    single: bool,
    /// Bytes that rows may take.
    memory: u64,
}

struct Part {
    file: Opened,
    columns: TableColumns,
}

/// A file whose directory has been read.
pub(super) struct Opened {
    path: PathBuf,
    bytes: Option<Bytes>,
    metadata: ArrowReaderMetadata,
}

/// Rows that stand together in a file and are read by one thread.
struct Group {
    part: usize,
    index: usize,
    /// The rows of the file before them.
    first: u64,
    rows: u64,
}

/// Some rows.
pub struct Batch {
    pub query: Ids,
    pub document: Ids,
    /// Scores; nothing of judgments, and where there are ranks alone.
    pub scores: Vec<f64>,
    /// Ranks or grades. Ranks that do not say the order may be missing.
    pub whole: Vec<i64>,
    pub rows: usize,
    /// The rows of the file before them.
    pub first: u64,
}

impl Batch {
    pub(super) fn from_record(
        record: &RecordBatch,
        columns: &TableColumns,
        first: u64,
    ) -> Result<Self, Unfit> {
        let column = |at: usize, what: &str| -> Result<&ArrayRef, Unfit> {
            let column = record.column(at);
            match column.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
                Some(nulls) => {
                    Err(((0..nulls.len()).find(|&row| nulls.is_null(row)), format!("the {what} is null")))
                }
                None => Ok(column),
            }
        };
        let ids = |at: usize, what: &str| -> Result<Ids, Unfit> {
            let of_ids = |said: String| numbers::of_column(record, at)((None, said));
            let ids = Ids::from_column(column(at, what)?).map_err(of_ids)?;
            match (0..record.num_rows()).find(|&row| ids.get(row).is_empty()) {
                Some(row) => Err((Some(row), format!("the {what} is empty"))),
                None => Ok(ids),
            }
        };
        let of_column = |at: usize| numbers::of_column(record, at);
        let (query, document) = (ids(columns.query, "query")?, ids(columns.document, "document")?);
        let (mut scores, mut whole) = (Vec::new(), Vec::new());
        if let Some(at) = columns.grade {
            whole = numbers::integers(column(at, "grade")?, "grade").map_err(of_column(at))?;
            let fits = |grade: &i64| i32::try_from(*grade).is_err();
            if let Some(row) = whole.iter().position(fits) {
                return Err((Some(row), format!("the grade {} is out of range", whole[row])));
            }
        }
        if let Some(at) = columns.score {
            scores = numbers::scores(column(at, "score")?, "score").map_err(of_column(at))?;
        }
        if let Some(at) = columns.rank {
            whole = numbers::integers(column(at, "rank")?, "rank").map_err(of_column(at))?;
        }
        if let Some(at) = columns.rank_beside_score {
            // Whatever else is in that column, the scores say the order.
            let ranks = column(at, "rank").and_then(|ranks| numbers::integers(ranks, "rank"));
            whole = ranks.unwrap_or_default();
        }
        Ok(Self { query, document, scores, whole, rows: record.num_rows(), first })
    }

    /// The score of a row; where there are ranks alone, one that falls with them.
    #[inline]
    pub fn score(&self, row: usize) -> f64 {
        self.scores.get(row).copied().unwrap_or_else(|| -(self.integer(row) as f64))
    }

    /// The rank or the grade of a row, 0 where there is none.
    #[inline]
    pub fn integer(&self, row: usize) -> i64 {
        self.whole.get(row).copied().unwrap_or_default()
    }
}

impl Scan {
    /// Looks at the files of a table and at their columns, not yet at their rows.
    pub fn open(source: &Source<'_>, table: Table<'_>, tables: &Tables, side: TableSide) -> Result<Self> {
        let (parts, groups, memory) = (Vec::new(), Vec::new(), tables.bytes());
        let mut scan = Self { side, parts, groups, by_rank: false, has_ranks: false, single: false, memory };
        Opened::all(source, table)?.into_iter().try_for_each(|file| scan.add(file, tables))?;
        Ok(scan)
    }

    fn add(&mut self, file: Opened, tables: &Tables) -> Result<()> {
        let columns = columns::find(file.schema(), self.side, tables, &file.path)?;
        let by_rank = columns.rank.is_some();
        if !self.parts.is_empty() && by_rank != self.by_rank {
            let (has, other) = if by_rank { ("ranks", "scores") } else { ("scores", "ranks") };
            let message = format!("it has {has}, and {} has {other}", self.parts[0].file.path.display());
            return Err(Error::in_file(&file.path, message));
        }
        self.by_rank = by_rank;
        self.has_ranks |= columns.rank.or(columns.rank_beside_score).is_some();
        self.single |=
            columns.score.is_some_and(|at| numbers::is_single(file.schema().field(at).data_type()));
        let file = file.viewed([columns.query, columns.document])?;
        let part = self.parts.len();
        let groups = file.groups()?.into_iter().enumerate();
        self.groups.extend(groups.map(|(index, (first, rows))| Group { part, index, first, rows }));
        self.parts.push(Part { file, columns });
        Ok(())
    }

    /// How many pieces there are that can be read by themselves.
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many rows there are by what the files say of themselves.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// Whether ranks say the order.
    pub fn by_rank(&self) -> bool {
        self.by_rank
    }

    /// Whether any file has ranks, whether they say the order or not.
    pub fn has_ranks(&self) -> bool {
        self.has_ranks
    }

    /// Whether scores are floats of less than 64 bits in any file.
    pub fn single(&self) -> bool {
        self.single
    }

    /// A file that has a column of this name.
    pub fn file_with(&self, column: &str) -> Option<&Path> {
        let has = |part: &&Part| part.file.schema().fields().iter().any(|field| field.name() == column);
        self.parts.iter().find(has).map(|part| part.file.path.as_path())
    }

    /// The file of a group.
    fn path(&self, group: usize) -> &Path {
        &self.parts[self.groups[group].part].file.path
    }

    /// That a row, given by its group and its number in the file, says what an earlier one says.
    pub fn again(&self, first: (usize, u64), second: (usize, u64), what: &str) -> Error {
        let (before, path) = (self.path(first.0), self.path(second.0));
        let before = match path == before {
            true => format!("row {}", first.1),
            false => format!("{}, row {}", before.display(), first.1),
        };
        Error::in_file(path, format!("row {}: {what} (first in {before})", second.1))
    }

    /// Hands all rows of a group over, in batches, until `each` says that it is enough.
    pub fn read(&self, group: usize, mut each: impl FnMut(&Batch) -> Stopped) -> Result<()> {
        let Group { part, index, first, rows } = self.groups[group];
        let Part { file, columns } = &self.parts[part];
        let places = columns.places();
        let columns = columns.among(&places);
        let mut id_bytes = IdBytes::default();
        file.read(index, (first, rows), &places, self.memory, &mut |record, first| {
            let batch = panic::catch(|| Batch::from_record(record, &columns, first));
            let batch = batch.map_err(|said| malformed(&file.path, &said))?;
            let wrong = |(row, said): Unfit| {
                let row = row.map(|row| format!("row {}: ", first + row as u64 + 1));
                Error::in_file(&file.path, format!("{}{said}", row.unwrap_or_default()))
            };
            let batch = batch.map_err(wrong)?;
            let added = id_bytes.add(batch.rows, &[&batch.query, &batch.document]);
            added.map_err(|(row, said)| wrong((Some(row), said)))?;
            Ok(each(&batch))
        })
    }
}

/// Whether no more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Yes,
    No,
}

/// What takes rows, and the number of those of the file before them.
type Each<'a> = dyn FnMut(&RecordBatch, u64) -> Result<Stopped> + 'a;

impl Opened {
    /// The files of a table.
    pub(super) fn all(source: &Source<'_>, table: Table<'_>) -> Result<Vec<Self>> {
        match table {
            Table::Files(paths) => paths.into_iter().map(|path| Self::open(path, None)).collect(),
            Table::Bytes(bytes) => {
                let bytes = Bytes::from(bytes.into_owned());
                Ok(vec![Self::open(source.path().to_owned(), Some(bytes))?])
            }
        }
    }

    fn open(path: PathBuf, bytes: Option<Bytes>) -> Result<Self> {
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let load = || match &bytes {
            Some(bytes) => ArrowReaderMetadata::load(bytes, options()),
            None => ArrowReaderMetadata::load(&File::open(&path)?, options()),
        };
        let metadata = caught(&path, load)?;
        Ok(Self { path, bytes, metadata })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// What its writer noted under a name.
    pub(super) fn note(&self, key: &str) -> Option<&str> {
        let notes = self.metadata.metadata().file_metadata().key_value_metadata()?;
        notes.iter().find(|note| note.key == key)?.value.as_deref()
    }

    /// Of each row group the number of rows before it, and how many it has.
    fn groups(&self) -> Result<Vec<(u64, u64)>> {
        let mut first = 0_u64;
        let group = |group: &RowGroupMetaData| {
            let failed = || malformed(&self.path, &format!("a row group has {} rows", group.num_rows()));
            let rows = u64::try_from(group.num_rows()).map_err(|_| failed())?;
            let before = first;
            first = first.checked_add(rows).ok_or_else(failed)?;
            Ok((before, rows))
        };
        self.metadata.metadata().row_groups().iter().map(group).collect()
    }

    /// The same file, its ids read where they stand in a page instead of being copied one by one.
    fn viewed(self, ids: [usize; 2]) -> Result<Self> {
        let view = |(at, field): (usize, &Arc<Field>)| {
            let kind = match field.data_type() {
                _ if !ids.contains(&at) => return field.clone(),
                DataType::Utf8 => DataType::Utf8View,
                DataType::Binary => DataType::BinaryView,
                _ => return field.clone(),
            };
            Arc::new(field.as_ref().clone().with_data_type(kind))
        };
        let fields: Vec<_> = self.schema().fields().iter().enumerate().map(view).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        let load = || ArrowReaderMetadata::try_new(self.metadata.metadata().clone(), options);
        Ok(Self { metadata: caught(&self.path, load)?, ..self })
    }

    /// Hands all rows over, with the columns at some places, which ascend.
    pub(super) fn records(&self, places: &[usize], each: &mut Each<'_>) -> Result<()> {
        for (index, group) in self.groups()?.into_iter().enumerate() {
            self.read(index, group, places, Tables::MEMORY, each)?;
        }
        Ok(())
    }

    /// Refuses a group with a page of a column that is too large for so many bytes of memory.
    fn check_pages(&self, group: usize, places: &[usize], memory: u64) -> Result<()> {
        let descriptor = self.metadata.parquet_schema();
        let chunks = self.metadata.metadata().row_group(group).columns().iter().enumerate();
        for (leaf, chunk) in chunks {
            let root = descriptor.get_column_root_idx(leaf);
            if !places.contains(&root) {
                continue;
            }
            let largest = || -> io::Result<u64> {
                // Where a chunk begins is checked by an assertion there.
                let range = panic::catch(|| chunk.byte_range()).map_err(io::Error::other)?;
                match &self.bytes {
                    Some(bytes) => largest_at(io::Cursor::new(bytes), range),
                    None => largest_at(io::BufReader::with_capacity(AHEAD, File::open(&self.path)?), range),
                }
            };
            // What is wrong with pages is told by whoever reads them.
            let largest = largest().unwrap_or(0);
            if largest <= ALWAYS_FINE.max(memory / PARTS) {
                continue;
            }
            let name = Quoted(self.schema().field(root).name()).to_string();
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            let (page, least, given) = (mib(largest), mib(largest.saturating_mul(PARTS)), mib(memory));
            return Err(Error::in_file(
                &self.path,
                format!(
                    "column {name} has a page of {page} MiB, and a page is read whole: that takes a memory of {least} MiB, \
                     and {given} MiB were given (`--memory {least}M`)"
                ),
            ));
        }
        Ok(())
    }

    /// Hands the rows of a group over, with some columns.
    fn read(
        &self,
        group: usize,
        (first, rows): (u64, u64),
        places: &[usize],
        memory: u64,
        each: &mut Each<'_>,
    ) -> Result<()> {
        self.check_pages(group, places, memory)?;
        let open = || match &self.bytes {
            Some(bytes) => self.reader(bytes.clone(), group, places),
            None => self.reader(File::open(&self.path)?, group, places),
        };
        let mut reader = caught(&self.path, open)?;
        let mut read = 0;
        while let Some(record) = caught(&self.path, || reader.next().transpose().map_err(Into::into))? {
            let before = first + read;
            read += record.num_rows() as u64;
            if each(&record, before)? == Stopped::Yes {
                return Ok(());
            }
        }
        match read == rows {
            true => Ok(()),
            false => Err(malformed(&self.path, &format!("a row group of {rows} rows has {read}"))),
        }
    }

    fn reader(
        &self,
        content: impl ChunkReader + 'static,
        group: usize,
        places: &[usize],
    ) -> parquet::errors::Result<ParquetRecordBatchReader> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), places.iter().copied());
        ParquetRecordBatchReaderBuilder::new_with_metadata(content, self.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(BATCH)
            .build()
    }
}

/// Pages of so many bytes are read with any memory: engines write 1 MiB.
const ALWAYS_FINE: u64 = 8 << 20;
/// A page takes its size several times: compressed, decompressed, as values.
const PARTS: u64 = 4;
/// How much is read ahead of where a header begins.
const AHEAD: usize = 4 << 10;

/// The largest page of a chunk that begins at a place and has a length.
fn largest_at(mut from: impl io::BufRead + io::Seek, (start, length): (u64, u64)) -> io::Result<u64> {
    from.seek(io::SeekFrom::Start(start))?;
    pages::largest(&mut from, length)
}

/// What the reader of Parquet gives; where a broken file makes it panic, that is an error as well.
fn caught<T>(path: &Path, read: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T> {
    let failed = |said: String| malformed(path, &said);
    panic::catch(read).map_err(failed)?.map_err(|error| failed(error.to_string()))
}

fn malformed(path: &Path, said: &str) -> Error {
    Error::in_file(path, format!("it cannot be read as Parquet: {said}"))
}
