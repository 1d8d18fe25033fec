//! PostgreSQL, by its protocol: a connection on a runtime of its own thread, driven while it is asked.

use std::collections::HashMap;
use std::error::Error as _;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};

use super::address::{Address, Encryption};
use super::session::{Row, Session, StoreError, Stored, Value, check_texts};

pub(super) struct Postgres {
    runtime: Own,
    client: Client,
    prepared: HashMap<String, Statement>,
}

/// A runtime that ends wherever it is dropped, on a thread of another one too.
struct Own(Option<Runtime>);

impl Own {
    fn block_on<T>(&self, future: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Stored<T> {
        let gone = || StoreError::passing("PostgreSQL: the connection is closed");
        Ok(self.0.as_ref().ok_or_else(gone)?.block_on(future)?)
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What keeps two servers from writing into one database.
const LOCK: &str = "SELECT pg_try_advisory_lock(8241772110)";

impl Postgres {
    pub(super) fn connect(url: &str) -> Stored<Self> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = Own(Some(runtime.map_err(|error| StoreError::new(format!("no runtime: {error}")))?));
        let Address { config, encryption } = Address::parse(url)?;
        // A connection ends with the client, or with the server.
        let client = runtime.block_on(async {
            match encryption {
                Encryption::None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    tokio::spawn(async move { drop(connection.await) });
                    Ok::<_, tokio_postgres::Error>(client)
                }
                Encryption::Tls(tls) => {
                    let (client, connection) = config.connect(tls).await?;
                    tokio::spawn(async move { drop(connection.await) });
                    Ok(client)
                }
            }
        })?;
        Ok(Self { runtime, client, prepared: HashMap::new() })
    }

    /// That of a server; there is one at a time.
    pub(super) fn alone(url: &str) -> Stored<Self> {
        let session = Self::connect(url)?;
        let locked = session.runtime.block_on(session.client.query_one(LOCK, &[]))?.try_get::<_, bool>(0)?;
        if !locked {
            return Err(StoreError::passing("PostgreSQL: another rankgate-serve writes into this database"));
        }
        Ok(session)
    }

    fn prepared(&mut self, sql: &str) -> Stored<Statement> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.runtime.block_on(self.client.prepare(sql))?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

fn arguments(values: &[Value]) -> Stored<Vec<&(dyn ToSql + Sync)>> {
    check_texts(values)?;
    Ok(values.iter().map(|value| value as &(dyn ToSql + Sync)).collect())
}

impl Session for Postgres {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Stored<u64> {
        let (statement, arguments) = (self.prepared(sql)?, arguments(values)?);
        self.runtime.block_on(self.client.execute(&statement, &arguments))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Stored<Vec<Row>> {
        let (statement, arguments) = (self.prepared(sql)?, arguments(values)?);
        let rows = self.runtime.block_on(self.client.query(&statement, &arguments))?;
        let of_row = |row: &tokio_postgres::Row| {
            let value = |(column, of): (usize, &tokio_postgres::Column)| {
                Ok(match *of.type_() {
                    Type::INT8 => row.try_get::<_, Option<i64>>(column)?.into(),
                    Type::INT4 => row.try_get::<_, Option<i32>>(column)?.map(i64::from).into(),
                    Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.into(),
                    _ => row.try_get::<_, Option<String>>(column)?.into(),
                })
            };
            row.columns().iter().enumerate().map(value).collect::<Stored<Vec<Value>>>().map(Row)
        };
        rows.iter().map(of_row).collect()
    }

    fn script(&mut self, sql: &str) -> Stored<()> {
        self.runtime.block_on(self.client.batch_execute(sql))
    }

    fn begin(&mut self) -> Stored<()> {
        self.script("BEGIN")
    }

    fn begin_reading(&mut self) -> Stored<()> {
        self.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    fn tables(&mut self) -> Stored<Vec<(String, Vec<String>)>> {
        let sql = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                   WHERE table_schema = current_schema() ORDER BY ordinal_position";
        let mut tables = std::collections::BTreeMap::<String, Vec<String>>::new();
        for row in self.query(sql, &[])? {
            tables.entry(row.text(0).to_owned()).or_default().push(row.text(1).to_owned());
        }
        Ok(tables.into_iter().collect())
    }

    fn faults(&mut self) -> Stored<Vec<String>> {
        // Pages whose checksums were wrong when they were read, where the cluster has checksums.
        let sql =
            "SELECT COALESCE(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()";
        let failures = self.query(sql, &[])?.first().map_or(0, |row| row.int(0));
        Ok(if failures > 0 {
            vec![format!("PostgreSQL: {failures} pages had wrong checksums")]
        } else {
            Vec::new()
        })
    }

    fn is_broken(&self) -> bool {
        self.client.is_closed()
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        // What the server says stands behind what the client says.
        let why = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        let code = error.code().map_or("", tokio_postgres::error::SqlState::code).to_owned();
        let public = match code.as_str() {
            "" => "PostgreSQL: the connection is lost".to_owned(),
            code => format!("PostgreSQL answers {code}; the server's log tells more"),
        };
        Self {
            message: format!("PostgreSQL: {error}{why}"),
            public: Some(public),
            // Connections (08), being shut down or started (57P), conflicts of transactions (40).
            is_passing: error.is_closed()
                || error.code().is_none()
                || ["08", "57P", "40"].iter().any(|class| code.starts_with(class)),
            is_full: code.starts_with("53") || code.starts_with("58"),
            is_invalid: false,
        }
    }
}
