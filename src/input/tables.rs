//! How tables of rows are read, as Parquet files are.

use crate::{Error, Result};

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
}

/// How tables of rows are read, as Parquet files are: what their columns are called, and how much memory their rows
/// may take.
///
/// Columns of the usual names need no telling: `query`, `document`, `score`, `rank`, `grade`, and what Python, Spark
/// and BEIR call them (`qid`, `query_id`, `docid`, `docno`, `rel`, `relevance`, `label`, …).
///
/// ```
/// use rankgate::collection::Tables;
///
/// let tables: Tables = "query=session,document=sku".parse()?;
/// let tables = tables.memory(256 << 20);
/// # assert!("quary=qid".parse::<Tables>().is_err());
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    columns: Vec<(Role, String)>,
    memory: u64,
}

impl Default for Tables {
    fn default() -> Self {
        Self { columns: Vec::new(), memory: Self::MEMORY }
    }
}

impl Tables {
    /// The memory that rows take unless it is told: 512 MiB.
    pub const MEMORY: u64 = 512 << 20;
    /// The least that it can be told.
    pub const LEAST: u64 = 1 << 20;

    /// What a column is called. Of several names for the same, a file has to have exactly one.
    #[must_use]
    pub fn column(mut self, role: Role, name: &str) -> Self {
        self.columns.push((role, name.to_owned()));
        self
    }

    /// How many bytes rows may take that have to be put in order, 1 MiB at least; more of them wait in temporary
    /// files. What was read changes in no bit by it. Judgments and scores are not counted.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes.max(Self::LEAST);
        self
    }

    /// The names that were told for a column.
    pub(crate) fn told(&self, role: Role) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(move |(of, _)| *of == role).map(|(_, name)| name.as_str())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.memory
    }
}

/// `query=qid,document=docid,grade=rel`: some of the roles, each with the name of a column.
impl std::str::FromStr for Tables {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.split(',').try_fold(Self::default(), |tables, pair| {
            let role = |role: &str| Role::ALL.into_iter().find(|known| known.as_str() == role.trim());
            let told = pair.split_once('=').and_then(|(name, column)| Some((role(name)?, column.trim())));
            match told {
                Some((role, column)) if !column.is_empty() => Ok(tables.column(role, column)),
                _ => Err(Error::invalid(format!(
                    "`{}` is not one of query, document, score, rank and grade, `=` and a column, as in \
                     `query=qid,document=docid`",
                    pair.trim()
                ))),
            }
        })
    }
}
