//! How tables of rows are read, as Parquet files are.

use crate::input::{ColumnNames, Role};
use crate::{Error, Result};

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
    columns: ColumnNames,
    memory: u64,
}

impl Default for Tables {
    fn default() -> Self {
        Self { columns: ColumnNames::default(), memory: Self::MEMORY }
    }
}

impl Tables {
    /// The default memory for rows: 512 MiB.
    pub const MEMORY: u64 = 512 << 20;
    /// The least memory for rows.
    pub const LEAST: u64 = 1 << 20;

    /// What a column is called. Of several names for the same, a file has to have exactly one.
    #[must_use]
    pub fn column(mut self, role: Role, name: &str) -> Self {
        self.columns = self.columns.column(role, name);
        self
    }

    /// How many bytes rows may take that have to be put in order, 1 MiB at least; more of them wait in temporary
    /// files. What was read changes in no bit by it. Judgments and scores are not counted.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes.max(Self::LEAST);
        self
    }
}

#[doc(hidden)]
impl Tables {
    pub fn columns(&self) -> &ColumnNames {
        &self.columns
    }

    pub fn bytes(&self) -> u64 {
        self.memory
    }
}

/// [Names of columns](ColumnNames), and the default memory.
impl std::str::FromStr for Tables {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(Self { columns: text.parse()?, ..Self::default() })
    }
}
