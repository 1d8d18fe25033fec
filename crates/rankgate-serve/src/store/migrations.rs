//! The tables, step by step: each numbered step is carried out once, in a transaction of its own.

use super::session::{Session, StoreError, Stored};

/// A step is never changed once it was published: another follows it.
const STEPS: &[&str] = &[
    "CREATE TABLE project (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created BIGINT NOT NULL, changed BIGINT NOT NULL
     );
     CREATE TABLE token (
        id BIGINT PRIMARY KEY, project BIGINT NOT NULL REFERENCES project (id), sha256 TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL, rights TEXT NOT NULL, created BIGINT NOT NULL, expires BIGINT NOT NULL, revoked BIGINT
     );
     CREATE TABLE blob (
        project BIGINT NOT NULL REFERENCES project (id), sha256 TEXT NOT NULL, size BIGINT NOT NULL,
        gzip BYTEA NOT NULL, received BIGINT NOT NULL, PRIMARY KEY (project, sha256)
     );
     CREATE TABLE commit_line (
        project BIGINT NOT NULL REFERENCES project (id), commit_id TEXT NOT NULL, parent TEXT,
        made BIGINT NOT NULL, subject TEXT NOT NULL, releases TEXT NOT NULL, PRIMARY KEY (project, commit_id)
     );
     CREATE TABLE branch (
        project BIGINT NOT NULL REFERENCES project (id), name TEXT NOT NULL, commit_id TEXT NOT NULL,
        PRIMARY KEY (project, name, commit_id)
     );
     CREATE TABLE report (
        id BIGINT PRIMARY KEY, project BIGINT NOT NULL REFERENCES project (id), idempotency TEXT NOT NULL,
        benchmark TEXT NOT NULL, commit_id TEXT NOT NULL, sha256 TEXT NOT NULL, source TEXT NOT NULL,
        received BIGINT NOT NULL, UNIQUE (project, idempotency)
     );
     CREATE INDEX report_of ON report (project, benchmark, id);
     CREATE TABLE scoring (
        id BIGINT PRIMARY KEY, project BIGINT NOT NULL REFERENCES project (id), state TEXT NOT NULL,
        scores TEXT NOT NULL, UNIQUE (project, state)
     );
     CREATE TABLE measured (
        report BIGINT NOT NULL REFERENCES report (id), project BIGINT NOT NULL REFERENCES project (id),
        benchmark TEXT NOT NULL, configuration TEXT NOT NULL, commit_id TEXT NOT NULL, about TEXT NOT NULL,
        scoring BIGINT NOT NULL REFERENCES scoring (id), PRIMARY KEY (report, configuration)
     );
     CREATE INDEX measured_of ON measured (project, benchmark, configuration);
     CREATE TABLE acknowledged (
        project BIGINT NOT NULL REFERENCES project (id), benchmark TEXT NOT NULL, configuration TEXT NOT NULL,
        alarm TEXT NOT NULL, note TEXT NOT NULL, token BIGINT, made BIGINT NOT NULL,
        PRIMARY KEY (project, benchmark, configuration, alarm)
     );
     CREATE TABLE counter (name TEXT PRIMARY KEY, next BIGINT NOT NULL);
     INSERT INTO counter (name, next) VALUES ('project', 0), ('token', 0), ('report', 0), ('scoring', 0);",
    "CREATE TABLE audit (
        id BIGINT PRIMARY KEY, project BIGINT NOT NULL, made BIGINT NOT NULL, token BIGINT, action TEXT NOT NULL,
        about TEXT NOT NULL
     );
     INSERT INTO counter (name, next) VALUES ('audit', 0);",
    "ALTER TABLE blob ADD COLUMN ranking TEXT;
     CREATE INDEX blob_of_ranking ON blob (project, ranking);
     CREATE TABLE rejudged (
        project BIGINT NOT NULL REFERENCES project (id), benchmark TEXT NOT NULL, sha256 TEXT NOT NULL,
        judgments TEXT NOT NULL, PRIMARY KEY (project, benchmark)
     );
     CREATE TABLE rescored (
        scoring BIGINT PRIMARY KEY REFERENCES scoring (id), project BIGINT NOT NULL REFERENCES project (id),
        scores TEXT NOT NULL
     );
     CREATE TABLE notified (
        project BIGINT NOT NULL REFERENCES project (id), benchmark TEXT NOT NULL, configuration TEXT NOT NULL,
        alarm TEXT NOT NULL, PRIMARY KEY (project, benchmark, configuration, alarm)
     );
     ALTER TABLE measured ADD COLUMN latency TEXT;
     ALTER TABLE project ADD COLUMN line BIGINT NOT NULL DEFAULT 0;
     ALTER TABLE project ADD COLUMN rewritten BIGINT NOT NULL DEFAULT 0;
     ALTER TABLE commit_line ADD COLUMN line BIGINT NOT NULL DEFAULT 0;
     ALTER TABLE branch ADD COLUMN line BIGINT NOT NULL DEFAULT 0;
     CREATE INDEX commit_line_since ON commit_line (project, line);
     CREATE INDEX branch_since ON branch (project, line);
     DROP INDEX measured_of;
     CREATE INDEX measured_of ON measured (project, benchmark, configuration, report);",
    "CREATE TABLE label (
        project BIGINT NOT NULL REFERENCES project (id), name TEXT NOT NULL, pairs TEXT NOT NULL,
        PRIMARY KEY (project, name)
     );
     CREATE TABLE grade (
        project BIGINT NOT NULL REFERENCES project (id), name TEXT NOT NULL, who TEXT NOT NULL, query TEXT NOT NULL,
        document TEXT NOT NULL, grade BIGINT, query_sha256 TEXT, document_sha256 TEXT,
        PRIMARY KEY (project, name, who, query, document)
     );",
    "UPDATE token SET rights = 'push,acknowledge,grade' WHERE rights = 'write';
     ALTER TABLE audit ADD COLUMN who TEXT;
     ALTER TABLE audit ADD COLUMN content TEXT;
     ALTER TABLE audit ADD COLUMN sha256 TEXT;
     CREATE TABLE session (
        id BIGINT PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, token BIGINT NOT NULL REFERENCES token (id),
        created BIGINT NOT NULL, expires BIGINT NOT NULL
     );
     INSERT INTO counter (name, next) VALUES ('session', 0);",
    "ALTER TABLE report ADD COLUMN verdicts TEXT;",
    "ALTER TABLE project ADD COLUMN root TEXT;
     ALTER TABLE commit_line ADD COLUMN author TEXT NOT NULL DEFAULT '';",
    "ALTER TABLE blob ADD COLUMN base TEXT;
     CREATE INDEX blob_of_base ON blob (project, base);
     CREATE INDEX measured_in ON measured (scoring, report);
     CREATE TABLE explanation (
        project BIGINT NOT NULL REFERENCES project (id), benchmark TEXT NOT NULL, configuration TEXT NOT NULL,
        comparison TEXT NOT NULL, queries TEXT NOT NULL, PRIMARY KEY (project, benchmark, configuration, comparison)
     );",
    "CREATE TABLE p_values (
        project BIGINT NOT NULL REFERENCES project (id), benchmark TEXT NOT NULL, configuration TEXT NOT NULL,
        number BIGINT NOT NULL, bytes BYTEA NOT NULL, PRIMARY KEY (project, benchmark, configuration, number)
     );",
];

/// The version that this program works with.
pub(super) const NEWEST: i64 = STEPS.len() as i64;

/// How many steps were carried out.
pub(super) fn version(session: &mut dyn Session) -> Stored<i64> {
    if !session.tables()?.iter().any(|(name, _)| name == "migration") {
        return Ok(0);
    }
    Ok(session.one("SELECT COUNT(*) FROM migration", &[])?.map_or(0, |row| row.int(0)))
}

/// Carries out the steps up to a version.
pub(super) fn migrate(session: &mut dyn Session, until: i64) -> Stored<()> {
    let done = version(session)?;
    if done > NEWEST {
        return Err(StoreError::new(format!(
            "the database has version {done}, and this program knows {NEWEST}: it is of a newer rankgate-serve"
        )));
    }
    if done == 0 {
        session.script("CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY)")?;
    }
    for (number, step) in (1..=until).zip(STEPS).skip(usize::try_from(done).unwrap_or(0)) {
        session.begin()?;
        let carried = session
            .script(step)
            .and_then(|()| session.execute("INSERT INTO migration (number) VALUES ($1)", &[number.into()]));
        match carried {
            Ok(_) => session.script("COMMIT")?,
            Err(error) => {
                session.script("ROLLBACK")?;
                return Err(StoreError::new(format!("step {number} of the migrations: {error}")));
            }
        }
    }
    Ok(())
}
