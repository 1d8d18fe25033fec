//! Streams of Arrow: rows of both sides in, any columns out.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Field, Schema};

use super::columns;
use super::ids::{IdBytes, Ids};
use super::numbers::{self, Unfit};
use crate::input::{TableColumns, TableSide, Tables};
use crate::{Error, Result, panic};

/// A row of a run, with its score or its rank, or one of judgments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StreamRow {
    Retrieved(f64),
    Judged(i32),
}

/// How much is read at once.
const PIECE: usize = 1 << 20;

/// Goes through the rows of a stream; says whether ranks say the order.
pub fn stream(
    name: &Path,
    from: impl Read,
    tables: &Tables,
    by_rank: Option<bool>,
    mut each: impl FnMut(&str, &str, StreamRow) -> Result<()>,
) -> Result<bool> {
    let find = |schema: &Schema| columns::find(schema, TableSide::Both { by_rank }, tables, name);
    let mut stream = Records::new(name, from);
    let mut columns = None;
    let (mut first, mut id_bytes) = (0, IdBytes::default());
    while let Some(record) = stream.next()? {
        let columns = match columns.take() {
            Some(known) => columns.insert(known),
            None => columns.insert(find(&record.schema())?),
        };
        let rows =
            panic::catch(|| Rows::from_record(&record, columns)).map_err(|said| stream.malformed(&said))?;
        let at_row =
            |row: usize, said: &str| Error::in_file(name, format!("row {}: {said}", first + row as u64 + 1));
        let rows = rows.map_err(|(row, said)| match row {
            Some(row) => at_row(row, &said),
            None => Error::in_file(name, said),
        })?;
        let added = id_bytes.add(record.num_rows(), &[&rows.query, &rows.document]);
        added.map_err(|(row, said)| at_row(row, &said))?;
        for row in 0..record.num_rows() {
            let said = rows.row(row).map_err(|said| at_row(row, said))?;
            each(rows.query.get(row), rows.document.get(row), said)?;
        }
        first += record.num_rows() as u64;
    }
    // A stream without rows has columns all the same.
    let columns = match (columns, stream.decoder.schema()) {
        (Some(columns), _) => columns,
        (None, Some(schema)) => find(&schema)?,
        (None, None) => return Err(stream.malformed("it is empty")),
    };
    Ok(columns.rank.is_some())
}

/// What a stream of Arrow ends with.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

/// The records of a stream, decoded out of what has been read: a length that a message only claims allocates nothing.
struct Records<'a, R> {
    name: &'a Path,
    from: R,
    decoder: StreamDecoder,
    /// What has been read and not yet decoded.
    piece: Buffer,
    /// How many bytes have been decoded, and the last of them.
    decoded: u64,
    last: [u8; 8],
}

impl<'a, R: Read> Records<'a, R> {
    fn new(name: &'a Path, from: R) -> Self {
        let piece = Buffer::from(Vec::<u8>::new());
        Self { name, from, decoder: StreamDecoder::new(), piece, decoded: 0, last: [0; 8] }
    }

    /// The error at the current place of decoding.
    fn malformed(&self, said: &str) -> Error {
        let at = self.decoded;
        Error::in_file(self.name, format!("it cannot be read as a stream of Arrow, at byte {at}: {said}"))
    }

    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.piece.is_empty() {
                let mut bytes = Vec::new();
                let read = self.from.by_ref().take(PIECE as u64).read_to_end(&mut bytes);
                if read.map_err(|error| Error::io("cannot read", self.name, error))? == 0 {
                    return self.end().map(|()| None);
                }
                self.piece = Buffer::from(bytes);
            }
            let before = self.piece.clone();
            let decoded = panic::catch(|| self.decoder.decode(&mut self.piece));
            self.pass(&before[..before.len() - self.piece.len()]);
            match decoded {
                Ok(Ok(Some(record))) => return Ok(Some(record)),
                Ok(Ok(None)) => {}
                // The decoder takes nothing that comes after the end.
                Ok(Err(_)) if self.last == END => {
                    return Err(self.malformed("more follows after its end: give one stream, not several"));
                }
                Ok(Err(error)) => return Err(self.malformed(&error.to_string())),
                Err(said) => return Err(self.malformed(&said)),
            }
        }
    }

    /// Remembers what has been decoded.
    fn pass(&mut self, bytes: &[u8]) {
        self.decoded += bytes.len() as u64;
        let new = &bytes[bytes.len().saturating_sub(self.last.len())..];
        self.last.rotate_left(new.len());
        let kept = self.last.len() - new.len();
        self.last[kept..].copy_from_slice(new);
    }

    /// Checks that nothing is missing.
    fn end(&mut self) -> Result<()> {
        match self.decoder.finish() {
            // Whoever was killed while writing has not said that this was all; the decoder takes that for an end.
            Ok(()) if self.last == END || self.decoded == 0 => Ok(()),
            Ok(()) => Err(self.malformed("it is cut off: its end marker is missing")),
            Err(error) => Err(self.malformed(&format!("it is cut off: {error}"))),
        }
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
    fn from_record(record: &RecordBatch, columns: &TableColumns) -> Result<Self, Unfit> {
        let of_column = |at: usize| numbers::of_column(record, at);
        let ids = |at: usize, what: &str| {
            let column = record.column(at);
            let ids = Ids::from_column(column).map_err(|said| of_column(at)((None, said)))?;
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
            Ok::<_, Unfit>(filled(column, numbers::integers(column, what).map_err(of_column(at))?))
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
