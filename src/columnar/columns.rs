//! Which columns of a table are the query, the document and the number beside them.

use std::path::Path;

use arrow_schema::Schema;

use crate::error::Quoted;
use crate::input::{Role, Tables};
use crate::{Error, Result};

/// What the rows of a table say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Documents that were retrieved; by rank or by score where that was asked for.
    Run { by_rank: Option<bool> },
    /// Documents that were judged.
    Judgments,
    /// Both, in one table.
    Both { by_rank: Option<bool> },
}

/// The columns of a file, as their places in its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) query: usize,
    pub(super) document: usize,
    /// The score or the grade; missing where there are ranks alone.
    pub(super) number: Option<usize>,
    /// The rank where it says the order.
    pub(super) rank: Option<usize>,
    /// The grade where both sides are in one table.
    pub(super) grade: Option<usize>,
}

/// The names of columns that need no telling, in small letters.
pub(super) fn usual_names(role: Role) -> &'static [&'static str] {
    match role {
        Role::Query => &["query", "qid", "query_id", "query-id", "q_id", "queryid"],
        Role::Document => {
            &["document", "docid", "doc_id", "docno", "document_id", "doc", "did", "corpus-id", "corpus_id"]
        }
        Role::Score => &["score"],
        Role::Rank => &["rank"],
        Role::Grade => &["grade", "rel", "relevance", "label"],
    }
}

impl Columns {
    /// Finds them by the names that were told, or else by the usual ones.
    pub(super) fn of(schema: &Schema, side: Side, tables: &Tables, path: &Path) -> Result<Self> {
        let find = |role| find(schema, role, tables, path);
        let needed = |role: Role| find(role)?.ok_or_else(|| missing(schema, role.as_str(), path));
        let (query, document) = (needed(Role::Query)?, needed(Role::Document)?);
        let grade = match side {
            Side::Both { .. } => Some(needed(Role::Grade)?),
            Side::Run { .. } | Side::Judgments => None,
        };
        let (number, rank) = match side {
            Side::Judgments => {
                let grade = match find(Role::Grade)? {
                    // What BEIR calls its grades, and nobody a run's scores beside those names.
                    None if schema.field(query).name() == "query-id"
                        && tables.told(Role::Grade).next().is_none() =>
                    {
                        find(Role::Score)?
                    }
                    found => found,
                };
                (Some(grade.ok_or_else(|| missing(schema, "grade", path))?), None)
            }
            Side::Run { by_rank } | Side::Both { by_rank } => {
                let (score, rank) = (find(Role::Score)?, find(Role::Rank)?);
                match (by_rank, score, rank) {
                    (Some(true), score, Some(rank)) => (score, Some(rank)),
                    (Some(true), _, None) => return Err(missing(schema, "rank", path)),
                    (Some(false) | None, Some(score), _) => (Some(score), None),
                    (None, None, Some(rank)) => (None, Some(rank)),
                    (Some(false), None, _) => return Err(missing(schema, "score", path)),
                    (None, None, None) => return Err(missing(schema, "score or rank", path)),
                }
            }
        };
        Ok(Self { query, document, number, rank, grade })
    }

    /// The same where only these columns are left.
    pub(super) fn among(&self, places: &[usize]) -> Self {
        let at = |place: usize| places.iter().position(|one| *one == place).unwrap_or(place);
        Self {
            query: at(self.query),
            document: at(self.document),
            number: self.number.map(at),
            rank: self.rank.map(at),
            grade: self.grade.map(at),
        }
    }

    /// The places, ascending and each once.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> =
            [Some(self.query), Some(self.document), self.number, self.rank, self.grade]
                .into_iter()
                .flatten()
                .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// That there is no column for a role.
fn missing(schema: &Schema, role: &str, path: &Path) -> Error {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).take(50).collect();
    let name = role.split(' ').next().unwrap_or_default();
    let message = format!(
        "no column is called {role}; there are {}: `--columns {name}=NAME` says which it is",
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    );
    Error::in_file(path, message)
}

/// The only column of a role; `None` where there is none, and none was told.
fn find(schema: &Schema, role: Role, tables: &Tables, path: &Path) -> Result<Option<usize>> {
    let told: Vec<&str> = tables.told(role).collect();
    let is = |name: &str| match told.as_slice() {
        [] => usual_names(role).contains(&name.to_lowercase().as_str()),
        told => told.contains(&name),
    };
    let found: Vec<usize> =
        schema.fields().iter().enumerate().filter(|(_, field)| is(field.name())).map(|(at, _)| at).collect();
    let name = role.as_str();
    match found.as_slice() {
        [one] => Ok(Some(*one)),
        [] if told.is_empty() => Ok(None),
        [] => {
            let names: Vec<&str> =
                schema.fields().iter().map(|field| field.name().as_str()).take(50).collect();
            let message = format!(
                "there is no column {} for the {name}; there are {}",
                Quoted(told[0]),
                names.join(", ")
            );
            Err(Error::in_file(path, message))
        }
        [first, second, ..] => {
            let (first, second) = (schema.field(*first).name(), schema.field(*second).name());
            let message = format!(
                "{} and {} may both be the {name}: `--columns {name}={first}` says which it is",
                Quoted(first),
                Quoted(second)
            );
            Err(Error::in_file(path, message))
        }
    }
}
