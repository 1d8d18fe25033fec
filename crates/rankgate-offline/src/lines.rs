//! What engines give of each query, as columns.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, StringArray};
use arrow_schema::{DataType, Field};

use crate::columnar::ScoreColumns;
use crate::error::Quoted;
use crate::input::Source;
use crate::table::canonical;
use crate::{Error, ErrorKind, Result};
use crate::{QueryScores, ScoreTable, Scores, Scoring};

/// What stands beside the scores of a query.
const COUNTS: [&str; 6] =
    ["retrieved", "judged", "judged_retrieved", "tied_scores", "best_grade", "identical"];

/// The scores of single queries with what was counted of each, as [`Kernel`](super::Kernel)s gave them wherever they ran,
/// in Parquet files: columns `query`, the metrics, `retrieved`, `judged`, `judged_retrieved`, `tied_scores`, `best_grade`
/// and `identical`. Scores and the best grade of an unjudged query are null.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    name: String,
    metrics: Vec<String>,
    lines: Vec<(String, QueryScores)>,
}

impl Lines {
    /// Reads a Parquet file, or all of a folder or a pattern.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; one without these columns; a count that is none; a query that comes twice.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let source = Source::from(path.as_ref());
        let none = |message: &str| Error::in_file(path.as_ref(), message);
        let absent = || Error::of_file(ErrorKind::Missing, path.as_ref(), "there is no such file or folder");
        let no_table =
            || if path.as_ref().exists() { none("it is no Parquet file of lines") } else { absent() };
        let table = source.table()?.ok_or_else(no_table)?;
        let lines = Self::of_columns(&ScoreColumns::open(&source, table)?)?;
        let lines = lines
            .ok_or_else(|| none(&format!("its columns are not query, metrics, {}", COUNTS.join(", "))))?;
        match lines.lines.is_empty() {
            true => Err(none("there are no lines")),
            false => Ok(lines),
        }
    }

    /// The metrics, in the order of the columns.
    #[must_use]
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }

    /// The report of them, by metrics that are among those of the lines; judging and means are the scoring's.
    ///
    /// # Errors
    ///
    /// A metric that the lines do not have, and as for [`Scoring::lines`].
    pub fn scores(self, scoring: &Scoring) -> Result<Scores> {
        let place = |metric: String| {
            let at = self.metrics.iter().position(|one| *one == metric);
            let has = self.metrics.join(", ");
            at.ok_or_else(|| Error::invalid(format!("{} has no {metric}: it has {has}", self.name)))
        };
        let kernel = scoring.kernel(0);
        let places: Vec<usize> =
            kernel.metrics().iter().map(|metric| place(metric.to_string())).collect::<Result<_>>()?;
        let chosen = |(query, line): (String, QueryScores)| {
            let scores = places.iter().filter_map(|&at| line.scores.get(at).copied()).collect();
            (query, QueryScores { scores, ..line })
        };
        scoring.lines(&self.name, self.lines.into_iter().map(chosen).collect())
    }

    /// The lines of columns; `None` where these are not all there.
    pub(super) fn of_columns(columns: &ScoreColumns) -> Result<Option<Self>> {
        let names = columns.names();
        let counts = COUNTS.map(|count| names.iter().position(|name| name == count));
        if counts.contains(&None) {
            return Ok(None);
        }
        let counts = counts.map(Option::unwrap_or_default);
        let scores: Vec<usize> = (0..names.len()).filter(|at| !counts.contains(at)).collect();
        let metrics = scores.iter().map(|&at| canonical(&names[at])).collect();
        let mut lines = Self { name: columns.name(), metrics, lines: Vec::new() };
        let mut seen = std::collections::HashSet::new();
        columns.rows(|row| {
            if !seen.insert(row.query.to_owned()) {
                return Err(format!("query {} again", Quoted(row.query)));
            }
            let count = |at: usize| {
                let number = row.numbers[counts[at]].filter(|number| *number >= 0.0 && number.fract() == 0.0);
                number.map(|number| number as usize).ok_or_else(|| format!("{} is no count", COUNTS[at]))
            };
            let grade = row.numbers[counts[4]];
            let best_grade = grade.map(|grade| grade as i32).filter(|best| grade == Some(f64::from(*best)));
            if best_grade.is_none() != grade.is_none() {
                return Err("best_grade is no grade".to_owned());
            }
            let score = |&at: &usize| {
                let score = row.numbers[at].filter(|score| score.is_finite());
                score.ok_or_else(|| format!("{} of query {} is no number", names[at], Quoted(row.query)))
            };
            let scores = match best_grade {
                Some(_) => scores.iter().map(score).collect::<Result<_, String>>()?,
                None => Vec::new(),
            };
            let line = QueryScores {
                scores,
                retrieved: count(0)?,
                judged: count(1)?,
                judged_retrieved: count(2)?,
                tied_scores: count(3)?,
                best_grade,
                identical: count(5)? > 0,
            };
            lines.lines.push((row.query.to_owned(), line));
            Ok(())
        })?;
        Ok(Some(lines))
    }

    /// The scores of the judged queries.
    pub(super) fn table(self) -> Result<ScoreTable> {
        let judged = |(query, line): (String, QueryScores)| line.best_grade.map(|_| (query, line.scores));
        let rows: BTreeMap<String, Vec<f64>> = self.lines.into_iter().filter_map(judged).collect();
        Ok(ScoreTable { metrics: self.metrics, rows, judgments: None })
    }
}

/// The columns of lines by these metrics.
pub(super) fn fields(metrics: &[String]) -> Vec<Field> {
    let mut fields = vec![Field::new("query", DataType::Utf8, false)];
    fields.extend(metrics.iter().map(|metric| Field::new(metric, DataType::Float64, true)));
    fields.extend(COUNTS[..4].iter().map(|count| Field::new(*count, DataType::Int64, false)));
    fields.push(Field::new(COUNTS[4], DataType::Int32, true));
    fields.push(Field::new(COUNTS[5], DataType::Boolean, false));
    fields
}

/// Lines as those columns.
pub(super) fn columns(metrics: usize, lines: &[(String, QueryScores)]) -> Vec<ArrayRef> {
    let queries = StringArray::from_iter_values(lines.iter().map(|(query, _)| query));
    let mut columns: Vec<ArrayRef> = vec![Arc::new(queries)];
    for metric in 0..metrics {
        let scores = lines.iter().map(|(_, line)| line.scores.get(metric).copied());
        columns.push(Arc::new(scores.collect::<Float64Array>()));
    }
    let counts: [fn(&QueryScores) -> usize; 4] =
        [|line| line.retrieved, |line| line.judged, |line| line.judged_retrieved, |line| line.tied_scores];
    for count in counts {
        let counts = lines.iter().map(|(_, line)| count(line) as i64);
        columns.push(Arc::new(Int64Array::from_iter_values(counts)));
    }
    columns.push(Arc::new(lines.iter().map(|(_, line)| line.best_grade).collect::<Int32Array>()));
    columns.push(Arc::new(lines.iter().map(|(_, line)| Some(line.identical)).collect::<BooleanArray>()));
    columns
}
