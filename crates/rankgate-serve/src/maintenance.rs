//! What is done with the data beside serving them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rankgate_history::{StoredRanking, StoredReport};

use crate::api::reports::{ReadReport, measured_rows, scored_metrics};
use crate::api::rescore::{Rescoring, keep_scores, rejudged};
use crate::audit::{self, Actor, Entry};
use crate::clock::now;
use crate::column::to_json;
use crate::contents;
use crate::gzip::decompressed;
use crate::hash::sha256;
use crate::names::{checked_name, checked_who};
use crate::problem::{Answer, Problem};
use crate::random::secret;
use crate::records::{self, NewToken, Rights, TokenRecord};
use crate::store::{Copied, Database, Row, Session, Store, Stored};
use crate::trail;
use crate::whole::ReadLists;

pub use crate::retention::{Removed, Retention, retain};

/// Makes a token of 256 random bits and returns it: it is shown once, and only its hash is kept.
///
/// # Errors
/// A name that is none; a random source that cannot be read; those of the store.
pub fn add_token(
    store: &Store,
    project: &str,
    name: &str,
    rights: impl Into<Rights>,
    (now, expires): (i64, i64),
) -> Result<String, String> {
    checked_name("project", project).map_err(|problem| problem.detail().to_owned())?;
    if !name.is_empty() && checked_who(name).is_err() {
        return Err(format!("{name:?} is no name: 1 to 60 bytes, and no control characters"));
    }
    let random = secret().map_err(|error| format!("no random numbers: {error}"))?;
    let token = format!("rankgate_{random}");
    let new = NewToken {
        sha256: sha256(token.as_bytes()),
        project: project.to_owned(),
        name: name.to_owned(),
        rights: rights.into(),
        expires,
    };
    store.write(move |session| records::add_token(session, &new, now)).map_err(|error| error.to_string())?;
    Ok(token)
}

/// All tokens, in the order in which they were made.
///
/// # Errors
/// Those of the store.
pub fn tokens(store: &Store) -> Stored<Vec<TokenRecord>> {
    store.read(records::tokens)
}

/// Takes a token back; whether there was one.
///
/// # Errors
/// Those of the store.
pub fn revoke_token(store: &Store, id: i64, now: i64) -> Stored<bool> {
    store.write(move |session| records::revoke_token(session, id, now))
}

/// Copies everything into a new file.
///
/// # Errors
/// Those of the store.
pub fn backup(store: &Store, file: &Path) -> Stored<Copied> {
    store.backup(file)
}

/// Copies everything into an empty database, and compares both sides by counts and hashes.
///
/// # Errors
/// Those of the store.
pub fn move_to(store: &Store, other: &Database) -> Stored<Copied> {
    store.copy_to(other)
}

/// Deletes a project with everything in it; whether it was there. Another of its name is another project.
///
/// # Errors
/// Those of the store.
pub fn remove(store: &Store, name: &str) -> Stored<bool> {
    let (name, now) = (name.to_owned(), now());
    let removed = store.write(move |session| {
        let Some(project) = records::project(session, &name)? else { return Ok(false) };
        let of_tokens = "DELETE FROM session WHERE token IN (SELECT id FROM token WHERE project = $1)";
        session.execute(of_tokens, &[project.id.into()])?;
        for table in [
            "measured",
            "report",
            "rejudged",
            "rescored",
            "explanation",
            "p_values",
            "notified",
            "label",
            "grade",
            "scoring",
            "blob",
            "acknowledged",
            "branch",
            "commit_line",
            "token",
        ] {
            session.execute(&format!("DELETE FROM {table} WHERE project = $1"), &[project.id.into()])?;
        }
        session.execute("DELETE FROM project WHERE id = $1", &[project.id.into()])?;
        audit::forget(session, (project.id, now), &Actor::command())?;
        Ok(true)
    })?;
    store.forget()?;
    Ok(removed)
}

/// What is not as it should be: what the database finds wrong in itself, contents that are not those of their hashes,
/// reports without contents, that cannot be shown or that contradict themselves, measurements, verdicts and scores that are not those of their
/// reports, scores that are not those of runs and judgments where both are there, rows that no entry of the audit has or
/// that one has and that are gone.
///
/// # Errors
/// Those of the store.
pub fn check(store: &Store) -> Stored<Vec<String>> {
    let mut wrong = store.read(|session| session.faults())?;
    let blobs = store.read(|session| session.query("SELECT project, sha256, ranking FROM blob", &[]))?;
    for row in &blobs {
        let named = row.text(1);
        let gzip = match store.read(|session| contents::blob(session, row.int(0), named)) {
            Ok(gzip) => gzip,
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        match gzip.map(|gzip| decompressed(&gzip, usize::MAX - 1)) {
            Some(Ok(bytes)) if sha256(&bytes) == named => {
                let ranking = |bytes: &[u8]| StoredRanking::parse("the run", bytes).map(|run| run.ranking());
                if row.has(2) && ranking(&bytes).ok().as_deref() != Some(row.text(2)) {
                    wrong.push(format!("blob {named}: it is not the run of the ranking {}", row.text(2)));
                }
            }
            Some(Ok(_)) => wrong.push(format!("blob {named}: its bytes are others")),
            Some(Err(problem)) => wrong.push(format!("blob {named}: {}", problem.detail())),
            None => {}
        }
    }
    // Metrics of each state, as all of its reports have them.
    let mut metrics: BTreeMap<(i64, String), BTreeSet<String>> = BTreeMap::new();
    let read_lists = ReadLists::default();
    for report in reports(store)? {
        let of = |why: &str| format!("report {}: {why}", report.id);
        let bytes = bytes_of(store, &report);
        let found = bytes.and_then(|bytes| Ok((read_lists.check(&bytes), ReadReport::from_report(&bytes)?)));
        match found {
            Err(problem) => wrong.push(of(problem.detail())),
            Ok((whole, own)) => {
                let unreadable =
                    whole.err().map(|problem| of(&format!("it cannot be shown: {}", problem.detail())));
                wrong.extend(unreadable);
                wrong.extend(own.inconsistency.iter().map(|why| of(&why.to_string())));
                for one in &own.configurations {
                    let state = metrics.entry((report.project, one.state.clone())).or_default();
                    state.extend(one.metrics()?);
                    let said = store.read(|session| one.contradiction(session, report.project))?;
                    if let Some((first, why)) = said {
                        let name = &one.name;
                        wrong.push(of(&format!(
                            "scores of {name} are others than those kept since report {first}: {why}"
                        )));
                    }
                }
                if !store.read(|session| is_kept(session, &report, &own))? {
                    wrong.push(of("what is kept of it is not what it says; `rebuild` reads it anew"));
                }
            }
        }
    }
    for (of, kept) in store.read(scored_metrics)? {
        // Of a state that came meanwhile nothing was read.
        if let Some(expected) = metrics.get(&of).filter(|expected| **expected != kept) {
            let one = expected.symmetric_difference(&kept).next().map_or("", String::as_str);
            let (project, state) = of;
            wrong.push(format!(
                "scores of state {state} of project {project} are of other metrics than its reports have, {one} among them"
            ));
        }
    }
    wrong.extend(store.read(rescored_by_nobody)?);
    match rescored(store) {
        Err(problem) => wrong.push(format!("scores under other judgments: {}", problem.detail())),
        Ok(all) => {
            let kept = store.read(|session| session.query("SELECT scoring, scores FROM rescored", &[]))?;
            let kept: BTreeMap<i64, &str> = kept.iter().map(|row| (row.int(0), row.text(1))).collect();
            // Of those whose runs are gone by now it cannot be said, and those that came later are not among them.
            for (_, anew) in &all {
                wrong.extend(store.read(|session| anew.contradictions(session))?);
            }
            let mut expected = all.iter().flat_map(|(_, anew)| &anew.scored);
            if expected.any(|(scoring, scores)| kept.get(scoring).is_some_and(|kept| kept != scores)) {
                wrong.push(
                    "scores under other judgments are not those of runs and judgments; `rebuild` scores them anew"
                        .to_owned(),
                );
            }
        }
    }
    let audited = store.read(audit::broken)?;
    // What follows from a broken chain says nothing.
    if audited.is_empty() {
        wrong.extend(store.read(trail::faults)?);
    }
    wrong.extend(audited);
    Ok(wrong)
}

/// Who changed what, in the order in which it was done; each entry has the hash of all before it.
///
/// # Errors
/// Those of the store.
pub fn audited(store: &Store) -> Stored<Vec<Entry>> {
    store.read(audit::all)
}

/// What is wrong with these entries: changed, or gone.
///
/// # Errors
/// Those of the store.
pub fn wrong_in_audit(store: &Store) -> Stored<Vec<String>> {
    store.read(audit::broken)
}

/// Reads all reports anew, and puts what they say in place of what was kept of them; how many.
///
/// # Errors
/// A report that cannot be read: then everything is as it was. Those of the store.
pub fn rebuild(store: &Store) -> Result<usize, String> {
    let reports = reports(store).map_err(|error| error.to_string())?;
    let (mut read, mut known) = (Vec::new(), BTreeMap::new());
    for report in reports {
        let mut own = measured(store, &report)
            .map_err(|problem| format!("report {}: {}", report.id, problem.detail()))?;
        // What is as it was before is not held twice.
        for one in &mut own.configurations {
            one.drop_known_scores(&mut known, report.project);
        }
        read.push((report, own));
    }
    let number = read.len();
    let written = store.write(move |session| {
        session.execute("DELETE FROM measured", &[])?;
        session.execute("DELETE FROM rescored", &[])?;
        session.execute("DELETE FROM scoring", &[])?;
        let mut projects = BTreeSet::new();
        for (report, own) in read {
            let sql = "UPDATE report SET verdicts = $2 WHERE id = $1";
            session.execute(sql, &[report.id.into(), to_json(&own.verdicts).into()])?;
            for one in own.configurations {
                one.complete(session, report.project)?;
                let StoredReport { benchmark, commit, .. } = &own.report;
                one.keep(session, (report.project, report.id), [benchmark, commit])?;
            }
            projects.insert(report.project);
        }
        projects.into_iter().try_for_each(|project| records::rewrite(session, project))?;
        audit::add(session, (0, now()), &Actor::command(), "rebuild", &format!("{number} reports"))
    });
    written.map_err(|error| error.to_string())?;
    for (project, anew) in rescored(store).map_err(|problem| problem.detail().to_owned())? {
        store
            .write(move |session| {
                keep_scores(session, project, anew.scored)?;
                records::rewrite(session, project)
            })
            .map_err(|error| error.to_string())?;
    }
    Ok(number)
}

/// Scores under other judgments of benchmarks whose judgments nobody changed.
fn rescored_by_nobody(session: &mut dyn Session) -> Stored<Vec<String>> {
    let sql = "SELECT scoring FROM rescored WHERE NOT EXISTS (SELECT 1 FROM measured JOIN rejudged \
               ON rejudged.project = measured.project AND rejudged.benchmark = measured.benchmark \
               WHERE measured.scoring = rescored.scoring) ORDER BY scoring";
    let why = |row: &Row| {
        format!("scores {} are kept under other judgments, and its benchmark has none", row.int(0))
    };
    Ok(session.query(sql, &[])?.iter().map(why).collect())
}

/// What is told under other judgments than those of its day, by project; read of runs and judgments anew.
fn rescored(store: &Store) -> Answer<Vec<(i64, Rescoring)>> {
    let of = |row: &Row| {
        let (project, benchmark) = (row.int(0), row.text(1));
        let gzip = store.read(|session| contents::blob(session, project, row.text(2)))?;
        let judgments = decompressed(&gzip.unwrap_or_default(), usize::MAX - 1)?;
        Ok((project, Rescoring::new(store, (project, benchmark), &judgments, usize::MAX - 1)?))
    };
    store.read(rejudged)?.iter().map(of).collect()
}

/// Whether what is kept beside a report is what it says: its measurements, and the verdicts of its gates.
fn is_kept(session: &mut dyn Session, report: &ReportRow, own: &ReadReport) -> Stored<bool> {
    let verdicts = session.one("SELECT verdicts FROM report WHERE id = $1", &[report.id.into()])?;
    // An earlier version kept none.
    let verdicts = verdicts.filter(|row| row.has(0));
    if verdicts.is_some_and(|row| row.text(0) != to_json(&own.verdicts)) {
        return Ok(false);
    }
    let mut kept = measured_rows(session, report.id)?;
    let StoredReport { benchmark, commit, .. } = &own.report;
    let expected = own.configurations.iter().map(|one| one.row([benchmark, commit]));
    let mut expected = expected.collect::<Stored<Vec<_>>>()?;
    for rows in [&mut kept, &mut expected] {
        rows.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    }
    Ok(kept == expected)
}

/// A report by its number.
struct ReportRow {
    id: i64,
    project: i64,
    sha256: String,
}

fn reports(store: &Store) -> Stored<Vec<ReportRow>> {
    let rows =
        store.read(|session| session.query("SELECT id, project, sha256 FROM report ORDER BY id", &[]))?;
    Ok(rows
        .iter()
        .map(|row| ReportRow { id: row.int(0), project: row.int(1), sha256: row.text(2).to_owned() })
        .collect())
}

/// What the bytes of a report say was measured.
fn measured(store: &Store, report: &ReportRow) -> Answer<ReadReport> {
    ReadReport::from_report(&bytes_of(store, report)?)
}

fn bytes_of(store: &Store, report: &ReportRow) -> Answer<Vec<u8>> {
    let gzip = store.read(|session| contents::blob(session, report.project, &report.sha256))?;
    let gzip = gzip.ok_or_else(|| Problem::missing("its bytes are gone"))?;
    decompressed(&gzip, usize::MAX - 1)
}
