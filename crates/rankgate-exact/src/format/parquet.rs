//! Vectors as lists in a column of Parquet, beside their ids.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, Int8Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, FixedSizeListArray, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rankgate_core::internal::input::open;

use super::Content;
use crate::data::Data;
use crate::{Error, Result};

/// What columns of vectors are called, and of ids.
const VECTORS: [&str; 6] = ["vector", "vectors", "emb", "embedding", "embeddings", "values"];
const IDS: [&str; 4] = ["id", "_id", "document", "docid"];

pub(super) fn read(path: &Path) -> Result<Content> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::in_file(path, format!("it cannot be read as Parquet: {error}"))
    };
    let file = open(path).map_err(|error| Error::io("cannot open", path, error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| failed(&error))?;
    let schema = builder.schema().clone();
    let named = |names: &[&str]| {
        let known = |name: &str| names.contains(&name.to_ascii_lowercase().as_str());
        schema.fields().iter().position(|field| known(field.name()))
    };
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
            if list.null_count() > 0 || !append(&list, &mut self.numbers) {
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
        let Some(ids) = ids else { return Ok(()) };
        let column = batch.column(ids);
        for row in 0..batch.num_rows() {
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
fn append(list: &ArrayRef, numbers: &mut Vec<f32>) -> bool {
    match list.data_type() {
        DataType::Float32 => numbers.extend_from_slice(list.as_primitive::<Float32Type>().values()),
        DataType::Float64 => {
            numbers.extend(list.as_primitive::<Float64Type>().values().iter().map(|number| *number as f32))
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
        _ => return false,
    }
    true
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
