//! Scores by query.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rankgate_core::internal::error::Quoted;
use rankgate_core::internal::output::replace_file;
use rankgate_core::scores::{Score, ScoreTable};
use rankgate_core::{Error, Result};

use crate::columns::Role;
use crate::file::open;
use crate::values::{floats, ids};

/// Reads scores: a column of queries, and columns of numbers. Columns whose names begin with `__` are left out, such as the
/// index of pandas.
///
/// # Errors
///
/// A file that cannot be read; a column that is missing or has no numbers; a null; a number that is not finite; a query
/// twice; too many rows.
pub fn read_scores(paths: &[PathBuf]) -> Result<ScoreTable> {
    let mut table = ScoreTable::default();
    for (index, file) in open(paths)?.iter().enumerate() {
        let wrong = |why: String| Error::in_file(file.path(), why);
        let names: Vec<&String> = file.schema().fields().iter().map(|field| field.name()).collect();
        let is_query = |name: &&String| Role::Query.usual_names().contains(&name.to_lowercase().as_str());
        let missing = || wrong("no column is called query".to_owned());
        let query = names.iter().position(is_query).ok_or_else(missing)?;
        let others: Vec<usize> =
            (0..names.len()).filter(|&at| at != query && !names[at].starts_with("__")).collect();
        let is_known = |at: &usize| table.columns.contains_key(names[*at]);
        if index > 0 && !(others.len() == table.columns.len() && others.iter().all(is_known)) {
            return Err(wrong("its columns are not those of the files beside it".to_owned()));
        }
        let places: Vec<usize> = (0..names.len()).collect();
        file.batches(&places, |batch| {
            let queries = batch.values(query, ids)?;
            for &at in &others {
                let column = table.columns.entry(names[at].clone()).or_default();
                for (query, value) in queries.iter().zip(batch.values(at, floats)?) {
                    let query = query.unwrap_or_default();
                    let named = || format!("{} of query {}", names[at], Quoted(query));
                    if !value.is_finite() {
                        return Err(wrong(format!("{} is {value}", named())));
                    }
                    if column.insert(query, Score::new(value)).is_some() {
                        return Err(wrong(format!("{} is there twice", named())));
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(table)
}

/// Writes scores: a column `query`, and one for each of the others.
///
/// # Errors
///
/// Columns of different queries; a file that cannot be written.
pub fn write_scores(path: &Path, table: &ScoreTable) -> Result<()> {
    let failed =
        |error: &dyn std::fmt::Display| Error::in_file(path, format!("it cannot be written: {error}"));
    let query = std::iter::once(Field::new("query", DataType::Utf8, false));
    let fields = query.chain(table.columns.keys().map(|name| Field::new(name, DataType::Float64, false)));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let queries: Vec<&str> =
        table.columns.values().take(1).flat_map(|column| column.iter()).map(|(query, _)| query).collect();
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(StringArray::from_iter_values(&queries))];
    for (name, column) in &table.columns {
        if !column.iter().map(|(query, _)| query).eq(queries.iter().copied()) {
            return Err(failed(&format!("the column {name} has scores of other queries than the first")));
        }
        arrays.push(Arc::new(Float64Array::from_iter_values(column.iter().map(|(_, score)| score.value))));
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
