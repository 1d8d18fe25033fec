//! Vectors as lists in a column of Parquet, beside their ids.

use std::fmt::Display;
use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, Int8Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, FixedSizeListArray, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rankgate_core::internal::input::open;

use super::Content;
use super::stream::to_float32;
use crate::data::Data;
use crate::{Error, Result};

/// What columns of vectors are called, and of ids.
const VECTORS: [&str; 6] = ["vector", "vectors", "emb", "embedding", "embeddings", "values"];
const IDS: [&str; 5] = ["id", "_id", "idx", "document", "docid"];

pub(super) fn read(path: &Path) -> Result<Content> {
    let failed = |error: &dyn Display| malformed(path, error);
    let builder = reader(path)?;
    let schema = builder.schema().clone();
    let named = |names: &[&str]| find(&schema, names);
    let is_list = |at: usize| {
        matches!(
            schema.field(at).data_type(),
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
        )
    };
    let Some(vectors) = named(&VECTORS).filter(|at| is_list(*at)) else {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        return Err(Error::in_file(
            path,
            format!(
                "no column `vector`, `emb` or `embedding` holds lists; its columns are {}",
                names.join(", ")
            ),
        ));
    };
    let ids = named(&IDS);
    let mut rows = Rows { path, dimension: None, numbers: Vec::new(), ids: Vec::new() };
    for batch in builder.build().map_err(|error| failed(&error))? {
        let batch = batch.map_err(|error| failed(&error))?;
        rows.add(&batch, vectors, ids)?;
    }
    let dimension = rows.dimension.ok_or_else(|| Error::in_file(path, "there is no vector"))?;
    Ok((dimension, Data::Float32(rows.numbers), ids.map(|_| rows.ids)))
}

/// How many vectors there are, and their ids where a column has them.
pub(super) fn read_ids(path: &Path) -> Result<(usize, Option<Vec<String>>)> {
    let builder = reader(path)?;
    let count = usize::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or_default();
    let Some(at) = find(builder.schema(), &IDS) else { return Ok((count, None)) };
    let mask = ProjectionMask::roots(builder.parquet_schema(), [at]);
    let mut rows = Rows { path, dimension: None, numbers: Vec::new(), ids: Vec::new() };
    for batch in builder.with_projection(mask).build().map_err(|error| malformed(path, &error))? {
        rows.add_ids(batch.map_err(|error| malformed(path, &error))?.column(0))?;
    }
    Ok((count, Some(rows.ids)))
}

fn reader(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = open(path).map_err(|error| Error::io("cannot open", path, error))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| malformed(path, &error))
}

fn malformed(path: &Path, error: &dyn Display) -> Error {
    Error::in_file(path, format!("it cannot be read as Parquet: {error}"))
}

/// The first column with one of these names.
fn find(schema: &Schema, names: &[&str]) -> Option<usize> {
    let is_named = |name: &str| names.contains(&name.to_ascii_lowercase().as_str());
    schema.fields().iter().position(|field| is_named(field.name()))
}

struct Rows<'a> {
    path: &'a Path,
    dimension: Option<usize>,
    numbers: Vec<f32>,
    ids: Vec<String>,
}

impl Rows<'_> {
    fn wrong(&self, message: String) -> Error {
        Error::in_file(self.path, message)
    }

    fn add(&mut self, batch: &RecordBatch, vectors: usize, ids: Option<usize>) -> Result<()> {
        let column = batch.column(vectors);
        for row in 0..batch.num_rows() {
            let number = self.dimension.map_or(row, |dimension| self.numbers.len() / dimension);
            if column.is_null(row) {
                return Err(self.wrong(format!("vector {number} is null")));
            }
            let list = list(column, row);
            let before = self.numbers.len();
            let wrong = |why: String| Error::in_file(self.path, format!("vector {number}: {why}"));
            if list.null_count() > 0 || !append(&list, &mut self.numbers).map_err(wrong)? {
                let kind = list.data_type();
                return Err(
                    self.wrong(format!("vector {number} is a list of {kind} or has nulls; numbers are read"))
                );
            }
            let (length, dimension) =
                (self.numbers.len() - before, *self.dimension.get_or_insert(list.len()));
            if length != dimension || length == 0 {
                return Err(self
                    .wrong(format!("vector {number} has dimension {length}, and vector 0 has {dimension}")));
            }
        }
        ids.map_or(Ok(()), |ids| self.add_ids(batch.column(ids)))
    }

    fn add_ids(&mut self, column: &ArrayRef) -> Result<()> {
        for row in 0..column.len() {
            let id = id(column, row).ok_or_else(|| {
                self.wrong(format!(
                    "the id of vector {} is a {} or null; text and whole numbers are read",
                    self.ids.len(),
                    column.data_type()
                ))
            })?;
            self.ids.push(id);
        }
        Ok(())
    }
}

fn list(column: &ArrayRef, row: usize) -> ArrayRef {
    match column.data_type() {
        DataType::LargeList(_) => column.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => column
            .as_any()
            .downcast_ref::<FixedSizeListArray>()
            .map_or_else(|| arrow_array::new_empty_array(&DataType::Null), |lists| lists.value(row)),
        _ => column.as_list::<i32>().value(row),
    }
}

/// Whether they are numbers.
fn append(list: &ArrayRef, numbers: &mut Vec<f32>) -> Result<bool, String> {
    match list.data_type() {
        DataType::Float32 => numbers.extend_from_slice(list.as_primitive::<Float32Type>().values()),
        DataType::Float64 => {
            for number in list.as_primitive::<Float64Type>().values() {
                numbers.push(to_float32(*number)?);
            }
        }
        DataType::Float16 => {
            numbers.extend(list.as_primitive::<Float16Type>().values().iter().map(|number| number.to_f32()))
        }
        DataType::Int8 => {
            numbers.extend(list.as_primitive::<Int8Type>().values().iter().map(|number| f32::from(*number)))
        }
        DataType::UInt8 => {
            numbers.extend(list.as_primitive::<UInt8Type>().values().iter().map(|number| f32::from(*number)))
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn id(column: &ArrayRef, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => column.as_string_view().value(row).to_owned(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        _ => return None,
    })
}
