//! Who changed what: entries that are added to and never changed, each with the hash of all before it.
//!
//! Whoever changes an entry, takes one away or puts one in breaks the chain behind it. Whoever can write into the database can
//! make a whole chain anew: the last hash, kept elsewhere, tells. Entries from before there were hashes are in no chain.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::column::to_json;
use crate::hash::sha256;
use crate::store::{Row, Session, Stored};

/// Whoever did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Actor {
    /// The number of a token.
    pub(crate) token: Option<i64>,
    /// A name, or what was signed in by.
    pub(crate) who: String,
}

impl Actor {
    /// The command `rankgate-serve`, beside a server.
    pub(crate) fn command() -> Self {
        Self { token: None, who: "rankgate-serve".to_owned() }
    }
}

/// An entry. Of one whose project was removed, who did what is forgotten; its hashes stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its number, without a gap.
    pub id: i64,
    /// The number of the project; 0 where it is none's.
    pub project: i64,
    /// When, in seconds since 1970.
    pub made: i64,
    /// The number of the token.
    pub token: Option<i64>,
    /// Who did it; nobody of an entry that was forgotten.
    pub who: Option<String>,
    /// What was done.
    pub action: String,
    /// To what.
    pub about: String,
    /// SHA-256 of all of this; empty of entries from before there were any.
    #[serde(skip)]
    pub content: String,
    /// SHA-256 of that before and of [`content`](Self::content).
    #[serde(skip)]
    pub sha256: String,
}

const ENTRY: &str = "SELECT id, project, made, token, who, action, about, content, sha256 FROM audit";

fn entry_of(row: &Row) -> Entry {
    Entry {
        id: row.int(0),
        project: row.int(1),
        made: row.int(2),
        token: row.has(3).then(|| row.int(3)),
        who: row.has(4).then(|| row.text(4).to_owned()),
        action: row.text(5).to_owned(),
        about: row.text(6).to_owned(),
        content: row.text(7).to_owned(),
        sha256: row.text(8).to_owned(),
    }
}

impl Entry {
    /// The hash of what it says.
    fn hash(&self) -> String {
        sha256(to_json(self).as_bytes())
    }

    /// The hash of all up to it, behind that of the entry before.
    fn chain_hash(&self, before: &str) -> String {
        sha256(to_json(&(before, &self.content)).as_bytes())
    }
}

/// All entries, in their order.
pub(crate) fn all(session: &mut dyn Session) -> Stored<Vec<Entry>> {
    Ok(session.query(&format!("{ENTRY} ORDER BY id"), &[])?.iter().map(entry_of).collect())
}

/// Those with hashes. Those from before there were any may be gone with their projects.
pub(crate) fn chained(entries: &[Entry]) -> Vec<&Entry> {
    entries.iter().skip_while(|entry| entry.sha256.is_empty()).collect()
}

/// Adds an entry.
pub(crate) fn add(
    session: &mut dyn Session,
    (project, now): (i64, i64),
    actor: &Actor,
    action: &str,
    about: &str,
) -> Stored<()> {
    // Whoever adds one waits here for whoever adds another.
    let id = session.next_id("audit")?;
    let last = session.one("SELECT sha256 FROM audit ORDER BY id DESC LIMIT 1", &[])?;
    let before = last.as_ref().map_or("", |row| row.text(0));
    let mut entry = Entry {
        id,
        project,
        made: now,
        token: actor.token,
        who: Some(actor.who.replace('\0', "")),
        action: action.to_owned(),
        about: about.replace('\0', ""),
        content: String::new(),
        sha256: String::new(),
    };
    entry.content = entry.hash();
    entry.sha256 = entry.chain_hash(before);
    let sql = "INSERT INTO audit (id, project, made, token, who, action, about, content, sha256) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let values = [
        entry.id.into(),
        entry.project.into(),
        entry.made.into(),
        entry.token.into(),
        entry.who.as_ref().into(),
        (&entry.action).into(),
        (&entry.about).into(),
        (&entry.content).into(),
        (&entry.sha256).into(),
    ];
    session.execute(sql, &values).map(drop)
}

/// Forgets who did what in a project that is removed, and says that and of how many entries. What stays of them are
/// their hashes.
pub(crate) fn forget(session: &mut dyn Session, (project, now): (i64, i64), actor: &Actor) -> Stored<()> {
    session.execute("DELETE FROM audit WHERE project = $1 AND sha256 IS NULL", &[project.into()])?;
    let sql = "UPDATE audit SET who = NULL, about = '' WHERE project = $1";
    let entries = session.execute(sql, &[project.into()])?;
    add(session, (0, now), actor, REMOVE, &removal(project, entries))
}

/// What is done to a project that is removed.
const REMOVE: &str = "remove";

fn removal(project: i64, entries: u64) -> String {
    format!("project {project}, with {entries} entries")
}

/// The numbers of entries that were forgotten. One that looks so, of a project that nobody removed or beside all of one
/// that was, is not among them.
pub(crate) fn forgotten(chained: &[&Entry]) -> BTreeSet<i64> {
    let mut by_project: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for entry in chained.iter().filter(|entry| entry.who.is_none() && entry.project != 0) {
        by_project.entry(entry.project).or_default().push(entry.id);
    }
    let removals = chained.iter().filter(|entry| entry.project == 0 && entry.action == REMOVE);
    let removals: BTreeSet<&str> = removals.map(|entry| entry.about.as_str()).collect();
    let is_removed = |project: &i64, entries: &mut Vec<i64>| {
        // The second is from before their number was written down.
        let expected = [removal(*project, entries.len() as u64), format!("project {project}")];
        expected.iter().any(|about| removals.contains(about.as_str()))
    };
    by_project.retain(is_removed);
    by_project.into_values().flatten().collect()
}

/// What is wrong with the chain.
pub(crate) fn broken(session: &mut dyn Session) -> Stored<Vec<String>> {
    let counted = session.one("SELECT next FROM counter WHERE name = 'audit'", &[])?;
    let counted = counted.map_or(0, |row| row.int(0));
    let entries = all(session)?;
    let chained = chained(&entries);
    let mut wrong = Vec::new();
    let first = chained.first().map_or(counted + 1, |first| first.id);
    if !chained.iter().map(|entry| entry.id).eq(first..=counted) {
        wrong.push(format!("audit: entries are missing between {first} and {counted}"));
    }
    let forgotten = forgotten(&chained);
    let mut before = "";
    for entry in chained {
        let is_forgotten = forgotten.contains(&entry.id);
        if (!is_forgotten && entry.hash() != entry.content) || entry.chain_hash(before) != entry.sha256 {
            wrong
                .push(format!("audit: entry {} is not what was written, or one before it is gone", entry.id));
            break;
        }
        before = &entry.sha256;
    }
    Ok(wrong)
}
