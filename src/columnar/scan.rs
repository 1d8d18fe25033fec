//! Parquet files, gone through in batches of rows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;

use super::columns::{Columns, Side};
use super::ids::Ids;
use super::numbers::{self, Unfit};
use crate::input::{Source, Table, Tables};
use crate::{Error, Result, panic};

/// Rows that are looked at together: so many that what is done once for all of them is nothing, and so few that they
/// stay in the cache.
const BATCH: usize = 8192;

/// A table of one file or several.
pub(crate) struct Scan {
    side: Side,
    parts: Vec<Part>,
    groups: Vec<Group>,
    by_rank: bool,
    single: bool,
}

struct Part {
    path: PathBuf,
    bytes: Option<Bytes>,
    metadata: ArrowReaderMetadata,
    columns: Columns,
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
pub(crate) struct Batch {
    pub(crate) query: Ids,
    pub(crate) document: Ids,
    /// Scores; nothing of judgments, and where there are ranks alone.
    pub(crate) scores: Vec<f64>,
    /// Ranks where they say the order, or grades.
    pub(crate) whole: Vec<i64>,
    pub(crate) rows: usize,
    /// The rows of the file before them.
    pub(crate) first: u64,
}

impl Batch {
    pub(super) fn of(record: &RecordBatch, columns: &Columns, side: Side, first: u64) -> Result<Self, Unfit> {
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
            let of_column =
                |said: String| (None, format!("column `{}`: {said}", record.schema_ref().field(at).name()));
            let ids = Ids::of(column(at, what)?).map_err(of_column)?;
            match (0..record.num_rows()).find(|&row| ids.get(row).is_empty()) {
                Some(row) => Err((Some(row), format!("the {what} is empty"))),
                None => Ok(ids),
            }
        };
        let of_column = |at: usize| {
            let name = record.schema_ref().field(at).name().clone();
            move |(row, said): Unfit| match row {
                Some(row) => (Some(row), said),
                None => (None, format!("column `{name}`: {said}")),
            }
        };
        let (query, document) = (ids(columns.query, "query")?, ids(columns.document, "document")?);
        let (mut scores, mut whole) = (Vec::new(), Vec::new());
        match (side, columns.number) {
            (Side::Judgments, Some(at)) => {
                whole = numbers::whole(column(at, "grade")?, "grade").map_err(of_column(at))?;
                let fits = |grade: &i64| i32::try_from(*grade).is_err();
                if let Some(row) = whole.iter().position(fits) {
                    return Err((Some(row), format!("the grade {} is out of range", whole[row])));
                }
            }
            (Side::Run { .. }, Some(at)) => {
                scores = numbers::scores(column(at, "score")?).map_err(of_column(at))?;
            }
            (_, None) => {}
        }
        if let Some(at) = columns.rank {
            whole = numbers::whole(column(at, "rank")?, "rank").map_err(of_column(at))?;
        }
        Ok(Self { query, document, scores, whole, rows: record.num_rows(), first })
    }

    /// The score of a row; where there are ranks alone, one that falls with them.
    #[inline]
    pub(crate) fn score(&self, row: usize) -> f64 {
        self.scores.get(row).copied().unwrap_or_else(|| -(self.whole(row) as f64))
    }

    /// The rank or the grade of a row, 0 where there is none.
    #[inline]
    pub(crate) fn whole(&self, row: usize) -> i64 {
        self.whole.get(row).copied().unwrap_or_default()
    }
}

impl Scan {
    /// Looks at the files of a table and at their columns, not yet at their rows.
    pub(crate) fn open(source: &Source<'_>, table: Table<'_>, tables: &Tables, side: Side) -> Result<Self> {
        let mut scan = Self { side, parts: Vec::new(), groups: Vec::new(), by_rank: false, single: false };
        match table {
            Table::Files(paths) => {
                for path in paths {
                    scan.add(path, None, tables)?;
                }
            }
            Table::Bytes(bytes) => {
                let bytes = Bytes::from(bytes.into_owned());
                scan.add(source.path().to_owned(), Some(bytes), tables)?;
            }
        }
        Ok(scan)
    }

    fn add(&mut self, path: PathBuf, bytes: Option<Bytes>, tables: &Tables) -> Result<()> {
        let failed = |said: String| malformed(&path, &said);
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let load = || match &bytes {
            Some(bytes) => ArrowReaderMetadata::load(bytes, options()),
            None => ArrowReaderMetadata::load(&open(&path)?, options()),
        };
        let metadata = panic::catch(load).map_err(failed)?.map_err(|error| failed(error.to_string()))?;
        let columns = Columns::of(metadata.schema(), self.side, tables, &path)?;
        let by_rank = columns.rank.is_some();
        if !self.parts.is_empty() && by_rank != self.by_rank {
            let (has, other) = if by_rank { ("ranks", "scores") } else { ("scores", "ranks") };
            let message = format!("it has {has}, and {} has {other}", self.parts[0].path.display());
            return Err(Error::in_file(&path, message));
        }
        self.by_rank = by_rank;
        self.single |= self.side != Side::Judgments
            && columns.number.is_some_and(|at| numbers::is_single(metadata.schema().field(at).data_type()));
        let metadata = viewed(metadata, &columns).map_err(|error| failed(error.to_string()))?;
        let mut first = 0;
        for (index, group) in metadata.metadata().row_groups().iter().enumerate() {
            let rows = u64::try_from(group.num_rows())
                .map_err(|_| failed(format!("a row group has {} rows", group.num_rows())))?;
            self.groups.push(Group { part: self.parts.len(), index, first, rows });
            first += rows;
        }
        self.parts.push(Part { path, bytes, metadata, columns });
        Ok(())
    }

    /// How many pieces there are that can be read by themselves.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// How many rows there are by what the files say of themselves.
    pub(crate) fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// Whether ranks say the order.
    pub(crate) fn by_rank(&self) -> bool {
        self.by_rank
    }

    /// Whether scores are floats of less than 64 bits in any file.
    pub(crate) fn single(&self) -> bool {
        self.single
    }

    /// The file of a group.
    fn path(&self, group: usize) -> &Path {
        &self.parts[self.groups[group].part].path
    }

    /// That a row, given by its group and its number in the file, says what an earlier one says.
    pub(crate) fn again(&self, first: (usize, u64), second: (usize, u64), what: &str) -> Error {
        let (before, path) = (self.path(first.0), self.path(second.0));
        let before = match path == before {
            true => format!("row {}", first.1),
            false => format!("{}, row {}", before.display(), first.1),
        };
        Error::in_file(path, format!("row {}: {what} (first in {before})", second.1))
    }

    /// Hands all rows of a group over, in batches, until `each` says that it is enough.
    pub(crate) fn read(&self, group: usize, mut each: impl FnMut(&Batch) -> Stopped) -> Result<()> {
        let Group { part, index, first, rows } = self.groups[group];
        let part = &self.parts[part];
        let failed = |said: String| malformed(&part.path, &said);
        let open = || match &part.bytes {
            Some(bytes) => part.reader(bytes.clone(), index),
            None => part.reader(open(&part.path)?, index),
        };
        let mut reader = panic::catch(open).map_err(failed)?.map_err(|error| failed(error.to_string()))?;
        let mut read = 0;
        let places = part.columns.places();
        let columns = part.columns.among(&places);
        while let Some(record) = panic::catch(|| reader.next()).map_err(failed)? {
            let record = record.map_err(|error| failed(error.to_string()))?;
            let batch =
                panic::catch(|| Batch::of(&record, &columns, self.side, first + read)).map_err(failed)?;
            let batch = batch.map_err(|(row, said)| {
                let row = row.map(|row| format!("row {}: ", first + read + row as u64 + 1));
                Error::in_file(&part.path, format!("{}{said}", row.unwrap_or_default()))
            })?;
            read += batch.rows as u64;
            if each(&batch) == Stopped::Yes {
                return Ok(());
            }
        }
        match read == rows {
            true => Ok(()),
            false => Err(failed(format!("a row group of {rows} rows has {read}"))),
        }
    }
}

/// Whether no more rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Yes,
    No,
}

impl Part {
    fn reader(
        &self,
        content: impl ChunkReader + 'static,
        group: usize,
    ) -> parquet::errors::Result<ParquetRecordBatchReader> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.columns.places());
        ParquetRecordBatchReaderBuilder::new_with_metadata(content, self.metadata.clone())
            .with_row_groups(vec![group])
            .with_projection(mask)
            .with_batch_size(BATCH)
            .build()
    }
}

fn open(path: &Path) -> parquet::errors::Result<File> {
    Ok(File::open(path)?)
}

/// The same file, its ids read where they stand in a page instead of being copied one by one.
fn viewed(metadata: ArrowReaderMetadata, columns: &Columns) -> parquet::errors::Result<ArrowReaderMetadata> {
    let view = |(at, field): (usize, &Arc<arrow_schema::Field>)| {
        let kind = match field.data_type() {
            _ if at != columns.query && at != columns.document => return field.clone(),
            DataType::Utf8 => DataType::Utf8View,
            DataType::Binary => DataType::BinaryView,
            _ => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    };
    let fields: Vec<_> = metadata.schema().fields().iter().enumerate().map(view).collect();
    let schema = Arc::new(Schema::new(fields));
    ArrowReaderMetadata::try_new(metadata.metadata().clone(), ArrowReaderOptions::new().with_schema(schema))
}

fn malformed(path: &Path, said: &str) -> Error {
    Error::in_file(path, format!("it cannot be read as Parquet: {said}"))
}
