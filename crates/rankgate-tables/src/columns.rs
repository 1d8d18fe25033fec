//! Which columns of a table are the query, the document and the number beside them.

use std::path::Path;
use std::str::FromStr;

use rankgate_core::internal::error::Quoted;
use rankgate_core::{Error, Result};

/// What a column of a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The query's id.
    Query,
    /// The document's id.
    Document,
    /// The score of a retrieved document.
    Score,
    /// The rank of a retrieved document.
    Rank,
    /// The grade of a judged document.
    Grade,
}

impl Role {
    const ALL: [Self; 5] = [Self::Query, Self::Document, Self::Score, Self::Rank, Self::Grade];

    /// Its name, and that of a column which needs no telling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Document => "document",
            Self::Score => "score",
            Self::Rank => "rank",
            Self::Grade => "grade",
        }
    }

    /// The names of columns that need no telling, in small letters: its own, and what Python, Spark and BEIR say.
    #[must_use]
    pub fn usual_names(self) -> &'static [&'static str] {
        match self {
            Self::Query => &["query", "qid", "query_id", "query-id", "q_id", "queryid"],
            Self::Document => &[
                "document",
                "docid",
                "doc_id",
                "docno",
                "document_id",
                "doc",
                "did",
                "corpus-id",
                "corpus_id",
            ],
            Self::Score => &["score"],
            Self::Rank => &["rank"],
            Self::Grade => &["grade", "rel", "relevance", "label"],
        }
    }
}

/// What the rows of a table say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSide {
    /// Retrieved documents; by rank or by score on request.
    Run {
        /// Whether ranks give the order; by default, they do where there are no scores.
        by_rank: Option<bool>,
    },
    /// Documents that were judged.
    Judgments,
}

/// The columns of a table that matter, as their places in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableColumns {
    /// The query's id.
    pub query: usize,
    /// The document's id.
    pub document: usize,
    /// The score; missing of judgments, and where there are ranks alone.
    pub score: Option<usize>,
    /// The rank where it says the order.
    pub rank: Option<usize>,
    /// The rank of a run where the score says the order: whether scores fall with it is looked at, and nothing else.
    pub rank_beside_score: Option<usize>,
    /// The grade; missing of a run.
    pub grade: Option<usize>,
}

impl TableColumns {
    /// The places, ascending and each once.
    pub(crate) fn places(&self) -> Vec<usize> {
        let Self { query, document, score, rank, rank_beside_score, grade } = *self;
        let all = [Some(query), Some(document), score, rank, rank_beside_score, grade];
        let mut places: Vec<usize> = all.into_iter().flatten().collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The same columns where only those of some places are left.
    pub(crate) fn among(self, places: &[usize]) -> Self {
        let at = |place: usize| places.iter().position(|one| *one == place).unwrap_or(place);
        Self {
            query: at(self.query),
            document: at(self.document),
            score: self.score.map(at),
            rank: self.rank.map(at),
            rank_beside_score: self.rank_beside_score.map(at),
            grade: self.grade.map(at),
        }
    }
}

/// The names of columns of tables, as far as the caller gave them.
///
/// ```
/// use std::path::Path;
/// use rankgate_tables::{ColumnNames, TableSide};
///
/// let names: ColumnNames = "query=session,document=sku".parse()?;
/// let found = names.find(&["session", "sku", "score"], TableSide::Run { by_rank: None }, Path::new("run.parquet"))?;
/// assert_eq!((found.query, found.document, found.score, found.rank), (0, 1, Some(2), None));
/// # Ok::<(), rankgate_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames(Vec<(Role, String)>);

impl ColumnNames {
    /// What a column is called. Of several names for the same, a table has to have exactly one.
    #[must_use]
    pub fn column(mut self, role: Role, name: &str) -> Self {
        self.0.push((role, name.to_owned()));
        self
    }

    /// Finds the columns among those of a table, by the given names or else by the usual ones. Errors call
    /// the table by its path.
    ///
    /// # Errors
    ///
    /// A column that is missing; several that may be meant.
    pub fn find(&self, columns: &[&str], side: TableSide, path: &Path) -> Result<TableColumns> {
        let table = Names { told: self, columns, path };
        let (query, document) = (table.needed(Role::Query)?, table.needed(Role::Document)?);
        let grade = match side {
            TableSide::Run { .. } => None,
            TableSide::Judgments => Some(match table.one(Role::Grade)? {
                // What BEIR calls its grades, and nobody a run's scores beside that name.
                None if columns[query] == "query-id" && !self.tells(Role::Grade) => table.one(Role::Score)?,
                found => found,
            }),
        };
        let grade = match grade {
            Some(None) => return Err(table.missing("grade", side)),
            found => found.flatten(),
        };
        let (score, rank) = match side {
            TableSide::Judgments => (None, None),
            TableSide::Run { by_rank } => {
                let (score, rank) = (table.one(Role::Score)?, table.one(Role::Rank)?);
                match (by_rank, score, rank) {
                    (Some(true), score, Some(rank)) => (score, Some(rank)),
                    (Some(true), _, None) => return Err(table.missing("rank", side)),
                    (Some(false) | None, Some(score), _) => (Some(score), None),
                    (None, None, Some(rank)) => (None, Some(rank)),
                    (Some(false), None, _) => return Err(table.missing("score", side)),
                    (None, None, None) => return Err(table.missing("score or rank", side)),
                }
            }
        };
        let rank_beside_score = match side {
            TableSide::Run { .. } if rank.is_none() => table.one(Role::Rank)?,
            _ => None,
        };
        Ok(TableColumns { query, document, score, rank, rank_beside_score, grade })
    }

    fn tells(&self, role: Role) -> bool {
        self.0.iter().any(|(of, _)| *of == role)
    }
}

/// `query=qid,document=docid,grade=rel`: some of the roles, each with the name of a column.
impl FromStr for ColumnNames {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.split(',').try_fold(Self::default(), |names, pair| {
            let role = |role: &str| Role::ALL.into_iter().find(|known| known.as_str() == role.trim());
            let told = pair.split_once('=').and_then(|(name, column)| Some((role(name)?, column.trim())));
            match told {
                Some((role, column)) if !column.is_empty() => Ok(names.column(role, column)),
                _ => Err(Error::invalid(format!(
                    "`{}` is not one of query, document, score, rank and grade, `=` and a column, as in \
                     `query=qid,document=docid`",
                    pair.trim()
                ))),
            }
        })
    }
}

/// The names of one table.
struct Names<'a> {
    told: &'a ColumnNames,
    columns: &'a [&'a str],
    path: &'a Path,
}

impl Names<'_> {
    /// The only column of a role; `None` where there is none and no name was given.
    fn one(&self, role: Role) -> Result<Option<usize>> {
        let told: Vec<&str> =
            self.told.0.iter().filter(|(of, _)| *of == role).map(|(_, name)| name.as_str()).collect();
        let is = |name: &str| match told.as_slice() {
            [] => role.usual_names().contains(&name.to_lowercase().as_str()),
            told => told.contains(&name),
        };
        let mut found = (0..self.columns.len()).filter(|&at| is(self.columns[at]));
        let name = role.as_str();
        let message = match (found.next(), found.next(), told.first()) {
            (Some(one), None, _) => return Ok(Some(one)),
            (None, _, None) => return Ok(None),
            (None, _, Some(told)) => {
                format!("there is no column {} for the {name}; there are {}", Quoted(told), self.listed())
            }
            (Some(first), Some(second), _) => {
                let (first, second) = (self.columns[first], self.columns[second]);
                format!(
                    "{} and {} may both be the {name}: `--columns {name}={first}` says which it is",
                    Quoted(first),
                    Quoted(second)
                )
            }
        };
        Err(Error::in_file(self.path, message))
    }

    fn needed(&self, role: Role) -> Result<usize> {
        let missing = || self.absent(role.as_str(), "");
        self.one(role)?.ok_or_else(missing)
    }

    /// That there is no number of a side; what is then there may be the other side's.
    fn missing(&self, role: &str, side: TableSide) -> Error {
        let has = |roles: &[Role]| roles.iter().any(|role| matches!(self.one(*role), Ok(Some(_))));
        let turned = match side {
            TableSide::Run { .. } => has(&[Role::Grade]),
            TableSide::Judgments => has(&[Role::Score, Role::Rank]),
        };
        self.absent(role, if turned { "did you swap judgments and run? If not, " } else { "" })
    }

    fn absent(&self, role: &str, hint: &str) -> Error {
        let name = role.split(' ').next().unwrap_or_default();
        let message = format!(
            "no column is called {role}; there are {}: {hint}`--columns {name}=NAME` says which it is",
            self.listed()
        );
        Error::in_file(self.path, message)
    }

    fn listed(&self) -> String {
        match self.columns {
            [] => "none".to_owned(),
            columns => columns[..columns.len().min(50)].join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: TableSide = TableSide::Run { by_rank: None };

    /// The places of query, document, score, rank and grade.
    fn found(told: &str, side: TableSide, columns: &str) -> Result<[Option<usize>; 5], String> {
        let told = if told.is_empty() { ColumnNames::default() } else { told.parse().unwrap() };
        let columns: Vec<&str> = columns.split(' ').collect();
        let found = told.find(&columns, side, Path::new("a")).map_err(|error| error.to_string())?;
        let TableColumns { query, document, score, rank, grade, .. } = found;
        Ok([Some(query), Some(document), score, rank, grade])
    }

    #[test]
    fn columns_are_found_by_usual_names_or_by_told_ones() {
        let by = |by_rank| TableSide::Run { by_rank: Some(by_rank) };
        for (told, side, columns, expected) in [
            ("", RUN, "rank Qid docno score", [Some(1), Some(2), Some(3), None, None]),
            ("", RUN, "qid docno rank", [Some(0), Some(1), None, Some(2), None]),
            ("", by(true), "qid docno rank score", [Some(0), Some(1), Some(3), Some(2), None]),
            ("", TableSide::Judgments, "qid docno LABEL score", [Some(0), Some(1), None, None, Some(2)]),
            ("", TableSide::Judgments, "query-id corpus-id score", [Some(0), Some(1), None, None, Some(2)]),
            ("query=s,document=sku,score=n", RUN, "s sku n query", [Some(0), Some(1), Some(2), None, None]),
            ("score=a,score=b", RUN, "qid doc b", [Some(0), Some(1), Some(2), None, None]),
        ] {
            assert_eq!(found(told, side, columns), Ok(expected), "{told} {columns}");
        }
    }

    #[test]
    fn a_column_that_is_not_there_is_an_error_with_those_that_are() {
        let is = "`--columns grade=NAME` says which it is";
        for (told, side, columns, expected) in [
            (
                "",
                RUN,
                "query sku score",
                "a: no column is called document; there are query, sku, score: `--columns document=NAME` says which it \
                 is",
            ),
            (
                "document=item",
                RUN,
                "query sku score",
                "a: there is no column `item` for the document; there are query, sku, score",
            ),
            (
                "",
                RUN,
                "query qid doc score",
                "a: `query` and `qid` may both be the query: `--columns query=query` says which it is",
            ),
            (
                "grade=stars",
                TableSide::Judgments,
                "query-id doc score",
                "a: there is no column `stars` for the grade; there are query-id, doc, score",
            ),
            (
                "",
                TableSide::Run { by_rank: Some(true) },
                "qid doc score",
                "a: no column is called rank; there are qid, doc, score: `--columns rank=NAME` says which it is",
            ),
            (
                "",
                TableSide::Judgments,
                "qid doc stars",
                &format!("a: no column is called grade; there are qid, doc, stars: {is}"),
            ),
        ] {
            assert_eq!(found(told, side, columns), Err(expected.to_owned()), "{told} {columns}");
        }
        let error = "query:session".parse::<ColumnNames>().unwrap_err().to_string();
        assert!(error.starts_with("`query:session` is not one of query, document,"), "{error}");
    }

    #[test]
    fn a_table_of_the_other_side_is_asked_about() {
        for (side, columns, expected) in [
            (
                TableSide::Judgments,
                "qid doc rank score",
                "a: no column is called grade; there are qid, doc, rank, score: did you swap judgments and run? If not, `--columns grade=NAME` says which it is",
            ),
            (
                RUN,
                "qid doc label",
                "a: no column is called score or rank; there are qid, doc, label: did you swap judgments and run? If not, `--columns score=NAME` says which it is",
            ),
        ] {
            assert_eq!(found("", side, columns), Err(expected.to_owned()));
        }
    }
}
