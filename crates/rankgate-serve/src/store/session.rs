//! A connection to a database: one dialect of SQL (`$1`, BIGINT, TEXT, BYTEA) for both.

use std::fmt;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// Text without NUL, which PostgreSQL cannot hold.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row(pub Vec<Value>);

/// Why the store did not do it.
#[derive(Clone, Debug)]
pub struct StoreError {
    /// The database's message, for the operator.
    pub message: String,
    /// The message for callers in place of it, where it may hold statements or names of tables.
    pub public: Option<String>,
    /// Whether it may do it a moment later.
    pub is_passing: bool,
    /// Whether its disk is full, or cannot be written.
    pub is_full: bool,
    /// Whether the request is at fault.
    pub is_invalid: bool,
}

/// What the store answers.
pub type Stored<T> = Result<T, StoreError>;

/// A connection.
pub trait Session: Send {
    /// Carries out a statement, and says how many rows it touched.
    ///
    /// # Errors
    /// What the database says.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Stored<u64>;

    /// Asks for rows.
    ///
    /// # Errors
    /// What the database says.
    fn query(&mut self, sql: &str, values: &[Value]) -> Stored<Vec<Row>>;

    /// Carries out statements without values.
    ///
    /// # Errors
    /// What the database says.
    fn script(&mut self, sql: &str) -> Stored<()>;

    /// Begins a transaction that writes, before anything was read in it.
    ///
    /// # Errors
    /// What the database says.
    fn begin(&mut self) -> Stored<()>;

    /// Begins a transaction that sees one moment.
    ///
    /// # Errors
    /// What the database says.
    fn begin_reading(&mut self) -> Stored<()>;

    /// The tables, by name, and their columns in their order.
    ///
    /// # Errors
    /// What the database says.
    fn tables(&mut self) -> Stored<Vec<(String, Vec<String>)>>;

    /// What the database finds wrong in itself.
    ///
    /// # Errors
    /// What the database says.
    fn faults(&mut self) -> Stored<Vec<String>>;

    /// Whether it is broken for good.
    fn is_broken(&self) -> bool;
}

impl dyn Session + '_ {
    /// The only row of an answer, if there is one.
    pub(crate) fn one(&mut self, sql: &str, values: &[Value]) -> Stored<Option<Row>> {
        Ok(self.query(sql, values)?.into_iter().next())
    }

    /// A number that was never given before, and never will be again.
    pub(crate) fn next_id(&mut self, of: &str) -> Stored<i64> {
        let sql = "UPDATE counter SET next = next + 1 WHERE name = $1 RETURNING next";
        let row = self.one(sql, &[of.into()])?;
        row.map(|row| row.int(0)).ok_or_else(|| StoreError::new(format!("the store counts no {of}")))
    }
}

impl StoreError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), public: None, is_passing: false, is_full: false, is_invalid: false }
    }

    pub(crate) fn passing(message: impl Into<String>) -> Self {
        Self { is_passing: true, ..Self::new(message) }
    }
}

/// Refuses text with a NUL in either database: PostgreSQL holds none, and would say so in its log for each request.
pub(super) fn check_texts(values: &[Value]) -> Stored<()> {
    if values.iter().any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
        return Err(StoreError { is_invalid: true, ..StoreError::new("a NUL character is no text") });
    }
    Ok(())
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

impl Row {
    /// The number in a column; 0 where there is none.
    #[must_use]
    pub fn int(&self, column: usize) -> i64 {
        match self.0.get(column) {
            Some(Value::Int(number)) => *number,
            _ => 0,
        }
    }

    /// The text in a column; empty where there is none.
    #[must_use]
    pub fn text(&self, column: usize) -> &str {
        match self.0.get(column) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// The bytes in a column; none where there are none.
    #[must_use]
    pub fn bytes(&self, column: usize) -> &[u8] {
        match self.0.get(column) {
            Some(Value::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    /// Whether a column has a value.
    #[must_use]
    pub fn has(&self, column: usize) -> bool {
        !matches!(self.0.get(column), None | Some(Value::Null))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
