//! Scores by query and metric in the columns of a Parquet file.

use std::path::Path;

use arrow_array::Array;
use arrow_schema::Schema;

use super::ids::{IdBytes, Ids};
use super::numbers;
use super::scan::{Opened, Stopped};
use crate::error::Quoted;
use crate::input::{Role, Source, Table};
use crate::{Error, Result};

/// A table of which one column is the query and others are numbers.
pub struct ScoreColumns {
    name: String,
    files: Vec<Opened>,
    names: Vec<String>,
}

/// A row, each number being missing where it is null.
pub struct ScoreRow<'a> {
    pub query: &'a str,
    pub numbers: &'a [Option<f64>],
}

impl ScoreColumns {
    pub fn open(source: &Source<'_>, table: Table<'_>) -> Result<Self> {
        let files = Opened::all(source, table)?;
        let mut names: Option<Vec<String>> = None;
        for file in &files {
            let (_, own) = columns(file.schema(), file.path())?;
            match &names {
                Some(names) if *names != own => {
                    let message = format!("its columns are not those of {}", files[0].path().display());
                    return Err(Error::in_file(file.path(), message));
                }
                _ => names = Some(own),
            }
        }
        Ok(Self { name: source.path().display().to_string(), files, names: names.unwrap_or_default() })
    }

    /// What the table is called.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// What the columns beside the query are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What each file notes of itself under a name.
    pub fn notes(&self, key: &str) -> Vec<(&Path, Option<&str>)> {
        self.files.iter().map(|file| (file.path(), file.note(key))).collect()
    }

    /// Goes through all rows; what `each` refuses is an error with file and row.
    pub fn rows(&self, mut each: impl FnMut(ScoreRow<'_>) -> Result<(), String>) -> Result<()> {
        for file in &self.files {
            let (query, _) = columns(file.schema(), file.path())?;
            let others: Vec<usize> = others(file.schema(), query).map(|(at, _)| at).collect();
            let (mut row, mut id_bytes) = (Vec::new(), IdBytes::default());
            let places: Vec<usize> = (0..file.schema().fields().len()).collect();
            file.records(&places, &mut |record, first| {
                let at_row = |row: usize, said: &str| {
                    Error::in_file(file.path(), format!("row {}: {said}", first + row as u64 + 1))
                };
                let of_column = |at: usize, said: String| {
                    let name = Quoted(file.schema().field(at).name()).to_string();
                    Error::in_file(file.path(), format!("column {name}: {said}"))
                };
                let ids = Ids::from_column(record.column(query)).map_err(|said| of_column(query, said))?;
                id_bytes.add(record.num_rows(), &[&ids]).map_err(|(row, said)| at_row(row, &said))?;
                let mut columns = Vec::with_capacity(others.len());
                for &at in &others {
                    let column = record.column(at);
                    let values = numbers::numbers(column).map_err(|(row, said)| match row {
                        Some(row) => at_row(row, &format!("{}: {said}", file.schema().field(at).name())),
                        None => of_column(at, said),
                    })?;
                    columns.push((values, column));
                }
                for at in 0..record.num_rows() {
                    row.clear();
                    row.extend(
                        columns.iter().map(|(values, column)| column.is_valid(at).then_some(values[at])),
                    );
                    if record.column(query).is_null(at) || ids.get(at).is_empty() {
                        return Err(at_row(at, "the query is empty"));
                    }
                    each(ScoreRow { query: ids.get(at), numbers: &row }).map_err(|said| at_row(at, &said))?;
                }
                Ok(Stopped::No)
            })?;
        }
        Ok(())
    }
}

/// Where the query is, and what the other columns are called.
fn columns(schema: &Schema, path: &Path) -> Result<(usize, Vec<String>)> {
    let is = |name: &str| Role::Query.usual_names().contains(&name.to_lowercase().as_str());
    let query = schema.fields().iter().position(|field| is(field.name()));
    let query = query.ok_or_else(|| Error::in_file(path, "no column is called query"))?;
    Ok((query, others(schema, query).map(|(_, name)| name.clone()).collect()))
}

/// The other columns, but for those that programs keep for themselves (`__index_level_0__`).
fn others(schema: &Schema, query: usize) -> impl Iterator<Item = (usize, &String)> {
    let named = schema.fields().iter().map(|field| field.name()).enumerate();
    named.filter(move |(at, name)| *at != query && !name.starts_with("__"))
}
