//! Scores by query.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rankgate_core::internal::output::replace_file;
use rankgate_core::{Error, Result};

use crate::columns::Role;
use crate::file::open;
use crate::values::{floats, ids};

/// Scores of queries, in the order of the file: a number for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// The names of the columns beside the query.
    pub columns: Vec<String>,
    /// Each query's id and numbers.
    pub rows: Vec<(String, Vec<f64>)>,
}

/// Reads scores: a column of queries, and columns of numbers. Columns whose names begin with `__` are left out, such as the
/// index of pandas.
///
/// # Errors
///
/// A file that cannot be read; a column that is missing or has no numbers; a null; a NaN; too many rows.
pub fn read_scores(paths: &[PathBuf]) -> Result<Scores> {
    let mut scores = Scores::default();
    for (index, file) in open(paths)?.iter().enumerate() {
        let names: Vec<&String> = file.schema().fields().iter().map(|field| field.name()).collect();
        let is_query = |name: &&String| Role::Query.usual_names().contains(&name.to_lowercase().as_str());
        let missing = || Error::in_file(file.path(), "no column is called query");
        let query = names.iter().position(is_query).ok_or_else(missing)?;
        let others: Vec<usize> =
            (0..names.len()).filter(|&at| at != query && !names[at].starts_with("__")).collect();
        let columns: Vec<String> = others.iter().map(|&at| names[at].clone()).collect();
        if index > 0 && columns != scores.columns {
            return Err(Error::in_file(file.path(), "its columns are not those of the files beside it"));
        }
        scores.columns = columns;
        let places: Vec<usize> = (0..names.len()).collect();
        file.batches(&places, |batch| {
            let queries = batch.values(query, ids)?;
            let columns = others.iter().map(|&at| batch.values(at, floats)).collect::<Result<Vec<_>>>()?;
            let row = |(row, query): (usize, Option<&str>)| {
                (query.unwrap_or_default().to_owned(), columns.iter().map(|column| column[row]).collect())
            };
            scores.rows.extend(queries.iter().enumerate().map(row));
            Ok(())
        })?;
    }
    Ok(scores)
}

/// Writes scores: a column `query`, and one for each of the others.
///
/// # Errors
///
/// A file that cannot be written.
pub fn write_scores(path: &Path, columns: &[String], rows: &[(&str, &[f64])]) -> Result<()> {
    let failed =
        |error: &dyn std::fmt::Display| Error::in_file(path, format!("it cannot be written: {error}"));
    let query = std::iter::once(Field::new("query", DataType::Utf8, false));
    let fields = query.chain(columns.iter().map(|name| Field::new(name, DataType::Float64, false)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let mut arrays: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from_iter_values(rows.iter().map(|(query, _)| query)))];
    for at in 0..columns.len() {
        arrays.push(Arc::new(Float64Array::from_iter_values(rows.iter().map(|(_, row)| row[at]))));
    }
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(|error| failed(&error))?;
    // Snappy is what every reader knows.
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let written = || {
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties))?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    let bytes: Vec<u8> = written().map_err(|error: parquet::errors::ParquetError| failed(&error))?;
    replace_file(path, |output| output.bytes(&bytes))
}
