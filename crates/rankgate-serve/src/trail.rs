//! What rows say was done, against the audit that says so: what somebody put into the database, changed in it or took out
//! of it beside the server.
//!
//! Whatever is done writes the text of its entry by a function of this file, and the check makes the same text of the row,
//! so that nothing is read out of text. Commits are not covered: their entries hold no more than how many there were.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::{self, Entry};
use crate::hash::sha256;
use crate::store::{Row, Session, Stored};

const REPORT: &str = "report ";

/// What an entry says of a report that came, or was deleted for its age.
pub(crate) fn report((id, sha256): (i64, &str), [benchmark, commit]: [&str; 2]) -> String {
    format!("{REPORT}{id} of {benchmark} at {commit}, {sha256}")
}

/// What an entry says of a run.
pub(crate) fn run(sha256: &str) -> String {
    format!("run {sha256}")
}

/// What an entry says of an alarm that was accepted.
pub(crate) fn acknowledgement([benchmark, configuration, alarm, note]: [&str; 4]) -> String {
    format!("{}{note}", acknowledgement_of([benchmark, configuration, alarm]))
}

fn acknowledgement_of([benchmark, configuration, alarm]: [&str; 3]) -> String {
    format!("alarm {alarm} of {benchmark}, {configuration}: ")
}

/// What an entry says of an alarm whose acceptance was taken back.
pub(crate) fn withdrawal([benchmark, configuration, alarm]: [&str; 3]) -> String {
    format!("alarm {alarm} of {benchmark}, {configuration}")
}

/// What an entry says of judgments that a history is told under.
pub(crate) fn rescore(benchmark: &str, sha256: &str) -> String {
    format!("{}{sha256}", rescore_of(benchmark))
}

fn rescore_of(benchmark: &str) -> String {
    format!("{benchmark} under judgments ")
}

/// What an entry says of a list of documents that people grade.
pub(crate) fn label(name: &str, pairs: &str) -> String {
    format!("{name}: {}", sha256(pairs.as_bytes()))
}

/// What an entry says of somebody's grade of a document.
pub(crate) fn grade([name, query, document, who]: [&str; 4], grade: Option<i64>) -> String {
    format!("{}{}", grade_of([name, query, document, who]), grade_word(grade))
}

fn grade_of([name, query, document, who]: [&str; 4]) -> String {
    format!("{name}: document {document:?} of query {query:?} by {who:?}: ")
}

fn grade_word(grade: Option<i64>) -> String {
    grade.map_or_else(|| "cannot tell".to_owned(), |grade| grade.to_string())
}

/// The same as earlier versions wrote it.
fn old_grade([name, query, document, who]: [&str; 4], grade: Option<i64>) -> String {
    format!("{who}: {} of document {document:?} of query {query:?} in {name}", grade_word(grade))
}

/// What an entry says of a token that was made.
pub(crate) fn token((id, name): (i64, &str), rights: &str, expires: i64, sha256: &str) -> String {
    format!("{}, until {expires}, {sha256}", old_token((id, name), rights))
}

fn old_token((id, name): (i64, &str), rights: &str) -> String {
    format!("{}{name:?}, {rights}", token_of(id))
}

fn token_of(id: i64) -> String {
    format!("token {id} for ")
}

/// What an entry says of a token that was taken back.
pub(crate) fn revoked_token(id: i64) -> String {
    format!("token {id}")
}

/// Something that is kept, and the entries that are about it.
struct Subject {
    /// What it is called here.
    name: String,
    project: i64,
    action: &'static str,
    /// When it came, where the row says so.
    made: Option<i64>,
    /// Beginnings of the entries about it.
    beginnings: Vec<String>,
    /// Whole entries about it.
    entries: Vec<String>,
    /// What the last of them says.
    last: Vec<String>,
}

impl Subject {
    fn new(name: String, (project, action): (i64, &'static str), last: Vec<String>) -> Self {
        let entries = last.clone();
        Self { name, project, action, made: None, beginnings: Vec::new(), entries, last }
    }
}

/// The last entry of each text, by project and action.
type Texts = BTreeMap<(i64, String), BTreeMap<String, i64>>;

fn texts(chained: &[&Entry]) -> Texts {
    let mut texts = Texts::new();
    for entry in chained {
        let own = texts.entry((entry.project, entry.action.clone())).or_default();
        own.insert(entry.about.clone(), entry.id);
    }
    texts
}

/// The entries of the chain, and those that something is there of.
struct Trail {
    texts: Texts,
    seen: BTreeSet<i64>,
    /// Since when there are entries, where something may be older than all of them.
    begins: Option<i64>,
    wrong: Vec<String>,
}

impl Trail {
    fn new(chained: &[&Entry]) -> Self {
        let first = chained.first().filter(|first| first.id != 1);
        Self {
            texts: texts(chained),
            seen: BTreeSet::new(),
            begins: first.map(|first| first.made),
            wrong: Vec::new(),
        }
    }

    /// Looks for the last entry about something.
    fn follow(&mut self, subject: &Subject) {
        let mut found: Vec<(i64, &str)> = Vec::new();
        if let Some(texts) = self.texts.get(&(subject.project, subject.action.to_owned())) {
            let whole = subject.entries.iter().filter_map(|text| texts.get_key_value(text));
            let begun = subject.beginnings.iter().flat_map(|beginning| {
                texts.range(beginning.clone()..).take_while(|(text, _)| text.starts_with(beginning.as_str()))
            });
            found.extend(whole.chain(begun).map(|(text, id)| (*id, text.as_str())));
        }
        self.seen.extend(found.iter().map(|(id, _)| *id));
        match found.iter().max() {
            Some((_, text)) if subject.last.iter().any(|last| last == text) => {}
            Some((id, _)) => {
                self.wrong.push(format!("{} is not what entry {id} of the audit says", subject.name));
            }
            None if self.begins.is_some_and(|begins| subject.made.is_none_or(|made| made <= begins)) => {}
            None => self.wrong.push(format!("{} is in no entry of the audit", subject.name)),
        }
    }
}

/// What is kept that the audit does not say, or says otherwise, and what it says that is not kept.
pub(crate) fn faults(session: &mut dyn Session) -> Stored<Vec<String>> {
    let entries = audit::all(session)?;
    let chained = audit::chained(&entries);
    let forgotten = audit::forgotten(&chained);
    let mut trail = Trail::new(&chained);
    for subject in subjects(session)? {
        trail.follow(&subject);
    }
    trail.wrong.extend(valid_again(session, &trail.texts)?);
    trail.wrong.extend(accepted_again(session, &trail.texts)?);
    let Trail { texts, seen, mut wrong, .. } = trail;
    let last_retention = LastRetention::new(&chained);
    for ((project, action), about) in &texts {
        if !LASTING.contains(&action.as_str()) {
            continue;
        }
        let deleted = texts.get(&(*project, DELETE.to_owned()));
        let withdrawn = texts.get(&(*project, WITHDRAW.to_owned())).filter(|_| action == ACKNOWLEDGE);
        for (about, id) in about {
            // Of what else was pushed, entries say no more than that it came.
            let is_of_row = action != "push" || about.starts_with(REPORT);
            let is_withdrawn = |(of, at): (&String, &i64)| at > id && about.starts_with(&format!("{of}: "));
            let is_deleted = deleted.is_some_and(|deleted| deleted.contains_key(about))
                || withdrawn.is_some_and(|withdrawn| withdrawn.iter().any(is_withdrawn))
                || *id < last_retention.of_unlisted_reports
                || (action == "rescore" && *id < last_retention.of_any);
            if is_of_row && !is_deleted && !seen.contains(id) && !forgotten.contains(id) {
                wrong.push(format!("entry {id} of the audit says {action}, {about}, and that is gone"));
            }
        }
    }
    Ok(wrong)
}

/// What is done to a report that is too old.
pub(crate) const DELETE: &str = "delete";
/// What is done to a loss that is accepted, and to that acceptance.
pub(crate) const ACKNOWLEDGE: &str = "acknowledge";
pub(crate) const WITHDRAW: &str = "withdraw";
/// What is done by age.
pub(crate) const RETAIN: &str = "retain";
/// Of what was done by these there is a row.
const LASTING: &[&str] = &["push", ACKNOWLEDGE, "rescore", "label", "grade", "token add"];

/// The numbers of the last entries of what deletes by age.
struct LastRetention {
    of_any: i64,
    /// From before each deleted report had an entry of its own.
    of_unlisted_reports: i64,
}

impl LastRetention {
    fn new(chained: &[&Entry]) -> Self {
        let mut last = Self { of_any: 0, of_unlisted_reports: 0 };
        let mut before = "";
        for entry in chained {
            if entry.action == RETAIN {
                last.of_any = entry.id;
                if before != DELETE && !entry.about.starts_with("0 reports") {
                    last.of_unlisted_reports = entry.id;
                }
            }
            before = &entry.action;
        }
        last
    }
}

/// Tokens that were taken back, and are valid.
fn valid_again(session: &mut dyn Session, texts: &Texts) -> Stored<Vec<String>> {
    let sql = "SELECT id, project FROM token WHERE revoked IS NULL ORDER BY id";
    let is_taken_back = |row: &Row| {
        let id = row.int(0);
        let entry = texts.get(&(row.int(1), "token revoke".to_owned()))?.get(&revoked_token(id))?;
        Some(format!("token {id} was taken back by entry {entry} of the audit, and is valid"))
    };
    Ok(session.query(sql, &[])?.iter().filter_map(is_taken_back).collect())
}

/// Acknowledgements that were withdrawn, and stand.
fn accepted_again(session: &mut dyn Session, texts: &Texts) -> Stored<Vec<String>> {
    let sql = "SELECT project, benchmark, configuration, alarm FROM acknowledged \
               ORDER BY project, benchmark, configuration, alarm";
    let is_withdrawn = |row: &Row| {
        let of = [1, 2, 3].map(|column| row.text(column));
        let entry = *texts.get(&(row.int(0), WITHDRAW.to_owned()))?.get(&withdrawal(of))?;
        let own = texts.get(&(row.int(0), ACKNOWLEDGE.to_owned()))?;
        let beginning = acknowledgement_of(of);
        let later = own.range(beginning.clone()..).take_while(|(text, _)| text.starts_with(&beginning));
        let [benchmark, configuration, alarm] = of;
        (!later.into_iter().any(|(_, id)| *id > entry)).then(|| {
            format!(
                "the acknowledgement of alarm {alarm} of {benchmark}, {configuration} was withdrawn by entry {entry} of the \
                 audit, and stands"
            )
        })
    };
    Ok(session.query(sql, &[])?.iter().filter_map(is_withdrawn).collect())
}

/// Everything that has an entry.
fn subjects(session: &mut dyn Session) -> Stored<Vec<Subject>> {
    let mut subjects = Vec::new();
    let sql = "SELECT id, project, benchmark, commit_id, sha256, received FROM report ORDER BY id";
    for row in &session.query(sql, &[])? {
        let text = report((row.int(0), row.text(4)), [row.text(2), row.text(3)]);
        let subject = Subject::new(format!("report {}", row.int(0)), (row.int(1), "push"), vec![text]);
        subjects.push(Subject { made: Some(row.int(5)), ..subject });
    }
    let sql = "SELECT project, sha256, received FROM blob WHERE ranking IS NOT NULL ORDER BY project, sha256";
    for row in &session.query(sql, &[])? {
        let text = run(row.text(1));
        let subject = Subject::new(text.clone(), (row.int(0), "push"), vec![text]);
        subjects.push(Subject { made: Some(row.int(2)), ..subject });
    }
    let sql = "SELECT project, benchmark, configuration, alarm, note, made FROM acknowledged \
               ORDER BY project, benchmark, configuration, alarm";
    for row in &session.query(sql, &[])? {
        let [benchmark, configuration, alarm, note] = [1, 2, 3, 4].map(|column| row.text(column));
        let last = acknowledgement([benchmark, configuration, alarm, note]);
        // Earlier versions named the alarm alone.
        let old = format!("alarm {alarm}: ");
        let name = format!("the acknowledgement of alarm {alarm} of {benchmark}, {configuration}");
        let last = vec![last, format!("{old}{note}")];
        let subject = Subject::new(name, (row.int(0), ACKNOWLEDGE), last);
        let beginnings = vec![acknowledgement_of([benchmark, configuration, alarm]), old];
        subjects.push(Subject { made: Some(row.int(5)), beginnings, ..subject });
    }
    for row in
        &session.query("SELECT project, benchmark, sha256 FROM rejudged ORDER BY project, benchmark", &[])?
    {
        let (benchmark, name) = (row.text(1), format!("what {} is judged by", row.text(1)));
        let subject = Subject::new(name, (row.int(0), "rescore"), vec![rescore(benchmark, row.text(2))]);
        subjects.push(Subject { beginnings: vec![rescore_of(benchmark)], ..subject });
    }
    for row in &session.query("SELECT project, name, pairs FROM label ORDER BY project, name", &[])? {
        let name = row.text(1);
        let last = vec![label(name, row.text(2)), name.to_owned()];
        let subject = Subject::new(format!("the list {name}"), (row.int(0), "label"), last);
        subjects.push(Subject { beginnings: vec![format!("{name}: ")], ..subject });
    }
    let sql = "SELECT project, name, query, document, who, grade FROM grade ORDER BY project, name, query, document, who";
    subjects.extend(session.query(sql, &[])?.iter().map(graded));
    let sql = "SELECT id, project, name, rights, expires, sha256, created FROM token ORDER BY id";
    for row in &session.query(sql, &[])? {
        let (of, rights) = ((row.int(0), row.text(2)), row.text(3));
        let last = vec![token(of, rights, row.int(4), row.text(5)), old_token(of, rights)];
        let subject = Subject::new(format!("token {}", of.0), (row.int(1), "token add"), last);
        subjects.push(Subject { made: Some(row.int(6)), beginnings: vec![token_of(of.0)], ..subject });
    }
    Ok(subjects)
}

fn graded(row: &Row) -> Subject {
    let of = [1, 2, 3, 4].map(|column| row.text(column));
    let said = row.has(5).then(|| row.int(5));
    let [name, query, document, who] = of;
    let title = format!("the grade of document {document:?} of query {query:?} in {name} by {who}");
    let last = vec![grade(of, said), old_grade(of, said)];
    let all = [None, Some(0), Some(1), Some(2), Some(3)];
    let entries = all.map(|grade| old_grade(of, grade)).to_vec();
    let subject = Subject::new(title, (row.int(0), "grade"), last);
    Subject { entries, beginnings: vec![grade_of(of)], ..subject }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Actor;
    use crate::store::{Database, Holding, Store};

    /// What is done, and to what.
    type Written = (&'static str, &'static str);

    /// A database with a project, an entry of the audit for each pair, and rows.
    fn faults_of(entries: &[Written], rows: &'static str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let entries = entries.to_vec();
        let store = Store::open(Database::new(folder.path(), None), folder.path(), Holding::Alone).unwrap();
        store
            .write(move |session| {
                let project = "INSERT INTO project (id, name, created, changed) VALUES (1, 'search', 0, 0)";
                session.script(project)?;
                session.script(rows)?;
                entries.iter().try_for_each(|(action, about)| {
                    audit::add(session, (1, 100), &Actor::command(), action, about)
                })
            })
            .unwrap();
        store.read(faults).unwrap()
    }

    const REPORT: &str = "INSERT INTO report (id, project, idempotency, benchmark, commit_id, sha256, source, received) \
                          VALUES (1, 1, 'k', 'shop', 'c', 's', '', 0)";
    const GRADE: &str = "INSERT INTO grade (project, name, who, query, document, grade) \
                         VALUES (1, 'people', 'anna', 'q', 'd', 3)";

    #[test]
    fn what_earlier_versions_wrote_is_understood() {
        let acknowledged = "INSERT INTO acknowledged (project, benchmark, configuration, alarm, note, made) \
                            VALUES (1, 'shop', 'bm25', 'feed', 'known', 0)";
        let token = "INSERT INTO token (id, project, sha256, name, rights, created, expires) \
                     VALUES (1, 1, 's', 'CI', 'push', 0, 9)";
        for (entries, rows) in [
            (&[("push", "report 1 of shop at c, s")][..], REPORT),
            (&[("acknowledge", "alarm feed: soon"), ("acknowledge", "alarm feed: known")], acknowledged),
            (&[("token add", "token 1 for \"CI\", push")], token),
            (&[("label", "people")], "INSERT INTO label (project, name, pairs) VALUES (1, 'people', '[]')"),
            (
                &[
                    ("grade", "anna: 1 of document \"d\" of query \"q\" in people"),
                    ("grade", "anna: 3 of document \"d\" of query \"q\" in people"),
                ],
                GRADE,
            ),
        ] {
            assert_eq!(faults_of(entries, rows), Vec::<String>::new(), "{rows}");
        }
        let other = faults_of(&[("grade", "anna: 1 of document \"d\" of query \"q\" in people")], GRADE);
        assert_eq!(
            other,
            [
                "the grade of document \"d\" of query \"q\" in people by anna is not what entry 1 of the audit says"
            ]
        );
    }

    #[test]
    fn what_was_deleted_for_its_age_is_not_missing() {
        let push: Written = ("push", "report 1 of shop at c, s");
        let gone = "entry 1 of the audit says push, report 1 of shop at c, s, and that is gone";
        let cases: [(&[Written], &[&str]); 4] = [
            (&[push], &[gone]),
            (&[push, ("delete", "report 1 of shop at c, s"), ("retain", "1 reports, 1 blobs")], &[]),
            // Earlier versions counted them.
            (&[push, ("retain", "1 reports, 1 blobs")], &[]),
            (&[push, ("retain", "0 reports, 3 blobs")], &[gone]),
        ];
        for (entries, expected) in cases {
            assert_eq!(faults_of(entries, ""), expected, "{entries:?}");
        }
    }

    #[test]
    fn an_acknowledgement_that_was_withdrawn_is_not_missing_and_does_not_stand() {
        let row = "INSERT INTO acknowledged (project, benchmark, configuration, alarm, note, made) \
                   VALUES (1, 'shop', 'bm25', 'feed', 'known', 0)";
        let accept: Written = ("acknowledge", "alarm feed of shop, bm25: known");
        let withdraw: Written = ("withdraw", "alarm feed of shop, bm25");
        let gone = "entry 1 of the audit says acknowledge, alarm feed of shop, bm25: known, and that is gone";
        let stands = "the acknowledgement of alarm feed of shop, bm25 was withdrawn by entry 2 of the audit, and stands";
        let cases: [(&[Written], &'static str, &[&str]); 6] = [
            (&[accept], row, &[]),
            (&[accept], "", &[gone]),
            (&[accept, withdraw], "", &[]),
            (&[accept, withdraw], row, &[stands]),
            (&[accept, withdraw, accept], row, &[]),
            // That of another alarm takes nothing back.
            (&[accept, ("withdraw", "alarm feed of shop, words")], "", &[gone]),
        ];
        for (entries, rows, expected) in cases {
            assert_eq!(faults_of(entries, rows), expected, "{entries:?}");
        }
    }

    #[test]
    fn what_is_older_than_the_first_entry_with_a_hash_needs_none() {
        let rows = "INSERT INTO report (id, project, idempotency, benchmark, commit_id, sha256, source, received) VALUES \
                    (1, 1, 'k', 'shop', 'c', 's', '', 50), (2, 1, 'l', 'shop', 'c', 't', '', 150); \
                    INSERT INTO audit (id, project, made, action, about) VALUES (1, 1, 50, 'push', 'report'); \
                    UPDATE counter SET next = 1 WHERE name = 'audit'";
        assert_eq!(faults_of(&[("sign in", "")], rows), ["report 2 is in no entry of the audit"]);
        assert_eq!(faults_of(&[("sign in", "")], REPORT), ["report 1 is in no entry of the audit"]);
    }
}
