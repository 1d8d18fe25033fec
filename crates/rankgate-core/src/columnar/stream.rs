//! Streams of Arrow: rows of both sides in, any columns out.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, Schema};

use super::columns;
use super::ids::Ids;
use super::numbers::{self, Unfit};
use crate::input::{TableColumns, TableSide, Tables};
use crate::{Error, Result, panic};

/// A row of a run, with its score or its rank, or one of judgments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StreamRow {
    Retrieved(f64),
    Judged(i32),
}

/// Goes through the rows of a stream; says whether ranks say the order.
pub fn stream(
    name: &Path,
    from: impl Read,
    tables: &Tables,
    by_rank: Option<bool>,
    mut each: impl FnMut(&str, &str, StreamRow) -> Result<()>,
) -> Result<bool> {
    let malformed =
        |said: String| Error::in_file(name, format!("it cannot be read as a stream of Arrow: {said}"));
    let caught = |read: Result<Result<Option<RecordBatch>, ArrowError>, String>| {
        read.map_err(malformed)?.map_err(|error| malformed(error.to_string()))
    };
    let from = Tail { from, last: [0; 8] };
    let reader = panic::catch(|| StreamReader::try_new(from, None)).map_err(malformed)?;
    let mut reader = reader.map_err(|error| malformed(error.to_string()))?;
    let columns = columns::find(&reader.schema(), TableSide::Both { by_rank }, tables, name)?;
    let mut first = 0;
    while let Some(record) = caught(panic::catch(|| reader.next().transpose()))? {
        let rows = panic::catch(|| Rows::of(&record, &columns)).map_err(malformed)?;
        let at_row =
            |row: usize, said: &str| Error::in_file(name, format!("row {}: {said}", first + row as u64 + 1));
        let rows = rows.map_err(|(row, said)| match row {
            Some(row) => at_row(row, &said),
            None => Error::in_file(name, said),
        })?;
        for row in 0..record.num_rows() {
            let said = rows.row(row).map_err(|said| at_row(row, said))?;
            each(rows.query.get(row), rows.document.get(row), said)?;
        }
        first += record.num_rows() as u64;
    }
    // Whoever was killed while writing has not said that this was all; the reader of Arrow takes that for an end.
    match reader.get_ref().last {
        END => Ok(columns.rank.is_some()),
        _ => Err(malformed("it is cut off: its end marker is missing".to_owned())),
    }
}

/// What a stream of Arrow ends with.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// Remembers what it ended with.
struct Tail<R> {
    from: R,
    last: [u8; 8],
}

impl<R: Read> Read for Tail<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        let new = &buffer[read.saturating_sub(self.last.len())..read];
        self.last.rotate_left(new.len());
        let kept = self.last.len() - new.len();
        self.last[kept..].copy_from_slice(new);
        Ok(read)
    }
}

struct Rows {
    query: Ids,
    document: Ids,
    /// Scores or ranks, and grades; missing where they are null.
    numbers: Vec<Option<f64>>,
    grades: Vec<Option<i64>>,
}

impl Rows {
    fn of(record: &RecordBatch, columns: &TableColumns) -> Result<Self, Unfit> {
        let of_column = |at: usize| numbers::of_column(record, at);
        let ids = |at: usize, what: &str| {
            let column = record.column(at);
            let ids = Ids::of(column).map_err(|said| of_column(at)((None, said)))?;
            match (0..record.num_rows()).find(|&row| column.is_null(row) || ids.get(row).is_empty()) {
                Some(row) => Err((Some(row), format!("the {what} is empty"))),
                None => Ok(ids),
            }
        };
        fn filled<T>(column: &ArrayRef, values: Vec<T>) -> Vec<Option<T>> {
            values.into_iter().enumerate().map(|(row, value)| column.is_valid(row).then_some(value)).collect()
        }
        let whole = |at: usize, what: &str| {
            let column = record.column(at);
            Ok::<_, Unfit>(filled(column, numbers::whole(column, what).map_err(of_column(at))?))
        };
        let numbers = match (columns.rank, columns.score) {
            (Some(at), _) => {
                whole(at, "rank")?.into_iter().map(|rank| rank.map(|rank| rank as f64)).collect()
            }
            (None, Some(at)) => {
                filled(record.column(at), numbers::scores(record.column(at), "score").map_err(of_column(at))?)
            }
            (None, None) => vec![None; record.num_rows()],
        };
        let grades =
            columns.grade.map_or_else(|| Ok(vec![None; record.num_rows()]), |at| whole(at, "grade"))?;
        Ok(Self {
            query: ids(columns.query, "query")?,
            document: ids(columns.document, "document")?,
            numbers,
            grades,
        })
    }

    fn row(&self, row: usize) -> Result<StreamRow, &'static str> {
        match (self.numbers[row], self.grades[row]) {
            (Some(number), None) => Ok(StreamRow::Retrieved(number)),
            (None, Some(grade)) => {
                i32::try_from(grade).map(StreamRow::Judged).map_err(|_| "the grade is out of range")
            }
            (Some(_), Some(_)) => {
                Err("it has a grade and a score or rank: a row is of the judgments or of the run")
            }
            (None, None) => Err("it has neither a grade nor a score or rank"),
        }
    }
}

/// Writes batches of columns as a stream.
pub fn write_stream(
    columns: Vec<Field>,
    batches: impl Iterator<Item = Vec<ArrayRef>>,
    to: impl Write,
) -> Result<()> {
    let failed = |error: ArrowError| Error::invalid(format!("a stream of Arrow cannot be written: {error}"));
    let schema = Arc::new(Schema::new(columns));
    let mut writer = StreamWriter::try_new(to, &schema).map_err(failed)?;
    for columns in batches {
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(failed)?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}
