//! Scores: a number for each query and column, wherever it comes from.

mod csv;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::output::replace_file;
use crate::{Error, Result, Source};

/// Queries that people have to have graded before their values correct a column.
pub const LEAST_PEOPLE: usize = 20;

/// The number of a query.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Score {
    /// The number; finite.
    pub value: f64,
    /// The same by people, if the query was drawn for them.
    pub people: Option<f64>,
    /// A hash of what was scored.
    pub fingerprint: Option<String>,
    /// Whether a model gave it.
    pub is_of_model: bool,
    /// The line of the file, from 1; 0 without a file.
    pub line: usize,
}

impl Score {
    /// A number of which nothing else is known.
    pub fn new(value: f64) -> Self {
        Self { value, ..Self::default() }
    }
}

/// The numbers of one column by query, ordered by id (bytes).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreColumn {
    scores: BTreeMap<String, Score>,
}

impl ScoreColumn {
    /// The number of a query.
    pub fn get(&self, query: &str) -> Option<&Score> {
        self.scores.get(query)
    }

    /// Each query with its number.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Score)> {
        self.scores.iter().map(|(query, score)| (query.as_str(), score))
    }

    /// Adds the number of a query, and returns the one that was there.
    pub fn insert(&mut self, query: impl Into<String>, score: Score) -> Option<Score> {
        self.scores.insert(query.into(), score)
    }

    /// Returns true if a model gave any of the numbers.
    pub fn is_of_model(&self) -> bool {
        self.scores.values().any(|score| score.is_of_model)
    }
}

impl FromIterator<(String, Score)> for ScoreColumn {
    fn from_iter<I: IntoIterator<Item = (String, Score)>>(scores: I) -> Self {
        Self { scores: scores.into_iter().collect() }
    }
}

/// Columns of scores by name.
///
/// As CSV, a line is a query: `query,value`, with `people`, `fingerprint` and `origin` if they are known. A file of several
/// columns has a line for each query, `query,tokens,cost`, or a further field `column`.
///
/// ```
/// use rankgate_core::scores::ScoreTable;
///
/// let table = ScoreTable::parse("tokens.csv".as_ref(), "query,value\nq1,512\nq2,96\n", "tokens")?;
/// assert_eq!(table.columns["tokens"].get("q1").map(|score| score.value), Some(512.0));
/// let error = ScoreTable::parse("tokens.csv".as_ref(), "query,value\nq1,many\n", "tokens").unwrap_err();
/// assert_eq!(error.to_string(), "tokens.csv:2: `many` is not a number: `q1,many`");
/// # Ok::<(), rankgate_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreTable {
    /// The columns.
    pub columns: BTreeMap<String, ScoreColumn>,
}

impl ScoreTable {
    /// Reads a file, plain or compressed. Its column is `name`, unless it names its columns itself.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read<'a>(from: impl Into<Source<'a>>, name: &str) -> Result<Self> {
        let source = from.into();
        Self::parse(source.path(), &source.text()?, name)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// A line that is not a score, a second score of a query, with file, line and text.
    pub fn parse(path: &Path, text: &str, name: &str) -> Result<Self> {
        csv::parse(path, text, name)
    }

    /// The table as CSV with all its columns.
    pub fn to_csv(&self) -> String {
        let columns = || self.columns.iter().map(|(name, column)| (Some(name.as_str()), column));
        csv::write_wide(&self.columns).unwrap_or_else(|| csv::write(columns()))
    }

    /// Writes the table as CSV. A path that ends in `.gz` is compressed.
    ///
    /// # Errors
    ///
    /// An id or a name with a line break; a file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let queries = self.columns.values().flat_map(|column| column.scores.keys());
        if let Some(broken) = self.columns.keys().chain(queries).find(|id| id.contains(['\n', '\r'])) {
            return Err(Error::invalid(format!("{} has a line break", Quoted(broken))));
        }
        replace_file(path.as_ref(), |output| output.bytes(self.to_csv().as_bytes()))
    }
}

impl ScoreColumn {
    /// The column as CSV, without its name.
    pub fn to_csv(&self) -> String {
        csv::write(std::iter::once((None, self)))
    }
}
