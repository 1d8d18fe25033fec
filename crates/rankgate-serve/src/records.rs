//! What is kept, as types, and the statements that keep it.

use std::fmt;

use rankgate::benchmark::model::Verdicts;
use rankgate_history::StoredReport;
use serde::{Deserialize, Serialize};

use crate::audit::{self, Actor};
use crate::column::{from_json, to_json};
use crate::contents;
use crate::gzip::decompressed;
use crate::store::{Row, Session, Stored};
use crate::trail;

/// Bytes of a report that are read for its verdicts.
const LARGEST: usize = 1 << 30;

/// Something that may be done in a project. Whoever may do anything in it may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read.
    Read,
    /// Send what CI measured, commits, runs, and documents to grade.
    Push,
    /// Accept a loss, and say which judgments a history is told under.
    Acknowledge,
    /// Grade documents.
    Grade,
}

impl Right {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Push => "push",
            Self::Acknowledge => "acknowledge",
            Self::Grade => "grade",
        }
    }
}

/// What may be done in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    push: bool,
    acknowledge: bool,
    grade: bool,
}

impl Rights {
    /// Read, and nothing else.
    pub const READ: Self = Self { push: false, acknowledge: false, grade: false };
    /// Everything.
    pub const ALL: Self = Self { push: true, acknowledge: true, grade: true };

    /// Whether something may be done.
    #[must_use]
    pub fn allow(self, right: Right) -> bool {
        match right {
            Right::Read => true,
            Right::Push => self.push,
            Right::Acknowledge => self.acknowledge,
            Right::Grade => self.grade,
        }
    }

    /// These and those.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            push: self.push || other.push,
            acknowledge: self.acknowledge || other.acknowledge,
            grade: self.grade || other.grade,
        }
    }

    /// These and one more.
    #[must_use]
    pub fn with(mut self, right: Right) -> Self {
        match right {
            Right::Read => {}
            Right::Push => self.push = true,
            Right::Acknowledge => self.acknowledge = true,
            Right::Grade => self.grade = true,
        }
        self
    }
}

impl From<Right> for Rights {
    fn from(right: Right) -> Self {
        Self::READ.with(right)
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [Right::Push, Right::Acknowledge, Right::Grade].into_iter();
        let names: Vec<&str> = all.filter(|right| self.allow(*right)).map(Right::as_str).collect();
        f.write_str(&if names.is_empty() { "read".to_owned() } else { names.join(",") })
    }
}

impl std::str::FromStr for Rights {
    type Err = String;

    /// Names with a comma between them; `write` is all.
    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',').try_fold(Self::READ, |rights, name| match name.trim() {
            "read" => Ok(rights),
            "push" => Ok(rights.with(Right::Push)),
            "acknowledge" => Ok(rights.with(Right::Acknowledge)),
            "grade" => Ok(rights.with(Right::Grade)),
            "write" => Ok(Self::ALL),
            _ => {
                Err(format!("`{name}` is no right: read, push, acknowledge, grade, or write for all of them"))
            }
        })
    }
}

/// A token, without itself: only its hash is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its number.
    pub id: i64,
    /// The name of its project.
    pub project: String,
    /// What it is for.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// When it was made, in seconds since 1970.
    pub created: i64,
    /// When it ends.
    pub expires: i64,
    /// Whether it was taken back.
    pub revoked: bool,
}

impl TokenRecord {
    pub(crate) fn is_valid(&self, now: i64) -> bool {
        self.expires > now && !self.revoked
    }
}

/// A token that is to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// SHA-256 of it.
    pub sha256: String,
    /// The name of its project, which is made where it is not there.
    pub project: String,
    /// What it is for.
    pub name: String,
    /// What it may do.
    pub rights: Rights,
    /// When it ends.
    pub expires: i64,
}

const TOKEN: &str = "SELECT token.id, project.name, token.name, rights, token.created, token.expires, revoked \
                     FROM token JOIN project ON project.id = token.project";

fn token_of(row: &Row) -> TokenRecord {
    TokenRecord {
        id: row.int(0),
        project: row.text(1).to_owned(),
        name: row.text(2).to_owned(),
        // What is not known may least.
        rights: row.text(3).parse().unwrap_or(Rights::READ),
        created: row.int(4),
        expires: row.int(5),
        revoked: row.has(6),
    }
}

/// The token with a hash.
pub(crate) fn token(session: &mut dyn Session, sha256: &str) -> Stored<Option<TokenRecord>> {
    Ok(session.one(&format!("{TOKEN} WHERE token.sha256 = $1"), &[sha256.into()])?.map(|row| token_of(&row)))
}

pub(crate) fn tokens(session: &mut dyn Session) -> Stored<Vec<TokenRecord>> {
    Ok(session.query(&format!("{TOKEN} ORDER BY token.id"), &[])?.iter().map(token_of).collect())
}

pub(crate) fn add_token(session: &mut dyn Session, new: &NewToken, now: i64) -> Stored<i64> {
    let project = project_or_new(session, &new.project, now)?;
    let id = session.next_id("token")?;
    let sql = "INSERT INTO token (id, project, sha256, name, rights, created, expires) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let rights = new.rights.to_string();
    let about = trail::token((id, &new.name), &rights, new.expires, &new.sha256);
    let values =
        [id.into(), project.into(), (&new.sha256).into(), (&new.name).into(), rights.into(), now.into()];
    session.execute(sql, &[&values[..], &[new.expires.into()]].concat())?;
    audit::add(session, (project, now), &Actor::command(), "token add", &about)?;
    Ok(id)
}

/// Whether there was one to revoke.
pub(crate) fn revoke_token(session: &mut dyn Session, id: i64, now: i64) -> Stored<bool> {
    let sql = "UPDATE token SET revoked = $2 WHERE id = $1 AND revoked IS NULL RETURNING project";
    let Some(row) = session.one(sql, &[id.into(), now.into()])? else { return Ok(false) };
    session.execute("DELETE FROM session WHERE token = $1", &[id.into()])?;
    audit::add(session, (row.int(0), now), &Actor::command(), "token revoke", &trail::revoked_token(id))?;
    Ok(true)
}

/// A sign-in: for hours, and until somebody signs out.
#[derive(Clone, Debug)]
pub(crate) struct NewSession {
    /// SHA-256 of what the browser keeps.
    pub(crate) sha256: String,
    /// The number of the token that was signed in with.
    pub(crate) token: i64,
    /// When it ends.
    pub(crate) expires: i64,
}

/// Keeps a sign-in, and forgets those that ended.
pub(crate) fn add_session(session: &mut dyn Session, new: &NewSession, now: i64) -> Stored<()> {
    session.execute("DELETE FROM session WHERE expires <= $1", &[now.into()])?;
    let id = session.next_id("session")?;
    let sql = "INSERT INTO session (id, sha256, token, created, expires) VALUES ($1, $2, $3, $4, $5)";
    let values = [id.into(), (&new.sha256).into(), new.token.into(), now.into(), new.expires.into()];
    session.execute(sql, &values).map(drop)
}

/// The token of a sign-in that has not ended.
pub(crate) fn session_token(
    session: &mut dyn Session,
    sha256: &str,
    now: i64,
) -> Stored<Option<TokenRecord>> {
    let sql = format!(
        "{TOKEN} JOIN session ON session.token = token.id WHERE session.sha256 = $1 AND session.expires > $2"
    );
    Ok(session.one(&sql, &[sha256.into(), now.into()])?.map(|row| token_of(&row)))
}

/// Ends a sign-in.
pub(crate) fn end_session(session: &mut dyn Session, sha256: &str) -> Stored<()> {
    session.execute("DELETE FROM session WHERE sha256 = $1", &[sha256.into()]).map(drop)
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) id: i64,
    /// Another number after each change.
    pub(crate) changed: i64,
    /// A higher one after each change of commits.
    pub(crate) line: i64,
    /// Another one after anything but the addition of something.
    pub(crate) rewritten: i64,
}

pub(crate) fn project(session: &mut dyn Session, name: &str) -> Stored<Option<Project>> {
    let row = session.one(&format!("{PROJECT} WHERE name = $1"), &[name.into()])?;
    Ok(row.as_ref().map(project_of))
}

/// The same by its number.
pub(crate) fn project_by(session: &mut dyn Session, id: i64) -> Stored<Option<Project>> {
    let row = session.one(&format!("{PROJECT} WHERE id = $1"), &[id.into()])?;
    Ok(row.as_ref().map(project_of))
}

const PROJECT: &str = "SELECT id, changed, line, rewritten FROM project";

fn project_of(row: &Row) -> Project {
    Project { id: row.int(0), changed: row.int(1), line: row.int(2), rewritten: row.int(3) }
}

/// Names of all projects, sorted.
pub(crate) fn projects(session: &mut dyn Session) -> Stored<Vec<String>> {
    let rows = session.query("SELECT name FROM project", &[])?;
    let mut names: Vec<String> = rows.iter().map(|row| row.text(0).to_owned()).collect();
    names.sort_unstable();
    Ok(names)
}

pub(crate) fn project_or_new(session: &mut dyn Session, name: &str, now: i64) -> Stored<i64> {
    if let Some(found) = project(session, name)? {
        return Ok(found.id);
    }
    let id = session.next_id("project")?;
    let sql = "INSERT INTO project (id, name, created, changed) VALUES ($1, $2, $3, 0)";
    session.execute(sql, &[id.into(), name.into(), now.into()])?;
    Ok(id)
}

/// Says that something of a project is not as it was.
pub(crate) fn touch(session: &mut dyn Session, project: i64) -> Stored<()> {
    session.execute("UPDATE project SET changed = changed + 1 WHERE id = $1", &[project.into()])?;
    Ok(())
}

/// Says that what was told of is not what it was.
pub(crate) fn rewrite(session: &mut dyn Session, project: i64) -> Stored<()> {
    session.execute("UPDATE project SET rewritten = rewritten + 1 WHERE id = $1", &[project.into()])?;
    session.execute("DELETE FROM explanation WHERE project = $1", &[project.into()])?;
    touch(session, project)
}

/// The number of the next change of commits, which are kept with it.
pub(crate) fn next_line(session: &mut dyn Session, project: i64) -> Stored<i64> {
    Ok(project_by(session, project)?.map_or(0, |project| project.line) + 1)
}

/// Says that commits changed.
pub(crate) fn touch_line(session: &mut dyn Session, project: i64, line: i64) -> Stored<()> {
    session.execute("UPDATE project SET line = $2 WHERE id = $1", &[project.into(), line.into()])?;
    touch(session, project)
}

/// Verdicts of a report's gates, of the columns that hold them and the hash of its bytes. What an earlier version kept has
/// no such column: then the bytes are read.
pub(crate) fn verdicts(
    session: &mut dyn Session,
    project: i64,
    row: &Row,
    (verdicts, sha256): (usize, usize),
) -> Stored<Option<Verdicts>> {
    if row.has(verdicts) {
        return from_json(row.text(verdicts)).map(Some);
    }
    let gzip = contents::blob(session, project, row.text(sha256))?;
    let bytes = gzip.and_then(|gzip| decompressed(&gzip, LARGEST).ok());
    Ok(bytes.and_then(|bytes| StoredReport::verdicts(&bytes).ok()))
}

/// Whether a run of a ranking is kept.
pub(crate) fn has_run(session: &mut dyn Session, project: i64, ranking: &str) -> Stored<bool> {
    let sql = "SELECT 1 FROM blob WHERE project = $1 AND ranking = $2";
    Ok(session.one(sql, &[project.into(), ranking.into()])?.is_some())
}

/// A commit as it is sent, with its first parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Commit {
    /// Its whole id.
    pub(crate) commit: String,
    /// That of its first parent; none of the first commit, or where it is not known.
    #[serde(default)]
    pub(crate) parent: Option<String>,
    /// When it was made, in seconds since 1970.
    pub(crate) time: i64,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The name of its author, where it is known.
    #[serde(default)]
    pub(crate) author: String,
    /// Releases made of it.
    #[serde(default)]
    pub(crate) releases: Vec<String>,
}

/// Keeps a commit. What is known of it already stays, except for what may be learned later: its parent, and releases.
/// Whether anything was learned.
pub(crate) fn add_commit(
    session: &mut dyn Session,
    (project, line): (i64, i64),
    commit: &Commit,
) -> Stored<bool> {
    let sql = "SELECT parent, releases FROM commit_line WHERE project = $1 AND commit_id = $2";
    let Some(known) = session.one(sql, &[project.into(), (&commit.commit).into()])? else {
        let sql = "INSERT INTO commit_line (project, commit_id, parent, made, subject, releases, line, author) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut releases = commit.releases.clone();
        releases.sort_unstable();
        releases.dedup();
        let values = [
            project.into(),
            (&commit.commit).into(),
            commit.parent.as_ref().into(),
            commit.time.into(),
            (&commit.subject).into(),
            to_json(&releases).into(),
            line.into(),
            (&commit.author).into(),
        ];
        return session.execute(sql, &values).map(|_| true);
    };
    let before: Vec<String> = from_json(known.text(1))?;
    let mut releases = [&before[..], &commit.releases].concat();
    releases.sort_unstable();
    releases.dedup();
    let parent = if known.has(0) { Some(known.text(0).to_owned()) } else { commit.parent.clone() };
    if releases == before && parent.is_some() == known.has(0) {
        return Ok(false);
    }
    let sql =
        "UPDATE commit_line SET parent = $3, releases = $4, line = $5 WHERE project = $1 AND commit_id = $2";
    let values =
        [project.into(), (&commit.commit).into(), parent.into(), to_json(&releases).into(), line.into()];
    session.execute(sql, &values).map(|_| true)
}

/// Says that a commit was the newest of a branch.
pub(crate) fn add_tip(
    session: &mut dyn Session,
    (project, line): (i64, i64),
    branch: &str,
    commit: &str,
) -> Stored<bool> {
    let sql =
        "INSERT INTO branch (project, name, commit_id, line) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    Ok(session.execute(sql, &[project.into(), branch.into(), commit.into(), line.into()])? > 0)
}

/// Says that a commit is the newest of a branch, and that all others that were are so no more, whoever sends them again.
/// Whether any was.
pub(crate) fn reset_to(
    session: &mut dyn Session,
    (project, line): (i64, i64),
    branch: &str,
    commit: &str,
) -> Stored<bool> {
    let is = [project.into(), branch.into(), commit.into()];
    let sql = "UPDATE branch SET line = $4 WHERE project = $1 AND name = $2 AND commit_id = $3 AND line < 0";
    let back = session.execute(sql, &[&is[..], &[line.into()]].concat())?;
    let sql = "UPDATE branch SET line = -1 - line WHERE project = $1 AND name = $2 AND commit_id <> $3 \
               AND line >= 0";
    Ok(back + session.execute(sql, &is)? > 0)
}

/// Keeps the first commit of a project's repository; what is kept already, where that is another one.
pub(crate) fn keep_root(session: &mut dyn Session, project: i64, root: &str) -> Stored<Option<String>> {
    let known = session.one("SELECT root FROM project WHERE id = $1", &[project.into()])?;
    if let Some(row) = known.as_ref().filter(|row| row.has(0)) {
        return Ok(Some(row.text(0).to_owned()).filter(|known| known != root));
    }
    session.execute("UPDATE project SET root = $2 WHERE id = $1", &[project.into(), root.into()])?;
    Ok(None)
}

/// That of a project by its name.
pub(crate) fn root_of(session: &mut dyn Session, name: &str) -> Stored<Option<String>> {
    let row = session.one("SELECT root FROM project WHERE name = $1", &[name.into()])?;
    Ok(row.filter(|row| row.has(0)).map(|row| row.text(0).to_owned()))
}

/// The commits of a project that were learned of after a change, in no order.
pub(crate) fn commits_since(session: &mut dyn Session, project: i64, line: i64) -> Stored<Vec<Commit>> {
    let sql = "SELECT commit_id, parent, made, subject, releases, author FROM commit_line \
               WHERE project = $1 AND line > $2";
    let commit = |row: &Row| {
        Ok(Commit {
            commit: row.text(0).to_owned(),
            parent: row.has(1).then(|| row.text(1).to_owned()),
            time: row.int(2),
            subject: row.text(3).to_owned(),
            releases: from_json(row.text(4))?,
            author: row.text(5).to_owned(),
        })
    };
    session.query(sql, &[project.into(), line.into()])?.iter().map(commit).collect()
}

/// The commits that were newest, by branch, each with its change, in no order; learned after a change.
pub(crate) fn tips_since(
    session: &mut dyn Session,
    project: i64,
    line: i64,
) -> Stored<Vec<(String, String, i64)>> {
    let sql = "SELECT name, commit_id, line FROM branch WHERE project = $1 AND line > $2";
    let rows = session.query(sql, &[project.into(), line.into()])?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.text(1).to_owned(), row.int(2))).collect())
}

/// What was acknowledged in a project: benchmark, configuration, alarm, note.
pub(crate) fn acknowledged(session: &mut dyn Session, project: i64) -> Stored<Vec<[String; 4]>> {
    let sql = "SELECT benchmark, configuration, alarm, note FROM acknowledged WHERE project = $1";
    let rows = session.query(sql, &[project.into()])?;
    Ok(rows.iter().map(|row| [0, 1, 2, 3].map(|column| row.text(column).to_owned())).collect())
}
