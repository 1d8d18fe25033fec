//! The database: SQLite in the data folder, or PostgreSQL by its address. Both get the same statements.

use std::collections::BTreeMap;
use std::path::Path;

use sqlx::any::{AnyPoolOptions, AnyRow};
use sqlx::{Any, AnyPool, Row, Transaction};
use tokio::sync::{mpsc, oneshot};

use crate::log::micros;
use crate::problem::{Answer, Problem};
use crate::token::{self, Caller};

const CONNECTIONS: u32 = 8;
/// Reports that share a transaction, at most.
const BATCH: usize = 64;
const DAY: i64 = 86_400_000_000;

const TABLES: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, name TEXT NOT NULL, can_write BIGINT NOT NULL, \
     expires BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS reports (id TEXT PRIMARY KEY, project TEXT NOT NULL, benchmark TEXT NOT NULL, \
     branch TEXT NOT NULL, commit_id TEXT NOT NULL, committed BIGINT NOT NULL, received BIGINT NOT NULL, \
     subject TEXT NOT NULL, author TEXT NOT NULL, release_tag TEXT NOT NULL, verdicts TEXT NOT NULL, \
     measurements TEXT NOT NULL, report TEXT NOT NULL, changed BIGINT NOT NULL, UNIQUE (project, benchmark, branch, commit_id))",
    "CREATE INDEX IF NOT EXISTS reports_in_order ON reports (project, benchmark, branch, committed, received)",
    "CREATE TABLE IF NOT EXISTS acknowledgements (project TEXT NOT NULL, benchmark TEXT NOT NULL, \
     alarm TEXT NOT NULL, note TEXT NOT NULL, person TEXT NOT NULL, received BIGINT NOT NULL, \
     PRIMARY KEY (project, benchmark, alarm))",
];

const INSERT: &str = "INSERT INTO reports (id, project, benchmark, branch, commit_id, committed, received, subject, author, \
     release_tag, verdicts, measurements, report, changed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
     ON CONFLICT (project, benchmark, branch, commit_id) DO UPDATE SET id = excluded.id, verdicts = excluded.verdicts, \
     measurements = excluded.measurements, report = excluded.report, release_tag = excluded.release_tag, changed = excluded.changed";

const SUMMARY: &str = "SELECT id, project, benchmark, branch, commit_id, committed, received, subject, author, release_tag, \
     verdicts FROM reports";

/// A report without its content.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Summary {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) benchmark: String,
    pub(crate) branch: String,
    pub(crate) commit: String,
    /// Seconds since 1970.
    pub(crate) time: i64,
    pub(crate) received: i64,
    pub(crate) subject: String,
    pub(crate) author: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) release: String,
    /// Number of gates by verdict.
    pub(crate) verdicts: BTreeMap<String, i64>,
}

/// A report that is to be kept.
#[derive(Clone, Debug)]
pub(crate) struct NewReport {
    pub(crate) summary: Summary,
    /// By configuration, as JSON.
    pub(crate) measurements: String,
    pub(crate) report: String,
}

/// A report to be written, and where the writer sends what came of it.
type Job = (NewReport, oneshot::Sender<Result<(), String>>);

#[derive(Clone)]
pub(crate) struct Store {
    pool: AnyPool,
    writer: mpsc::Sender<Job>,
}

impl Store {
    /// Opens the database, and makes its tables if they are missing.
    pub(crate) async fn open(folder: &Path, address: Option<&str>) -> Result<Self, String> {
        sqlx::any::install_default_drivers();
        create(folder)?;
        let file = folder.join("rankgate.db");
        let own = format!("sqlite://{}?mode=rwc", file.display());
        let shown = address.map_or(file.display().to_string(), |_| "the database of --database".to_owned());
        let failed = |error: sqlx::Error| format!("cannot open {shown}: {error}");
        let options = AnyPoolOptions::new().max_connections(CONNECTIONS);
        let pool = options.connect(address.unwrap_or(&own)).await.map_err(failed)?;
        if address.is_none() {
            // Readers then do not wait for the writer. Each commit is synced to the disk, which is SQLite's default.
            sqlx::query("PRAGMA journal_mode = WAL").execute(&pool).await.map_err(failed)?;
        }
        for table in TABLES {
            sqlx::query(table).execute(&pool).await.map_err(failed)?;
        }
        let (writer, jobs) = mpsc::channel(BATCH * 4);
        tokio::spawn(write_all(pool.clone(), jobs));
        Ok(Self { pool, writer })
    }

    pub(crate) async fn ready(&self) -> Answer<()> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    // Tokens.

    /// Keeps the hash of a new token, and returns the token.
    pub(crate) async fn create_token(
        &self,
        name: &str,
        can_write: bool,
        days: Option<u32>,
    ) -> Result<String, String> {
        let token = token::new_token()?;
        let expires = days.map_or(i64::MAX, |days| micros() + i64::from(days) * DAY);
        sqlx::query("INSERT INTO tokens (hash, name, can_write, expires) VALUES ($1, $2, $3, $4)")
            .bind(token::hash(&token))
            .bind(name)
            .bind(i64::from(can_write))
            .bind(expires)
            .execute(&self.pool)
            .await
            .map_err(|error| error.to_string())?;
        Ok(token)
    }

    pub(crate) async fn has_tokens(&self) -> Result<bool, String> {
        let count = sqlx::query("SELECT COUNT(*) FROM tokens").fetch_one(&self.pool).await;
        let count = count.and_then(|row| row.try_get::<i64, _>(0)).map_err(|error| error.to_string())?;
        Ok(count > 0)
    }

    /// Deletes the tokens with a name, and returns their number.
    pub(crate) async fn revoke(&self, name: &str) -> Result<u64, String> {
        let deleted = sqlx::query("DELETE FROM tokens WHERE name = $1").bind(name).execute(&self.pool).await;
        deleted.map(|done| done.rows_affected()).map_err(|error| error.to_string())
    }

    /// The caller with a token that has not expired.
    pub(crate) async fn caller(&self, token: &str) -> Answer<Option<Caller>> {
        let row = sqlx::query("SELECT name, can_write FROM tokens WHERE hash = $1 AND expires > $2")
            .bind(token::hash(token))
            .bind(micros())
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| Ok(Caller { name: row.try_get(0)?, can_write: row.try_get::<i64, _>(1)? != 0 }))
            .transpose()
    }

    // Reports.

    /// Keeps a report. It is on the disk when this returns.
    pub(crate) async fn insert(&self, report: NewReport) -> Answer<()> {
        let (done, wait) = oneshot::channel();
        let away =
            || Problem::new(axum::http::StatusCode::SERVICE_UNAVAILABLE, "The server is shutting down.");
        self.writer.send((report, done)).await.map_err(|_| away())?;
        match wait.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(why)) => Err(Problem::from(sqlx::Error::Protocol(why))),
            Err(_) => Err(away()),
        }
    }

    /// Reports of a project, the newest first.
    pub(crate) async fn reports(
        &self,
        (project, benchmark, branch): (&str, Option<&str>, Option<&str>),
        (limit, offset): (i64, i64),
    ) -> Answer<Vec<Summary>> {
        let statement = format!(
            "{SUMMARY} WHERE project = $1 AND ($2 = '' OR benchmark = $2) AND ($3 = '' OR branch = $3) \
             ORDER BY committed DESC, received DESC LIMIT $4 OFFSET $5"
        );
        let rows = sqlx::query(&statement)
            .bind(project)
            .bind(benchmark.unwrap_or_default())
            .bind(branch.unwrap_or_default())
            .bind(limit)
            .bind(offset)
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(summary).collect()
    }

    /// A report with its content.
    pub(crate) async fn report(&self, id: &str) -> Answer<(Summary, String)> {
        let statement = SUMMARY.replace(" FROM reports", ", report FROM reports WHERE id = $1");
        let row = sqlx::query(&statement).bind(id).fetch_optional(&self.pool).await?;
        let row = row.ok_or_else(|| Problem::missing(format!("There is no report {id}.")))?;
        Ok((summary(&row)?, row.try_get("report")?))
    }

    /// All projects with their benchmarks: project, benchmark, number of reports.
    pub(crate) async fn benchmarks(&self) -> Answer<Vec<(String, String, i64)>> {
        let statement = "SELECT project, benchmark, COUNT(*) FROM reports GROUP BY project, benchmark \
                         ORDER BY project, benchmark";
        let rows = sqlx::query(statement).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).collect()
    }

    /// Number of reports of a line, and when the last was written: a history changes only with them.
    pub(crate) async fn state(&self, (project, benchmark, branch): (&str, &str, &str)) -> Answer<(i64, i64)> {
        let statement = "SELECT COUNT(*), COALESCE(MAX(changed), 0) FROM reports \
                         WHERE project = $1 AND benchmark = $2 AND branch = $3";
        let row =
            sqlx::query(statement).bind(project).bind(benchmark).bind(branch).fetch_one(&self.pool).await?;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }

    /// The measurements of a line, the oldest first.
    pub(crate) async fn line(
        &self,
        (project, benchmark, branch): (&str, &str, &str),
    ) -> Answer<Vec<(Summary, String)>> {
        let statement = SUMMARY.replace(
            " FROM reports",
            ", measurements FROM reports WHERE project = $1 AND benchmark = $2 AND branch = $3 \
             ORDER BY committed, received",
        );
        let rows =
            sqlx::query(&statement).bind(project).bind(benchmark).bind(branch).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((summary(row)?, row.try_get("measurements")?))).collect()
    }

    // Acknowledgements.

    pub(crate) async fn acknowledge(
        &self,
        (project, benchmark, alarm): (&str, &str, &str),
        (note, person): (&str, &str),
    ) -> Answer<()> {
        sqlx::query(
            "INSERT INTO acknowledgements (project, benchmark, alarm, note, person, received) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (project, benchmark, alarm) \
             DO UPDATE SET note = excluded.note, person = excluded.person, received = excluded.received",
        )
        .bind(project)
        .bind(benchmark)
        .bind(alarm)
        .bind(note)
        .bind(person)
        .bind(micros())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Notes by alarm.
    pub(crate) async fn acknowledged(
        &self,
        project: &str,
        benchmark: &str,
    ) -> Answer<BTreeMap<String, String>> {
        let statement =
            "SELECT alarm, note, person FROM acknowledgements WHERE project = $1 AND benchmark = $2";
        let rows = sqlx::query(statement).bind(project).bind(benchmark).fetch_all(&self.pool).await?;
        let note = |row: &AnyRow| {
            let (note, person): (String, String) = (row.try_get(1)?, row.try_get(2)?);
            Ok((row.try_get(0)?, format!("{note} ({person})")))
        };
        rows.iter().map(note).collect()
    }
}

/// The data folder, which only its owner may enter.
fn create(folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot create {}: {error}", folder.display());
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(failed)
}

fn summary(row: &AnyRow) -> Answer<Summary> {
    let verdicts: String = row.try_get("verdicts")?;
    Ok(Summary {
        id: row.try_get("id")?,
        project: row.try_get("project")?,
        benchmark: row.try_get("benchmark")?,
        branch: row.try_get("branch")?,
        commit: row.try_get("commit_id")?,
        time: row.try_get("committed")?,
        received: row.try_get("received")?,
        subject: row.try_get("subject")?,
        author: row.try_get("author")?,
        release: row.try_get("release_tag")?,
        verdicts: serde_json::from_str(&verdicts).map_err(|error| Problem::fault(&error))?,
    })
}

/// Writes reports one transaction after the other. Reports that wait at the same time share one, and with it one sync of the
/// disk.
async fn write_all(pool: AnyPool, mut jobs: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        let reports: Vec<&NewReport> = batch.iter().map(|(report, _)| report).collect();
        let written = write(&pool, &reports).await;
        let shared = reports.len() > 1;
        for (report, done) in std::mem::take(&mut batch) {
            let result = match &written {
                Ok(()) => Ok(()),
                // One bad report must not take the others with it.
                Err(_) if shared => write(&pool, &[&report]).await.map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            // A caller that went away does not need the answer.
            let _ = done.send(result);
        }
    }
}

async fn write(pool: &AnyPool, reports: &[&NewReport]) -> Result<(), sqlx::Error> {
    let mut transaction: Transaction<'_, Any> = pool.begin().await?;
    for report in reports {
        let NewReport { summary, measurements, report } = report;
        sqlx::query(INSERT)
            .bind(&summary.id)
            .bind(&summary.project)
            .bind(&summary.benchmark)
            .bind(&summary.branch)
            .bind(&summary.commit)
            .bind(summary.time)
            .bind(summary.received)
            .bind(&summary.subject)
            .bind(&summary.author)
            .bind(&summary.release)
            .bind(serde_json::to_string(&summary.verdicts).unwrap_or_default())
            .bind(measurements)
            .bind(report)
            .bind(micros())
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}
