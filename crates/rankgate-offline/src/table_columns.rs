//! Scores by query and metric in Parquet files.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray};
use arrow_schema::{DataType, Field};

use crate::columnar::{ROWS, ScoreColumns, Writer};
use crate::error::Quoted;
use crate::input::{Source, Table};
use crate::lines::Lines;
use crate::metric::Metric;
use crate::output::replace_file;
use crate::seal::Seal;
use crate::table::{canonical, check_score, column_metrics, unbroken};
use crate::{Error, Result};
use crate::{PerQuery, ScoreTable};

/// What a file notes: the seal of its rows, and that of the judgments that they rest on.
const SEALED: &str = "rankgate.rows";
const JUDGMENTS: &str = "rankgate.judgments";

pub(super) fn write(scores: &PerQuery, (seal, judgments): (Seal, Seal), path: &Path) -> Result<()> {
    let metric = |name: &String| Field::new(name, DataType::Float64, false);
    let query = Field::new("query", DataType::Utf8, false);
    let fields: Vec<Field> = std::iter::once(query).chain(scores.metrics().iter().map(metric)).collect();
    let notes = [(SEALED, seal.to_string()), (JUDGMENTS, judgments.to_string())];
    replace_file(path, |output| {
        let mut writer = Writer::new(fields, &notes)?;
        for rows in scores.rows.chunks(ROWS) {
            let queries = StringArray::from_iter_values(rows.iter().map(|(query, _)| query));
            let column = |at: usize| {
                Arc::new(Float64Array::from_iter_values(rows.iter().map(|(_, row)| row[at]))) as ArrayRef
            };
            let columns = std::iter::once(Arc::new(queries) as ArrayRef);
            writer.rows(columns.chain((0..scores.metrics().len()).map(column)).collect(), output)?;
        }
        writer.finish(output)
    })
}

pub(super) fn read(source: &Source<'_>, table: Table<'_>) -> Result<ScoreTable> {
    let columns = ScoreColumns::open(source, table)?;
    let mut scores = match Lines::of_columns(&columns)? {
        Some(lines) => lines.table()?,
        None => plain(&columns, source)?,
    };
    let sealed = columns.notes(SEALED);
    if sealed.iter().any(|(_, seal)| seal.is_some()) {
        let mut all = Seal::default();
        for (path, seal) in sealed {
            let seal =
                seal.ok_or_else(|| Error::in_file(path, "it has no seal, as others beside it have"))?;
            all.merge(seal.parse().map_err(|error: Error| Error::in_file(path, error.to_string()))?);
        }
        let mut rows = Seal::default();
        scores.rows.iter().for_each(|(query, row)| rows.scores(query, &scores.metrics, row));
        unbroken(all, rows, source.path())?;
    }
    for (path, judgments) in columns.notes(JUDGMENTS) {
        let Some(judgments) = judgments else { continue };
        let judgments = judgments.parse().map_err(|error: Error| Error::in_file(path, error.to_string()))?;
        if scores.judgments.replace(judgments).is_some_and(|before| before != judgments) {
            return Err(Error::in_file(path, "it rests on other judgments than the files beside it"));
        }
    }
    match scores.rows.is_empty() {
        true => Err(Error::in_file(source.path(), "there are no scores")),
        false => Ok(scores),
    }
}

fn plain(columns: &ScoreColumns, source: &Source<'_>) -> Result<ScoreTable> {
    let metrics: Vec<String> = columns.names().iter().map(|name| canonical(name)).collect();
    if metrics.is_empty() {
        return Err(Error::in_file(source.path(), "there is no metric beside the queries"));
    }
    if let Some((_, twice)) = metrics.iter().enumerate().find(|(at, name)| metrics[..*at].contains(name)) {
        return Err(Error::in_file(source.path(), format!("the metric {} again", Quoted(twice))));
    }
    let known = column_metrics(&metrics);
    let mut table = ScoreTable { metrics, ..ScoreTable::default() };
    let ScoreTable { metrics, rows, .. } = &mut table;
    columns.rows(|row| {
        let score = |((score, metric), known): ((&Option<f64>, &String), &Option<Metric>)| match score {
            Some(score) if score.is_finite() => check_score(known.as_ref(), row.query, *score),
            Some(score) => Err(format!("{metric} of query {} is {score}", Quoted(row.query))),
            None => Err(format!("{metric} of query {} is null", Quoted(row.query))),
        };
        let scores =
            row.numbers.iter().zip(&*metrics).zip(&known).map(score).collect::<Result<_, String>>()?;
        match rows.insert(row.query.to_owned(), scores) {
            Some(_) => Err(format!("query {} again", Quoted(row.query))),
            None => Ok(()),
        }
    })?;
    Ok(table)
}
