//! The plain scan: every row read once, by nobody but the Parquet reader.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Seal;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringViewArray, UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err, internal_datafusion_err};
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use futures::{StreamExt, TryStreamExt, stream};

use super::reader::Reader;
use super::table::{File, Side, Table};

/// Rows that are decoded at once.
const BATCH: usize = 8192;

/// What a plain scan finds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plain {
    /// The seal of all rows.
    pub seal: Seal,
    /// The highest grade, of judgments.
    pub max_grade: Option<i32>,
}

impl Plain {
    fn with(mut self, other: Self) -> Self {
        self.seal.merge(other.seal);
        self.max_grade = self.max_grade.max(other.max_grade);
        self
    }
}

/// Reads every row, `tasks` row groups at once.
///
/// # Errors
///
/// A file that cannot be read; a row without query, document or value, with a score that is not a number or a grade
/// of more than 32 bits: the message names file and row.
pub(crate) async fn plain_scan(table: &Table, tasks: usize) -> Result<Plain> {
    let groups = row_groups(table).map(|(file, group, first)| {
        let table = table.clone();
        // A task of its own, as decoding keeps a core busy.
        async move {
            let scanned = tokio::spawn(async move {
                let mut found = Plain::default();
                let mut first = first;
                let mut batches = read(&table, file, group).await?;
                while let Some(batch) = batches.next().await {
                    let rows = Rows::new(&table, file, first, &batch?)?;
                    first += rows.len();
                    rows.seal_into(&mut found)?;
                }
                Ok(found)
            });
            scanned.await.map_err(|error| internal_datafusion_err!("a scan ended early: {error}"))?
        }
    });
    let found: Result<Plain> = stream::iter(groups)
        .buffer_unordered(tasks.max(1))
        .try_fold(Plain::default(), |one, other: Plain| async move { Ok(one.with(other)) })
        .await;
    // Which row group fails first is chance: files are read again in their order, to name the first row.
    if found.is_err() && tasks > 1 {
        return Box::pin(plain_scan(table, 1)).await;
    }
    found
}

/// A document that a query has twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its id.
    pub document: String,
    /// File and row, of each time.
    pub places: [String; 2],
}

/// The first document that a query has twice, with its places.
///
/// # Errors
///
/// As of [`plain_scan`].
pub(crate) async fn duplicates(table: &Table, query: &str) -> Result<Option<Found>> {
    let mut seen: HashMap<String, String> = HashMap::new();
    for (file, group, mut first) in row_groups(table) {
        let mut batches = read(table, file, group).await?;
        while let Some(batch) = batches.next().await {
            let rows = Rows::new(table, file, first, &batch?)?;
            first += rows.len();
            for row in 0..rows.len() {
                let (id, document) = rows.ids(row)?;
                if id != query {
                    continue;
                }
                let place = rows.place(row);
                if let Some(before) = seen.insert(document.to_owned(), place.clone()) {
                    return Ok(Some(Found { document: document.to_owned(), places: [before, place] }));
                }
            }
        }
    }
    Ok(None)
}

/// File, row group and the number of the group's first row in the file.
fn row_groups(table: &Table) -> impl Iterator<Item = (usize, usize, usize)> {
    table.files.iter().enumerate().flat_map(|(index, file)| {
        let mut next = 1;
        let groups = file.footer.metadata().row_groups().iter().enumerate().map(move |(group, metadata)| {
            let first = next;
            next += usize::try_from(metadata.num_rows()).unwrap_or_default();
            (index, group, first)
        });
        groups.collect::<Vec<_>>()
    })
}

async fn read(
    table: &Table,
    file: usize,
    group: usize,
) -> Result<impl StreamExt<Item = Result<RecordBatch>> + Send + Unpin + use<>> {
    let File { name, object, footer, columns } = &table.files[file];
    let name = name.clone();
    let reader = Reader { store: Arc::clone(&table.store), object: object.clone() };
    let builder = ParquetRecordBatchStreamBuilder::new_with_metadata(reader, footer.clone());
    // By their names, as the file's own order of columns is kept.
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
    let stream = builder.with_projection(mask).with_row_groups(vec![group]).with_batch_size(BATCH).build();
    let stream = stream.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
    Ok(Box::pin(stream.map(move |batch| batch.map_err(|error| exec_datafusion_err!("{name}: {error}")))))
}

/// Rows of a file, with where they stand in it.
struct Rows<'a> {
    side: Side,
    file: &'a str,
    first: usize,
    queries: StringViewArray,
    documents: StringViewArray,
    values: Values,
}

enum Values {
    Float(Float64Array),
    Int(Int64Array),
    Unsigned(UInt64Array),
}

impl<'a> Rows<'a> {
    fn new(table: &'a Table, file: usize, first: usize, batch: &RecordBatch) -> Result<Self> {
        let columns = &table.columns;
        let File { name, .. } = &table.files[file];
        let column = |wanted: &str| -> Result<&ArrayRef> {
            batch
                .column_by_name(wanted)
                .ok_or_else(|| exec_datafusion_err!("{name}: there is no column `{wanted}`"))
        };
        let text = |wanted: &str| -> Result<StringViewArray> {
            let text = cast(column(wanted)?, &DataType::Utf8View)?;
            Ok(text.as_string_view_opt().ok_or_else(|| strange(name))?.clone())
        };
        let value = column(&columns.value)?;
        let values = match value.data_type() {
            DataType::UInt64 => {
                Values::Unsigned(value.as_primitive_opt::<UInt64Type>().ok_or_else(|| strange(name))?.clone())
            }
            whole if whole.is_integer() || *whole == DataType::Boolean => {
                let value = cast(value, &DataType::Int64)?;
                Values::Int(value.as_primitive_opt::<Int64Type>().ok_or_else(|| strange(name))?.clone())
            }
            other => {
                // Of a decimal the nearest float, as of text.
                let digits = other.is_decimal().then(|| cast(value, &DataType::Utf8)).transpose()?;
                let value = cast(digits.as_ref().unwrap_or(value), &DataType::Float64)?;
                Values::Float(value.as_primitive_opt::<Float64Type>().ok_or_else(|| strange(name))?.clone())
            }
        };
        Ok(Self {
            side: table.side,
            file: name,
            first,
            queries: text(&columns.query)?,
            documents: text(&columns.document)?,
            values,
        })
    }

    fn len(&self) -> usize {
        self.queries.len()
    }

    fn place(&self, row: usize) -> String {
        format!("{}: row {}", self.file, self.first + row)
    }

    fn ids(&self, row: usize) -> Result<(&str, &str)> {
        if self.queries.is_null(row) {
            return exec_err!("{}: the query is null", self.place(row));
        }
        if self.documents.is_null(row) {
            return exec_err!(
                "{}: the document of query {:?} is null",
                self.place(row),
                self.queries.value(row)
            );
        }
        match (self.queries.value(row), self.documents.value(row)) {
            ("", _) => exec_err!("{}: the query is empty", self.place(row)),
            (query, "") => exec_err!("{}: the document of query {query:?} is empty", self.place(row)),
            ids => Ok(ids),
        }
    }

    fn seal_into(&self, found: &mut Plain) -> Result<()> {
        for row in 0..self.len() {
            let (query, document) = self.ids(row)?;
            let place = || {
                format!(
                    "{}: the {} of query {query:?}, document {document:?}",
                    self.place(row),
                    self.side.value()
                )
            };
            let Some(value) = self.values.get(row) else { return exec_err!("{} is null", place()) };
            match (self.side, value) {
                (Side::Run, Number::Float(score)) if score.is_nan() => {
                    return exec_err!("{} is not a number", place());
                }
                (Side::Run, Number::Float(score)) => found.seal.retrieved(query, document, score),
                (Side::Run, Number::Whole(score)) if score as f64 as i128 != score => {
                    return exec_err!(
                        "{} is {score}, which has more digits than a 64-bit float holds",
                        place()
                    );
                }
                (Side::Run, Number::Whole(score)) => found.seal.retrieved(query, document, score as f64),
                (Side::Judgments, Number::Whole(grade)) => {
                    let Ok(grade) = i32::try_from(grade) else {
                        return exec_err!("{} is {grade}, which has more than 32 bits", place());
                    };
                    found.max_grade = found.max_grade.max(Some(grade));
                    found.seal.judged(query, document, grade);
                }
                (Side::Judgments, Number::Float(grade)) => return exec_err!("{} is {grade}", place()),
            }
        }
        Ok(())
    }
}

impl Values {
    fn get(&self, row: usize) -> Option<Number> {
        match self {
            Self::Float(values) => values.is_valid(row).then(|| Number::Float(values.value(row))),
            Self::Int(values) => values.is_valid(row).then(|| Number::Whole(values.value(row).into())),
            Self::Unsigned(values) => values.is_valid(row).then(|| Number::Whole(values.value(row).into())),
        }
    }
}

enum Number {
    Whole(i128),
    Float(f64),
}

fn strange(file: &str) -> DataFusionError {
    internal_datafusion_err!("{file}: a column that is not of the type that it was cast to")
}
