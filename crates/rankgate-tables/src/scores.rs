//! Scores by query.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
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
        let names = file.names();
        let is_query = |name: &&str| Role::Query.usual_names().contains(&name.to_lowercase().as_str());
        let missing = || wrong("no column is called query".to_owned());
        let query = names.iter().position(is_query).ok_or_else(missing)?;
        let others: Vec<usize> =
            (0..names.len()).filter(|&at| at != query && !names[at].starts_with("__")).collect();
        let is_known = |at: &usize| table.columns.contains_key(names[*at]);
        if index > 0 && !(others.len() == table.columns.len() && others.iter().all(is_known)) {
            return Err(wrong("its columns are not those of the files beside it".to_owned()));
        }
        let places: Vec<usize> = std::iter::once(query).chain(others).collect();
        file.batches(&places, |batch| {
            let queries = batch.values(0, ids)?;
            for (at, place) in places.iter().enumerate().skip(1) {
                let name = names[*place];
                let column = table.columns.entry(name.to_owned()).or_default();
                for (query, &value) in queries.iter().zip(batch.values(at, floats)?.iter()) {
                    let named = || format!("{name} of query {}", Quoted(query));
                    if !value.is_finite() {
                        return Err(wrong(format!("{} is {value}", named())));
                    }
                    if column.insert(&**query, Score::new(value)).is_some() {
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
    let queries: Vec<&str> =
        table.columns.values().take(1).flat_map(|column| column.iter()).map(|(query, _)| query).collect();
    for (name, column) in &table.columns {
        if !column.iter().map(|(query, _)| query).eq(queries.iter().copied()) {
            return Err(failed(&format!("the column {name} has scores of other queries than the first")));
        }
    }
    let written = || {
        let required = |name, physical| {
            Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED)
        };
        let query =
            required("query", Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build();
        let numbers = table.columns.keys().map(|name| required(name, Physical::DOUBLE).build());
        let fields = std::iter::once(query).chain(numbers).map(|field| field.map(Arc::new));
        let schema = Type::group_type_builder("schema")
            .with_fields(fields.collect::<Result<_, ParquetError>>()?)
            .build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        if let Some(mut column) = group.next_column()? {
            let texts: Vec<ByteArray> = queries.iter().map(|query| ByteArray::from(*query)).collect();
            column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
            column.close()?;
        }
        for scores in table.columns.values() {
            let values: Vec<f64> = scores.iter().map(|(_, score)| score.value).collect();
            if let Some(mut column) = group.next_column()? {
                column.typed::<DoubleType>().write_batch(&values, None, None)?;
                column.close()?;
            }
        }
        group.close()?;
        writer.into_inner()
    };
    let bytes: Vec<u8> = written().map_err(|error: ParquetError| failed(&error))?;
    replace_file(path, |output| output.bytes(&bytes))
}
